//! An entry of a directory as it was seen: its metadata and where its content is.
//!
//! Must not know: how entries are found or compared over time.

use std::ffi::OsStr;
use std::io::Read as _;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt as _;

use overrule_domain::files::{FileState, RawText};
use rustix::fs::{AtFlags, FileType, Stat};
use rustix::io::Errno;

use crate::root;

/// The hash of a content: BLAKE3.
pub(crate) type Hash = [u8; 32];
/// How often a file is read that changes meanwhile.
const READS: usize = 3;
/// How long after a change another one may leave the times as they are, in nanoseconds: a tick of the kernel's clock,
/// or the two seconds of a file system that stores whole seconds.
const TICK: i64 = 50_000_000;
const COARSE: i64 = 2_000_000_000;
const SECOND: i64 = 1_000_000_000;

/// What `lstat` answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Meta {
    pub(crate) size: u64,
    /// In nanoseconds since 1970.
    pub(crate) mtime: i64,
    pub(crate) ctime: i64,
    pub(crate) inode: u64,
    pub(crate) device: u64,
    /// Kind and permissions.
    pub(crate) mode: u32,
    /// It has more than one name.
    pub(crate) is_linked: bool,
}

impl Meta {
    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_lossless,
        reason = "the types differ between systems"
    )]
    pub(crate) fn of(stat: &Stat) -> Self {
        let time = |seconds: i64, rest: i64| seconds.saturating_mul(SECOND).saturating_add(rest);
        let is_dir = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        Self {
            size: stat.st_size as u64,
            mtime: time(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            ctime: time(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            inode: stat.st_ino as u64,
            device: stat.st_dev as u64,
            mode: stat.st_mode as u32,
            is_linked: !is_dir && stat.st_nlink > 1,
        }
    }

    #[allow(clippy::unnecessary_cast, reason = "the types differ between systems")]
    pub(crate) fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.mode as rustix::fs::RawMode)
    }

    pub(crate) const fn permissions(&self) -> u32 {
        self.mode & 0o7777
    }

    pub(crate) fn is_dir(&self) -> bool {
        self.kind() == FileType::Directory
    }

    /// Returns true if a change after `now` may leave the same metadata.
    fn is_racy(&self, now: i64) -> bool {
        let latest = self.mtime.max(self.ctime);
        let window = if self.mtime % SECOND == 0 && self.ctime % SECOND == 0 {
            COARSE
        } else {
            TICK
        };
        latest >= now.saturating_sub(window)
    }
}

/// Why a content is not saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// It is larger than this.
    TooLarge(u64),
    /// A pipe, a socket or a device.
    Special,
    /// It cannot be read.
    Unreadable(Errno),
    /// It changed each time it was read.
    Changing,
    /// The store has no room, or saving it failed.
    Full,
    /// The repository no longer has it, or has another content.
    Repository,
}

impl Why {
    fn describe(self, size: u64) -> String {
        match self {
            Self::TooLarge(limit) => format!("{}, limit {}", mebibytes(size), mebibytes(limit)),
            Self::Special => "a pipe, socket or device".to_owned(),
            Self::Unreadable(errno) => format!("cannot be read: {}", std::io::Error::from(errno)),
            Self::Changing => "changed while it was read".to_owned(),
            Self::Full => "store full".to_owned(),
            Self::Repository => "the repository has no copy of it".to_owned(),
        }
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / 1024.0 / 1024.0)
}

/// Where the content of an entry is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    /// A directory has none.
    Directory,
    /// Where a symbolic link leads.
    Link(Box<[u8]>),
    /// In the store.
    Stored(Hash),
    /// A blob of the repository with this number.
    Git(u16, [u8; 20]),
    /// Nowhere.
    Unsaved(Why),
}

/// An entry of a directory.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) name: Box<[u8]>,
    pub(crate) meta: Meta,
    /// A later change may leave the same metadata: it is read again at the next look.
    pub(crate) is_racy: bool,
    pub(crate) content: Content,
}

impl Entry {
    /// Returns true if its content could not be saved, and may be later.
    pub(crate) fn is_full(&self) -> bool {
        self.content == Content::Unsaved(Why::Full)
    }

    /// Returns the state; none for a blob, whose hash is not known.
    pub(crate) fn state(&self) -> Option<FileState> {
        let mode = self.meta.permissions();
        Some(match &self.content {
            Content::Directory => FileState::Dir { mode },
            Content::Link(target) => FileState::Symlink {
                target: RawText(target.clone()),
            },
            Content::Stored(hash) => FileState::File {
                hash: hex(hash),
                size: self.meta.size,
                mode,
            },
            Content::Git(..) => return None,
            Content::Unsaved(why) => FileState::Unsaved {
                why: why.describe(self.meta.size),
                size: self.meta.size,
                mtime: self.meta.mtime,
            },
        })
    }
}

/// Saves a content.
pub(crate) type Save<'a> = &'a mut dyn FnMut(&[u8]) -> Result<Hash, Why>;

/// Reads an entry: its metadata and, unless it is larger than `max`, its content, which `save` gets. `now` is a time
/// before the read, in nanoseconds since 1970.
pub(crate) fn read(
    at: BorrowedFd<'_>,
    name: &[u8],
    max: u64,
    now: i64,
    save: Save<'_>,
) -> Result<Entry, Errno> {
    let mut last = None;
    for _ in 0..READS {
        let stat = rustix::fs::statat(at, OsStr::from_bytes(name), AtFlags::SYMLINK_NOFOLLOW)?;
        let meta = Meta::of(&stat);
        let entry = |content| Entry {
            name: name.into(),
            meta,
            is_racy: meta.is_racy(now),
            content,
        };
        match content(at, name, &meta, max, save) {
            Ok(Some(content)) => return Ok(entry(content)),
            // It was replaced or removed meanwhile.
            Err(Errno::LOOP | Errno::NOENT | Errno::NOTDIR | Errno::INVAL) | Ok(None) => {
                last = Some(entry(Content::Unsaved(Why::Changing)));
            }
            Err(errno) => return Ok(entry(Content::Unsaved(Why::Unreadable(errno)))),
        }
    }
    last.ok_or(Errno::NOENT)
}

/// The content; none if it changed while it was read.
fn content(
    at: BorrowedFd<'_>,
    name: &[u8],
    meta: &Meta,
    max: u64,
    save: Save<'_>,
) -> Result<Option<Content>, Errno> {
    match meta.kind() {
        FileType::Directory => return Ok(Some(Content::Directory)),
        FileType::Symlink => {
            let target = rustix::fs::readlinkat(at, OsStr::from_bytes(name), Vec::new())?;
            return Ok(Some(Content::Link(target.into_bytes().into())));
        }
        FileType::RegularFile if meta.size > max => {
            return Ok(Some(Content::Unsaved(Why::TooLarge(max))));
        }
        FileType::RegularFile => {}
        _ => return Ok(Some(Content::Unsaved(Why::Special))),
    }
    let mut file = root::file(at, name)?;
    let mut bytes = Vec::with_capacity(usize::try_from(meta.size).unwrap_or_default());
    let read = (&mut file).take(max.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    let after = Meta::of(&rustix::fs::fstat(&file)?);
    if after != *meta || bytes.len() as u64 != meta.size {
        return Ok(None);
    }
    Ok(Some(match save(&bytes) {
        Ok(hash) => Content::Stored(hash),
        Err(why) => Content::Unsaved(why),
    }))
}

/// Returns a hash in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| DIGITS.get(usize::from(value)).copied().map_or('0', char::from);
    let pairs = bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
    pairs.collect()
}
