//! Knows how the arguments of common tools are read: of the built-in ones, and of those that other agents have.
//!
//! Must not know: who offers a tool, rules, screens.
//!
//! A tool is known by its name alone. What is read here makes a rule stricter and a decision easier to read; the bytes
//! that run stay as they are.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::shell_line::Reading;

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
    /// Does something else with the places that it names.
    Other,
}

/// Tools that run a line in a shell, the built-in one first.
pub const SHELL: &[&str] = &[
    "shell",
    "Bash",
    "Monitor",
    "bash",
    "container.exec",
    "developer__shell",
    "exec_command",
    "local_shell",
    "local_shell_call",
    "monitor",
    "run_shell_command",
    "shell_call",
    "shell_command",
    SCRIPT,
    "batch",
    "multi_tool_use.parallel",
    "tool_call",
    TYPED_IN,
];
/// The tool that runs a program in JavaScript, in which the other tools are functions (codex 0.171.0, qwen-code 0.24.4).
pub const SCRIPT: &str = "exec";
/// Tools that call others by their names (qwen-code 0.24.4, opencode 1.18.33, models of OpenAI), each with the member that
/// lists the calls, if it lists them, and the members of a call with the name and the arguments.
pub const CALLERS: &[(&str, &str, &str, &str)] = &[
    ("tool_call", "", "name", "arguments"),
    ("batch", "tool_calls", "tool", "parameters"),
    (
        "multi_tool_use.parallel",
        "tool_uses",
        "recipient_name",
        "parameters",
    ),
];
/// Names of the argument with a program.
pub const PROGRAM: &[&str] = &["input", "code", "script", "source"];
/// The tool that types into a shell, or another program, that runs already.
pub const TYPED_IN: &str = "write_stdin";
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
    "list_dir",
    "list_directory",
    "read",
    "read_many_files",
    "search",
    "search_file_content",
    "view_image",
];
/// Tools that wait for a program that runs already, or look at what it wrote so far.
const WAIT: &[&str] = &[
    "AgentOutput",
    "AgentOutputTool",
    "BashOutput",
    "Monitor",
    "Sleep",
    "TaskOutput",
    "Wait",
    "bash_output",
    "check_command_status",
    "command_status",
    "get_command_output",
    "get_terminal_output",
    "read_terminal",
    "shell_output",
    "sleep",
    "task_output",
    "wait",
    "wait_agent",
    "wait_for",
];
/// Programs that only wait.
const IDLE: [&str; 2] = ["sleep", "wait"];
const OTHER: &[&str] = &["MultiEdit", "NotebookEdit", "developer__text_editor", "multiedit"];

/// Names of the argument with a line for a shell, the built-in tool's first.
pub const LINE: &[&str] = &["command", "cmd", "chars"];
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
/// Names of every argument with a place, or with several.
pub const PLACES: &[&str] = &[
    "path",
    "file_path",
    "filePath",
    "absolute_path",
    "dir_path",
    "notebook_path",
    "paths",
    "include",
];

/// Returns what a tool of this name does; nothing for a tool that is not known.
pub fn kind(tool: &str) -> Option<Kind> {
    let all = [
        (SHELL, Kind::Shell),
        (WRITE, Kind::Write),
        (EDIT, Kind::Edit),
        (PATCH, Kind::Patch),
        (READ, Kind::Read),
        (OTHER, Kind::Other),
    ];
    all.into_iter()
        .find_map(|(names, kind)| names.contains(&tool).then_some(kind))
}

/// Returns true for a tool that runs a line in a shell.
pub fn is_shell(tool: &str) -> bool {
    kind(tool) == Some(Kind::Shell)
}

/// Returns true for a tool whose calls run other tools of the agent.
pub fn has_inner_tools(tool: &str) -> bool {
    tool == SCRIPT || CALLERS.iter().any(|(name, ..)| *name == tool)
}

