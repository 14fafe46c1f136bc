//! Tests of loops in a run: detection, the steps that follow, and their outcomes.
//!
//! Must not know: how a loop is detected.

use std::sync::{Arc, Mutex};

use proptest::prelude::*;

use super::op_sequence::{self, OpSequence};
use super::random::session_on;
use super::rules::{Results, sum};
use super::world::*;
use overrule_domain::call::{ErrorClass, Outcome, Status, ToolError};
use overrule_domain::command::{CallCommand, Command, Edit, EscapeCommand, RunCommand};
use overrule_domain::escape::{Detector, Finding, Incident, LoopStep, StepOutcome};
use overrule_domain::event::run::Limits;
use overrule_domain::event::{EditEvent, EscapeEvent, Event};
use overrule_domain::id::{NodeId, NodeKind, Rev, ThreadId};
use overrule_domain::node::{Node, Origin};
use overrule_domain::refusal::RefusalKind;
use overrule_domain::state::Mode;
use overrule_domain::{apply, graph};
use overrule_resilience::attention::{Branch, calls_of, need};
use overrule_resilience::loops::{Config, Others};

mod awaited;
mod delegates;
mod exhausted;
mod operator;
mod substitutes;
mod tool_notices;
mod window;

/// Failures of calls with a negative sum; the others give it.
fn results() -> Results {
    Arc::new(|tool, args| {
        if tool == "pure" || sum(args) >= 0 {
            return Outcome::ok(sum(args).to_string());
        }
        Outcome::err(ToolError {
            class: ErrorClass::Business,
            message: format!("{tool} is closed today"),
            evidence: "test".into(),
            hint: None,
            partial: None,
            executed: tool == "write",
            retry_after_ms: None,
        })
    })
}

fn rules(config: Config) -> Rules {
    Rules {
        results: results(),
        loops: Some((config, Arc::new(Mutex::default()))),
        ..Rules::default()
    }
}

fn world() -> World {
    World::with(rules(Config::default()))
}

/// One turn with one call, to its end.
fn turn(w: &mut World, tool: &str, args: &str) {
    w.reply(&[call(tool, args)]);
    w.drain();
}

fn times(w: &mut World, times: usize, tool: &str, args: &str) {
    for _ in 0..times {
        turn(w, tool, args);
    }
}

fn incident(w: &World) -> &Incident {
    w.state.learned.escape.incidents.last().unwrap()
}

fn steps(w: &World) -> Vec<(LoopStep, Option<StepOutcome>)> {
    let steps = w.state.learned.escape.incidents.iter().flat_map(|one| &one.steps);
    steps.map(|step| (step.kind, step.outcome)).collect()
}

fn newest(w: &World) -> NodeId {
    *w.all(NodeKind::Call).last().unwrap()
}

