//! Marks what is dangerous about a call, by a short table that a person can read.
//!
//! Must not know: who decides, how a mark is shown, where settings are.
//!
//! A mark decides nothing. A call without a mark is not safe: no entry of the table matched it.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::shell::ShellCall;
use overrule_base::known_tool::{self, DIRECTORY, Kind};
use overrule_base::shell_line::{Command, HARMLESS, Redirect};

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
    /// It was not compared with the table.
    Unchecked,
}

impl DangerKind {
    /// Every kind of the table, in the order in which they are shown.
    pub const ALL: [Self; 5] = [
        Self::Deletes,
        Self::Overwrites,
        Self::Network,
        Self::Outside,
        Self::Privilege,
    ];

    /// Its key in the settings.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Deletes => "deletes",
            Self::Overwrites => "overwrites",
            Self::Network => "network",
            Self::Outside => "outside",
            Self::Privilege => "privilege",
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
            Self::Unchecked => "not checked",
        }
    }

    /// The entries without settings.
    const fn built_in(self) -> &'static [&'static str] {
        match self {
            Self::Deletes => &[
                "rm",
                "rmdir",
                "unlink",
                "shred",
                "find -delete",
                "git clean",
                "git rm",
                "git branch -D",
                "git push --delete",
                "git push -d",
                "git push :*",
                "git push --prune",
                "git stash clear",
                "docker rm",
                "docker rmi",
                "docker prune",
                "rsync --delete*",
                "kubectl delete",
                "dropdb",
                "*** Delete File",
            ],
            Self::Overwrites => &[
                ">",
                "mv",
                "cp",
                "dd",
                "tee",
                "truncate",
                "mkfs*",
                "sed -i",
                "sed --in-place",
                "perl -i",
                "git reset --hard",
                "git checkout",
                "git restore",
                "git push --force*",
                "git push -f",
                "git push +*",
                "git push --mirror",
                "git stash drop",
                "*** Move to",
            ],
            Self::Network => &[
                "curl",
                "wget",
                "ssh",
                "scp",
                "sftp",
                "rsync",
                "ftp",
                "nc",
                "ncat",
                "telnet",
                "http_request",
                "git clone",
                "git fetch",
                "git pull",
                "git push",
                "git ls-remote",
                "git submodule update",
                "gh",
                "npm install",
                "npm i",
                "npm ci",
                "npm publish",
                "npx",
                "yarn add",
                "yarn install",
                "pip* install",
                "python* -m pip install",
                "cargo install",
                "cargo publish",
                "go get",
                "go install",
                "apt",
                "apt-get",
                "apk add",
                "dnf",
                "yum",
                "brew",
                "docker pull",
                "docker push",
                "WebFetch",
                "WebSearch",
                "google_web_search",
                "web_fetch",
                "web_search",
                "webfetch",
                "websearch",
            ],
            Self::Outside => &["/", "~", ".."],
            Self::Privilege => &[
                "sudo", "doas", "su", "runuser", "pkexec", "chroot", "mount", "chmod", "chown", "chgrp",
                "chattr", "setcap", "setfacl", "visudo", "usermod", "useradd", "passwd",
            ],
            Self::Unchecked => &[],
        }
    }
}

/// Longest arguments of a shell line or a patch that are compared with the table, in bytes.
const LONGEST: usize = 64 * 1024;
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

/// The table. An entry is a program with words that must occur after it, or a tool. A word that ends in `*` stands for
/// every word that begins like it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Danger(BTreeMap<DangerKind, Vec<String>>);

impl Default for Danger {
    fn default() -> Self {
        let entries = |kind: DangerKind| kind.built_in().iter().map(|entry| (*entry).to_owned()).collect();
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

    /// The marks on a call, each kind once. Reads a shell line with the reader of the rules.
    pub fn marks(&self, tool: &str, args: &str, workspace: &Path) -> Vec<DangerMark> {
        let kind = known_tool::kind(tool);
        let is_read = matches!(kind, Some(Kind::Shell | Kind::Patch));
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
        let patches = known_tool::patches(tool, &args);
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
        let found = |kind: DangerKind| {
            let entries = self.entries(kind);
            let is_named = |entry: &&String| {
                let by_sign = entry.as_str() == REDIRECT && call.redirects().any(Redirect::replaces)
                    || entry.as_str() == DELETES && does(known_tool::DELETES)
                    || entry.as_str() == MOVES && does(known_tool::MOVES);
                entry.as_str() == tool || by_sign || call.each().any(|command| matches(entry, command))
            };
            let outside = || (kind == DangerKind::Outside).then(|| place.left(entries, &call, &places));
            let named = entries.iter().find(is_named).cloned();
            named.or_else(|| outside().flatten())
        };
        let unchecked = is_long.then(|| format!("the arguments are longer than {} KiB", LONGEST >> 10));
        let marks = DangerKind::ALL.map(|kind| (kind, found(kind)));
        let marks = marks.into_iter().chain([(DangerKind::Unchecked, unchecked)]);
        marks
            .filter_map(|(kind, because)| because.map(|because| DangerMark { kind, because }))
            .collect()
    }
}

/// True if a command is what an entry names.
fn matches(entry: &str, command: &Command) -> bool {
    let Some(program) = command.program_name() else {
        return false;
    };
    let program = program.rsplit('/').next().unwrap_or(program);
    let mut wanted = entry.split_whitespace();
    let mut given = command.words.iter().skip(1).map(|word| word.text.as_str());
    // The words occur in this order; others may be between them.
    wanted.next().is_some_and(|wanted| is_like(program, wanted))
        && wanted.all(|word| given.any(|one| is_word(one, word)))
}

/// True if a word is the one of an entry, or begins like one that ends in `*`.
fn is_like(given: &str, wanted: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(begin) => given.starts_with(begin),
        None => given == wanted,
    }
}

/// True if a word of a command is the one of an entry: itself, an option with a value, or one letter of several.
fn is_word(given: &str, wanted: &str) -> bool {
    let with_value = given
        .strip_prefix(wanted)
        .is_some_and(|rest| rest.starts_with('='));
    let letter = wanted.strip_prefix('-').filter(|letter| letter.len() == 1);
    let among = letter.is_some_and(|letter| {
        given
            .strip_prefix('-')
            .is_some_and(|letters| !letters.starts_with('-') && letters.contains(letter))
    });
    is_like(given, wanted) || with_value || among
}

/// The workspace, and the directories in which a command may run; the workspace itself where there is none.
struct Place<'w> {
    workspace: &'w Path,
    directories: &'w [&'w str],
}

impl Place<'_> {
    /// The first place outside of the workspace that the commands, the directories or other arguments name. Only the
    /// forms that the table lists count.
    fn left(&self, entries: &[String], call: &ShellCall, places: &[String]) -> Option<String> {
        let listed = |form: &str| entries.iter().any(|entry| entry == form);
        let targets = call.redirects().map(|one| &one.target);
        let words = call
            .reading
            .arguments()
            .chain(targets)
            .map(|word| word.text.as_str());
        let places = places.iter().map(String::as_str);
        let words = self.directories.iter().copied().chain(words).flat_map(paths);
        let mut all = words.chain(places);
        all.find(|path| {
            let form = form_of(path);
            listed(form) && self.is_outside(path, form)
        })
        .map(str::to_owned)
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
