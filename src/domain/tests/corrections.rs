//! Tests that a result written by a person stays when the model is asked again for its turn.
//!
//! Must not know: how counterparts are found, how a correction is shown.

mod branches;
mod preview;

use super::world::*;
use overrule_domain::call::{Decision, Outcome, Status};
use overrule_domain::command::{ConsentChoice, Edit, EditCommand};
use overrule_domain::event::{EditEvent, Event};
use overrule_domain::id::{NodeId, NodeKind, ThreadId};
use overrule_domain::input::Block;
use overrule_domain::lineage::{Plan, plan};
use overrule_domain::result_source::{self, ResultSource};
use overrule_domain::state::Mode;

const GOOD: &str = r#"{"v":70}"#;
const BETTER: &str = r#"{"v":71}"#;

fn a() -> Block {
    call("read", r#"{"_as":"a","n":1}"#)
}

fn b(tool: &str) -> Block {
    call(tool, r#"{"_as":"b","n":2}"#)
}

/// `a` in the first turn, `b` of a tool in the second, then an answer.
fn two_turns(tool: &str) -> World {
    let mut w = World::new();
    w.reply(&[think("first"), a()]);
    w.drain();
    w.reply(&[think("second"), b(tool)]);
    w.drain();
    w.reply(&[answer("done")]);
    assert!(matches!(w.state.mode, Mode::Finished(_)));
    w
}

/// The same, with a corrected result of `b`, and then one of `a`: the model is asked for its second turn again.
fn corrected(tool: &str) -> World {
    let mut w = two_turns(tool);
    w.correct(w.id("b"), GOOD).unwrap();
    w.reply(&[answer("after b")]);
    w.correct(w.id("a"), r#"{"v":60}"#).unwrap();
    w
}

fn lost(w: &World) -> Vec<Vec<NodeId>> {
    let message = w.events().filter_map(|event| match event {
        Event::Edit(EditEvent::CorrectionsLost { nodes }) => Some(nodes.clone()),
        _ => None,
    });
    message.collect()
}

fn pinned(w: &World, call: NodeId) -> bool {
    w.state.observation(call).is_some_and(|node| node.pinned)
}

fn carried(w: &World, call: NodeId) -> bool {
    let decisions = w.state.calls[&call].decisions.iter();
    decisions
        .last()
        .is_some_and(|(_, _, what)| matches!(**what, Decision::Carry { .. }))
}

#[test]
fn it_stays_where_the_same_call_is_made_again() {
    for tool in ["pure", "read", "idem", "write", "unknown"] {
        let mut w = corrected(tool);
        let (before, runs) = (w.id("b"), w.executed.len());
        w.reply(&[think("second"), b(tool)]);
        let now = w.id("b");
        assert_ne!(before, now, "{tool}");
        assert_eq!(
            (w.status(now), w.value(now)),
            (Status::Succeeded, GOOD.into()),
            "{tool}"
        );
        assert!(
            pinned(&w, now) && carried(&w, now),
            "{tool}: still marked as the operator's"
        );
        assert_eq!(
            result_source::now(&w.state, &w.state.calls[&now]),
            Some(ResultSource::Carried)
        );
        assert_eq!(w.executed.len(), runs, "{tool}: nothing runs");
        assert!(w.last_request().contains("70"), "{}", w.last_request());
        w.reply(&[answer("after both")]);
        assert_eq!(lost(&w), Vec::<Vec<NodeId>>::new(), "{tool}");
        w.remembers();
    }
}

#[test]
fn it_stays_through_one_edit_after_another() {
    let mut w = corrected("read");
    for round in 0..4 {
        w.reply(&[b("read")]);
        assert_eq!(w.value(w.id("b")), GOOD, "round {round}");
        w.reply(&[answer("again")]);
        w.correct(w.id("a"), &format!(r#"{{"v":{}}}"#, 61 + round))
            .unwrap();
    }
    w.reply(&[b("read")]);
    // The newest correction is used.
    w.correct(w.id("b"), BETTER).unwrap();
    w.reply(&[answer("better")]);
    w.correct(w.id("a"), r#"{"v":90}"#).unwrap();
    w.reply(&[b("read")]);
    assert_eq!(w.value(w.id("b")), BETTER);
    assert_eq!(w.starts(w.id("b")), 0);
}

#[test]
fn whatever_edit_asks_the_model_again_it_stays() {
    let edits: [fn(&mut World); 7] = [
        |w| w.args(w.id("a"), r#"{"_as":"a","n":5}"#).unwrap(),
        |w| w.retry(w.id("a")).unwrap(),
        |w| w.text(w.all(NodeKind::Prompt)[0], "go elsewhere").unwrap(),
        |w| w.text(w.all(NodeKind::Thought)[1], "second, rewritten").unwrap(),
        |w| {
            let after = Some(w.turn_of(w.id("a")));
            w.edit(Edit::InsertPrompt {
                after,
                text: "mind".into(),
            })
            .unwrap();
        },
        |w| {
            let (after, tool) = (Some(w.turn_of(w.id("a"))), "pure".into());
            let args = r#"{"n":9}"#.into();
            w.edit(Edit::InsertCall { after, tool, args }).unwrap();
        },
        |w| w.delete(w.id("a")).unwrap(),
    ];
    for (at, edit) in edits.into_iter().enumerate() {
        let mut w = two_turns("read");
        w.correct(w.id("b"), GOOD).unwrap();
        w.reply(&[answer("after b")]);
        // A call that runs again must give another result.
        w.rules.results = std::sync::Arc::new(|_, _| Outcome::ok(r#"{"v":33}"#));
        edit(&mut w);
        w.drain();
        assert!(!w.open.is_empty(), "edit {at} does not ask the model");
        if at == 2 {
            // The first turn is asked for again, too.
            w.reply(&[a()]);
            w.drain();
        }
        let runs = w.executed.len();
        w.reply(&[b("read")]);
        assert_eq!(w.value(w.id("b")), GOOD, "edit {at}");
        assert_eq!(w.executed.len(), runs, "edit {at}: nothing runs");
    }
}

#[test]
fn a_result_stays_however_the_call_had_ended_before() {
    // Denied, waiting, failed, or never run: a person wrote the result of the call.
    let waits = |rules: &mut Rules| {
        _ = rules
            .gates
            .insert("read".into(), overrule_domain::call::Gate::Ask);
    };
    let denied = |rules: &mut Rules| {
        _ = rules
            .gates
            .insert("read".into(), overrule_domain::call::Gate::Deny);
    };
    let fails = |rules: &mut Rules| {
        rules.results = std::sync::Arc::new(|_, _| Outcome::err(not_found()));
    };
    let rules: [&dyn Fn(&mut Rules); 3] = [&waits, &denied, &fails];
    for (at, change) in rules.into_iter().enumerate() {
        let mut w = World::new();
        w.reply(&[call("pure", r#"{"_as":"a","n":1}"#)]);
        w.drain();
        change(&mut w.rules);
        w.reply(&[b("read")]);
        if !w.running.is_empty() {
            w.drain();
        }
        let call = w.id("b");
        if w.state.observation(call).is_some() {
            w.correct(call, GOOD).unwrap();
        } else {
            w.answer_for(call, GOOD).unwrap();
        }
        w.reply(&[answer("one")]);
        w.correct(w.id("a"), r#"{"v":60}"#).unwrap();
        let runs = w.executed.len();
        w.reply(&[b("read")]);
        assert_eq!(w.value(w.id("b")), GOOD, "case {at}");
        assert_eq!(w.executed.len(), runs, "case {at}");
        assert!(
            w.state.queue().next().is_none(),
            "case {at}: the operator is not asked again"
        );
    }
}

#[test]
fn what_never_could_run_keeps_its_answer() {
    let mut w = World::new();
    w.reply(&[a()]);
    w.drain();
    let blocks = [
        call("read", r#"{"_as":"x","n":"†call.none.v"}"#),
        call("read", r#"{"_as":"y","n":"†call.x.v"}"#),
    ];
    w.reply(&blocks);
    assert_eq!(w.status(w.id("x")), Status::Unsatisfiable);
    w.answer_for(w.id("x"), GOOD).unwrap();
    w.drain();
    w.reply(&[answer("one")]);
    w.correct(w.id("a"), r#"{"v":60}"#).unwrap();
    w.reply(&blocks);
    assert_eq!(w.value(w.id("x")), GOOD);
    w.drain();
    let y = w.id("y");
    assert_eq!(w.state.calls[&y].resolved.as_deref(), Some(r#"{"n":70}"#));
    assert_eq!(w.value(y), r#"{"v":71}"#, "what reads it has read it");
}

#[test]
fn different_arguments_drop_the_correction_and_notify_the_operator_once() {
    let mut w = corrected("read");
    let before = w.id("b");
    w.reply(&[call("read", r#"{"_as":"b","n":3}"#)]);
    assert!(lost(&w).is_empty(), "not before the reply is through");
    w.drain();
    assert_eq!(w.starts(w.id("b")), 1);
    assert_eq!(lost(&w), [vec![before.observation()]]);
    w.reply(&[answer("else")]);
    assert_eq!(lost(&w).len(), 1, "it is reported once");
    // Where the same call comes back, so does what was said of it.
    w.correct(w.id("a"), r#"{"v":61}"#).unwrap();
    w.reply(&[b("read")]);
    assert_eq!(w.value(w.id("b")), GOOD);
}

#[test]
fn a_run_that_ends_before_the_call_repeats_reports_the_lost_correction() {
    let mut w = corrected("read");
    let before = w.id("b");
    w.reply(&[answer("now")]);
    assert_eq!(lost(&w), [vec![before.observation()]]);
    assert!(matches!(w.state.mode, Mode::Finished(_)));
}

#[test]
fn of_equal_calls_each_keeps_its_own() {
    let doubled = [
        call("read", r#"{"n":2}"#),
        call("read", r#"{"n":2}"#),
        call("read", r#"{"n":3}"#),
    ];
    let mut w = World::new();
    w.reply(&[a()]);
    w.drain();
    w.reply(&doubled);
    w.drain();
    let second = w.all(NodeKind::Call)[2];
    w.correct(second, GOOD).unwrap();
    w.reply(&[answer("one")]);
    w.correct(w.id("a"), r#"{"v":60}"#).unwrap();
    // In another order, with something in between.
    w.reply(&[
        doubled[2].clone(),
        doubled[0].clone(),
        think("and"),
        doubled[1].clone(),
    ]);
    w.drain();
    let calls = w.all(NodeKind::Call);
    let own: Vec<bool> = calls[1..].iter().map(|id| pinned(&w, *id)).collect();
    assert_eq!(own, [false, false, true]);
    assert_eq!(w.value(calls[3]), GOOD);
    assert_eq!(w.value(calls[2]), r#"{"v":3}"#);
}

#[test]
fn equal_calls_are_distinguished_after_a_rewritten_thought() {
    let again = || call("read", r#"{"n":2}"#);
    for second in [false, true] {
        let mut w = World::new();
        w.reply(&[a()]);
        w.drain();
        w.reply(&[again(), think("and again"), again()]);
        w.drain();
        let calls = w.all(NodeKind::Call);
        w.correct(calls[if second { 2 } else { 1 }], GOOD).unwrap();
        w.reply(&[answer("one")]);
        // The reply continues after the thought: its second call is still the second.
        w.text(w.all(NodeKind::Thought)[2], "rather again").unwrap();
        w.reply(&[again()]);
        w.drain();
        let own =
            |w: &World| -> Vec<bool> { w.all(NodeKind::Call).iter().map(|id| pinned(w, *id)).collect() };
        assert_eq!(own(&w), [false, !second, second]);
        // And it is where all of it is asked for again.
        w.reply(&[answer("two")]);
        w.correct(w.id("a"), r#"{"v":60}"#).unwrap();
        w.reply(&[again(), think("and again"), again()]);
        w.drain();
        assert_eq!(own(&w), [true, !second, second]);
    }
}

#[test]
fn the_same_call_in_a_later_turn_runs() {
    let mut w = corrected("read");
    w.reply(&[b("read")]);
    w.reply(&[call("read", r#"{"_as":"later","n":2}"#)]);
    w.drain();
    assert_eq!(w.starts(w.id("later")), 1, "it is a new intention");
    assert!(!pinned(&w, w.id("later")));
}

#[test]
fn who_takes_it_back_has_it_taken_back() {
    let back: [fn(&mut World); 2] = [
        |w| w.unpin(w.id("b").observation()).unwrap(),
        |w| w.retry(w.id("b")).unwrap(),
    ];
    for (at, back) in back.into_iter().enumerate() {
        // Of the call itself, and of one that had it from another.
        for again in [false, true] {
            let mut w = if again {
                corrected("read")
            } else {
                two_turns("read")
            };
            if again {
                w.reply(&[b("read")]);
            } else {
                w.correct(w.id("b"), GOOD).unwrap();
            }
            w.reply(&[answer("one")]);
            back(&mut w);
            w.drain();
            if !w.open.is_empty() {
                w.reply(&[answer("two")]);
            }
            w.correct(w.id("a"), r#"{"v":80}"#).unwrap();
            w.reply(&[b("read")]);
            w.drain();
            assert!(!pinned(&w, w.id("b")), "{at} {again}");
            assert!(!carried(&w, w.id("b")), "{at} {again}");
            if !w.open.is_empty() {
                w.reply(&[answer("three")]);
            }
            assert!(
                lost(&w).is_empty(),
                "{at} {again}: a withdrawn correction is not lost"
            );
        }
    }
}

#[test]
fn a_result_for_other_arguments_is_none_for_these() {
    let mut w = two_turns("read");
    w.args(w.id("b"), r#"{"_as":"b","n":5}"#).unwrap();
    w.drain();
    w.correct(w.id("b"), GOOD).unwrap();
    w.reply(&[answer("after b")]);
    w.correct(w.id("a"), r#"{"v":60}"#).unwrap();
    let before = w.id("b");
    w.reply(&[b("read")]);
    w.drain();
    assert_eq!(w.value(w.id("b")), r#"{"v":3}"#);
    assert!(!pinned(&w, w.id("b")));
    assert_eq!(lost(&w), [vec![before.observation()]]);
    // What the operator let go with an edit does not come back either.
    let mut w = corrected("read");
    w.reply(&[b("read")]);
    w.args(w.id("b"), r#"{"_as":"b","n":5}"#).unwrap();
    w.drain();
    w.reply(&[answer("edited")]);
    w.correct(w.id("a"), r#"{"v":61}"#).unwrap();
    w.reply(&[b("read")]);
    w.drain();
    assert!(!pinned(&w, w.id("b")));
}

fn plan_of_a(w: &World) -> Plan {
    let node = w.id("a").observation();
    let edit = Edit::Observation {
        node,
        base: w.rev(node),
        value: r#"{"v":60}"#.into(),
    };
    plan(&w.state, &[edit]).unwrap()
}

#[test]
fn the_preview_lists_preserved_and_lost_corrections() {
    let mut w = two_turns("read");
    assert!(plan_of_a(&w).corrections.is_empty());
    w.correct(w.id("b"), GOOD).unwrap();
    w.reply(&[answer("after b")]);
    let found = plan_of_a(&w);
    // The model is asked for its turn again, and may make another call.
    assert_eq!(found.corrections_may_be_lost, [w.id("b").observation()]);
    assert!(found.corrections.is_empty() && found.corrections_lost.is_empty());
    // Other arguments for the call itself.
    let b = w.id("b");
    let edit = Edit::Call {
        node: b,
        base: w.rev(b),
        tool: "read".into(),
        args: r#"{"_as":"b","n":4}"#.into(),
        shown: true,
    };
    let found = plan(&w.state, &[edit]).unwrap();
    assert_eq!(found.corrections_lost, [b.observation()]);
    assert!(found.corrections.is_empty() && found.corrections_may_be_lost.is_empty());
    // A call inserted by the operator: the model does not repeat it.
    let (after, args) = (Some(w.turn_of(b)), r#"{"_as":"mine","n":7}"#.into());
    w.edit(Edit::InsertCall {
        after,
        tool: "read".into(),
        args,
    })
    .unwrap();
    w.drain();
    w.correct(w.id("mine"), BETTER).unwrap();
    w.reply(&[answer("mine")]);
    let found = plan_of_a(&w);
    assert_eq!(found.corrections_may_be_lost, [b.observation()]);
    assert_eq!(found.corrections_lost, [w.id("mine").observation()]);
    assert!(found.corrections.is_empty());
    let mine = w.id("mine");
    w.correct(w.id("a"), r#"{"v":60}"#).unwrap();
    assert_eq!(lost(&w), [vec![mine.observation()]]);
}

#[test]
fn inside_a_sub_agent_it_stays_as_well() {
    let work = || call("delegate", r#"{"_as":"d","task":"do it"}"#);
    let mut w = World::new();
    w.reply(&[a()]);
    w.drain();
    w.reply(&[work()]);
    let d = w.id("d");
    w.on(d).reply(&[b("read")]);
    w.drain();
    w.correct(w.id("b"), GOOD).unwrap();
    w.on(d).reply(&[answer("inner")]);
    w.on_thread(ThreadId(0)).reply(&[answer("outer")]);
    w.correct(w.id("a"), r#"{"v":60}"#).unwrap();
    w.reply(&[work()]);
    let d = w.id("d");
    let runs = w.executed.len();
    w.on(d).reply(&[b("read")]);
    assert_eq!(w.value(w.id("b")), GOOD);
    assert_eq!(w.executed.len(), runs);
}

#[test]
fn a_choice_about_an_effect_is_no_correction() {
    // A recorded result that was chosen for a repeated effect is not the operator's own.
    let mut w = two_turns("write");
    w.correct(w.id("a"), r#"{"v":60}"#).unwrap();
    w.reply(&[b("write")]);
    let id = w.id("b");
    assert!(matches!(w.status(id), Status::Consent(_)));
    let entry = w.state.calls[&id].approval.asked_about[0];
    w.consent(id, ConsentChoice::Reuse { entry }).unwrap();
    w.reply(&[answer("reused")]);
    w.correct(w.id("a"), r#"{"v":61}"#).unwrap();
    w.reply(&[b("write")]);
    assert!(
        matches!(w.status(w.id("b")), Status::Consent(_)),
        "it is asked about again"
    );
    assert!(lost(&w).is_empty());
}
