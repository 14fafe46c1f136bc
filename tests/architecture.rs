//! The module map as a test: who may know whom, what every file begins with, how large it may be.
//!
//! `docs/architecture.md` holds the same map for people. Must not know: what the modules do.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking and tells by printing"
)]

#[path = "support/source.rs"]
mod source;

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// Which modules each module may name, from the inside out. Everybody may name [`LEAVES`].
const MAP: [(&str, &[&str]); 14] = [
    ("text", &[]),
    ("canon", &[]),
    ("schema", &["domain::call"]),
    ("domain", &[]),
    ("policy", &["domain"]),
    ("resilience", &["domain", "schema"]),
    ("journal", &["domain"]),
    ("model", &["domain", "resilience"]),
    ("tools", &["domain", "schema", "resilience"]),
    (
        "engine",
        &[
            "domain",
            "schema",
            "policy",
            "resilience",
            "journal",
            "model",
            "tools",
        ],
    ),
    ("control", &["domain", "engine"]),
    ("config", &["domain", "policy", "resilience"]),
    ("console", &["domain", "policy", "schema", "config", "resilience"]),
    (
        "export",
        &["domain", "resilience", "console::layout", "console::symbols"],
    ),
];
/// Pure, and free for all but each other.
const LEAVES: [&str; 2] = ["text", "canon"];
/// The composition root: may name everything, and nothing may name it.
const ROOT: &str = "cli";
/// Modules without clock, randomness, files, network, tasks and terminal.
const PURE: [&str; 7] = [
    "text",
    "canon",
    "schema",
    "domain",
    "policy",
    "resilience",
    "export",
];
/// What that means in names.
const IMPURE: &str = r"\b(tokio|futures_util|reqwest|ratatui|crossterm|rustix|fs4|tempfile|etcetera|rand)\s*::|\bstd\s*::\s*(fs|net|process|env|thread|time)\b|\b(SystemTime|Instant)\s*::\s*now\b";
/// Crates that belong to few modules.
const OWNED: [(&str, Exempt); 3] = [
    (r"\b(ratatui|ratatui_textarea|crossterm)\s*::", |module, _| {
        ["console", ROOT].contains(&module)
    }),
    (r"\breqwest\s*::", |module, _| {
        ["model", "tools", ROOT].contains(&module)
    }),
    (r"\bclap\s*::", |module, _| module == ROOT),
];
/// Whether a file of a module may name something all the same.
type Exempt = fn(&str, &File) -> bool;
/// Lines above which a file is reported.
const WARN: usize = 500;
/// Lines above which a file fails.
const FAIL: usize = 800;
/// Lines of a `mod.rs`, which declares, re-exports, and holds at most a trait with its data.
const MOD_RS: usize = 150;

#[derive(Debug, Clone, Default)]
struct File {
    /// Relative to the project, with `/`.
    name: String,
    text: String,
    /// Code without comments, literals and tests; empty for a file of tests.
    code: String,
    /// Whether it holds tests alone.
    tests: bool,
}

impl File {
    /// The names of its module from the root on; none for `lib.rs` and `main.rs`.
    fn module(&self) -> Vec<&str> {
        let path = self.name.trim_start_matches("src/").trim_end_matches(".rs");
        let mut parts: Vec<&str> = path.split('/').collect();
        if matches!(parts[..], ["lib" | "main"]) || parts.last() == Some(&"mod") {
            parts.pop();
        }
        parts
    }

    fn is_mod_rs(&self) -> bool {
        self.name.ends_with("/mod.rs")
    }
}

