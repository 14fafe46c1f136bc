//! Builds the view of the deadline of a question: how long it is, what follows, when.
//!
//! Must not know: clocks, what else waits.

use serde::Serialize;

use crate::time;
use overrule_domain::call::{Call, Consequence, Status};
use overrule_domain::ladder::span;
use overrule_domain::state::{Mode, State};
use overrule_domain::turn::Turn;

/// The deadline of a call that awaits approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DeadlineView {
    /// Its length in milliseconds.
    pub ms: u64,
    /// What happens then.
    pub then: Consequence,
    /// UTC time of that in milliseconds since 1970; none while no time counts.
    pub due: Option<i64>,
    /// True if it has expired and the call still waits.
    pub overdue: bool,
}

impl DeadlineView {
    /// Builds the view; `None` without a deadline. Time counts while a process has the run open (`held`), unless the
    /// run is paused or an edit is open; then it starts again.
    pub fn of(state: &State, call: &Call, held: bool) -> Option<Self> {
        let asks = call.status == Status::AwaitingApproval && call.approval.approver.is_none();
        let verdict = call.verdict.as_ref().filter(|_| asks)?;
        let overdue = call.approval.overdue;
        let counts = held
            && !overdue
            && state.mode == Mode::Running
            && state.turn_of(call.id).is_some_and(Turn::is_active);
        Some(Self {
            ms: verdict.deadline_ms?,
            then: verdict.on_expiry,
            due: call.approval.due.filter(|_| counts),
            overdue,
        })
    }

    /// Describes what happens to an unanswered question, and when.
    pub fn describe(self, now: i64) -> String {
        let then = self.then.label();
        match self.due {
            _ if self.overdue => format!("expired: no answer within {}; it still waits", span(self.ms)),
            Some(due) => format!("{}, at {}", countdown(self.then, due, now), time::second(due)),
            None if self.ms == 0 => format!("{then} as soon as the run resumes"),
            None => format!("{then} {} after the run resumes", span(self.ms)),
        }
    }
}

/// What happens to a call, and how long that takes from `now`; both times in milliseconds since 1970.
pub fn countdown(then: Consequence, due: i64, now: i64) -> String {
    let left = u64::try_from(due.saturating_sub(now)).unwrap_or_default();
    format!("{} in {}", then.label(), span(left))
}
