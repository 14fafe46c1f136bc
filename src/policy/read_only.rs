//! Recognises calls of a shell whose commands all only read.
//!
//! Must not know: where files are, rules.

use std::path::Path;

use serde_json::Value;

use overrule_base::known_tool::{self, DIRECTORY, LINE, LINES, WORDS};
use overrule_base::shell_line::{self, Command, ReadOnlyCommand};

use super::place::{Leads, leads};
use super::shell::ShellCall;

/// Arguments that change nothing about what runs, besides those with the command and the directory.
const OTHERS: [&str; 12] = [
    "_as",
    "_out",
    "description",
    "justification",
    "login",
    "max_output_tokens",
    "prefix_rule",
    "timeout",
    "timeout_ms",
    "timeout_s",
    "workspace",
    "yield_time_ms",
];

/// A call whose commands all only read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOnlyCall {
    /// The directory in which the call runs them, as written; none where it names none.
    pub directory: Option<String>,
    /// The commands, in order.
    pub commands: Vec<ReadOnlyCommand>,
}

impl ReadOnlyCall {
    /// True if all its places are in the workspace, by their text.
    pub(super) fn is_inside(&self, workspace: Option<&Path>) -> bool {
        let is_inside = |path: &str| leads(path, Path::new(""), workspace) == Leads::Inside;
        let directory = self.directory.as_deref().unwrap_or(".");
        let mut places = self.commands.iter().flat_map(|one| &one.places);
        is_inside(directory) && places.all(|place| is_inside(&place.path))
    }
}

/// Reads a call of a shell. Nothing if a command may do more than read, or has an argument that is not known.
pub fn read_only_call(tool: &str, args: &Value) -> Option<ReadOnlyCall> {
    read_only_but(tool, args, &ShellCall::new(tool, args), |_| false)
}

/// Reads a call of a shell whose commands only read, but for those that a rule names.
pub(super) fn read_only_but(
    tool: &str,
    args: &Value,
    call: &ShellCall,
    is_named: impl Fn(&Command) -> bool,
) -> Option<ReadOnlyCall> {
    known_call(tool, args, || shell_line::read_only_but(&call.reading, is_named))
}

/// Reads a call of a shell whose commands only read, or are commands of git that change a repository and lose nothing; none
/// if all only read.
pub(super) fn loses_nothing(tool: &str, args: &Value, call: &ShellCall) -> Option<ReadOnlyCall> {
    known_call(tool, args, || shell_line::loses_nothing(&call.reading))
}

fn known_call(
    tool: &str,
    args: &Value,
    commands: impl FnOnce() -> Option<Vec<ReadOnlyCommand>>,
) -> Option<ReadOnlyCall> {
    if !known_tool::is_shell(tool) || tool == known_tool::TYPED_IN {
        return None;
    }
    let names = || {
        LINE.iter()
            .chain(WORDS)
            .chain(&[LINES])
            .chain(DIRECTORY)
            .chain(&OTHERS)
    };
    let is_idle = |value: &Value| value.is_null() || *value == Value::Bool(false);
    let is_known = |(name, value): (&String, &Value)| is_idle(value) || names().any(|one| one == name);
    if !args.as_object()?.iter().all(is_known) {
        return None;
    }
    let mut directories = DIRECTORY
        .iter()
        .filter_map(|name| args.get(*name))
        .filter(|one| !one.is_null());
    let directory = match directories.next() {
        Some(one) => Some(one.as_str()?.to_owned()),
        None => None,
    };
    if directories.next().is_some() {
        return None;
    }
    Some(ReadOnlyCall {
        directory,
        commands: commands()?,
    })
}

/// Builtins of a shell that change what a later line means.
const CHANGES: [&str; 20] = [
    ".", "alias", "builtin", "cd", "command", "declare", "enable", "eval", "exec", "export", "hash", "local",
    "popd", "pushd", "readonly", "set", "shopt", "source", "typeset", "unset",
];