fn project() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a directory, in a fixed order.
fn below(directory: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(directory)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            below(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The Rust files below a directory of the project.
fn rust_files(directory: &str) -> Vec<File> {
    let mut paths = Vec::new();
    below(&project().join(directory), &mut paths);
    let texts = paths
        .into_iter()
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .map(|path| {
            let name = path.strip_prefix(project()).unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        });
    files(texts.collect())
}

/// Takes the texts apart and finds out which of them are tests.
fn files(texts: Vec<(String, String)>) -> Vec<File> {
    let mut files = Vec::new();
    let mut of_tests = Vec::new();
    for (name, text) in texts {
        let (code, modules) = source::without_tests(&source::code(&text));
        let file = File {
            name,
            text,
            code,
            tests: false,
        };
        let parent = file.module().join("/");
        let parent = if parent.is_empty() {
            String::new()
        } else {
            parent + "/"
        };
        of_tests.extend(modules.into_iter().map(|module| format!("src/{parent}{module}")));
        files.push(file);
    }
    for file in &mut files {
        let belongs = |tests: &String| {
            let rest = file.name.strip_prefix(tests.as_str());
            rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        };
        if of_tests.iter().any(belongs) {
            file.tests = true;
            file.code.clear();
        }
    }
    files
}

fn may_name(module: &str, path: &str) -> bool {
    let within = |allowed: &str| path == allowed || path.starts_with(&format!("{allowed}::"));
    let listed = MAP.iter().find(|(name, _)| *name == module);
    let listed = listed.map_or(&[][..], |(_, allowed)| *allowed);
    module == ROOT || within(module) || LEAVES.into_iter().any(within) || listed.iter().copied().any(within)
}

fn wrong_names(files: &[File]) -> Vec<String> {
    let mut wrong = Vec::new();
    for file in files {
        let parts = file.module();
        let module = parts.first().copied().unwrap_or(ROOT);
        if module != ROOT && !MAP.iter().any(|(name, _)| *name == module) {
            wrong.push(format!("{}: the module `{module}` is not on the map", file.name));
            continue;
        }
        for (line, path) in source::crate_paths(&file.code, parts.len()) {
            if !may_name(module, &path) {
                wrong.push(format!("{}:{line}: `{module}` may not name `{path}`", file.name));
            }
        }
    }
    wrong
}

fn wrong_worlds(files: &[File]) -> Vec<String> {
    let mut rules: Vec<(&str, &str, Exempt)> = vec![
        (IMPURE, "has no place in a pure module", |module, _| {
            !PURE.contains(&module)
        }),
        (
            r"\benv\s*::\s*vars?(_os)?\b",
            "belongs to config/env.rs",
            |_, file| file.name == "src/config/env.rs",
        ),
        (r"\b(todo|unimplemented|dbg)\s*!", "is unfinished work", |_, _| {
            false
        }),
        (r"\.\s*unwrap\s*\(\s*\)", "can panic", |_, _| false),
        (r"\be?print(ln)?\s*!", "writes past the screen", |module, _| {
            module == ROOT
        }),
    ];
    for (crates, exempt) in OWNED {
        rules.push((crates, "belongs to other modules", exempt));
    }
    let mut wrong = Vec::new();
    for (pattern, why, exempt) in rules {
        let pattern = Regex::new(pattern).unwrap();
        for file in files {
            if exempt(file.module().first().unwrap_or(&ROOT), file) {
                continue;
            }
            for found in pattern.find_iter(&file.code) {
                let line = file.code[..found.start()].matches('\n').count() + 1;
                wrong.push(format!("{}:{line}: `{}` {why}", file.name, found.as_str()));
            }
        }
    }
    wrong
}

fn wrong_headers(files: &[File]) -> Vec<String> {
    let lenient = |file: &File| file.tests || file.is_mod_rs() || file.module().is_empty();
    let mut wrong = Vec::new();
    for file in files {
        let header = source::header(&file.text);
        if header.is_empty() {
            wrong.push(format!("{}: does not begin with a `//!` header", file.name));
        } else if !lenient(file) && !header.to_lowercase().contains("must not know") {
            wrong.push(format!(
                "{}: the header does not say what it must not know",
                file.name
            ));
        }
    }
    wrong
}

fn wrong_sizes(files: &[File]) -> Vec<String> {
    let mut wrong = Vec::new();
    for file in files {
        let lines = file.text.lines().count();
        if lines > FAIL {
            wrong.push(format!("{}: {lines} lines, more than {FAIL}", file.name));
        } else if lines > WARN {
            println!("{}: {lines} lines, more than {WARN}", file.name);
        }
        if file.is_mod_rs() && lines > MOD_RS {
            wrong.push(format!(
                "{}: {lines} lines, more than a mod.rs needs ({MOD_RS})",
                file.name
            ));
        }
    }
    wrong
}

/// Numbers of lists that a reader of the project does not have.
fn wrong_words(name: &str, text: &str) -> Vec<String> {
    let pattern = Regex::new(r"\b[RB]\d{3}-\d+\b|(?i)\b(ruling|requirement)s? (no\. ?)?\d+").unwrap();
    let mut wrong = Vec::new();
    for (i, line) in text.lines().enumerate() {
        for found in pattern.find_iter(line) {
            wrong.push(format!(
                "{name}:{}: `{}` means nothing here",
                i + 1,
                found.as_str()
            ));
        }
    }
    wrong
}

fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn modules_name_only_what_they_may() {
    none(&wrong_names(&rust_files("src")));
}

#[test]
fn each_world_stays_in_its_modules() {
    none(&wrong_worlds(&rust_files("src")));
}

#[test]
fn every_file_says_what_it_is_and_what_it_must_not_know() {
    none(&wrong_headers(&rust_files("src")));
    let tests: Vec<File> = rust_files("tests")
        .into_iter()
        .map(|file| File { tests: true, ..file })
        .collect();
    none(&wrong_headers(&tests));
}

#[test]
fn files_stay_small() {
    none(&wrong_sizes(&rust_files("src")));
    none(&wrong_sizes(&rust_files("tests")));
}

#[test]
fn no_numbers_of_lists_that_nobody_has() {
    let mut paths = Vec::new();
    for directory in ["src", "tests", "docs", "themes", ".ci"] {
        below(&project().join(directory), &mut paths);
    }
    paths.extend(["README.md", "Cargo.toml"].map(|name| project().join(name)));
    let mut wrong = Vec::new();
    for path in paths {
        if let Ok(text) = fs::read_to_string(&path) {
            wrong.extend(wrong_words(&path.display().to_string(), &text));
        }
    }
    none(&wrong);
}

#[test]
fn the_map_is_the_same_everywhere() {
    let lib = fs::read_to_string(project().join("src/lib.rs")).unwrap();
    let picture = fs::read_to_string(project().join("docs/architecture.md")).unwrap();
    let declared = Regex::new(r"(?m)^pub mod (\w+);").unwrap();
    for module in declared.captures_iter(&lib).map(|found| found[1].to_owned()) {
        assert!(
            module == ROOT || MAP.iter().any(|(name, _)| *name == module),
            "{module} is not on the map"
        );
        assert!(
            lib.contains(&format!("[`{module}`]")),
            "{module} is not in the header of src/lib.rs"
        );
        let row = format!("| `{module}` |");
        assert!(
            picture.contains(&row),
            "{module} has no row in docs/architecture.md"
        );
    }
}

/// The checks themselves, each on a sample with a violation and one without.
mod checks {
    use super::{File, files, source, wrong_headers, wrong_names, wrong_sizes, wrong_words, wrong_worlds};

    fn file(name: &str, text: &str) -> Vec<File> {
        files(vec![(name.to_owned(), text.to_owned())])
    }

    #[test]
    fn comments_and_literals_are_no_code() {
        let text =
            "a /* b /* c */ d */ e // f\n\"g \\\" h\" 'i' '\\'' r#\"j \" k\"# b\"l\" &'m n r\"o\" br\"p\"";
        let code = source::code(text);
        let words: Vec<&str> = code.split_whitespace().collect();
        assert_eq!(words, ["a", "e", "b", "&'m", "n", "b"]);
        assert_eq!(code.chars().count(), text.chars().count());
        assert_eq!(source::code("/* a\n b").matches('\n').count(), 1);
        assert_eq!(
            source::code("let var = r; for x in y {}"),
            "let var = r; for x in y {}"
        );
    }

    #[test]
    fn tests_are_left_out_and_their_modules_known() {
        let (code, modules) = source::without_tests(
            "a\n#[cfg(test)]\nmod tests;\nb\n#[cfg(test)]\n#[expect(x)]\nmod more { fn f() { g({}) } }\nc\n\
             #[cfg(test)]\npub(crate) mod near;\n#[cfg(test)]\nuse crate::x::{a, b};\nd",
        );
        assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["a", "b", "c", "d"]);
        assert_eq!(modules, ["tests", "near"]);
        assert_eq!(code.matches('\n').count(), 12);
    }

    #[test]
    fn paths_are_taken_apart() {
        let paths = |code: &str, depth: usize| -> Vec<String> {
            source::crate_paths(code, depth)
                .into_iter()
                .map(|(_, path)| path)
                .collect()
        };
        assert_eq!(
            paths(
                "use crate::{a::{b, c as d}, e::f::{self, *}, g};\nx(crate::h::I::J)",
                1
            ),
            ["a::b", "a::c", "e::f::*", "e::f::self", "g", "h::I::J"]
        );
        assert_eq!(paths("overrule::cli::main()", 0), ["cli::main"]);
        assert_eq!(paths("pub(crate) fn f() {} mycrate::x; $crate::y", 1), [""; 0]);
        assert_eq!(paths("use super::a; use super::super::b::c;", 2), ["b::c"]);
        assert_eq!(paths("use super::a;", 1), ["a"]);
        assert_eq!(source::crate_paths("\n\ncrate::a", 1), [(3, "a".to_owned())]);
    }

    #[test]
    fn a_forbidden_name_is_found() {
        let wrong = wrong_names(&file("src/domain/a.rs", "use crate::{text::x,\n journal::y};"));
        assert_eq!(wrong, ["src/domain/a.rs:1: `domain` may not name `journal::y`"]);
        let wrong = wrong_names(&file(
            "src/schema/a.rs",
            "crate::domain::call::Fault; crate::domain::state::State",
        ));
        assert_eq!(
            wrong,
            ["src/schema/a.rs:1: `schema` may not name `domain::state::State`"]
        );
        let wrong = wrong_names(&file("src/engine/a/b.rs", "use super::super::super::cli::x;"));
        assert_eq!(wrong, ["src/engine/a/b.rs:1: `engine` may not name `cli::x`"]);
        let wrong = wrong_names(&file("src/odd.rs", ""));
        assert_eq!(wrong, ["src/odd.rs: the module `odd` is not on the map"]);
        let fine = "// crate::engine\nuse crate::domain::x;\n#[cfg(test)]\nmod t { use crate::engine::x; }";
        assert!(wrong_names(&file("src/policy/a.rs", fine)).is_empty());
        assert!(wrong_names(&file("src/cli/a.rs", "use crate::engine::x;")).is_empty());
        assert!(wrong_names(&file("src/main.rs", "overrule::cli::main()")).is_empty());
    }

    #[test]
    fn a_module_of_tests_may_name_everything() {
        let found = files(vec![
            ("src/domain/a.rs".into(), "#[cfg(test)]\nmod tests;".into()),
            ("src/domain/a/tests.rs".into(), "use crate::engine::x;".into()),
            (
                "src/domain/a/tests/more.rs".into(),
                "use crate::engine::x;".into(),
            ),
            ("src/domain/a/testsuite.rs".into(), "use crate::engine::x;".into()),
        ]);
        assert_eq!(
            wrong_names(&found),
            ["src/domain/a/testsuite.rs:1: `domain` may not name `engine::x`"]
        );
    }

    #[test]
    fn a_wrong_world_is_found() {
        let one = |name: &str, text: &str| wrong_worlds(&file(name, text)).len();
        assert_eq!(one("src/domain/a.rs", "use std::fs;"), 1);
        assert_eq!(one("src/domain/a.rs", "use std::sync::Arc; let fs = 1;"), 0);
        assert_eq!(one("src/policy/a.rs", "tokio::spawn(x); SystemTime::now()"), 2);
        assert_eq!(one("src/engine/a.rs", "use ratatui::Frame;"), 1);
        assert_eq!(one("src/console/a.rs", "use ratatui::Frame;"), 0);
        assert_eq!(one("src/console/a.rs", "reqwest::get(x)"), 1);
        assert_eq!(one("src/tools/a.rs", "std::env::var(x)"), 1);
        assert_eq!(one("src/config/env.rs", "std::env::var_os(x)"), 0);
        assert_eq!(one("src/tools/a.rs", "x.unwrap(); todo!(); println!()"), 3);
        assert_eq!(
            one("src/tools/a.rs", "x.unwrap_or(1); \"todo!()\"; // .unwrap()"),
            0
        );
        assert_eq!(one("src/cli/a.rs", "println!()"), 0);
    }

    #[test]
    fn a_poor_header_is_found() {
        let one = |name: &str, text: &str| wrong_headers(&file(name, text)).len();
        assert_eq!(one("src/domain/a.rs", "//! Does x. Must\n//! not know: y.\n"), 0);
        assert_eq!(one("src/domain/a.rs", "//! Does x.\n"), 1);
        assert_eq!(one("src/domain/a.rs", "use x;\n//! Must not know"), 1);
        assert_eq!(one("src/domain/mod.rs", "//! Does x.\n"), 0);
        assert_eq!(one("src/domain/mod.rs", "mod x;\n"), 1);
        assert_eq!(one("src/lib.rs", "//! All.\n"), 0);
    }

    #[test]
    fn a_large_file_is_found() {
        let one = |name: &str, lines: usize| wrong_sizes(&file(name, &"//! x\n".repeat(lines))).len();
        assert_eq!(one("src/domain/a.rs", 800), 0);
        assert_eq!(one("src/domain/a.rs", 801), 1);
        assert_eq!(one("src/domain/mod.rs", 151), 1);
    }

    #[test]
    fn a_stray_number_is_found() {
        let bare = format!("see {}001-{}, and {} 12", 'R', 22, "ruling");
        assert_eq!(wrong_words("a", &bare).len(), 2);
        assert!(wrong_words("a", "R2D2, B52, UTF-8, the ruling was 3 to 2").is_empty());
    }
}
