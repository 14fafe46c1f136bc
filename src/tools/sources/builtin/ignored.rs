//! Decides by ignore files which files a walk leaves out.
//!
//! Must not know: how a walk proceeds, what is done with what it finds.
//!
//! Ignore files are read like every other file of the workspace: regular files only, through no link, up to a
//! size limit. A repository can have a link to a device or to the terminal under such a name.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::FileType;

use crate::workspace::Workspace;

/// Maximum bytes of an ignore file; a longer one is not read.
const LONGEST: u64 = 1024 * 1024;
/// The ignore files of a directory. If one has a rule for a path, the later ones are
/// not used.
const NAMES: [&str; 3] = [".ignore", ".gitignore", ".git/info/exclude"];

/// The rules of the ignore files of a workspace.
pub(super) struct Ignored {
    workspace: Arc<Workspace>,
    /// The topmost directory whose ignore files apply, relative to the workspace.
    top: PathBuf,
    /// What applies to the entries of each directory; nothing if no rule does.
    read: Mutex<HashMap<PathBuf, Option<Arc<Level>>>>,
}

/// The rules of one directory.
struct IgnoreRules {
    rules: [Option<Gitignore>; NAMES.len()],
    /// True for the root of a repository: rules of git above it do not apply in it.
    is_repository: bool,
}

impl IgnoreRules {
    fn are_any(&self) -> bool {
        self.is_repository || self.rules.iter().any(Option::is_some)
    }
}

/// A directory with rules, and the next one above it. Directories without rules are left out, so that an entry deep
/// down costs no more than one at the top.
struct Level {
    own: IgnoreRules,
    above: Option<Arc<Level>>,
}

impl Ignored {
    /// Reads the rules for a directory and everything below it; the directory is relative to the workspace.
    pub(super) fn below(workspace: &Arc<Workspace>, top: &Path) -> Self {
        Self {
            workspace: workspace.clone(),
            top: top.to_owned(),
            read: Mutex::default(),
        }
    }

    /// True if the entry at a full path is left out: ignored, or hidden and not requested.
    pub(super) fn leaves_out(&self, path: &Path, is_dir: bool) -> bool {
        let path = path.strip_prefix(self.workspace.root()).unwrap_or(path);
        match self.is_ignored(path, is_dir) {
            Some(ignored) => ignored,
            None => path
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b".")),
        }
    }

    /// The result of the nearest rule in the first kind of ignore file with one; true if the path is ignored.
    fn is_ignored(&self, path: &Path, is_dir: bool) -> Option<bool> {
        let mut found = [None; NAMES.len()];
        let mut in_repository = true;
        let mut level = path.parent().and_then(|dir| self.of(dir));
        while let Some(here) = level {
            for (no, (rules, found)) in here.own.rules.iter().zip(&mut found).enumerate() {
                let counts = found.is_none() && (no == 0 || in_repository);
                if let Some(rules) = rules.as_ref().filter(|_| counts) {
                    let matched = rules.matched(path, is_dir);
                    *found = (!matched.is_none()).then(|| matched.is_ignore());
                }
            }
            in_repository &= !here.own.is_repository;
            level = here.above.as_ref().map(Arc::clone);
        }
        found.into_iter().flatten().next()
    }

    /// What applies to the entries of a directory. A walk asks for a directory after the one that contains it.
    fn of(&self, dir: &Path) -> Option<Arc<Level>> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let mut unread = Vec::new();
        let mut level = None;
        for dir in dir.ancestors() {
            if let Some(known) = read.get(dir) {
                level.clone_from(known);
                break;
            }
            unread.push(dir);
            if dir == self.top {
                break;
            }
        }
        for dir in unread.into_iter().rev() {
            let own = self.read(dir);
            if own.are_any() {
                level = Some(Arc::new(Level { own, above: level }));
            }
            read.insert(dir.to_owned(), level.clone());
        }
        level
    }

    fn read(&self, dir: &Path) -> IgnoreRules {
        let whole = self.workspace.root().join(dir).join(".git");
        IgnoreRules {
            rules: NAMES.map(|name| self.rules(dir, name)),
            is_repository: whole.symlink_metadata().is_ok(),
        }
    }

    /// The rules of one file; `None` if it does not exist, cannot be read or is not an ignore file.
    fn rules(&self, dir: &Path, name: &str) -> Option<Gitignore> {
        let mut file = self.workspace.found(&dir.join(name)).ok()?;
        let stat = rustix::fs::fstat(&file).ok()?;
        let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        if !is_file || u64::try_from(stat.st_size).ok()? > LONGEST {
            return None;
        }
        let mut bytes = Vec::new();
        file.by_ref().take(LONGEST).read_to_end(&mut bytes).ok()?;
        let mut builder = GitignoreBuilder::new(dir);
        let text = String::from_utf8_lossy(&bytes);
        for line in text.trim_start_matches('\u{feff}').lines() {
            // An invalid line is skipped; the others apply.
            builder.add_line(None, line).map(drop).unwrap_or_default();
        }
        builder.build().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of directories whose rules are asked about an entry of a directory.
    fn asked(ignored: &Ignored, dir: &Path) -> usize {
        let mut level = ignored.of(dir);
        let mut count = 0;
        while let Some(here) = level {
            count += 1;
            level = here.above.clone();
        }
        count
    }

    #[test]
    fn a_folder_deep_down_asks_only_those_above_it_that_have_rules() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(".gitignore"), "*.log\n").unwrap();
        let deep: PathBuf = std::iter::repeat_n("d", 300).collect();
        std::fs::create_dir_all(dir.path().join(&deep)).unwrap();
        let half: PathBuf = std::iter::repeat_n("d", 150).collect();
        std::fs::write(dir.path().join(&half).join(".ignore"), "!b.log\n").unwrap();
        let workspace = Arc::new(Workspace::open(dir.path()).unwrap());
        let ignored = Ignored::below(&workspace, Path::new(""));
        assert_eq!(asked(&ignored, Path::new("")), 1);
        assert_eq!(asked(&ignored, &deep), 2);
        // Each directory was read once, in whatever order they are asked for.
        assert_eq!(ignored.read.lock().unwrap().len(), 301);
        assert_eq!(asked(&ignored, half.parent().unwrap()), 1);
        assert_eq!(ignored.read.lock().unwrap().len(), 301);
        let root = workspace.root();
        assert!(ignored.leaves_out(&root.join(&deep).join("a.log"), false));
        assert!(!ignored.leaves_out(&root.join(&deep).join("b.log"), false));
        assert!(ignored.leaves_out(&root.join("b.log"), false));
        assert!(!ignored.leaves_out(&root.join(&deep).join("a.txt"), false));
    }
}