/// True for a call of a shell after which a later line may mean something else: it may change the directory, a variable, or
/// what a name stands for.
pub fn may_change_shell(tool: &str, args: &Value) -> bool {
    if !known_tool::is_shell(tool) {
        return false;
    }
    let call = ShellCall::new(tool, args);
    let changes = |one: &shell_line::Command| {
        let name = one.words.first().map_or("", |word| word.text.as_str());
        CHANGES.contains(&name) || (one.words.is_empty() && !one.sets.is_empty())
    };
    call.uncertainty().is_some() || call.each().any(changes) || is_function(&call)
}

/// True if the call may define a function.
fn is_function(call: &ShellCall) -> bool {
    call.whole
        .iter()
        .any(|line| line.contains("()") || line.contains("function"))
}

#[cfg(test)]
mod tests {
    use overrule_base::shell_line::ReadPlace;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_reads_in_every_form_that_its_tool_takes() {
        for (tool, args) in [
            (
                "shell",
                json!({ "command": "ls -la && git log | head", "timeout_s": 5, "_as": "x" }),
            ),
            ("shell", json!({ "argv": ["ls", "-la"] })),
            (
                "Bash",
                json!({ "command": "ls", "description": "look", "timeout": 1000 }),
            ),
            (
                "exec_command",
                json!({ "cmd": "ls", "yield_time_ms": 1, "tty": false }),
            ),
            (
                "shell",
                json!({ "command": ["bash", "-lc", "cat a"], "workdir": "src" }),
            ),
            (
                "run_shell_command",
                json!({ "command": "ls", "dir_path": "src", "is_background": false }),
            ),
        ] {
            assert!(read_only_call(tool, &args).is_some(), "{tool} {args}");
        }
        let call = read_only_call(
            "shell",
            &json!({ "command": ["bash", "-lc", "cat a"], "workdir": "src" }),
        )
        .unwrap();
        assert_eq!(call.directory.as_deref(), Some("src"));
        assert_eq!(
            call.commands[0].places,
            [ReadPlace {
                path: "a".into(),
                is_pattern: false
            }]
        );
    }

    #[test]
    fn a_call_with_an_argument_that_is_not_known_may_do_more() {
        for (tool, args) in [
            ("shell", json!({ "command": "rm a" })),
            ("shell", json!({ "command": "ls", "env": { "PATH": "." } })),
            ("shell", json!({ "command": "ls", "cmd": "rm a" })),
            ("shell", json!({ "command": "ls", "shell": "./sh" })),
            ("shell", json!({ "command": "ls", "stdin": "a" })),
            ("shell", json!({ "command": "ls", "cwd": 7 })),
            ("shell", json!({ "command": "ls", "cwd": "a", "workdir": "b" })),
            ("shell", json!("ls")),
            ("shell", json!({})),
            ("Bash", json!({ "command": "ls", "run_in_background": true })),
            (
                "Bash",
                json!({ "command": "ls", "dangerouslyDisableSandbox": true }),
            ),
            ("exec_command", json!({ "cmd": "ls", "tty": true })),
            (
                "shell",
                json!({ "command": ["ls"], "with_escalated_permissions": true }),
            ),
            (
                "shell",
                json!({ "command": ["ls"], "sandbox_permissions": "require_escalated" }),
            ),
            ("write_stdin", json!({ "session_id": 1, "chars": "ls\n" })),
            ("read_file", json!({ "command": "ls" })),
        ] {
            assert_eq!(read_only_call(tool, &args), None, "{tool} {args}");
        }
    }

    #[test]
    fn what_changes_a_shell_is_known() {
        for line in [
            "cd a",
            "ls && cd a",
            "pushd a",
            "export A=1",
            "A=1",
            "alias ls=rm",
            "ls() { rm a; }",
            "function ls { rm a; }",
            ". a",
            "source a",
            "$X",
            "eval x",
            "set -e",
            "echo 'a",
        ] {
            assert!(may_change_shell("Bash", &json!({ "command": line })), "{line}");
        }
        for line in ["ls", "npm test", "rm -rf a", "A=1 ls", "git commit -m 'cd a'"] {
            assert!(!may_change_shell("Bash", &json!({ "command": line })), "{line}");
        }
        assert!(!may_change_shell("read_file", &json!({ "command": "cd a" })));
    }
}
