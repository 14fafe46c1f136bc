//! Checks that only those name a step of the domain's loop who drive it.
//!
//! Must not know: what a step does.

use std::collections::BTreeSet;

use super::floors::arrows;
use super::{File, files, rust_files};

/// The steps, and who may name each from outside. A step names no other one: what two of them need is below them.
const STEPS: [(&str, &[&str]); 4] = [
    // The plan of an edit is read off the events that the edit would make.
    ("decide", &["lineage"]),
    ("advance", &["lineage"]),
    // A trial on a copy, and two that read a record.
    ("apply", &["fork/preview", "transcript/sent", "trial"]),
    // It is above all of them.
    ("lineage", &[]),
];

/// The arrows into steps from outside, as `FROM -> STEP`.
fn into_steps(files: &[File]) -> BTreeSet<(String, &'static str)> {
    let arrows = arrows(files, "domain");
    let inside = |module: &str, step: &str| module.split('/').next() == Some(step);
    let mut found = BTreeSet::new();
    for (from, named) in &arrows {
        for (step, _) in STEPS {
            if !inside(from, step) && named.iter().any(|to| inside(to, step)) {
                found.insert((from.clone(), step));
            }
        }
    }
    found
}

fn allowed() -> BTreeSet<(String, &'static str)> {
    let each = STEPS
        .iter()
        .flat_map(|(step, who)| who.iter().map(|who| ((*who).to_owned(), *step)));
    each.collect()
}

#[test]
fn only_who_drives_a_step_names_it() {
    let found = into_steps(&rust_files("src/domain"));
    let climbing: Vec<_> = found.difference(&allowed()).cloned().collect();
    assert!(
        climbing.is_empty(),
        "what they need belongs below the step: {climbing:#?}"
    );
    let gone: Vec<_> = allowed().difference(&found).cloned().collect();
    assert!(gone.is_empty(), "remove these from the table: {gone:#?}");
}

#[test]
fn a_file_that_climbs_is_found() {
    let file = |name: &str, text: &str| (format!("src/domain/{name}.rs"), text.to_owned());
    let tree = files(vec![
        file("advance", "mod ask;\nuse super::state::State;"),
        file(
            "advance/ask",
            "use super::{x, y};\nfn f() { crate::decide::edit::orphan(); }",
        ),
        file("apply", ""),
        file("decide", "pub mod edit;\nuse self::edit::x;"),
        file(
            "decide/edit",
            "use crate::apply::{self, apply};\n#[cfg(test)]\nuse crate::advance::quiet;",
        ),
        file("lineage", "use super::advance;\nuse super::decide;"),
        file("state", "// crate::apply\nfn f() {}"),
        file("wait", "use super::advance::ask::retry_after;"),
    ]);
    let climbing: Vec<_> = into_steps(&tree).difference(&allowed()).cloned().collect();
    let climbing: Vec<(&str, &str)> = climbing.iter().map(|(from, step)| (&**from, *step)).collect();
    assert_eq!(
        climbing,
        [
            ("advance/ask", "decide"),
            ("decide/edit", "apply"),
            ("wait", "advance")
        ]
    );
}
