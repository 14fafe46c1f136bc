//! The effect of verbs on the run: which change it, must be recorded, or only end something.
//!
//! Must not know: how a verb is carried out, the state of the run.

use super::{Decide, EditVerb, ReplayVerb, RunVerb, TextVerb, Verb, View};

impl Verb {
    /// True for a verb that changes the run. A recorded run refuses it.
    pub const fn acts(self) -> bool {
        match self {
            Self::Run(_) | Self::Fix(_) => true,
            Self::Decide(verb) => !matches!(verb, Decide::Open | Decide::Rules),
            Self::Edit(verb) => !matches!(
                verb,
                EditVerb::Impact
                    | EditVerb::Branches
                    | EditVerb::BranchMark
                    | EditVerb::BranchCompare
                    | EditVerb::CompareAll
                    | EditVerb::EffectsAll
            ),
            _ => false,
        }
    }

    /// True for a verb whose outcome must be recorded. A halted run refuses it, unless it
    /// [only ends](Self::ends) something. All verbs that act are recorded, except work on staged edits.
    pub const fn must_be_recorded(self) -> bool {
        match self {
            // A question is opened to be answered.
            Self::Decide(Decide::Open) => true,
            Self::Edit(
                EditVerb::Stage
                | EditVerb::StagedEdits
                | EditVerb::StagedPreview
                | EditVerb::StagedRemove
                | EditVerb::StagedDrop
                | EditVerb::KeepLater
                | EditVerb::Reason,
            ) => false,
            verb => verb.acts(),
        }
    }

    /// True for a verb that ends running work. It takes effect even if nothing can be recorded.
    pub const fn ends(self) -> bool {
        matches!(
            self,
            Self::Decide(Decide::Cancel)
                | Self::Run(RunVerb::Emergency | RunVerb::StopNow | RunVerb::StopTurn | RunVerb::LeaveCancel)
        )
    }

    /// True for a verb with consequences, which a key that is part of a paste must not start.
    pub const fn waits_after_paste(self) -> bool {
        match self {
            Self::Decide(_)
            | Self::View(View::Choose | View::Quit)
            | Self::Text(TextVerb::Commit)
            | Self::Replay(ReplayVerb::ForkWrite | ReplayVerb::ForkResume) => true,
            verb => verb.acts(),
        }
    }
}
