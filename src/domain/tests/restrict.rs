//! Tests of a run restricted to reading calls: what continues, what is denied, what is refused.
//!
//! Must not know: keys, flags.
//!
//! Only lifting the restriction ends it.

use super::ladder::{elapse, error, steps};
use super::world::*;
use overrule_domain::call::{EffectClass, ErrorClass, Gate, Status};
use overrule_domain::command::{CallCommand, Command, Edit, EditCommand, ResilienceCommand, RunCommand};
use overrule_domain::event::run::{EffectBy, Limits};
use overrule_domain::event::{Event, ResilienceEvent};
use overrule_domain::id::{Attempt, NodeId, TurnId};
use overrule_domain::refusal::RefusalKind;
use overrule_domain::restrict::denied;
use overrule_domain::state::Mode;
use overrule_domain::transcript::result;

fn restrict() -> RunCommand {
    RunCommand::Restrict {
        reason: "look first".into(),
    }
}

fn lift() -> RunCommand {
    RunCommand::LiftRestriction {}
}

fn is_denied(w: &World, id: NodeId) -> bool {
    denied(&w.state.calls[&id])
}

fn notices(w: &World, turn: TurnId) -> Vec<String> {
    let reported = &w.state.turns[&turn].more.notices;
    reported.iter().map(ToString::to_string).collect()
}

