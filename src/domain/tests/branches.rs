//! Tests of undo, redo and branches: which nodes are active or run again.
//!
//! Must not know: how branches are shown.

use super::world::*;
use overrule_domain::branch::{branches, compare::compare, redo_target};
use overrule_domain::call::{Outcome, Status};
use overrule_domain::command::{Command, ConsentChoice, Edit, EditCommand, RunCommand};
use overrule_domain::event::{CallEvent, Event};
use overrule_domain::id::{Epoch, NodeId, NodeKind, Rev};
use overrule_domain::lineage::plan_of;
use overrule_domain::refusal::{Refusal, RefusalKind};
use overrule_domain::state::Mode;
use overrule_domain::turn::Stream;

mod again;
mod continued;

fn send(w: &mut World, command: EditCommand) -> Result<(), Refusal> {
    w.cmd(Command::Edit(command))
}

/// `a`, `b` reads `a`, `s` alone; then an answer.
fn answered() -> World {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":"†call.a.v"}"#),
        call("read", r#"{"_as":"s","n":50}"#),
    ]);
    w.drain();
    w.reply(&[answer("first")]);
    assert!(matches!(w.state.mode, Mode::Finished(_)));
    w
}

fn answers(w: &World) -> Vec<String> {
    let text = |id: NodeId| w.state.nodes[&id].text().to_owned();
    w.all(NodeKind::Answer).into_iter().map(text).collect()
}

