//! Tests the deadline of a question, in the view and on the screen.
//!
//! Must not know: how the view is built.

use serde_json::{Value, json};

use crate::testing::{Stage, id};
use overrule_domain::call::{Consequence, Verdict};
use overrule_domain::event::{Event, RunEvent};
use overrule_present::call::DeadlineView;
use overrule_present::time;

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
    stage.engine(Event::Call(overrule_domain::event::CallEvent::Decided {
        call: id("c3"),
        rev: overrule_domain::id::Rev(1),
        digest: None,
        decision: overrule_domain::call::Decision::Expire {
            consequence: Consequence::Escalate,
        },
    }));
    let (words, json) = both_forms(&stage, true, -1);
    assert_eq!(words.unwrap(), "expired: no answer within 90 s; it still waits");
    assert_eq!((&json["overdue"], &json["due"]), (&json!(true), &Value::Null));
}
