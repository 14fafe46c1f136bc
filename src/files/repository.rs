//! The git repositories of a workspace: what is checked out, and which blobs its clean files have.
//!
//! Must not know: how files are found, where contents are saved.
//!
//! Only files of the repository are read. Source: gitrepository-layout(5), git-worktree(1), gitattributes(5).

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use overrule_domain::files::Head;
use overrule_regular_file as regular_file;
use rustix::fs::Stat;

use crate::entry::Meta;
use crate::git_index::GitIndex;

/// The most bytes of an index that is read: more than a million files.
const MOST_INDEX: u64 = 256 << 20;
/// The most bytes of another file of a repository that is read.
const MOST: u64 = 4 << 20;
/// The entry of a directory that is a work tree.
pub(crate) const ENTRY: &[u8] = b".git";
/// The name of a file of attributes.
pub(crate) const ATTRIBUTES: &[u8] = b".gitattributes";
/// The attributes by which a file in the work tree differs from its blob in more than its line ends.
const CONVERTING: [&str; 3] = ["filter", "ident", "working-tree-encoding"];

/// A repository that has files in the workspace.
#[derive(Debug)]
pub(crate) struct Repository {
    /// Its own directory, and the one that it shares with other work trees.
    pub(crate) dir: PathBuf,
    common: PathBuf,
    /// Where its work tree begins, from the workspace on; empty for the workspace and above.
    pub(crate) root: Box<[u8]>,
    /// The workspace's path in the work tree, with a slash at the end, if the work tree begins above it.
    prefix: Vec<u8>,
    /// True if clean files have the content of their blobs.
    pub(crate) is_used: bool,
    index: Option<GitIndex>,
}

fn text(path: &Path) -> Option<String> {
    String::from_utf8(regular_file::read(path, MOST).ok()?).ok()
}

impl Repository {
    /// Opens the repository whose work tree begins at a directory, which has an entry `.git`.
    fn open(work_tree: &Path, root: &[u8], prefix: Vec<u8>) -> Option<Self> {
        let entry = work_tree.join(".git");
        let dir = if entry.is_dir() {
            entry
        } else {
            let named = text(&entry)?;
            work_tree.join(named.strip_prefix("gitdir:")?.trim())
        };
        let common = match text(&dir.join("commondir")) {
            Some(named) => dir.join(named.trim()),
            None => dir.clone(),
        };
        let config = text(&common.join("config"))?.to_lowercase();
        let is_sha1 = !config.contains("sha256");
        let attributes = text(&common.join("info/attributes")).unwrap_or_default();
        Some(Self {
            is_used: is_sha1 && !converts(&attributes),
            dir,
            common,
            root: root.into(),
            prefix,
            index: None,
        })
    }

    /// Opens the one that a workspace is in.
    pub(crate) fn around(workspace: &Path) -> Option<Self> {
        let mut ancestors = workspace.ancestors();
        let work_tree = ancestors.find(|dir| dir.join(".git").symlink_metadata().is_ok())?;
        let inner = workspace.strip_prefix(work_tree).ok()?.as_os_str().as_bytes();
        let prefix = if inner.is_empty() {
            Vec::new()
        } else {
            [inner, b"/"].concat()
        };
        Self::open(work_tree, &[], prefix)
    }

    /// Opens one whose work tree begins below the workspace.
    pub(crate) fn nested(workspace: &Path, root: &[u8]) -> Option<Self> {
        Self::open(&workspace.join(OsStr::from_bytes(root)), root, Vec::new())
    }

    /// The directories above the workspace that belong to the work tree, from the outermost on.
    pub(crate) fn above(&self, workspace: &Path) -> Vec<PathBuf> {
        let count = self.prefix.split(|byte| *byte == b'/').skip(1).count();
        let mut above: Vec<PathBuf> = workspace
            .ancestors()
            .skip(1)
            .take(count)
            .map(Path::to_owned)
            .collect();
        above.reverse();
        above
    }

    /// The patterns that are ignored in this clone alone.
    pub(crate) fn excludes(&self) -> Option<String> {
        text(&self.common.join("info/exclude"))
    }

    /// The path of a file of the workspace in the index.
    fn in_index(&self, path: &[u8]) -> Option<Vec<u8>> {
        let inner = if self.root.is_empty() {
            path
        } else {
            path.strip_prefix(&*self.root)?.strip_prefix(b"/")?
        };
        Some([&self.prefix, inner].concat())
    }

    /// The index, which is read if it is not loaded.
    fn load(&mut self) -> Option<&GitIndex> {
        if self.index.is_none() {
            let path = self.dir.join("index");
            let stat: Stat = rustix::fs::stat(&path).ok()?;
            let bytes = regular_file::read(&path, MOST_INDEX).ok()?;
            self.index = Some(GitIndex::read(&bytes, Meta::of(&stat).mtime).unwrap_or_default());
        }
        self.index.as_ref()
    }

    /// Returns the blob that a file has, if the index proves it.
    pub(crate) fn clean(&mut self, path: &[u8], meta: &Meta) -> Option<[u8; 20]> {
        if !self.is_used {
            return None;
        }
        let path = self.in_index(path)?;
        self.load()?.clean(&path, meta)
    }

    /// Returns true if git tracks a file below a directory.
    pub(crate) fn tracks_below(&mut self, directory: &[u8]) -> bool {
        let Some(path) = self.in_index(directory) else {
            return false;
        };
        self.load().is_some_and(|index| index.has_below(&path))
    }

    /// Forgets the index, which is read again when it is needed.
    pub(crate) fn unload(&mut self) {
        self.index = None;
    }

    /// What is checked out.
    pub(crate) fn head(&self) -> Option<Head> {
        let head = text(&self.dir.join("HEAD"))?;
        let head = head.trim();
        let Some(name) = head.strip_prefix("ref:") else {
            return Some(Head {
                branch: None,
                commit: is_commit(head).then(|| head.to_owned()),
            });
        };
        let name = name.trim();
        // Where references are not files, the name is one that cannot be.
        let branch = name
            .strip_prefix("refs/heads/")
            .filter(|name| !name.starts_with('.'))?;
        let is_plain = Path::new(name)
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)));
        let loose = is_plain.then(|| text(&self.common.join(name))).flatten();
        let commit = loose
            .map(|text| text.trim().to_owned())
            .filter(|text| is_commit(text));
        Some(Head {
            branch: Some(branch.to_owned()),
            commit: commit.or_else(|| self.packed(name)),
        })
    }

    fn packed(&self, name: &str) -> Option<String> {
        let packed = text(&self.common.join("packed-refs"))?;
        let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
        let (commit, _) = lines.find(|(commit, one)| *one == name && is_commit(commit))?;
        Some(commit.to_owned())
    }
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns true if a file of attributes names one by which files differ from their blobs.
pub(crate) fn converts(attributes: &str) -> bool {
    let lines = attributes
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    let mut words = lines.flat_map(|line| line.split_whitespace().skip(1));
    words.any(|word| {
        let name = word.split('=').next().unwrap_or(word);
        CONVERTING.contains(&name)
    })
}
