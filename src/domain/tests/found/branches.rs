//! Short sessions for bugs with branches: undo, switch, copied nodes.
//!
//! Must not know: how a bug was found.

use super::super::world::*;
use super::keep_later;
use overrule_domain::call::{Outcome, Status};
use overrule_domain::command::Edit;
use overrule_domain::event::run::Limits;
use overrule_domain::id::{Epoch, NodeKind, Rev};
use overrule_domain::lineage;
use overrule_domain::node::Node;
use overrule_domain::refusal::RefusalKind;

#[test]
fn a_call_that_ran_on_a_branch_that_was_left_when_the_program_died_runs_when_it_comes_back() {
    let mut w = World::new();
    w.reply(&[think("so"), call("read", r#"{"_as":"a"}"#)]);
    let a = w.id("a");
    let turn = w.turn_of(a);
    w.text(w.all(NodeKind::Prompt)[0], "else").unwrap();
    assert!(w.running[0].cancelled, "its branch was left");
    w.crash();
    w.undo().unwrap();
    assert_eq!(w.turns().last(), Some(&turn));
    assert_eq!(w.starts(a), 2, "nothing is left of the first execution");
    w.finish(a);
    assert_eq!(w.status(a), Status::Succeeded);
}

#[test]
fn a_call_that_is_taken_over_is_read_by_the_name_that_it_shows() {
    let mut w = World::asking(&["read"]);
    w.reply(&[think("so"), call("read", r#"{"_as":"a","_out":"†state.s"}"#)]);
    w.answer_for(w.id("a"), r#"{"v":5}"#).unwrap();
    let node = w.id("a").observation();
    w.text(w.all(NodeKind::Thought)[0], "else").unwrap();
    w.reply(&[answer("done")]);
    w.take_over(node, 0).unwrap();
    let taken = w.id("a");
    assert_ne!(taken, node.call(), "it stands in a turn of its own");
    assert_eq!(w.value(taken), r#"{"v":5}"#);
    w.reply(&[call("pure", r#"{"_as":"b","x":"†call.a.v","y":"†state.s.v"}"#)]);
    w.drain();
    assert_eq!(w.runs(w.id("b")), [r#"{"x":5,"y":5}"#]);
    assert_eq!(w.starts(taken), 0);
}

#[test]
fn the_preview_of_an_undo_to_a_partial_answer_asks_the_model() {
    let mut w = World::new();
    w.stream(answer("almost"));
    let (turn, _) = w.tip();
    w.text(w.all(NodeKind::Prompt)[0], "else").unwrap();
    assert!(lineage::plan_of(&w.state, &UNDO).unwrap().asks.perhaps());
    let asked = w.asked.len();
    w.undo().unwrap();
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
    w.switch(0).unwrap();
    assert_eq!(w.value(a), r#"{"v":2}"#, "what it gave belongs to both");
    assert!(!w.state.nodes[&a.observation()].pinned);
    assert_eq!((w.starts(a), w.starts(b)), (1, 2), "nothing runs again");
    w.remembers();
}

#[test]
fn a_thought_deleted_on_another_branch_is_streamed_again() {
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
    w.switch(0).unwrap();
    w.stream(think("so"));
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.stream(think("next"));
    let output = w.state.turns[&turn].nodes.iter().map(|id| &w.state.nodes[id]);
    let output: Vec<&str> = output
        .filter(|node| node.active && node.id.kind == NodeKind::Thought)
        .map(Node::text)
        .collect();
    assert_eq!(output, ["so", "next"], "it is not deleted on this branch");
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
    let plan = lineage::plan_of(&w.state, &UNDO).unwrap();
    assert!(
        plan.possible.contains(&a) && !plan.certain.contains(&a),
        "{plan:?}"
    );
    w.undo().unwrap();
    w.drain();
    assert_eq!((w.starts(a), w.status(a)), (0, Status::Succeeded));
}

#[test]
fn an_undo_names_what_may_fall_with_turns_that_were_held_before() {
    let mut w = World::new();
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    w.finish_with(a, Outcome::err(not_found()));
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
    let plan = lineage::plan_of(&w.state, &UNDO).unwrap();
    assert_eq!((plan.perhaps, plan.held.len()), (answered, 1));
}

#[test]
fn calls_that_the_model_replaced_in_a_new_answer_do_not_return_with_it() {
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
    w.undo().unwrap();
    assert!(!w.state.nodes[&plan].active && w.state.nodes[&b].active);
    assert_eq!(w.value(a), r#"{"v":2}"#, "the edit is undone all the same");
}

/// What a tool says of a file that is not there.

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
    w.undo().unwrap();
    let before = w.value(b);
    let take = |from| Edit::Copy {
        node: b.observation(),
        base: None,
        from: Epoch(from),
    };
    assert_eq!(kind(w.edit(take(1))), RefusalKind::Status);
    assert_eq!(w.value(b), before);
    assert_eq!(
        kind(w.edit(take(0))),
        RefusalKind::NoChange,
        "it is the same on both branches"
    );
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
    w.switch(0).unwrap();
    w.reply(&[think("so"), first, second]);
    assert_eq!(w.all(NodeKind::Call), [a, b], "said once, there once");
    w.switch(1).unwrap();
    assert_eq!(w.all(NodeKind::Call), [a, b]);
    assert_eq!((w.rev(a), w.rev(b)), (Rev(2), Rev(1)));
}

#[test]
fn a_copied_call_that_never_ran_reads_its_own_references() {
    let mut w = World::new();
    w.reply(&[think("so"), call("pure", r#"{"_as":"b","x":"†call.a.v"}"#)]);
    let b = w.id("b");
    w.answer_for(b, r#"{"v":5}"#).unwrap();
    w.text(w.all(NodeKind::Thought)[0], "else").unwrap();
    w.reply(&[answer("done")]);
    let node = b.observation();
    w.take_over(node, 1).unwrap();
    let taken = w.id("b");
    assert_eq!(w.value(taken), r#"{"v":5}"#);
    w.unpin(taken.observation()).unwrap();
    assert!(
        matches!(w.status(taken), Status::Unsatisfiable),
        "no call gives `a`"
    );
    assert_eq!(w.starts(taken), 0);
}

#[test]
fn nodes_received_before_a_rewritten_thought_are_not_duplicated() {
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
    w.switch(0).unwrap();
    w.reply(&[first, think("so"), second]);
    assert_eq!(w.all(NodeKind::Call), [a, b], "said once, there once");
    w.switch(1).unwrap();
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
    w.edit(Edit::RejectAnswer {
        base: None,
        node,
        reason,
    })
    .unwrap();
    w.reply(&[answer("better")]);
    let asked = w.asked.len();
    w.switch(0).unwrap();
    assert_eq!(w.all(NodeKind::Answer), [node]);
    assert_eq!(w.asked.len(), asked, "the model is not asked");
}
