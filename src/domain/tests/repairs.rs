//! Tests of the repair of wrong arguments, before and after a call ran.
//!
//! Must not know: how a strategy works, engine, clocks.
//!
//! Rules, the model or the operator repair them: within their bounds, through the gate, and
//! reported to the model.

mod bounds;
mod learning;
mod proposals;
mod questions;

use serde_json::{Value, json};

use super::flights::*;
use super::world::*;
use overrule_domain::apply;
use overrule_domain::call::{ConsentCause, Decision, ErrorClass, Gate, Status};
use overrule_domain::command::{Command, ConsentChoice, ResilienceCommand, RunCommand};
use overrule_domain::event::run::Limits;
use overrule_domain::event::{CallEvent, Event, ResilienceEvent};
use overrule_domain::id::Rev;
use overrule_domain::ladder::Stage;
use overrule_domain::refusal::RefusalKind;
use overrule_domain::repair::{Passing, Phase, Strategy};
use overrule_resilience::repair::Exhausted;

#[test]
fn a_missing_argument_that_the_tool_demands_is_asked_of_the_model_and_runs_once_more() {
    let mut w = world("write", true, true);
    w.reply(&[call("write", r#"{"_as":"a","origin":"JFK"}"#)]);
    let a = w.id("a");
    w.finish_with(a, refused("Missing required parameter 'passengers'"));
    assert_eq!(w.status(a), Status::Repairing(Stage::Asking));
    assert_eq!((w.starts(a), w.asked.len(), w.questions.len()), (1, 1, 1));
    let before = w.state.tally.requests;
    answer_question(&mut w, r#"{"passengers": 1}"#);
    assert_eq!(args(&w, a), json!({"_as": "a", "origin": "JFK", "passengers": 1}));
    assert_eq!((w.starts(a), w.rev(a)), (2, Rev(2)));
    w.finish(a);
    w.drain();
    assert_eq!(w.status(a), Status::Succeeded);
    assert_eq!(w.starts(a), 2);
    assert_eq!(
        w.state.tally.requests,
        before + 1,
        "the next request of the run alone"
    );
    assert_eq!(
        (w.state.tally.usage.input, w.state.tally.usage.output),
        (Some(100), Some(5))
    );
    assert!(
        w.last_request().contains("[console repaired arguments"),
        "{}",
        w.last_request()
    );
    let steps = phases(&w, a);
    assert!(follows(&steps), "{steps:?}");
    for seen in [
        Phase::PlanToolCall,
        Phase::ExecuteTool,
        Phase::ErrorDetected,
        Phase::DiagnoseError,
        Phase::SelectRepairStrategy,
        Phase::ApplyRepairStrategy,
        Phase::ValidateParameters,
        Phase::RetryToolCall,
        Phase::ToolCallSuccess,
        Phase::End,
    ] {
        assert!(steps.contains(&seen), "{seen:?} in {steps:?}");
    }
}

#[test]
fn a_request_about_arguments_that_breaks_is_made_again_as_often_as_others() {
    let mut w = world("write", true, true);
    w.reply(&[call("write", r#"{"_as":"a","origin":"JFK"}"#)]);
    let a = w.id("a");
    w.finish_with(a, refused("Missing required parameter 'passengers'"));
    let before = w.state.tally.requests;
    let passing = |retry_after_ms| {
        Some(Passing {
            retry_after_ms,
            is_cut: false,
        })
    };
    broke(&mut w, passing(None));
    assert_eq!(w.status(a), Status::Repairing(Stage::Asking));
    assert_eq!(w.questions.len(), 1, "it is asked again");
    // What the other side asks for is kept, and nothing of it is lost in a fold.
    broke(&mut w, passing(Some(60_000)));
    let waits: Vec<u64> = w
        .log
        .iter()
        .filter_map(|one| match &one.event {
            Event::Resilience(ResilienceEvent::RepairBroke { wait_ms, .. }) => Some(*wait_ms),
            _ => None,
        })
        .collect();
    assert!(
        (800..=1200).contains(&waits[0]) && waits[1] == 60_000,
        "{waits:?}"
    );
    assert_eq!(w.state.calls[&a].failure.repairs[0].broke.len(), 2);
    assert_eq!(apply::fold(&w.log), w.state);
    answer_question(&mut w, r#"{"passengers": 1}"#);
    assert_eq!(args(&w, a)["passengers"], 1);
    assert_eq!(w.state.tally.requests, before + 2, "each request counts");
    assert_eq!(w.state.tally.usage.input, Some(120));
}

#[test]
fn a_repair_request_that_keeps_breaking_ends_the_repair() {
    let mut w = world("write", true, true);
    w.reply(&[call("write", r#"{"_as":"a","origin":"JFK"}"#)]);
    let a = w.id("a");
    w.finish_with(a, refused("Missing required parameter 'passengers'"));
    let passing = Some(Passing {
        retry_after_ms: None,
        is_cut: false,
    });
    // Its waits take at most as long as a model is waited for: 1 + 2 + … + 32 s, and eight times 60 s.
    for _ in 0..15 {
        assert_eq!(w.status(a), Status::Repairing(Stage::Asking));
        broke(&mut w, passing);
    }
    assert!(w.questions.is_empty());
    let_it_fail(&mut w, a);
    assert_eq!(w.status(a), Status::Failed(ErrorClass::Param));
    let why = w.state.calls[&a].failure.given_up.as_deref().unwrap_or_default();
    assert!(why.contains("HTTP 503"), "{why}");
    // One that cannot pass is not tried again, nor one for which no request is left.
    let mut w = world("write", true, true);
    w.reply(&[call("write", r#"{"_as":"a","origin":"JFK"}"#)]);
    let a = w.id("a");
    w.finish_with(a, refused("Missing required parameter 'passengers'"));
    broke(&mut w, None);
    assert!(w.questions.is_empty());
    let_it_fail(&mut w, a);
    assert_eq!(w.status(a), Status::Failed(ErrorClass::Param));
}

#[test]
fn two_errors_of_an_invalid_call_are_repaired_in_one_round() {
    let mut w = world("write", true, true);
    let wrong = r#"{"_as":"a","origin":"JFK","departure_date":"Oct 26, 2024","class":"business class"}"#;
    w.reply(&[call("write", wrong)]);
    let a = w.id("a");
    assert_eq!(w.starts(a), 1, "nothing ran before it was right");
    assert_eq!(args(&w, a)["departure_date"], "2024-10-26");
    assert_eq!(args(&w, a)["class"], "business");
    let rounds = &w.state.calls[&a].failure.repairs;
    assert_eq!((rounds.len(), rounds[0].changes.len()), (1, 2));
    assert_eq!(w.state.nodes[&a].revisions.len(), 2);
    assert!(w.questions.is_empty(), "rules were enough");
}

#[test]
fn a_tool_that_reports_one_error_at_a_time_takes_three_executions() {
    let mut w = world("read", false, true);
    w.reply(&[call(
        "read",
        r#"{"_as":"a","origin":"JFK","departure_date":"Oct 26, 2024","class":"x"}"#,
    )]);
    let a = w.id("a");
    w.finish_with(a, refused("Invalid date format for 'departure_date'"));
    assert_eq!(w.starts(a), 2);
    w.finish_with(a, refused("Value for 'class' must be one of [economy, business]"));
    answer_question(&mut w, r#"{"class":"business"}"#);
    assert_eq!(w.starts(a), 3);
    w.finish(a);
    assert_eq!(w.status(a), Status::Succeeded);
    assert_eq!(args(&w, a)["class"], "business");
}

#[test]
fn a_tool_that_reports_two_errors_at_once_takes_two_executions() {
    let mut w = world("write", false, true);
    let wrong = r#"{"_as":"a","origin":"JFK","departure_date":"Oct 26, 2024","class":"business class"}"#;
    w.reply(&[
        call("write", wrong),
        call("pure", r#"{"_as":"b","n":"†call.a.v"}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    let both =
        "Invalid date format for 'departure_date'; Value for 'class' must be one of [economy, business]";
    w.finish_with(a, refused(both));
    // The day is a matter of a rule; which class is meant the schema does not tell. Nothing runs before both are right.
    assert_eq!((w.starts(a), w.questions.len()), (1, 1));
    assert_eq!(
        (w.rev(a), w.status(a)),
        (Rev(1), Status::Repairing(Stage::Asking))
    );
    answer_question(&mut w, r#"{"class": "business"}"#);
    let rounds = &w.state.calls[&a].failure.repairs;
    assert_eq!(rounds.len(), 1, "{rounds:?}");
    let changes: Vec<(&str, Option<&str>, Strategy)> = rounds[0]
        .changes
        .iter()
        .map(|change| (&*change.path, change.to.as_deref(), change.strategy))
        .collect();
    assert_eq!(
        changes,
        [
            (
                "/departure_date",
                Some("\"2024-10-26\""),
                Strategy::DateFormatCorrection
            ),
            ("/class", Some("\"business\""), Strategy::LlmSuggestEnum),
        ]
    );
    assert_eq!((w.starts(a), w.starts(b), w.asked.len()), (2, 0, 1));
    assert!(w.questions.is_empty() && w.timers.is_empty());
    w.finish(a);
    w.finish(b);
    w.drain();
    // Nothing ran with only one of the two repaired; the repaired call ran once.
    let ran: Vec<Value> = w
        .executed
        .iter()
        .filter(|one| one.call == a)
        .map(|one| serde_json::from_str(&one.args).unwrap())
        .collect();
    assert_eq!(
        ran,
        [
            json!({"origin": "JFK", "departure_date": "Oct 26, 2024", "class": "business class"}),
            json!({"origin": "JFK", "departure_date": "2024-10-26", "class": "business"}),
        ]
    );
    assert_eq!((w.executed.len(), w.status(a)), (3, Status::Succeeded));
    assert_eq!((w.starts(b), w.state.calls[&a].failure.repairs.len()), (1, 1));
    assert!(follows(&phases(&w, a)));
}

#[test]
fn three_executions_with_different_arguments_are_the_end_and_nothing_is_paid_after_them() {
    let mut w = world("read", false, true);
    w.reply(&[call("read", r#"{"_as":"a","origin":"JFK"}"#)]);
    let a = w.id("a");
    for (no, message) in ["one", "two", "three"].into_iter().enumerate() {
        w.finish_with(
            a,
            refused(&format!("Missing required parameter 'origin': {message} of it")),
        );
        if no < 2 {
            answer_question(&mut w, &format!(r#"{{"origin":"{message}"}}"#));
        }
    }
    assert_eq!(w.starts(a), 3);
    assert!(w.questions.is_empty());
    let_it_fail(&mut w, a);
    assert_eq!(w.status(a), Status::Failed(ErrorClass::Param));
    let why = w.state.calls[&a].failure.given_up.as_deref().unwrap_or_default();
    assert!(why.contains("3 are allowed"), "{why}");
    w.drain();
    let text = w.last_request();
    assert!(text.contains("repairs") && text.contains("two of it"), "{text}");
    let steps = phases(&w, a);
    assert!(follows(&steps), "{steps:?}");
    assert_eq!(steps.last(), Some(&Phase::End));
    assert!(steps.contains(&Phase::NoFurtherRepairPossible));
}

#[test]
fn the_same_error_after_its_repair_is_the_end() {
    let mut w = world("read", false, true);
    let a = wrong_day(&mut w, "read");
    w.finish_with(
        a,
        refused("Invalid date format for 'departure_date' (request 17)"),
    );
    assert_eq!(w.starts(a), 2);
    w.finish_with(
        a,
        refused("Invalid date format for 'departure_date' (request 18)"),
    );
    assert_eq!(w.starts(a), 2);
    let_it_fail(&mut w, a);
    assert_eq!(w.status(a), Status::Failed(ErrorClass::Param));
    assert!(w.questions.is_empty());
}

#[test]
fn a_call_without_repairs_left_waits_for_the_operator_who_can_fix_it_any_way() {
    let spent = || {
        let mut w = world("read", false, true);
        let a = wrong_day(&mut w, "read");
        for no in 17..19 {
            w.finish_with(
                a,
                refused(&format!(
                    "Invalid date format for 'departure_date' (request {no})"
                )),
            );
        }
        assert_eq!(w.status(a), Status::Repairing(Stage::Choosing));
        assert_eq!(
            (w.starts(a), w.asked.len()),
            (2, 1),
            "the model is not asked before"
        );
        (w, a)
    };
    // None of its repairs can be chosen, as there is none.
    let (mut w, a) = spent();
    let rev = w.rev(a);
    let choose = ResilienceCommand::ChooseRepair {
        call: a,
        rev,
        option: 0,
    };
    let refusal = w.cmd(Command::Resilience(choose)).unwrap_err();
    assert!(refusal.to_string().contains("no repair is left"), "{refusal}");
    // Other arguments run; a result written instead is reported to the model.
    let args = r#"{"_as":"a","origin":"JFK","departure_date":"2024-10-27"}"#;
    w.args(a, args).unwrap();
    assert_eq!(w.starts(a), 3);
    let (mut w, a) = spent();
    w.answer_for(a, r#""none""#).unwrap();
    w.drain();
    assert_eq!((w.starts(a), w.asked.len()), (2, 2));
    assert_eq!(apply::fold(&w.log), w.state);
}

#[test]
fn unattended_or_if_configured_exhausted_repairs_are_reported_to_the_model() {
    for (attended, exhausted) in [(false, Exhausted::Ask), (true, Exhausted::Model)] {
        let mut w = exhausted_by("read", attended, exhausted);
        let a = wrong_day(&mut w, "read");
        for no in 17..19 {
            w.finish_with(
                a,
                refused(&format!(
                    "Invalid date format for 'departure_date' (request {no})"
                )),
            );
        }
        w.drain();
        assert_eq!(w.status(a), Status::Failed(ErrorClass::Param), "{exhausted:?}");
        assert_eq!((w.starts(a), w.asked.len()), (2, 2));
    }
}

#[test]
fn an_unknown_tool_is_reported_and_never_repaired() {
    let mut w = world("read", true, true);
    w.reply(&[call("find_hotel", r#"{"_as":"a","origin":5}"#)]);
    let a = w.id("a");
    assert_eq!((w.starts(a), w.rev(a)), (0, Rev(1)));
    assert!(w.state.calls[&a].failure.repairs.is_empty());
    assert!(w.last_request().contains("find_hotel"), "{}", w.last_request());
}

#[test]
fn permission_and_transient_errors_start_no_repair() {
    let mut w = world("write", true, true);
    w.reply(&[
        call("write", r#"{"_as":"a","origin":"JFK"}"#),
        call("write", r#"{"_as":"b","origin":"LAX"}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    w.finish_with(
        a,
        error(
            ErrorClass::Auth,
            "HTTP 401",
            "Missing required parameter 'passengers'",
        ),
    );
    w.finish_with(
        b,
        error(
            ErrorClass::Transient,
            "HTTP 503",
            "Missing required parameter 'passengers'",
        ),
    );
    assert_eq!((w.starts(a), w.starts(b)), (1, 1));
    assert!(w.state.calls[&a].failure.repairs.is_empty() && w.state.calls[&b].failure.repairs.is_empty());
    assert!(w.questions.is_empty());
}

#[test]
fn what_is_not_clear_is_the_operators_choice_and_he_may_leave_it() {
    let unclear = r#"{"_as":"a","origin":"JFK","departure_date":"10/11/2024"}"#;
    let offered = || {
        let mut w = world("write", true, true);
        w.reply(&[call("write", unclear)]);
        let a = w.id("a");
        assert_eq!(w.status(a), Status::Repairing(Stage::Choosing));
        assert!(w.status(a).needs_operator());
        (w, a)
    };
    let (mut w, a) = offered();
    let labels: Vec<String> = w.state.calls[&a].failure.repairs[0]
        .options
        .iter()
        .map(|fix| fix.label.clone())
        .collect();
    assert_eq!(
        labels,
        ["departure_date: \"2024-11-10\"", "departure_date: \"2024-10-11\""]
    );
    let choose = |rev: u32, option: usize| {
        Command::Resilience(ResilienceCommand::ChooseRepair {
            call: a,
            rev: Rev(rev),
            option,
        })
    };
    assert_eq!(kind(w.cmd(choose(2, 0))), RefusalKind::Changed);
    assert_eq!(kind(w.cmd(choose(1, 2))), RefusalKind::Unknown);
    assert_eq!(w.starts(a), 0);
    w.cmd(choose(1, 1)).unwrap();
    assert_eq!(args(&w, a)["departure_date"], "2024-10-11");
    assert_eq!(w.starts(a), 1);

    let (mut w, a) = offered();
    w.cmd(Command::Resilience(ResilienceCommand::SkipRepair {
        call: a,
        rev: Rev(1),
    }))
    .unwrap();
    assert_eq!((w.status(a), w.starts(a)), (Status::Invalid, 0));
    assert_eq!(w.asked.len(), 2, "the model is told");

    // The operator takes the call: their arguments are used, and no repair is offered.
    let (mut w, a) = offered();
    w.args(a, r#"{"_as":"a","origin":"JFK","departure_date":"2025-01-02"}"#)
        .unwrap();
    assert_eq!(w.starts(a), 1);
    assert!(!repaired(&w, a));
    assert_eq!(args(&w, a)["departure_date"], "2025-01-02");
}
