//! Tests of the records of repairs, and of the operator's verbs on a call under repair.
//!
//! Must not know: how a strategy works.

use super::flights::{answer_question, refused, world};
use super::world::*;
use overrule_domain::call::{ErrorClass, Outcome, Status, ToolError};
use overrule_domain::id::Rev;
use overrule_domain::ladder::Stage;
use overrule_resilience::attention::{Branch, need};

/// The outcome of each round and each execution is available as data, not only as text.
#[test]
fn repair_attempts_are_stored_as_separate_facts() {
    let mut w = world("write", false, true);
    w.reply(&[
        call(
            "write",
            r#"{"_as":"a","origin":"JFK","departure_date":"Oct 26, 2024"}"#,
        ),
        call(
            "write",
            r#"{"_as":"b","origin":"OSL","departure_date":"Oct 27, 2024"}"#,
        ),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    for id in [a, b] {
        w.finish_with(id, refused("Invalid date format for 'departure_date'"));
        w.finish_with(id, refused("Missing required parameter 'passengers'"));
    }
    // No timer polls for the answer.
    assert_eq!((w.questions.len(), w.timers.len()), (2, 0));
    answer_question(&mut w, "1");
    answer_question(&mut w, "2");
    let mut begun = Vec::new();
    for (id, day, seats) in [(a, "2024-10-26", "1"), (b, "2024-10-27", "2")] {
        w.finish(id);
        let life = &w.state.calls[&id];
        let rounds: Vec<_> = life
            .failure
            .repairs
            .iter()
            .map(|one| {
                let params = one.diagnoses.iter().flat_map(|found| &found.params);
                let to = one.changes.iter().filter_map(|change| change.to.as_deref());
                begun.push(one.seq);
                (
                    (one.no, one.of, one.rev, one.class),
                    params.map(|path| &**path).collect::<Vec<_>>(),
                    to.collect::<Vec<_>>(),
                    one.asked.is_some(),
                )
            })
            .collect();
        let class = ErrorClass::Param;
        let date = format!("\"{day}\"");
        assert_eq!(
            rounds,
            [
                (
                    (1, 3, Rev(1), class),
                    vec!["/departure_date"],
                    vec![&*date],
                    false
                ),
                ((2, 3, Rev(2), class), vec!["/passengers"], vec![seats], true),
            ]
        );
        let ran: Vec<_> = life.attempts.iter().map(|one| (one.rev, one.no.0)).collect();
        assert_eq!(ran.len(), 3, "{ran:?}");
        assert!(matches!(&life.attempts[0].outcome, Some(Outcome::Err(error)) if error.class == class));
    }
    let count = begun.len();
    begun.sort_unstable();
    begun.dedup();
    assert_eq!(begun.len(), count, "two rounds began with one event");
}

#[test]
fn a_call_awaiting_a_repair_choice_can_be_skipped_and_the_rest_continues() {
    let mut w = world("write", true, true);
    w.reply(&[
        call(
            "write",
            r#"{"_as":"a","origin":"JFK","departure_date":"10/11/2024"}"#,
        ),
        call("pure", r#"{"_as":"b","n":"†call.a.v"}"#),
        call("pure", r#"{"_as":"c","n":"†call.b.v"}"#),
        call("idem", r#"{"_as":"d","n":1}"#),
    ]);
    let [asked, reader, next, other] = ["a", "b", "c", "d"].map(|label| w.id(label));
    assert_eq!(w.status(asked), Status::Repairing(Stage::Choosing));
    let branch = Branch::of(&w.state, &need(&w.state).unwrap());
    assert_eq!(
        branch,
        Branch::Call {
            call: asked,
            rev: Rev(1),
            readers: vec![reader, next]
        }
    );
    assert_eq!(
        branch.describe(),
        format!("skip {asked} and what reads it ({reader}, {next})")
    );
    w.reject(asked).unwrap();
    w.drain();
    assert_eq!((w.status(asked), w.starts(asked)), (Status::Rejected, 0));
    assert_eq!((w.starts(reader), w.starts(next), w.starts(other)), (0, 0, 1));
    assert_eq!(w.status(other), Status::Succeeded);
    assert_eq!(w.asked.len(), 2, "the model sees it and continues");
}

#[test]
fn the_model_gets_a_failure_without_secrets_and_the_journal_stores_it_whole() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    let stack =
        "panic at net.rs:7\n  GET https://me:hunter22@db.local/x\n  Authorization: Bearer abcdef0123456789";
    let error = ToolError {
        class: ErrorClass::Internal,
        message: format!("{stack}\n{}", "frame\n".repeat(20_000)),
        evidence: "test".into(),
        hint: Some("use sk-proj-abcdefghijklmnopqrstuvwx".into()),
        partial: Some(r#"{"sent":"Authorization: Bearer abcdef0123456789"}"#.into()),
        executed: true,
        retry_after_ms: None,
    };
    w.finish_with(a, Outcome::err(error.clone()));
    w.drain();
    let text = w.last_request();
    for secret in ["hunter22", "abcdef0123456789", "sk-proj-abc"] {
        assert!(!text.contains(secret), "{secret}");
    }
    assert!(
        text.contains("net.rs:7") && text.contains("[redacted 8 bytes]"),
        "{text}"
    );
    assert!(text.len() < 40_000, "{} bytes are sent", text.len());
    assert_eq!(w.state.calls[&a].attempts[0].outcome, Some(Outcome::err(error)));
}
