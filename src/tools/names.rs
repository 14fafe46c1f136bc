//! Lists the names of the files of a workspace, as a search would find them.
//!
//! Must not know: who asks.

use std::path::Path;

use ignore::WalkBuilder;

/// Maximum number of files and directories that are looked at.
const MOST: usize = 20_000;

/// Returns the names of the files below a directory, relative to it, in order. Hidden and ignored ones are left out.
pub fn files(workspace: &Path) -> Vec<String> {
    let walk = WalkBuilder::new(workspace).require_git(false).build();
    let entries = walk.take(MOST).flatten();
    let files = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let names = files.filter_map(|entry| {
        let name = entry.path().strip_prefix(workspace).ok()?;
        name.to_str().map(str::to_owned)
    });
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_from_the_workspace_and_ignored_ones_are_not() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["src/a.rs", "b.txt", "target/x", ".hidden"] {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        std::fs::write(dir.path().join(".gitignore"), "target\n").unwrap();
        assert_eq!(files(dir.path()), ["b.txt", "src/a.rs"]);
        assert!(files(&dir.path().join("missing")).is_empty());
    }
}
