//! What random sessions found, one short session for each. Must not know: how it was found.

use super::world::*;
use crate::domain::call::{ErrorClass, Outcome, Status, ToolError};
use crate::domain::command::{CallCommand, Command, Edit, EditCommand, RunCommand};
use crate::domain::event::run::Limits;
use crate::domain::id::{Epoch, NodeKind, Rev};
use crate::domain::lineage;
use crate::domain::node::Node;
use crate::domain::refusal::{Refusal, RefusalKind};
use crate::domain::transcript::hash::context_hash;
use crate::domain::turn::{Stream, StreamFaultKind};

fn keep_later(w: &mut World, edit: Edit) -> Result<(), Refusal> {
    w.cmd(Command::Edit(EditCommand::Commit {
        edits: vec![edit],
        effects_seen: None,
        reason: None,
        keep_later: true,
    }))
}

#[test]
fn a_kept_turn_that_is_asked_again_is_not_adrift_any_more() {
    let mut w = World::new();
    w.stream(think("so"));
    let (turn, _) = w.tip();
    let node = w.all(NodeKind::Prompt)[0];
    let base = w.rev(node);
    let text = "else".into();
    keep_later(&mut w, Edit::Text { node, base, text }).unwrap();
    assert!(w.state.turns[&turn].drifted);
    w.crash();
    let turn = &w.state.turns[&turn];
    assert!(!turn.drifted, "it is asked with what stands before it");
    assert_eq!(
        turn.context,
        Some(context_hash(&w.state, turn.thread, Some(turn.id)))
    );
    assert_eq!(turn.asked, 2);
}

