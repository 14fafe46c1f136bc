//! Finds the settings of other programs that a call may write: what is in them runs later.
//!
//! Must not know: who decides, how a mark is shown.
//!
//! A place that a call only may write counts, unless its tool or its command is known to read.

use std::path::Path;

use serde_json::Value;

use super::line_places::{self, How};
use super::place::Places;
use super::shell::ShellCall;
use overrule_base::known_tool::{self, Kind};
use overrule_base::runs_later;
use overrule_base::shell_line::Command;

/// Beginnings of the names by which git runs programs, or takes further settings.
const GIT_RUNS: &[&str] = &[
    "alias.",
    "browser.",
    "core.",
    "credential.",
    "diff.",
    "difftool.",
    "filter.",
    "gpg.",
    "include",
    "init.templatedir",
    "interactive.",
    "man.",
    "merge.",
    "mergetool.",
    "pager.",
    "remote.",
    "sendemail.",
    "sequence.",
    "submodule.",
    "trailer.",
    "url.",
    "web.",
];
/// Words with which `git config` only reads.
const CONFIG_READS: &[&str] = &[
    "--get",
    "--get-all",
    "--get-regexp",
    "--list",
    "-l",
    "get",
    "list",
];

/// Returns the places of the call that run later, as they are written, each once. `args` are as a tool gets them.
pub(super) fn settings(
    tool: &str,
    args: &Value,
    shell: Option<&ShellCall>,
    places: Places<'_>,
) -> Vec<String> {
    let kind = known_tool::kind(tool);
    if kind == Some(Kind::Read) {
        return Vec::new();
    }
    let inner = known_tool::inner(tool, args);
    let args = inner.as_ref().unwrap_or(args);
    let mut found = Vec::new();
    let note = |found: &mut Vec<String>, path: &str, places: Places<'_>| {
        if runs(path, places) && !found.iter().any(|one| one == path) {
            found.push(path.to_owned());
        }
    };
    for patch in known_tool::patches(tool, args) {
        known_tool::patched(&patch).for_each(|(_, path)| note(&mut found, path, places));
    }
    match (kind, shell) {
        (_, Some(shell)) => {
            let is_whole_line = line_places::each(shell, |place, how| {
                // No file system is asked about a part of a word.
                let links = places.links.filter(|_| how != How::Part);
                if how == How::Pattern && runs_later::row_of_pattern(&relative(place, places)).is_some() {
                    found.push(place.to_owned());
                } else {
                    note(&mut found, place, Places { links, ..places });
                }
            });
            for command in shell.each() {
                if sets_git(command) {
                    note(&mut found, ".git/config", places);
                } else if let Some(place) = line_places::kept_setting(command) {
                    note(&mut found, place, places);
                }
            }
            if !is_whole_line {
                // The rest may have one.
                found.push("…".to_owned());
            }
        }
        (Some(Kind::Shell), None) => {}
        _ => {
            for name in known_tool::PLACES {
                let value = args.get(*name);
                let several = value.and_then(Value::as_array).into_iter().flatten();
                let texts = value.into_iter().chain(several).filter_map(Value::as_str);
                texts.for_each(|text| note(&mut found, text, places));
            }
        }
    }
    found
}

/// A path relative to the workspace, if it is inside.
fn relative(path: impl AsRef<Path>, places: Places<'_>) -> String {
    let path = path.as_ref();
    let inside = places.workspace.and_then(|root| path.strip_prefix(root).ok());
    inside.unwrap_or(path).to_string_lossy().into_owned()
}

/// True for a place that runs later, as it is written or where its links lead.
fn runs(path: &str, places: Places<'_>) -> bool {
    if runs_later::row(&relative(path, places)).is_some() {
        return true;
    }
    let (Some(links), Some(workspace)) = (places.links, places.workspace) else {
        return false;
    };
    // A word of a line is rarely a place: no file system is asked about an option or a text.
    let is_place =
        !path.is_empty() && path.len() < 4096 && !path.starts_with('-') && !path.contains(['\n', '\0']);
    is_place && runs_later::row(&relative(links(&workspace.join(path)), places)).is_some()
}

/// True for `git config` with a value for a name by which git runs something (git-config).
fn sets_git(command: &Command) -> bool {
    let is_git = command
        .program_name()
        .is_some_and(|name| name.rsplit('/').next() == Some("git"));
    let mut words = command.words.iter().map(|word| word.text.as_str());
    if !is_git || !words.any(|word| word == "config") {
        return false;
    }
    let rest: Vec<&str> = words.collect();
    let reads = rest.iter().any(|word| CONFIG_READS.contains(word));
    let runs = |word: &&str| {
        let word = word.to_ascii_lowercase();
        GIT_RUNS.iter().any(|start| word.starts_with(start))
    };
    !reads && rest.iter().any(runs)
}
