//! Tests of what a call awaiting consent would repeat, and why each execution is superseded.
//!
//! Must not know: where that is shown.

use super::world::*;
use overrule_domain::call::{ConsentCause, Status};
use overrule_domain::command::ConsentChoice;
use overrule_domain::id::{NodeId, NodeKind, Seq};
use overrule_domain::repeat::{Earlier, Since, earlier, repeating, since};
use overrule_domain::thread;

const WRITE: &str = r#"{"_as":"a","n":1}"#;

fn entry(w: &World, call: NodeId) -> Seq {
    w.state.calls[&call].attempts[0].intent
}

/// Each execution that a call would repeat, with its call and what became of it.
fn repeated_by(w: &World, call: NodeId) -> Vec<(Seq, String, String)> {
    let found = earlier(&w.state, &w.state.calls[&call]).map(|one| match one {
        Earlier::Here(entry) => (
            entry.seq,
            thread::named(&w.state, entry.call),
            since(&w.state, entry).describe(),
        ),
        Earlier::Elsewhere(seq, one) => (seq, one.call.to_string(), one.session.to_string()),
    });
    found.collect()
}

fn last_edit(w: &World) -> NodeId {
    *w.all(NodeKind::Intervention).last().unwrap()
}

/// A write that ran, under a prompt that was edited since.
fn replaced() -> (World, NodeId) {
    let mut w = World::new();
    w.reply(&[call("write", WRITE)]);
    w.drain();
    let a = w.id("a");
    let prompt = w.all(NodeKind::Prompt)[0];
    w.text(prompt, "go elsewhere").unwrap();
    (w, a)
}

#[test]
fn it_is_named_with_the_edit_that_replaced_it_and_nothing_else_is() {
    let (mut w, a) = replaced();
    w.reply(&[
        call("write", r#"{"_as":"b","n":1}"#),
        call("write", r#"{"_as":"c","n":2}"#),
    ]);
    let (b, c) = (w.id("b"), w.id("c"));
    assert_eq!(w.status(b), Status::Consent(ConsentCause::Orphaned));
    let why = format!("superseded: edit {} replaced it", last_edit(&w));
    assert_eq!(repeated_by(&w, b), [(entry(&w, a), a.to_string(), why)]);
    assert_eq!(repeated_by(&w, c), [], "it repeats nothing");
    assert_eq!(repeated_by(&w, a), [], "it asks for nothing");
    let all: Vec<_> = repeating(&w.state).into_iter().collect();
    assert_eq!(all, [(entry(&w, a), vec![b])]);
    // Once it is answered nothing is asked about it.
    w.consent(b, ConsentChoice::RunAgain).unwrap();
    assert_eq!(repeated_by(&w, b), []);
    assert!(repeating(&w.state).is_empty());
}

#[test]
fn an_undo_has_no_name_and_a_result_that_was_given_on_counts_there() {
    let (mut w, a) = replaced();
    w.reply(&[call("write", r#"{"_as":"b","n":1}"#)]);
    let b = w.id("b");
    let from = entry(&w, a);
    w.consent(b, ConsentChoice::Reuse { entry: from }).unwrap();
    let found = since(&w.state, &w.state.ledger[&from]);
    assert_eq!(found, Since::ReusedBy(b));
    assert_eq!(found.describe(), format!("its result is used for {b}"));
    assert!(!found.counts());

    let mut w = World::new();
    let prompt = w.all(NodeKind::Prompt)[0];
    w.text(prompt, "go elsewhere").unwrap();
    w.reply(&[call("write", WRITE)]);
    w.drain();
    let a = w.id("a");
    assert!(since(&w.state, &w.state.ledger[&entry(&w, a)]).counts());
    w.undo().unwrap();
    w.reply(&[call("write", r#"{"_as":"b","n":1}"#)]);
    let b = w.id("b");
    let why = "superseded: an undo replaced it".to_owned();
    assert_eq!(repeated_by(&w, b), [(entry(&w, a), a.to_string(), why)]);
}

#[test]
fn the_earlier_execution_of_a_repeated_call_shows_if_it_was_edited_since() {
    let mut w = World::new();
    w.reply(&[call("write", WRITE)]);
    w.drain();
    let a = w.id("a");
    w.retry(a).unwrap();
    assert_eq!(w.status(a), Status::Consent(ConsentCause::SameCall));
    let first = entry(&w, a);
    assert_eq!(
        repeated_by(&w, a),
        [(first, a.to_string(), "still active".to_owned())]
    );

    let mut w = World::new();
    w.reply(&[call("write", WRITE)]);
    w.drain();
    let a = w.id("a");
    w.args(a, r#"{"_as":"a","n":2}"#).unwrap();
    w.drain();
    w.args(a, r#"{ "_as":"a", "n":1 }"#).unwrap();
    let why = format!("superseded: an edit ({}) changed {a} since", last_edit(&w));
    assert_eq!(repeated_by(&w, a), [(entry(&w, a), a.to_string(), why)]);
}

#[test]
fn earlier_executions_are_listed_newest_first_with_their_sub_agent() {
    let mut w = World::new();
    w.reply(&[call("delegate", r#"{"_as":"d","task":"do it"}"#)]);
    let sub = w.id("d");
    w.on(sub).reply(&[call("write", WRITE)]);
    w.drain();
    let a = w.id("a");
    w.on(sub).reply(&[answer("done")]);
    w.on_thread(thread::ROOT)
        .reply(&[call("write", r#"{"_as":"b","n":1}"#)]);
    let b = w.id("b");
    w.drain();
    let prompt = w.all(NodeKind::Prompt)[0];
    w.text(prompt, "go elsewhere").unwrap();
    w.reply(&[call("write", r#"{"_as":"c","n":1}"#)]);
    let c = w.id("c");
    let why = format!("superseded: edit {} replaced it", last_edit(&w));
    assert_eq!(
        repeated_by(&w, c),
        [
            (entry(&w, b), b.to_string(), why.clone()),
            (entry(&w, a), format!("{sub} > {a}"), why),
        ]
    );
}

#[test]
fn earlier_executions_of_another_run_show_their_session() {
    let mut w = World::new();
    let at = w.state.seq;
    w.reply(&[call("write", WRITE)]);
    w.drain();
    let a = w.id("a");
    let (mut fork, _) = w.fork(Some(at), 0);
    let reported_by = *fork.state.origin.elsewhere.keys().next().unwrap();
    fork.crash();
    fork.reply(&[call("write", r#"{"_as":"b","n":1}"#)]);
    let b = fork.id("b");
    assert_eq!(fork.status(b), Status::Consent(ConsentCause::Elsewhere));
    let session = fork.state.origin.elsewhere[&reported_by].what.session.to_string();
    assert_eq!(repeated_by(&fork, b), [(reported_by, a.to_string(), session)]);
    assert!(w.state.origin.elsewhere.is_empty());
}
