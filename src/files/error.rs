//! What can fail while files are tracked, saved or restored.
//!
//! Must not know: who shows it.

use std::io;

use thiserror::Error;

/// Why files are not tracked, saved or restored. Paths in it are in their visible form.
#[derive(Debug, Error)]
pub enum Error {
    /// The workspace is not one whose files are tracked.
    #[error("cannot track the files of {workspace}: {why}\nhint: {hint}")]
    Refused {
        /// The workspace.
        workspace: String,
        /// Why not.
        why: String,
        /// What to do.
        hint: &'static str,
    },
    /// A file or directory could not be opened, read or written.
    #[error("cannot {action} {path}: {error}")]
    Io {
        /// What was tried, such as `open`.
        action: &'static str,
        /// On which path.
        path: String,
        /// What the system answered.
        error: io::Error,
    },
    /// A content is not in the store.
    #[error("cannot read the saved content {hash}: it is not saved any more")]
    NotSaved {
        /// Its hash.
        hash: String,
    },
    /// A content in the store is not what it was.
    #[error("cannot read the saved content {hash}: it is damaged")]
    Damaged {
        /// Its hash.
        hash: String,
    },
    /// The store has no room for a content.
    #[error("cannot save a content: {why}\nhint: delete old sessions, or raise `max_store` in `[files]`")]
    Full {
        /// Which limit is reached.
        why: String,
    },
    /// What the sessions name is not known.
    #[error("{why}")]
    Sessions {
        /// Why not.
        why: String,
    },
    /// A restore has no room for what it would write.
    #[error("cannot restore: the disk of the workspace has no room for {bytes} bytes\nhint: free some space")]
    NoRoom {
        /// What it would write.
        bytes: u64,
    },
}

impl Error {
    /// Returns why something is not saved, in a few words.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Full { .. } => "store full".to_owned(),
            other => other.to_string(),
        }
    }

    /// Reports a failed action on a path.
    pub(crate) fn io(action: &'static str, path: &std::path::Path, error: impl Into<io::Error>) -> Self {
        Self::Io {
            action,
            path: overrule_base::text::visible(&path.to_string_lossy()),
            error: error.into(),
        }
    }
}
