//! Why a run stands still where that is no call that waits, and the verbs that let it go on.
//!
//! Must not know: how it is printed.

use crate::cli::lost_edits;
use crate::domain::state::State;
use crate::resilience::attention::{Attention, AttentionReason, standstill};

/// The verbs about a stream that broke.
pub(super) const STREAM: &[&str] = &["ask-again", "keep", "stop-turn"];

/// Why nothing goes on, and what is done about it.
pub(super) struct Still {
    /// Why.
    pub need: Attention,
    /// The verbs that let it go on; none where only the console that has it open can.
    pub verbs: &'static [&'static str],
}

/// Why nothing goes on, for another reason than the calls that are listed. `gone` where no program has the run open:
/// what was typed in an editor is nowhere then.
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

/// The verbs that let it go on.
const fn verbs(cause: &AttentionReason) -> &'static [&'static str] {
    match cause {
        AttentionReason::Stream(_) => STREAM,
        AttentionReason::Loop(_) => &["allow-loop", "guide", "stop"],
        AttentionReason::Stopped => &["guide"],
        AttentionReason::Limit => &["set-limits", "unpause"],
        AttentionReason::Breaker => &["run-now", "reset-breaker"],
        AttentionReason::Own => &["unpause", "guide"],
        AttentionReason::Calls | AttentionReason::Repair | AttentionReason::Edit => &[],
    }
}
