//! Why a run stands still where that is no call that waits, and the verbs that let it go on.
//!
//! Must not know: how it is printed.

use crate::domain::state::State;
use crate::resilience::need::{Cause, Need, standstill};

/// Why nothing goes on, for another reason than the calls that are listed.
pub(super) fn of(state: &State) -> Option<Need> {
    standstill(state).filter(|need| !matches!(need.cause, Cause::Calls | Cause::Repair))
}

/// The verbs that let it go on.
pub(super) const fn verbs(cause: &Cause) -> &'static [&'static str] {
    match cause {
        Cause::Stream(_) => &["ask-again", "keep", "stop-turn"],
        Cause::Loop(_) => &["allow-loop", "guide", "stop"],
        Cause::Stopped => &["guide"],
        Cause::Limit => &["set-limits", "unpause"],
        Cause::Breaker => &["run-now", "reset-breaker"],
        Cause::Edit => &["collected", "commit", "drop-collected"],
        Cause::Own => &["unpause", "guide"],
        Cause::Calls | Cause::Repair => &[],
    }
}
