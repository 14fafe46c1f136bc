//! Looks at the files of a workspace and finds what differs from the last look.
//!
//! Must not know: who changed them.

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
use overrule_domain::files::{ChangeList, FilePath};
use rustix::fs::{AtFlags, Dir, FileType};
use rustix::io::Errno;

use crate::deadline::{Deadline, file_time};
use crate::entry::{self, Content, Entry, Meta, Why};
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
pub(crate) struct Ground {
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
    ground: &'a Ground,
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
    failure: Option<Error>,
    /// The repositories whose attributes convert files, found in this scan.
    converting: Vec<u16>,
}

/// Makes the index of a workspace. Contents that are neither in the repository nor in the store are saved.
///
/// # Errors
///
/// Returns why the workspace is not tracked.
pub(crate) fn first(ground: &Ground, watch: &mut Watch) -> Result<(Index, Option<String>), String> {
    let mut index = Index::default();
    index.repositories.extend(Repository::around(&ground.root.path));
    let mut scan = Scan::new(ground, &mut index, watch, Deadline::NONE, true);
    scan.walk();
    scan.check_blobs();
    let found = scan.finish();
    match found.problem {
        Some(problem) if found.is_partial => Err(problem),
        problem => Ok((index, problem)),
    }
}

/// Looks again, and brings the index up to date.
pub(crate) fn again(ground: &Ground, index: &mut Index, watch: &mut Watch) -> Found {
    let deadline = Deadline::after(ground.settings.scan);
    let mut scan = Scan::new(ground, index, watch, deadline, false);
    scan.walk();
    scan.finish()
}

/// Looks at these paths alone, each after the directories above it.
pub(crate) fn paths(ground: &Ground, index: &mut Index, watch: &mut Watch, paths: &[FilePath]) -> Found {
    let deadline = Deadline::after(ground.settings.scan);
    let mut scan = Scan::new(ground, index, watch, deadline, false);
    for path in paths {
        scan.path(path);
    }
    scan.finish()
}

impl<'a> Scan<'a> {
    fn new(
        ground: &'a Ground,
        index: &'a mut Index,
        watch: &'a mut Watch,
        deadline: Deadline,
        is_first: bool,
    ) -> Self {
        Self {
            ground,
            index,
            watch,
            deadline,
            now: file_time(),
            is_first,
            batch: Batch::default(),
            differences: Vec::new(),
            wrote: Vec::new(),
            stop: None,
            failure: None,
            converting: Vec::new(),
        }
    }

    fn walk(&mut self) {
        let workspace = &self.ground.root.path;
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
        match self.ground.root.directory(b"") {
            Ok(fd) => self.directory(b"", fd, place),
            Err(errno) => self.failure = Some(Error::io("open", workspace, errno)),
        }
    }

    fn is_stopped(&mut self) -> bool {
        if self.stop.is_none() {
            if self.deadline.is_over() {
                self.stop = Some(Stop::Late);
            } else if self.index.count > self.ground.settings.max_files {
                self.stop = Some(Stop::TooMany);
            }
        }
        self.stop.is_some()
    }

