//! Checks the module map: allowed dependencies, file headers and file sizes.
//!
//! Must not know: what the modules do.
//!
//! `docs/architecture.md` holds the same map for people.

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

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// Which modules each module may name, from the inside out. Everybody may name [`LEAVES`].
const MAP: [(&str, &[&str]); 20] = [
    ("text", &[]),
    ("canon", &[]),
    ("shell_line", &[]),
    ("known_tool", &[]),
    ("schema", &["domain::call"]),
    ("domain", &[]),
    ("document", &[]),
    ("policy", &["domain", "document"]),
    ("resilience", &["domain", "schema"]),
    ("present", &["domain", "policy", "resilience"]),
    ("regular_file", &[]),
    ("journal", &["domain", "regular_file"]),
    ("model", &["domain", "resilience", "document"]),
    ("tools", &["domain", "schema", "resilience", "regular_file"]),
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
    ("proxy", &["domain", "schema", "model", "tools", "engine"]),
    (
        "config",
        &[
            "domain",
            "document",
            "policy",
            "resilience",
            "regular_file",
            "model::wire",
            "schema",
            "tools::sources",
        ],
    ),
    (
        "console",
        &[
            "domain",
            "document",
            "policy",
            "schema",
            "config",
            "resilience",
            "present",
            "regular_file",
        ],
    ),
    (
        "export",
        &["domain", "present", "console::layout", "console::symbols"],
    ),
];
/// Pure, and free for all but each other.
const LEAVES: [&str; 4] = ["text", "canon", "shell_line", "known_tool"];
/// The composition root: may name everything, and nothing may name it.
const ROOT: &str = "cli";
/// Modules without clock, randomness, files, network, tasks and terminal.
const PURE: [&str; 11] = [
    "text",
    "canon",
    "shell_line",
    "known_tool",
    "schema",
    "document",
    "domain",
    "policy",
    "resilience",
    "present",
    "export",
];
/// What that means in names.
const IMPURE: &str = r"\b(tokio|futures_util|reqwest|ratatui|crossterm|rustix|fs4|tempfile|etcetera|rand)\s*::|\bstd\s*::\s*(?:\{[^}]*)?\b(fs|net|process|env|thread|time)\b|\b(SystemTime|Instant)\s*::\s*now\b";
/// Types whose value changes while it is only read.
const CHANGES_UNSEEN: &str = r"\b(Cell|RefCell|OnceCell|UnsafeCell|LazyCell|Mutex|RwLock|OnceLock|Atomic[A-Z]\w*)\b|\bthread_local\s*!";
/// A run is kept in plain maps and lists: what once packed it, by name, and the ways to ask for what was packed.
const PACKING: &str = r"\b(lz4_flex|Paged|Packer|Unpacker|Seldom|ByHash|Fingerprint|Few|rest_all|rest_if_crowded)\b|\bdomain\s*::\s*(pack|paged|seldom|by_hash|bits|times|names|fingerprint)\b|\b(nodes|calls|turns|ledger)\s*\.\s*(scan|reader|rest)\s*\(";
/// Crates that belong to few modules.
const OWNED: [(&str, Exempt); 3] = [
    (r"\b(ratatui|crossterm|vte)\s*::", |module, _| {
        ["console", ROOT].contains(&module)
    }),
    (r"\breqwest\s*::", |module, _| {
        ["model", "tools", "proxy", ROOT].contains(&module)
    }),
    (r"\bclap\s*::", |module, _| module == ROOT),
];
/// Ways to open a file that may wait for ever or never end.
const OPENS: &str = r"\bfs\s*::\s*(\{[^}]*\b)?(read|read_to_string|copy)\b|\bFile\s*::\s*(open|options|create\w*)\b|\bOpenOptions\b|\bfs\s*::\s*open(at2?)?\b";
/// Files that open others: the one for all, those that stay in a directory that they have opened (regular files only,
/// never waited for), those that read what the system itself tells in `/proc`, and the terminal.
const OPENERS: [&str; 8] = [
    "src/regular_file.rs",
    "src/tools/workspace.rs",
    "src/tools/workspace/means.rs",
    "src/tools/workspace/target.rs",
    "src/tools/replace.rs",
    "src/tools/child/tree.rs",
    "src/control/peer.rs",
    "src/console/terminal/modes.rs",
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
        (OPENS, "belongs to src/regular_file.rs", |_, file| {
            OPENERS.contains(&file.name.as_str())
        }),
        (
            r"\bdomain\s*::\s*apply\b",
            "belongs to console/model/fold.rs: an event is applied in one way",
            |module, file| module != "console" || file.name == "src/console/model/fold.rs",
        ),
        (
            r"&\s*mut\s+([a-z_]+\.)*run\.state\b|\brun\.state\s*=[^=]",
            "writes to a state that only an event may change",
            |module, _| module != "console",
        ),
        (CHANGES_UNSEEN, "changes while it is read", |module, _| {
            module != "domain"
        }),
        (PACKING, "packs what is to be plain", |_, _| false),
        (
            r"\bEnvelope\s*\{",
            "builds an envelope: `stamp` does, and the reader of the journal",
            |_, file| ["src/domain/envelope.rs", "src/journal/line.rs"].contains(&file.name.as_str()),
        ),
        (
            r"\bunbounded_channel\b",
            "has no bound",
            // To the listeners of a run, and from the thread that lays out long texts.
            |_, file| ["src/engine/handle.rs", "src/console/app/worker.rs"].contains(&file.name.as_str()),
        ),
        (
            r"\bcfg\s*!\s*\(.*\btest\b|\bcfg\s*\(\s*not\s*\(\s*test\b",
            "ships something else than what is tested",
            |_, _| false,
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
fn nothing_packs_a_run() {
    let pattern = Regex::new(PACKING).unwrap();
    let texts = ["benches", "examples"].into_iter().flat_map(rust_files);
    let mut texts: Vec<(String, String)> = texts.map(|file| (file.name, file.code)).collect();
    let manifest = fs::read_to_string(project().join("Cargo.toml")).unwrap();
    texts.push(("Cargo.toml".to_owned(), manifest));
    for (name, text) in texts {
        let found = pattern.find(&text).map(|found| found.as_str());
        assert_eq!(found, None, "{name}");
    }
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

/// What stands in backticks.
fn quoted(text: &str) -> BTreeSet<String> {
    let quoted = Regex::new(r"`([a-z_:]+)`").unwrap();
    quoted
        .captures_iter(text)
        .map(|found| found[1].to_owned())
        .collect()
}

fn owned(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn the_page_for_people_says_what_is_checked() {
    let page = fs::read_to_string(project().join("docs/architecture.md")).unwrap();
    for (module, may) in MAP {
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| `{module}` |")));
        let cells: Vec<&str> = row.unwrap_or_default().split('|').collect();
        let output = cells.get(3).map(|cell| quoted(cell)).unwrap_or_default();
        assert_eq!(output, owned(may), "what {module} may use");
    }
    let pure = page.split("**No clock").nth(1).unwrap_or_default();
    let pure = pure.split("**").next().unwrap_or_default();
    assert_eq!(quoted(pure), owned(&PURE), "the pure modules");
}

/// The checks themselves, each on a sample with a violation and one without.
#[path = "architecture/checks.rs"]
mod checks;
