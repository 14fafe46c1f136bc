//! Knows how the arguments of common tools are read: of the built-in ones, and of those that other agents have.
//!
//! Must not know: who offers a tool, rules, screens.
//!
//! A tool is known by its name alone. What is read here makes a rule stricter and a decision easier to read; the bytes
//! that run stay as they are.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Value, json};

/// What a tool does with its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Runs a line in a shell, or a program with its words.
    Shell,
    /// Writes a whole file.
    Write,
    /// Replaces a text in a file.
    Edit,
    /// Applies a patch to several files.
    Patch,
    /// Reads a place and changes nothing.
    Read,
}

/// Tools by what they do, the built-in one first.
const SHELL: &[&str] = &[
    "shell",
    "Bash",
    "bash",
    "container.exec",
    "developer__shell",
    "exec_command",
    "local_shell",
    "local_shell_call",
    "run_shell_command",
    "shell_call",
    "shell_command",
];
const WRITE: &[&str] = &["write_file", "Write", "write"];
const EDIT: &[&str] = &["edit_file", "Edit", "edit", "replace"];
const PATCH: &[&str] = &["apply_patch", "apply_patch_call", "patch"];
const READ: &[&str] = &[
    "read_file",
    "Glob",
    "Grep",
    "LS",
    "NotebookRead",
    "Read",
    "glob",
    "grep",
    "grep_search",
    "list",
    "list_directory",
    "read",
    "search_file_content",
    "view_image",
];

/// Names of the argument with a line for a shell, the built-in tool's first.
pub const LINE: &[&str] = &["command", "cmd"];
/// Name of the argument with several lines, each for a shell.
pub const LINES: &str = "commands";
/// Names of the argument with a program and its words.
pub const WORDS: &[&str] = &["argv", "command"];
/// Names of the argument with the directory in which a shell runs.
pub const DIRECTORY: &[&str] = &["cwd", "workdir", "directory", "dir_path", "working_directory"];
/// Names of the argument with the path of a file.
pub const PATH: &[&str] = &["path", "file_path", "filePath"];
/// Names of the argument with the new content of a file.
pub const CONTENT: &[&str] = &["content"];
/// Names of the argument with the text that is replaced.
pub const OLD: &[&str] = &["old", "old_string", "oldString"];
/// Names of the argument with the text that replaces it.
pub const NEW: &[&str] = &["new", "new_string", "newString"];
/// Names of the argument that says that every occurrence is replaced.
pub const ALL: &[&str] = &["all", "replace_all", "replaceAll", "allow_multiple"];
/// Names of the argument with a patch.
pub const TEXT: &[&str] = &["input", "patch", "patchText"];
/// Names of every argument with a place.
const PLACES: &[&str] = &["path", "file_path", "filePath", "absolute_path", "dir_path"];

/// Returns what a tool of this name does; nothing for a tool that is not known.
pub fn kind(tool: &str) -> Option<Kind> {
    let all = [
        (SHELL, Kind::Shell),
        (WRITE, Kind::Write),
        (EDIT, Kind::Edit),
        (PATCH, Kind::Patch),
        (READ, Kind::Read),
    ];
    all.into_iter()
        .find_map(|(names, kind)| names.contains(&tool).then_some(kind))
}

/// Returns true for a tool that runs a line in a shell.
pub fn is_shell(tool: &str) -> bool {
    kind(tool) == Some(Kind::Shell)
}

