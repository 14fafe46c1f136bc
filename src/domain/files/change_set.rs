//! What an execution changed in the workspace.
//!
//! Must not know: how a change was found.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{FilePath, FileState};
use crate::id::NodeId;

/// A path that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The path.
    pub path: FilePath,
    /// What it was.
    pub before: FileState,
    /// What it became.
    pub after: FileState,
}

/// Changes in the order of their paths, each path once. Recorded as one JSON text, so that a long one becomes a payload.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangeList(pub Vec<Change>);

impl Serialize for ChangeList {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let text = serde_json::to_string(&self.0).map_err(serde::ser::Error::custom)?;
        to.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for ChangeList {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        serde_json::from_str(&text).map(Self).map_err(D::Error::custom)
    }
}

/// What is known of the files that an execution changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ChangeSet {
    /// The paths that changed, with both states.
    #[serde(default)]
    pub changes: ChangeList,
    /// Calls that ran at the same time and may have made these changes instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<NodeId>,
    /// Where the branch of the repository pointed, if the execution moved it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<HeadMove>,
    /// Ignored directories in which it wrote; nothing in them can be restored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<FilePath>,
    /// Why the rest is not known, such as `the first scan had not finished`; none where all is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untracked: Option<String>,
}

/// How the checked-out commit of the workspace's repository moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadMove {
    /// `HEAD` before: the branch, or the commit where none is checked out, and the commit.
    #[serde(default)]
    pub before: Head,
    /// `HEAD` after.
    #[serde(default)]
    pub after: Head,
}

/// What is checked out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The branch, such as `main`; none for a detached `HEAD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The commit; none in a branch without commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}
