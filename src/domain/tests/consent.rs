//! Tests of effects that may already have happened: none is repeated without consent.
//!
//! Must not know: ordinary approvals.

use super::world::*;
use overrule_domain::call::{ConsentCause, Outcome, Status};
use overrule_domain::command::{CallCommand, Command, ConsentChoice, Resolution};
use overrule_domain::id::{Attempt, NodeId, NodeKind, Seq};
use overrule_domain::input::{Finding, Input};
use overrule_domain::refusal::RefusalKind;
use overrule_domain::state::LedgerOutcome;

fn resolve(w: &mut World, call: NodeId, what: Resolution) -> Result<(), overrule_domain::refusal::Refusal> {
    w.cmd(Command::Call(CallCommand::Resolve {
        attempt: None,
        call,
        what,
    }))
}

fn entry(w: &World, call: NodeId) -> Seq {
    w.state.calls[&call].attempts[0].intent
}

/// A run whose first turn wrote something, after which its prompt was edited.
fn orphaned() -> World {
    let mut w = World::new();
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    let prompt = w.all(NodeKind::Prompt)[0];
    w.text(prompt, "go elsewhere").unwrap();
    w
}

#[test]
fn an_orphaned_effect_is_reported_and_not_repeated_without_consent() {
    let mut w = orphaned();
    assert!(w.last_request().contains("Already happened"));
    w.reply(&[
        call("write", r#"{"_as":"b","n":1}"#),
        call("write", r#"{"_as":"c","n":2}"#),
    ]);
    let b = w.id("b");
    assert_eq!(w.status(b), Status::Consent(ConsentCause::Orphaned));
    assert!(w.runs(b).is_empty());
    assert_eq!(w.runs(w.id("c")).len(), 1, "another effect is free");
    assert_eq!(
        kind(w.approve(b)),
        RefusalKind::Status,
        "an approval is no consent"
    );
    w.consent(b, ConsentChoice::RunAgain).unwrap();
    assert_eq!(w.runs(b).len(), 1);
}

#[test]
fn what_cannot_be_undone_happens_again_only_with_the_name_of_its_tool() {
    let mut w = orphaned();
    w.tag("write", "irreversible");
    w.reply(&[call("write", r#"{"_as":"b","n":1}"#)]);
    let b = w.id("b");
    assert_eq!(kind(w.consent(b, ConsentChoice::RunAgain)), RefusalKind::Denied);
    assert!(w.runs(b).is_empty());
    w.consent_with(b, ConsentChoice::RunAgain, Some("write")).unwrap();
    assert_eq!(w.runs(b).len(), 1);
}

#[test]
fn a_recorded_result_can_stand_in() {
    let mut w = orphaned();
    let old = w.state.ledger.keys().next().copied().unwrap();
    w.reply(&[
        call("write", r#"{"_as":"b","n":1}"#),
        call("read", r#"{"_as":"r","n":"†call.b.v"}"#),
    ]);
    let b = w.id("b");
    assert_eq!(
        kind(w.consent(b, ConsentChoice::Reuse { entry: Seq(1) })),
        RefusalKind::Status
    );
    w.consent(b, ConsentChoice::Reuse { entry: old }).unwrap();
    assert!(w.runs(b).is_empty());
    assert_eq!(w.value(b), r#"{"v":2}"#);
    assert_eq!(w.runs(w.id("r")), [r#"{"n":2}"#]);
}

#[test]
fn consent_can_be_refused() {
    let mut w = orphaned();
    w.reply(&[call("write", r#"{"_as":"b","n":1}"#)]);
    w.consent(w.id("b"), ConsentChoice::Reject { reason: "no".into() })
        .unwrap();
    assert_eq!(w.status(w.id("b")), Status::Rejected);
    assert!(w.runs(w.id("b")).is_empty());
}

#[test]
fn an_equal_call_that_the_model_makes_knowingly_is_a_new_intention() {
    let mut w = World::new();
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    w.reply(&[call("write", r#"{"_as":"b","n":1}"#)]);
    assert_eq!(w.runs(w.id("b")).len(), 1);
}

#[test]
fn the_same_call_with_the_same_arguments_asks_each_time() {
    let mut w = World::new();
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    let id = w.id("a");
    for run in 1..3 {
        w.retry(id).unwrap();
        assert_eq!(w.status(id), Status::Consent(ConsentCause::SameCall));
        assert_eq!(w.runs(id).len(), run);
        w.consent(id, ConsentChoice::RunAgain).unwrap();
        w.drain();
        assert_eq!(w.runs(id).len(), run + 1);
    }
    let keys: std::collections::BTreeSet<_> =
        w.state.ledger.values().map(|entry| entry.key.clone()).collect();
    assert_eq!(
        keys.len(),
        3,
        "who wants it again does not want it recognised as a repetition"
    );
}

#[test]
fn going_back_to_arguments_that_ran_asks() {
    let mut w = World::new();
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    let id = w.id("a");
    w.args(id, r#"{"_as":"a","n":2}"#).unwrap();
    w.drain();
    assert_eq!(w.runs(id).len(), 2);
    w.args(id, r#"{ "_as":"a", "n":1 }"#).unwrap();
    assert!(
        matches!(w.status(id), Status::Consent(_)),
        "whitespace makes no other effect"
    );
    assert_eq!(w.runs(id).len(), 2);
}

#[test]
fn reads_and_what_did_not_happen_ask_nobody() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"r"}"#), call("write", r#"{"_as":"w"}"#)]);
    w.finish(w.id("r"));
    w.finish_with(w.id("w"), Outcome::Cancelled { executed: false });
    w.retry(w.id("r")).unwrap();
    w.retry(w.id("w")).unwrap();
    assert_eq!((w.runs(w.id("r")).len(), w.runs(w.id("w")).len()), (2, 2));
}

#[test]
fn an_unknown_outcome_is_asked_about_and_can_be_resolved() {
    for tool in ["write", "unknown"] {
        let mut w = World::new();
        w.reply(&[
            call(tool, r#"{"_as":"a","n":1}"#),
            call("read", r#"{"_as":"r","n":"†call.a.v"}"#),
        ]);
        let id = w.id("a");
        w.crash();
        assert_eq!(w.status(id), Status::OutcomeUnknown(Attempt(1)));
        assert_eq!(w.probes, [(id, Attempt(1))]);
        w.input(Input::Probed {
            call: id,
            attempt: Attempt(1),
            finding: None,
        });
        for refused in [w.approve(id), w.reject(id), w.answer_for(id, "1")] {
            assert_eq!(kind(refused), RefusalKind::Status);
        }
        assert_eq!(w.runs(id).len(), 1);
        resolve(
            &mut w,
            id,
            Resolution::Happened {
                value: r#"{"v":3}"#.into(),
            },
        )
        .unwrap();
        assert_eq!(w.runs(w.id("r")), [r#"{"n":3}"#]);
        assert_eq!(w.runs(id).len(), 1);
        assert!(matches!(
            w.state.ledger[&entry(&w, id)].outcome,
            LedgerOutcome::Known(_)
        ));
    }
}

#[test]
fn a_probe_decides_where_it_can() {
    for happened in [true, false] {
        let mut w = World::new();
        w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
        let id = w.id("a");
        w.crash();
        let finding = Finding {
            happened,
            value: None,
            evidence: "the file says so".into(),
        };
        w.input(Input::Probed {
            call: id,
            attempt: Attempt(1),
            finding: Some(finding),
        });
        assert_eq!(w.runs(id).len(), if happened { 1 } else { 2 });
        if happened {
            assert_eq!(w.status(id), Status::Succeeded);
        }
    }
}

#[test]
fn another_call_with_an_unknown_equal_effect_asks() {
    let mut w = World::new();
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"b","n":"†input.k","path":"x"}"#),
    ]);
    let a = w.id("a");
    w.finish(w.id("b"));
    w.crash();
    assert!(matches!(w.status(a), Status::OutcomeUnknown(_)));
    w.args(a, r#"{"_as":"a","n":2}"#).unwrap();
    w.drain();
    assert_eq!(w.runs(a), [r#"{"n":1}"#, r#"{"n":2}"#]);
    w.reply(&[call("write", r#"{"_as":"c","n":1}"#)]);
    assert_eq!(w.status(w.id("c")), Status::Consent(ConsentCause::Unknown));
    assert!(w.runs(w.id("c")).is_empty());
}

#[test]
fn a_cancelled_write_has_an_unknown_outcome_and_a_cancelled_read_has_not() {
    let mut w = World::new();
    w.reply(&[call("write", r#"{"_as":"w"}"#), call("read", r#"{"_as":"r"}"#)]);
    for label in ["w", "r"] {
        let call = w.id(label);
        w.cmd(Command::Call(CallCommand::Cancel {
            attempt: None,
            call,
            reason: String::new(),
        }))
        .unwrap();
        w.finish(call);
    }
    assert!(matches!(w.status(w.id("w")), Status::OutcomeUnknown(_)));
    assert!(matches!(w.status(w.id("r")), Status::Failed(_)));
    assert_eq!(w.asked.len(), 1);
    let id = w.id("w");
    resolve(&mut w, id, Resolution::Happened { value: "1".into() }).unwrap();
    assert_eq!(w.asked.len(), 2);
}

#[test]
fn an_idempotent_call_resumes_after_a_crash_with_the_same_key_and_ledger() {
    let mut w = World::new();
    w.reply(&[call("idem", r#"{"_as":"a","n":1}"#)]);
    let id = w.id("a");
    w.crash();
    assert_eq!(w.runs(id).len(), 2);
    let entries: Vec<_> = w.state.ledger.values().collect();
    assert_eq!(entries[0].key, entries[1].key);
    assert_eq!(
        entries[0].outcome,
        LedgerOutcome::Unknown,
        "that it did not happen is not known"
    );
    w.drain();
    w.retry(id).unwrap();
    assert!(matches!(w.status(id), Status::Consent(_)));
}

/// Two equal writes wait; the second was approved and began.
fn twins() -> (World, NodeId, NodeId) {
    let mut w = World::asking(&["write"]);
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"b","n":1}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    w.approve(b).unwrap();
    (w, a, b)
}

#[test]
fn a_pending_call_needs_consent_when_an_equal_effect_becomes_unknown() {
    // By a crash.
    let (mut w, a, _) = twins();
    w.crash();
    assert_eq!(w.status(a), Status::Consent(ConsentCause::Unknown));
    // By an edit.
    let (mut w, a, b) = twins();
    w.finish(b);
    assert_eq!(
        w.status(a),
        Status::AwaitingApproval,
        "it waits for approval, visible in the queue"
    );
    w.args(b, r#"{"_as":"b","n":2}"#).unwrap();
    assert_eq!(w.status(a), Status::Consent(ConsentCause::Orphaned));
    // By a time-out of the tool.
    let (mut w, a, b) = twins();
    w.finish_with(b, Outcome::Cancelled { executed: true });
    assert_eq!(w.status(a), Status::Consent(ConsentCause::Unknown));
    assert_eq!(kind(w.approve(a)), RefusalKind::Status);
    assert!(w.runs(a).is_empty());
}