/// Returns true for a call that waits for a program that runs already, or looks at what it wrote so far. Such a call is
/// repeated on purpose.
pub fn waits(tool: &str, args: &str) -> bool {
    if WAIT.contains(&tool) {
        return true;
    }
    let Ok(args) = serde_json::from_str::<Value>(args) else {
        return false;
    };
    if tool == TYPED_IN {
        // Without characters it types nothing.
        return matches!(args.get("chars").map(Value::as_str), None | Some(Some("")));
    }
    if !is_shell(tool) || has_inner_tools(tool) {
        return false;
    }
    let args = inner(tool, &args).unwrap_or(args);
    let Some(line) = value_in(&args, LINE).and_then(Value::as_str) else {
        return false;
    };
    let reading = Reading::of_line(line);
    let mut commands = reading.written().peekable();
    commands.peek().is_some()
        && commands.all(|one| {
            one.program_name()
                .and_then(|name| name.rsplit('/').next())
                .is_some_and(|name| IDLE.contains(&name))
        })
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
            let is_known = |(key, value): (&String, &Value)| match key.as_str() {
                "type" => ["create_file", "update_file", "delete_file"]
                    .iter()
                    .any(|kind| value == kind),
                "path" | "diff" => value.is_string(),
                _ => false,
            };
            operation.as_object()?.iter().all(is_known).then_some(operation)?
        }
        _ => return None,
    };
    Some(args)
}

/// What a patch does with a file that it deletes.
pub const DELETES: &str = "deletes";
/// What a patch does with a file that it puts in another place.
pub const MOVES: &str = "moves to";
/// The line with which a patch begins.
const PATCH_BEGINS: &str = "*** Begin Patch";

/// A file of a patch: what is done with it, and its path.
pub type Patched<'p> = (&'static str, &'p str);

/// Returns the lines of a patch, each with the file that it begins: adds, updates, deletes, moves to.
///
/// The format is that of the tool `apply_patch` of codex: a line `*** Update File: PATH` begins a file. Inside of an update
/// a line that begins with a blank is one of the file, whatever follows.
pub fn patch_lines(patch: &str) -> impl Iterator<Item = (&str, Option<Patched<'_>>)> {
    const HEADS: [(&str, &str); 4] = [
        ("*** Add File:", "adds"),
        ("*** Update File:", "updates"),
        ("*** Delete File:", DELETES),
        ("*** Move to:", MOVES),
    ];
    let mut is_inside = false;
    patch
        .strip_suffix('\n')
        .unwrap_or(patch)
        .split('\n')
        .map(move |line| {
            let head = if is_inside { line } else { line.trim_start() };
            let mut heads = HEADS.iter();
            let found = heads.find_map(|(begin, word)| Some((*word, head.strip_prefix(begin)?.trim())));
            is_inside = found.is_none() && (is_inside || line.starts_with("@@"));
            (line, found)
        })
}

/// Returns the files of a patch.
pub fn patched(patch: &str) -> impl Iterator<Item = Patched<'_>> {
    patch_lines(patch).filter_map(|(_, found)| found)
}

/// Returns the patches in the arguments of a call, as [`inner`] gives them: of a tool for patches, and in what a shell
/// gets.
pub fn patches(tool: &str, args: &Value) -> Vec<String> {
    let texts = |names: &[&str]| -> Vec<String> {
        let values = names.iter().filter_map(|name| args.get(*name));
        let all = values.flat_map(|value| {
            value
                .as_array()
                .map_or(std::slice::from_ref(value), Vec::as_slice)
        });
        all.filter_map(|value| value.as_str().map(String::from)).collect()
    };
    match kind(tool) {
        Some(Kind::Patch) => texts(TEXT),
        Some(Kind::Shell) => {
            let mut texts = texts(&[LINE, WORDS, &[LINES]].concat());
            texts.retain(|text| text.contains(PATCH_BEGINS));
            // One name is in two of the lists.
            texts.dedup();
            texts
        }
        _ => Vec::new(),
    }
}

/// Returns the places that the arguments of a known tool name; nothing for shells, patches and unknown tools.
pub fn places(tool: &str, args: &str) -> Vec<String> {
    if matches!(kind(tool), None | Some(Kind::Shell | Kind::Patch)) {
        return Vec::new();
    }
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(args).unwrap_or_default();
    let texts = |name: &&str| -> Option<Vec<String>> {
        let value = members.get(*name)?.get();
        let one = serde_json::from_str(value).map(|text| vec![text]);
        one.or_else(|_| serde_json::from_str(value)).ok()
    };
    PLACES.iter().filter_map(texts).flatten().collect()
}

