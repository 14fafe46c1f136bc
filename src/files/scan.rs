//! Looks at the files of a workspace and finds what differs from the last look.
//!
//! Must not know: who changed them.

mod entries;
mod ignored;
mod resolve;

pub(crate) use resolve::is_same;

use std::ffi::OsStr;
use std::io::Read as _;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use ignore::gitignore::Gitignore;
use overrule_base::text::visible;
use overrule_domain::files::{ChangeList, FilePath};
use rustix::fs::{AtFlags, Dir, FileType};
use rustix::io::Errno;

use crate::deadline::{Deadline, file_time};
use crate::entry::Meta;
use crate::index::{Difference, Index, Unlisted};
use crate::repository::{self, Repository};
use crate::root::{self, Root, join};
use crate::rules::{self, Patterns, Rules};
use crate::store::{Batch, Store};
use crate::watch::Watch;
use crate::{Error, Settings};

/// How deep directories may lie; each holds a descriptor while it is read.
const DEPTH: usize = 128;

/// What a scan works with.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) root: Root,
    pub(crate) store: Store,
    pub(crate) settings: Settings,
    pub(crate) patterns: Patterns,
}

/// What a scan found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// What changed.
    pub(crate) changes: ChangeList,
    /// Directories that are not tracked and in which something was written.
    pub(crate) wrote: Vec<FilePath>,
    /// Why not everything was seen or saved.
    pub(crate) problem: Option<String>,
    /// Something may have changed that was not seen.
    pub(crate) is_partial: bool,
}

/// Why a scan ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Late,
    TooMany,
}

/// Where a directory lies.
#[derive(Debug, Clone, Default)]
struct Place {
    repository: Option<u16>,
    rules: Rules,
    /// It is in an ignored directory that is tracked.
    is_ignored: bool,
    /// It was not tracked before: what is in it is not new.
    is_baseline: bool,
    depth: usize,
}

/// One scan.
struct Scan<'a> {
    context: &'a Context,
    index: &'a mut Index,
    watch: &'a mut Watch,
    deadline: Deadline,
    /// When it began, in nanoseconds since 1970.
    now: i64,
    is_first: bool,
    batch: Batch,
    differences: Vec<Difference>,
    wrote: Vec<FilePath>,
    stop: Option<Stop>,
    /// What was tracked and could not be read: it may have changed.
    unread: Option<String>,
    failure: Option<Error>,
}

/// Makes the index of a workspace. Contents that are neither in the repository nor in the store are saved.
///
/// # Errors
///
/// Returns why the workspace is not tracked.
pub(crate) fn first(context: &Context, watch: &mut Watch) -> Result<(Index, Option<String>), String> {
    let mut index = Index::default();
    index.repositories.extend(Repository::around(&context.root.path));
    let mut scan = Scan::new(context, &mut index, watch, Deadline::NONE, true);
    scan.walk();
    scan.check_blobs();
    let found = scan.finish();
    match found.problem {
        Some(problem) if found.is_partial => Err(problem),
        problem => Ok((index, problem)),
    }
}

/// Looks again, and brings the index up to date.
pub(crate) fn again(context: &Context, index: &mut Index, watch: &mut Watch) -> Found {
    let deadline = Deadline::after(context.settings.scan);
    let mut scan = Scan::new(context, index, watch, deadline, false);
    scan.walk();
    scan.finish()
}

/// Looks at these paths alone, each after the directories above it.
pub(crate) fn paths(context: &Context, index: &mut Index, watch: &mut Watch, paths: &[FilePath]) -> Found {
    let deadline = Deadline::after(context.settings.scan);
    let mut scan = Scan::new(context, index, watch, deadline, false);
    for path in paths {
        scan.path(path);
    }
    scan.finish()
}

impl<'a> Scan<'a> {
    fn new(
        context: &'a Context,
        index: &'a mut Index,
        watch: &'a mut Watch,
        deadline: Deadline,
        is_first: bool,
    ) -> Self {
        Self {
            context,
            index,
            watch,
            deadline,
            now: file_time(),
            is_first,
            batch: Batch::default(),
            differences: Vec::new(),
            wrote: Vec::new(),
            stop: None,
            unread: None,
            failure: None,
        }
    }

    fn walk(&mut self) {
        let workspace = &self.context.root.path;
        let mut place = Place::default();
        let around = self.index.repositories.first().filter(|one| one.root.is_empty());
        if let Some(repository) = around {
            place.repository = Some(0);
            let above = repository.above(workspace);
            if let Some(excludes) = repository.excludes() {
                let above = above.first().unwrap_or(workspace);
                place.rules = place.rules.and(Arc::new(rules::parse(above, &excludes)));
            }
            place.rules.add_files(&above);
        }
        match self.context.root.directory(b"") {
            Ok(fd) => self.directory(b"", fd, place),
            Err(_) => self.unreadable(b""),
        }
    }

