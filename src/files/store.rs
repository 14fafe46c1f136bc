//! The saved contents of a workspace's files, by their hash.
//!
//! Must not know: which files had them, who needs them.
//!
//! `<data>/files/<hash of the workspace's path>/objects/ab/<rest of the hash>`, each with one byte that says if
//! it is deflated. A content is written under a temporary name, synced and renamed. Whoever uses a store holds a shared
//! lock on it; a collection takes it alone.

use std::collections::HashMap;
use std::fs::{DirBuilder, File, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use overrule_base::text::visible;
use overrule_regular_file as regular_file;
use rustix::fs::FlockOperation;

use crate::entry::{Hash, hex};
use crate::{Error, Settings};

/// Above this many contents, one call syncs the whole file system instead of each of them.
const EACH: usize = 64;
/// Contents below this are not deflated.
const SMALL: usize = 256;
/// The part of a content by which it is decided whether deflating helps.
const SAMPLE: usize = 4096;
/// No content is larger: a bound for what a damaged one inflates to.
const MOST: u64 = 1 << 32;
/// Free space below which nothing is saved: this, or one part in `FREE_PART` of the disk.
const FREE: u64 = 1 << 30;
const FREE_PART: u64 = 20;
/// The bytes after which the free space is looked at again.
const ASK: u64 = 16 << 20;
const PLAIN: u8 = b'p';
const DEFLATED: u8 = b'd';
/// The number of the next temporary name of this process.
static NUMBER: AtomicU64 = AtomicU64::new(0);
pub(crate) const OBJECTS: &str = "objects";
pub(crate) const TEMPORARY: &str = "temporary";
pub(crate) const LOCK: &str = "lock";

/// The contents of one workspace.
#[derive(Debug)]
pub(crate) struct Store {
    dir: PathBuf,
    most: u64,
    most_of_all: u64,
    saved: AtomicU64,
    /// The bytes saved from which on the free space is looked at again.
    ask_from: AtomicU64,
    /// The bytes of all workspaces when the run began to save.
    others: OnceLock<u64>,
    _lock: File,
}

/// Contents that are written but do not have their names yet.
#[derive(Debug, Default)]
pub(crate) struct Batch(HashMap<Hash, u64>);

/// The directory of all stores.
pub(crate) fn stores(data_dir: &Path) -> PathBuf {
    data_dir.join("files")
}

/// The name of a workspace's store.
pub(crate) fn name_of(workspace: &Path) -> String {
    hex(blake3::hash(workspace.as_os_str().as_bytes()).as_bytes())
}

/// Makes a directory for its owner alone, whatever the umask.
fn private(path: &Path) -> Result<(), Error> {
    let failed = |error| Error::io("make", path, error);
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(failed)?;
    std::fs::set_permissions(path, Permissions::from_mode(0o700)).map_err(failed)
}

/// Opens the file whose lock is that of a store.
pub(crate) fn lock(dir: &Path, operation: FlockOperation) -> Result<File, io::Error> {
    let file = regular_file::ensure(&dir.join(LOCK))?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    rustix::fs::flock(&file, operation)?;
    Ok(file)
}

/// The bytes that are free for this program below a directory, and the size of the disk.
pub(crate) fn free(dir: &Path) -> Result<(u64, u64), Error> {
    let stat = rustix::fs::statvfs(dir).map_err(|errno| Error::io("ask the free space of", dir, errno))?;
    let size = |blocks: u64| blocks.saturating_mul(stat.f_frsize);
    Ok((size(stat.f_bavail), size(stat.f_blocks)))
}

impl Store {
    /// Opens the store of a workspace, and makes it if it is missing.
    pub(crate) fn open(data_dir: &Path, workspace: &Path, settings: &Settings) -> Result<Self, Error> {
        let all = stores(data_dir);
        private(&all)?;
        let dir = all.join(name_of(workspace));
        private(&dir)?;
        private(&dir.join(OBJECTS))?;
        private(&dir.join(TEMPORARY))?;
        let lock = lock(&dir, FlockOperation::LockShared).map_err(|error| Error::io("lock", &dir, error))?;
        Ok(Self {
            dir,
            most: settings.max_session,
            most_of_all: settings.max_store,
            saved: AtomicU64::new(0),
            ask_from: AtomicU64::new(0),
            others: OnceLock::new(),
            _lock: lock,
        })
    }

    /// Fails if the disk is nearly full: nothing is saved then.
    pub(crate) fn has_space(&self) -> Result<(), Error> {
        let (free, size) = free(&self.dir)?;
        if free < FREE || free < size / FREE_PART {
            let why = "less than 1 GiB or 5 % of the disk is free".to_owned();
            return Err(Error::Full { why });
        }
        Ok(())
    }

    /// Fails if there is no room for this many bytes more, below the limits of the run and of all workspaces and on the
    /// disk.
    pub(crate) fn has_room(&self, bytes: u64) -> Result<(), Error> {
        let saved = self.saved.load(Ordering::Relaxed).saturating_add(bytes);
        let full = |limit: &str| Error::Full {
            why: format!("the limit `{limit}` is reached"),
        };
        if saved > self.most {
            return Err(full("max_session"));
        }
        let all = self.dir.parent().unwrap_or(&self.dir);
        let others = self.others.get_or_init(|| size_of(all));
        if saved.saturating_add(*others) > self.most_of_all {
            return Err(full("max_store"));
        }
        if saved >= self.ask_from.load(Ordering::Relaxed) {
            self.has_space()?;
            self.ask_from.store(saved.saturating_add(ASK), Ordering::Relaxed);
        }
        Ok(())
    }

    /// The bytes that this run saved.
    pub(crate) fn saved(&self) -> u64 {
        self.saved.load(Ordering::Relaxed)
    }

    fn object(&self, hash: &str) -> PathBuf {
        let (head, rest) = hash.split_at_checked(2).unwrap_or((hash, ""));
        self.dir.join(OBJECTS).join(head).join(rest)
    }

    fn temporary(&self, number: u64) -> PathBuf {
        let name = format!("{}-{number}", std::process::id());
        self.dir.join(TEMPORARY).join(name)
    }

    /// Returns true if a content is saved. It may be damaged all the same.
    pub(crate) fn has(&self, hash: &str) -> bool {
        let stat = std::fs::symlink_metadata(self.object(hash));
        is_hash(hash) && stat.is_ok_and(|stat| stat.is_file() && stat.len() > 0)
    }

    /// Writes a content, which has its name after [`Self::commit`].
    pub(crate) fn put(&self, bytes: &[u8], batch: &mut Batch) -> Result<Hash, Error> {
        let hash = *blake3::hash(bytes).as_bytes();
        if batch.0.contains_key(&hash) {
            return Ok(hash);
        }
        let object = self.object(&hex(&hash));
        if self.has(&hex(&hash)) {
            return Ok(hash);
        }
        let packed = pack(bytes);
        self.has_room(packed.len() as u64)?;
        let is_synced = batch.0.len() < EACH || !cfg!(target_os = "linux");
        let number = self
            .write(&packed, is_synced)
            .map_err(|error| match error.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::Full {
                    why: "the disk is full".to_owned(),
                },
                _ => Error::io("save", &object, error),
            })?;
        self.saved.fetch_add(packed.len() as u64, Ordering::Relaxed);
        batch.0.insert(hash, number);
        Ok(hash)
    }

    /// Writes a file with a temporary name, and returns its number.
    fn write(&self, packed: &[u8], is_synced: bool) -> io::Result<u64> {
        let (number, path, mut file) = loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = self.temporary(number);
            match regular_file::create(&path) {
                Ok(file) => break (number, path, file),
                // Left by a process that had the same number and crashed.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        };
        let permissions = file.set_permissions(Permissions::from_mode(0o600));
        let written = permissions.and_then(|()| file.write_all(packed));
        let synced = written.and_then(|()| if is_synced { file.sync_all() } else { Ok(()) });
        if synced.is_err() {
            let _ = std::fs::remove_file(&path);
        }
        synced.map(|()| number)
    }

    /// Gives the contents of a batch their names, after which they survive a crash.
    pub(crate) fn commit(&self, batch: &mut Batch) -> Result<(), Error> {
        let batch = std::mem::take(batch).0;
        if batch.is_empty() {
            return Ok(());
        }
        let failed = |error: io::Error| Error::io("sync", &self.dir, error);
        let is_many = batch.len() > EACH;
        if is_many {
            sync_all(&self.dir).map_err(failed)?;
        }
        let mut directories = std::collections::BTreeSet::new();
        for (hash, number) in batch {
            let object = self.object(&hex(&hash));
            if let Some(parent) = object.parent() {
                if !parent.is_dir() {
                    private(parent)?;
                }
                directories.insert(parent.to_owned());
            }
            std::fs::rename(self.temporary(number), &object)
                .map_err(|error| Error::io("save", &object, error))?;
        }
        if is_many {
            return sync_all(&self.dir).map_err(failed);
        }
        directories.insert(self.dir.join(OBJECTS));
        for directory in directories {
            regular_file::open_dir(&directory)
                .and_then(|dir| dir.sync_all())
                .map_err(failed)?;
        }
        Ok(())
    }

    /// Returns a content.
    pub(crate) fn get(&self, hash: &str) -> Result<Vec<u8>, Error> {
        let shown = || visible(hash);
        if !is_hash(hash) {
            return Err(Error::NotSaved { hash: shown() });
        }
        let object = self.object(hash);
        let packed = match regular_file::read(&object, MOST) {
            Ok(packed) => packed,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Error::NotSaved { hash: shown() });
            }
            Err(error) => return Err(Error::io("read", &object, error)),
        };
        let bytes = unpack(&packed).filter(|bytes| hex(blake3::hash(bytes).as_bytes()) == hash);
        bytes.ok_or_else(|| Error::Damaged { hash: shown() })
    }
}