#[test]
fn an_undone_edit_leaves_everything_as_it_was_and_runs_nothing() {
    let mut w = answered();
    w.args(w.id("a"), r#"{"_as":"a","n":4}"#).unwrap();
    w.drain();
    w.reply(&[answer("second")]);
    assert_eq!(answers(&w), ["second"]);
    let (runs, asked) = (w.executed.len(), w.asked.len());
    w.undo().unwrap();
    assert_eq!(answers(&w), ["first"]);
    assert!(
        matches!(w.state.mode, Mode::Finished(_)),
        "the answer is active again"
    );
    assert_eq!(w.value(w.id("a")), r#"{"v":2}"#);
    assert_eq!(w.value(w.id("b")), r#"{"v":3}"#);
    assert_eq!(w.rev(w.id("a")), Rev(1));
    assert_eq!(w.executed.len(), runs, "nothing runs again");
    assert_eq!(w.asked.len(), asked, "the model is not asked again");
    w.redo().unwrap();
    assert_eq!(answers(&w), ["second"]);
    assert_eq!(w.value(w.id("b")), r#"{"v":6}"#);
    assert_eq!(w.rev(w.id("a")), Rev(2));
    assert_eq!((w.executed.len(), w.asked.len()), (runs, asked));
    assert_eq!(kind(w.redo()), RefusalKind::NoChange);
}

#[test]
fn undo_goes_back_edit_by_edit_and_redo_forward_again() {
    let mut w = answered();
    for n in 2..5 {
        w.args(w.id("s"), &format!(r#"{{"_as":"s","n":{n}}}"#)).unwrap();
        w.drain();
        w.reply(&[answer(&n.to_string())]);
    }
    let asked = w.asked.len();
    for expected in ["3", "2", "first"] {
        w.undo().unwrap();
        assert_eq!(answers(&w), [expected]);
    }
    assert_eq!(kind(w.undo()), RefusalKind::NoChange);
    for expected in ["2", "3", "4"] {
        w.redo().unwrap();
        assert_eq!(answers(&w), [expected]);
    }
    assert!(redo_target(&w.state).is_none());
    // A new edit after an undo leaves nothing to redo, and loses nothing.
    w.undo().unwrap();
    w.args(w.id("s"), r#"{"_as":"s","n":9}"#).unwrap();
    assert_eq!(kind(w.redo()), RefusalKind::NoChange);
    w.drain();
    w.reply(&[answer("9")]);
    let four = branches(&w.state)
        .into_iter()
        .find(|one| one.sum.text.as_deref() == Some("4"))
        .unwrap();
    w.switch(four.epoch.0).unwrap();
    assert_eq!(answers(&w), ["4"]);
    assert_eq!(w.asked.len(), asked + 1, "only the new edit asked");
}

#[test]
fn several_edits_in_one_commit_are_undone_together() {
    let mut w = answered();
    let (a, s) = (w.id("a"), w.id("s"));
    let edit = |w: &World, id: NodeId, args: &str| Edit::Call {
        node: id,
        base: w.rev(id),
        tool: "read".into(),
        args: args.into(),
        shown: true,
    };
    let both = vec![
        edit(&w, a, r#"{"_as":"a","n":4}"#),
        edit(&w, s, r#"{"_as":"s","n":5}"#),
    ];
    w.edits(both).unwrap();
    assert_eq!(w.state.epoch, Epoch(1));
    w.drain();
    w.undo().unwrap();
    assert_eq!((w.rev(a), w.rev(s)), (Rev(1), Rev(1)));
    assert_eq!(answers(&w), ["first"]);
}

#[test]
fn what_the_edit_cut_off_is_asked_for_again_and_matched() {
    let mut w = World::new();
    w.stream(think("one"));
    w.stream(call("read", r#"{"_as":"a","n":1}"#));
    w.drain();
    let t = w.all(NodeKind::Thought)[0];
    w.text(t, "another").unwrap();
    let a = w.id("a");
    assert!(!w.state.nodes[&a].active);
    w.undo().unwrap();
    assert!(w.state.nodes[&a].active);
    assert_eq!(w.status(a), Status::Succeeded);
    assert_eq!(w.state.nodes[&t].text(), "one");
    // The cut stream is opened again as the same request.
    assert_eq!(w.open.len(), 1);
    w.reply(&[think("one"), call("read", r#"{"_as":"a","n":1}"#)]);
    assert_eq!(w.starts(a), 1, "the matched call keeps its result");
    assert_eq!(w.all(NodeKind::Call), [a]);
}

#[test]
fn work_running_next_to_an_undone_edit_continues() {
    let mut w = World::asking(&["read"]);
    w.stream(call("read", r#"{"_as":"a","n":1}"#));
    w.stream(call("pure", r#"{"_as":"p","n":1}"#));
    let (a, p) = (w.id("a"), w.id("p"));
    w.args(a, r#"{"_as":"a","n":2}"#).unwrap();
    // The stream and the sibling continue in the new epoch.
    w.stream(call("pure", r#"{"_as":"q","n":3}"#));
    let q = w.id("q");
    w.finish(p);
    w.undo().unwrap();
    assert_eq!(w.open.len(), 1, "the stream is the same on both branches");
    assert!(w.state.nodes[&q].active, "so is what it brought since");
    w.finish(q);
    assert_eq!((w.starts(p), w.starts(q)), (1, 1));
    assert_eq!(w.value(p), r#"{"v":2}"#);
    assert_eq!(w.rev(a), Rev(1));
    assert!(
        matches!(w.status(a), Status::AwaitingApproval),
        "the edit's approval is gone"
    );
}

#[test]
fn an_undo_gives_back_no_approval() {
    let mut w = World::asking(&["read"]);
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":2}"#),
    ]);
    let a = w.id("a");
    // Approved and running; the edit ends it before it has a result.
    w.approve(a).unwrap();
    w.args(a, r#"{"_as":"a","n":5}"#).unwrap();
    w.finish(a);
    w.undo().unwrap();
    w.drain();
    assert!(matches!(w.status(a), Status::AwaitingApproval));
    assert_eq!(w.runs(a).last().map(String::as_str), Some(r#"{"n":5}"#));
    w.approve(a).unwrap();
    w.drain();
    assert_eq!(w.runs(a).last().map(String::as_str), Some(r#"{"n":1}"#));
}

#[test]
fn a_restored_effect_is_not_repeated_and_an_orphaned_one_is_reported() {
    let mut w = World::new();
    w.reply(&[think("x"), call("write", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    w.reply(&[answer("done")]);
    let a = w.id("a");
    w.text(w.all(NodeKind::Thought)[0], "y").unwrap();
    let entry = w.state.calls[&a].attempts[0].intent;
    assert!(w.state.ledger[&entry].more.orphaned);
    w.reply(&[call("write", r#"{"_as":"b","n":2}"#)]);
    w.drain();
    let other = w.state.calls[&w.id("b")].attempts[0].intent;
    let plan = plan_of(&w.state, &UNDO).unwrap();
    assert_eq!(
        plan.effects,
        [other],
        "the preview names the effect that stays in the world"
    );
    assert!(plan.recalled.contains(&a));
    assert_eq!(
        kind(send(
            &mut w,
            EditCommand::Undo {
                epoch: None,
                effects_seen: Some(0)
            }
        )),
        RefusalKind::Effects
    );
    w.undo().unwrap();
    assert!(
        !w.state.ledger[&entry].more.orphaned,
        "its result is active again"
    );
    assert!(w.state.ledger[&other].more.orphaned);
    assert_eq!(w.starts(a), 1);
    // The same write in a new turn of the branch that lost it needs consent.
    w.guide("more").unwrap();
    w.reply(&[call("write", r#"{"_as":"c","n":2}"#)]);
    assert!(matches!(w.status(w.id("c")), Status::Consent(_)));
}

#[test]
fn a_consent_that_was_not_used_is_not_brought_back() {
    let mut w = World::new();
    w.reply(&[think("x"), call("write", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    w.text(w.all(NodeKind::Thought)[0], "y").unwrap();
    w.run(RunCommand::Pause {
        reason: "look".into(),
    })
    .unwrap();
    w.reply(&[call("write", r#"{"_as":"b","n":1}"#)]);
    let b = w.id("b");
    w.consent(b, ConsentChoice::RunAgain).unwrap();
    assert_eq!(w.status(b), Status::Queued);
    w.args(b, r#"{"_as":"b","n":3}"#).unwrap();
    w.undo().unwrap();
    w.run(RunCommand::Resume {}).unwrap();
    w.drain();
    assert!(matches!(w.status(b), Status::Consent(_)), "{:?}", w.status(b));
    assert_eq!(w.starts(b), 0);
}

#[test]
fn later_turns_can_be_preserved_and_are_marked() {
    let mut w = answered();
    let turn = *w.turns().last().unwrap();
    let node = w.id("s").observation();
    let commit = |w: &World| EditCommand::Commit {
        edits: vec![Edit::Observation {
            node,
            base: w.rev(node),
            value: r#"{"v":0}"#.into(),
        }],
        effects_seen: None,
        reason: None,
        keep_later: true,
    };
    let plan = plan_of(&w.state, &commit(&w)).unwrap();
    assert_eq!(plan.drifted, [turn]);
    assert!(plan.superseded.is_empty());
    let asked = w.asked.len();
    let command = commit(&w);
    send(&mut w, command).unwrap();
    assert_eq!(w.asked.len(), asked, "the model is not asked");
    assert!(w.state.turns[&turn].drifted);
    assert_eq!(answers(&w), ["first"]);
    w.undo().unwrap();
    assert!(!w.state.turns[&turn].drifted);
    // What replaces the rest of a turn leaves nothing to keep.
    let t = w.all(NodeKind::Thought)[0];
    let refused = EditCommand::Commit {
        edits: vec![Edit::Text {
            node: t,
            base: w.rev(t),
            text: "z".into(),
        }],
        effects_seen: None,
        reason: None,
        keep_later: true,
    };
    assert_eq!(kind(send(&mut w, refused)), RefusalKind::Status);
}

#[test]
fn branches_are_listed_named_and_compared() {
    let mut w = answered();
    w.args(w.id("a"), r#"{"_as":"a","n":4}"#).unwrap();
    w.drain();
    w.reply(&[answer("second")]);
    w.undo().unwrap();
    let list = branches(&w.state);
    let texts: Vec<_> = list.iter().map(|one| one.sum.text.clone().unwrap()).collect();
    assert_eq!(
        texts.iter().map(|text| &**text).collect::<Vec<_>>(),
        ["first", "second"],
        "an undo begins none"
    );
    let current: Vec<_> = list
        .iter()
        .map(|one| (one.epoch.0, one.base.0, one.current))
        .collect();
    assert_eq!(current, [(0, 0, true), (1, 0, false)]);
    assert_eq!((list[0].sum.calls, list[0].sum.executions), (3, 3));
    assert_eq!((list[1].sum.calls, list[1].sum.executions), (3, 5));
    let name = EditCommand::Name {
        epoch: Epoch(1),
        name: "four".into(),
    };
    send(&mut w, name).unwrap();
    assert_eq!(branches(&w.state)[1].name.as_deref(), Some("four"));
    let diff = compare(&w.state, Epoch(0), Epoch(1));
    let row = |id: NodeId| *diff.rows.iter().find(|row| row.node == id).unwrap();
    assert!(row(w.id("s")).same);
    let a = row(w.id("a"));
    assert_eq!((a.a, a.b, a.same), (Some(Rev(1)), Some(Rev(2)), false));
    assert!(!row(w.id("b").observation()).same);
    let only: Vec<NodeId> = diff
        .rows
        .iter()
        .filter(|row| row.a.is_none() || row.b.is_none())
        .map(|row| row.node)
        .filter(|id| id.kind == NodeKind::Answer)
        .collect();
    assert_eq!(only.len(), 2, "each has its own answer");
    assert_eq!(kind(w.switch(9)), RefusalKind::Unknown);
    assert_eq!(kind(w.switch(0)), RefusalKind::NoChange);
    // The number of an undo names no branch.
    assert_eq!((w.state.epoch.0, kind(w.switch(2))), (2, RefusalKind::Unknown));
    assert_eq!(kind(w.take_over(w.id("a"), 2)), RefusalKind::Unknown);
}

#[test]
fn one_result_of_another_branch_is_taken_over_without_an_execution() {
    let mut w = answered();
    let (a, b) = (w.id("a"), w.id("b"));
    w.args(a, r#"{"_as":"a","n":4}"#).unwrap();
    w.drain();
    w.reply(&[answer("second")]);
    w.undo().unwrap();
    let runs = w.starts(a);
    w.take_over(a, 1).unwrap();
    assert_eq!(w.value(a), r#"{"v":5}"#);
    assert!(w.state.nodes[&a.observation()].pinned);
    w.drain();
    assert_eq!(w.starts(a), runs, "it is not executed");
    assert_eq!(w.value(b), r#"{"v":6}"#, "what reads it is computed from it");
    w.reply(&[answer("mixed")]);
    let answer = w.all(NodeKind::Answer)[0];
    let theirs = compare(&w.state, Epoch(1), Epoch(1)).rows;
    let theirs = theirs
        .iter()
        .find(|row| row.node.kind == NodeKind::Answer)
        .unwrap()
        .node;
    w.take_over(theirs, 1).unwrap();
    assert_eq!(w.state.nodes[&answer].text(), "second");
    assert_eq!(kind(w.take_over(theirs, 0)), RefusalKind::Unknown);
}

#[test]
fn a_call_that_only_the_other_branch_made_comes_with_its_result() {
    let mut w = answered();
    w.guide("look further").unwrap();
    w.reply(&[call("write", r#"{"_as":"x","n":3}"#)]);
    w.drain();
    let x = w.id("x");
    w.undo().unwrap();
    w.take_over(x, 1).unwrap();
    let all = w.all(NodeKind::Call);
    let new = *all.last().unwrap();
    assert_ne!(new, x);
    assert_eq!(w.value(new), r#"{"v":4}"#);
    assert_eq!((w.starts(x), w.starts(new)), (1, 0));
    assert!(w.last_request().contains("made the last call and shows"));
}

#[test]
fn a_late_result_of_a_branch_that_was_left_counts_for_nothing() {
    let mut w = answered();
    let a = w.id("a");
    w.args(a, r#"{"_as":"a","n":4}"#).unwrap();
    w.undo().unwrap();
    assert!(w.running[0].cancelled);
    w.finish_with(a, Outcome::ok(r#"{"v":99}"#));
    assert_eq!(w.value(a), r#"{"v":2}"#);
    assert_eq!(answers(&w), ["first"]);
    assert!(w.state.calls[&a].attempts[1].fenced);
    // On the other branch it has still to run.
    w.redo().unwrap();
    w.drain();
    assert_eq!(w.value(a), r#"{"v":5}"#);
    assert!(matches!(
        w.state.turns.values().last().unwrap().stream,
        Stream::Open
    ));
}

#[test]
fn an_undo_persists_after_a_crash() {
    let mut w = answered();
    w.args(w.id("a"), r#"{"_as":"a","n":4}"#).unwrap();
    w.drain();
    w.reply(&[call("read", r#"{"_as":"n","n":3}"#)]);
    w.undo().unwrap();
    let runs = w.executed.len();
    w.crash();
    assert_eq!(answers(&w), ["first"]);
    assert_eq!(w.executed.len(), runs);
    w.redo().unwrap();
    w.crash();
    w.drain();
    assert!(
        !w.events()
            .any(|event| matches!(event, Event::Call(CallEvent::ConsentAsked { .. }))),
        "reads need no consent"
    );
}

#[test]
fn an_undo_that_was_shown_before_another_edit_is_refused() {
    let mut w = answered();
    w.args(w.id("a"), r#"{"_as":"a","n":2}"#).unwrap();
    w.drain();
    let shown = Some(w.state.epoch);
    w.guide("and be brief").unwrap();
    let before = w.state.clone();
    for command in [
        EditCommand::Undo {
            epoch: shown,
            effects_seen: None,
        },
        EditCommand::Redo {
            epoch: shown,
            effects_seen: None,
        },
    ] {
        assert_eq!(kind(send(&mut w, command)), RefusalKind::Changed);
    }
    assert_eq!(w.state, before, "the other edit is still active");
    let now = EditCommand::Undo {
        epoch: Some(w.state.epoch),
        effects_seen: None,
    };
    send(&mut w, now).unwrap();
    assert!(!w.last_request().contains("be brief"));
    assert_eq!(w.rev(w.id("a")), Rev(2), "the earlier edit is still active");
}
