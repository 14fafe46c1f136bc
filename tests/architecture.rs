//! Checks what the compiler does not: walls inside of crates, file headers, file sizes, the map for people.
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

#[path = "architecture/source.rs"]
mod source;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// Walls inside of crates, or narrower than a whole crate: files below a folder may name only these modules of a crate.
/// What a crate may name at all is in its manifest, so the compiler holds it.
const NARROW: [(&str, &str, &[&str]); 4] = [
    ("src/schema/", "overrule_domain", &["call"]),
    ("src/config/", "overrule_model", &["wire"]),
    ("src/config/", "overrule_tools", &["sources"]),
    (
        "src/console/export/",
        "crate",
        &["export", "ground::layout", "ground::symbols"],
    ),
];
/// The composition root: nothing but the package at the top may depend on it.
const ROOT: &str = "cli";
/// Crates and folders without clock, randomness, files, network, tasks and terminal.
const PURE: [&str; 7] = [
    "base",
    "schema",
    "domain",
    "policy",
    "resilience",
    "present",
    "console/export",
];
/// What that means in names.
const IMPURE: &str = r"\b(tokio|futures_util|reqwest|ratatui|crossterm|rustix|fs4|tempfile|etcetera|rand)\s*::|\bstd\s*::\s*(?:\{[^}]*)?\b(fs|net|process|env|thread|time)\b|\b(SystemTime|Instant)\s*::\s*now\b";
/// Types whose value changes while it is only read.
const CHANGES_UNSEEN: &str = r"\b(Cell|RefCell|OnceCell|UnsafeCell|LazyCell|Mutex|RwLock|OnceLock|Atomic[A-Z]\w*)\b|\bthread_local\s*!";
/// Ways to open a file that may wait for ever or never end.
const OPENS: &str = r"\bfs\s*::\s*(\{[^}]*\b)?(read|read_to_string|copy)\b|\bFile\s*::\s*(open|options|create\w*)\b|\bOpenOptions\b|\bfs\s*::\s*open(at2?)?\b";
/// Files that open others: the one for all, those that stay in a directory that they have opened (regular files only,
/// never waited for), those that read what the system itself tells in `/proc`, the helper of the sandbox, which opens places to
/// mount, the probes, which try to open what they must not, and the terminal.
const OPENERS: [&str; 16] = [
    "src/regular_file/lib.rs",
    "src/files/root.rs",
    "src/tools/workspace.rs",
    "src/tools/workspace/means.rs",
    "src/tools/workspace/target.rs",
    "src/tools/replace.rs",
    "src/tools/child/tree.rs",
    "src/control/peer.rs",
    "src/sandbox/helper.rs",
    "src/sandbox/protected/at.rs",
    "src/sandbox/helper/mount_table.rs",
    "src/sandbox/helper/mounts.rs",
    "src/sandbox/helper/namespaces.rs",
    "src/sandbox/helper/probe.rs",
    "src/sandbox/probe/attempts.rs",
    "src/console/ground/terminal/modes.rs",
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
    /// The names of its module from the crate's folder on; none for `lib.rs` and `main.rs` at the top.
    fn module(&self) -> Vec<&str> {
        let path = self.name.trim_start_matches("src/").trim_end_matches(".rs");
        let mut parts: Vec<&str> = path.split('/').collect();
        if matches!(parts.last(), Some(&("lib" | "main" | "mod"))) {
            parts.pop();
        }
        parts
    }

    /// Whether it declares modules; a crate of one file does not.
    fn is_mod_rs(&self) -> bool {
        self.name.ends_with("/mod.rs") || self.name.ends_with("/lib.rs") && self.code.contains("mod ")
    }

    fn is_below(&self, folder: &str) -> bool {
        let rest = self
            .name
            .strip_prefix("src/")
            .and_then(|name| name.strip_prefix(folder));
        rest.is_some_and(|rest| rest.starts_with('/'))
    }

    /// Whether it is a part of a test program of a crate, or of the crate for tests.
    fn is_of_test_program(&self) -> bool {
        matches!(self.module()[..], ["testing", ..] | [_, "tests", ..])
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
        if of_tests.iter().any(belongs) || file.is_of_test_program() {
            file.tests = true;
            file.code.clear();
        }
    }
    files
}

