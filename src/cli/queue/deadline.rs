//! Describes when a question expires and what happens then, from the record.
//!
//! Must not know: what else waits, who decides.

use serde_json::{Value, json};

use crate::cli::print;
use crate::domain::call::{Call, Status, Verdict};
use crate::domain::ladder::span;
use crate::domain::state::{Mode, State};
use crate::domain::turn::Turn;

/// The verdict of a call that awaits approval with a deadline, and the time for it.
fn asked(call: &Call) -> Option<(&Verdict, u64)> {
    let verdict = call
        .verdict
        .as_ref()
        .filter(|_| call.status == Status::AwaitingApproval && call.approval.approver.is_none())?;
    Some((verdict, verdict.deadline_ms?))
}

/// When a question expires, while a process counts the time. Time does not count in a paused run, during an
/// open edit, and while no process has the session open; then it starts again.
fn due(state: &State, call: &Call, held: bool) -> Option<i64> {
    let counts = held
        && !call.approval.overdue
        && state.mode == Mode::Running
        && state.turn_of(call.id).is_some_and(Turn::is_active);
    call.approval.due.filter(|_| counts)
}

/// Describes what happens to an unanswered question, and when; `None` without a deadline.
pub fn describe(state: &State, call: &Call, held: bool, now: i64) -> Option<String> {
    let (verdict, ms) = asked(call)?;
    let then = verdict.on_expiry.label();
    Some(match due(state, call, held) {
        _ if call.approval.overdue => {
            format!("expired: no answer within {}; it still waits", span(ms))
        }
        Some(due) => {
            let left = u64::try_from(due.saturating_sub(now)).unwrap_or_default();
            format!("{then} in {}, at {}", span(left), print::moment(due))
        }
        None if ms == 0 => format!("{then} as soon as the run resumes"),
        None => format!("{then} {} after the run resumes", span(ms)),
    })
}

/// The deadline as JSON: its length, its consequence, and its time in ms since 1970 while time counts.
pub fn json(state: &State, call: &Call, held: bool) -> Value {
    asked(call).map_or(Value::Null, |(verdict, ms)| {
        json!({
            "ms": ms, "then": verdict.on_expiry, "due": due(state, call, held), "overdue": call.approval.overdue,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::testing::{Stage, id};
    use crate::domain::call::Consequence;
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
        (describe(state, call, held, now), json(state, call, held))
    }

    #[test]
    fn consequence_and_time_are_shown_while_the_deadline_counts() {
        let stage = asked(Some(90_000), Consequence::Deny);
        let due = stage.model.run.state.calls[&id("c3")].approval.due.unwrap();
        let (words, json) = both_forms(&stage, true, 42_000);
        assert_eq!(
            words.unwrap(),
            format!("denied in 42 s, at {}", print::moment(due))
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
