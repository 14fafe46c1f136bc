//! Finds out whether a command of git that only reads, or loses nothing, could run a program that the repository names.
//!
//! Must not know: commands, rules.
//!
//! The settings of the repository are held against a list of harmless ones (git-config(1)): one that is not on it may name a
//! program. The settings of the user and of the system are theirs.

use std::fs;
use std::path::{Path, PathBuf};

use overrule_regular_file as regular_file;

/// Maximum size of a file of settings, in bytes.
const SETTINGS: u64 = 64 * 1024;
/// Maximum size of an index, in bytes.
const INDEX: u64 = 64 * 1024 * 1024;
/// The mode of another repository in an index (gitformat-index(5)), as it is written there.
const LINKED: [u8; 4] = [0x00, 0x00, 0xe0, 0x00];
/// Settings that name no program: a section and its keys; `*` for all keys.
const HARMLESS: &[(&str, &str)] = &[
    ("advice", "*"),
    ("author", "*"),
    ("branch", "*"),
    ("color", "*"),
    ("committer", "*"),
    (
        "core",
        "abbrev autocrlf checkstat compression eol filemode ignorecase logallrefupdates longpaths precomposeunicode \
         preloadindex protecthfs protectntfs quotepath repositoryformatversion safecrlf symlinks trustctime untrackedcache",
    ),
    (
        "diff",
        "algorithm colormoved context interhunkcontext mnemonicprefix noprefix renamelimit renames",
    ),
    ("extensions", "objectformat"),
    ("fetch", "fsckobjects parallel prune prunetags writecommitgraph"),
    ("gc", "*"),
    ("gui", "*"),
    ("init", "defaultbranch"),
    ("lfs", "repositoryformatversion url"),
    ("log", "abbrevcommit date decorate follow"),
    ("maintenance", "*"),
    ("merge", "conflictstyle ff renames"),
    ("pull", "*"),
    ("push", "autosetupremote default followtags"),
    ("rebase", "*"),
    ("remote", "fetch prune pushurl tagopt url"),
    ("rerere", "*"),
    ("status", "*"),
    ("user", "email name"),
];

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
    let text = text(file)?;
    Some(place.join(text.strip_prefix("gitdir:")?.trim()))
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
        .all(|file| is_absent(file) || text(file).is_some_and(|text| settings(&text)));
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

/// True if all settings of a file are harmless. A line that is not understood is none.
fn settings(text: &str) -> bool {
    let mut section = String::new();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if line.ends_with('\\') {
            return false;
        }
        if let Some(head) = line.strip_prefix('[') {
            let Some(head) = head.strip_suffix(']') else {
                return false;
            };
            let name = head.split([' ', '.', '\t']).next().unwrap_or_default();
            section = name.to_ascii_lowercase();
            // A setting of a named driver is one of a program.
            let is_named = name.len() < head.trim().len();
            if is_named && !["branch", "remote", "color"].contains(&section.as_str()) {
                return false;
            }
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, "true"));
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
        let is_of_tree = section == "core" && key == "bare" && value.eq_ignore_ascii_case("false");
        let is_listed = HARMLESS.iter().any(|(name, keys)| {
            *name == section && (*keys == "*" || keys.split_whitespace().any(|one| one == key))
        });
        let is_name = key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if !is_name || !(is_listed || is_of_tree) {
            return false;
        }
    }
    true
}

fn is_absent(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

fn text(path: &Path) -> Option<String> {
    regular_file::read_text(path, SETTINGS).ok()
}