/// Returns true for a hash as it is recorded; anything else names no content.
fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Syncs the file system that a directory is on.
fn sync_all(dir: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::fs::syncfs(regular_file::open_dir(dir)?)?;
    #[cfg(not(target_os = "linux"))]
    let _ = dir;
    Ok(())
}

fn deflate(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(vec![DEFLATED], Compression::fast());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

/// The form in which a content is saved.
fn pack(bytes: &[u8]) -> Vec<u8> {
    let helps = |packed: &Vec<u8>, of: usize| packed.len() < of / 10 * 9;
    let sample = bytes.get(..SAMPLE).unwrap_or(bytes);
    let is_worth = bytes.len() >= SMALL && deflate(sample).is_some_and(|packed| helps(&packed, sample.len()));
    let packed = is_worth.then(|| deflate(bytes)).flatten();
    packed
        .filter(|packed| helps(packed, bytes.len()))
        .unwrap_or_else(|| [&[PLAIN], bytes].concat())
}

fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let (kind, rest) = packed.split_first()?;
    match *kind {
        PLAIN => Some(rest.to_vec()),
        DEFLATED => {
            let mut bytes = Vec::new();
            DeflateDecoder::new(rest)
                .take(MOST)
                .read_to_end(&mut bytes)
                .ok()?;
            Some(bytes)
        }
        _ => None,
    }
}

/// The bytes of the files at and below a directory; what cannot be read counts nothing.
pub(crate) fn size_of(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => size_of(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    });
    sizes.fold(0, u64::saturating_add)
}
