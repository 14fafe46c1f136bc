//! Recognises changes of files in the workspace, by a tool for files.
//!
//! Must not know: rules, what a change leads to.
//!
//! Every place of the call has to be known and in the workspace, as written and with its links followed. A call that
//! deletes a file is no such change.

use std::path::Path;

use overrule_base::known_tool::{self, Kind};

use super::matcher::Subject;
use super::place::{Leads, Places, leads};

/// Built-in tools that change files.
const BUILT_IN: [&str; 2] = ["write_file", "edit_file"];

/// Returns the files that a call changes, as written.
pub(super) fn places(subject: &Subject<'_>) -> Vec<String> {
    changed(subject).0
}

/// Returns the files that a call changes, as written, and whether it deletes one.
fn changed(subject: &Subject<'_>) -> (Vec<String>, bool) {
    let args = known_tool::inner(subject.tool, subject.args);
    let args = args.as_ref().unwrap_or(subject.args);
    let mut paths = known_tool::places(subject.tool, &args.to_string());
    let mut deletes = false;
    for patch in known_tool::patches(subject.tool, args) {
        for (word, path) in known_tool::patched(&patch) {
            deletes |= word == known_tool::DELETES;
            paths.push(path.to_owned());
        }
    }
    (paths, deletes)
}

/// Returns true for a call that changes files of the workspace and does nothing else.
pub(super) fn is_edit(subject: &Subject<'_>, known: Places<'_>) -> bool {
    let is_known = match known_tool::kind(subject.tool) {
        Some(Kind::Write | Kind::Edit | Kind::Patch | Kind::Other) if subject.is_of_agent => true,
        _ => BUILT_IN.iter().any(|tool| subject.is_built_in(tool)),
    };
    if !is_known {
        return false;
    }
    let (paths, deletes) = changed(subject);
    let all = Path::new("");
    let is_inside = |path: &String| {
        leads(path, all, known.workspace) == Leads::Inside && known.follows_to(path, all) != Some(false)
    };
    !deletes && !paths.is_empty() && paths.iter().all(is_inside)
}
