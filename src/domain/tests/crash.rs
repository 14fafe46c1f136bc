//! Tests of programs that die at any time and resume.
//!
//! Must not know: how a journal is stored.

use super::world::*;
use overrule_domain::apply;
use overrule_domain::call::{Outcome, Status};
use overrule_domain::command::RunCommand;
use overrule_domain::event::run::Limits;
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::id::{Attempt, NodeId, NodeKind};
use overrule_domain::input::{Finding, Input};
use overrule_domain::state::{LedgerOutcome, Mode};
use overrule_domain::turn::Stop;

#[test]
fn every_status_survives_a_crash() {
    let mut w = World::limited(
        Rules {
            gates: [("write".to_owned(), overrule_domain::call::Gate::Ask)].into(),
            ..Rules::default()
        },
        Limits {
            parallel: 2,
            ..Default::default()
        },
    );
    w.reply(&[
        call("read", r#"{"_as":"running"}"#),
        call("idem", r#"{"_as":"again"}"#),
        call("read", r#"{"_as":"queued"}"#),
        call("write", r#"{"_as":"asked"}"#),
        call("read", r#"{"_as":"blocked","n":"†call.asked.v"}"#),
        call("nothing", r#"{"_as":"invalid"}"#),
        call("write", r#"{"_as":"rejected"}"#),
    ]);
    w.reject(w.id("rejected")).unwrap();
    w.crash();
    assert_eq!(w.starts(w.id("running")), 2);
    assert_eq!(w.starts(w.id("again")), 2);
    assert_eq!(w.status(w.id("queued")), Status::Queued);
    assert_eq!(w.starts(w.id("queued")), 0);
    assert_eq!(w.status(w.id("asked")), Status::AwaitingApproval);
    assert_eq!(w.status(w.id("blocked")), Status::Blocked);
    assert_eq!(w.status(w.id("invalid")), Status::Invalid);
    assert_eq!(w.status(w.id("rejected")), Status::Rejected);
    w.approve(w.id("asked")).unwrap();
    w.drain();
    assert_eq!(w.asked.len(), 2);
    w.reply(&[answer("x")]);
    w.crash();
    assert!(matches!(w.state.mode, Mode::Finished(_)));
    assert_eq!(w.asked.len(), 2);
}

/// The idempotency key stays the same in a process that resumes with another model, so that the
/// service recognizes a repetition.
#[test]
fn another_model_does_not_change_the_key_of_an_effect() {
    let keys = |refit: bool| {
        let mut w = World::new();
        w.reply(&[call("idem", r#"{"_as":"a","n":1}"#)]);
        if refit {
            let mut other = started(w.state.settings.limits);
            other.model = "another".into();
            other.setup = r#"{"model":"another"}"#.into();
            w.record(vec![Event::Run(RunEvent::Refitted {
                started: Box::new(other),
            })]);
        }
        w.crash();
        assert_eq!(w.starts(w.id("a")), 2);
        let entries = w.state.ledger.values();
        entries.map(|entry| entry.key.clone()).collect::<Vec<_>>()
    };
    let (refitted, plain) = (keys(true), keys(false));
    assert_eq!(refitted[0], refitted[1], "one key for both executions");
    assert_eq!(refitted, plain);
    assert!(refitted[0].is_some());
}

#[test]
fn two_runs_that_do_the_same_have_different_keys() {
    let key = |setup: &str| {
        let mut first = started(Limits::default());
        first.setup = setup.into();
        let mut w = World::bare(Rules::default(), Limits::default());
        w.record(vec![Event::Run(RunEvent::Started(Box::new(first)))]);
        w.guide("go").unwrap();
        w.reply(&[call("idem", r#"{"_as":"a","n":1}"#)]);
        w.state.ledger.values().next().unwrap().key.clone()
    };
    assert_ne!(key("one"), key("two"));
    assert_eq!(key("one"), key("one"));
}

#[test]
fn a_cut_stream_is_asked_again_and_equal_blocks_keep_their_results() {
    let mut w = World::new();
    w.stream(think("plan"));
    w.stream(call("read", r#"{"_as":"a","n":1}"#));
    w.stream(call("write", r#"{"_as":"b","n":2}"#));
    w.drain();
    w.crash();
    assert_eq!(w.asked.len(), 2);
    assert_eq!(w.asked[0].turn, w.asked[1].turn);
    assert_eq!(
        format!("{:?}", w.asked[0].messages),
        format!("{:?}", w.asked[1].messages),
        "the same request"
    );
    let before = w.state.nodes.len();
    w.stream(think("plan"));
    w.stream(call("read", r#"{"_as":"a","n":1}"#));
    w.stream(call("write", r#"{"_as":"b","n":2}"#));
    assert_eq!(w.state.nodes.len(), before, "equal blocks are the same nodes");
    w.stream(call("read", r#"{"_as":"c","n":3}"#));
    w.end(Stop::Calls);
    w.drain();
    assert_eq!(w.starts(w.id("a")), 1);
    assert_eq!(w.starts(w.id("b")), 1);
    assert_eq!(w.starts(w.id("c")), 1);
}

#[test]
fn the_first_difference_supersedes_the_recorded_nodes_after_it() {
    let mut w = World::new();
    w.stream(call("read", r#"{"_as":"a","n":"†call.c.v"}"#));
    w.stream(call("write", r#"{"_as":"b","n":2}"#));
    w.stream(call("read", r#"{"_as":"c","n":3}"#));
    w.drain();
    let (a, b, c) = (w.id("a"), w.id("b"), w.id("c"));
    assert_eq!(w.runs(a), [r#"{"n":4}"#]);
    w.crash();
    w.stream(call("read", r#"{"_as":"a","n":"†call.c.v"}"#));
    w.stream(call("read", r#"{"_as":"d","n":2}"#));
    assert!(!w.state.nodes[&b].active && !w.state.nodes[&c].active);
    w.stream(call("read", r#"{"_as":"c","n":30}"#));
    w.end(Stop::Calls);
    w.drain();
    assert_eq!(
        w.runs(a),
        [r#"{"n":4}"#, r#"{"n":31}"#],
        "what it read is gone: it reads the new one"
    );
    assert!(
        w.state
            .ledger
            .values()
            .any(|entry| entry.call == b && entry.more.orphaned)
    );
    assert!(w.last_request().contains("Already happened"));
}

#[test]
fn what_was_deleted_before_the_crash_is_matched_and_stays_deleted() {
    let mut w = World::new();
    for label in ["a", "b", "c"] {
        w.stream(call("read", &format!(r#"{{"_as":"{label}"}}"#)));
    }
    w.drain();
    let b = w.id("b");
    w.delete(b).unwrap();
    w.crash();
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.stream(call("read", r#"{"_as":"b"}"#));
    w.stream(call("read", r#"{"_as":"c"}"#));
    w.end(Stop::Calls);
    w.drain();
    assert_eq!(w.executed.len(), 3);
    assert!(!w.state.nodes[&b].active);
    assert!(!w.last_request().contains(&format!("call_{b}\"")));

    // The same with a difference before the deleted one: everything after it is new.
    let mut w = World::new();
    for label in ["a", "b", "c"] {
        w.stream(call("read", &format!(r#"{{"_as":"{label}"}}"#)));
    }
    w.drain();
    w.delete(w.id("b")).unwrap();
    w.crash();
    for label in ["x", "y", "z", "c"] {
        w.stream(call("read", &format!(r#"{{"_as":"{label}"}}"#)));
    }
    w.end(Stop::Calls);
    w.drain();
    let names: Vec<_> = w
        .all(NodeKind::Call)
        .into_iter()
        .map(|id| w.state.calls[&id].label.to_string())
        .collect();
    assert_eq!(names, ["x", "y", "z", "c"]);
}

#[test]
fn an_edit_before_the_crash_stays_with_its_block() {
    let mut w = World::new();
    w.stream(call("read", r#"{"_as":"a","n":1}"#));
    w.args(w.id("a"), r#"{"_as":"a","n":5}"#).unwrap();
    w.crash();
    w.stream(call("read", r#"{"_as":"a","n":1}"#));
    w.end(Stop::Calls);
    w.drain();
    assert!(w.value(w.id("a")).contains('6'));
}

#[test]
fn a_stream_that_ends_earlier_than_before_ends_what_it_left_out() {
    let mut w = World::new();
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.stream(call("read", r#"{"_as":"b"}"#));
    w.crash();
    let b = w.id("b");
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.end(Stop::Calls);
    assert!(!w.state.nodes[&b].active);
    w.drain();
    assert_eq!(w.asked.len(), 3);
}

#[test]
fn a_crash_while_paused_stays_paused() {
    let mut w = World::new();
    w.run(RunCommand::Pause {
        reason: "look".into(),
    })
    .unwrap();
    w.crash();
    assert!(w.open.is_empty(), "nothing is asked in a pause");
    w.run(RunCommand::Resume {}).unwrap();
    assert_eq!(w.open.len(), 1);
}

#[test]
fn every_prefix_of_a_journal_can_be_folded() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"b","n":"†call.a.v"}"#),
    ]);
    w.drain();
    w.args(w.id("a"), r#"{"_as":"a","n":2}"#).unwrap();
    w.crash();
    w.drain();
    for end in 0..=w.log.len() {
        let state = apply::fold(&w.log[..end]);
        assert_eq!(state.seq.0, end as u64);
    }
    // Out of order, doubled, cut: a fold takes anything.
    let mut mixed: Vec<_> = w.log.iter().rev().chain(&w.log).cloned().collect();
    mixed.retain(|envelope| envelope.seq.0 % 3 != 0);
    apply::fold(&mixed);
}

/// A write that was cut off by a crash, and whose thought was rewritten since.
fn outcome_unknown() -> (World, NodeId) {
    let mut w = World::new();
    w.reply(&[think("plan"), call("write", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    w.crash();
    let thought = w.all(NodeKind::Thought)[0];
    w.text(thought, "something else").unwrap();
    w.probes.clear();
    (w, a)
}

fn looked(w: &mut World, call: NodeId, finding: Option<Finding>) {
    let attempt = Attempt(1);
    w.input(Input::Probed {
        call,
        attempt,
        finding,
    });
}

#[test]
fn an_effect_left_unknown_by_an_edit_is_probed_once() {
    let (mut w, a) = outcome_unknown();
    let entry = w.state.calls[&a].attempts[0].intent;
    w.crash();
    assert_eq!(w.probes, [(a, Attempt(1))]);
    looked(&mut w, a, None);
    assert_eq!(w.state.ledger[&entry].outcome, LedgerOutcome::Unknown);
    w.probes.clear();
    w.crash();
    assert!(w.probes.is_empty(), "it could not be found out");

    let (mut w, a) = outcome_unknown();
    w.crash();
    let finding = Finding {
        happened: true,
        value: Some("1".into()),
        evidence: "the file says so".into(),
    };
    looked(&mut w, a, Some(finding));
    let known = LedgerOutcome::Known(Outcome::ok("1"));
    assert_eq!(w.state.ledger[&entry].outcome, known);
    assert_eq!(w.runs(a).len(), 1);
}

#[test]
fn no_probe_of_an_older_unknown_effect_if_a_newer_one_started() {
    let (mut w, _) = outcome_unknown();
    // The request that the crash cut off.
    w.reply(&[call("write", r#"{"_as":"b","n":2}"#)]);
    let b = w.id("b");
    w.crash();
    assert_eq!(w.probes, [(b, Attempt(1))]);
}
