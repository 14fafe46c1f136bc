//! Tests of what bounds a repair: the operator, gate, consent, pause, a limit, a crash.
//!
//! Must not know: how arguments are repaired.

use super::*;

#[test]
fn without_an_operator_nothing_is_chosen_for_him() {
    let mut w = world("write", true, false);
    w.reply(&[call("write", r#"{"_as":"a","origin":"JFK","passengers":12}"#)]);
    let a = w.id("a");
    assert_eq!((w.status(a), w.starts(a)), (Status::Invalid, 0));
    assert!(w.questions.is_empty());
    assert_eq!(w.asked.len(), 2, "the model is told");
}

#[test]
fn a_repaired_call_passes_the_gate_again() {
    let mut rules = rules("write", false, true);
    rules.gates.insert("write".into(), Gate::Ask);
    let mut w = World::limited(rules, Limits::default());
    let a = wrong_day(&mut w, "write");
    w.approve(a).unwrap();
    w.finish_with(a, refused("Invalid date format for 'departure_date'"));
    assert!(repaired(&w, a));
    assert_eq!(
        (w.status(a), w.starts(a)),
        (Status::AwaitingApproval, 1),
        "the approval was for other bytes"
    );
    w.approve(a).unwrap();
    assert_eq!(w.starts(a), 2);
    let approvals = w.events().filter(|event| {
        matches!(
            event,
            Event::Call(CallEvent::Decided {
                decision: Decision::Approve { .. },
                ..
            })
        )
    });
    assert_eq!(approvals.count(), 2);
}

#[test]
fn after_an_execution_of_unknown_outcome_a_repaired_write_needs_consent() {
    let mut w = world("write", false, true);
    let a = wrong_day(&mut w, "write");
    w.finish_with(a, error(ErrorClass::Transient, "time-out", "no answer"));
    assert_eq!(
        (w.starts(a), repaired(&w, a)),
        (1, false),
        "a time-out is not repaired"
    );
    w.retry(a).unwrap();
    let digest = w.digest(a);
    w.consent(a, ConsentChoice::RunAgain).unwrap();
    assert_eq!(w.digest(a), digest);
    w.finish_with(a, refused("Invalid date format for 'departure_date'"));
    assert!(repaired(&w, a));
    // The operator consented to these bytes again in spite of the first execution. Other bytes need their
    // own consent, and the outcome of the first one is still unknown.
    assert_eq!(w.starts(a), 2);
    assert_eq!(w.status(a), Status::Consent(ConsentCause::Unknown));
    w.consent(a, ConsentChoice::RunAgain).unwrap();
    assert_eq!(w.starts(a), 3);
}

#[test]
fn nothing_is_asked_while_paused_or_with_the_last_request() {
    let mut w = world("read", true, true);
    w.reply(&[call("read", r#"{"_as":"a","origin":"JFK"}"#)]);
    let a = w.id("a");
    w.run(RunCommand::Pause {
        reason: "test".into(),
    })
    .unwrap();
    w.finish_with(a, refused("Missing required parameter 'passengers'"));
    assert!(w.questions.is_empty());
    assert_eq!(w.status(a), Status::Repairing(Stage::Selecting));
    w.run(RunCommand::Resume {}).unwrap();
    assert_eq!(w.status(a), Status::Repairing(Stage::Asking));
    assert_eq!(w.questions.len(), 1);

    let limits = Limits {
        turns: Some(2),
        ..Limits::default()
    };
    let mut w = World::limited(rules("read", true, true), limits);
    w.reply(&[call("read", r#"{"_as":"a","origin":"JFK"}"#)]);
    let a = w.id("a");
    w.finish_with(a, refused("Missing required parameter 'passengers'"));
    assert!(w.questions.is_empty());
    assert_eq!(w.state.tally.requests, 2, "the last one is for the answer");
    let why = w.events().find_map(|event| match event {
        Event::Resilience(ResilienceEvent::GaveUp { call, why, .. }) if *call == a => Some(why.to_string()),
        _ => None,
    });
    assert!(why.unwrap().contains("for the answer"));
}

#[test]
fn a_question_survives_the_death_of_the_program_and_a_late_answer_changes_nothing() {
    let mut w = world("read", true, true);
    w.reply(&[call("read", r#"{"_as":"a","origin":"JFK"}"#)]);
    let a = w.id("a");
    w.finish_with(a, refused("Missing required parameter 'passengers'"));
    assert_eq!(w.questions.len(), 1);
    w.crash();
    assert_eq!(w.questions.len(), 1, "it is asked again");
    assert_eq!(w.state.calls[&a].failure.repairs.len(), 1);
    let question = w.questions[0];
    w.args(a, r#"{"_as":"a","origin":"LAX"}"#).unwrap();
    assert_eq!(w.starts(a), 2);
    w.questions = vec![question];
    answer_question(&mut w, r#"{"passengers": 1}"#);
    assert_eq!(args(&w, a), json!({"_as": "a", "origin": "LAX"}));
    assert_eq!(w.state.tally.usage.input, Some(100), "what it cost is counted");
    w.questions = vec![question];
    answer_question(&mut w, r#"{"passengers": 2}"#);
    assert_eq!(w.state.tally.usage.input, Some(100), "once");
}

#[test]
fn an_answer_that_does_not_fit_ends_the_repair() {
    for (answer, why) in [
        ("{}", "does not know"),
        ("77", "at most 9"),
        ("no idea", "not a value"),
    ] {
        let mut w = world("read", true, true);
        w.reply(&[call("read", r#"{"_as":"a","origin":"JFK"}"#)]);
        let a = w.id("a");
        w.finish_with(a, refused("Missing required parameter 'passengers'"));
        answer_question(&mut w, answer);
        assert_eq!((w.starts(a), w.rev(a)), (1, Rev(1)), "{answer}");
        let_it_fail(&mut w, a);
        assert_eq!(w.status(a), Status::Failed(ErrorClass::Param));
        let text = w.state.calls[&a].failure.given_up.as_deref().unwrap_or_default();
        assert!(text.contains(why), "{answer}: {text}");
    }
}