/// Returns the name that an argument has here. Nothing if it has none, or more than one.
pub fn name_in(names: &[&'static str], mut has: impl FnMut(&str) -> bool) -> Option<&'static str> {
    let mut found = names.iter().filter(|name| has(name));
    found.next().copied().filter(|_| found.next().is_none())
}

/// Returns the value of an argument by its names.
pub fn value_in<'v>(args: &'v Value, names: &[&'static str]) -> Option<&'v Value> {
    args.get(name_in(names, |name| args.get(name).is_some())?)
}

/// Returns true for a call that has its arguments inside of a member.
pub fn has_inner(tool: &str) -> bool {
    matches!(tool, "local_shell_call" | "shell_call" | "apply_patch_call")
}

/// Returns the arguments of a call that is an item of a type of its own in the Responses format, as the known tool of
/// that kind has them. Nothing for other calls.
///
/// A shell's are in `action`; a patch's are in `operation`, for one file.
pub fn inner(tool: &str, args: &Value) -> Option<Value> {
    match tool {
        "local_shell_call" | "shell_call" => args.get("action").filter(|action| action.is_object()).cloned(),
        "apply_patch_call" => {
            let operation = args.get("operation")?;
            let text = |key: &str| operation.get(key).and_then(Value::as_str).unwrap_or_default();
            let head = match text("type") {
                "create_file" => "Add",
                "delete_file" => "Delete",
                _ => "Update",
            };
            let patch = format!("*** {head} File: {}\n{}", text("path"), text("diff"));
            Some(json!({ "input": patch }))
        }
        _ => None,
    }
}

/// Returns the members outside of what [`inner`] reads, if those inside are all known.
pub fn outer(tool: &str, args: &Value) -> Option<Value> {
    let mut args = args.clone();
    let members = args.as_object_mut()?;
    match tool {
        "local_shell_call" | "shell_call" => members.shift_remove("action")?,
        "apply_patch_call" => {
            let operation = members.shift_remove("operation")?;
            let is_known = |key: &String| matches!(key.as_str(), "type" | "path" | "diff");
            let is_word = |value: &Value| value.is_string();
            let members = operation.as_object()?;
            (members.keys().all(is_known) && members.values().all(is_word)).then_some(operation)?
        }
        _ => return None,
    };
    Some(args)
}

/// What a patch does with a file that it deletes.
pub const DELETES: &str = "deletes";

/// Returns the files that a patch names, each with what it does: adds, updates, deletes, moves to.
///
/// The format is that of the tool `apply_patch` of codex: a line `*** Update File: PATH` begins a file.
pub fn patched(patch: &str) -> impl Iterator<Item = (&'static str, &str)> {
    const HEADS: [(&str, &str); 4] = [
        ("*** Add File:", "adds"),
        ("*** Update File:", "updates"),
        ("*** Delete File:", DELETES),
        ("*** Move to:", "moves to"),
    ];
    patch.lines().filter_map(|line| {
        let mut heads = HEADS.iter();
        heads.find_map(|(head, word)| Some((*word, line.trim_start().strip_prefix(head)?.trim())))
    })
}

/// Returns the places that the arguments of a known tool name; nothing for shells and unknown tools.
pub fn places(tool: &str, args: &str) -> Vec<String> {
    let members = match kind(tool) {
        None | Some(Kind::Shell) => return Vec::new(),
        Some(Kind::Patch) => {
            let args = serde_json::from_str(args).unwrap_or_default();
            let args = inner(tool, &args).unwrap_or(args);
            let patches = TEXT.iter().filter_map(|name| args.get(*name)?.as_str());
            let files = patches.flat_map(patched);
            return files.map(|(_, path)| path.to_owned()).collect();
        }
        Some(_) => serde_json::from_str::<BTreeMap<String, &RawValue>>(args).unwrap_or_default(),
    };
    let text = |name: &&str| -> Option<String> { serde_json::from_str(members.get(*name)?.get()).ok() };
    PLACES.iter().filter_map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_known_by_their_name_alone() {
        for (tool, expected) in [
            ("shell", Some(Kind::Shell)),
            ("Bash", Some(Kind::Shell)),
            ("exec_command", Some(Kind::Shell)),
            ("Write", Some(Kind::Write)),
            ("replace", Some(Kind::Edit)),
            ("apply_patch", Some(Kind::Patch)),
            ("Read", Some(Kind::Read)),
            ("BASH", None),
            ("mcp__x__bash", None),
            ("", None),
        ] {
            assert_eq!(kind(tool), expected, "{tool}");
        }
    }

    #[test]
    fn an_argument_with_two_names_is_not_guessed() {
        let name = |text: &str| {
            let args: Value = serde_json::from_str(text).unwrap();
            name_in(LINE, |name| args.get(name).is_some())
        };
        assert_eq!(name(r#"{"cmd":"ls"}"#), Some("cmd"));
        assert_eq!(name(r#"{"command":"ls"}"#), Some("command"));
        assert_eq!(name(r#"{"command":"ls","cmd":"rm"}"#), None);
        assert_eq!(name("{}"), None);
    }

    #[test]
    fn places_are_read_from_every_argument_that_can_name_one() {
        assert_eq!(places("Edit", r#"{"file_path":"/a","old_string":"/b"}"#), ["/a"]);
        assert_eq!(places("edit", r#"{"filePath":"c","path":"d"}"#), ["d", "c"]);
        let patch = serde_json::json!({"input": "*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+*** y\n\
            *** Move to: b.rs\n*** Delete File: ../c\n*** Add File: d\n+1\n*** End Patch\n"});
        assert_eq!(
            places("apply_patch", &patch.to_string()),
            ["a.rs", "b.rs", "../c", "d"]
        );
        for (tool, args) in [
            ("Bash", r#"{"path":"/a"}"#),
            ("other", r#"{"path":"/a"}"#),
            ("Read", r#"{"path":1}"#),
            ("Read", "["),
        ] {
            assert!(places(tool, args).is_empty(), "{tool} {args}");
        }
    }
}
