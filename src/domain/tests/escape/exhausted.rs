//! Tests of incidents that begin without a loop, from calls that finally failed.
//!
//! Must not know: how a retry is decided.

use super::super::ladder;
use super::*;
use overrule_domain::escape::Proposal;

fn world() -> World {
    World::with(Rules {
        steps: ladder::steps(),
        lasting: true,
        ..rules(Config::default())
    })
}

/// One turn with a call that fails in this way as often as it is run.
fn fails(w: &mut World, args: &str, class: ErrorClass) -> NodeId {
    w.reply(&[call("read", args)]);
    let id = newest(w);
    while w.status(id) == Status::Running(w.state.call(id).unwrap().last_attempt().unwrap().no) {
        w.finish_with(id, ladder::error(class, false));
        if w.state.call(id).unwrap().failure.delay.is_some() {
            ladder::elapse(w, 0);
        }
    }
    w.drain();
    id
}

#[test]
fn exhausted_retries_suggest_substitutes_and_refuse_nothing() {
    let mut w = world();
    let id = fails(&mut w, r#"{"n":1}"#, ErrorClass::Transient);
    assert_eq!(w.starts(id), 5);
    assert_eq!(incident(&w).finding.detector, Detector::Exhausted);
    assert_eq!(incident(&w).finding.nodes, [id]);
    assert_eq!(steps(&w), [(LoopStep::Guidance, None)]);
    let text = w.last_request();
    assert!(
        text.contains("This failed, and repeating it will not help:"),
        "{text}"
    );
    assert!(text.contains("These serve the same purpose: pure."), "{text}");
    assert!(!text.contains("You repeat yourself"), "{text}");
    for n in [2, 3] {
        turn(&mut w, "read", &format!(r#"{{"n":{n}}}"#));
    }
    assert_eq!(steps(&w), [(LoopStep::Guidance, Some(StepOutcome::Helped))]);
    assert!(incident(&w).over);
    assert_eq!(w.state.learned.escape.incidents.len(), 1);
    assert!(!w.last_request().contains("repeating it will not help"));
    assert_eq!(apply::fold(&w.log), w.state);
}

#[test]
fn the_same_call_made_again_is_refused_afterwards() {
    let mut w = world();
    for class in [ErrorClass::Auth, ErrorClass::Auth] {
        let id = fails(&mut w, r#"{"n":1}"#, class);
        assert_eq!(w.starts(id), 1);
    }
    assert_eq!(
        steps(&w),
        [
            (LoopStep::Guidance, Some(StepOutcome::Ignored)),
            (LoopStep::Refuse, None)
        ]
    );
    w.reply(&[call("read", r#"{"n":1}"#), call("read", r#"{"n":2}"#)]);
    let calls = w.all(NodeKind::Call);
    let [.., same, other] = calls.as_slice() else {
        panic!("{calls:?}")
    };
    assert_eq!((w.status(*same), w.starts(*same)), (Status::Rejected, 0));
    assert_eq!(w.starts(*other), 1);
}

#[test]
fn an_error_that_other_arguments_could_fix_opens_no_incident() {
    for class in [
        ErrorClass::NotFound,
        ErrorClass::Param,
        ErrorClass::Business,
        ErrorClass::Conflict,
        ErrorClass::Unknown,
        ErrorClass::Structural,
    ] {
        let mut w = world();
        fails(&mut w, r#"{"n":1}"#, class);
        assert!(w.state.learned.escape.incidents.is_empty(), "{class:?}");
    }
    let mut w = world();
    turn(&mut w, "read", r#"{"n":1}"#);
    assert!(w.state.learned.escape.incidents.is_empty());
}

#[test]
fn a_muted_detector_and_an_allowed_call_begin_nothing() {
    let mut w = world();
    w.cmd(Command::Escape(EscapeCommand::Mute {
        detector: Detector::Exhausted,
        muted: true,
    }))
    .unwrap();
    fails(&mut w, r#"{"n":1}"#, ErrorClass::Internal);
    assert!(w.state.learned.escape.incidents.is_empty());

    let mut w = world();
    fails(&mut w, r#"{"n":1}"#, ErrorClass::Internal);
    w.cmd(Command::Escape(EscapeCommand::AllowIncident {
        incident: 1,
        allowed: true,
    }))
    .unwrap();
    fails(&mut w, r#"{"n":1}"#, ErrorClass::Internal);
    assert_eq!(w.state.learned.escape.incidents.len(), 1);
    assert!(incident(&w).over);
}

#[test]
fn every_step_is_listed_in_order_with_what_became_of_it() {
    let mut w = world();
    for _ in 0..2 {
        fails(&mut w, r#"{"n":1}"#, ErrorClass::Auth);
    }
    w.reply(&[call("read", r#"{"n":1}"#)]);
    let incident = incident(&w);
    let listed: Vec<(LoopStep, String)> = incident
        .proposals()
        .map(|(level, proposal)| {
            let became = match proposal {
                Proposal::Taken(step) => format!("taken, {:?}", step.outcome),
                Proposal::Skipped(why) => format!("skipped: {why}"),
                Proposal::Later => "later".to_owned(),
            };
            (level, became)
        })
        .collect();
    let levels: Vec<LoopStep> = listed.iter().map(|(level, _)| *level).collect();
    assert_eq!(levels, LoopStep::ALL);
    assert_eq!(listed[0].1, "taken, Some(Ignored)");
    assert_eq!(listed[1].1, "taken, Some(Ignored)");
    assert_eq!(listed[2].1, "skipped: no other tool is known for read");
    assert!(listed[3].1.starts_with("taken"), "{listed:?}");
    assert_eq!(listed[5].1, "later");
}
