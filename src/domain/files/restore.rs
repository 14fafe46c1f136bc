//! Restores, as they are recorded and chosen.
//!
//! Must not know: how a plan is made, how a step is carried out.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{FilePath, Skipped, StepList};
use crate::call::Digest;
use crate::id::{Attempt, NodeId, Seq};

/// One execution of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Execution {
    /// The call.
    pub call: NodeId,
    /// Which of its executions.
    #[serde(default)]
    pub attempt: Attempt,
}

/// What a restore goes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RestoreCause {
    /// A person named calls.
    Calls,
    /// A person named a branch.
    Branch,
    /// An edit.
    Edit,
    /// An undo.
    Undo,
    /// A redo.
    Redo,
    /// A switch of branches.
    Switch,
    /// A person undoes another restore.
    Restore,
}

impl RestoreCause {
    /// Returns the cause in a word.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Branch => "branch",
            Self::Edit => "edit",
            Self::Undo => "undo",
            Self::Redo => "redo",
            Self::Switch => "switch",
            Self::Restore => "restore",
        }
    }
}

/// A restore as it begins: everything that is carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoreStarted {
    /// The node that stands for it.
    pub restore: NodeId,
    /// What it goes with.
    pub cause: RestoreCause,
    /// Hash of what was shown, which is what is carried out.
    pub digest: Digest,
    /// The steps, in their order.
    #[serde(default)]
    pub steps: StepList,
    /// Executions whose changes it undoes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undone: Vec<Execution>,
    /// Executions whose changes it makes again: another branch is current.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redone: Vec<Execution>,
    /// The restore that it undoes, if it undoes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<NodeId>,
}

impl RestoreStarted {
    /// Describes it in a few words, such as `restore 4 paths`.
    pub fn describe(&self) -> String {
        let paths = match self.steps.0.len() {
            1 => "1 path".to_owned(),
            count => format!("{count} paths"),
        };
        match self.of {
            Some(of) => format!("undo the restore {of}: {paths}"),
            None => format!("restore {paths}"),
        }
    }
}

/// What a person chose in the preview of a restore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoreChoice {
    /// Digest of the plan that was shown. The command is refused if the plan is another one now.
    pub digest: Digest,
    /// Paths that are restored in spite of a conflict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over: Vec<FilePath>,
    /// Paths that are left as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<FilePath>,
}

impl RestoreChoice {
    /// The choice of everything that has no conflict, for a first preview.
    pub fn all() -> Self {
        Self {
            digest: Digest("".into()),
            over: Vec::new(),
            without: Vec::new(),
        }
    }
}

/// A restore, as far as it has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreRecord {
    /// The event that began it.
    pub seq: Seq,
    /// What is carried out.
    pub started: Arc<RestoreStarted>,
    /// True from the end of the process that carried it out until a person decides.
    pub interrupted: bool,
    /// How it ended; none while it is open.
    pub end: Option<RestoreEnd>,
}

/// How a restore ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreEnd {
    /// The event.
    pub seq: Seq,
    /// Steps that were not carried out.
    pub skipped: Vec<Skipped>,
}

impl RestoreRecord {
    /// The paths that it restored; none while it is open.
    pub fn done(&self) -> impl Iterator<Item = &super::Step> {
        let skipped: std::collections::BTreeSet<&FilePath> = self
            .end
            .iter()
            .flat_map(|end| end.skipped.iter().map(|one| &one.path))
            .collect();
        let steps = self.end.iter().flat_map(|_| &self.started.steps.0);
        steps.filter(move |step| !skipped.contains(&step.path))
    }
}
