//! Describes why a run does not continue if no call waits, and the verbs that continue it.
//!
//! Must not know: how it is printed.

use crate::lost_edits;
use overrule_domain::state::State;
use overrule_resilience::attention::{Attention, AttentionReason, standstill};

/// The verbs about a stream that broke.
pub(super) const STREAM: &[&str] = &["ask-again", "keep", "stop-turn"];

/// Why the run does not continue, and the verbs that continue it.
pub(super) struct Still {
    /// The reason.
    pub need: Attention,
    /// The verbs that continue it; empty if only the console that has it open can.
    pub verbs: &'static [&'static str],
}

/// Returns why the run does not continue, unless the listed calls are the reason. `gone` is true if no process has
/// the run open: open edits are lost then.
pub(super) fn of(state: &State, gone: bool) -> Option<Still> {
    let need = standstill(state)
        .filter(|need| !matches!(need.cause, AttentionReason::Calls | AttentionReason::Repair))?;
    if gone
        && need.cause == AttentionReason::Edit
        && let Some(lost) = lost_edits::describe(state)
    {
        let reason = format!("{lost}; `overrule resume` opens the run again, paused");
        let need = Attention { reason, ..need };
        return Some(Still {
            need,
            verbs: &["resume"],
        });
    }
    let verbs = verbs(&need.cause);
    Some(Still { need, verbs })
}

/// The verbs that continue a run.
const fn verbs(cause: &AttentionReason) -> &'static [&'static str] {
    match cause {
        AttentionReason::Restore(_) => &["restore"],
        AttentionReason::Stream(_) => STREAM,
        AttentionReason::Loop(_) => &["allow-loop", "guide", "stop"],
        AttentionReason::Stopped => &["guide"],
        AttentionReason::Limit => &["set-limits", "unpause"],
        AttentionReason::Breaker => &["run-now", "reset-breaker"],
        AttentionReason::Own => &["unpause", "guide"],
        AttentionReason::Calls | AttentionReason::Repair | AttentionReason::Edit => &[],
    }
}
