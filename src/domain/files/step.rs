//! The steps of a restore: which path becomes what, and in which order.
//!
//! Must not know: how a step is carried out, why a path is restored.

use std::cmp::Reverse;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{FilePath, FileState};

/// One path that a restore changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The path.
    pub path: FilePath,
    /// What it is before the step. Anything else there is never overwritten.
    pub from: FileState,
    /// What it is after the step.
    pub to: FileState,
}

/// How far a step has come, by what the path is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It is carried out.
    Done,
    /// It is not carried out yet, or only its first half: a directory was removed, or made with other permissions.
    Open,
    /// Something else is there: the step must not be carried out.
    Conflict,
}

/// Permission bits that a directory has while its restored entries are written.
pub const WRITABLE: u32 = 0o700;

impl Step {
    /// Returns how far it has come. A directory that replaces something, or is replaced, takes two operations: between them
    /// the path is missing, or the directory has its permissions with [`WRITABLE`] in addition.
    pub fn progress(&self, now: &FileState) -> Progress {
        let is_dir = |state: &FileState| matches!(state, FileState::Dir { .. });
        if *now == self.to {
            return Progress::Done;
        }
        let is_between = match (now, &self.to) {
            (FileState::Missing {}, _) => is_dir(&self.from) != is_dir(&self.to),
            (FileState::Dir { mode }, FileState::Dir { mode: last }) => {
                !is_dir(&self.from) && *mode == *last | WRITABLE
            }
            _ => false,
        };
        if *now == self.from || is_between {
            Progress::Open
        } else {
            Progress::Conflict
        }
    }

    /// Its place: deletions deepest first, directories from the top, files, links, permissions.
    fn place(&self) -> (u8, Reverse<usize>, usize) {
        let depth = self.path.depth();
        match (&self.from, &self.to) {
            (_, FileState::Missing {} | FileState::Unsaved { .. }) => (0, Reverse(depth), 0),
            (FileState::Dir { .. }, FileState::Dir { .. }) => (4, Reverse(0), depth),
            (_, FileState::Dir { .. }) => (1, Reverse(0), depth),
            (FileState::File { hash: old, .. }, FileState::File { hash: new, .. }) if old == new => {
                (4, Reverse(0), depth)
            }
            (_, FileState::File { .. }) => (2, Reverse(0), depth),
            (_, FileState::Symlink { .. }) => (3, Reverse(0), depth),
        }
    }
}

/// The steps of a restore in the order in which they are carried out, each path once. Recorded as one JSON text, so that a
/// long one becomes a payload.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StepList(pub Vec<Step>);

impl StepList {
    /// Puts steps in their order.
    pub fn ordered(mut steps: Vec<Step>) -> Self {
        steps.sort_by(|one, other| (one.place(), &one.path).cmp(&(other.place(), &other.path)));
        Self(steps)
    }
}

impl Serialize for StepList {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let text = serde_json::to_string(&self.0).map_err(serde::ser::Error::custom)?;
        to.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for StepList {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        serde_json::from_str(&text).map(Self).map_err(D::Error::custom)
    }
}

/// A step that was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The path.
    pub path: FilePath,
    /// Why, such as `changed since by something else`.
    pub why: String,
}
