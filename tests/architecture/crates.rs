//! Compares the manifests of the crates with the map in `docs/architecture.md`.
//!
//! Must not know: the source of the crates.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use regex::Regex;

use super::{PURE, ROOT, project};

/// Libraries that take long to build, or that a crate must not have for what it is: the crates that may.
const HEAVY: [(&str, &[&str]); 16] = [
    ("clap", &["cli"]),
    ("crossterm", &["console"]),
    ("hyper", &["proxy"]),
    ("ignore", &["files", "tools"]),
    ("jsonschema", &["schema"]),
    ("landlock", &["sandbox"]),
    ("minijinja", &["model"]),
    ("notify", &["cli"]),
    ("nucleo-matcher", &["console"]),
    ("ratatui", &["console"]),
    ("ratatui-textarea", &["console"]),
    ("reqwest", &["model", "proxy", "tools"]),
    ("rmcp", &["tools"]),
    ("seccompiler", &["sandbox"]),
    ("tracing-appender", &["cli"]),
    ("tracing-subscriber", &["cli"]),
];
/// Libraries that a pure crate does not have: they read a clock, files, the network or the terminal, or run tasks.
const IMPURE: [&str; 9] = [
    "crossterm",
    "etcetera",
    "futures-util",
    "notify",
    "ratatui",
    "reqwest",
    "rustix",
    "tempfile",
    "tokio",
];

/// The section of libraries for Linux alone.
const ON_LINUX: &str = "target.'cfg(target_os = \"linux\")'.dependencies";

/// The names of a section of a manifest.
fn section(manifest: &str, name: &str) -> BTreeSet<String> {
    let head = format!("[{name}]");
    let lines = manifest.lines().skip_while(|line| *line != head).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    let names = lines.filter(|line| !line.starts_with('#'));
    let names = names.filter_map(|line| line.split(['.', ' ', '=']).next());
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The libraries of each crate, by the name of its folder.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let mut crates = BTreeMap::new();
    for entry in fs::read_dir(project().join("src")).unwrap().flatten() {
        if let Ok(manifest) = fs::read_to_string(entry.path().join("Cargo.toml")) {
            let name = entry.file_name().into_string().unwrap();
            let mut libraries = section(&manifest, "dependencies");
            libraries.extend(section(&manifest, ON_LINUX));
            crates.insert(name, libraries);
        }
    }
    crates
}

/// The crates of this project among them, by the name of the folder.
fn own(libraries: &BTreeSet<String>) -> BTreeSet<String> {
    let own = libraries.iter().filter_map(|name| name.strip_prefix("overrule-"));
    own.map(|name| name.replace('-', "_")).collect()
}

fn page() -> String {
    fs::read_to_string(project().join("docs/architecture.md")).unwrap()
}

/// What stands in backticks.
fn quoted(text: &str) -> BTreeSet<String> {
    let quoted = Regex::new(r"`([a-z_:/]+)`").unwrap();
    let found = quoted.captures_iter(text);
    found.map(|found| found[1].to_owned()).collect()
}

/// The map of crates on the page: what each may use.
fn map() -> BTreeMap<String, BTreeSet<String>> {
    let page = page();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let rows = rows.filter_map(|row| row.split_once("` |"));
    let rows = rows.filter_map(|(name, rest)| Some((name, rest.split('|').nth(1)?)));
    rows.map(|(name, uses)| (name.to_owned(), quoted(uses))).collect()
}

#[test]
fn the_page_for_people_is_the_graph_of_crates() {
    let map = map();
    let lib = fs::read_to_string(project().join("src/lib.rs")).unwrap();
    for (name, libraries) in dependencies() {
        let uses = own(&libraries);
        let uses = if name == ROOT {
            assert!(uses.len() > 10, "{name} uses {uses:?}");
            BTreeSet::new()
        } else {
            uses
        };
        assert_eq!(map.get(&name), Some(&uses), "what {name} may use");
        assert!(
            ["base", "testing"].contains(&name.as_str()) || lib.contains(&format!("[`{name}`]")),
            "{name} is not in the header of src/lib.rs"
        );
    }
}

#[test]
fn nothing_depends_on_the_composition_root() {
    for (name, libraries) in dependencies() {
        assert!(!own(&libraries).contains(ROOT), "{name}");
    }
}

#[test]
fn heavy_libraries_belong_to_few_crates() {
    let crates = dependencies();
    for (library, owners) in HEAVY {
        let used = crates.iter().filter(|(_, libraries)| libraries.contains(library));
        let used: Vec<&str> = used.map(|(name, _)| name.as_str()).collect();
        assert_eq!(used, owners, "{library}");
    }
}

#[test]
fn pure_crates_have_no_library_that_reaches_outside() {
    let crates = dependencies();
    for name in PURE {
        let Some(libraries) = crates.get(name) else {
            assert!(name.contains('/'), "{name} is no crate");
            continue;
        };
        let reach = IMPURE.into_iter().find(|library| libraries.contains(*library));
        assert_eq!(reach, None, "{name}");
    }
}

#[test]
fn the_page_names_the_pure_crates() {
    let page = page();
    let pure = page.split("**No clock").nth(1).unwrap_or_default();
    let pure = pure.split("**").next().unwrap_or_default();
    let expected: BTreeSet<String> = PURE.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(quoted(pure), expected);
}

#[test]
fn a_section_is_read() {
    let manifest = "[lib]\na = 1\n\n[dependencies]\noverrule-base.workspace = true\n# c\nd = { x = 1 }\n\n[dev-dependencies]\ne = 1\n";
    let found: Vec<String> = section(manifest, "dependencies").into_iter().collect();
    assert_eq!(found, ["d", "overrule-base"]);
}
