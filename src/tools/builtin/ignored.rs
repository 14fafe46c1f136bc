//! What ignore files leave out of a walk. They are read like every other file of the workspace: through no link, a
//! regular file only, and only so much of it. A repository can hold a link to a device or to the terminal under such a
//! name. Must not know: how a walk goes, what is done with what it finds.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::FileType;

use crate::tools::workspace::Workspace;

/// Bytes of an ignore file that are read; a longer one is not read at all.
const LONGEST: u64 = 1024 * 1024;
/// The files of a directory that name what is left out; of the first that says something of a path, the others are
/// not asked.
const NAMES: [&str; 3] = [".ignore", ".gitignore", ".git/info/exclude"];

/// What the ignore files of a workspace say.
pub(super) struct Ignored {
    workspace: Arc<Workspace>,
    /// The topmost directory whose files count, relative to the workspace.
    top: PathBuf,
    read: Mutex<HashMap<PathBuf, Arc<IgnoreRules>>>,
}

/// What the files of one directory say.
struct IgnoreRules {
    rules: [Option<Gitignore>; NAMES.len()],
    /// True where a repository begins: what git is told above it is not about what is in it.
    is_repository: bool,
}

impl Ignored {
    /// By the files of a directory and of all below it; the directory is relative to the workspace.
    pub(super) fn below(workspace: &Arc<Workspace>, top: &Path) -> Self {
        Self {
            workspace: workspace.clone(),
            top: top.to_owned(),
            read: Mutex::default(),
        }
    }

    /// Whether what stands at a path, the whole one, is left out: ignored, or hidden and not asked for.
    pub(super) fn leaves_out(&self, path: &Path, is_dir: bool) -> bool {
        let path = path.strip_prefix(self.workspace.root()).unwrap_or(path);
        match self.is_ignored(path, is_dir) {
            Some(ignored) => ignored,
            None => path
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b".")),
        }
    }

    /// What the nearest rule says, of the first kind of file that says anything; true where it is ignored.
    fn is_ignored(&self, path: &Path, is_dir: bool) -> Option<bool> {
        let mut found = [None; NAMES.len()];
        let mut in_repository = true;
        for dir in path.ancestors().skip(1) {
            let output = self.of(dir);
            for (no, (rules, found)) in output.rules.iter().zip(&mut found).enumerate() {
                let counts = found.is_none() && (no == 0 || in_repository);
                if let Some(rules) = rules.as_ref().filter(|_| counts) {
                    let matched = rules.matched(path, is_dir);
                    *found = (!matched.is_none()).then(|| matched.is_ignore());
                }
            }
            in_repository &= !output.is_repository;
            if dir == self.top {
                break;
            }
        }
        found.into_iter().flatten().next()
    }

    fn of(&self, dir: &Path) -> Arc<IgnoreRules> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let output = read
            .entry(dir.to_owned())
            .or_insert_with(|| Arc::new(self.read(dir)));
        output.clone()
    }

    fn read(&self, dir: &Path) -> IgnoreRules {
        let whole = self.workspace.root().join(dir).join(".git");
        IgnoreRules {
            rules: NAMES.map(|name| self.rules(dir, name)),
            is_repository: whole.symlink_metadata().is_ok(),
        }
    }

    /// The rules of one file; none where it is not there, cannot be read or is no ignore file.
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
            // A line that is no pattern says nothing; the others count.
            builder.add_line(None, line).map(drop).unwrap_or_default();
        }
        builder.build().ok()
    }
}
