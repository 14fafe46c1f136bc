//! Checks that the rooms of the console look only down: none names one above it.
//!
//! Must not know: what the modules do.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::{File, files, rust_files, source};

/// The rooms of each floor, from the ground up.
const FLOORS: [&[&str]; 5] = [
    // Keys, columns, colours, long texts, fields: they know no run.
    &["ground"],
    // What is known of a run, and its words.
    &["run", "export"],
    // Verbs, keys and what is open: it does not know which surfaces there are.
    &["kernel"],
    // Panes, dialogs, lists, and the verbs of no single one.
    &["surfaces", "verbs"],
    // What names all surfaces, the loop, and what goes in and out of it.
    &["app", "update", "view"],
];
/// Rooms for tests.
const TESTING: &str = "testing";

/// The floor of a module, `a/b` from the console's folder on.
fn floor(module: &str) -> Option<usize> {
    let room = module.split('/').next()?;
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

/// The module that a path names: the longest beginning of it that is one.
fn module_of<'a>(path: &[&str], known: &'a BTreeSet<String>) -> Option<&'a String> {
    (1..=path.len())
        .rev()
        .find_map(|length| known.get(&path[..length].join("/")))
}

/// The modules of a crate, and which of them each names.
pub(super) fn arrows(files: &[File], folder: &str) -> BTreeMap<String, BTreeSet<String>> {
    let of_crate = |file: &&File| !file.tests && file.is_below(folder) && file.module().len() > 1;
    let name = |file: &File| file.module()[1..].join("/");
    let files: Vec<&File> = files.iter().filter(of_crate).collect();
    let known: BTreeSet<String> = files.iter().map(|file| name(file)).collect();
    let mut arrows = BTreeMap::new();
    for file in files {
        let own = name(file);
        let mut paths: Vec<String> = Vec::new();
        paths.extend(
            source::paths(&file.code, "crate")
                .into_iter()
                .map(|(_, path)| path),
        );
        for (_, path) in source::paths(&file.code, "super") {
            let mut around: Vec<&str> = own.split('/').collect();
            around.pop();
            let mut rest = path.as_str();
            while let Some(above) = rest.strip_prefix("super::") {
                around.pop();
                rest = above;
            }
            around.push(rest);
            paths.push(around.join("::"));
        }
        // Modules of its own, by name.
        for inner in known
            .iter()
            .filter_map(|one| one.strip_prefix(&own)?.strip_prefix('/'))
        {
            let named = Regex::new(&format!(r"(^|[^:\w]|self::){inner}::")).unwrap();
            if !inner.contains('/') && named.is_match(&file.code) {
                paths.push(format!("{own}::{inner}").replace('/', "::"));
            }
        }
        let named = paths.iter().filter_map(|path| {
            let path: Vec<&str> = path.split("::").collect();
            module_of(&path, &known).cloned()
        });
        let named: BTreeSet<String> = named.filter(|module| *module != own).collect();
        arrows.insert(own, named);
    }
    arrows
}

/// The arrows that point up, as `FROM -> TO`, and the modules without a floor.
fn upward(files: &[File]) -> (BTreeSet<String>, Vec<String>) {
    let mut arrows = arrows(files, "console");
    arrows.retain(|module, _| module.split('/').next() != Some(TESTING));
    let homeless = arrows
        .keys()
        .filter(|module| floor(module).is_none())
        .cloned()
        .collect();
    let mut up = BTreeSet::new();
    for (from, named) in &arrows {
        let above = named.iter().filter(|to| floor(to) > floor(from));
        up.extend(above.map(|to| format!("{from} -> {to}")));
    }
    (up, homeless)
}

#[test]
fn no_room_of_the_console_names_one_above_it() {
    let (up, homeless) = upward(&rust_files("src/console"));
    assert!(homeless.is_empty(), "add them to a floor: {homeless:?}");
    assert!(up.is_empty(), "these point up: {up:#?}");
}

#[test]
fn an_arrow_that_points_up_is_found() {
    let file = |name: &str, text: &str| (format!("src/console/{name}.rs"), text.to_owned());
    let tree = files(vec![
        file("ground/key", "use crate::surfaces::graph::X;"),
        file(
            "ground/motion",
            "use crate::{ground::key::Key, ground::json::y};\n// crate::app\n#[cfg(test)]\nuse crate::app::x;",
        ),
        file("ground/json", ""),
        file("surfaces", "mod graph;\nfn f() { graph::g(); }"),
        file(
            "surfaces/graph",
            "use super::super::app::{self, App};\nuse crate::kernel::kind::K;",
        ),
        file("kernel/kind", "use crate::surfaces::graph::M;"),
        file("app", "use crate::surfaces::graph;"),
        file("testing/stage", "use crate::app;"),
        file("new", ""),
    ]);
    let (up, homeless) = upward(&tree);
    let up: Vec<&str> = up.iter().map(String::as_str).collect();
    assert_eq!(
        up,
        [
            "ground/key -> surfaces/graph",
            "kernel/kind -> surfaces/graph",
            "surfaces/graph -> app"
        ]
    );
    assert_eq!(homeless, ["new"]);
}
