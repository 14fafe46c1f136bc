//! What can be wrong with settings. Every message names the thing and the cure.
//!
//! Must not know: how an error is shown.

use std::path::Path;

use crate::policy::document;
use crate::text::visible;

/// Something wrong with the settings. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// In a file, with line, column and key.
    #[error(transparent)]
    File(#[from] document::Error),
    /// A file that cannot be read.
    #[error("failed to read {path}: {why}; {advice}")]
    Read {
        /// The file, safe to show.
        path: String,
        /// Why.
        why: String,
        /// What to do.
        advice: String,
    },
    /// In a variable or a flag.
    #[error("{name}: {why}; {advice}")]
    Given {
        /// The variable or flag.
        name: String,
        /// Why.
        why: String,
        /// What to do.
        advice: String,
    },
    /// An API key that cannot be had.
    #[error("failed to get the api key from {from}: {why}; {advice}")]
    Key {
        /// Where it should have come from, safe to show.
        from: String,
        /// Why it did not.
        why: String,
        /// What to do.
        advice: String,
    },
}

impl Error {
    /// True where a limit on the command line is out of range: that is wrong usage, no wrong settings.
    pub fn is_of_a_limit_flag(&self) -> bool {
        matches!(self, Self::Given { name, .. } if name.starts_with("--max-") || name == "--parallel")
    }

    pub(super) fn read(path: &Path, why: impl Into<String>, advice: &str) -> Self {
        Self::Read {
            path: shown(path),
            why: why.into(),
            advice: advice.into(),
        }
    }

    pub(super) fn given(name: &str, why: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Given {
            name: name.into(),
            why: why.into(),
            advice: advice.into(),
        }
    }

    pub(super) fn key(from: impl Into<String>, why: impl Into<String>, advice: &str) -> Self {
        Self::Key {
            from: from.into(),
            why: why.into(),
            advice: advice.into(),
        }
    }
}

/// A path, safe to show.
pub(super) fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy())
}
