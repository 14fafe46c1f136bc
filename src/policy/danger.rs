//! Marks what is dangerous about a call, by a short table that a person can read.
//!
//! Must not know: who decides, how a mark is shown, where settings are.
//!
//! A mark decides nothing. A call without a mark is not safe: no entry of the table matched it.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::inner_calls::InnerCalls;
use super::place::Places;
use super::settings_written;
use super::shell::ShellCall;
use overrule_base::known_tool::{self, DIRECTORY, Kind};
use overrule_base::runs_later;
use overrule_base::shell_line::{HARMLESS, Redirect};

mod entry;
mod sql;
mod table;

use entry::{is_like, named};
use table::built_in;

/// What a call may do that deserves a second look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DangerKind {
    /// It deletes something.
    Deletes,
    /// It replaces content that exists.
    Overwrites,
    /// It reaches other machines.
    Network,
    /// It names a place outside of the workspace.
    Outside,
    /// It runs with more rights, or changes who may do what.
    Privilege,
    /// It ends programs, services or machines that run.
    Stops,
    /// It runs a program of its own, which may run any command.
    Program,
    /// It may write what another program runs or believes by itself.
    RunsLater,
    /// It was not compared with the table.
    Unchecked,
}

impl DangerKind {
    /// Every kind of the table, in the order in which they are shown.
    pub const ALL: [Self; 7] = [
        Self::Deletes,
        Self::Overwrites,
        Self::Network,
        Self::Outside,
        Self::Privilege,
        Self::Stops,
        Self::RunsLater,
    ];

    /// Its key in the settings.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Deletes => "deletes",
            Self::Overwrites => "overwrites",
            Self::Network => "network",
            Self::Outside => "outside",
            Self::Privilege => "privilege",
            Self::Stops => "stops",
            Self::Program => "program",
            Self::RunsLater => "runs_later",
            Self::Unchecked => "unchecked",
        }
    }

    /// What it is called on a screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Deletes => "deletes",
            Self::Overwrites => "overwrites",
            Self::Network => "network",
            Self::Outside => "outside the workspace",
            Self::Privilege => "more privilege",
            Self::Stops => "stops what runs",
            Self::Program => "runs a program",
            Self::RunsLater => "runs code later",
            Self::Unchecked => "not checked",
        }
    }
}

/// Longest arguments of a shell line or a patch that are compared with the table, in bytes.
const LONGEST: usize = 64 * 1024;
/// Maximum number of marks of a call.
const MOST: usize = 64;
/// What begins the entry of a statement of SQL.
const SQL: &str = "SQL ";
/// The sign of a redirection that replaces a file, as an entry.
const REDIRECT: &str = ">";
/// The line of a patch that deletes a file, as an entry.
const DELETES: &str = "*** Delete File";
/// The line of a patch that puts a file in another place, as an entry.
const MOVES: &str = "*** Move to";

/// A mark on a call: the kind of danger, and the part of the call that it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DangerMark {
    /// The kind.
    pub kind: DangerKind,
    /// The entry that matched, or the place outside of the workspace. Untrusted text.
    pub because: String,
}

/// The table. An entry is a program with words that must be there, or a tool; see the module `entry`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Danger(BTreeMap<DangerKind, Vec<String>>);

impl Default for Danger {
    fn default() -> Self {
        let entries = |kind: DangerKind| -> Vec<String> {
            if kind == DangerKind::RunsLater {
                return runs_later::ROWS.iter().map(|row| row.place.to_owned()).collect();
            }
            built_in(kind).iter().map(|entry| (*entry).to_owned()).collect()
        };
        Self(
            DangerKind::ALL
                .into_iter()
                .map(|kind| (kind, entries(kind)))
                .collect(),
        )
    }
}

impl Danger {
    /// Replaces the entries of a kind.
    pub fn set(&mut self, kind: DangerKind, entries: Vec<String>) {
        self.0.insert(kind, entries);
    }

    /// Adds entries to a kind; those that are there already stay once.
    pub fn add(&mut self, kind: DangerKind, entries: Vec<String>) {
        let all = self.0.entry(kind).or_default();
        for entry in entries {
            if !all.contains(&entry) {
                all.push(entry);
            }
        }
    }

    /// The entries of a kind.
    pub fn entries(&self, kind: DangerKind) -> &[String] {
        self.0.get(&kind).map_or(&[], Vec::as_slice)
    }

