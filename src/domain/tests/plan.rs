//! Compares the plan of an edit with what the edit then does.
//!
//! Must not know: how a plan is shown.

use super::world::*;
use overrule_domain::advice::Cards;
use overrule_domain::call::Status;
use overrule_domain::command::{CallCommand, Command, Edit, EditCommand};
use overrule_domain::decide;
use overrule_domain::id::{NodeId, NodeKind, Rev};
use overrule_domain::lineage;
use overrule_domain::refusal::RefusalKind;

fn two_turns() -> World {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"b","n":"†call.a.v"}"#),
        call("read", r#"{"_as":"s"}"#),
    ]);
    w.drain();
    w.reply(&[
        call("write", r#"{"_as":"later","n":7}"#),
        call("read", r#"{"_as":"run"}"#),
    ]);
    w.finish(w.id("later"));
    w
}

#[test]
fn a_plan_names_what_runs_falls_stays_and_has_happened() {
    let mut w = two_turns();
    let (a, b, s, later, run) = (w.id("a"), w.id("b"), w.id("s"), w.id("later"), w.id("run"));
    let edit = Edit::Call {
        node: a,
        base: Rev(1),
        tool: "read".into(),
        args: r#"{"_as":"a","n":4}"#.into(),
        shown: true,
    };
    let plan = lineage::plan(&w.state, std::slice::from_ref(&edit)).unwrap();
    assert_eq!(plan.certain, [a]);
    assert_eq!(plan.possible, [a, b]);
    assert_eq!(plan.unchanged, [s]);
    assert_eq!(plan.cancelled, [run]);
    assert_eq!(plan.turns, [w.turn_of(later)]);
    assert!(plan.superseded.contains(&later) && plan.superseded.contains(&later.observation()));
    let named: Vec<_> = plan.effects.iter().map(|seq| w.state.ledger[seq].call).collect();
    assert_eq!(named, [b, later]);
    assert!(plan.asks.perhaps() && plan.tokens > 0);
    assert_eq!(plan.seen, w.state.seq);
    let before = w.executed.len();
    w.edit(edit).unwrap();
    w.drain();
    let ran: Vec<_> = w.executed[before..].iter().map(|one| one.call).collect();
    assert_eq!(ran, [a, b]);
}

#[test]
fn a_plan_does_not_name_a_call_that_will_be_passed_over() {
    let mut w = World::asking(&["write"]);
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":2}"#),
    ]);
    w.drain();
    let (a, b) = (w.id("a"), w.id("b"));
    w.reject(a).unwrap();
    w.drain();
    let edit = |node: NodeId, args: &str| Edit::Call {
        node,
        base: w.state.nodes[&node].rev(),
        tool: w.state.nodes[&node].as_call().unwrap().0.clone(),
        args: args.into(),
        shown: true,
    };
    let reads = edit(b, r#"{"_as":"b","n":"†call.a.v"}"#);
    let plan = lineage::plan(&w.state, std::slice::from_ref(&reads)).unwrap();
    assert!(plan.certain.is_empty() && plan.possible.is_empty(), "{plan:?}");
    // It may run after all where the same edits change the value that it reads.
    let both = [edit(a, r#"{"_as":"a","n":3}"#), reads.clone()];
    let plan = lineage::plan(&w.state, &both).unwrap();
    assert_eq!(plan.certain, [a, b]);
    let before = w.executed.len();
    w.edit(reads).unwrap();
    w.drain();
    assert_eq!(w.status(b), Status::Skipped);
    assert_eq!(w.executed.len(), before);
}

/// The tokens that a plan names, and the tokens of the request that follows, estimated from its bytes.
fn named_and_sent(w: &mut World, edit: Edit) -> (u64, u64) {
    let plan = lineage::plan(&w.state, std::slice::from_ref(&edit)).unwrap();
    let asked = w.asked.len();
    w.edit(edit).unwrap();
    w.drain();
    assert!(plan.asks.perhaps() && w.asked.len() > asked);
    (plan.tokens, w.last_request().len() as u64 / 4)
}

/// An edit of a run with these words.
type Make = fn(&World, &str) -> Edit;

#[test]
fn a_plan_counts_the_words_of_the_edit() {
    const MUCH: usize = 40_000;
    let long = "word ".repeat(MUCH / 5);
    let tokens = (MUCH / 4) as u64;
    let prompt = |w: &World| w.all(NodeKind::Prompt)[0];
    let edits: [(&str, Make); 3] = [
        ("guidance", |_, long| Edit::InsertPrompt {
            after: None,
            text: long.into(),
        }),
        ("a prompt", |w, long| Edit::Text {
            node: w.all(NodeKind::Prompt)[0],
            base: Rev(1),
            text: long.into(),
        }),
        ("a result", |w, long| Edit::Observation {
            node: w.id("s").observation(),
            base: Rev(1),
            // Of a long one head and tail are sent: not more is counted.
            value: serde_json::to_string(&long[..12_000]).unwrap().into(),
        }),
    ];
    for (what, edit) in edits {
        let mut w = two_turns();
        let edit = edit(&w, &long);
        let (named, sent) = named_and_sent(&mut w, edit);
        let least = if what == "a result" { 3_000 } else { tokens };
        assert!(named >= least, "{what}: {named}");
        assert!(
            named.abs_diff(sent) * 5 < sent,
            "{what}: {named} named, {sent} sent"
        );
    }
    // The texts of a restored branch are counted, those of the branch before it are not.
    let mut w = two_turns();
    let node = prompt(&w);
    w.text(node, &long).unwrap();
    w.drain();
    let plan = |w: &World, command| lineage::plan_of(&w.state, &command).unwrap();
    let undo = plan(
        &w,
        EditCommand::Undo {
            epoch: None,
            effects_seen: None,
        },
    );
    assert!(undo.tokens < tokens, "{}", undo.tokens);
    w.undo().unwrap();
    w.drain();
    let redo = plan(
        &w,
        EditCommand::Redo {
            epoch: None,
            effects_seen: None,
        },
    );
    assert!(!redo.asks.perhaps() || redo.tokens >= tokens, "{}", redo.tokens);
}

#[test]
fn a_plan_of_an_observation_runs_nothing_for_certain() {
    let w = two_turns();
    let edit = Edit::Observation {
        node: w.id("a").observation(),
        base: Rev(1),
        value: "1".into(),
    };
    let plan = lineage::plan(&w.state, &[edit]).unwrap();
    assert!(plan.certain.is_empty());
    assert_eq!(plan.possible, [w.id("b")]);
}

#[test]
fn a_preview_of_a_thought_runs_nothing_and_drains_earlier_calls() {
    let mut w = World::asking(&["write"]);
    w.stream(call("write", r#"{"_as":"p"}"#));
    w.stream(think("old"));
    w.stream(call("read", r#"{"_as":"r"}"#));
    let thought = w.all(NodeKind::Thought)[1];
    let edit = Edit::Text {
        node: thought,
        base: Rev(1),
        text: "new".into(),
    };
    let plan = lineage::plan(&w.state, &[edit]).unwrap();
    assert!(plan.certain.is_empty() && plan.possible.is_empty());
    assert_eq!(plan.drained, [w.id("p")]);
    assert_eq!(plan.superseded, [w.id("r")]);
    assert_eq!(plan.cancelled, [w.id("r")]);
}

#[test]
fn more_effects_than_were_shown_refuse_the_commit() {
    let mut w = World::new();
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let prompt = w.all(NodeKind::Prompt)[0];
    let edits = vec![Edit::Text {
        node: prompt,
        base: Rev(1),
        text: "other".into(),
    }];
    let seen = lineage::plan(&w.state, &edits).unwrap().effects.len();
    w.drain();
    w.reply(&[call("write", r#"{"_as":"b","n":2}"#)]);
    let commit = |seen| {
        Command::Edit(EditCommand::Commit {
            edits: edits.clone(),
            effects_seen: Some(seen),
            reason: None,
            keep_later: false,
        })
    };
    assert_eq!(kind(w.cmd(commit(seen))), RefusalKind::Effects);
    let now = lineage::plan(&w.state, &edits).unwrap().effects.len();
    w.cmd(commit(now)).unwrap();
}

#[test]
fn what_cannot_be_committed_has_no_plan() {
    let w = two_turns();
    let edit = Edit::Text {
        node: w.all(NodeKind::Prompt)[0],
        base: Rev(1),
        text: "go".into(),
    };
    assert_eq!(
        lineage::plan(&w.state, &[edit]).unwrap_err().kind,
        RefusalKind::NoChange
    );
    assert!(lineage::plan(&w.state, &[]).is_err());
}

#[test]
fn a_preview_separates_arguments_that_ran_from_those_that_never_did() {
    let mut w = World::asking(&["write"]);
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":2}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    w.args(a, r#"{"_as":"a","n":4}"#).unwrap();
    w.drain();
    assert_eq!(w.runs(a), [r#"{"n":4}"#], "the edit was the approval");
    // The earlier revision was never approved.
    let plan = lineage::plan_of(&w.state, &UNDO).unwrap();
    assert!(plan.possible.contains(&a), "{plan:?}");
    assert_eq!(plan.first_runs, [a]);
    assert_eq!((plan.first(), plan.again()), ((vec![], vec![a]), vec![]));
    w.undo().unwrap();
    assert_eq!(
        (w.status(a), w.starts(a)),
        (Status::AwaitingApproval, 1),
        "it waits, as was said"
    );

    let edit = |node, args: &str| Edit::Call {
        node,
        base: Rev(1),
        tool: "read".into(),
        args: args.into(),
        shown: true,
    };
    let other = lineage::plan(&w.state, &[edit(b, r#"{"_as":"b","n":3}"#)]).unwrap();
    assert_eq!(
        (other.first_runs.as_slice(), other.again()),
        ([b].as_slice(), vec![])
    );
    assert_eq!(other.first(), (vec![b], vec![]));
    w.args(b, r#"{"_as":"b","n":3}"#).unwrap();
    w.drain();
    let retry = Command::Call(CallCommand::Retry {
        call: b,
        rev: w.rev(b),
    });
    let events = decide::command(&w.state, &Cards(&w.state), &retry).unwrap();
    let plan = lineage::of_events(&w.state, &events);
    assert_eq!(
        (plan.again(), plan.first_runs),
        (vec![b], vec![]),
        "it ran so before"
    );
}
