//! Tests of calls of one turn that write one path of the state.
//!
//! Must not know: how a conflict is shown.

use super::world::*;
use overrule_domain::badge::{self, Badge, MarkedCalls};
use overrule_domain::call::Outcome;
use overrule_domain::id::NodeId;
use overrule_domain::ready::{conflicts, write_conflicts, written_value};

/// `PATH: writers, shown first; readers` of each conflict, by label.
fn found(w: &World) -> Vec<String> {
    assert_marked(w);
    let name = |id: &NodeId| w.state.calls[id].label.to_string();
    let names = |ids: &[NodeId]| ids.iter().map(name).collect::<Vec<_>>().join(" ");
    let all = conflicts(&w.state).into_iter();
    all.map(|one| {
        let shown = one.shown.as_ref().map_or_else(|| "nothing".to_owned(), name);
        format!(
            "{}: {}; {shown}; {}",
            one.path(),
            names(&one.writers),
            names(&one.readers)
        )
    })
    .collect()
}

/// One pass over the run finds the same badges as a look at each node.
fn assert_marked(w: &World) {
    let marked = MarkedCalls::of(&w.state);
    let active = w.state.calls.keys().filter(|id| w.state.nodes[id].active);
    let in_conflict = active.filter(|id| !write_conflicts(&w.state, **id).is_empty());
    assert_eq!(marked.in_conflict, in_conflict.copied().collect());
    for node in w.state.nodes.values().filter(|node| node.active) {
        let alone = badge::of(&w.state, node.id);
        assert_eq!(badge::of_marked(&w.state, &marked, node.id), alone, "{}", node.id);
    }
}

fn three_writers() -> World {
    let mut w = World::asking(&["write"]);
    w.reply(&[
        call("read", r#"{"_as":"a","n":1,"_out":"†state.x"}"#),
        call("read", r#"{"_as":"b","n":2,"_out":"state.x"}"#),
        call("write", r#"{"_as":"c","n":3,"_out":"state.x"}"#),
        call("read", r#"{"_as":"r","n":"†state.x.v"}"#),
        call("read", r#"{"_as":"y","n":4,"_out":"state.y"}"#),
    ]);
    w
}

#[test]
fn the_value_of_the_write_that_ended_last_is_shown() {
    let mut w = three_writers();
    assert_eq!(found(&w), ["†state.x: a b c; nothing; r"]);
    w.finish(w.id("b"));
    assert_eq!(found(&w), ["†state.x: b a c; b; r"]);
    w.finish(w.id("a"));
    assert_eq!(found(&w), ["†state.x: b a c; a; r"], "c waits for a decision");
    assert_eq!(written_value(&w.state, w.id("a")).as_deref(), Some(r#"{"v":2}"#));
    assert_eq!(written_value(&w.state, w.id("c")), None);
    w.approve(w.id("c")).unwrap();
    w.drain();
    assert_eq!(found(&w), ["†state.x: b a c; c; "]);
    assert_eq!(w.runs(w.id("r")), [r#"{"n":4}"#], "what is shown is what is read");
}

#[test]
fn a_call_that_wrote_nothing_is_in_no_conflict() {
    let mut w = three_writers();
    let (a, b, c) = (w.id("a"), w.id("b"), w.id("c"));
    w.finish(b);
    w.reject(c).unwrap();
    assert_eq!(found(&w), ["†state.x: b a; b; r"]);
    assert_eq!(write_conflicts(&w.state, c), []);
    assert_eq!(badge::of(&w.state, b), [Badge::WriteConflict]);
    w.finish_with(a, Outcome::Cancelled { executed: false });
    assert_eq!(found(&w), [""; 0]);
    assert_eq!(badge::of(&w.state, b), []);
}

#[test]
fn an_edit_or_a_deletion_of_one_writer_ends_a_conflict_and_an_undo_brings_it_back() {
    let mut w = three_writers();
    let (a, c) = (w.id("a"), w.id("c"));
    w.reject(c).unwrap();
    w.drain();
    assert_eq!(found(&w), ["†state.x: a b; b; "]);
    w.args(a, r#"{"n":1,"_out":"state.z"}"#).unwrap();
    w.drain();
    assert_eq!(found(&w), [""; 0]);
    w.undo().unwrap();
    assert_eq!(found(&w), ["†state.x: a b; b; "]);
    w.delete(a).unwrap();
    w.drain();
    assert_eq!(found(&w), [""; 0]);
}

#[test]
fn a_write_of_a_later_turn_ends_a_conflict_also_one_of_a_path_above() {
    for (out, ends) in [
        ("state.x", true),
        ("state.x.v", false),
        ("state", false),
        ("state.y", false),
    ] {
        let mut w = World::new();
        w.reply(&[
            call("read", r#"{"_as":"a","n":1,"_out":"state.x"}"#),
            call("read", r#"{"_as":"b","n":2,"_out":"state.x"}"#),
            call("read", r#"{"_as":"p","n":1,"_out":"state.q.a"}"#),
            call("read", r#"{"_as":"q","n":2,"_out":"state.q.a"}"#),
        ]);
        w.drain();
        assert_eq!(found(&w).len(), 2);
        w.reply(&[
            call("read", &format!(r#"{{"_as":"c","_out":"{out}"}}"#)),
            call("read", r#"{"_as":"d","_out":"state.q"}"#),
        ]);
        assert_eq!(found(&w).len(), 2, "{out}: nothing new is there yet");
        w.drain();
        let x = "†state.x: a b; b; ";
        assert_eq!(found(&w), if ends { vec![] } else { vec![x] }, "{out}");
    }
}

#[test]
fn one_call_that_writes_a_path_twice_and_two_turns_are_no_conflict() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a","n":1,"_out":"state.x && state.x"}"#)]);
    w.drain();
    w.reply(&[call("read", r#"{"_as":"b","n":1,"_out":"state.x"}"#)]);
    w.drain();
    assert_eq!(found(&w), [""; 0]);
}

#[test]
fn of_a_branch_only_the_place_that_was_written_counts() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1,"_out":"state.ok || state.err"}"#),
        call("read", r#"{"_as":"b","n":2,"_out":"state.err"}"#),
    ]);
    assert_eq!(found(&w), ["†state.err: a b; nothing; "]);
    w.finish(w.id("b"));
    w.finish(w.id("a"));
    assert_eq!(found(&w), [""; 0]);
}
