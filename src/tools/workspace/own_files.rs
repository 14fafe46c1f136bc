//! Knows the program's own files by device and inode, whatever other names they have.
//!
//! Must not know: what is in them, who asks.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rustix::fs::{Dev, FileType, Stat, lstat};

/// Maximum number of entries that are looked at.
const MOST: usize = 200_000;

/// The files below some places that have more than one name.
#[derive(Debug)]
pub(super) struct OwnFiles {
    files: HashSet<(Dev, u64)>,
    /// False if there are too many to look at: then any file with several names may be one of them.
    are_all: bool,
}

impl OwnFiles {
    /// Looks at these files and directories, and everything below them. No link is followed.
    pub(super) fn of(places: &[PathBuf]) -> Self {
        let mut found = Self {
            files: HashSet::new(),
            are_all: true,
        };
        let mut todo = places.to_vec();
        let mut seen = 0;
        while let Some(path) = todo.pop() {
            seen += 1;
            if seen > MOST {
                found.are_all = false;
                break;
            }
            found.look(&path, &mut todo);
        }
        found
    }

    fn look(&mut self, path: &Path, todo: &mut Vec<PathBuf>) {
        let Ok(stat) = lstat(path) else {
            return;
        };
        if FileType::from_raw_mode(stat.st_mode).is_dir() {
            let entries = std::fs::read_dir(path).into_iter().flatten();
            todo.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
        } else if stat.st_nlink > 1 {
            self.files.insert((stat.st_dev, stat.st_ino));
        }
    }

    /// True for one of them, under whatever name.
    pub(super) fn has(&self, stat: &Stat) -> bool {
        !self.are_all || self.files.contains(&(stat.st_dev, stat.st_ino))
    }
}
