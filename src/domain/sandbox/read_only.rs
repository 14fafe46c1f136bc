//! What a child cannot write although it is in a directory that it writes, because it could not be restored.
//!
//! Must not know: how a kernel refuses a write, how changes are tracked.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::files::FilePath;

/// The rule that allows calls whose changes can be undone, as it is cited. A call that it allows starts with [`ReadOnly`].
pub const UNDOABLE: &str = "preset reversible: changes that can be undone go";

/// Maximum number of paths of a call that are read-only because they could not be restored.
pub const MOST_READ_ONLY: usize = 256;

/// What could not be restored and is therefore read-only for a call. Empty for all calls but those that [`UNDOABLE`] allows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReadOnly {
    /// Existing paths, absolute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// True where the repositories of the workspace are read-only: their directories `.git`, and that of the main
    /// repository of a linked worktree.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repositories: bool,
}

impl ReadOnly {
    /// Returns true if nothing is read-only.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// How far changes of files can be restored at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tracking {
    /// The files of the workspace are known, with their content.
    Ready {
        /// Files and directories whose content could not be restored: not saved, with several names, or not tracked.
        not_restorable: Arc<[FilePath]>,
    },
    /// The first scan is not complete yet.
    NotYet,
    /// Changes cannot be restored.
    Not {
        /// Why, without a full stop: `files are not tracked`.
        why: Arc<str>,
    },
}

impl Tracking {
    /// No tracking, for this reason.
    pub fn not(why: &str) -> Self {
        Self::Not { why: why.into() }
    }

    /// Everything can be restored.
    pub fn ready() -> Self {
        Self::Ready {
            not_restorable: Arc::default(),
        }
    }
}

impl Default for Tracking {
    fn default() -> Self {
        Self::not("files are not tracked")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_only_is_recorded_as_far_as_there_is_something() {
        let text = |one: &ReadOnly| serde_json::to_string(one).unwrap();
        assert_eq!(text(&ReadOnly::default()), "{}");
        let one = ReadOnly {
            paths: vec!["/w/big.bin".into()],
            repositories: true,
        };
        assert_eq!(serde_json::from_str::<ReadOnly>(&text(&one)).unwrap(), one);
        assert!(!one.is_empty() && ReadOnly::default().is_empty());
    }

    #[test]
    fn without_a_tracker_nothing_can_be_restored() {
        assert_eq!(Tracking::default(), Tracking::not("files are not tracked"));
    }
}
