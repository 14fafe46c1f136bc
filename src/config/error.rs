//! Defines the errors of settings, each with the fault and the remedy.
//!
//! Must not know: how an error is shown.

use std::path::Path;

use overrule_base::document;
use overrule_base::text::{excerpt, visible};

/// Characters of a part of a message beyond which it is cut: a value can be long.
const LONG: usize = 500;

/// A fault in the settings. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A fault in a file, with line, column and key.
    #[error(transparent)]
    File(#[from] document::Error),
    /// A file could not be read.
    #[error("failed to read {path}: {why}; {advice}")]
    Read {
        /// The path, safe to show.
        path: String,
        /// The reason.
        why: String,
        /// What to do.
        advice: String,
    },
    /// A fault in a variable or a flag.
    #[error("{name}: {}; {}", excerpt(.why, LONG), excerpt(.advice, LONG))]
    Given {
        /// The variable or flag.
        name: String,
        /// The reason.
        why: String,
        /// What to do.
        advice: String,
    },
    /// The API key could not be obtained.
    #[error("failed to get the api key from {}: {}; {advice}", excerpt(.from, LONG), excerpt(.why, LONG))]
    Key {
        /// Its source, safe to show.
        from: String,
        /// The reason.
        why: String,
        /// What to do.
        advice: String,
    },
}

impl Error {
    /// Returns true if a limit on the command line is out of range, which is wrong usage rather than wrong
    /// settings.
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

/// Formats a path, safe to show.
pub(super) fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy())
}