#[test]
fn a_call_that_ran_on_a_branch_that_was_left_when_the_program_died_runs_when_it_comes_back() {
    let mut w = World::new();
    w.reply(&[think("so"), call("read", r#"{"_as":"a"}"#)]);
    let a = w.id("a");
    let turn = w.turn_of(a);
    w.text(w.all(NodeKind::Prompt)[0], "else").unwrap();
    assert!(w.running[0].cancelled, "its branch was left");
    w.crash();
    w.cmd(Command::Edit(EditCommand::Undo {
        epoch: None,
        effects_seen: None,
    }))
    .unwrap();
    assert_eq!(w.turns().last(), Some(&turn));
    assert_eq!(w.starts(a), 2, "nothing is left of the first execution");
    w.finish(a);
    assert_eq!(w.status(a), Status::Succeeded);
}

/// A turn whose state is read by the next one; both ended, and the run has its answer.
fn written_and_read() -> World {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":"†call.a.v","_out":"†state.s"}"#),
        call("read", r#"{"_as":"old","n":9,"_out":"†state.s"}"#),
    ]);
    let (a, b, old) = (w.id("a"), w.id("b"), w.id("old"));
    w.finish(old);
    w.finish(a);
    w.finish(b);
    w.reply(&[call("read", r#"{"_as":"c","x":"†state.s.v"}"#)]);
    w.drain();
    w.reply(&[answer("done")]);
    w
}

#[test]
fn a_kept_reader_of_the_state_waits_for_the_writer_before_it() {
    let mut w = written_and_read();
    let (a, b, c) = (w.id("a"), w.id("b"), w.id("c"));
    assert_eq!(w.runs(c), [r#"{"x":3}"#]);
    let base = w.rev(a);
    let args = r#"{"_as":"a","n":4}"#.into();
    let edit = Edit::Call {
        node: a,
        base,
        tool: "read".into(),
        args,
        shown: true,
    };
    keep_later(&mut w, edit).unwrap();
    assert_eq!(w.runs(c).len(), 1, "what it reads is being worked out");
    assert!(w.state.calls[&c].suspect);
    w.finish(a);
    w.finish(b);
    w.drain();
    assert_eq!(w.runs(c), [r#"{"x":3}"#, r#"{"x":6}"#]);
}

#[test]
fn what_is_put_in_and_falls_in_one_commit_is_not_said_to_run() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    w.reply(&[answer("done")]);
    let a = w.id("a");
    let edits = vec![
        Edit::InsertCall {
            after: Some(w.turn_of(a)),
            tool: "read".into(),
            args: "{}".into(),
        },
        Edit::Observation {
            node: a.observation(),
            base: w.rev(a.observation()),
            value: r#"{"v":7}"#.into(),
        },
    ];
    let plan = lineage::plan(&w.state, &edits).unwrap();
    assert!(plan.certain.is_empty() && plan.possible.is_empty(), "{plan:?}");
    assert!(plan.turns.iter().all(|id| w.state.turns.contains_key(id)));
    let ran = w.executed.len();
    w.edits(edits).unwrap();
    assert_eq!(w.executed.len(), ran);
}

#[test]
fn nothing_is_put_behind_turns_that_are_held() {
    let mut w = written_and_read();
    w.retry(w.id("a")).unwrap();
    let turns = w.turns().len();
    assert_eq!(kind(w.guide("be brief")), RefusalKind::Status);
    assert_eq!(w.turns().len(), turns);
    // In front of them it can be.
    let after = Some(w.turn_of(w.id("a")));
    let text = "be brief".into();
    w.edit(Edit::InsertPrompt { after, text }).unwrap();
    w.drain();
    assert!(w.last_request().contains("be brief"));
}

#[test]
fn a_call_that_is_taken_over_is_read_by_the_name_that_it_shows() {
    let mut w = World::asking(&["read"]);
    w.reply(&[think("so"), call("read", r#"{"_as":"a","_out":"†state.s"}"#)]);
    w.answer_for(w.id("a"), r#"{"v":5}"#).unwrap();
    let node = w.id("a").observation();
    w.text(w.all(NodeKind::Thought)[0], "else").unwrap();
    w.reply(&[answer("done")]);
    let from = Epoch(0);
    w.edit(Edit::Take { node, from }).unwrap();
    let taken = w.id("a");
    assert_ne!(taken, node.call(), "it stands in a turn of its own");
    assert_eq!(w.value(taken), r#"{"v":5}"#);
    w.reply(&[call("pure", r#"{"_as":"b","x":"†call.a.v","y":"†state.s.v"}"#)]);
    w.drain();
    assert_eq!(w.runs(w.id("b")), [r#"{"x":5,"y":5}"#]);
    assert_eq!(w.starts(taken), 0);
}

#[test]
fn a_result_that_is_corrected_in_the_same_commit_is_not_said_to_run() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":"†call.a.v"}"#),
        call("read", r#"{"_as":"c","n":"†call.b.v"}"#),
    ]);
    w.drain();
    let (a, b, c) = (w.id("a"), w.id("b"), w.id("c"));
    let correct = |id: crate::domain::id::NodeId, value: &str| Edit::Observation {
        node: id.observation(),
        base: w.rev(id.observation()),
        value: value.into(),
    };
    let edits = vec![correct(a, r#"{"v":7}"#), correct(b, r#"{"v":8}"#)];
    let plan = lineage::plan(&w.state, &edits).unwrap();
    assert_eq!(plan.possible, [c]);
    w.edits(edits).unwrap();
    w.drain();
    assert_eq!((w.starts(a), w.starts(b), w.starts(c)), (1, 1, 2));
}

#[test]
fn an_undo_that_brings_back_a_cut_answer_says_that_the_model_is_asked() {
    let mut w = World::new();
    w.stream(answer("almost"));
    let (turn, _) = w.tip();
    w.text(w.all(NodeKind::Prompt)[0], "else").unwrap();
    let undo = EditCommand::Undo {
        epoch: None,
        effects_seen: None,
    };
    assert!(lineage::plan_of(&w.state, &undo).unwrap().asks);
    let asked = w.asked.len();
    w.cmd(Command::Edit(undo)).unwrap();
    assert_eq!((w.asked.len(), w.tip().0), (asked + 1, turn));
}

#[test]
fn a_correction_does_not_follow_to_a_branch_on_which_its_call_was_still_running() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":5}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    w.finish(b);
    w.args(b, r#"{"_as":"b","n":6}"#).unwrap();
    w.finish(a);
    w.drain();
    assert_eq!(w.value(a), r#"{"v":2}"#);
    w.correct(a, r#"{"v":9}"#).unwrap();
    let switch = EditCommand::Switch {
        to: Epoch(0),
        effects_seen: None,
    };
    w.cmd(Command::Edit(switch)).unwrap();
    assert_eq!(w.value(a), r#"{"v":2}"#, "what it gave belongs to both");
    assert!(!w.state.nodes[&a.observation()].pinned);
    assert_eq!((w.starts(a), w.starts(b)), (1, 2), "nothing runs again");
    w.remembers();
}

#[test]
fn a_thought_that_another_branch_deleted_is_said_again() {
    let mut w = World::new();
    w.stream(think("so"));
    w.stream(call("read", r#"{"_as":"a"}"#));
    let a = w.id("a");
    w.finish(a);
    w.correct(a, "5").unwrap();
    w.stream(think("next"));
    let (turn, _) = w.tip();
    let next = *w.all(NodeKind::Thought).last().unwrap();
    w.delete(next).unwrap();
    w.cmd(Command::Edit(EditCommand::Switch {
        to: Epoch(0),
        effects_seen: None,
    }))
    .unwrap();
    w.stream(think("so"));
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.stream(think("next"));
    let said = w.state.turns[&turn].nodes.iter().map(|id| &w.state.nodes[id]);
    let said: Vec<&str> = said
        .filter(|node| node.active && node.id.kind == NodeKind::Thought)
        .map(Node::text)
        .collect();
    assert_eq!(said, ["so", "next"], "on this branch nobody deleted it");
}

#[test]
fn the_model_is_not_asked_again_behind_a_call_that_runs_again() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    w.finish(a);
    let (turn, _) = w.tip();
    w.broke(StreamFaultKind::Length);
    let edit = Edit::Call {
        node: a,
        base: w.rev(a),
        tool: "read".into(),
        args: r#"{"_as":"a","n":2}"#.into(),
        shown: true,
    };
    keep_later(&mut w, edit).unwrap();
    let asked = w.asked.len();
    let refused = kind(w.run(RunCommand::AskAgain { turn }));
    assert_eq!((refused, w.asked.len()), (RefusalKind::Status, asked));
    w.finish(a);
    assert_eq!(w.asked.len(), asked, "what broke is left to the operator");
    w.run(RunCommand::AskAgain { turn }).unwrap();
    assert_eq!(w.asked.len(), asked + 1);
}

#[test]
fn a_refused_answer_ends_its_stream() {
    let mut w = World::new();
    w.stream(answer("almost"));
    let (turn, _) = w.tip();
    let node = w.all(NodeKind::Answer)[0];
    let reason = "no".into();
    w.edit(Edit::RejectAnswer { node, reason }).unwrap();
    assert!(matches!(w.state.turns[&turn].stream, Stream::Aborted(_)));
    w.crash();
    assert!(!w.state.nodes[&node].active, "nobody brings it back");
    assert_eq!(w.state.turns[&turn].asked, 1, "and nobody asks for it again");
}

#[test]
fn a_plan_does_not_promise_to_run_what_may_take_an_equal_result() {
    let mut w = World::limited(
        Rules::default(),
        Limits {
            parallel: 1,
            ..Limits::default()
        },
    );
    w.reply(&[
        call("read", r#"{"_as":"z","n":7}"#),
        call("pure", r#"{"_as":"a","n":1}"#),
    ]);
    let (z, a) = (w.id("z"), w.id("a"));
    w.text(w.all(NodeKind::Prompt)[0], "else").unwrap();
    w.finish(z);
    w.reply(&[call("pure", r#"{"_as":"a","n":1}"#)]);
    w.finish(w.id("a"));
    let undo = EditCommand::Undo {
        epoch: None,
        effects_seen: None,
    };
    let plan = lineage::plan_of(&w.state, &undo).unwrap();
    assert!(
        plan.possible.contains(&a) && !plan.certain.contains(&a),
        "{plan:?}"
    );
    w.cmd(Command::Edit(undo)).unwrap();
    w.drain();
    assert_eq!((w.starts(a), w.status(a)), (0, Status::Succeeded));
}

#[test]
fn who_names_a_place_in_the_state_looks_again_when_its_writer_ends_well_after_all() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","_out":"†state.s"}"#),
        call("read", r#"{"_as":"b","n":5}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    w.finish(b);
    w.finish_with(a, Outcome::Err(not_found()));
    w.reply(&[call("read", r#"{"_as":"c","x":"†state.s.v || †call.b.v"}"#)]);
    w.drain();
    let c = w.id("c");
    let before = w.runs(c);
    let (node, base) = (a.observation(), w.rev(a.observation()));
    let value = r#"{"v":9}"#.into();
    keep_later(&mut w, Edit::Observation { node, base, value }).unwrap();
    w.drain();
    assert_eq!(
        (before.len(), w.runs(c).len()),
        (1, 2),
        "it ran with what is there now"
    );
    assert_eq!(w.runs(c)[1], r#"{"x":9}"#);
}

#[test]
fn an_undo_names_what_may_fall_with_turns_that_were_held_before() {
    let mut w = World::new();
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    w.finish_with(a, Outcome::Err(not_found()));
    w.reply(&[answer("done")]);
    let answered = w.all(NodeKind::Answer);
    w.retry(a).unwrap();
    let edit = Edit::Call {
        node: a,
        base: w.rev(a),
        tool: "write".into(),
        args: r#"{"_as":"a","n":2}"#.into(),
        shown: true,
    };
    keep_later(&mut w, edit).unwrap();
    w.drain();
    let undo = EditCommand::Undo {
        epoch: None,
        effects_seen: None,
    };
    let plan = lineage::plan_of(&w.state, &undo).unwrap();
    assert_eq!((plan.perhaps, plan.held.len()), (answered, 1));
}

#[test]
fn what_the_model_took_back_by_saying_something_else_does_not_come_back_beside_it() {
    let mut w = World::new();
    w.stream(call("read", r#"{"_as":"a","n":1}"#));
    let a = w.id("a");
    w.finish(a);
    w.stream(think("plan"));
    let plan = *w.all(NodeKind::Thought).last().unwrap();
    w.correct(a, "5").unwrap();
    w.crash();
    w.stream(call("read", r#"{"_as":"a","n":1}"#));
    w.stream(call("read", r#"{"_as":"b","n":2}"#));
    let b = w.id("b");
    w.cmd(Command::Edit(EditCommand::Undo {
        epoch: None,
        effects_seen: None,
    }))
    .unwrap();
    assert!(!w.state.nodes[&plan].active && w.state.nodes[&b].active);
    assert_eq!(w.value(a), r#"{"v":2}"#, "the edit is undone all the same");
}

#[test]
fn guidance_that_falls_in_its_own_commit_asks_nobody() {
    let mut w = World::new();
    w.reply(&[answer("done")]);
    let node = w.all(NodeKind::Answer)[0];
    let edits = vec![
        Edit::InsertPrompt {
            after: None,
            text: "more".into(),
        },
        Edit::Text {
            node,
            base: w.rev(node),
            text: "rather this".into(),
        },
    ];
    let plan = lineage::plan(&w.state, &edits).unwrap();
    let asked = w.asked.len();
    w.edits(edits).unwrap();
    assert_eq!((plan.asks, w.asked.len()), (false, asked));
}

/// What a tool says of a file that is not there.
fn not_found() -> ToolError {
    ToolError {
        class: ErrorClass::NotFound,
        message: "no such file".into(),
        evidence: "errno ENOENT".into(),
        hint: None,
        partial: None,
        executed: true,
        retry_after_ms: None,
    }
}

#[test]
fn a_result_that_was_in_question_on_its_branch_is_not_taken_over() {
    let mut w = World::asking(&["read"]);
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("pure", r#"{"_as":"b","x":"†call.a.v"}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    w.approve(a).unwrap();
    w.drain();
    w.reply(&[answer("done")]);
    // The new arguments wait for a word, and what reads them with them.
    w.args(a, r#"{"_as":"a","n":2}"#).unwrap();
    assert!(w.state.calls[&b].suspect);
    let undo = EditCommand::Undo {
        epoch: None,
        effects_seen: None,
    };
    w.cmd(Command::Edit(undo)).unwrap();
    let before = w.value(b);
    let take = |from| Edit::Take {
        node: b.observation(),
        from: Epoch(from),
    };
    assert_eq!(kind(w.edit(take(1))), RefusalKind::Status);
    assert_eq!(w.value(b), before);
    assert_eq!(
        kind(w.edit(take(0))),
        RefusalKind::NoChange,
        "where it stood, it stood as here"
    );
}

fn switch(w: &mut World, to: u32) {
    w.cmd(Command::Edit(EditCommand::Switch {
        to: Epoch(to),
        effects_seen: None,
    }))
    .unwrap();
}

#[test]
fn what_had_arrived_of_a_reply_belongs_to_every_branch_that_was_asked_for_it() {
    let mut w = World::new();
    let (first, second) = (
        call("pure", r#"{"_as":"a","n":1}"#),
        call("pure", r#"{"_as":"b","n":2}"#),
    );
    w.stream(think("so"));
    w.stream(first.clone());
    let a = w.id("a");
    w.args(a, r#"{"_as":"a","n":7}"#).unwrap();
    w.stream(second.clone());
    let b = w.id("b");
    // An edit before it ends the stream; then the branch on which it had not come as far.
    w.text(w.all(NodeKind::Prompt)[0], "else").unwrap();
    switch(&mut w, 0);
    w.reply(&[think("so"), first, second]);
    assert_eq!(w.all(NodeKind::Call), [a, b], "said once, there once");
    switch(&mut w, 1);
    assert_eq!(w.all(NodeKind::Call), [a, b]);
    assert_eq!((w.rev(a), w.rev(b)), (Rev(2), Rev(1)));
}

#[test]
fn a_call_that_never_ran_and_is_taken_over_reads_what_it_says() {
    let mut w = World::new();
    w.reply(&[think("so"), call("pure", r#"{"_as":"b","x":"†call.a.v"}"#)]);
    let b = w.id("b");
    w.answer_for(b, r#"{"v":5}"#).unwrap();
    w.text(w.all(NodeKind::Thought)[0], "else").unwrap();
    w.reply(&[answer("done")]);
    let node = b.observation();
    let from = Epoch(1);
    w.edit(Edit::Take { node, from }).unwrap();
    let taken = w.id("b");
    assert_eq!(w.value(taken), r#"{"v":5}"#);
    w.cmd(Command::Call(CallCommand::Unpin {
        node: taken.observation(),
    }))
    .unwrap();
    assert!(
        matches!(w.status(taken), Status::Unsatisfiable),
        "nobody gives `a`"
    );
    assert_eq!(w.starts(taken), 0);
}

#[test]
fn what_had_arrived_before_a_thought_was_rewritten_is_not_said_twice() {
    let mut w = World::new();
    let (first, second) = (
        call("pure", r#"{"_as":"a","n":1}"#),
        call("pure", r#"{"_as":"b","n":2}"#),
    );
    w.stream(first.clone());
    w.stream(think("so"));
    let a = w.id("a");
    w.args(a, r#"{"_as":"a","n":7}"#).unwrap();
    w.stream(second.clone());
    let b = w.id("b");
    let thought = w.all(NodeKind::Thought)[1];
    w.text(thought, "else").unwrap();
    assert!(!w.state.nodes[&b].active);
    switch(&mut w, 0);
    w.reply(&[first, think("so"), second]);
    assert_eq!(w.all(NodeKind::Call), [a, b], "said once, there once");
    switch(&mut w, 1);
    assert_eq!(w.all(NodeKind::Call), [a, b]);
}

#[test]
fn an_answer_that_was_refused_on_another_branch_counts_on_one_that_had_asked_for_it() {
    let mut w = World::new();
    w.reply(&[call("pure", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    // The answer is asked for already when the edit comes, and comes after it.
    w.retry(w.id("a")).unwrap();
    w.drain();
    w.reply(&[answer("done")]);
    let node = w.all(NodeKind::Answer)[0];
    let reason = "wrong".into();
    w.edit(Edit::RejectAnswer { node, reason }).unwrap();
    w.reply(&[answer("better")]);
    let asked = w.asked.len();
    switch(&mut w, 0);
    assert_eq!(w.all(NodeKind::Answer), [node]);
    assert_eq!(w.asked.len(), asked, "nobody is asked");
}
