//! What of the selected row each verb decides about or changes. Must not know: rows, how anything is done.

use super::{Decide, EditVerb, Verb};

/// What of the selected row a verb acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// Nothing: it is about something else, or only looks.
    Nothing,
    /// Its turn.
    Turn,
    /// Its node.
    Node,
}

impl Verb {
    /// What of the selected row it decides about or changes.
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
