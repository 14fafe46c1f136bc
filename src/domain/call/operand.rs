//! The files that a call runs.
//!
//! Must not know: how a file is read, which words of a command name one.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A file that an execution runs, as it was when the call became ready. Its content is part of the
/// decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operand {
    /// Its path, relative to the workspace if it is inside.
    pub path: Arc<str>,
    /// Its size in bytes.
    #[serde(default)]
    pub bytes: u64,
    /// How far it was read.
    #[serde(default, skip_serializing_if = "FileCheck::is_whole")]
    pub seen: FileCheck,
    /// Hash of the part that was read.
    pub hash: Arc<str>,
}

/// How far a file was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileCheck {
    /// All of it.
    #[default]
    Whole,
    /// Only its size and dates: it is too long to be read each time.
    Dates,
    /// Not at all: only a shell can say which file the word names.
    Unspecified,
    /// There may be more files: not everything that the call names was read.
    Cut,
}

/// The files that a call may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runs {
    /// As they were when it became ready.
    pub operands: Vec<Operand>,
    /// Paths of those whose content differs from the time it was ready before.
    pub changed: Vec<Arc<str>>,
}

impl FileCheck {
    /// True for a file; false if it only stands for something that was not read.
    pub const fn is_file(self) -> bool {
        matches!(self, Self::Whole | Self::Dates)
    }

    /// A warning for the operator; none if the whole file was read.
    pub const fn warning(self) -> Option<&'static str> {
        match self {
            Self::Whole => None,
            Self::Dates => Some("too long to be read: its size and dates count"),
            Self::Unspecified => Some("which file that is cannot be read: it is not looked at"),
            Self::Cut => Some("not all files that it may run were looked at"),
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    fn is_whole(&self) -> bool {
        *self == Self::Whole
    }
}
