//! Determines from its text where a path leads: to a workspace directory, elsewhere in it, or
//! unknown.
//!
//! Must not know: rules, gates.
//!
//! Who can look gives a function that follows links; then both forms of a path count. A path that
//! leaves the workspace by its text may come back to it by a link (`/proc/self/cwd`, another name of
//! the workspace), so that its target is unknown.

use std::path::{Component, Path, PathBuf};

use super::danger::Danger;
use super::read_only::ReadOnlyCall;
use super::reversible::FileFacts;

/// Follows the links of a full path, as far as it exists.
pub type Links<'l> = dyn Fn(&Path) -> PathBuf + 'l;

/// Returns true if commands read only places of the workspace that may be read, and run in it.
pub type Reads<'r> = dyn Fn(&ReadOnlyCall) -> bool + 'r;

/// What decides about a shell line besides its text.
#[derive(Clone, Copy)]
pub(super) struct LineFacts<'l> {
    /// The table of dangers.
    pub(super) danger: &'l Danger,
    /// Looks at the places that commands read.
    pub(super) reads: &'l Reads<'l>,
}

/// What is known about the places of a call.
#[derive(Clone, Copy, Default)]
pub(super) struct Places<'p> {
    /// The directory that the tools work in.
    pub(super) workspace: Option<&'p Path>,
    /// Follows links; nothing where nobody can look.
    pub(super) links: Option<&'p Links<'p>>,
    /// What decides about a shell line; nothing where nobody can look.
    pub(super) line: Option<LineFacts<'p>>,
    /// What decides whether changes can be undone; nothing where they are not tracked.
    pub(super) files: Option<FileFacts<'p>>,
}

impl Places<'_> {
    /// Returns whether a path leads to `directory` (of the workspace) or below it once all links are followed; nothing if
    /// nobody can look.
    pub(super) fn follows_to(&self, path: &str, directory: &Path) -> Option<bool> {
        let (workspace, links) = (self.workspace?, self.links?);
        let path = links(&workspace.join(path));
        Some(path.starts_with(links(&workspace.join(directory))))
    }

    /// Returns the place that a path leads to, written like the path: relative or absolute. Nothing if no link leads
    /// elsewhere.
    pub(super) fn followed(&self, path: &str) -> Option<String> {
        let (workspace, links) = (self.workspace?, self.links?);
        let written = workspace.join(path);
        let real = links(&written);
        if flatten(&written).as_ref() == Some(&real) {
            return None;
        }
        let relative = Path::new(path)
            .is_relative()
            .then(|| real.strip_prefix(links(workspace)).ok());
        let place = relative.flatten().unwrap_or(&real);
        Some(place.to_string_lossy().into_owned())
    }
}

/// Where a path leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leads {
    /// To the directory or below it.
    Inside,
    /// To another place of the workspace.
    Outside,
    /// Unknown from its text.
    Unknown,
}

/// Whether a path as written leads to `directory` (of the workspace) or below it.
pub(super) fn leads(path: &str, directory: &Path, workspace: Option<&Path>) -> Leads {
    let path = Path::new(path);
    let inside = match workspace {
        // What climbs out and comes back under the name of the workspace is in it.
        Some(workspace) => {
            let whole = flatten(&workspace.join(path));
            whole.and_then(|whole| whole.strip_prefix(workspace).ok().map(Path::to_path_buf))
        }
        None if path.is_absolute() => None,
        None => flatten(path),
    };
    match inside {
        None => Leads::Unknown,
        Some(path) if path.starts_with(directory) => Leads::Inside,
        Some(_) => Leads::Outside,
    }
}

/// Returns the path without `.` and `..`; none if it climbs above its start.
pub(super) fn flatten(path: &Path) -> Option<PathBuf> {
    let mut flat = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if flat.file_name().is_none() || !flat.pop() {
                    return None;
                }
            }
            other => flat.push(other),
        }
    }
    Some(flat)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_leaves_the_workspace_by_its_words_may_lead_anywhere() {
        let of = |path: &str| leads(path, Path::new("secrets"), Some(Path::new("/w/ws")));
        for path in [
            "secrets",
            "secrets/k",
            "./x/../secrets/k",
            "/w/ws/secrets/k",
            "../ws/secrets/k",
            "x/../../ws/secrets/k",
            "/w/other/../ws/secrets",
        ] {
            assert_eq!(of(path), Leads::Inside, "{path}");
        }
        for path in [
            "",
            ".",
            "docs/k",
            "secrets/../k",
            "secretss",
            "../ws/docs",
            "/w/ws",
        ] {
            assert_eq!(of(path), Leads::Outside, "{path}");
        }
        for path in [
            "..",
            "../secrets/k",
            "../../../../w/ws/secrets/k",
            "/proc/self/cwd/secrets/k",
            "/linked/secrets/k",
            "/w/wss/secrets/k",
            "/",
        ] {
            assert_eq!(of(path), Leads::Unknown, "{path}");
        }
    }

    #[test]
    fn without_a_workspace_only_what_stays_in_it_is_known() {
        let of = |path: &str| leads(path, Path::new("secrets"), None);
        assert_eq!(of("a/../secrets/k"), Leads::Inside);
        assert_eq!(of("a/k"), Leads::Outside);
        assert_eq!(of("../ws/secrets/k"), Leads::Unknown);
        assert_eq!(of("/w/ws/secrets/k"), Leads::Unknown);
    }
}