    fn absolute(&self, path: &[u8]) -> PathBuf {
        self.ground.root.path.join(OsStr::from_bytes(path))
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
        if has(repository::ENTRY) && !path.is_empty() {
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

    /// Its entries are not known any more.
    fn unreadable(&mut self, path: &[u8]) {
        self.index.remove_below(path);
        self.index.unlisted.insert(path.into(), (Unlisted::Unreadable, 0));
    }

    /// The repository whose work tree begins at a directory.
    fn nested(&mut self, path: &[u8]) -> Option<u16> {
        if let Some(at) = self.index.nested(path) {
            return Some(at);
        }
        let repository = Repository::nested(&self.ground.root.path, path)?;
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

    /// Compares the entries of a directory with those of the last look. Returns the directories to go into.
    fn entries(
        &mut self,
        path: &[u8],
        fd: BorrowedFd<'_>,
        names: Vec<Box<[u8]>>,
        place: &Place,
    ) -> Vec<(Box<[u8]>, Place)> {
        let directory = self.index.directories.entry(path.into()).or_default();
        let mut old = std::mem::take(&mut directory.entries).into_iter().peekable();
        let mut entries = Vec::with_capacity(names.len());
        let mut inner = Vec::new();
        for unlisted in self.index.unlisted_in(path) {
            let name = root::split(&unlisted).1;
            if names.binary_search_by(|one| (**one).cmp(name)).is_err() {
                self.index.unlisted.remove(&unlisted);
                self.note_written(&unlisted);
            }
        }
        for name in names {
            if self.is_stopped() {
                break;
            }
            if *name == *repository::ENTRY {
                continue;
            }
            while let Some(gone) = old.next_if(|entry| entry.name < name) {
                self.removed(path, gone);
            }
            let known = old.next_if(|entry| entry.name == name);
            let stat = rustix::fs::statat(fd, OsStr::from_bytes(&name), AtFlags::SYMLINK_NOFOLLOW);
            let meta = match stat {
                Ok(stat) => Meta::of(&stat),
                Err(Errno::NOENT) => {
                    if let Some(gone) = known {
                        self.removed(path, gone);
                    }
                    continue;
                }
                Err(_) => {
                    entries.extend(known);
                    continue;
                }
            };
            let mut is_baseline = place.is_baseline;
            if meta.is_dir() {
                let Some(next) = self.listed(path, fd, &name, place) else {
                    if let Some(gone) = known {
                        self.unlist(path, gone);
                    }
                    continue;
                };
                is_baseline = next.is_baseline;
                inner.push((name.clone(), next));
            } else if !self.ground.patterns.is_empty()
                && self
                    .ground
                    .patterns
                    .excludes(&self.absolute(&join(path, &name)), false)
            {
                continue;
            }
            let entry = match known {
                Some(entry) if entry.meta == meta && !entry.is_racy => entry,
                known => {
                    let place = Place {
                        is_baseline,
                        ..place.clone()
                    };
                    match self.looked_at(path, fd, name, &meta, &place, known) {
                        Some(entry) => entry,
                        None => continue,
                    }
                }
            };
            entries.push(entry);
        }
        if self.stop.is_some() {
            // What was not reached stays as it was.
            entries.extend(old);
        } else {
            old.for_each(|gone| self.removed(path, gone));
        }
        entries.shrink_to_fit();
        if let Some(directory) = self.index.directories.get_mut(path) {
            directory.entries = entries;
        }
        inner
    }

    /// Reads an entry that is new or may differ, and notes a difference.
    fn looked_at(
        &mut self,
        path: &[u8],
        fd: BorrowedFd<'_>,
        name: Box<[u8]>,
        meta: &Meta,
        place: &Place,
        known: Option<Entry>,
    ) -> Option<Entry> {
        let full = join(path, &name);
        if *name == *b".gitattributes"
            && let Some(number) = place.repository
        {
            let attributes = text(fd, &name);
            if attributes.is_none_or(|text| repository::converts(&text)) {
                self.convert(number);
            }
        }
        let clean = self.clean(&full, meta, place, known.as_ref());
        let read = match clean {
            Some(content) => Ok(Entry {
                name,
                meta: *meta,
                is_racy: false,
                content,
            }),
            None => self.read(fd, &name),
        };
        let Ok(entry) = read else {
            if let Some(gone) = known {
                self.removed(path, gone);
            }
            return None;
        };
        if known.is_none() {
            self.index.count = self.index.count.saturating_add(1);
        }
        let is_dir = |entry: &Entry| entry.meta.is_dir();
        if known.as_ref().is_some_and(is_dir) && !is_dir(&entry) {
            let removed = self.index.remove_below(&full);
            self.differences.extend(removed);
        }
        if !place.is_baseline {
            self.note(full, known, Some(entry.clone()));
        }
        Some(entry)
    }

    /// The blobs of a repository are not what its files are. Those that were checked at the first scan remain what they
    /// are.
    fn convert(&mut self, number: u16) {
        if let Some(repository) = self.index.repositories.get_mut(usize::from(number)) {
            repository.is_used = false;
        }
        self.converting.push(number);
    }

    /// The content of a file that the index of its repository proves. After the first scan only where it is that of the
    /// last look: the hash of a new one is needed.
    fn clean(&mut self, path: &[u8], meta: &Meta, place: &Place, known: Option<&Entry>) -> Option<Content> {
        let number = place.repository?;
        if meta.kind() != FileType::RegularFile || meta.size > self.ground.settings.max_file {
            return None;
        }
        let last = known.map(|entry| &entry.content);
        if !self.is_first && !matches!(last, Some(Content::Git(..))) {
            return None;
        }
        let oid = self
            .index
            .repositories
            .get_mut(usize::from(number))?
            .clean(path, meta)?;
        let content = Content::Git(number, oid);
        (self.is_first || last == Some(&content)).then_some(content)
    }

    fn read(&mut self, fd: BorrowedFd<'_>, name: &[u8]) -> Result<Entry, Errno> {
        let (store, batch, failure) = (&self.ground.store, &mut self.batch, &mut self.failure);
        let mut save = |bytes: &[u8]| {
            store.put(bytes, batch).map_err(|error| {
                failure.get_or_insert(error);
                Why::Full
            })
        };
        entry::read(fd, name, self.ground.settings.max_file, self.now, &mut save)
    }

    /// Looks at one path.
    fn path(&mut self, path: &FilePath) {
        let (parent, name) = root::split(path.bytes());
        if !self.index.directories.contains_key(parent) {
            return;
        }
        let entry = self
            .ground
            .root
            .directory(parent)
            .and_then(|fd| self.read(fd.as_fd(), name));
        let differences = self.index.set(path, entry.ok());
        self.differences.extend(differences);
    }

    fn removed(&mut self, directory: &[u8], entry: Entry) {
        let path = join(directory, &entry.name);
        self.index.count = self.index.count.saturating_sub(1);
        if entry.meta.is_dir() {
            let removed = self.index.remove_below(&path);
            self.differences.extend(removed);
        }
        self.note(path, Some(entry), None);
    }

    fn note(&mut self, path: Vec<u8>, before: Option<Entry>, after: Option<Entry>) {
        if self.is_first {
            return;
        }
        if let Ok(path) = FilePath::new(path) {
            self.differences.push(Difference { path, before, after });
        }
    }

    fn note_written(&mut self, path: &[u8]) {
        if !self.is_first {
            self.wrote.extend(FilePath::new(path.to_vec()));
        }
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
