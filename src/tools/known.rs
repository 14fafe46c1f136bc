//! Says what a call of a common tool would replace, as the built-in tools say it of their own calls.
//!
//! Must not know: who executes the call, how a decision is shown.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::builtin;
use super::tool::{Replacement, Tool, Writes};
use overrule_base::known_tool::{
    ALL, CONTENT, Kind, NEW, OLD, PATH, inner, kind, patched, patches, places, value_in,
};

/// The built-in call that does to a file what this one does: its tool and arguments. Nothing for a call that changes no
/// file, or whose arguments leave it open.
fn built_in(tool: &str, args: &Value, workspace: &Path) -> Option<(Box<dyn Tool>, Value)> {
    let text = |names: &[&'static str]| value_in(args, names).and_then(Value::as_str);
    let path = text(PATH)?;
    let below = Path::new(path).strip_prefix(workspace).ok();
    let path = below.and_then(Path::to_str).unwrap_or(path);
    match kind(tool)? {
        Kind::Write => {
            let args = json!({"path": path, "content": text(CONTENT)?});
            Some((builtin::write_file(), args))
        }
        Kind::Edit => {
            let all = value_in(args, ALL).and_then(Value::as_bool).unwrap_or_default();
            let args = json!({"path": path, "old": text(OLD)?, "new": text(NEW)?, "all": all});
            Some((builtin::edit_file(), args))
        }
        Kind::Shell | Kind::Patch | Kind::Read | Kind::Other => None,
    }
}

/// Returns what a call would replace; see [`Tool::replaces`].
pub fn replaces(tool: &str, args: &Value, workspace: &Path, private: &[PathBuf]) -> Option<Replacement> {
    let (tool, args) = built_in(tool, args, workspace)?;
    tool.replaces(&args, workspace, private)
}

/// Returns the hashes of the content before and after a call; see [`Tool::before`].
pub fn before(tool: &str, args: &Value, workspace: &Path, private: &[PathBuf]) -> Option<Value> {
    let (tool, args) = built_in(tool, args, workspace)?;
    tool.before(&args, workspace, private)
}

/// Returns what a call of a common tool may change; see [`Tool::writes`]. A call whose arguments leave it open may change
/// anything.
pub fn writes(tool: &str, args: &Value) -> Writes {
    let args = &inner(tool, args).unwrap_or_else(|| args.clone());
    let paths: Vec<PathBuf> = match kind(tool) {
        Some(Kind::Write | Kind::Edit | Kind::Other) => places(tool, &args.to_string())
            .into_iter()
            .map(PathBuf::from)
            .collect(),
        Some(Kind::Patch) => {
            let patches = patches(tool, args);
            let files = patches.iter().flat_map(|patch| patched(patch));
            files.map(|(_, path)| PathBuf::from(path)).collect()
        }
        Some(Kind::Shell | Kind::Read) | None => Vec::new(),
    };
    if paths.is_empty() {
        Writes::Anything
    } else {
        Writes::Paths(paths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_tool_changes_the_paths_that_it_names_and_any_other_tool_anything() {
        let paths = |all: &[&str]| Writes::Paths(all.iter().map(PathBuf::from).collect());
        let patch = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n x\n*** Add File: c\n+y\n*** End Patch\n";
        for (tool, args, expected) in [
            (
                "Write",
                json!({"file_path": "/w/a", "content": ""}),
                paths(&["/w/a"]),
            ),
            (
                "edit",
                json!({"filePath": "a", "oldString": "b", "newString": "c"}),
                paths(&["a"]),
            ),
            ("NotebookEdit", json!({"notebook_path": "n"}), paths(&["n"])),
            ("apply_patch", json!({"input": patch}), paths(&["a", "b", "c"])),
            ("Bash", json!({"command": "rm a"}), Writes::Anything),
            ("apply_patch", json!({"input": "nothing"}), Writes::Anything),
            ("Write", json!({"content": ""}), Writes::Anything),
            ("other", json!({"path": "a"}), Writes::Anything),
        ] {
            assert_eq!(writes(tool, &args), expected, "{tool} {args}");
        }
    }

    #[test]
    fn the_tools_of_other_agents_replace_what_the_built_in_ones_would() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = dir.path().canonicalize().unwrap();
        std::fs::write(workspace.join("a.txt"), "one two one").unwrap();
        let absolute = workspace.join("a.txt").display().to_string();
        let then = |tool: &str, args: Value| {
            replaces(tool, &args, &workspace, &[]).map(|found| (found.now.unwrap_or_default(), found.then))
        };
        let now = Some("one two one".to_owned());
        let write = json!({"file_path": absolute, "content": "new"});
        assert_eq!(then("Write", write), Some((now.clone(), "new".to_owned())));
        let edit = json!({"filePath": "a.txt", "oldString": "two", "newString": "2"});
        assert_eq!(then("edit", edit), Some((now.clone(), "one 2 one".to_owned())));
        let all = json!({"file_path": absolute, "old_string": "one", "new_string": "1", "replace_all": true});
        assert_eq!(then("Edit", all.clone()), Some((now, "1 two 1".to_owned())));
        let recorded = before("Edit", &all, &workspace, &[]).unwrap();
        assert_eq!(recorded["content"], "one two one");
        let fresh = json!({"file_path": "b.txt", "content": "x"});
        assert_eq!(then("Write", fresh), Some((None, "x".to_owned())));
        assert!(!workspace.join("b.txt").exists(), "a look writes nothing");
        for (tool, args) in [
            ("Bash", json!({"command": "rm a.txt"})),
            ("Write", json!({"file_path": "a", "path": "b", "content": "x"})),
            ("Edit", json!({"file_path": "a.txt", "old_string": "one"})),
            ("other", json!({"path": "a.txt", "content": "x"})),
        ] {
            assert_eq!(then(tool, args.clone()), None, "{tool} {args}");
        }
        let outside = replaces(
            "Write",
            &json!({"file_path": "/etc/passwd", "content": ""}),
            &workspace,
            &[],
        );
        assert!(outside.unwrap().now.is_err(), "nothing outside is read");
    }
}
