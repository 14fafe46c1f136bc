//! Calls that wait when nothing moves any more. Must not know: edits.

use super::world::*;
use crate::domain::call::Status;
use crate::domain::turn::Stop;

#[test]
fn what_nobody_writes_ends_with_the_turn_and_not_before() {
    let mut w = World::new();
    w.stream(call("read", r#"{"_as":"a","n":"†call.nobody"}"#));
    w.stream(call("read", r#"{"_as":"b","n":"†state.nothing"}"#));
    w.stream(call("read", r#"{"_as":"c","n":"†call.c.v"}"#));
    assert_eq!(w.status(w.id("a")), Status::Blocked);
    w.end(Stop::Calls);
    for label in ["a", "b", "c"] {
        assert_eq!(w.status(w.id(label)), Status::Unsatisfiable, "{label}");
    }
    assert!(w.executed.is_empty());
    let request = w.last_request();
    assert!(request.contains("nothing writes †call.nobody"));
    assert!(request.contains("nothing writes †state.nothing"));
    assert!(request.contains("waits for itself"));
}

#[test]
fn calls_that_wait_for_each_other_end_and_their_dependents_with_them() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":"†call.b.v"}"#),
        call("read", r#"{"_as":"b","n":"†call.c.v"}"#),
        call("read", r#"{"_as":"c","n":"†call.a.v"}"#),
        call("read", r#"{"_as":"d","n":"†call.a.v"}"#),
        call("read", r#"{"_as":"e","n":"†call.a.v || †call.f.v"}"#),
        call("read", r#"{"_as":"f","n":1}"#),
    ]);
    w.drain();
    for label in ["a", "b", "c"] {
        assert_eq!(w.status(w.id(label)), Status::Unsatisfiable, "{label}");
    }
    assert_eq!(w.status(w.id("d")), Status::Skipped);
    assert_eq!(w.runs(w.id("e")), [r#"{"n":2}"#]);
    assert_eq!(w.executed.len(), 2);
    assert!(w.last_request().contains("leads back"));
}

#[test]
fn a_waiting_call_keeps_the_turn_open() {
    let mut w = World::asking(&["write"]);
    w.reply(&[
        call("write", r#"{"_as":"w"}"#),
        call("read", r#"{"_as":"a","n":"†call.nobody"}"#),
    ]);
    assert_eq!(w.status(w.id("a")), Status::Blocked);
    assert_eq!(w.asked.len(), 1);
    // The operator may still write what nobody else does.
    w.args(w.id("w"), r#"{"_as":"nobody","n":1}"#).unwrap();
    w.drain();
    assert_eq!(w.status(w.id("a")), Status::Invalid, "an object is not a number");
}

#[test]
fn a_cycle_made_by_an_edit_ends() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":"†call.a.v"}"#),
    ]);
    w.drain();
    w.args(w.id("a"), r#"{"_as":"a","n":"†call.b.v"}"#).unwrap();
    w.drain();
    assert_eq!(w.status(w.id("a")), Status::Unsatisfiable);
    assert_eq!(w.status(w.id("b")), Status::Unsatisfiable);
    assert_eq!(w.executed.len(), 2);
    w.args(w.id("a"), r#"{"_as":"a","n":5}"#).unwrap();
    w.drain();
    assert_eq!(w.runs(w.id("b")), [r#"{"n":2}"#, r#"{"n":6}"#]);
}

#[test]
fn an_invalid_source_ends_its_readers_once_nothing_moves() {
    let mut w = World::asking(&["read"]);
    w.reply(&[
        call("pure", r#"{"_as":"s","n":1}"#),
        call("read", r#"{"_as":"x","n":"†call.s.v"}"#),
        call("read", r#"{"_as":"y","n":"†call.x.v"}"#),
    ]);
    w.drain();
    assert_eq!(w.status(w.id("x")), Status::Awaiting);
    w.correct(w.id("s"), r#"{"v":"text"}"#).unwrap();
    assert_eq!(w.status(w.id("x")), Status::Invalid);
    assert_eq!(w.status(w.id("y")), Status::Skipped);
    assert_eq!(w.asked.len(), 2);
}