fn wrong_names(files: &[File]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (folder, root, allowed) in NARROW {
        for file in files.iter().filter(|file| file.name.starts_with(folder)) {
            for (line, path) in source::paths(&file.code, root) {
                let is_below = |one: &&str| {
                    path.strip_prefix(*one)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
                };
                if !allowed.iter().any(is_below) {
                    wrong.push(format!("{}:{line}: must not name `{root}::{path}`", file.name));
                }
            }
        }
    }
    wrong
}

fn wrong_worlds(files: &[File]) -> Vec<String> {
    let rules: Vec<(&str, &str, Exempt)> = vec![
        (IMPURE, "has no place in a pure module", |_, file| {
            !PURE.iter().any(|folder| file.is_below(folder))
        }),
        (
            r"\benv\s*::\s*vars?(_os)?\b",
            "belongs to config/env.rs",
            |_, file| file.name == "src/config/env.rs",
        ),
        (OPENS, "belongs to src/regular_file", |_, file| {
            OPENERS.contains(&file.name.as_str())
        }),
        (
            r"\boverrule_domain\s*::\s*apply\b",
            "belongs to console/run/fold.rs: an event is applied in one way",
            |module, file| module != "console" || file.name == "src/console/run/fold.rs",
        ),
        (
            r"&\s*mut\s+([a-z_]+\.)*run\.state\b|\brun\.state\s*=[^=]",
            "writes to a state that only an event may change",
            |module, _| module != "console",
        ),
        (CHANGES_UNSEEN, "changes while it is read", |module, _| {
            module != "domain"
        }),
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

/// Files that no other file declares as a module: they are not compiled, and their tests do not run.
fn forgotten(files: &[File]) -> Vec<String> {
    // The programs of `tests`, and what two of them share.
    let is_root = |file: &File| {
        let roots = ["tests/architecture.rs", "tests/support/mod.rs"];
        roots.contains(&file.name.as_str())
            || file.name.ends_with("/main.rs")
            || file.name.ends_with("/lib.rs")
    };
    // A macro declares the modules that it is given by name.
    let declaration = Regex::new(r"\bmod\s+(\w+)\s*;|\bpanes! \{([\w, ]+)\}").unwrap();
    let mut declared = BTreeSet::new();
    for file in files {
        let path = file.name.trim_end_matches(".rs");
        let folder = match path.rsplit_once('/') {
            Some((folder, "main" | "lib" | "mod")) => folder,
            _ => path,
        };
        for found in declaration.captures_iter(&source::code(&file.text)) {
            let names = found
                .get(1)
                .or_else(|| found.get(2))
                .map_or("", |names| names.as_str());
            declared.extend(names.split(',').map(|name| format!("{folder}/{}", name.trim())));
        }
    }
    let modules = files.iter().filter(|file| !is_root(file));
    let forgotten = modules.filter(|file| {
        let path = file.name.trim_end_matches(".rs");
        !declared.contains(path.strip_suffix("/mod").unwrap_or(path))
    });
    forgotten
        .map(|file| format!("{}: no file declares it as a module", file.name))
        .collect()
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
fn no_file_is_forgotten() {
    none(&forgotten(&rust_files("src")));
    none(&forgotten(&rust_files("tests")));
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

#[path = "architecture/crates.rs"]
mod crates;

#[path = "architecture/floors.rs"]
mod floors;

#[path = "architecture/steps.rs"]
mod steps;

/// The checks themselves, each on a sample with a violation and one without.
#[path = "architecture/checks.rs"]
mod checks;
