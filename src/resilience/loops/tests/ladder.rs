//! Tests the order of the steps of an incident.
//!
//! Must not know: how they are carried out.

use std::sync::Arc;

use proptest::prelude::*;

use crate::loops::config::Config;
use crate::loops::ladder::{Choice, Possible, choose};
use overrule_domain::escape::{Detector, Escape, Finding, Incident, LoopStep, Signature, Step, StepOutcome};
use overrule_domain::id::{NodeId, NodeKind, Seq, ThreadId, TurnId};
use overrule_domain::weight::StepRecord;

fn finding(tool: &str) -> Finding {
    Finding {
        detector: Detector::Sequence,
        thread: ThreadId(0),
        period: 1,
        repetitions: 3,
        fails: true,
        first: Seq(1),
        nodes: vec![NodeId::new(NodeKind::Call, 1)],
        signatures: vec![Signature {
            tool: Arc::from(tool),
            args: Some(Arc::from("h")),
            error: None,
        }],
    }
}

fn incident(steps: &[(LoopStep, Option<StepOutcome>)]) -> Incident {
    Incident {
        no: 1,
        finding: finding("x"),
        seq: Seq(1),
        steps: steps
            .iter()
            .map(|(level, step_outcome)| Step {
                node: NodeId::new(NodeKind::Intervention, 9),
                kind: *level,
                why: Arc::from(""),
                seq: Seq(2),
                after: TurnId(1),
                forbidden: Vec::new(),
                notice: None,
                outcome: *step_outcome,
                skipped: Vec::new(),
            })
            .collect(),
        over: false,
    }
}

fn anything() -> Possible {
    Possible {
        substitute: Ok(()),
        roll_back: Ok(()),
        restrict: Ok(()),
    }
}

fn next(incident: &Incident, possible: &Possible) -> Option<Choice> {
    let known = Escape::default();
    choose(
        &known,
        Some(incident),
        &incident.finding,
        possible,
        &Config::default(),
    )
}

#[test]
fn a_step_that_changes_nothing_is_followed_by_a_stronger_one() {
    let mut steps: Vec<(LoopStep, Option<StepOutcome>)> = Vec::new();
    let mut taken = Vec::new();
    while let Some(choice) = next(&incident(&steps), &anything()) {
        taken.push(choice.step);
        steps.push((choice.step, Some(StepOutcome::Ignored)));
    }
    assert_eq!(
        taken,
        [
            LoopStep::Guidance,
            LoopStep::Refuse,
            LoopStep::Substitute,
            LoopStep::RollBack,
            LoopStep::Human,
            LoopStep::Human,
            LoopStep::Restrict,
            LoopStep::Stop
        ]
    );
}

#[test]
fn a_step_that_helped_for_a_while_is_taken_once_more() {
    let once = incident(&[(LoopStep::Guidance, Some(StepOutcome::Relapsed))]);
    assert_eq!(
        next(&once, &anything()).map(|choice| choice.step),
        Some(LoopStep::Guidance)
    );
    let doubled = incident(&[
        (LoopStep::Guidance, Some(StepOutcome::Relapsed)),
        (LoopStep::Guidance, Some(StepOutcome::Relapsed)),
    ]);
    assert_eq!(
        next(&doubled, &anything()).map(|choice| choice.step),
        Some(LoopStep::Refuse)
    );
}

#[test]
fn an_unavailable_step_is_skipped_with_a_reason() {
    let message = incident(&[(LoopStep::Refuse, Some(StepOutcome::Ignored))]);
    let possible = Possible {
        substitute: Err("no other tool is known for x".into()),
        roll_back: Err("write_file (c4) happened since".into()),
        restrict: Err("the loop consists of reading calls only".into()),
    };
    let choice = next(&message, &possible).unwrap();
    assert_eq!(choice.step, LoopStep::Human);
    assert_eq!(
        choice.why,
        "after refusing the calls it changed nothing; skipped: another tool: no other tool is known for x; \
         going back: write_file (c4) happened since"
    );
    let asked = incident(&[
        (LoopStep::Guidance, Some(StepOutcome::Ignored)),
        (LoopStep::Human, Some(StepOutcome::Ignored)),
        (LoopStep::Human, Some(StepOutcome::Ignored)),
    ]);
    let choice = next(&asked, &possible).unwrap();
    assert_eq!(choice.step, LoopStep::Stop);
    assert!(
        choice.why.ends_with(
            "asking the operator: tried 2 times; restricting to reading calls: the loop consists of reading calls only"
        ),
        "{}",
        choice.why
    );
}

