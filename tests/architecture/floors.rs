//! Checks that the files of the console look only down: no floor names one above it.
//!
//! Must not know: what the modules do.
//!
//! `floors.txt` lists the arrows that still point up. The list only gets shorter.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::{File, files, rust_files, source};

/// The floors from the ground up, and the modules of each. A module inside of another one counts for itself; `NAME/*` is
/// what is inside of NAME.
const FLOORS: [(&str, &str); 5] = [
    (
        // Keys, columns, colours, long texts, fields: they know no run.
        "ground",
        "key motion columns symbols theme tint diff json pager doc field layout terminal sgr work",
    ),
    (
        // What is known of a run, and its words.
        "run",
        "effects loops approval_stats bulk_exclusion call_group edit_result event_text refusal summary readable scope \
         link frames export replay model/run model/fold model/run_phase model/orphan_status model/running \
         model/idle_time model/cached model/source model/seek",
    ),
    (
        // Verbs, keys and what is in front: it does not know which surfaces there are.
        "kernel",
        "context surface pane registry cards files keymap halted hints msg status_line model verbs verbs/verb verbs/availability verbs/moves \
         verbs/selection verbs/seen verbs/synonyms verbs/renamed verbs/text verbs/jumps update update/input \
         update/decide update/views update/refresh update/pace update/mouse panes panes/kind view tabs/frame tabs/head",
    ),
    (
        // Panes, dialogs and lists.
        "surfaces",
        "panes/* tabs verbs/* update/* view/* model/overlay model/editor model/picker model/listing model/batch \
         model/edit_preview model/staged_edits",
    ),
    // What names all surfaces, and the loop.
    ("app", "app model/settings"),
];

/// The floor of a module, `a/b` from the console's folder on.
fn floor(module: &str) -> Option<usize> {
    let mut best: Option<(usize, usize)> = None;
    for (at, (_, modules)) in FLOORS.iter().enumerate() {
        for one in modules.split_whitespace() {
            let inside = |folder: &str| {
                module
                    .strip_prefix(folder)
                    .is_some_and(|rest| rest.starts_with('/'))
            };
            // The longest name counts, and one of the module itself more than one of what is around it.
            let fit = match one.strip_suffix("/*") {
                Some(folder) if inside(folder) => 2 * folder.len() + 1,
                None if module == one => 2 * one.len() + 2,
                None if inside(one) => 2 * one.len(),
                _ => continue,
            };
            best = best.max(Some((fit, at)));
        }
    }
    best.map(|(_, at)| at)
}

/// The module that a path names: the longest beginning of it that is one.
fn module_of<'a>(path: &[&str], known: &'a BTreeSet<String>) -> Option<&'a String> {
    (1..=path.len())
        .rev()
        .find_map(|length| known.get(&path[..length].join("/")))
}

/// The modules of the console, and which of them each names.
fn arrows(files: &[File]) -> BTreeMap<String, BTreeSet<String>> {
    let of_console = |file: &&File| !file.tests && file.is_below("console") && file.module().len() > 1;
    let name = |file: &File| file.module()[1..].join("/");
    let files: Vec<&File> = files.iter().filter(of_console).collect();
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
    let arrows = arrows(files);
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
fn no_floor_of_the_console_names_one_above_it() {
    let (up, homeless) = upward(&rust_files("src/console"));
    assert!(homeless.is_empty(), "add them to a floor: {homeless:?}");
    let listed: BTreeSet<String> = include_str!("floors.txt").lines().map(str::to_owned).collect();
    let more: Vec<&String> = up.difference(&listed).collect();
    assert!(more.is_empty(), "these point up: {more:#?}");
    let gone: Vec<&String> = listed.difference(&up).collect();
    assert!(gone.is_empty(), "remove these from floors.txt: {gone:#?}");
}

#[test]
fn an_arrow_that_points_up_is_found() {
    let file = |name: &str, text: &str| (format!("src/console/{name}.rs"), text.to_owned());
    let tree = files(vec![
        file("key", "use super::panes::graph::X;"),
        file(
            "motion",
            "use crate::{key::Key, json::y};\n// crate::app\n#[cfg(test)]\nuse crate::app::x;",
        ),
        file("json", ""),
        file("panes", "mod graph;\nfn f() { graph::g(); }"),
        file(
            "panes/graph",
            "use super::super::app::{self, App};\nuse super::kind::K;",
        ),
        file("panes/kind", "use crate::panes::graph::model::M;"),
        file("app", "use crate::panes::graph;"),
        file("new", ""),
    ]);
    let (up, homeless) = upward(&tree);
    let up: Vec<&str> = up.iter().map(String::as_str).collect();
    assert_eq!(
        up,
        [
            "key -> panes/graph",
            "panes -> panes/graph",
            "panes/graph -> app",
            "panes/kind -> panes/graph"
        ]
    );
    assert_eq!(homeless, ["new"]);
}
