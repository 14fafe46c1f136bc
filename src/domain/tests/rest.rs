//! Tests of calls that still wait when nothing else can happen.
//!
//! Must not know: edits.

use super::world::*;
use overrule_domain::call::Status;
use overrule_domain::command::Edit;
use overrule_domain::turn::Stop;

#[test]
fn what_nobody_writes_ends_with_the_turn_and_not_before() {
    let mut w = World::new();
    w.stream(call("read", r#"{"_as":"a","n":"†call.missing"}"#));
    w.stream(call("read", r#"{"_as":"b","n":"†state.nothing"}"#));
    w.stream(call("read", r#"{"_as":"c","n":"†call.c.v"}"#));
    assert_eq!(w.status(w.id("a")), Status::Blocked);
    w.end(Stop::Calls);
    for label in ["a", "b", "c"] {
        assert_eq!(w.status(w.id(label)), Status::Unsatisfiable, "{label}");
    }
    assert!(w.executed.is_empty());
    let request = w.last_request();
    assert!(request.contains("nothing writes †call.missing"));
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
        call("read", r#"{"_as":"a","n":"†call.missing"}"#),
    ]);
    assert_eq!(w.status(w.id("a")), Status::Blocked);
    assert_eq!(w.asked.len(), 1);
    // The operator may still rename a call to the missing name.
    w.args(w.id("w"), r#"{"_as":"missing","n":1}"#).unwrap();
    w.drain();
    assert_eq!(w.status(w.id("a")), Status::Invalid, "an object is not a number");
}

#[test]
fn an_edit_that_nothing_could_run_after_is_refused_and_ends_nothing() {
    let mut w = World::new();
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":"†call.a.v"}"#),
        call("read", r#"{"_as":"d","n":"†call.b.v"}"#),
    ]);
    let a = w.id("a");
    let running = w.status(a);
    assert!(matches!(running, Status::Running(_)), "{running:?}");
    for (args, why) in [
        (r#"{"_as":"a","n":"†call.b.v"}"#, "wait for each other"),
        (r#"{"_as":"a","n":"†call.d.v"}"#, "wait for each other"),
        (r#"{"_as":"a","n":"†call.a.v"}"#, "its own result"),
        (
            r#"{"_as":"a","n":"†call.missing"}"#,
            "no call before it or next to it",
        ),
        (r#"{"_as":"b","n":1}"#, "already called `b`"),
    ] {
        let refused = w.args(a, args).unwrap_err();
        assert!(refused.message.contains(why), "{args}: {}", refused.message);
        assert_eq!(w.status(a), running, "it runs on");
    }
    // Two solutions: a reference with alternatives, or new names for both in one commit.
    let edit = |w: &World, name: &str, args: &str| Edit::Call {
        node: w.id(name),
        base: w.rev(w.id(name)),
        tool: "read".into(),
        args: args.into(),
        shown: true,
    };
    w.drain();
    let swapped = vec![
        edit(&w, "d", r#"{"_as":"b","n":7}"#),
        edit(&w, "b", r#"{"_as":"d","n":"†call.a.v || †call.none"}"#),
    ];
    w.edits(swapped).unwrap();
    w.drain();
    assert_eq!(w.runs(w.id("b")).last().unwrap(), r#"{"n":7}"#);
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
    assert_eq!(w.status(w.id("x")), Status::AwaitingApproval);
    w.correct(w.id("s"), r#"{"v":"text"}"#).unwrap();
    assert_eq!(w.status(w.id("x")), Status::Invalid);
    assert_eq!(w.status(w.id("y")), Status::Skipped);
    assert_eq!(w.asked.len(), 2);
}
