//! Finds the caches of builds, and keeps the private layers over them below a bound.
//!
//! Must not know: how a kernel layers directories, which workspace a store belongs to.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use overrule_base::text::visible;
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, utimensat};

use super::{resolve, table};
use crate::Cache;

/// Bytes that the stores of all workspaces may take.
pub const MOST_BYTES: u64 = 2 << 30;
/// Entries that are looked at in all stores together. What lies beyond is not counted.
const MOST_ENTRIES: usize = 500_000;
/// Size of the blocks that the system counts.
const BLOCK: u64 = 512;

/// Returns the built-in caches that exist as directories, with their private layers in the store of a workspace.
///
/// A cache that holds a directory to keep (the workspace, writable directories) or the store itself is left out: a layer
/// over it would take their writes.
pub fn caches(home: &Path, store: &Path, keep: &[&Path]) -> Vec<Cache> {
    let inside: Vec<PathBuf> = keep.iter().filter_map(resolve).collect();
    // The store may not exist yet; then one of its parents does.
    let near = store.ancestors().find_map(resolve);
    let mut found: Vec<Cache> = Vec::new();
    for (place, name) in table::CACHES {
        let Some(lower) = resolve(home.join(place)).filter(|path| path.is_dir()) else {
            continue;
        };
        let mut excluded = inside.iter().chain(&near);
        let overlaps = found
            .iter()
            .any(|other| lower.starts_with(&other.lower) || other.lower.starts_with(&lower));
        if !overlaps && !excluded.any(|path| path.starts_with(&lower)) {
            found.push(Cache {
                lower,
                upper: store.join(name).join("upper"),
                work: store.join(name).join("work"),
            });
        }
    }
    found
}

/// Creates the private directories of caches, for their owner alone, and marks the store as used now.
pub fn prepare(store: &Path, caches: &[Cache]) -> io::Result<()> {
    create(store)?;
    for cache in caches {
        create(&cache.upper)?;
        create(&cache.work)?;
    }
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: UTIME_NOW,
    };
    let times = Timestamps {
        last_access: now,
        last_modification: now,
    };
    utimensat(CWD, store, &times, AtFlags::SYMLINK_NOFOLLOW)
        .map_err(|error| failed(store, "mark", error.into()))
}

fn create(directory: &Path) -> io::Result<()> {
    overrule_regular_file::make_directories(directory).map_err(|error| failed(directory, "create", error))
}

fn failed(path: &Path, verb: &str, error: io::Error) -> io::Error {
    let path = visible(&path.to_string_lossy());
    io::Error::new(error.kind(), format!("cannot {verb} `{path}`: {error}"))
}

/// Returns the variables that point builds to private caches, for machines that cannot layer directories.
pub fn private_caches(store: &Path) -> Vec<(&'static str, PathBuf)> {
    let variables = table::CACHE_VARIABLES.iter();
    variables
        .map(|(name, place)| (*name, store.join("private").join(place)))
        .collect()
}

/// A store that was removed, or could not be.
#[derive(Debug)]
pub struct Removal {
    /// The store of a workspace.
    pub store: PathBuf,
    /// Why it could not be removed.
    pub error: Option<io::Error>,
}

/// Removes the stores that were not used for longest, until the rest has at most `most` bytes. Each entry of `stores` is
/// the store of a workspace. Stores in use stay. Links are not followed.
pub fn trim(stores: &Path, in_use: &[&Path], most: u64) -> Vec<Removal> {
    let mut left = MOST_ENTRIES;
    let mut found: Vec<(i64, i64, PathBuf, u64)> = Vec::new();
    for entry in fs::read_dir(stores).into_iter().flatten().flatten() {
        let path = entry.path();
        if let Ok(meta) = path.symlink_metadata()
            && meta.is_dir()
        {
            let bytes = size(&path, &mut left);
            found.push((meta.mtime(), meta.mtime_nsec(), path, bytes));
        }
    }
    found.sort();
    let mut total = found.iter().fold(0_u64, |sum, one| sum.saturating_add(one.3));
    let mut removed = Vec::new();
    for (_, _, store, bytes) in found {
        if total <= most {
            break;
        }
        if in_use.iter().any(|used| used.starts_with(&store)) {
            continue;
        }
        let error = remove(&store).err();
        if error.is_none() {
            total = total.saturating_sub(bytes);
        }
        removed.push(Removal { store, error });
    }
    removed
}

/// Counts the bytes that a directory takes on the disk, without following links.
fn size(directory: &Path, left: &mut usize) -> u64 {
    let mut bytes = 0_u64;
    walk(directory, left, &mut |_, meta| {
        bytes = bytes.saturating_add(meta.blocks().saturating_mul(BLOCK));
    });
    bytes
}

/// Visits a directory and all below it. Directories come before what they hold.
fn walk(directory: &Path, left: &mut usize, visit: &mut impl FnMut(&Path, &fs::Metadata)) {
    let mut open = vec![directory.to_owned()];
    while let Some(path) = open.pop() {
        let Ok(meta) = path.symlink_metadata() else {
            continue;
        };
        visit(&path, &meta);
        if !meta.is_dir() {
            continue;
        }
        for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
            if *left == 0 {
                return;
            }
            *left -= 1;
            open.push(entry.path());
        }
    }
}

/// Removes a directory. Build tools and the kernel leave directories without permissions in it.
fn remove(directory: &Path) -> io::Result<()> {
    let Err(error) = fs::remove_dir_all(directory) else {
        return Ok(());
    };
    if error.kind() != ErrorKind::PermissionDenied {
        return Err(failed(directory, "remove", error));
    }
    let mut left = MOST_ENTRIES;
    walk(directory, &mut left, &mut |path, meta| {
        if meta.is_dir() && meta.mode() & 0o700 != 0o700 {
            // What cannot be opened all the same fails below, with its name.
            _ = fs::set_permissions(path, Permissions::from_mode(0o700));
        }
    });
    fs::remove_dir_all(directory).map_err(|error| failed(directory, "remove", error))
}
