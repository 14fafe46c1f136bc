//! What a path is at one time.
//!
//! Must not know: where its content lies.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::RawText;

/// What a path is at one time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FileState {
    /// Nothing is there.
    Missing {},
    /// A regular file whose content is known by its hash.
    File {
        /// BLAKE3 of its bytes, in hexadecimal.
        hash: String,
        /// Its size in bytes.
        size: u64,
        /// Its permission bits.
        mode: u32,
    },
    /// A symbolic link.
    Symlink {
        /// Where it leads, as it is written.
        target: RawText,
    },
    /// A directory.
    Dir {
        /// Its permission bits.
        mode: u32,
    },
    /// Something whose content is not saved: it cannot be restored, and what is there is never overwritten.
    Unsaved {
        /// Why, in a few words, such as `9.1 MiB, limit 8 MiB`.
        why: String,
        /// Its size in bytes.
        size: u64,
        /// Its modification time, in nanoseconds since 1970.
        mtime: i64,
    },
}

/// What a look at the files found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Looked {
    /// What the paths are, one for each, in their order.
    pub states: Vec<FileState>,
    /// The hashes of contents that are not saved, or not any more.
    pub lost: BTreeSet<String>,
}

impl FileState {
    /// Returns true if something is there.
    pub const fn is_there(&self) -> bool {
        !matches!(self, Self::Missing {})
    }

    /// The hash of its content, if it has one.
    pub fn hash(&self) -> Option<&str> {
        match self {
            Self::File { hash, .. } => Some(hash),
            _ => None,
        }
    }
}