#[test]
fn what_never_helped_against_the_like_is_passed_over_in_later_incidents() {
    let mut known = Escape::default();
    let message = incident(&[(LoopStep::Guidance, Some(StepOutcome::Ignored))]);
    let pick = |known: &Escape, tool: &str| {
        choose(
            known,
            Some(&message),
            &finding(tool),
            &anything(),
            &Config::default(),
        )
        .map(|choice| choice.step)
    };
    assert_eq!(pick(&known, "x"), Some(LoopStep::Refuse));
    for _ in 0..2 {
        known.incidents.push(incident(&[
            (LoopStep::Guidance, Some(StepOutcome::Ignored)),
            (LoopStep::Refuse, Some(StepOutcome::Ignored)),
            (LoopStep::Substitute, Some(StepOutcome::Helped)),
        ]));
    }
    let first = choose(&known, None, &finding("x"), &anything(), &Config::default());
    assert_eq!(
        first.map(|choice| choice.step),
        Some(LoopStep::Guidance),
        "the model is told first"
    );
    assert_eq!(known.learnt(&finding("x"), LoopStep::Refuse)[0], (2, 0));
    assert_eq!(known.learnt(&finding("x"), LoopStep::Guidance)[0], (2, 0));
    assert_eq!(known.learnt(&finding("x"), LoopStep::Substitute)[0], (2, 2));
    let lessons = known.lessons();
    let lessons: Vec<_> = lessons
        .iter()
        .map(|one| (one.kind, one.tried, one.helped))
        .collect();
    assert_eq!(
        lessons,
        [
            (LoopStep::Guidance, 2, 0),
            (LoopStep::Refuse, 2, 0),
            (LoopStep::Substitute, 2, 2)
        ]
    );
    assert_eq!(pick(&known, "x"), Some(LoopStep::Substitute));
    assert_eq!(
        pick(&known, "y"),
        Some(LoopStep::Refuse),
        "another tool is another matter"
    );
    // A step without a known result teaches nothing.
    let mut known = Escape::default();
    for _ in 0..4 {
        known
            .incidents
            .push(incident(&[(LoopStep::Refuse, Some(StepOutcome::Overtaken))]));
    }
    assert_eq!(pick(&known, "x"), Some(LoopStep::Refuse));
    assert_eq!(known.lessons(), []);
}

#[test]
fn what_earlier_sessions_learned_counts_with_what_this_one_did() {
    let record = |level, tool: &str, tried| StepRecord {
        detector: finding(tool).detector,
        tools: finding(tool).tools(),
        step: level,
        tried,
        helped: 0,
    };
    let why = |known: &Escape| {
        let message = incident(&[(LoopStep::Guidance, Some(StepOutcome::Ignored))]);
        let choice = choose(
            known,
            Some(&message),
            &finding("x"),
            &anything(),
            &Config::default(),
        );
        choice.unwrap().why
    };
    let message = incident(&[(LoopStep::Guidance, Some(StepOutcome::Ignored))]);
    let pick = |known: &Escape, tool: &str| {
        choose(
            known,
            Some(&message),
            &finding(tool),
            &anything(),
            &Config::default(),
        )
        .map(|choice| choice.step)
    };
    let mut known = Escape {
        earlier: vec![
            record(LoopStep::Refuse, "y", 9),
            record(LoopStep::Substitute, "x", 9),
        ],
        ..Escape::default()
    };
    assert_eq!(
        pick(&known, "x"),
        Some(LoopStep::Refuse),
        "like in tool and step only"
    );
    known.earlier.push(record(LoopStep::Refuse, "x", 1));
    assert_eq!(pick(&known, "x"), Some(LoopStep::Refuse), "once is no lesson");
    known
        .incidents
        .push(incident(&[(LoopStep::Refuse, Some(StepOutcome::Ignored))]));
    assert!(why(&known).contains(
        "refusing the calls: tried 2 times against similar repetition in this session and earlier ones"
    ));
    known.earlier.push(record(LoopStep::Refuse, "x", 1));
    known.incidents.clear();
    known.earlier.retain(|one| one.tools != finding("x").tools());
    known.earlier.push(record(LoopStep::Refuse, "x", 2));
    assert!(
        why(&known)
            .contains("tried 2 times against similar repetition in earlier sessions, always without success")
    );
    known.earlier[1].helped = 1;
    assert_eq!(pick(&known, "x"), Some(LoopStep::Refuse));
}

#[test]
fn the_operator_and_the_end_are_reached_whatever_was_learnt() {
    let mut known = Escape::default();
    for _ in 0..9 {
        known.incidents.push(incident(&[
            (LoopStep::Guidance, Some(StepOutcome::Ignored)),
            (LoopStep::Refuse, Some(StepOutcome::Ignored)),
            (LoopStep::Substitute, Some(StepOutcome::Ignored)),
            (LoopStep::RollBack, Some(StepOutcome::Ignored)),
            (LoopStep::Human, Some(StepOutcome::Ignored)),
        ]));
    }
    let message = incident(&[(LoopStep::Guidance, Some(StepOutcome::Ignored))]);
    let choice = choose(
        &known,
        Some(&message),
        &finding("x"),
        &anything(),
        &Config::default(),
    );
    assert_eq!(choice.map(|choice| choice.step), Some(LoopStep::Human));
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn an_incident_ends_whatever_comes_of_its_steps(
        upshots in prop::collection::vec(0_usize..4, 0..40),
        substitute: bool,
        roll_back: bool,
        restrict: bool,
    ) {
        let because = |can: bool| if can { Ok(()) } else { Err("no".to_owned()) };
        let possible = Possible {
            substitute: because(substitute),
            roll_back: because(roll_back),
            restrict: because(restrict),
        };
        let mut steps: Vec<(LoopStep, Option<StepOutcome>)> = Vec::new();
        let mut upshots = upshots.into_iter();
        while let Some(choice) = next(&incident(&steps), &possible) {
            let taken = steps.iter().filter(|(level, _)| *level == choice.step).count() as u32;
            prop_assert!(taken < Config::default().ladder.most(choice.step));
            let last = steps.last().map(|(level, _)| *level);
            prop_assert!(last.is_none_or(|last| last <= choice.step), "the ladder is not climbed down");
            let step_outcome = [StepOutcome::Relapsed, StepOutcome::Ignored, StepOutcome::Impossible, StepOutcome::Overtaken]
                [upshots.next().unwrap_or(1)];
            steps.push((choice.step, Some(step_outcome)));
            prop_assert!(steps.len() <= 12, "{steps:?}");
        }
        prop_assert_eq!(steps.last().map(|(level, _)| *level), Some(LoopStep::Stop));
    }
}
