//! Reads the index of a git repository, which says which blob a clean file has.
//!
//! Must not know: which files are there, how a blob is read.
//!
//! Versions 2 to 4. Source: gitformat-index(5). An index that is split, or has something required that is not known
//! here, is not read.

use crate::entry::Meta;

/// Bytes of an entry before its flags.
const FIXED: usize = 60;
const NAME_MASK: u16 = 0x0fff;
const EXTENDED: u16 = 0x4000;
const ASSUME_VALID: u16 = 0x8000;
const STAGE: u16 = 0x3000;
const SKIP_WORKTREE: u16 = 0x4000;
/// The last bytes of an index: its checksum.
const CHECKSUM: usize = 20;
/// The bits of the mode of a regular file.
const REGULAR: u32 = 0o100_000;
const KIND: u32 = 0o170_000;

/// An entry: a path and the metadata that its file had when git looked last.
#[derive(Debug, Clone, Copy)]
struct Item {
    name: (u32, u32),
    ctime: (u32, u32),
    mtime: (u32, u32),
    inode: u32,
    size: u32,
    mode: u32,
    oid: [u8; 20],
    /// Its file may differ, whatever the metadata.
    is_unsure: bool,
}

/// The entries of an index, by their paths.
#[derive(Debug, Default)]
pub(crate) struct GitIndex {
    names: Vec<u8>,
    items: Vec<Item>,
    /// When the index was written, in nanoseconds since 1970.
    mtime: i64,
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(count)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn pair(&mut self) -> Option<(u32, u32)> {
        Some((self.u32()?, self.u32()?))
    }

    /// The bytes up to a NUL, which is passed.
    fn text(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        let text = self.take(length)?;
        self.take(1)?;
        Some(text)
    }

    /// The number of bytes that version 4 removes from the end of the name before.
    fn removed(&mut self) -> Option<usize> {
        let mut byte = *self.take(1)?.first()?;
        let mut value = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = *self.take(1)?.first()?;
            value = value
                .checked_add(1)?
                .checked_mul(128)?
                .checked_add(usize::from(byte & 0x7f))?;
        }
        Some(value)
    }
}

impl GitIndex {
    /// Reads an index that was written at `mtime`; none if it is not one that is understood.
    pub(crate) fn read(bytes: &[u8], mtime: i64) -> Option<Self> {
        let end = bytes.len().checked_sub(CHECKSUM)?;
        let mut reader = Reader {
            bytes: bytes.get(..end)?,
            at: 0,
        };
        if reader.take(4)? != b"DIRC" {
            return None;
        }
        let version = reader.u32()?;
        if !(2..=4).contains(&version) {
            return None;
        }
        let count = reader.u32()? as usize;
        let mut index = Self {
            mtime,
            ..Self::default()
        };
        for _ in 0..count {
            index.item(&mut reader, version)?;
        }
        // An extension with a small first letter is required; that of a sparse index only adds directories.
        while reader.at < end {
            let kind = reader.take(4)?;
            let length = reader.u32()? as usize;
            reader.take(length)?;
            if kind.first()?.is_ascii_lowercase() && kind != b"sdir" {
                return None;
            }
        }
        Some(index)
    }

    fn item(&mut self, reader: &mut Reader<'_>, version: u32) -> Option<()> {
        let start = reader.at;
        let ctime = reader.pair()?;
        let mtime = reader.pair()?;
        reader.u32()?;
        let inode = reader.u32()?;
        let mode = reader.u32()?;
        reader.take(8)?;
        let size = reader.u32()?;
        let oid = reader.take(20)?.try_into().ok()?;
        let flags = reader.u16()?;
        let more = if flags & EXTENDED != 0 && version > 2 {
            reader.u16()?
        } else {
            0
        };
        let head = reader.at.saturating_sub(start);
        let name = if version == 4 {
            let removed = reader.removed()?;
            let last = self.items.last().map(|item| self.name(item)).unwrap_or_default();
            let stay = last.len().checked_sub(removed)?;
            [last.get(..stay)?, reader.text()?].concat()
        } else {
            let name = reader.text()?;
            // Padded with one to eight NULs to a multiple of eight.
            let used = head.saturating_add(name.len());
            let padded = (used / 8).saturating_add(1).saturating_mul(8);
            reader.take(padded.saturating_sub(used).saturating_sub(1))?;
            name.to_vec()
        };
        let length = usize::from(flags & NAME_MASK);
        let fits = length == name.len() || length == usize::from(NAME_MASK) && name.len() > length;
        if name.is_empty() || !fits || head < FIXED {
            return None;
        }
        let from = u32::try_from(self.names.len()).ok()?;
        self.names.extend_from_slice(&name);
        let to = u32::try_from(self.names.len()).ok()?;
        self.items.push(Item {
            name: (from, to),
            ctime,
            mtime,
            inode,
            size,
            mode,
            oid,
            is_unsure: flags & (ASSUME_VALID | STAGE) != 0 || more & SKIP_WORKTREE != 0,
        });
        Some(())
    }

    fn name(&self, item: &Item) -> &[u8] {
        let (from, to) = item.name;
        self.names.get(from as usize..to as usize).unwrap_or_default()
    }

    /// Returns the blob of a file with this metadata, if the index proves that the file has its content.
    pub(crate) fn clean(&self, path: &[u8], meta: &Meta) -> Option<[u8; 20]> {
        let at = self
            .items
            .binary_search_by(|item| self.name(item).cmp(path))
            .ok()?;
        let item = self.items.get(at)?;
        let time = |(seconds, rest): (u32, u32)| {
            i64::from(seconds)
                .saturating_mul(1_000_000_000)
                .saturating_add(i64::from(rest))
        };
        let is_same = item.mode & KIND == REGULAR
            && meta.size < u64::from(u32::MAX)
            && u64::from(item.size) == meta.size
            && time(item.mtime) == meta.mtime
            && time(item.ctime) == meta.ctime
            && item.inode == meta.inode as u32
            // A file that was written when the index was may have been written again after.
            && meta.mtime < self.mtime;
        (is_same && !item.is_unsure).then_some(item.oid)
    }

    /// Returns true if a path below this directory is in the index.
    pub(crate) fn has_below(&self, directory: &[u8]) -> bool {
        let start = [directory, b"/"].concat();
        let at = self
            .items
            .partition_point(|item| self.name(item) < start.as_slice());
        self.items
            .get(at)
            .is_some_and(|item| self.name(item).starts_with(&start))
    }
}
