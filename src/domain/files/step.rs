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
    /// It is not carried out yet, or not wholly: see [`Step::between`].
    Open,
    /// Something else is there: the step must not be carried out.
    Conflict,
}

/// Permission bits that a directory has in addition while its entries are restored.
pub const WRITABLE: u32 = 0o700;

impl Step {
    /// Returns how far it has come.
    pub fn progress(&self, now: &FileState) -> Progress {
        if *now == self.to {
            Progress::Done
        } else if *now == self.from || self.between().as_ref() == Some(now) {
            Progress::Open
        } else {
            Progress::Conflict
        }
    }

    /// Returns what the path is while its entries are restored, if the step makes or removes a directory: that directory,
    /// with [`WRITABLE`] in addition. It gets its own permissions after the last step.
    pub const fn between(&self) -> Option<FileState> {
        match (&self.from, &self.to) {
            (FileState::Dir { .. }, FileState::Dir { .. }) => None,
            (FileState::Dir { mode }, _) | (_, FileState::Dir { mode }) => Some(FileState::Dir {
                mode: *mode | WRITABLE,
            }),
            _ => None,
        }
    }

    /// Its place: directories that become writable, deletions deepest first, directories from the top, files, links,
    /// permissions deepest first.
    fn place(&self) -> (u8, Reverse<usize>, usize) {
        let depth = self.path.depth();
        match (&self.from, &self.to) {
            (FileState::Dir { mode: old }, FileState::Dir { mode: new }) if *new & !*old & WRITABLE != 0 => {
                (0, Reverse(0), depth)
            }
            (FileState::Dir { .. }, FileState::Dir { .. }) => (5, Reverse(depth), 0),
            (_, FileState::Missing {} | FileState::Unsaved { .. }) => (1, Reverse(depth), 0),
            (_, FileState::Dir { .. }) => (2, Reverse(0), depth),
            (FileState::File { hash: old, .. }, FileState::File { hash: new, .. }) if old == new => {
                (5, Reverse(depth), 0)
            }
            (_, FileState::File { .. }) => (3, Reverse(0), depth),
            (_, FileState::Symlink { .. }) => (4, Reverse(0), depth),
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