    /// The marks on a call, each once, by kind. Reads a shell line with the reader of the rules.
    pub fn marks(&self, tool: &str, args: &str, workspace: &Path) -> Vec<DangerMark> {
        let kind = known_tool::kind(tool);
        // Of an unknown tool the places are read, of the others what they run.
        let is_read = matches!(kind, None | Some(Kind::Shell | Kind::Patch));
        let is_long = is_read && args.len() > LONGEST;
        let mut places = known_tool::places(tool, args);
        let args: Value = if is_read && !is_long {
            serde_json::from_str(args).unwrap_or_default()
        } else {
            Value::Null
        };
        let call = if kind == Some(Kind::Shell) {
            ShellCall::new(tool, &args)
        } else {
            ShellCall::default()
        };
        let args = known_tool::inner(tool, &args).unwrap_or(args);
        let mut patches = known_tool::patches(tool, &args);
        patches.extend(call.inner().into_iter().flat_map(InnerCalls::patches));
        let files: Vec<known_tool::Patched<'_>> = patches
            .iter()
            .flat_map(|patch| known_tool::patched(patch))
            .collect();
        places.extend(files.iter().map(|(_, path)| (*path).to_owned()));
        let does = |what: &str| files.iter().any(|(word, _)| *word == what);
        // It is not known which of several names the tool takes.
        let directories = DIRECTORY.iter().filter_map(|name| args.get(name)?.as_str());
        let directories: Vec<&str> = directories.collect();
        let place = Place {
            workspace,
            directories: &directories,
        };
        let statements: Vec<String> = call
            .each()
            .flat_map(sql::statements)
            .map(|word| format!("{SQL}{word}"))
            .collect();
        let later = match kind {
            Some(Kind::Read) => Vec::new(),
            Some(Kind::Write | Kind::Edit | Kind::Other) => places.clone(),
            _ => {
                let shell = (kind == Some(Kind::Shell)).then_some(&call);
                settings_written::settings(tool, &args, shell, Places::default())
            }
        };
        let found = |kind: DangerKind| -> Vec<String> {
            let entries = self.entries(kind);
            if kind == DangerKind::Outside {
                return place.left(entries, &call, &places);
            }
            if kind == DangerKind::RunsLater {
                return later
                    .iter()
                    .filter(|path| place.is_listed(entries, path))
                    .cloned()
                    .collect();
            }
            let of_entry = |entry: &String| -> Vec<String> {
                let by_sign = entry == REDIRECT && call.redirects().any(Redirect::replaces)
                    || entry == DELETES && does(known_tool::DELETES)
                    || entry == MOVES && does(known_tool::MOVES)
                    || statements.contains(entry);
                if by_sign || is_like(tool, entry) {
                    return vec![entry.clone()];
                }
                call.each().filter_map(|command| named(entry, command)).collect()
            };
            entries.iter().flat_map(of_entry).collect()
        };
        let mut marks = Vec::new();
        for kind in DangerKind::ALL {
            for because in found(kind) {
                let mark = DangerMark { kind, because };
                if !marks.contains(&mark) && marks.len() < MOST {
                    marks.push(mark);
                }
            }
        }
        if known_tool::has_inner_tools(tool) && (is_long || call.inner().is_some()) {
            marks.push(DangerMark {
                kind: DangerKind::Program,
                because: tool.to_owned(),
            });
        }
        if is_long {
            let because = format!("the arguments are longer than {} KiB", LONGEST >> 10);
            marks.push(DangerMark {
                kind: DangerKind::Unchecked,
                because,
            });
        }
        marks
    }
}

/// The workspace, and the directories in which a command may run; the workspace itself where there is none.
struct Place<'w> {
    workspace: &'w Path,
    directories: &'w [&'w str],
}

impl Place<'_> {
    /// True for a path that an entry names. It is compared from the workspace on, which may itself lie in such a place.
    fn is_listed(&self, entries: &[String], path: &str) -> bool {
        let path = Path::new(path);
        let path = path
            .strip_prefix(self.workspace)
            .unwrap_or(path)
            .to_string_lossy();
        let by_row = runs_later::row(&path).map(|row| row.place);
        let is = |entry: &String| by_row == Some(entry.as_str()) || runs_later::is_there(&path, entry);
        entries.iter().any(is)
    }

    /// The places outside of the workspace that the commands, the directories or other arguments name. Only the forms
    /// that the table lists count.
    fn left(&self, entries: &[String], call: &ShellCall, places: &[String]) -> Vec<String> {
        let is_left = |path: &&str| {
            let form = form_of(path);
            entries.iter().any(|entry| entry == form) && self.is_outside(path, form)
        };
        let targets = call.redirects().map(|one| &one.target);
        let words = call
            .reading
            .arguments()
            .chain(targets)
            .map(|word| word.text.as_str());
        let words = self.directories.iter().copied().chain(words);
        // Of the forms of one word the first counts.
        let of_words = words.filter_map(|word| paths(word).find(is_left));
        let places = places.iter().map(String::as_str).filter(is_left);
        of_words.chain(places).map(str::to_owned).collect()
    }

    fn is_outside(&self, path: &str, form: &str) -> bool {
        match form {
            "~" => true,
            "/" => !HARMLESS.contains(&path) && !plain(Path::new(path)).starts_with(self.workspace),
            _ => {
                let climbs = Path::new(path)
                    .components()
                    .any(|part| part == Component::ParentDir);
                let is_left = |base: &Path| !plain(&base.join(path)).starts_with(self.workspace);
                let mut bases = self.directories.iter().map(|one| self.workspace.join(one));
                climbs
                    && (self.directories.is_empty() && is_left(self.workspace)
                        || bases.any(|base| is_left(&base)))
            }
        }
    }
}

/// The paths that a word may name: itself, a value after `=` or right after a one-letter option, each also after `@`
/// and `file://`.
fn paths(word: &str) -> impl Iterator<Item = &str> {
    let value = word.split_once('=').map(|(_, value)| value);
    let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    let attached = letters.map(|rest| {
        let mut rest = rest.chars();
        rest.next();
        rest.as_str()
    });
    let all = [Some(word), value, attached].into_iter().flatten();
    all.map(|path| {
        let path = path.strip_prefix('@').unwrap_or(path);
        path.strip_prefix("file://").unwrap_or(path)
    })
}

/// The form of a path: absolute, below a home directory, or relative.
fn form_of(path: &str) -> &'static str {
    let first = path.split('/').next().unwrap_or_default();
    let is_user = |name: &str| {
        name.chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-.+".contains(c))
    };
    let is_home = first.strip_prefix('~').is_some_and(is_user) || ["$HOME", "${HOME}"].contains(&first);
    if path.starts_with('/') {
        "/"
    } else if is_home {
        "~"
    } else {
        ".."
    }
}

/// A path without `.` and `..`, without a look at the disk.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests;
