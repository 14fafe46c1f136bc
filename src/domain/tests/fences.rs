//! Tests of calls that wait for others whose results they do not read.
//!
//! Must not know: how references are read.
//!
//! They check when such calls start, what is sent, and what a change does to them.

use super::world::*;
use overrule_domain::call::Status;
use overrule_domain::graph;

#[test]
fn a_call_with_an_after_reference_starts_when_the_other_has_ended() {
    let mut w = World::asking(&["write"]);
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"b","n":2}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    w.args(b, r#"{"_as":"b","n":2,"_after":"†call.a"}"#).unwrap();
    assert_eq!(w.status(b), Status::Blocked);
    assert!(
        w.state.queue().all(|call| call.id != b),
        "the operator is not asked before it could run"
    );
    w.finish(a);
    assert!(w.status(b) == Status::AwaitingApproval, "{:?}", w.status(b));
    w.approve(b).unwrap();
    w.drain();
    assert_eq!(
        w.runs(b),
        [r#"{"n":2}"#],
        "the tool is not sent what the call waits for"
    );
    assert!(
        graph::readers_of(&w.state, a).contains(&b),
        "the graph shows the edge"
    );
}

#[test]
fn what_waits_is_not_run_again_by_another_result_and_is_passed_over_without_one() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"b","n":2,"_after":"†call.a"}"#),
    ]);
    w.drain();
    let (a, b) = (w.id("a"), w.id("b"));
    w.correct(a, "7").unwrap();
    w.drain();
    assert_eq!(w.runs(b).len(), 1, "its own arguments are the same");
    w.args(a, r#"{"_as":"a","n":3}"#).unwrap();
    w.drain();
    assert_eq!((w.runs(a).len(), w.runs(b).len()), (2, 1));

    let mut w = World::asking(&["read"]);
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"b","n":2,"_after":"†call.a"}"#),
    ]);
    w.reject(w.id("a")).unwrap();
    w.drain();
    assert_eq!(w.status(w.id("b")), Status::Skipped);
    assert_eq!(w.starts(w.id("b")), 0);
}

#[test]
fn calls_that_wait_for_each_other_are_no_way_out() {
    let mut w = World::asking(&["read"]);
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":2,"_after":"†call.a"}"#),
    ]);
    let a = w.id("a");
    let refused = w.args(a, r#"{"_as":"a","n":1,"_after":"†call.b"}"#).unwrap_err();
    assert!(
        refused.message.contains("would wait for each other"),
        "{}",
        refused.message
    );
    assert_eq!(w.status(a), Status::AwaitingApproval, "nothing was changed");
}