#[test]
fn healthy_steps_cause_nothing() {
    let mut w = world();
    for n in 0..20 {
        turn(&mut w, "read", &format!(r#"{{"n":{n}}}"#));
    }
    w.reply(&[answer("done")]);
    assert!(!w.events().any(|event| matches!(event, Event::Escape(_))));
    assert!(matches!(w.state.mode, Mode::Finished(_)));
}

#[test]
fn a_call_that_was_tried_five_times_is_one_action() {
    let mut w = World::with(Rules {
        steps: super::ladder::steps(),
        ..rules(Config::default())
    });
    for n in 1..=2 {
        w.reply(&[call("read", r#"{"n":1}"#)]);
        let id = newest(&w);
        for _ in 0..4 {
            w.finish_with(id, super::ladder::error(ErrorClass::Transient, false));
            super::ladder::elapse(&mut w, 0);
        }
        w.finish_with(id, super::ladder::error(ErrorClass::Transient, false));
        assert_eq!((w.starts(id), w.asked.len()), (5, n + 1));
    }
    assert!(
        w.state.learned.escape.incidents.is_empty(),
        "ten failures, two actions"
    );
    turn(&mut w, "pure", r#"{"n":1}"#);
    assert!(w.state.learned.escape.incidents.is_empty());
}

#[test]
fn a_warning_comes_before_a_loop_and_is_given_once() {
    let mut w = world();
    times(&mut w, 2, "read", r#"{"n":-1}"#);
    let warned = |w: &World| {
        let warned = |event: &&Event| matches!(event, Event::Escape(EscapeEvent::Warned { .. }));
        w.events().filter(warned).count()
    };
    assert_eq!(warned(&w), 1);
    assert!(w.state.learned.escape.incidents.is_empty());
    turn(&mut w, "read", r#"{"n":5}"#);
    assert_eq!(warned(&w), 1);
    assert!(
        w.state.learned.escape.incidents.is_empty(),
        "it got out by itself"
    );
}

#[test]
fn the_model_is_warned_first_then_equal_calls_are_refused_for_one_turn() {
    let mut w = world();
    times(&mut w, 3, "read", r#"{"n":-1}"#);
    let Finding {
        detector,
        period,
        repetitions,
        fails,
        nodes,
        ..
    } = incident(&w).finding.clone();
    assert_eq!(
        (detector, period, repetitions, fails),
        (Detector::Sequence, 1, 3, true)
    );
    assert_eq!(nodes, w.all(NodeKind::Call));
    assert_eq!(steps(&w), [(LoopStep::Guidance, None)]);
    // The next request, which is open now, says so; it is the last of its messages.
    let turn_now = w.tip().0;
    let notices = overrule_domain::transcript::build::notices(&w.state, &w.state.turns[&turn_now]);
    let reported = format!("{notices:?}");
    assert!(reported.contains("You repeat yourself"), "{reported}");
    assert!(reported.contains("read is closed today"), "{reported}");
    assert!(!reported.contains("blocked"), "{reported}");

    // The first step refuses nothing: the call runs. Then it is said that it will not.
    turn(&mut w, "read", r#"{"n":-1}"#);
    assert_eq!(w.starts(newest(&w)), 1);
    assert_eq!(
        steps(&w),
        [
            (LoopStep::Guidance, Some(StepOutcome::Ignored)),
            (LoopStep::Refuse, None)
        ]
    );
    let turn_now = w.tip().0;
    let notices = overrule_domain::transcript::build::notices(&w.state, &w.state.turns[&turn_now]);
    assert!(format!("{notices:?}").contains("are blocked in your next turn"));
    // The same call under another name and spelling is refused; another one runs.
    let before = w.executed.len();
    w.reply(&[
        call("read", r#"{ "n": -1, "_as": "again" }"#),
        call("read", r#"{"n":2}"#),
    ]);
    w.drain();
    let again = w.id("again");
    assert_eq!(w.status(again), Status::Rejected);
    let rule = w.state.calls[&again].validation.denied_by.clone();
    assert!(rule.is_some_and(|rule| rule.starts_with("loop guard")));
    assert_eq!(w.executed.len(), before + 1, "only the other call ran");
}

#[test]
fn what_the_operator_writes_is_not_refused() {
    let mut w = world();
    times(&mut w, 4, "read", r#"{"n":-1}"#);
    w.reply(&[call("shell", r#"{"_as":"mine","n":1}"#)]);
    let mine = w.id("mine");
    let base = w.rev(mine);
    w.edit(overrule_domain::command::Edit::Call {
        node: mine,
        base,
        tool: "read".into(),
        args: r#"{"n":-1}"#.into(),
        shown: true,
    })
    .unwrap();
    w.drain();
    assert_eq!(w.status(mine), Status::Failed(ErrorClass::Business));
}

#[test]
fn nothing_is_refused_for_longer_than_a_turn() {
    let mut w = world();
    times(&mut w, 4, "read", r#"{"n":-1}"#);
    turn(&mut w, "pure", r#"{"n":7}"#);
    turn(&mut w, "read", r#"{"n":-1}"#);
    assert_eq!(w.runs(newest(&w)).len(), 1);
    // The step helped for a while: it is used again.
    assert_eq!(
        steps(&w)[1..],
        [
            (LoopStep::Refuse, Some(StepOutcome::Relapsed)),
            (LoopStep::Refuse, None)
        ]
    );
}

#[test]
fn an_incident_ends_once_the_run_gets_on() {
    let mut w = world();
    times(&mut w, 3, "read", r#"{"n":-1}"#);
    turn(&mut w, "read", r#"{"n":1}"#);
    assert_eq!(steps(&w), [(LoopStep::Guidance, None)], "one turn is no proof");
    turn(&mut w, "read", r#"{"n":2}"#);
    assert_eq!(steps(&w), [(LoopStep::Guidance, Some(StepOutcome::Helped))]);
    assert!(incident(&w).over);
    let step = &incident(&w).steps[0];
    assert!(w.state.nodes[&step.node].text().ends_with("it helped"));
    assert!(w.state.learned.escape.of(ThreadId(0)).is_none());
}

#[test]
fn an_answer_ends_an_incident() {
    let mut w = world();
    times(&mut w, 3, "read", r#"{"n":-1}"#);
    w.reply(&[answer("I cannot")]);
    assert_eq!(steps(&w), [(LoopStep::Guidance, Some(StepOutcome::Helped))]);
    assert!(incident(&w).over);
    assert!(matches!(w.state.mode, Mode::Finished(_)));
}

#[test]
fn the_steps_grow_stronger_until_the_operator_is_asked() {
    let mut w = world();
    // A write happens on the way, so that a backtrack is not possible.
    let both = |w: &mut World| {
        w.reply(&[call("read", r#"{"n":-1}"#), call("write", r#"{"n":4}"#)]);
        w.drain();
    };
    for _ in 0..3 {
        both(&mut w);
    }
    assert_eq!(incident(&w).finding.detector, Detector::Sequence);
    assert_eq!(steps(&w), [(LoopStep::Guidance, None)]);
    both(&mut w);
    both(&mut w);
    assert_eq!(
        steps(&w),
        [
            (LoopStep::Guidance, Some(StepOutcome::Ignored)),
            (LoopStep::Refuse, Some(StepOutcome::Ignored)),
            (LoopStep::Human, None)
        ]
    );
    let why = &incident(&w).steps[2].why;
    assert!(why.contains("no other tool is known for"), "{why}");
    assert!(why.contains("going back: write"), "{why}");
}

#[test]
fn rollback_replaces_the_loop_and_asks_again_with_a_notice() {
    let mut w = world();
    turn(&mut w, "read", r#"{"n":9}"#);
    times(&mut w, 3, "read", r#"{"n":-1}"#);
    let (asked, first) = (w.asked.len(), incident(&w).finding.nodes[0]);
    // The hint changed nothing: the model proposes the call again, and it is rejected.
    times(&mut w, 2, "read", r#"{"n":-1}"#);
    assert_eq!(
        steps(&w)[1..],
        [
            (LoopStep::Refuse, Some(StepOutcome::Ignored)),
            (LoopStep::RollBack, None)
        ]
    );
    assert!(!w.state.nodes[&first].active, "the round is superseded");
    assert_eq!(w.state.epoch.0, 1, "a branch like that of an edit");
    assert_eq!(
        w.asked.len(),
        asked + 2,
        "asked again, not answered from the record"
    );
    let edit = w.state.operator.edits.last().unwrap();
    assert_eq!(edit.by.as_deref(), Some("loop guard"));
    let node = &w.state.nodes[&edit.intervention];
    assert!(matches!(node.now().origin, Origin::Engine { .. }), "{node:?}");
    let now = w.tip().0;
    let notices = overrule_domain::transcript::build::notices(&w.state, &w.state.turns[&now]);
    assert!(format!("{notices:?}").contains("You tried this before"));
    // The very calls are refused here too.
    turn(&mut w, "read", r#"{"n":-1}"#);
    assert_eq!(w.status(newest(&w)), Status::Rejected);
    assert!(matches!(w.state.mode, Mode::Paused(_)), "{:?}", steps(&w));
    assert_eq!(apply::fold(&w.log), w.state);
}

#[test]
fn rollback_never_crosses_an_effect() {
    let mut w = world();
    times(&mut w, 5, "write", r#"{"n":-1}"#);
    assert_eq!(
        steps(&w)[1..],
        [
            (LoopStep::Refuse, Some(StepOutcome::Ignored)),
            (LoopStep::Human, None)
        ]
    );
    let why = &incident(&w).steps[2].why;
    assert!(why.contains("going back: write"), "{why}");
    assert!(w.state.operator.edits.iter().all(|edit| edit.by.is_none()));
    assert_eq!(w.starts(newest(&w)), 0, "the fifth was refused");
}

#[test]
fn a_muted_detector_takes_no_step() {
    let mut w = world();
    for detector in Detector::ALL {
        let mute = Command::Escape(EscapeCommand::Mute {
            detector,
            muted: true,
        });
        w.cmd(mute.clone()).unwrap();
        assert_eq!(kind(w.cmd(mute)), RefusalKind::NoChange);
    }
    times(&mut w, 8, "read", r#"{"n":-1}"#);
    assert!(w.state.learned.escape.incidents.is_empty());
    w.cmd(Command::Escape(EscapeCommand::Mute {
        detector: Detector::Sequence,
        muted: false,
    }))
    .unwrap();
    turn(&mut w, "read", r#"{"n":-1}"#);
    assert_eq!(w.state.learned.escape.incidents.len(), 1);
}

#[test]
fn each_step_is_a_node_that_depends_on_the_repeated_call() {
    let mut w = world();
    times(&mut w, 3, "read", r#"{"n":-1}"#);
    let node = incident(&w).steps[0].node;
    assert_eq!(node.kind, NodeKind::Intervention);
    assert!(matches!(w.state.nodes[&node].now().origin, Origin::Engine { .. }));
    let from: Vec<NodeId> = graph::edges_into(&w.state, node)
        .iter()
        .map(|edge| edge.from)
        .collect();
    assert_eq!(from, [newest(&w)]);
}

#[test]
fn a_step_that_asks_again_respects_the_limits() {
    let mut w = World::limited(
        rules(Config::default()),
        Limits {
            turns: Some(6),
            ..Limits::default()
        },
    );
    turn(&mut w, "read", r#"{"n":9}"#);
    times(&mut w, 5, "read", r#"{"n":-1}"#);
    assert_eq!(w.asked.len(), 6);
    assert!(w.state.tally.limit_reached.is_some(), "{:?}", w.state.mode);
}

proptest! {
    #![proptest_config(overrule_testing::cases(7))]

    #[test]
    fn sessions_with_a_guard_keep_the_rules_and_their_bounds(numbers in prop::collection::vec(any::<u16>(), 0..400)) {
        let mut w = session_on(OpSequence::with_loops(&numbers));
        prop_assert_eq!(apply::fold(&w.log), w.state.clone());
        for incident in &w.state.learned.escape.incidents {
            prop_assert!(incident.steps.len() <= 11, "{incident:?}");
            for level in LoopStep::ALL {
                prop_assert!(incident.taken(level) <= 2, "{incident:?}");
            }
            // Only the newest step may be open, and none of an incident that is over.
            let closed = incident.steps.len() - usize::from(!incident.over && !incident.steps.is_empty());
            prop_assert!(incident.steps[..closed].iter().all(|step| step.outcome.is_some()), "{incident:?}");
        }
        op_sequence::bring_home(&mut w);
        w.crash();
        w.remembers();
    }
}

#[test]
fn a_restricted_run_that_reads_on_gets_out_of_a_loop() {
    let mut w = World::with(rules(Config {
        ladder: overrule_resilience::loops::config::Ladder {
            guidance: 0,
            refuse: 0,
            substitute: 0,
            roll_back: 0,
            human: 0,
            restrict: 1,
            stop: 1,
        },
        ..Config::default()
    }));
    times(&mut w, 3, "write", r#"{"n":-1}"#);
    assert_eq!(steps(&w), [(LoopStep::Restrict, None)]);
    let step = incident(&w).steps.last().unwrap();
    assert!(
        step.notice
            .as_deref()
            .unwrap()
            .contains("restricted to reading calls")
    );
    turn(&mut w, "read", r#"{"n":1}"#);
    turn(&mut w, "read", r#"{"n":2}"#);
    assert_eq!(steps(&w), [(LoopStep::Restrict, Some(StepOutcome::Helped))]);
    assert!(
        w.state.settings.restricted.is_some(),
        "only the operator lifts it"
    );
    // It helps once: a loop in a restricted run skips it, and so does one of reading calls.
    times(&mut w, 3, "read", r#"{"n":-1}"#);
    let skipped = |w: &World| {
        let incident = w.state.learned.escape.incidents.last().unwrap();
        let skipped = &incident.steps.last().unwrap().skipped;
        let of = skipped.iter().find(|one| one.step == LoopStep::Restrict);
        of.unwrap().why.to_string()
    };
    assert_eq!(skipped(&w), "the run is restricted already");
    assert!(matches!(w.state.mode, Mode::Stopped(_)));
    w.run(RunCommand::Resume {}).unwrap();
    w.run(RunCommand::LiftRestriction {}).unwrap();
    w.guide("again").unwrap();
    times(&mut w, 4, "read", r#"{"n":-1}"#);
    assert_eq!(skipped(&w), "the loop consists of reading calls only");
}
