//! Tests of ends: of streams, of turns, of the run and by its limits.
//!
//! Must not know: edits of texts.

mod waits;

use super::world::*;
use overrule_domain::call::Status;
use overrule_domain::command::{Edit, RunCommand};
use overrule_domain::event::run::{Limits, RunEvent};
use overrule_domain::event::{Event, ResilienceEvent, TurnEvent};
use overrule_domain::id::NodeKind;
use overrule_domain::refusal::RefusalKind;
use overrule_domain::state::Mode;
use overrule_domain::turn::{Stop, Stream, StreamFaultKind, Usage};

fn finished(w: &World) -> bool {
    matches!(w.state.mode, Mode::Finished(_))
}

#[test]
fn a_structured_answer_ends_the_run_once_all_else_has_ended() {
    let mut w = World::asking(&["write"]);
    w.reply(&[
        call("write", r#"{"_as":"a"}"#),
        call("final_answer", r#"{"answer":"42"}"#),
    ]);
    assert!(!finished(&w), "a call waits");
    w.approve(w.id("a")).unwrap();
    assert!(!finished(&w), "a call runs");
    w.drain();
    assert!(finished(&w));
    assert_eq!(w.state.nodes[&w.all(NodeKind::Answer)[0]].text(), "42");
    assert_eq!(w.asked.len(), 1, "the model is not asked after the answer");
}

#[test]
fn the_answer_follows_an_edit_of_its_call() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("final_answer", r#"{"_as":"f","answer":"†call.a.v"}"#),
    ]);
    w.drain();
    assert_eq!(w.state.nodes[&w.all(NodeKind::Answer)[0]].text(), "2");
    w.correct(w.id("a"), r#"{"v":9}"#).unwrap();
    assert!(finished(&w));
    let answers = w.all(NodeKind::Answer);
    assert_eq!(answers.len(), 1);
    assert_eq!(w.state.nodes[&answers[0]].text(), "9");
    assert_eq!(w.runs(w.id("a")).len(), 1);
    // The text of the operator stays.
    w.text(answers[0], "ten").unwrap();
    assert!(finished(&w));
    assert_eq!(w.state.nodes[&answers[0]].text(), "ten");
    // A rejected one stays in the history with its call and its result, and the model is asked.
    w.edit(Edit::RejectAnswer {
        base: None,
        node: answers[0],
        reason: "too short".into(),
    })
    .unwrap();
    assert!(!finished(&w) && w.open.len() == 1);
    let request = w.last_request();
    let (call, reason) = (
        request.find("final_answer").unwrap(),
        request.find("too short").unwrap(),
    );
    assert!(call < reason, "{request}");
}

#[test]
fn a_prompt_after_the_answer_continues_and_an_answer_ends_it_again() {
    let mut w = World::new();
    w.reply(&[answer("one")]);
    assert!(finished(&w));
    w.guide("and then?").unwrap();
    assert!(!finished(&w));
    assert!(w.last_request().contains("one") && w.last_request().contains("and then?"));
    w.reply(&[answer("two")]);
    assert!(finished(&w));
    assert_eq!(w.asked.len(), 2);
}

#[test]
fn a_rejected_answer_is_superseded_and_the_model_gets_the_reason() {
    let mut w = World::new();
    w.reply(&[answer("one")]);
    let node = w.all(NodeKind::Answer)[0];
    assert_eq!(
        kind(w.edit(Edit::RejectAnswer {
            base: None,
            node,
            reason: " ".into()
        })),
        RefusalKind::Invalid
    );
    w.edit(Edit::RejectAnswer {
        base: None,
        node,
        reason: "wrong".into(),
    })
    .unwrap();
    assert!(w.all(NodeKind::Answer).is_empty());
    let request = w.last_request();
    let (answer_at, reason) = (request.find("one").unwrap(), request.find("wrong").unwrap());
    assert!(answer_at < reason, "{request}");
    w.reply(&[answer("two")]);
    assert!(finished(&w));
}

#[test]
fn nothing_at_all_is_asked_once_more_and_then_left_to_the_operator() {
    for blocks in [vec![], vec![think("hm")]] {
        let mut w = World::new();
        w.reply(&blocks);
        assert_eq!(w.asked.len(), 2, "asked again");
        assert_eq!(w.turns().len(), 2, "for the same turn");
        w.reply(&blocks);
        assert_eq!(w.asked.len(), 2, "not a third time");
        assert!(w.open.is_empty());
        let turn = w.turns()[1];
        w.run(RunCommand::AskAgain { turn, request: None }).unwrap();
        w.reply(&[answer("at last")]);
        assert!(finished(&w));
    }
}

#[test]
fn a_cut_or_refused_reply_is_never_an_answer() {
    for stop in [Stop::Length, Stop::Filter, Stop::Refusal] {
        let mut w = World::new();
        w.stream(think("so"));
        w.stream(call("read", r#"{"_as":"a"}"#));
        w.end(stop);
        w.drain();
        assert_eq!(w.asked.len(), 1, "nothing is asked by itself");
        assert!(!finished(&w));
        let turn = w.turns()[1];
        w.run(RunCommand::KeepArrived { turn, request: None }).unwrap();
        assert_eq!(w.asked.len(), 2);
        assert_eq!(
            kind(w.run(RunCommand::KeepArrived { turn, request: None })),
            RefusalKind::Status
        );
    }
}

#[test]
fn a_prompt_after_a_broken_turn_continues_from_the_partial_reply() {
    let mut w = World::new();
    w.broke(StreamFaultKind::Auth);
    let turn = w.turns()[1];
    assert_eq!(
        kind(w.run(RunCommand::KeepArrived { turn, request: None })),
        RefusalKind::Status
    );
    w.guide("try this").unwrap();
    assert_eq!(w.open.len(), 1);
    assert!(matches!(w.state.turns[&turn].stream, Stream::Aborted(_)));
}

#[test]
fn a_late_report_of_an_earlier_request_changes_nothing() {
    let mut w = World::new();
    let (turn, request) = w.tip();
    w.broke(StreamFaultKind::Network);
    let before = w.log.len();
    let block = think("late");
    w.input(overrule_domain::input::Input::Block { turn, request, block });
    w.input(overrule_domain::input::Input::Ended {
        turn,
        request,
        stop: Stop::End,
        usage: Usage::default(),
    });
    assert_eq!(w.log.len(), before);
}

#[test]
fn limits_stop_requests_until_they_are_raised() {
    let mut w = World::limited(
        Rules::default(),
        Limits {
            turns: Some(2),
            ..Limits::default()
        },
    );
    w.reply(&[call("read", r#"{"_as":"a"}"#)]);
    w.drain();
    w.reply(&[call("read", r#"{"_as":"b"}"#)]);
    w.drain();
    assert_eq!(w.asked.len(), 2);
    assert!(matches!(w.state.mode, Mode::Paused(_)));
    assert_eq!(kind(w.run(RunCommand::Resume {})), RefusalKind::Status);
    assert_eq!(kind(w.run(RunCommand::Step {})), RefusalKind::Status);
    assert_eq!(w.asked.len(), 2);
    let parallel = |parallel| Limits {
        parallel,
        ..Limits::default()
    };
    let none = Limits {
        tokens: Some(0),
        ..Limits::default()
    };
    for limits in [parallel(0), parallel(Limits::MOST_PARALLEL + 1), none] {
        assert_eq!(
            kind(w.run(RunCommand::SetLimits { limits })),
            RefusalKind::Invalid
        );
    }
    w.run(RunCommand::SetLimits {
        limits: Limits {
            turns: Some(3),
            ..Limits::default()
        },
    })
    .unwrap();
    assert_eq!(w.asked.len(), 3);
}

#[test]
fn a_limit_reached_in_a_single_step_is_reported_once() {
    let mut w = World::limited(
        Rules::default(),
        Limits {
            turns: Some(1),
            ..Limits::default()
        },
    );
    w.run(RunCommand::Pause {
        reason: "look".into(),
    })
    .unwrap();
    w.reply(&[call("read", r#"{"_as":"a"}"#)]);
    w.run(RunCommand::Step {}).unwrap();
    w.drain();
    w.run(RunCommand::Step {}).unwrap();
    let content = w
        .events()
        .filter(|event| matches!(event, Event::Run(RunEvent::LimitReached { .. })))
        .count();
    assert_eq!(content, 1);
    assert_eq!(w.asked.len(), 1);
}

#[test]
fn retries_count_against_the_limit_and_tokens_are_counted() {
    let mut w = World::limited(
        Rules::default(),
        Limits {
            turns: Some(2),
            ..Limits::default()
        },
    );
    w.broke(StreamFaultKind::Network);
    w.broke(StreamFaultKind::Network);
    assert_eq!(w.asked.len(), 2);
    assert!(w.state.tally.limit_reached.is_some());

    let mut w = World::limited(
        Rules::default(),
        Limits {
            tokens: Some(100),
            ..Limits::default()
        },
    );
    w.stream(call("read", r#"{"_as":"a"}"#));
    let usage = Usage {
        input: Some(90),
        output: Some(10),
        ..Usage::default()
    };
    w.end_with(Stop::Calls, usage);
    w.drain();
    assert_eq!(w.asked.len(), 1);
    assert_eq!(
        w.state
            .tally
            .limit_reached
            .as_ref()
            .map(|(which, _)| which.as_str()),
        Some("tokens")
    );
}

#[test]
fn working_time_pauses_the_run() {
    let mut w = World::limited(
        Rules::default(),
        Limits {
            wall_ms: Some(1000),
            ..Limits::default()
        },
    );
    w.input(overrule_domain::input::Input::Worked { ms: 999 });
    assert_eq!(w.state.mode, Mode::Running);
    w.input(overrule_domain::input::Input::Worked { ms: 1000 });
    assert!(matches!(w.state.mode, Mode::Paused(_)));
}

#[test]
fn pause_starts_nothing_step_one_thing_resume_all() {
    let mut w = World::new();
    w.run(RunCommand::Pause {
        reason: "look".into(),
    })
    .unwrap();
    w.reply(&[call("read", r#"{"_as":"a"}"#), call("read", r#"{"_as":"b"}"#)]);
    assert!(w.executed.is_empty());
    assert_eq!(w.status(w.id("a")), Status::Queued);
    w.run(RunCommand::Step {}).unwrap();
    assert_eq!(w.executed.len(), 1);
    w.drain();
    assert_eq!(w.executed.len(), 1, "what ends starts nothing");
    w.run(RunCommand::Step {}).unwrap();
    w.drain();
    assert_eq!(w.asked.len(), 1);
    w.run(RunCommand::Step {}).unwrap();
    assert_eq!(w.asked.len(), 2, "a request is a step too");
    assert_eq!(
        kind(w.run(RunCommand::Pause {
            reason: String::new()
        })),
        RefusalKind::NoChange
    );
    w.run(RunCommand::Resume {}).unwrap();
    assert_eq!(kind(w.run(RunCommand::Step {})), RefusalKind::Status);
}

#[test]
fn stop_cancels_running_calls_and_resume_continues() {
    let mut w = World::new();
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.run(RunCommand::Stop {
        reason: "enough".into(),
    })
    .unwrap();
    assert!(w.open.is_empty());
    assert!(w.running.iter().all(|one| one.cancelled));
    w.drain();
    assert_eq!(w.asked.len(), 1);
    assert_eq!(kind(w.guide("x")), RefusalKind::Over);
    assert_eq!(
        kind(w.run(RunCommand::Stop {
            reason: String::new()
        })),
        RefusalKind::NoChange
    );
    w.run(RunCommand::Resume {}).unwrap();
    assert_eq!(w.asked.len(), 2);
    assert!(w.last_request().contains("cancelled"));
}

#[test]
fn stopping_the_turn_keeps_what_arrived_and_pauses() {
    let mut w = World::new();
    assert!(
        w.run(RunCommand::Pause {
            reason: String::new()
        })
        .is_ok()
    );
    w.run(RunCommand::Resume {}).unwrap();
    w.stream(think("hm"));
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.run(RunCommand::StopTurn {}).unwrap();
    w.drain();
    assert_eq!(w.asked.len(), 1);
    assert_eq!(kind(w.run(RunCommand::StopTurn {})), RefusalKind::Status);
    w.run(RunCommand::Resume {}).unwrap();
    assert_eq!(w.asked.len(), 2);
}
