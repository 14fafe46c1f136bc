//! Finds the arguments that every verb has: its session, and whether it is a preview.
//!
//! Must not know: what a verb does.

use super::{On, Verb};

impl Verb {
    /// The session arguments of the verb.
    pub fn on(&self) -> &On {
        match self {
            Self::Approve { on, .. }
            | Self::ApproveAll { on, .. }
            | Self::Allow { on, .. }
            | Self::AddRule { on, .. }
            | Self::DropRule { on, .. }
            | Self::Reject { on, .. }
            | Self::Edit { on, .. }
            | Self::Replace { on, .. }
            | Self::Answer { on, .. }
            | Self::Retry { on, .. }
            | Self::Unpin { on, .. }
            | Self::Cancel { on, .. }
            | Self::Guide { on, .. }
            | Self::InsertThought { on, .. }
            | Self::InsertCall { on, .. }
            | Self::Delete { on, .. }
            | Self::RejectAnswer { on, .. }
            | Self::Commit { on, .. }
            | Self::Undo { on, .. }
            | Self::Redo { on, .. }
            | Self::Switch { on, .. }
            | Self::Copy { on, .. }
            | Self::Consent { on, .. }
            | Self::Resolve { on, .. }
            | Self::Probe { on, .. }
            | Self::Compensate { on, .. }
            | Self::AskAgain { on, .. }
            | Self::Keep { on, .. }
            | Self::Pause { on }
            | Self::Unpause { on }
            | Self::Restrict { on, .. }
            | Self::Step { on }
            | Self::StopTurn { on }
            | Self::Shorten { on }
            | Self::Stop { on }
            | Self::SetLimits { on }
            | Self::SetPolicy { on, .. } => on,
            Self::Loops(verb) => verb.on(),
            Self::Failures(verb) => verb.on(),
            Self::Weights(verb) => verb.on(),
        }
    }

    /// True if the verb only shows what it would do.
    pub fn is_preview(&self) -> bool {
        match self {
            Self::Edit { change, .. }
            | Self::Replace { change, .. }
            | Self::Guide { change, .. }
            | Self::InsertThought { change, .. }
            | Self::InsertCall { change, .. }
            | Self::Delete { change, .. }
            | Self::RejectAnswer { change, .. }
            | Self::Commit { change, .. }
            | Self::Probe { change, .. }
            | Self::Compensate { change, .. }
            | Self::Copy { change, .. } => change.planned.preview.preview,
            Self::Undo { planned, .. } | Self::Redo { planned, .. } | Self::Switch { planned, .. } => {
                planned.preview.preview
            }
            Self::Answer { look, .. }
            | Self::AddRule { look, .. }
            | Self::Retry { look, .. }
            | Self::Unpin { look, .. }
            | Self::AskAgain { look, .. } => look.preview,
            _ => false,
        }
    }
}
