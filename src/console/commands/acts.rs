//! What verbs do to the run: which change it, which count only once they are recorded, which only end what is under way.
//!
//! Must not know: how anything is done, how a run stands.

use super::{Decide, EditVerb, ReplayVerb, RunVerb, TextVerb, Verb, View};

impl Verb {
    /// True where it changes something of the run: a recorded one refuses it.
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

    /// True where what follows from it would have to be recorded: a halted run refuses it, but for what
    /// [only ends](Self::ends) something. Of what acts that is all but the work on edits that are only collected.
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

    /// True where it ends what is under way, as far as something is: that happens although nothing can be recorded.
    pub const fn ends(self) -> bool {
        matches!(
            self,
            Self::Decide(Decide::Cancel)
                | Self::Run(RunVerb::Emergency | RunVerb::StopNow | RunVerb::StopTurn | RunVerb::LeaveCancel)
        )
    }

    /// True where something may follow from it that is not meant by a key that belongs to a paste.
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
