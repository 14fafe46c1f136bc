//! The part of the selected row that a verb acts on: its node, its turn or nothing.
//!
//! Must not know: rows, how a verb is carried out.

use super::{Decide, EditVerb, Verb};

/// The part of the selected row that a verb acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// Nothing: the verb acts on something else, or changes nothing.
    Nothing,
    /// Its turn.
    Turn,
    /// Its node.
    Node,
}

impl Verb {
    /// The part of the selected row that the verb decides about or changes.
    pub const fn about(self) -> About {
        match self {
            Self::Decide(verb) => verb.about(),
            Self::Edit(verb) => verb.about(),
            _ => About::Nothing,
        }
    }
}

impl Decide {
    const fn about(self) -> About {
        match self {
            Self::Approve
            | Self::ApproveUnread
            | Self::Always
            | Self::Rule
            | Self::Reject
            | Self::Retry
            | Self::Cancel
            | Self::RunNow
            | Self::ChooseRepair
            | Self::SkipRepair => About::Node,
            Self::All
            | Self::AllNow
            | Self::Accept
            | Self::Rules
            | Self::DropRule
            | Self::Open
            | Self::Reuse
            | Self::RunAgain
            | Self::Happened
            | Self::DidNot
            | Self::DidNotFinish
            | Self::Leave
            | Self::AskAgain
            | Self::Keep => About::Nothing,
        }
    }
}

impl EditVerb {
    const fn about(self) -> About {
        match self {
            Self::Node
            | Self::Replace
            | Self::Answer
            | Self::Observation
            | Self::Thought
            | Self::Delete
            | Self::Unpin
            | Self::BranchCopy => About::Node,
            Self::Prompt | Self::Call | Self::AskTurn => About::Turn,
            Self::Guide
            | Self::Impact
            | Self::Commit
            | Self::Reason
            | Self::Stage
            | Self::StagedEdits
            | Self::StagedPreview
            | Self::StagedOpen
            | Self::StagedRemove
            | Self::StagedDrop
            | Self::KeepLater
            | Self::Undo
            | Self::Redo
            | Self::Branches
            | Self::BranchSwitch
            | Self::BranchName
            | Self::BranchMark
            | Self::BranchCompare
            | Self::CompareAll
            | Self::EffectsAll
            | Self::Revert
            | Self::Probe => About::Nothing,
        }
    }
}