#[test]
fn a_restricted_run_reads_on_and_does_nothing_else() {
    let mut w = World::new();
    w.run(restrict()).unwrap();
    w.reply(&[
        call("read", r#"{"_as":"r","n":1}"#),
        call("pure", r#"{"_as":"p","n":1}"#),
        call("idem", r#"{"_as":"i","n":1}"#),
        call("write", r#"{"_as":"w","n":1}"#),
        call("unknown", r#"{"_as":"u","n":1}"#),
        call("read", r#"{"_as":"late","n":"†call.w.v || †call.r.v"}"#),
    ]);
    let [read, pure, idem, write, unknown, late] = ["r", "p", "i", "w", "u", "late"].map(|label| w.id(label));
    assert_eq!(
        [read, pure].map(|id| w.status(id)),
        [Status::Running(Attempt(1)), Status::Running(Attempt(1))]
    );
    assert!([idem, write, unknown].iter().all(|id| is_denied(&w, *id)));
    w.drain();
    assert_eq!(
        [idem, write, unknown].map(|id| w.starts(id)),
        [0, 0, 0],
        "nothing of these ran"
    );
    assert_eq!([read, pure, late].map(|id| w.starts(id)), [1, 1, 1]);
    // The model is told why, and what it can do.
    let (text, is_error) = result::result_body(&w.state, &w.state.calls[&write]);
    assert!(is_error);
    for words in [
        "restricted to reading calls",
        "until the operator lifts",
        "Propose only reading calls",
    ] {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
    let asked = w.tip().0;
    assert!(notices(&w, asked)[0].starts_with("The run is restricted to reading calls"));
    w.reply(&[call("final_answer", r#"{"answer":"read it"}"#)]);
    assert!(matches!(w.state.mode, Mode::Finished(_)), "it may answer");
}

#[test]
fn waiting_calls_are_denied_and_running_calls_continue() {
    let mut w = World::limited(
        Rules {
            gates: [("unknown".to_owned(), Gate::Ask), ("read".to_owned(), Gate::Ask)].into(),
            ..Rules::default()
        },
        Limits {
            parallel: 1,
            ..Limits::default()
        },
    );
    w.reply(&[
        call("write", r#"{"_as":"runs","n":1}"#),
        call("write", r#"{"_as":"queued","n":2}"#),
        call("unknown", r#"{"_as":"asked","n":3}"#),
        call("read", r#"{"_as":"read","n":4}"#),
    ]);
    let [runs, queued, asked, read] = ["runs", "queued", "asked", "read"].map(|label| w.id(label));
    assert_eq!(
        (w.status(queued), w.status(asked)),
        (Status::Queued, Status::AwaitingApproval)
    );
    w.run(restrict()).unwrap();
    assert_eq!(
        w.status(runs),
        Status::Running(Attempt(1)),
        "a running call continues"
    );
    assert!(is_denied(&w, queued) && is_denied(&w, asked));
    assert_eq!(w.status(read), Status::AwaitingApproval, "the policy still asks");
    assert_eq!(kind(w.approve(asked)), RefusalKind::Denied);
    w.approve(read).unwrap();
    w.drain();
    assert_eq!([runs, queued, asked, read].map(|id| w.starts(id)), [1, 0, 0, 1]);
    assert_eq!(w.status(runs), Status::Succeeded);
    w.remembers();
}

#[test]
fn an_approval_from_before_starts_nothing() {
    let mut w = World::asking(&["write"]);
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    w.run(RunCommand::Pause { reason: "p".into() }).unwrap();
    w.approve(a).unwrap();
    assert_eq!(w.status(a), Status::Queued);
    w.run(restrict()).unwrap();
    w.run(RunCommand::Resume {}).unwrap();
    w.drain();
    assert!(is_denied(&w, a));
    assert_eq!(w.starts(a), 0);
}

#[test]
fn a_policy_that_denies_still_denies() {
    let mut w = World::with(Rules {
        gates: [("read".to_owned(), Gate::Deny)].into(),
        ..Rules::default()
    });
    w.run(restrict()).unwrap();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    assert_eq!(w.status(a), Status::Rejected);
    assert!(!is_denied(&w, a), "the policy said so");
}

#[test]
fn no_failure_of_a_write_is_met_by_another_execution() {
    let rules = || Rules {
        steps: steps(),
        ..Rules::default()
    };
    // One that waits to be tried again.
    let mut w = World::with(rules());
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    w.finish_with(a, error(ErrorClass::Transient, false));
    assert_eq!(w.status(a), Status::Scheduled);
    w.run(restrict()).unwrap();
    assert!(is_denied(&w, a));
    let (text, _) = result::result_body(&w.state, &w.state.calls[&a]);
    assert!(text.contains("It ran before and failed: no"), "{text}");
    while !w.timers.is_empty() {
        elapse(&mut w, 0);
    }
    assert_eq!(w.starts(a), 1);
    // A writing call that fails in a restricted run keeps its error. A reading one is retried.
    let mut w = World::with(rules());
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":1}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    w.run(restrict()).unwrap();
    w.finish_with(a, error(ErrorClass::Transient, false));
    w.finish_with(b, error(ErrorClass::Transient, false));
    assert_eq!(w.status(a), Status::Failed(ErrorClass::Transient));
    let why = w.state.calls[&a].failure.given_up.as_deref();
    assert_eq!(why, Some("the run is restricted to reading calls"));
    assert_eq!(w.status(b), Status::Scheduled);
    elapse(&mut w, 0);
    assert_eq!((w.starts(a), w.starts(b)), (1, 2));
}

#[test]
fn a_command_that_would_start_a_write_is_refused_with_the_way_to_do_it() {
    let mut w = World::new();
    w.reply(&[
        call("write", r#"{"_as":"done","n":1}"#),
        call("read", r#"{"_as":"read","n":1}"#),
    ]);
    w.drain();
    let (done, read) = (w.id("done"), w.id("read"));
    w.run(restrict()).unwrap();
    let rev = w.rev(done);
    let base = rev;
    let edit = Edit::Call {
        node: read,
        base,
        tool: "write".into(),
        args: r#"{"n":5}"#.into(),
        shown: true,
    };
    let insert = |tool: &str| Edit::InsertCall {
        after: None,
        tool: tool.into(),
        args: r#"{"n":7}"#.into(),
    };
    for refusal in [
        w.args(done, r#"{"n":2}"#).unwrap_err(),
        w.edit(edit).unwrap_err(),
        w.edit(insert("idem")).unwrap_err(),
        w.retry(done).unwrap_err(),
        w.cmd(Command::Resilience(ResilienceCommand::RunNow { call: done, rev }))
            .unwrap_err(),
    ] {
        assert_eq!(refusal.kind, RefusalKind::Denied, "{refusal}");
        assert!(
            refusal.message.starts_with("cannot ") && refusal.message.contains("hint: lift the restriction"),
            "{refusal}"
        );
    }
    // What a person writes in its place starts nothing; nor does reading do any harm.
    w.correct(done, "{\"v\":9}").unwrap();
    w.args(read, r#"{"n":3}"#).unwrap();
    w.drain();
    assert_eq!((w.starts(done), w.starts(read)), (1, 2));
}

#[test]
fn an_undo_does_not_lift_it_and_lifting_lets_calls_start_again() {
    let mut w = World::asking(&["write"]);
    w.run(restrict()).unwrap();
    assert_eq!(kind(w.run(restrict())), RefusalKind::NoChange);
    w.guide("more").unwrap();
    w.cmd(Command::Edit(UNDO)).unwrap();
    w.crash();
    assert_eq!(w.state.settings.restricted.as_deref(), Some("look first"));
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    assert!(is_denied(&w, a));
    w.run(lift()).unwrap();
    assert_eq!(kind(w.run(lift())), RefusalKind::NoChange);
    w.reply(&[call("write", r#"{"_as":"b","n":2}"#)]);
    let b = w.id("b");
    assert_eq!(
        (w.starts(a), w.status(b)),
        (0, Status::AwaitingApproval),
        "it is asked for as ever"
    );
    w.approve(b).unwrap();
    w.drain();
    assert_eq!(w.starts(b), 1);
}

#[test]
fn the_model_gets_one_notice_that_restricted_mode_was_lifted() {
    let mut w = World::new();
    w.run(restrict()).unwrap();
    w.reply(&[call("read", r#"{"n":1}"#)]);
    w.drain();
    assert!(notices(&w, w.tip().0)[0].starts_with("The run is restricted"));
    w.run(lift()).unwrap();
    w.reply(&[call("read", r#"{"n":2}"#)]);
    w.drain();
    assert!(notices(&w, w.tip().0)[0].starts_with("The operator lifted the restriction"));
    w.reply(&[call("read", r#"{"n":3}"#)]);
    w.drain();
    assert_eq!(notices(&w, w.tip().0), Vec::<String>::new());
}

#[test]
fn a_sub_agent_starts_and_meets_the_same_restriction() {
    let mut w = World::new();
    w.run(restrict()).unwrap();
    w.reply(&[call("delegate", r#"{"_as":"d","task":"look"}"#)]);
    let d = w.id("d");
    assert!(matches!(w.status(d), Status::Running(_)), "it may start");
    w.reply(&[
        call("read", r#"{"_as":"r","n":1}"#),
        call("write", r#"{"_as":"w","n":1}"#),
    ]);
    let (r, x) = (w.id("r"), w.id("w"));
    assert!(is_denied(&w, x));
    w.finish(r);
    w.reply(&[answer("seen")]);
    assert_eq!((w.status(d), w.starts(x)), (Status::Succeeded, 0));
}

#[test]
fn a_repair_of_a_write_ends_and_its_request_is_not_made() {
    let mut w = World::with(Rules {
        steps: std::sync::Arc::new(|_, _| {
            overrule_domain::ladder::Next::Retry(overrule_domain::ladder::Retry {
                no: 1,
                of: 9,
                wait_ms: 5,
                why: "t".into(),
            })
        }),
        ..Rules::default()
    });
    w.run(restrict()).unwrap();
    w.reply(&[call("write", r#"{"_as":"a","bad":1}"#)]);
    let a = w.id("a");
    assert_eq!(w.status(a), Status::Invalid);
    let gave_up = w
        .events()
        .filter(|event| matches!(event, Event::Resilience(ResilienceEvent::GaveUp { .. })));
    assert_eq!(gave_up.count(), 1, "nothing is scheduled, asked or repaired");
    assert_eq!(w.starts(a), 0);
}

#[test]
fn an_unknown_outcome_that_did_not_happen_does_not_run_again() {
    let mut w = World::new();
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    w.run(restrict()).unwrap();
    w.crash();
    assert_eq!(
        w.status(a),
        Status::OutcomeUnknown(Attempt(1)),
        "the operator has to decide the outcome"
    );
    w.cmd(Command::Call(CallCommand::Resolve {
        call: a,
        attempt: None,
        what: overrule_domain::command::Resolution::DidNot,
    }))
    .unwrap();
    w.drain();
    assert!(is_denied(&w, a));
    assert_eq!(w.starts(a), 1);
}

#[test]
fn an_open_edit_suspends_its_calls_until_it_is_released() {
    let mut w = World::asking(&["write"]);
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    w.cmd(Command::Edit(EditCommand::Hold { node: a })).unwrap();
    w.run(restrict()).unwrap();
    w.cmd(Command::Edit(EditCommand::Release { node: None })).unwrap();
    w.drain();
    assert!(is_denied(&w, a));
    assert_eq!(w.starts(a), 0);
}

#[test]
fn the_class_of_the_concrete_call_counts() {
    let mut w = World::new();
    let started = std::sync::Arc::make_mut(w.state.started.as_mut().unwrap());
    let card = started
        .tools
        .iter_mut()
        .find(|card| &*card.name == "unknown")
        .unwrap();
    card.effect_by = Some(EffectBy {
        param: "path".into(),
        classes: [
            ("get".to_owned(), EffectClass::Read),
            ("put".to_owned(), EffectClass::Idempotent),
        ]
        .into(),
    });
    w.run(restrict()).unwrap();
    w.reply(&[
        call("unknown", r#"{"_as":"get","path":"get","n":1}"#),
        call("unknown", r#"{"_as":"put","path":"put","n":1}"#),
        call("unknown", r#"{"_as":"post","path":"post","n":1}"#),
    ]);
    let [get, put, post] = ["get", "put", "post"].map(|label| w.id(label));
    assert!(matches!(w.status(get), Status::Running(_)));
    assert!(is_denied(&w, put) && is_denied(&w, post));
}
