//! How a result came about that no execution gave.
//!
//! Must not know: how it is shown.
//!
//! An answer given instead of a run is never shown as a run.

use super::call::{Call, Decision, Outcome};
use super::id::Attempt;
use super::node::{Content, Node, Origin, Revision};
use super::state::State;

/// How the operator gave the result of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultSource {
    /// They answered, and the call never ran.
    Instead,
    /// They answered for a call that had begun.
    Over,
    /// They reported the outcome of an execution whose end was not seen.
    Reported,
    /// They changed the result that the execution gave.
    Corrected,
    /// They wrote it for an equal call before; the model was asked again for its turn.
    Carried,
}

impl ResultSource {
    /// In a few lower-case words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Instead => "answered, not run",
            Self::Over => "answered by hand",
            Self::Reported => "reported by hand",
            Self::Corrected => "result corrected",
            Self::Carried => "correction kept",
        }
    }
}

/// Returns how the active result of a call came about; `None` if an execution gave it, or another
/// record.
pub fn now(state: &State, call: &Call) -> Option<ResultSource> {
    state
        .observation(call.id)
        .map(Node::now)
        .and_then(|text| of(call, text))
}

/// The same for any revision of its result.
pub fn of(call: &Call, text: &Revision) -> Option<ResultSource> {
    let Content::Observation {
        call_rev, attempt, ..
    } = &text.content
    else {
        return None;
    };
    if !matches!(text.origin, Origin::Operator { .. }) {
        return None;
    }
    // The decision to carry a correction is recorded right before its result; later corrections have none.
    let mut before = call.decisions.iter().rev();
    let decided = before.find(|(rev, seq, _)| rev == call_rev && *seq < text.event);
    if decided
        .is_some_and(|(_, seq, what)| matches!(**what, Decision::Carry { .. }) && seq.0 + 1 == text.event.0)
    {
        return Some(ResultSource::Carried);
    }
    if *attempt == Attempt(0) {
        let mut begun = call.attempts.iter();
        let ran = begun.any(|one| one.rev == *call_rev && one.intent < text.event);
        return Some(if ran {
            ResultSource::Over
        } else {
            ResultSource::Instead
        });
    }
    let mut attempts = call.attempts.iter();
    let ended = attempts.find(|one| one.no == *attempt)?.outcome.as_ref();
    Some(match ended {
        None | Some(Outcome::Cancelled { executed: true }) => ResultSource::Reported,
        Some(_) => ResultSource::Corrected,
    })
}
