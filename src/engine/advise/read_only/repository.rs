//! Finds out whether a command of git that only reads, or loses nothing, could run a program that the repository names.
//!
//! Must not know: commands, rules.
//!
//! The settings of the repository are judged by [`git_settings`]. The settings of the user and of the system are theirs.

use std::fs;
use std::path::{Path, PathBuf};

use overrule_base::git_settings;
use overrule_regular_file as regular_file;

/// Maximum size of a file of settings, in bytes.
const SETTINGS: u64 = 64 * 1024;
/// Maximum size of an index, in bytes.
const INDEX: u64 = 64 * 1024 * 1024;
/// The mode of another repository in an index (gitformat-index(5)), as it is written there.
const LINKED: [u8; 4] = [0x00, 0x00, 0xe0, 0x00];
/// What a command of git does with a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Runs {
    /// It reads: of the hooks, only one runs.
    Reads,
    /// It changes the repository: each hook may run.
    Hooks,
}

/// True if git, started in this directory, runs no program that the repository names, and if the repository does not reach
/// beyond the workspace.
pub(super) fn names_no_program(directory: &Path, workspace: &Path, runs: Runs) -> bool {
    let mut at = Some(directory);
    while let Some(place) = at {
        let marker = place.join(".git");
        if let Ok(found) = fs::symlink_metadata(&marker) {
            let git = match found.file_type() {
                kind if kind.is_dir() => Some(marker),
                kind if kind.is_file() => linked(&marker, place),
                _ => None,
            };
            let is_inside = place.starts_with(workspace);
            return is_inside && git.is_some_and(|git| is_harmless(&git, place, runs));
        }
        // Git takes such a directory for a repository, too.
        if place.join("HEAD").exists() && place.join("objects").exists() {
            return false;
        }
        at = place.parent();
    }
    true
}

/// The directory of the repository that a file `.git` names.
fn linked(file: &Path, place: &Path) -> Option<PathBuf> {
    Some(place.join(git_settings::git_directory(&text(file)?)?))
}

fn is_harmless(git: &Path, tree: &Path, runs: Runs) -> bool {
    let shared = match git.join("commondir") {
        file if file.exists() => match text(&file) {
            Some(text) => git.join(text.trim()),
            None => return false,
        },
        _ => git.to_owned(),
    };
    let files = [shared.join("config"), git.join("config.worktree")];
    let are_harmless = files
        .iter()
        .all(|file| is_absent(file) || text(file).is_some_and(|text| git_settings::name_no_program(&text)));
    // A hook of a command that looks at files: it runs when the index is written (githooks(5)).
    let hooks = shared.join("hooks");
    let has_hook = match runs {
        Runs::Reads => hooks.join("post-index-change").exists(),
        Runs::Hooks => !has_samples_only(&hooks),
    };
    are_harmless && !has_hook && is_absent(&tree.join(".gitmodules")) && has_no_other(git)
}

/// True if a directory of hooks has none but the examples that git puts there.
fn has_samples_only(hooks: &Path) -> bool {
    if is_absent(hooks) {
        return true;
    }
    let is_sample = |entry: std::io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| entry.file_name().to_string_lossy().ends_with(".sample"))
    };
    fs::read_dir(hooks).is_ok_and(|mut entries| entries.all(is_sample))
}

/// True if the index lists no repository inside of this one, whose settings would count as well.
fn has_no_other(git: &Path) -> bool {
    let index = git.join("index");
    if is_absent(&index) {
        return true;
    }
    let is_split = fs::read_dir(git).is_ok_and(|mut entries| {
        entries
            .any(|entry| entry.is_ok_and(|one| one.file_name().to_string_lossy().starts_with("sharedindex")))
    });
    // Other bytes may look like the mode: then the answer is no, which asks.
    let is_linked = |bytes: &[u8]| bytes.windows(LINKED.len()).any(|four| four == LINKED);
    !is_split && regular_file::read(&index, INDEX).is_ok_and(|bytes| !is_linked(&bytes))
}

fn is_absent(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

fn text(path: &Path) -> Option<String> {
    regular_file::read_text(path, SETTINGS).ok()
}
