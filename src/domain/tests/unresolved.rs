//! Tests of calls without a value before an answer, and of calls that write the same path.
//!
//! Must not know: how they are shown.

use std::collections::BTreeMap;

use super::world::*;
use overrule_domain::badge::{self, Badge};
use overrule_domain::call::ErrorClass;
use overrule_domain::command::Edit;
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::ready::same_targets;
use overrule_domain::thread::ROOT;
use overrule_domain::unresolved::failed_calls;

fn fails(w: &mut World, label: &str) -> NodeId {
    let id = w.id(label);
    w.finish_with(id, super::ladder::error(ErrorClass::NotFound, false));
    id
}

fn answered(w: &mut World) -> NodeId {
    w.reply(&[answer("done")]);
    *w.all(NodeKind::Answer).last().unwrap()
}

#[test]
fn an_answer_after_failed_and_skipped_calls_has_a_badge() {
    let mut w = World::with(Rules::default());
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":"†call.a"}"#),
        call("read", r#"{"_as":"c","n":3}"#),
    ]);
    let (b, c) = (w.id("b"), w.id("c"));
    let a = fails(&mut w, "a");
    w.finish(c);
    w.drain();
    assert_eq!(w.starts(b), 0);
    let end = answered(&mut w);
    assert_eq!(failed_calls(&w.state, ROOT), [a, b]);
    assert_eq!(badge::of(&w.state, end), [Badge::AfterFailedCalls]);
    assert_eq!(badge::of(&w.state, c), []);
}

#[test]
fn an_answer_before_a_failed_call_has_no_badge() {
    let mut w = World::with(Rules::default());
    let first = answered(&mut w);
    let text = "more".into();
    w.edit(Edit::InsertPrompt { after: None, text }).unwrap();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    fails(&mut w, "a");
    let second = answered(&mut w);
    assert_eq!(badge::of(&w.state, first), []);
    assert_eq!(badge::of(&w.state, second), [Badge::AfterFailedCalls]);
}

#[test]
fn a_call_that_was_made_again_with_success_is_no_failed_call() {
    let mut w = World::with(Rules::default());
    w.reply(&[call("read", r#"{"n":1}"#)]);
    let first = *w.all(NodeKind::Call).last().unwrap();
    w.finish_with(first, super::ladder::error(ErrorClass::NotFound, false));
    assert_eq!(failed_calls(&w.state, ROOT), [first]);
    // Other arguments do not make it good.
    w.reply(&[call("read", r#"{"n":2}"#)]);
    w.drain();
    assert_eq!(failed_calls(&w.state, ROOT), [first]);
    w.reply(&[call("read", r#"{"n":1}"#)]);
    w.drain();
    assert_eq!(failed_calls(&w.state, ROOT), []);
    let end = answered(&mut w);
    assert_eq!(badge::of(&w.state, end), []);
}

#[test]
fn two_calls_that_write_one_path_are_marked_both() {
    let mut w = World::with(Rules::default());
    w.reply(&[
        call("read", r#"{"_as":"a","_out":"†state.x","n":1}"#),
        call("read", r#"{"_as":"b","_out":"†state.x","n":2}"#),
        call("read", r#"{"_as":"c","_out":"†state.y","n":3}"#),
    ]);
    let (a, b, c) = (w.id("a"), w.id("b"), w.id("c"));
    assert_eq!(same_targets(&w.state), BTreeMap::from([(a, b), (b, a)]));
    w.drain();
    for id in [a, b] {
        assert_eq!(badge::of(&w.state, id), [Badge::WriteConflict]);
    }
    assert_eq!(badge::of(&w.state, c), []);
}
