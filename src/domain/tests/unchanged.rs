//! Tests of what stays: unknown outcomes, the order of results, ids, suspended deadlines.
//!
//! Must not know: single edits.

use std::collections::BTreeMap;

use super::world::*;
use overrule_domain::call::{Consequence, Gate, Outcome, Status};
use overrule_domain::id::{NodeId, NodeKind, TurnId};
use overrule_domain::input::Input;
use overrule_domain::ladder::Timer;
use overrule_domain::ledger;
use overrule_domain::node::Revision;
use overrule_domain::state::LedgerOutcome;
use overrule_domain::transcript::Message;
use overrule_domain::turn::Activity;

#[test]
fn an_answer_for_a_running_write_leaves_its_effect_unknown() {
    let mut w = World::new();
    w.reply(&[
        call("write", r#"{"_as":"w","n":1}"#),
        call("read", r#"{"_as":"r","n":"†call.w.v"}"#),
    ]);
    let id = w.id("w");
    w.answer_for(id, r#"{"v":7}"#).unwrap();
    assert!(w.running.iter().any(|one| one.call == id && one.cancelled));
    w.finish(id);
    let entry = w.state.calls[&id].attempts[0].intent;
    assert_eq!(w.state.ledger[&entry].outcome, LedgerOutcome::Unknown);
    assert_eq!(
        ledger::unknown(&w.state).count(),
        1,
        "the operator has still to look"
    );
    assert_eq!(
        (w.status(id), w.value(id)),
        (Status::Succeeded, r#"{"v":7}"#.to_owned())
    );
    assert_eq!(
        w.runs(w.id("r")),
        [r#"{"n":7}"#],
        "what reads it reads the answer"
    );
    w.drain();
    let request = w.last_request();
    assert!(request.contains("operator wrote this result"), "{request}");
    // An equal call may be a second effect.
    w.reply(&[call("write", r#"{"_as":"again","n":1}"#)]);
    let again = w.id("again");
    assert!(matches!(w.status(again), Status::Consent(_)));
    assert_eq!(w.starts(again), 0);
}

#[test]
fn the_late_result_of_a_write_that_was_answered_for_is_in_the_ledger_alone() {
    let mut w = World::new();
    w.reply(&[
        call("write", r#"{"_as":"w","n":1}"#),
        call("read", r#"{"_as":"r","n":"†call.w.v"}"#),
    ]);
    let id = w.id("w");
    w.answer_for(id, r#"{"v":7}"#).unwrap();
    let late = Outcome::ok(r#"{"v":99}"#);
    w.finish_with(id, late.clone());
    let attempt = &w.state.calls[&id].attempts[0];
    assert!(attempt.fenced);
    assert_eq!(
        w.state.ledger[&attempt.intent].outcome,
        LedgerOutcome::Known(late)
    );
    assert_eq!(w.value(id), r#"{"v":7}"#);
    assert_eq!(w.state.observation(id).unwrap().revisions.len(), 1);
    w.drain();
    assert_eq!(w.runs(w.id("r")), [r#"{"n":7}"#]);
    assert!(!w.last_request().contains("99"), "{}", w.last_request());
}

/// The calls whose results the newest request has, in order.
fn results(w: &World) -> Vec<NodeId> {
    let messages = w.asked.last().unwrap().messages.iter();
    messages
        .filter_map(|message| match message {
            Message::Result { call, .. } => Some(*call),
            _ => None,
        })
        .collect()
}

#[test]
fn what_runs_again_writes_into_its_old_place() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1,"_out":"state.x"}"#),
        call("read", r#"{"_as":"b","n":10,"_out":"state.x"}"#),
        call("read", r#"{"_as":"c","n":20}"#),
    ]);
    // The state has the result that ended last; the transcript keeps the order of the calls.
    let (a, b, c) = (w.id("a"), w.id("b"), w.id("c"));
    for id in [c, b, a] {
        w.finish(id);
    }
    let places = |w: &World| [a, b, c].map(|id| w.state.calls[&id].slot);
    let before = places(&w);
    assert!(before[1] < before[0], "b ended first: {before:?}");
    assert_eq!(results(&w), [a, b, c]);
    // Run again with another result, edited and run again: it ended last and keeps its place.
    w.retry(b).unwrap();
    w.finish_with(b, Outcome::ok(r#"{"v":500}"#));
    assert_eq!((places(&w), results(&w)), (before, vec![a, b, c]));
    w.args(b, r#"{"_as":"b","n":30,"_out":"state.x"}"#).unwrap();
    w.drain();
    assert_eq!(w.value(b), r#"{"v":31}"#);
    assert_eq!((places(&w), results(&w)), (before, vec![a, b, c]));
    w.reply(&[call("read", r#"{"_as":"r","n":"†state.x.v"}"#)]);
    assert_eq!(w.runs(w.id("r")), [r#"{"n":2}"#], "the state is what a wrote");
}

/// The first revision of every node, and the position of every turn.
fn first_words(w: &World) -> (BTreeMap<NodeId, Revision>, BTreeMap<TurnId, u32>) {
    let nodes = w.state.nodes.values();
    let turns = w.state.turns.values();
    (
        nodes.map(|node| (node.id, node.revisions[0].clone())).collect(),
        turns.map(|turn| (turn.id, turn.pos)).collect(),
    )
}

#[test]
fn ids_are_never_reused() {
    type Act = fn(&mut World);
    let mut w = World::new();
    let undo: Act = |w| {
        w.undo().unwrap();
    };
    let acts: [Act; 11] = [
        |w| {
            w.reply(&[think("one"), call("read", r#"{"_as":"a"}"#)]);
            w.drain();
        },
        |w| w.delete(w.id("a")).unwrap(),
        |w| w.reply(&[think("two"), call("read", r#"{"_as":"b"}"#)]),
        |w| w.guide("three").unwrap(),
        undo,
        |w| w.guide("four").unwrap(),
        World::crash,
        World::drain,
        |w| w.guide("five").unwrap(),
        |w| w.delete(*w.all(NodeKind::Prompt).last().unwrap()).unwrap(),
        |w| {
            w.reply(&[think("six"), call("read", r#"{"_as":"c"}"#), call("write", "{}")]);
            w.crash();
        },
    ];
    for (step, act) in acts.into_iter().enumerate() {
        let (nodes, turns) = first_words(&w);
        let highest = nodes.keys().map(|id| id.no).max();
        act(&mut w);
        let (now, turns_now) = first_words(&w);
        for (id, output) in &nodes {
            assert_eq!(now.get(id), Some(output), "step {step}: {id} is something else");
        }
        for (id, pos) in &turns {
            assert!(turns_now[id] >= *pos, "step {step}: {id} is another turn");
        }
        // A result has the number of its call.
        let own = |id: &&NodeId| id.kind != NodeKind::Observation && !nodes.contains_key(id);
        for id in now.keys().filter(own) {
            assert!(Some(id.no) > highest, "step {step}: {id} was given out before");
        }
        let highest = turns.keys().max();
        for id in turns_now.keys().filter(|id| !turns.contains_key(id)) {
            assert!(Some(id) > highest, "step {step}: {id} was given out before");
        }
    }
    let output = w.all(NodeKind::Thought).into_iter();
    let output: Vec<_> = output.map(|id| w.state.nodes[&id].text()).collect();
    assert_eq!(output, ["one", "two", "six"]);
}

#[test]
fn a_deadline_pauses_while_its_turn_is_suspended() {
    let mut rules = Rules {
        deadline: Some((1000, Consequence::Deny)),
        ..Rules::default()
    };
    rules.gates.insert("write".into(), Gate::Ask);
    let mut w = World::with(rules);
    w.reply(&[call("read", r#"{"_as":"a"}"#)]);
    w.drain();
    w.reply(&[call("write", r#"{"_as":"w"}"#)]);
    let (id, turn) = (w.id("w"), w.turn_of(w.id("w")));
    let first = w.deadlines(id);
    assert_eq!(first.len(), 1);
    let due = |set| Input::Elapsed {
        timer: Timer::Deadline { call: id },
        set,
    };
    w.retry(w.id("a")).unwrap();
    assert!(matches!(w.state.turns[&turn].activity, Activity::Suspended(_)));
    w.input(due(first[0]));
    assert_eq!(
        w.status(id),
        Status::AwaitingApproval,
        "it cannot be answered now"
    );
    w.finish(w.id("a"));
    assert_eq!(w.state.turns[&turn].activity, Activity::Active);
    assert_eq!(w.status(id), Status::AwaitingApproval);
    let both = w.deadlines(id);
    assert_eq!(both.len(), 2, "the deadline restarts");
    w.input(due(both[0]));
    assert_eq!(
        w.status(id),
        Status::AwaitingApproval,
        "the time that it shows is not over"
    );
    w.input(due(both[1]));
    assert_eq!(w.status(id), Status::Expired);
}
