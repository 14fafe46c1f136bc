//! Marks what is dangerous about a call, by a short table that a person can read.
//!
//! Must not know: who decides, how a mark is shown, where settings are.
//!
//! A mark decides nothing. A call without a mark is not safe: no entry of the table matched it.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::shell::{SHELL, ShellCall};
use crate::shell_line::{Command, Redirect};

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
}

impl DangerKind {
    /// Every kind, in the order in which they are shown.
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
                "docker rm",
                "docker system prune",
                "kubectl delete",
                "dropdb",
            ],
            Self::Overwrites => &[
                ">",
                "mv",
                "cp",
                "dd",
                "tee",
                "truncate",
                "mkfs",
                "sed -i",
                "git reset --hard",
                "git checkout",
                "git restore",
                "git push --force",
                "git push -f",
                "git stash drop",
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
                "telnet",
                "http_request",
                "git clone",
                "git fetch",
                "git pull",
                "git push",
                "npm install",
                "npm publish",
                "pip install",
                "cargo install",
                "cargo publish",
                "apt",
                "apt-get",
                "brew",
                "docker pull",
                "docker push",
            ],
            Self::Outside => &["/", "~", ".."],
            Self::Privilege => &[
                "sudo", "doas", "su", "pkexec", "chmod", "chown", "chgrp", "setcap", "setfacl", "visudo",
                "usermod",
            ],
        }
    }
}

/// The sign of a redirection that replaces a file, as an entry.
const REDIRECT: &str = ">";

/// A mark on a call: the kind of danger, and the part of the call that it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DangerMark {
    /// The kind.
    pub kind: DangerKind,
    /// The entry that matched, or the place outside of the workspace. Untrusted text.
    pub because: String,
}

/// The table. An entry is a program with words that must occur after it, or a tool.
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
        let args: Value = serde_json::from_str(args).unwrap_or_default();
        let shell = (tool == SHELL).then(|| ShellCall::new(&args));
        let commands = shell.iter().flat_map(ShellCall::each);
        let commands: Vec<&Command> = commands.collect();
        let base = args.get("cwd").and_then(Value::as_str).unwrap_or_default();
        let place = Place {
            workspace,
            base: workspace.join(base),
        };
        let found = |kind: DangerKind| {
            let entries = self.entries(kind);
            let named = entries.iter().find(|entry| {
                entry.as_str() == tool || commands.iter().any(|command| matches(entry, command))
            });
            let outside = || (kind == DangerKind::Outside).then(|| place.left(entries, &commands, base));
            named.cloned().or_else(|| outside().flatten())
        };
        let marks = DangerKind::ALL.into_iter().filter_map(|kind| {
            Some(DangerMark {
                kind,
                because: found(kind)?,
            })
        });
        marks.collect()
    }
}

/// True if a command is what an entry names.
fn matches(entry: &str, command: &Command) -> bool {
    if entry == REDIRECT {
        return command.redirects.iter().any(Redirect::replaces);
    }
    let Some(program) = command.program_name() else {
        return false;
    };
    let program = program.rsplit('/').next().unwrap_or(program);
    let mut wanted = entry.split_whitespace();
    let mut given = command.words.iter().skip(1).map(|word| word.text.as_str());
    // The words occur in this order; others may be between them.
    wanted.next() == Some(program) && wanted.all(|word| given.any(|one| is_word(one, word)))
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
    given == wanted || with_value || among
}

/// The workspace, and the directory in which a command runs.
struct Place<'w> {
    workspace: &'w Path,
    base: PathBuf,
}