    fn is_stopped(&mut self) -> bool {
        if self.stop.is_none() {
            if self.deadline.is_over() {
                self.stop = Some(Stop::Late);
            } else if self.index.count > self.context.settings.max_files {
                self.stop = Some(Stop::TooMany);
            }
        }
        self.stop.is_some()
    }

    fn absolute(&self, path: &[u8]) -> PathBuf {
        self.context.root.path.join(OsStr::from_bytes(path))
    }

    /// Looks at a directory and at what is below it.
    fn directory(&mut self, path: &[u8], fd: OwnedFd, mut place: Place) {
        // Before its entries are read, so that no change is lost in between. Each time: a directory that was made again
        // may have the inode number of the old one, with which the watch ended.
        self.watch.add(fd.as_fd());
        let Some((fd, names)) = list(fd) else {
            self.unreadable(path);
            return;
        };
        let has = |name: &[u8]| names.binary_search_by(|one| (**one).cmp(name)).is_ok();
        let has_repository = has(repository::ENTRY) && !path.is_empty();
        if has_repository {
            place.repository = self.nested(path);
        }
        let gitignore = has(rules::FILE)
            .then(|| self.rules_of(path, fd.as_fd()))
            .flatten();
        if let Some(rules) = &gitignore {
            place.rules = place.rules.and(Arc::clone(rules));
        }
        let inner = self.entries(path, fd.as_fd(), names, &place);
        if let Some(directory) = self.index.directories.get_mut(path) {
            directory.rules = gitignore;
            directory.is_read = true;
            directory.has_repository = has_repository;
        }
        for (name, mut place) in inner {
            if self.is_stopped() {
                return;
            }
            place.depth = place.depth.saturating_add(1);
            let inner = join(path, &name);
            match root::directory(fd.as_fd(), &name) {
                Ok(inner_fd) if place.depth < DEPTH => self.directory(&inner, inner_fd, place),
                // It went away meanwhile: the next scan finds that.
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
                _ => self.unreadable(&inner),
            }
        }
    }

    /// The entries of a directory cannot be read. Those that are known stay as they were.
    fn unreadable(&mut self, path: &[u8]) {
        if path.is_empty() || self.index.is_read(path) {
            self.unread(path);
        } else {
            self.index.remove_below(path);
            self.leave(path, Unlisted::Unreadable, 0);
        }
    }

    /// A path that is tracked cannot be read.
    fn unread(&mut self, path: &[u8]) {
        let name = if path.is_empty() {
            "the workspace".into()
        } else {
            String::from_utf8_lossy(path)
        };
        self.unread
            .get_or_insert_with(|| format!("cannot read {}", visible(&name)));
    }

    /// The repository whose work tree begins at a directory.
    fn nested(&mut self, path: &[u8]) -> Option<u16> {
        if let Some(at) = self.index.nested(path) {
            return Some(at);
        }
        let repository = Repository::nested(&self.context.root.path, path)?;
        let at = u16::try_from(self.index.repositories.len()).ok()?;
        self.index.repositories.push(repository);
        Some(at)
    }

    /// The patterns of a directory, which are read if the file changed.
    fn rules_of(&mut self, path: &[u8], fd: BorrowedFd<'_>) -> Option<Arc<Gitignore>> {
        let stat = rustix::fs::statat(fd, OsStr::from_bytes(rules::FILE), AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let known = self.index.get(&join(path, rules::FILE));
        if known.is_some_and(|entry| entry.meta == Meta::of(&stat) && !entry.is_racy) {
            return self.index.directories.get(path)?.rules.clone();
        }
        let text = text(fd, rules::FILE)?;
        Some(Arc::new(rules::parse(&self.absolute(path), &text)))
    }
}

/// The names in a directory, in their order, and the directory.
fn list(fd: OwnedFd) -> Option<(OwnedFd, Vec<Box<[u8]>>)> {
    let mut names = Vec::new();
    for entry in Dir::read_from(&fd).ok()? {
        let entry = entry.ok()?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            names.push(name.into());
        }
    }
    names.sort_unstable();
    Some((fd, names))
}

/// The text of a small file in a directory.
fn text(fd: BorrowedFd<'_>, name: &[u8]) -> Option<String> {
    let file = root::file(fd, name).ok()?;
    let is_file = Meta::of(&rustix::fs::fstat(&file).ok()?).kind() == FileType::RegularFile;
    let mut bytes = Vec::new();
    file.take(rules::MOST).read_to_end(&mut bytes).ok()?;
    is_file.then(|| String::from_utf8_lossy(&bytes).into_owned())
}
