//! Which directories of a workspace are ignored.
//!
//! Must not know: what is in them, what happens to an ignored one.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use overrule_regular_file as regular_file;

/// The most bytes of a file of patterns that is read.
pub(crate) const MOST: u64 = 1 << 20;
/// The name of a file of patterns.
pub(crate) const FILE: &[u8] = b".gitignore";

/// The patterns of the settings.
#[derive(Debug)]
pub(crate) struct Patterns {
    include: Gitignore,
    exclude: Gitignore,
}

/// Reads patterns that hold below a directory. An invalid line is left out; the others hold.
pub(crate) fn parse(directory: &Path, text: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new(directory);
    for line in text.lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

impl Patterns {
    /// Reads the patterns of the settings.
    pub(crate) fn new(workspace: &Path, include: &[String], exclude: &[String]) -> Self {
        Self {
            include: parse(workspace, &include.join("\n")),
            exclude: parse(workspace, &exclude.join("\n")),
        }
    }

    /// Returns true if a path is not tracked.
    pub(crate) fn excludes(&self, path: &Path, is_dir: bool) -> bool {
        !self.exclude.is_empty() && self.exclude.matched(path, is_dir).is_ignore()
    }

    /// Returns true if there is nothing to exclude.
    pub(crate) fn is_empty(&self) -> bool {
        self.exclude.is_empty()
    }

    /// Returns true if a directory is tracked although it is ignored.
    pub(crate) fn includes(&self, path: &Path) -> bool {
        !self.include.is_empty() && self.include.matched(path, true).is_ignore()
    }
}

/// What is ignored in a directory: the patterns of it and of those above, the outermost first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rules(Vec<Arc<Gitignore>>);

impl Rules {
    /// Adds the patterns of an inner directory.
    pub(crate) fn and(&self, inner: Arc<Gitignore>) -> Self {
        let mut all = self.0.clone();
        all.push(inner);
        Self(all)
    }

    /// Adds the patterns of directories above the workspace.
    pub(crate) fn add_files(&mut self, directories: &[PathBuf]) {
        for directory in directories {
            if let Ok(text) = regular_file::read_text(&directory.join(OsStr::from_bytes(FILE)), MOST) {
                self.0.push(Arc::new(parse(directory, &text)));
            }
        }
    }

    /// Returns true if a directory is ignored. The innermost patterns that name it decide.
    pub(crate) fn ignores(&self, directory: &Path) -> bool {
        let mut inward = self.0.iter().rev();
        let decided = inward.find_map(|rules| match rules.matched(directory, true) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        });
        decided.unwrap_or(false)
    }
}
