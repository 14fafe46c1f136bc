//! Builds the view of the deadline of a question: how long it is, what follows, when.
//!
//! Must not know: clocks, what else waits.

use serde::Serialize;

use crate::domain::call::{Call, Consequence, Status};
use crate::domain::ladder::span;
use crate::domain::state::{Mode, State};
use crate::domain::turn::Turn;
use crate::present::time;

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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::console::testing::{Stage, id};
    use crate::domain::call::{Consequence, Verdict};
    use crate::domain::event::{Event, RunEvent};

    /// A call that awaits approval, with a deadline.
    fn asked(deadline_ms: Option<u64>, on_expiry: Consequence) -> Stage {
        let mut stage = Stage::new(80, 24);
        stage.begin();
        let verdict = Verdict {
            deadline_ms,
            on_expiry,
            ..Stage::verdict()
        };
        stage.awaiting_by("c3", ("write_file", r#"{"path":"a"}"#), verdict);
        stage
    }

    fn both_forms(stage: &Stage, held: bool, left: i64) -> (Option<String>, Value) {
        let state = &stage.model.run.state;
        let call = &state.calls[&id("c3")];
        let now = call.approval.due.unwrap_or_default() - left;
        let view = DeadlineView::of(state, call, held);
        (
            view.map(|view| view.describe(now)),
            serde_json::to_value(view).unwrap(),
        )
    }

    #[test]
    fn consequence_and_time_are_shown_while_the_deadline_counts() {
        let stage = asked(Some(90_000), Consequence::Deny);
        let due = stage.model.run.state.calls[&id("c3")].approval.due.unwrap();
        let (words, json) = both_forms(&stage, true, 42_000);
        assert_eq!(
            words.unwrap(),
            format!("denied in 42 s, at {}", time::second(due))
        );
        assert_eq!(
            json,
            json!({"ms": 90_000, "then": "deny", "due": due, "overdue": false})
        );
        let (words, _) = both_forms(&stage, true, -5);
        assert!(words.unwrap().starts_with("denied in 0.0 s, at "));
        let (words, json) = both_forms(&asked(Some(90_000), Consequence::Halt), true, 600_000);
        assert!(words.unwrap().starts_with("the run stops in 10 min, at "));
        assert_eq!(json["then"], "halt");
    }

    #[test]
    fn without_a_countdown_the_deadline_is_relative_to_the_resume() {
        let mut stage = asked(Some(90_000), Consequence::Escalate);
        let (words, json) = both_forms(&stage, false, 42_000);
        assert_eq!(words.unwrap(), "escalated 90 s after the run resumes");
        assert_eq!(json["due"], Value::Null);
        stage.engine(Event::Run(RunEvent::Paused {
            reason: "lunch".into(),
        }));
        let (words, _) = both_forms(&stage, true, 42_000);
        assert_eq!(words.unwrap(), "escalated 90 s after the run resumes");
        let (words, _) = both_forms(&asked(Some(0), Consequence::Deny), false, 0);
        assert_eq!(words.unwrap(), "denied as soon as the run resumes");
    }

    #[test]
    fn no_deadline_without_a_limit_and_an_expired_one_is_reported() {
        assert_eq!(
            both_forms(&asked(None, Consequence::Deny), true, 0),
            (None, Value::Null)
        );
        let mut stage = asked(Some(90_000), Consequence::Escalate);
        stage.engine(Event::Call(crate::domain::event::CallEvent::Decided {
            call: id("c3"),
            rev: crate::domain::id::Rev(1),
            digest: None,
            decision: crate::domain::call::Decision::Expire {
                consequence: Consequence::Escalate,
            },
        }));
        let (words, json) = both_forms(&stage, true, -1);
        assert_eq!(words.unwrap(), "expired: no answer within 90 s; it still waits");
        assert_eq!((&json["overdue"], &json["due"]), (&json!(true), &Value::Null));
    }
}
