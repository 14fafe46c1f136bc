//! Finds the repositories that the index of another one lists (gitformat-index(5)).
//!
//! Must not know: which of their files are protected.
//!
//! Git looks into them wherever they lie, also below the depth to which directories are searched.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

/// Bytes of an index.
const MOST_BYTES: u64 = 64 << 20;
/// How an index begins.
const MAGIC: &[u8] = b"DIRC";
/// How the names of the files begin that several indexes share.
const SHARED: &str = "sharedindex.";
/// Bytes of what is known of a file. The last twelve are owner, group and size.
const STAT: usize = 40;
/// Where the mode is in it.
const MODE: usize = 24;
/// The kind of a mode that stands for a repository.
const REPOSITORY: u32 = 0o160_000;
/// Every kind that a mode may have: file, link, repository, directory of a sparse index.
const KINDS: [u32; 4] = [0o100_000, 0o120_000, REPOSITORY, 0o040_000];
/// Lengths of a hash, by the format of the repository.
const HASHES: [usize; 2] = [20, 32];
/// The flag of an entry that has more flags.
const EXTENDED: u16 = 0x4000;

/// Returns the paths of the repositories that a git directory lists, relative to its work tree. The second value is false
/// where an index is too large.
pub(super) fn repositories(git: &Path) -> (Vec<PathBuf>, bool) {
    let entries = fs::read_dir(git).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    let shared = names.filter(|name| name.as_bytes().starts_with(SHARED.as_bytes()));
    let (mut found, mut is_whole) = (Vec::new(), true);
    for name in shared.chain(["index".into()]) {
        match overrule_regular_file::read(&git.join(name), MOST_BYTES) {
            Ok(bytes) => found.extend(listed(&bytes)),
            Err(error) => is_whole &= error.kind() != std::io::ErrorKind::FileTooLarge,
        }
    }
    (found, is_whole)
}

/// The repositories in an index; none in what git cannot read either.
fn listed(bytes: &[u8]) -> Vec<PathBuf> {
    HASHES
        .iter()
        .find_map(|hash| read(bytes, *hash))
        .unwrap_or_default()
}

fn read(bytes: &[u8], hash: usize) -> Option<Vec<PathBuf>> {
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let version = number(&mut rest)?;
    let count = number(&mut rest)?;
    let (mut found, mut name) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let start = rest.len();
        let mode = u32::from_be_bytes(rest.get(MODE..MODE + 4)?.try_into().ok()?);
        rest = rest.get(STAT + hash..)?;
        let flags = u16::from_be_bytes(take(&mut rest, 2)?.try_into().ok()?);
        if version >= 3 && flags & EXTENDED != 0 {
            take(&mut rest, 2)?;
        }
        // From version 4 on, a name begins like the one before, without some bytes at its end.
        let is_short = version >= 4;
        let dropped = if is_short { offset(&mut rest)? } else { name.len() };
        name.truncate(name.len().checked_sub(dropped)?);
        let end = rest.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(take(&mut rest, end)?);
        let length = usize::from(flags & 0xfff);
        let is_length = name.len() == length || length == 0xfff && name.len() > length;
        if !KINDS.contains(&(mode & 0o170_000)) || !is_length {
            return None;
        }
        let padding = if is_short { 1 } else { 8 - (start - rest.len()) % 8 };
        take(&mut rest, padding)?;
        let path = Path::new(OsStr::from_bytes(&name));
        let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        if mode & 0o170_000 == REPOSITORY && is_plain {
            found.push(path.to_owned());
        }
    }
    Some(found)
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(count)?;
    *rest = after;
    Some(taken)
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(take(rest, 4)?.try_into().ok()?))
}

/// Reads a number of variable length: seven bits in a byte, each further byte counted from one on.
fn offset(rest: &mut &[u8]) -> Option<usize> {
    let mut value = 0_usize;
    loop {
        let byte = *take(rest, 1)?.first()?;
        value = value.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
        value = value.checked_add(1)?;
    }
}
