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
use crate::shell_line::{Command, HARMLESS, Redirect};

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

/// Longest arguments of a shell call that are compared with the table, in bytes.
const LONGEST: usize = 64 * 1024;
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
        let is_long = tool == SHELL && args.len() > LONGEST;
        let args: Value = if tool == SHELL && !is_long {
            serde_json::from_str(args).unwrap_or_default()
        } else {
            Value::Null
        };
        let call = ShellCall::new(&args);
        let base = args.get("cwd").and_then(Value::as_str).unwrap_or_default();
        let place = Place {
            workspace,
            base: workspace.join(base),
        };
        let found = |kind: DangerKind| {
            let entries = self.entries(kind);
            let is_named = |entry: &&String| {
                let by_sign = entry.as_str() == REDIRECT && call.redirects().any(Redirect::replaces);
                entry.as_str() == tool || by_sign || call.each().any(|command| matches(entry, command))
            };
            let outside = || (kind == DangerKind::Outside).then(|| place.left(entries, &call, base));
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

/// The workspace, and the directory in which a command runs.
struct Place<'w> {
    workspace: &'w Path,
    base: PathBuf,
}

impl Place<'_> {
    /// The first place outside of the workspace that the commands or the directory name. Only the forms that the
    /// table lists count.
    fn left(&self, entries: &[String], call: &ShellCall, cwd: &str) -> Option<String> {
        let listed = |form: &str| entries.iter().any(|entry| entry == form);
        let words = call
            .each()
            .flat_map(|command| command.words.iter().skip(1).chain(&command.sets));
        let targets = call.redirects().map(|one| &one.target);
        let words = words.chain(targets).map(|word| word.text.as_str());
        let programs: Vec<&str> = call.each().filter_map(|one| one.program_name()).collect();
        // A program may be anywhere.
        let words = words.filter(|word| !programs.contains(word));
        let mut all = std::iter::once(cwd).chain(words).flat_map(paths);
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
                climbs && !plain(&self.base.join(path)).starts_with(self.workspace)
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
        for line in [
            "{ date; } > README.md",
            "(ls; date) > a",
            "for f in a b; do echo $f; done > out",
            "if true; then ls; fi >| out",
            "sh -c '{ ls; } > b'",
        ] {
            assert_eq!(marks(line), [("overwrites", ">".to_owned())], "{line}");
        }
        assert_eq!(kinds("(cat x) > /etc/cron.d/j"), ["overwrites", "outside"]);
    }

    #[test]
    fn other_spellings_of_the_same_are_marked_too() {
        for line in [
            "git push -d origin x",
            "git push origin :x",
            "git stash clear",
            "docker rmi a",
            "docker volume prune",
            "rsync -a --delete-after a b",
        ] {
            assert!(kinds(line).contains(&"deletes"), "{line}");
        }
        for line in [
            "git push --force-with-lease",
            "git push --force-with-lease=x",
            "git push origin +main",
            "git push --mirror",
            "sed --in-place s/a/b/ f",
            "sed --in-place=.bak s/a/b/ f",
            "perl -pi -e s/a/b/ f",
            "mkfs.ext4 disk",
        ] {
            assert!(kinds(line).contains(&"overwrites"), "{line}");
        }
        for line in [
            "pip3 install x",
            "python3 -m pip install x",
            "npm i",
            "npm ci",
            "npx x",
            "yarn add x",
            "go get x",
            "apk add x",
            "dnf install x",
            "yum install x",
            "gh pr list",
            "git ls-remote",
            "git submodule update --init",
            "ncat h 1",
        ] {
            assert_eq!(kinds(line), ["network"], "{line}");
        }
        for program in ["mount", "useradd", "passwd", "chattr", "chroot", "runuser"] {
            assert_eq!(kinds(&format!("{program} x")), ["privilege"], "{program}");
        }
    }

    #[test]
    fn a_long_shell_call_is_marked_as_not_checked() {
        let line = |bytes: usize| json!({ "command": format!("rm {}", "x".repeat(bytes)) });
        assert_eq!(
            of(&Danger::default(), "shell", &line(100)),
            [("deletes", "rm".to_owned())]
        );
        let why = "the arguments are longer than 64 KiB".to_owned();
        assert_eq!(
            of(&Danger::default(), "shell", &line(LONGEST)),
            [("unchecked", why)]
        );
        assert_eq!(of(&Danger::default(), "write_file", &line(LONGEST)), []);
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
            "x > /dev/stderr",
            "{ ls; } 2>/dev/stderr",
            "git push-notes",
            "python3 -m pytest",
            "npm test",
            "go build",
            "grep -r .",
            "tail -f a~",
            "echo '~ is home' -x @me",
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
        assert_eq!(marks("cat $HOME/.ssh/id_rsa"), outside("$HOME/.ssh/id_rsa"));
        assert_eq!(marks("ls \"${HOME}\""), outside("${HOME}"));
        assert_eq!(marks("cat ~root/.bashrc"), outside("~root/.bashrc"));
        assert_eq!(marks("tar -xf a -C/"), outside("/"));
        assert_eq!(marks("cat -n@/etc/passwd"), outside("/etc/passwd"));
        assert_eq!(marks("x --data=@/etc/passwd"), outside("/etc/passwd"));
        assert_eq!(marks("x file:///etc/passwd"), outside("/etc/passwd"));
        assert_eq!(marks("cat '/etc/a=b'"), outside("/etc/a=b"));
        assert_eq!(marks("GIT_DIR=/etc git log"), outside("/etc"));
        assert_eq!(kinds("{ ls; } >> ../log"), ["outside"]);
        assert_eq!(kinds("curl -d @/etc/passwd x"), ["network", "outside"]);
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
