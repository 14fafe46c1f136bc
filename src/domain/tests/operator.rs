//! Tests of the verbs on calls other than approval: answer, reject, cancel, retry, hold.
//!
//! Must not know: edits of text.

use super::world::*;
use overrule_domain::call::{Outcome, Status};
use overrule_domain::command::{CallCommand, Command, EditCommand};
use overrule_domain::decide::edit::MOST_WORDS;
use overrule_domain::effective_status;
use overrule_domain::event::run::Limits;
use overrule_domain::id::{NodeId, NodeKind, Seq};
use overrule_domain::refusal::RefusalKind;
use overrule_domain::state::Mode;
use overrule_domain::turn::{Activity, Stop};

fn held(w: &World) -> usize {
    w.state
        .turns
        .values()
        .filter(|turn| matches!(turn.activity, Activity::Suspended(_)))
        .count()
}

fn counter() -> World {
    let rules = Rules::default();
    let mut w = World::with(rules);
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":"†call.a.v"}"#),
        call("read", r#"{"_as":"s"}"#),
    ]);
    w.drain();
    w.reply(&[call("read", r#"{"_as":"next","n":"†call.b.v"}"#)]);
    w.drain();
    w.reply(&[answer("done")]);
    assert!(matches!(w.state.mode, Mode::Finished(_)));
    w
}

#[test]
fn retry_with_the_same_output_restores_later_turns_without_asking() {
    let mut w = counter();
    let (asked, turns) = (w.asked.len(), w.turns());
    w.retry(w.id("a")).unwrap();
    assert_eq!(held(&w), 2);
    assert_eq!(w.runs(w.id("a")).len(), 2);
    w.drain();
    assert_eq!(held(&w), 0);
    assert_eq!(w.asked.len(), asked, "the model is not asked");
    assert_eq!(w.turns(), turns);
    assert!(matches!(w.state.mode, Mode::Finished(_)));
    assert_eq!(w.runs(w.id("b")).len(), 1);
    assert_eq!(w.runs(w.id("next")).len(), 1);
}

#[test]
fn retry_with_another_output_supersedes_later_turns() {
    let mut w = counter();
    let asked = w.asked.len();
    w.retry(w.id("a")).unwrap();
    w.finish_with(w.id("a"), Outcome::ok(r#"{"v":8}"#));
    w.drain();
    assert_eq!(w.runs(w.id("b")), [r#"{"n":2}"#, r#"{"n":8}"#]);
    assert_eq!(w.runs(w.id("s")).len(), 1);
    assert_eq!(w.turns().len(), 3);
    assert_eq!(w.asked.len(), asked + 1);
    assert_eq!(
        w.runs(w.id("next")).len(),
        1,
        "what the model asked for before does not run again"
    );
}

#[test]
fn while_turns_are_held_nothing_of_them_moves_but_what_runs() {
    let mut w = World::asking(&["write"]);
    w.reply(&[call("read", r#"{"_as":"a"}"#)]);
    w.drain();
    w.stream(call("read", r#"{"_as":"r"}"#));
    w.stream(call("write", r#"{"_as":"w"}"#));
    w.stream(call("read", r#"{"_as":"d","n":"†call.r.v"}"#));
    w.retry(w.id("a")).unwrap();
    assert_eq!(held(&w), 1);
    let (r, d) = (w.id("r"), w.id("d"));
    for refused in [
        w.approve(w.id("w")),
        w.reject(w.id("w")),
        w.args(w.id("w"), "{}"),
        w.delete(d),
    ] {
        assert_eq!(kind(refused), RefusalKind::Status);
    }
    w.stream(call("read", r#"{"_as":"late"}"#));
    assert!(w.runs(w.id("late")).is_empty(), "sealed calls wait");
    w.finish(r);
    assert_eq!(w.status(r), Status::Succeeded, "its result is recorded");
    assert!(w.runs(d).is_empty());
    w.finish(w.id("a"));
    assert_eq!(held(&w), 0);
    assert_eq!(w.runs(d), [r#"{"n":1}"#], "on as before");
    assert_eq!(w.runs(w.id("late")).len(), 1);
    w.approve(w.id("w")).unwrap();
    w.end(Stop::Calls);
    w.drain();
    assert_eq!(w.asked.len(), 3);
}

#[test]
fn held_turns_that_fall_take_their_streams_and_calls_along() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a"}"#)]);
    w.drain();
    w.stream(call("write", r#"{"_as":"w","n":1}"#));
    w.retry(w.id("a")).unwrap();
    let write = w.id("w");
    w.finish_with(w.id("a"), Outcome::ok("5"));
    assert!(w.running.iter().all(|one| one.call == write && one.cancelled));
    assert!(
        w.state
            .ledger
            .values()
            .any(|entry| entry.call == write && entry.more.orphaned)
    );
    assert!(!w.state.nodes[&write].active);
    assert_eq!(w.open.len(), 1, "the model is asked again");
    w.drain();
    assert!(!w.state.nodes[&write].active);
}

#[test]
fn answering_for_a_call_runs_nothing() {
    let mut w = World::asking(&["write"]);
    w.reply(&[
        call("write", r#"{"_as":"asked"}"#),
        call("read", r#"{"_as":"blocked","n":"†call.asked.v"}"#),
        call("read", r#"{"_as":"running"}"#),
        call("read", r#"{"_as":"dep","n":"†call.blocked.v"}"#),
    ]);
    let (asked, blocked, running) = (w.id("asked"), w.id("blocked"), w.id("running"));
    assert_eq!(kind(w.answer_for(asked, "{")), RefusalKind::Invalid);
    w.answer_for(blocked, r#"{"v":4}"#).unwrap();
    assert_eq!(w.runs(w.id("dep")), [r#"{"n":4}"#]);
    w.answer_for(running, "1").unwrap();
    assert!(
        w.running
            .iter()
            .find(|one| one.call == running)
            .unwrap()
            .cancelled
    );
    w.finish_with(running, Outcome::ok("99"));
    assert_eq!(w.value(running), "1", "the late result is fenced");
    w.answer_for(asked, r#"{"v":9}"#).unwrap();
    w.drain();
    assert!(w.runs(asked).is_empty() && w.runs(blocked).is_empty());
    assert_eq!(w.value(blocked), r#"{"v":4}"#, "the value of the operator stays");
    assert_eq!(kind(w.answer_for(asked, "1")), RefusalKind::Status);
    assert_eq!(w.asked.len(), 2);
}

#[test]
fn answering_for_a_refused_call_brings_its_dependents_back() {
    let mut w = World::asking(&["write"]);
    w.reply(&[
        call("write", r#"{"_as":"a"}"#),
        call("read", r#"{"_as":"b","n":"†call.a.v"}"#),
    ]);
    w.reject(w.id("a")).unwrap();
    assert_eq!(w.asked.len(), 2);
    w.answer_for(w.id("a"), r#"{"v":3}"#).unwrap();
    w.drain();
    assert_eq!(w.runs(w.id("b")), [r#"{"n":3}"#]);
    assert_eq!(w.asked.len(), 3);
    assert!(w.runs(w.id("a")).is_empty());
}

#[test]
fn answering_for_an_invalid_call_after_its_turn_asks_again() {
    let mut w = World::new();
    w.reply(&[
        call("raed", r#"{"_as":"a"}"#),
        call("read", r#"{"_as":"b","n":"†call.a.v"}"#),
    ]);
    assert_eq!(w.asked.len(), 2);
    w.answer_for(w.id("a"), r#"{"v":3}"#).unwrap();
    w.drain();
    assert_eq!(w.runs(w.id("b")), [r#"{"n":3}"#]);
    assert_eq!(w.asked.len(), 3);
}

#[test]
fn a_refused_call_stays_refused_when_what_it_reads_changes() {
    let mut w = World::asking(&["read"]);
    w.reply(&[
        call("pure", r#"{"_as":"s","n":1}"#),
        call("read", r#"{"_as":"r","n":"†call.s.v"}"#),
    ]);
    w.reject(w.id("r")).unwrap();
    assert_eq!(kind(w.reject(w.id("r"))), RefusalKind::Status);
    w.drain();
    w.correct(w.id("s"), r#"{"v":5}"#).unwrap();
    w.drain();
    assert_eq!(w.status(w.id("r")), Status::Rejected);
    assert!(w.runs(w.id("r")).is_empty());
}

#[test]
fn only_finished_calls_run_again_and_a_pin_gives_way() {
    let mut w = World::asking(&["write"]);
    w.reply(&[
        call("write", r#"{"_as":"w"}"#),
        call("read", r#"{"_as":"a","n":1}"#),
    ]);
    assert_eq!(kind(w.retry(w.id("w"))), RefusalKind::Status);
    assert_eq!(kind(w.retry(w.id("a"))), RefusalKind::Status);
    w.drain();
    let a = w.id("a");
    w.correct(a, "5").unwrap();
    w.retry(a).unwrap();
    w.drain();
    assert_eq!(w.runs(a).len(), 2);
    assert_eq!(w.value(a), r#"{"v":2}"#);
    assert_eq!(kind(w.unpin(a.observation())), RefusalKind::Status);
}

#[test]
fn only_what_runs_can_be_cancelled() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a"}"#),
        call("read", r#"{"_as":"b","n":"†call.a.v"}"#),
    ]);
    let cancel = |call: NodeId| {
        Command::Call(CallCommand::Cancel {
            attempt: None,
            call,
            reason: "slow".into(),
        })
    };
    assert_eq!(kind(w.cmd(cancel(w.id("b")))), RefusalKind::Status);
    w.cmd(cancel(w.id("a"))).unwrap();
    w.drain();
    assert_eq!(w.status(w.id("b")), Status::Skipped);
    assert!(w.runs(w.id("b")).is_empty());
}

#[test]
fn an_open_editor_holds_what_depends_on_the_node_and_nothing_else() {
    let mut w = World::new();
    w.stream(call("read", r#"{"_as":"a","n":1}"#));
    w.stream(call("read", r#"{"_as":"b","n":"†call.a.v"}"#));
    let a = w.id("a");
    w.cmd(Command::Edit(EditCommand::Hold { node: a })).unwrap();
    w.finish(a);
    assert!(w.runs(w.id("b")).is_empty());
    w.stream(call("read", r#"{"_as":"s"}"#));
    w.stream(call("read", r#"{"_as":"late","n":"†call.a.v"}"#));
    w.end(Stop::Calls);
    assert_eq!(w.runs(w.id("s")).len(), 1);
    assert!(
        w.runs(w.id("late")).is_empty(),
        "also one that came after the editor opened"
    );
    w.cmd(Command::Edit(EditCommand::Release { node: None })).unwrap();
    assert_eq!(w.runs(w.id("b")).len(), 1);
    w.drain();
    assert_eq!(w.asked.len(), 2);
}

#[test]
fn editors_that_are_open_side_by_side_hold_each_its_own() {
    let mut w = World::new();
    w.stream(call("read", r#"{"_as":"a","n":1}"#));
    w.stream(call("read", r#"{"_as":"b","n":2}"#));
    w.stream(call("read", r#"{"_as":"of_a","n":"†call.a.v"}"#));
    w.stream(call("read", r#"{"_as":"of_b","n":"†call.b.v"}"#));
    let (a, b) = (w.id("a"), w.id("b"));
    for node in [a, b] {
        w.cmd(Command::Edit(EditCommand::Hold { node })).unwrap();
    }
    w.finish(a);
    w.finish(b);
    assert!(w.runs(w.id("of_a")).is_empty() && w.runs(w.id("of_b")).is_empty());
    let release = |node| Command::Edit(EditCommand::Release { node });
    w.cmd(release(Some(a))).unwrap();
    assert_eq!(w.runs(w.id("of_a")).len(), 1);
    assert!(w.runs(w.id("of_b")).is_empty(), "the other editor is open still");
    w.end(Stop::Calls);
    w.drain();
    assert_eq!(w.asked.len(), 1, "no request under an open editor");
    w.cmd(release(Some(b))).unwrap();
    w.drain();
    assert_eq!(w.runs(w.id("of_b")).len(), 1);
    assert_eq!(w.asked.len(), 2);
    let log = w.log.len();
    w.cmd(release(Some(b))).unwrap();
    assert_eq!(w.log.len(), log, "it is closed already");
}

/// Two calls that need a decision, after a thought with an open edit: both are suspended.
fn suspended_by_thought() -> (World, NodeId, NodeId, NodeId) {
    let mut w = World::asking(&["write"]);
    w.reply(&[
        think("first this, then that"),
        call("write", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"b","n":2}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    let turn = &w.state.turns[&w.turn_of(a)];
    let thought = turn.nodes.iter().find(|id| id.kind == NodeKind::Thought);
    let thought = *thought.expect("it thought");
    w.cmd(Command::Edit(EditCommand::Hold { node: thought })).unwrap();
    w.approve(a).unwrap();
    assert!(w.runs(a).is_empty());
    (w, thought, a, b)
}

/// What a call says of its suspension.
fn suspended(w: &World, id: NodeId) -> Option<String> {
    effective_status::suspended_by(&w.state, &w.state.calls[&id])
}

#[test]
fn a_suspended_call_names_the_edit_that_suspends_it() {
    let (mut w, thought, a, b) = suspended_by_thought();
    let open = format!("suspended by your open edit of {thought}");
    assert_eq!(suspended(&w, a).as_deref(), Some(open.as_str()));
    assert_eq!(suspended(&w, b), Some(open));
    w.cmd(Command::Edit(EditCommand::Release { node: Some(thought) }))
        .unwrap();
    assert_eq!(suspended(&w, b), None);

    let mut w = World::new();
    for label in ["a", "b"] {
        w.reply(&[call("read", &format!(r#"{{"_as":"{label}"}}"#))]);
        w.drain();
    }
    let (a, b) = (w.id("a"), w.id("b"));
    assert_eq!(suspended(&w, b), None);
    w.retry(a).unwrap();
    assert_eq!(suspended(&w, b), Some(format!("suspended by your edit of {a}")));
    assert_eq!(suspended(&w, a), None, "it is the one that was edited");
    w.finish(a);
    assert_eq!(suspended(&w, b), None);
}

#[test]
fn a_commit_lets_nothing_go_that_another_open_edit_holds() {
    let (mut w, thought, a, b) = suspended_by_thought();
    w.args(b, r#"{"_as":"b","n":3}"#).unwrap();
    assert!(w.runs(a).is_empty(), "approved, and the thought is still edited");
    assert!(w.runs(b).is_empty(), "so is what was committed");
    assert_eq!(
        w.state.operator.editing.keys().copied().collect::<Vec<_>>(),
        [thought]
    );
    w.cmd(Command::Edit(EditCommand::Release { node: Some(thought) }))
        .unwrap();
    assert_eq!(w.runs(a), [r#"{"n":1}"#]);
    assert_eq!(w.runs(b), [r#"{"n":3}"#]);
}

#[test]
fn no_other_verb_that_begins_an_edit_lets_it_go() {
    type Verb = fn(&mut World, NodeId);
    let verbs: [(&str, Verb); 4] = [
        ("answer", |w, b| {
            let (call, rev, value) = (b, w.rev(b), "1".into());
            w.cmd(Command::Call(CallCommand::Answer { call, rev, value }))
                .unwrap();
        }),
        ("guidance", |w, _| w.guide("be brief").unwrap()),
        ("undo", |w, _| {
            w.guide("be brief").unwrap();
            w.cmd(Command::Edit(UNDO)).unwrap();
        }),
        ("delete", |w, b| w.delete(b).unwrap()),
    ];
    for (name, verb) in verbs {
        let (mut w, thought, a, b) = suspended_by_thought();
        verb(&mut w, b);
        assert!(w.runs(a).is_empty(), "{name}");
        assert!(w.state.operator.editing.contains_key(&thought), "{name}");
        w.cmd(Command::Edit(EditCommand::Release { node: Some(thought) }))
            .unwrap();
        assert_eq!(w.runs(a).len(), 1, "{name}");
    }
}

#[test]
fn an_editor_on_what_became_history_holds_nothing_more() {
    let (mut w, thought, a, b) = suspended_by_thought();
    w.cmd(Command::Edit(EditCommand::Hold { node: b })).unwrap();
    w.delete(b).unwrap();
    assert_eq!(
        w.state.operator.editing.keys().copied().collect::<Vec<_>>(),
        [thought]
    );
    w.text(thought, "only that").unwrap();
    assert!(w.state.operator.editing.is_empty() && w.state.operator.held.is_empty());
    assert!(w.runs(a).is_empty(), "it was superseded with the thought");
}

#[test]
fn no_request_is_made_under_an_open_editor() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    let hold = |node| Command::Edit(EditCommand::Hold { node });
    w.cmd(hold(a)).unwrap();
    w.drain();
    assert_eq!(w.asked.len(), 1);
    w.args(a, r#"{"_as":"a","n":2}"#).unwrap();
    w.drain();
    assert_eq!(w.asked.len(), 2, "the commit closes the editor");
    assert_eq!(
        kind(w.cmd(hold(NodeId::new(NodeKind::Call, 77)))),
        RefusalKind::Unknown
    );
    w.cmd(hold(a)).unwrap();
    let log = w.log.len();
    w.crash();
    assert!(w.state.operator.held.is_empty() && w.state.operator.editing.is_empty());
    assert!(w.log.len() > log && w.state.seq > Seq(0));
}

#[test]
fn suspended_turns_become_active_one_after_the_other() {
    let mut w = World::new();
    for label in ["a", "b", "c"] {
        w.reply(&[call("read", &format!(r#"{{"_as":"{label}"}}"#))]);
        w.drain();
    }
    let asked = w.asked.len();
    let last = w.turn_of(w.id("c"));
    w.retry(w.id("b")).unwrap();
    w.retry(w.id("a")).unwrap();
    w.finish(w.id("a"));
    assert_eq!(held(&w), 2, "the turn of b is active again, later turns not yet");
    assert!(matches!(w.state.turns[&last].activity, Activity::Suspended(_)));
    w.finish_with(w.id("b"), Outcome::ok("5"));
    assert!(matches!(w.state.turns[&last].activity, Activity::Superseded(_)));
    assert_eq!(w.asked.len(), asked + 1);
}

#[test]
fn words_without_end_are_refused_before_anything_is_written() {
    let mut w = World::new();
    let before = w.state.seq;
    let long = "x".repeat(MOST_WORDS + 1);
    assert_eq!(kind(w.guide(&long)), RefusalKind::Invalid);
    assert_eq!(w.state.seq, before);
    w.guide(&long[1..]).unwrap();
}

/// A call that reads `a`: approved, then withdrawn while `a` runs again.
fn withdrawn_in_question() -> (World, NodeId, NodeId) {
    let limits = Limits {
        parallel: 1,
        ..Limits::default()
    };
    let mut w = World::limited(Rules::default(), limits);
    w.stream(call("read", r#"{"_as":"a","n":1}"#));
    w.stream(call("read", r#"{"_as":"x","n":7}"#));
    w.stream(call("read", r#"{"_as":"b","n":"†call.a.v"}"#));
    w.end(Stop::Calls);
    let (a, b) = (w.id("a"), w.id("b"));
    w.finish_with(a, Outcome::ok(r#"{"v":1}"#));
    assert_eq!(w.state.calls[&b].status, Status::Queued, "x runs");
    w.args(a, r#"{"_as":"a","n":2}"#).unwrap();
    let withdraw = CallCommand::Cancel {
        call: b,
        attempt: None,
        reason: "not yet".into(),
    };
    w.cmd(Command::Call(withdraw)).unwrap();
    assert_eq!(w.state.queue().count(), 0, "nothing is asked about old arguments");
    assert_eq!(w.approve(b).unwrap_err().kind, RefusalKind::Status);
    w.finish_with(w.id("x"), Outcome::ok("{}"));
    (w, a, b)
}

#[test]
fn what_a_withdrawn_call_reads_stays_in_question() {
    for value in [1, 2] {
        let (mut w, a, b) = withdrawn_in_question();
        w.finish_with(a, Outcome::ok(format!(r#"{{"v":{value}}}"#)));
        assert_eq!(
            w.state.calls[&b].status,
            Status::AwaitingApproval,
            "it is not approved"
        );
        w.approve(b).unwrap();
        assert_eq!(w.runs(b), [format!(r#"{{"n":{value}}}"#)]);
    }
}

#[test]
fn a_withdrawn_call_falls_with_what_it_reads() {
    let (mut w, a, b) = withdrawn_in_question();
    w.finish_with(a, Outcome::err(not_found()));
    assert_eq!(w.state.calls[&b].status, Status::Skipped);
    assert!(w.runs(b).is_empty());
}
