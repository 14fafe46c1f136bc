//! Tests of edits inside a sub-agent's thread, and of the call that it works for.
//!
//! Must not know: the rest.

use super::*;
use overrule_domain::command::{Command, Edit, EditCommand, RunCommand};
use overrule_domain::lineage;
use overrule_domain::refusal::RefusalKind;

/// The last turn of the root.
fn tip(w: &World) -> TurnId {
    *w.turns().last().unwrap()
}

#[test]
fn an_equal_sub_agent_answer_keeps_later_turns_and_reruns_no_sibling() {
    let mut w = answered();
    let (a, b, last) = (w.id("a"), w.id("b"), tip(&w));
    let (runs, asked) = (w.executed.len(), w.asked.len());
    w.correct(w.id("a1"), r#"{"v":99}"#).unwrap();
    assert!(
        matches!(w.status(a), Status::Running(_)),
        "the same execution continues"
    );
    assert_eq!(w.starts(a), 1);
    assert!(
        w.state.observation(a).is_none(),
        "what it had given does not count"
    );
    assert!(matches!(w.state.turns[&last].activity, Activity::Suspended(_)));
    assert_eq!(w.status(b), Status::Succeeded);
    assert_eq!(w.asked.len(), asked + 1, "only A is asked");
    w.on(a).reply(&[answer("A is 1")]);
    assert_eq!(
        w.state.turns[&last].activity,
        Activity::Active,
        "an equal answer changes nothing above"
    );
    assert!(matches!(w.state.mode, Mode::Finished(_)));
    assert_eq!(w.asked.len(), asked + 1, "the root is not asked again");
    assert_eq!(w.executed.len(), runs, "nothing ran");
    assert_eq!(requests(&w, thread_of(&w, b)), 2, "B is as it was");
}

#[test]
fn the_preview_of_a_sub_agent_edit_lists_dependents_of_its_answer() {
    let w = answered();
    let (a, b, last) = (w.id("a"), w.id("b"), tip(&w));
    let edit = Edit::Observation {
        node: w.id("a1").observation(),
        base: w.rev(w.id("a1").observation()),
        value: r#"{"v":99}"#.into(),
    };
    let plan = lineage::plan(&w.state, std::slice::from_ref(&edit)).unwrap();
    let answer = *w.all(NodeKind::Answer).last().unwrap();
    assert_eq!(
        plan.held,
        [last],
        "the root's answer is superseded with that of A"
    );
    assert_eq!(plan.perhaps, [answer]);
    assert!(!plan.turns.contains(&last) && !plan.superseded.contains(&answer));
    assert!(plan.drained.contains(&a), "A works on first");
    assert!(plan.unchanged.contains(&b) && !plan.unchanged.contains(&a));
}

#[test]
fn a_different_sub_agent_answer_supersedes_later_turns_and_asks_the_root_again() {
    let mut w = answered();
    let (a, last, asked) = (w.id("a"), tip(&w), w.asked.len());
    w.args(w.id("a1"), r#"{"_as":"a1","n":5}"#).unwrap();
    assert_eq!(
        w.executed[3..].iter().map(|one| one.call).collect::<Vec<_>>(),
        [w.id("a1")]
    );
    w.drain();
    w.on(a).reply(&[answer("A is 5")]);
    assert!(matches!(w.state.turns[&last].activity, Activity::Superseded(_)));
    assert_eq!(w.asked.len(), asked + 2, "A once, the root once");
    let request = w.last_request();
    assert!(
        request.contains("A is 5") && request.contains("B is 10"),
        "{request}"
    );
    assert_eq!(
        w.executed.len(),
        4,
        "B's call and A's other one did not run again"
    );
}

#[test]
fn every_kind_of_edit_inside_touches_that_thread_and_its_call_alone() {
    type Act = fn(&mut World) -> Result<(), overrule_domain::refusal::Refusal>;
    fn node(w: &World, kind: NodeKind) -> NodeId {
        let own = thread_of(w, w.id("a"));
        let here = |id: &NodeId| thread::of(&w.state, *id) == own;
        w.all(kind).into_iter().find(here).unwrap()
    }
    fn turn(w: &World, at: usize) -> TurnId {
        w.state.turns_of(thread_of(w, w.id("a"))).nth(at).unwrap().id
    }
    let acts: [(&str, Act); 9] = [
        ("prompt", |w| w.text(node(w, NodeKind::Prompt), "do A otherwise")),
        ("thought", |w| w.text(node(w, NodeKind::Thought), "rather this")),
        ("call", |w| w.args(w.id("a2"), r#"{"_as":"a2","n":8}"#)),
        ("observation", |w| w.correct(w.id("a2"), r#"{"v":8}"#)),
        ("answer", |w| w.text(node(w, NodeKind::Answer), "A is mine")),
        ("delete", |w| w.delete(w.id("a2"))),
        ("guidance", |w| {
            let after = Some(turn(w, 1));
            w.edit(Edit::InsertPrompt {
                after,
                text: "mind this".into(),
            })
        }),
        ("insert", |w| {
            let after = Some(turn(w, 2));
            w.edit(Edit::InsertCall {
                after,
                tool: "read".into(),
                args: r#"{"n":3}"#.into(),
            })
        }),
        ("reject", |w| {
            let node = node(w, NodeKind::Answer);
            w.edit(Edit::RejectAnswer {
                base: None,
                node,
                reason: "no".into(),
            })
        }),
    ];
    for (what, act) in acts {
        let mut w = answered();
        let (a, b, last) = (w.id("a"), w.id("b"), tip(&w));
        let before = w.executed.len();
        let of_b = active_turns(&w, thread_of(&w, b));
        act(&mut w).unwrap_or_else(|refused| panic!("{what}: {refused}"));
        let own = |w: &World, id: NodeId| thread::of(&w.state, id) == thread_of(w, a);
        assert_eq!(w.starts(a), 1, "{what}: no new execution of the call");
        if what != "answer" {
            assert!(matches!(w.status(a), Status::Running(_)), "{what}");
            assert!(
                matches!(w.state.turns[&last].activity, Activity::Suspended(_)),
                "{what}"
            );
        }
        w.drain();
        if !w.open.is_empty() && what != "answer" {
            w.on(a).reply(&[answer("A is other")]);
        }
        assert!(w.executed[before..].iter().all(|one| own(&w, one.call)), "{what}");
        assert_eq!(active_turns(&w, thread_of(&w, b)), of_b, "{what}");
        assert_eq!(w.starts(w.id("b1")), 1, "{what}");
        assert_eq!(w.status(a), Status::Succeeded, "{what}");
        assert!(
            matches!(w.state.turns[&last].activity, Activity::Superseded(_)),
            "{what}"
        );
        assert_eq!(w.open.len(), 1, "{what}: the root is asked");
        assert_eq!(w.state.turns[&w.open[0].0].thread, thread::ROOT, "{what}");
    }
}

#[test]
fn an_equal_result_inside_ends_the_wave_before_anybody_is_asked() {
    let mut w = answered();
    let (a, turns, asked) = (w.id("a"), w.turns(), w.asked.len());
    w.retry(w.id("a2")).unwrap();
    assert!(matches!(w.status(a), Status::Running(_)));
    w.drain();
    assert_eq!(
        (w.starts(w.id("a2")), w.starts(w.id("a1")), w.starts(w.id("b1"))),
        (2, 1, 1)
    );
    assert_eq!(w.asked.len(), asked);
    assert_eq!(w.turns(), turns);
    assert!(matches!(w.state.mode, Mode::Finished(_)));
}

#[test]
fn readers_of_the_answer_run_again_only_where_it_comes_out_other() {
    let mut w = World::with(Rules {
        results: std::sync::Arc::new(|_, args| Outcome::ok(serde_json::Value::from(args).to_string())),
        ..Rules::default()
    });
    w.reply(&[delegate("a", ""), call("write", r#"{"_as":"r","x":"†call.a"}"#)]);
    let (a, r) = (w.id("a"), w.id("r"));
    w.on(a).reply(&[call("read", r#"{"_as":"a1","n":1}"#)]);
    w.drain();
    w.on(a).reply(&[answer("one")]);
    w.drain();
    w.correct(w.id("a1"), "2").unwrap();
    assert!(w.state.calls[&r].suspect, "what reads it is in question");
    w.on(a).reply(&[answer("one")]);
    assert!(!w.state.calls[&r].suspect);
    assert_eq!(w.runs(r).len(), 1);
    w.correct(w.id("a1"), "3").unwrap();
    w.on(a).reply(&[answer("two")]);
    w.drain();
    assert_eq!(w.runs(r), [r#"{"x":"one"}"#, r#"{"x":"two"}"#]);
}

#[test]
fn other_arguments_of_the_call_begin_another_sub_agent() {
    let mut w = two();
    let (a, b) = (w.id("a"), w.id("b"));
    w.on(a).stream(call("write", r#"{"_as":"wa","n":1}"#));
    w.on(a).stream(call("read", r#"{"_as":"ra","n":1}"#));
    w.finish(w.id("wa"));
    let (old, of_b) = (thread_of(&w, a), thread_of(&w, b));
    let plan = lineage::plan(
        &w.state,
        &[Edit::Call {
            node: a,
            base: w.rev(a),
            tool: "delegate".into(),
            args: r#"{"_as":"a","task":"do it well"}"#.into(),
            shown: true,
        }],
    )
    .unwrap();
    let wrote = w.state.calls[&w.id("wa")].attempts[0].intent;
    assert!(plan.effects.contains(&wrote), "{plan:?}");
    assert!(
        plan.superseded.contains(&w.id("ra")) && plan.cancelled.contains(&a),
        "{plan:?}"
    );
    w.args(a, r#"{"_as":"a","task":"do it well"}"#).unwrap();
    assert_ne!(thread_of(&w, a), old);
    assert_eq!(active_turns(&w, old), 0);
    assert!(
        w.running.iter().all(|one| one.cancelled),
        "its running call is cancelled"
    );
    assert!(w.state.ledger[&wrote].more.orphaned, "its effects are listed");
    assert_eq!(w.open.len(), 2, "the new one and B");
    assert_eq!(thread_of(&w, b), of_b);
    let texts = format!("{:?}", w.asked.last().unwrap().messages);
    assert!(
        texts.contains("do it well") && texts.contains("write (c"),
        "the new one sees what happened: {texts}"
    );
    // The same write again needs consent.
    w.on(a).reply(&[call("write", r#"{"_as":"again","n":1}"#)]);
    assert!(matches!(w.status(w.id("again")), Status::Consent(_)));
}

#[test]
fn an_undone_edit_inside_brings_back_the_answer_and_leaves_the_sibling_at_work() {
    let mut w = two();
    let (a, b) = (w.id("a"), w.id("b"));
    w.on(a).reply(&[call("read", r#"{"_as":"a1","n":1}"#)]);
    w.drain();
    w.on(a).reply(&[answer("A is 1")]);
    w.on(b).reply(&[call("read", r#"{"_as":"b1","n":10}"#)]);
    w.correct(w.id("a1"), r#"{"v":7}"#).unwrap();
    // B continues in the epoch of the edit.
    w.drain();
    w.on(b).stream(call("write", r#"{"_as":"b2","n":3}"#));
    let (runs, asked) = (w.executed.len(), w.asked.len());
    w.undo().unwrap();
    assert_eq!(w.status(a), Status::Succeeded);
    assert_eq!(w.value(a), r#""A is 1""#);
    assert_eq!(w.executed.len(), runs);
    assert_eq!(w.asked.len(), asked, "the model is not asked again");
    assert_eq!(w.running.len(), 1, "B's call runs on");
    assert!(!w.running[0].cancelled);
    w.finish(w.id("b2"));
    assert_eq!(
        (w.status(w.id("b2")), w.starts(w.id("b1"))),
        (Status::Succeeded, 1)
    );
    w.end(overrule_domain::turn::Stop::End);
    w.on(b).reply(&[answer("b")]);
    w.reply(&[answer("end")]);
    // And forward again: the edited thread is active as it was left.
    w.redo().unwrap();
    assert!(matches!(w.status(a), Status::Running(_)), "{:?}", w.status(a));
    assert_eq!(w.value(w.id("a1")), r#"{"v":7}"#);
    assert_eq!(w.status(b), Status::Succeeded, "B is on both branches");
}

#[test]
fn the_result_of_an_edited_sub_agent_is_not_reused_for_an_equal_call() {
    let mut w = two();
    let a = w.id("a");
    w.on(a).reply(&[call("read", r#"{"_as":"a1","n":1}"#)]);
    w.drain();
    w.correct(w.id("a1"), r#"{"v":7}"#).unwrap();
    w.on(a).reply(&[answer("A is 7")]);
    let b = w.id("b");
    w.on(b).reply(&[answer("b")]);
    w.text(w.all(NodeKind::Thought)[0], "split it again").unwrap();
    w.reply(&[think("so"), delegate("a", ""), delegate("b", "")]);
    assert!(
        matches!(w.status(w.id("a")), Status::Running(_)),
        "A is asked again"
    );
    assert_eq!(
        w.value(w.id("b")),
        r#""b""#,
        "B only read, and what it read did not change"
    );
    assert_eq!(w.starts(w.id("b")), 0);
}

#[test]
fn an_operator_result_stays_until_it_is_unpinned() {
    let mut w = answered();
    let a = w.id("a");
    w.correct(a, r#""A is what I say""#).unwrap();
    assert_eq!(kind(w.correct(w.id("a1"), r#"{"v":0}"#)), RefusalKind::Status);
    assert_eq!(kind(w.retry(w.id("a1"))), RefusalKind::Status);
    let after = Some(w.turn_of(w.id("a1")));
    assert_eq!(
        kind(w.edit(Edit::InsertPrompt {
            after,
            text: "x".into()
        })),
        RefusalKind::Status
    );
    w.unpin(a.observation()).unwrap();
    w.correct(w.id("a1"), r#"{"v":0}"#).unwrap();
    assert!(matches!(w.status(a), Status::Running(_)));
}

#[test]
fn what_is_held_above_holds_a_sub_agent_too() {
    let mut w = World::asking(&["write"]);
    w.reply(&[call("read", r#"{"_as":"s","n":1}"#)]);
    w.drain();
    w.reply(&[delegate("a", "")]);
    let a = w.id("a");
    w.on(a).stream(call("read", r#"{"_as":"r","n":1}"#));
    w.stream(call("write", r#"{"_as":"w","n":1}"#));
    let asked = w.asked.len();
    w.retry(w.id("s")).unwrap();
    // A running call and an open stream continue; nothing begins and nothing is decided.
    w.finish(w.id("r"));
    assert_eq!(w.status(w.id("r")), Status::Succeeded);
    assert_eq!(kind(w.approve(w.id("w"))), RefusalKind::Status);
    w.stream(call("read", r#"{"_as":"later","n":2}"#));
    w.end(overrule_domain::turn::Stop::Calls);
    assert!(w.runs(w.id("later")).is_empty());
    assert_eq!(w.asked.len(), asked);
    w.finish(w.id("s"));
    assert_eq!(w.runs(w.id("later")).len(), 1, "an equal result lets it continue");
    w.approve(w.id("w")).unwrap();
    w.drain();
    assert_eq!(w.asked.len(), asked + 1);
    w.on(a).reply(&[answer("a")]);
    assert_eq!(w.status(a), Status::Succeeded);
}

#[test]
fn an_open_edit_suspends_only_its_thread_and_dependent_threads() {
    let mut w = two();
    let (a, b) = (w.id("a"), w.id("b"));
    w.on(a).reply(&[call("read", r#"{"_as":"a1","n":1}"#)]);
    w.on(b).reply(&[call("read", r#"{"_as":"b1","n":1}"#)]);
    w.cmd(Command::Edit(EditCommand::Hold { node: w.id("a1") }))
        .unwrap();
    w.drain();
    assert_eq!(w.open.len(), 1, "B is asked, A is not");
    w.on(b).reply(&[answer("b")]);
    assert_eq!(w.status(b), Status::Succeeded);
    w.cmd(Command::Edit(EditCommand::Release { node: None })).unwrap();
    assert_eq!(w.open.len(), 1);
    // An editor on the call itself holds what its sub-agent would begin.
    w.cmd(Command::Edit(EditCommand::Hold { node: a })).unwrap();
    w.on(a).reply(&[call("read", r#"{"_as":"a2","n":1}"#)]);
    assert!(w.runs(w.id("a2")).is_empty());
    w.cmd(Command::Edit(EditCommand::Release { node: None })).unwrap();
    assert_eq!(w.runs(w.id("a2")).len(), 1);
}

#[test]
fn a_whole_turn_of_a_sub_agent_can_be_asked_again() {
    let mut w = answered();
    let (a, last) = (w.id("a"), tip(&w));
    let turn = w.turn_of(w.id("a2"));
    w.run(RunCommand::AskAgain { turn, request: None }).unwrap();
    assert!(matches!(w.status(a), Status::Running(_)));
    assert!(matches!(w.state.turns[&last].activity, Activity::Suspended(_)));
    w.on(a).reply(&[answer("A is 1")]);
    assert_eq!(w.state.turns[&last].activity, Activity::Active);
}
