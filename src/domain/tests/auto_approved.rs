//! Tests of calls that only the policy approved: a stricter policy stops those waiting to run.
//!
//! Must not know: the language of policies.

use std::sync::Arc;

use super::world::*;
use overrule_domain::call::{ErrorClass, Gate, Outcome, Status, ToolError};
use overrule_domain::command::RunCommand;
use overrule_domain::event::run::Limits;
use overrule_domain::event::{CallEvent, Event};
use overrule_domain::id::NodeId;
use overrule_domain::ladder::{Next, Retry, Timer};
use overrule_domain::rule::RuleRequest;

/// Three approved calls; one of them runs.
fn over_the_limit(rules: Rules) -> (World, [NodeId; 3]) {
    let mut w = World::limited(
        rules,
        Limits {
            parallel: 1,
            ..Limits::default()
        },
    );
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"b","n":2}"#),
        call("write", r#"{"_as":"c","n":3}"#),
    ]);
    let ids = ["a", "b", "c"].map(|label| w.id(label));
    (w, ids)
}

fn policy(name: &str) -> RunCommand {
    RunCommand::SetPolicy { policy: name.into() }
}

fn rule(text: &str) -> RunCommand {
    RunCommand::AddRule {
        rule: RuleRequest::Text { text: text.into() },
        seen: Vec::new(),
    }
}

fn ran(w: &World) -> Vec<NodeId> {
    w.executed.iter().map(|one| one.call).collect()
}

#[test]
fn the_current_policy_and_rules_decide_about_unstarted_calls() {
    for (what, active) in [
        (policy("read-only"), Status::Rejected),
        (policy("supervised"), Status::AwaitingApproval),
        (rule("write deny"), Status::Rejected),
        (rule("write ask"), Status::AwaitingApproval),
    ] {
        let (mut w, [a, b, c]) = over_the_limit(Rules::default());
        assert_eq!((w.status(b), w.status(c)), (Status::Queued, Status::Queued));
        w.run(what.clone()).unwrap();
        assert_eq!((w.status(b), w.status(c)), (active.clone(), active), "{what:?}");
        w.drain();
        assert_eq!(ran(&w), [a], "{what:?}: nothing else has run");
        w.remembers();
    }
}

#[test]
fn what_is_as_strict_as_before_takes_nothing_back() {
    for what in [policy("auto"), rule("read deny"), rule("write allow")] {
        let (mut w, [a, b, c]) = over_the_limit(Rules::default());
        w.run(what.clone()).unwrap();
        w.drain();
        assert_eq!(ran(&w), [a, b, c], "{what:?}");
        let asked = w.events().filter(|event| {
            matches!(
                event,
                Event::Call(CallEvent::Asked { .. } | CallEvent::Woken { .. })
            )
        });
        assert_eq!(asked.count(), 0, "{what:?}");
    }
}

#[test]
fn calls_approved_by_the_operator_stay_approved() {
    let mut rules = Rules::default();
    rules.gates.insert("write".into(), Gate::Ask);
    let (mut w, [a, b, c]) = over_the_limit(rules);
    for id in [a, b] {
        w.approve(id).unwrap();
    }
    w.run(policy("read-only")).unwrap();
    assert_eq!(
        (w.status(b), w.status(c)),
        (Status::Queued, Status::AwaitingApproval)
    );
    w.drain();
    assert_eq!(ran(&w), [a, b]);
}

#[test]
fn dropping_a_rule_revokes_its_approvals() {
    let mut rules = Rules::default();
    rules.gates.insert("write".into(), Gate::Ask);
    let mut w = World::limited(
        rules,
        Limits {
            parallel: 1,
            ..Limits::default()
        },
    );
    w.run(rule("write allow")).unwrap();
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"b","n":2}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    assert_eq!(w.status(b), Status::Queued);
    w.run(RunCommand::DropRule { no: 1 }).unwrap();
    assert_eq!(w.status(b), Status::AwaitingApproval);
    w.drain();
    assert_eq!(ran(&w), [a]);
    w.approve(b).unwrap();
    assert_eq!(ran(&w), [a, b], "the operator approved it");
}

fn transient_failure() -> Outcome {
    Outcome::err(ToolError {
        class: ErrorClass::Transient,
        message: "busy".into(),
        evidence: "the test".into(),
        hint: None,
        partial: None,
        executed: false,
        retry_after_ms: None,
    })
}

#[test]
fn a_retry_after_a_failure_is_checked_against_the_policy_too() {
    // The policy changes while it waits for the next try, or while it runs the first time.
    for waits in [true, false] {
        for (name, active) in [
            ("read-only", Status::Rejected),
            ("supervised", Status::AwaitingApproval),
        ] {
            let rules = Rules {
                steps: Arc::new(|_, _| {
                    Next::Retry(Retry {
                        no: 1,
                        of: 3,
                        wait_ms: 10,
                        why: "the test says so".into(),
                    })
                }),
                ..Rules::default()
            };
            let mut w = World::with(rules);
            w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
            let a = w.id("a");
            if waits {
                w.finish_with(a, transient_failure());
                assert_eq!(w.status(a), Status::Scheduled);
                w.run(policy(name)).unwrap();
            } else {
                w.run(policy(name)).unwrap();
                assert!(
                    matches!(w.status(a), Status::Running(_)),
                    "a running call continues"
                );
                w.finish_with(a, transient_failure());
            }
            let timers: Vec<Timer> = w.timers.drain(..).map(|(timer, _)| timer).collect();
            for timer in timers {
                w.elapsed(timer);
            }
            assert_eq!(w.status(a), active, "{name}");
            assert_eq!(w.starts(a), 1, "{name}");
        }
    }
}

#[test]
fn an_idempotent_call_with_unknown_outcome_is_checked_again_too() {
    for (gate, active) in [
        (Gate::Ask, Status::AwaitingApproval),
        (Gate::Deny, Status::Rejected),
    ] {
        let mut w = World::new();
        w.reply(&[call("idem", r#"{"_as":"a","n":1}"#)]);
        let a = w.id("a");
        w.rules.gates.insert("idem".into(), gate);
        w.crash();
        assert_eq!((w.status(a), w.starts(a)), (active, 1));
    }
}

#[test]
fn the_last_use_of_a_rule_counts_for_the_call_it_approved() {
    let mut rules = Rules::default();
    rules.uses.insert("write".into(), 2);
    let (mut w, [a, b, c]) = over_the_limit(rules);
    assert_eq!(
        (w.status(b), w.status(c)),
        (Status::Queued, Status::AwaitingApproval)
    );
    w.run(rule("read deny")).unwrap();
    w.drain();
    assert_eq!(ran(&w), [a, b]);
}