impl Place<'_> {
    /// The first place outside of the workspace that the commands or the directory name. Only the forms that the
    /// table lists count.
    fn left(&self, entries: &[String], commands: &[&Command], cwd: &str) -> Option<String> {
        let listed = |form: &str| entries.iter().any(|entry| entry == form);
        let words = commands.iter().flat_map(|command| {
            let words = command.words.iter().skip(1).map(|word| word.text.as_str());
            words.chain(command.redirects.iter().map(|one| one.target.text.as_str()))
        });
        let values = words.map(|word| match word.split_once('=') {
            Some((_, value)) => value,
            None => word,
        });
        let programs: Vec<&str> = commands.iter().filter_map(|one| one.program_name()).collect();
        let all = std::iter::once(cwd).chain(values);
        // A program may be anywhere.
        let mut all = all.filter(|word| !programs.contains(word));
        all.find(|word| {
            let form = if word.starts_with('/') {
                "/"
            } else if *word == "~" || word.starts_with("~/") {
                "~"
            } else {
                ".."
            };
            listed(form) && self.is_outside(word, form)
        })
        .map(str::to_owned)
    }

    fn is_outside(&self, word: &str, form: &str) -> bool {
        const HARMLESS: [&str; 4] = ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"];
        match form {
            "~" => true,
            "/" => !HARMLESS.contains(&word) && !plain(Path::new(word)).starts_with(self.workspace),
            _ => {
                let climbs = Path::new(word)
                    .components()
                    .any(|part| part == Component::ParentDir);
                climbs && !plain(&self.base.join(word)).starts_with(self.workspace)
            }
        }
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
mod tests {
    use serde_json::json;

    use super::*;

    fn marks(line: &str) -> Vec<(&'static str, String)> {
        of(&Danger::default(), "shell", &json!({ "command": line }))
    }

    fn of(danger: &Danger, tool: &str, args: &Value) -> Vec<(&'static str, String)> {
        let marks = danger.marks(tool, &args.to_string(), Path::new("/work/here"));
        marks
            .into_iter()
            .map(|mark| (mark.kind.key(), mark.because))
            .collect()
    }

    fn kinds(line: &str) -> Vec<&'static str> {
        marks(line).into_iter().map(|(kind, _)| kind).collect()
    }

    #[test]
    fn a_command_is_marked_wherever_it_stands_in_the_line() {
        assert_eq!(marks("ls && rm -rf build"), [("deletes", "rm".to_owned())]);
        assert_eq!(kinds("sh -c 'curl x | sh'"), ["network"]);
        assert_eq!(kinds("sudo /bin/rm a"), ["deletes", "privilege"]);
        assert_eq!(kinds("git push --force origin"), ["overwrites", "network"]);
        assert_eq!(kinds("git -C sub push -uf"), ["overwrites", "network"]);
        assert_eq!(kinds("find . -name x -delete"), ["deletes"]);
        assert_eq!(kinds("echo a > b"), ["overwrites"]);
        assert_eq!(kinds("$(cat x) a; rmdir b"), ["deletes"]);
    }

    #[test]
    fn what_no_entry_matches_has_no_mark() {
        for line in [
            "ls",
            "cargo test 2>&1",
            "echo rm",
            "cat a >> b",
            "git status",
            "x 2>/dev/null",
            "grep -r .",
        ] {
            assert_eq!(marks(line), [], "{line}");
        }
        assert_eq!(
            of(&Danger::default(), "read_file", &json!({ "command": "rm x" })),
            []
        );
    }

    #[test]
    fn places_outside_of_the_workspace_are_named() {
        let outside = |place: &str| vec![("outside", place.to_owned())];
        assert_eq!(marks("cat /etc/passwd"), outside("/etc/passwd"));
        assert_eq!(marks("ls ~/.ssh"), outside("~/.ssh"));
        assert_eq!(marks("ls ../other"), outside("../other"));
        assert_eq!(marks("make PREFIX=/usr"), outside("/usr"));
        for line in ["ls /work/here/src", "ls src/../docs", "x > /dev/null", "ls a..b"] {
            assert_eq!(marks(line), [], "{line}");
        }
        let below = json!({ "command": "ls ..", "cwd": "src" });
        assert_eq!(of(&Danger::default(), "shell", &below), []);
        let away = json!({ "command": "ls", "cwd": "/tmp" });
        assert_eq!(of(&Danger::default(), "shell", &away), outside("/tmp"));
    }

    #[test]
    fn tools_and_added_entries_are_marked_too() {
        let mut danger = Danger::default();
        let request = json!({ "url": "http://x" });
        assert_eq!(
            of(&danger, "http_request", &request),
            [("network", "http_request".to_owned())]
        );
        danger.add(DangerKind::Deletes, vec!["make clean".into(), "rm".into()]);
        assert_eq!(
            of(&danger, "shell", &json!({ "argv": ["make", "clean"] })),
            [("deletes", "make clean".to_owned())]
        );
        assert_eq!(
            danger
                .entries(DangerKind::Deletes)
                .iter()
                .filter(|entry| *entry == "rm")
                .count(),
            1
        );
        danger.set(DangerKind::Deletes, Vec::new());
        assert_eq!(of(&danger, "shell", &json!({ "argv": ["rm", "x"] })), []);
    }
}
