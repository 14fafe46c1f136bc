//! What is kept of repairs, and what the operator may do with a call that is being repaired beside choosing.
//! Must not know: how a strategy works.

use super::repairs::{refused, said, world};
use super::world::*;
use crate::domain::call::{ErrorClass, Outcome, Status};
use crate::domain::id::Rev;
use crate::domain::ladder::Stage;
use crate::resilience::need::{Branch, need};

/// What became of each round and each execution can be asked for by its parts, not searched in words.
#[test]
fn what_was_tried_is_kept_as_facts_that_nothing_else_shares() {
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
    // Nobody looks from time to time whether an answer has come.
    assert_eq!((w.questions.len(), w.timers.len()), (2, 0));
    said(&mut w, "1");
    said(&mut w, "2");
    let mut begun = Vec::new();
    for (id, day, seats) in [(a, "2024-10-26", "1"), (b, "2024-10-27", "2")] {
        w.finish(id);
        let life = &w.state.calls[&id];
        let rounds: Vec<_> = life
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
fn a_call_that_waits_for_a_choice_can_be_skipped_and_the_rest_goes_on() {
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
    let (a, b, c, d) = (w.id("a"), w.id("b"), w.id("c"), w.id("d"));
    assert_eq!(w.status(a), Status::Repairing(Stage::Choosing));
    let branch = Branch::of(&w.state, &need(&w.state).unwrap());
    assert_eq!(
        branch,
        Branch::Call {
            call: a,
            rev: Rev(1),
            readers: vec![b, c]
        }
    );
    assert_eq!(
        branch.words(),
        format!("skip {a} and what reads it ({b}, {c}); the rest goes on")
    );
    w.reject(a).unwrap();
    w.drain();
    assert_eq!((w.status(a), w.starts(a)), (Status::Rejected, 0));
    assert_eq!((w.starts(b), w.starts(c), w.starts(d)), (0, 0, 1));
    assert_eq!(w.status(d), Status::Succeeded);
    assert_eq!(w.asked.len(), 2, "the model is told and goes on");
}