/// Returns the directory in which a call of a shell runs, as written; nothing where the call names none.
pub fn directory(tool: &str, args: &str) -> Option<String> {
    if !is_shell(tool) {
        return None;
    }
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(args).ok()?;
    let text = |name: &&str| serde_json::from_str::<String>(members.get(*name)?.get()).ok();
    DIRECTORY.iter().find_map(text)
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
            ("exec", Some(Kind::Shell)),
            ("tool_call", Some(Kind::Shell)),
            ("Write", Some(Kind::Write)),
            ("replace", Some(Kind::Edit)),
            ("apply_patch", Some(Kind::Patch)),
            ("Read", Some(Kind::Read)),
            ("NotebookEdit", Some(Kind::Other)),
            ("BASH", None),
            ("mcp__x__bash", None),
            ("", None),
        ] {
            assert_eq!(kind(tool), expected, "{tool}");
        }
    }

    #[test]
    fn the_directory_of_a_shell_is_read() {
        for (tool, args, expected) in [
            ("shell", r#"{"command":"ls","cwd":"a"}"#, Some("a")),
            ("exec_command", r#"{"cmd":"ls","workdir":"a/b"}"#, Some("a/b")),
            ("shell", r#"{"command":"ls"}"#, None),
            ("shell", r#"{"command":"ls","cwd":7}"#, None),
            ("read_file", r#"{"cwd":"a"}"#, None),
            ("shell", "{", None),
        ] {
            assert_eq!(directory(tool, args).as_deref(), expected, "{tool} {args}");
        }
    }

    #[test]
    fn calls_that_wait_for_a_program_are_known() {
        for (tool, args, expected) in [
            ("BashOutput", r#"{"bash_id":"b1"}"#, true),
            ("TaskOutput", "{}", true),
            ("wait", "not json", true),
            (TYPED_IN, r#"{"session_id":1,"chars":""}"#, true),
            (TYPED_IN, r#"{"session_id":1}"#, true),
            (TYPED_IN, r#"{"session_id":1,"chars":"y\n"}"#, false),
            (TYPED_IN, r#"{"session_id":1,"chars":7}"#, false),
            ("shell", r#"{"command":"sleep 30"}"#, true),
            ("Bash", r#"{"command":"sleep 5 && sleep 5; wait"}"#, true),
            ("Bash", r#"{"command":"sleep 5; rm -r build"}"#, false),
            ("Bash", r#"{"command":""}"#, false),
            ("Bash", r#"{"command":"cat sleep"}"#, false),
            ("exec_command", r#"{"cmd":"/bin/sleep 9"}"#, true),
            ("Bash", "not json", false),
            ("Read", r#"{"file_path":"/a"}"#, false),
            ("bashoutput", "{}", false),
        ] {
            assert_eq!(waits(tool, args), expected, "{tool} {args}");
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
        assert_eq!(
            places("NotebookEdit", r#"{"notebook_path":"/n.ipynb"}"#),
            ["/n.ipynb"]
        );
        assert_eq!(
            places("read_many_files", r#"{"paths":["a","../b"]}"#),
            ["a", "../b"]
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

    #[test]
    fn a_line_inside_of_an_update_begins_no_file() {
        let files = |patch: &str| -> Vec<String> {
            patched(patch)
                .map(|(what, path)| format!("{what} {path}"))
                .collect()
        };
        let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+*** y\n\
            *** Move to: b.rs\n*** Delete File: ../c\n *** Add File: d\n+1\n*** End Patch\n";
        assert_eq!(
            files(patch),
            ["updates a.rs", "moves to b.rs", "deletes ../c", "adds d"]
        );
        let kept =
            "*** Update File: a\n@@ fn x\n *** Delete File: b\n-x\n  *** Move to: c\n*** Delete File: d\r\n";
        assert_eq!(files(kept), ["updates a", "deletes d"]);
        // Where no line of the file was seen, it may begin one.
        assert_eq!(
            files("*** Update File: a\n  *** Delete File: b\n"),
            ["updates a", "deletes b"]
        );
    }

    #[test]
    fn patches_are_found_in_what_a_shell_gets() {
        let patch = "*** Begin Patch\n*** Delete File: a\n*** End Patch";
        let line = format!("cd x && apply_patch <<'E'\n{patch}\nE");
        for (tool, args) in [
            ("apply_patch", json!({"input": patch})),
            ("apply_patch", json!({"input": 1, "patch": patch})),
            ("exec_command", json!({"cmd": line})),
            ("shell", json!({"command": ["apply_patch", patch]})),
            ("shell_call", json!({"commands": ["ls", line]})),
        ] {
            let found = patches(tool, &args);
            let files: Vec<Patched<'_>> = found.iter().flat_map(|one| patched(one)).collect();
            assert_eq!(files, [(DELETES, "a")], "{tool} {args}");
        }
        assert!(patches("exec_command", &json!({"cmd": "echo '*** Delete File: a'"})).is_empty());
        assert!(patches("Write", &json!({"content": patch, "input": patch})).is_empty());
    }
}
