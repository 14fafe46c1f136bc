//! Tests of the repair traces of calls, for each way in which a call can live and end.
//!
//! Must not know: engine, who shows them.
//!
//! A trace follows from the record of a call alone and uses only the known transitions.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::flights::{answer_question, refused, world};
use super::op_sequence::OpSequence;
use super::random::session_on;
use super::world::*;
use overrule_domain::apply;
use overrule_domain::call::{ErrorClass, Outcome, Status};
use overrule_domain::command::{Command, ResilienceCommand};
use overrule_domain::id::NodeId;
use overrule_domain::repair::Phase;
use overrule_domain::repair_trace::{self, ExitReason};
use overrule_domain::state::State;

use Phase::{
    ApplyRepairStrategy as Apply, DiagnoseError as Diagnose, End, ErrorDetected as Detected,
    ExecuteTool as Execute, NoFurtherRepairPossible as NoFurther, PlanToolCall as Plan,
    ReportFailure as Report, RetryToolCall as Retry, SelectRepairStrategy as Select, Start,
    ToolCallSuccess as Success, ValidateParameters as Validate,
};

/// One round of repair, from the error to the next try.
const ROUND: [Phase; 6] = [Detected, Diagnose, Select, Apply, Validate, Retry];

/// What the steps of a call must be, with the executions of those that execute, and how it left them.
fn is(w: &World, id: NodeId, steps: &[Phase], executions: &[usize], left: Option<ExitReason>) {
    let way = repair_trace::of(&w.state, id);
    let taken: Vec<Phase> = way.steps.iter().map(|step| step.phase).collect();
    let ran: Vec<usize> = way
        .steps
        .iter()
        .filter(|step| step.phase == Execute)
        .map(|step| step.executions)
        .collect();
    assert_eq!((&taken[..], &ran[..], way.left), (steps, executions, left));
    sound(&w.state, id);
}

/// A path from the start over the ways that there are, which ends only where nothing follows.
fn sound(state: &State, id: NodeId) {
    let way = repair_trace::of(state, id);
    assert_eq!(way.steps[0].phase, Start);
    for pair in way.steps.windows(2) {
        assert!(
            pair[0].phase.next().contains(&pair[1].phase),
            "{id}: {:?} to {:?} in {way:?}",
            pair[0].phase,
            pair[1].phase
        );
        assert!(pair[0].rev <= pair[1].rev);
    }
    // What is over is at its end, or says how it ended otherwise.
    let call = &state.calls[&id];
    let message = state.turn_of(id).is_some_and(|turn| turn.settled);
    let over = call.status.is_settled() || call.status == Status::Invalid;
    if over && message {
        assert!(
            way.now() == End || way.left.is_some(),
            "{id} {:?}: {way:?}",
            call.status
        );
    }
}

fn joined(parts: &[&[Phase]]) -> Vec<Phase> {
    parts.concat()
}

#[test]
fn a_call_that_goes_well() {
    let mut w = World::asking(&["write"]);
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":2}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    is(&w, a, &[Start, Plan], &[], None);
    is(&w, b, &[Start, Plan, Execute], &[1], None);
    w.finish(b);
    is(&w, b, &[Start, Plan, Execute, Success], &[1], None);
    w.approve(a).unwrap();
    is(&w, a, &[Start, Plan, Execute], &[1], None);
    w.finish(a);
    w.drain();
    for id in [a, b] {
        is(&w, id, &[Start, Plan, Execute, Success, End], &[1], None);
        assert_eq!(repair_trace::of(&w.state, id).attempt, 1);
    }
    // Nothing is known of a call that does not exist.
    let none = repair_trace::of(&w.state, "c999".parse().unwrap());
    assert_eq!((none.now(), none.attempt), (Start, 0));
}

#[test]
fn trace_of_a_call_repaired_before_and_after_it_ran() {
    let mut w = world("write", true, true);
    w.reply(&[call(
        "write",
        r#"{"_as":"a","origin":"JFK","class":"business class"}"#,
    )]);
    let a = w.id("a");
    let first = joined(&[&[Start, Plan, Execute], &ROUND, &[Execute]]);
    // The check stopped the first: nothing of it ran.
    is(&w, a, &first, &[0, 1], None);
    assert_eq!(repair_trace::of(&w.state, a).attempt, 1);
    w.finish_with(a, refused("Missing required parameter 'passengers'"));
    is(
        &w,
        a,
        &joined(&[&first, &[Detected, Diagnose, Select, Apply]]),
        &[0, 1],
        None,
    );
    answer_question(&mut w, r#"{"passengers": 1}"#);
    w.finish(a);
    w.drain();
    let all = joined(&[&first, &ROUND, &[Execute, Success, End]]);
    is(&w, a, &all, &[0, 1, 1], None);
    assert_eq!(repair_trace::of(&w.state, a).attempt, 2);
}

#[test]
fn trace_of_a_reported_failure_reaches_its_end() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":2}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    w.finish_with(a, Outcome::err(not_found()));
    let active = [Start, Plan, Execute, Detected, Diagnose, Select, NoFurther];
    is(&w, a, &active, &[1], None);
    w.finish(b);
    w.drain();
    is(&w, a, &joined(&[&active, &[Report, End]]), &[1], None);
}

#[test]
fn a_repair_that_comes_to_nothing() {
    let mut w = world("read", true, true);
    w.reply(&[call("read", r#"{"_as":"a","origin":"JFK"}"#)]);
    let a = w.id("a");
    w.finish_with(a, refused("Missing required parameter 'passengers'"));
    let rev = w.rev(a);
    w.cmd(Command::Resilience(ResilienceCommand::SkipRepair {
        call: a,
        rev,
    }))
    .unwrap();
    w.drain();
    let all = [
        Start, Plan, Execute, Detected, Diagnose, Select, Apply, Validate, NoFurther, Report, End,
    ];
    is(&w, a, &all, &[1], None);
}

#[test]
fn trace_of_a_call_that_cannot_run_or_must_not_be_repaired() {
    let mut w = world("read", true, true);
    w.reply(&[
        call("find_hotel", r#"{"_as":"a"}"#),
        call("read", r#"{"_as":"b","origin":"JFK"}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    let locked = match refused("Invalid API key") {
        Outcome::Err(error) => Outcome::err(overrule_domain::call::ToolError {
            class: ErrorClass::Auth,
            evidence: "HTTP 401".into(),
            ..*error
        }),
        other => other,
    };
    w.finish_with(b, locked);
    w.drain();
    let all = [
        Start, Plan, Execute, Detected, Diagnose, Select, NoFurther, Report, End,
    ];
    is(&w, a, &all, &[0], None);
    assert_eq!(repair_trace::of(&w.state, a).attempt, 0);
    is(&w, b, &all, &[1], None);
}

#[test]
fn the_same_bytes_again_are_one_step() {
    let mut w = World::with(Rules {
        steps: super::ladder::steps(),
        ..Rules::default()
    });
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    w.finish_with(a, super::ladder::error(ErrorClass::Transient, false));
    assert_eq!(w.status(a), Status::Scheduled);
    is(&w, a, &[Start, Plan, Execute], &[1], None);
    super::ladder::elapse(&mut w, 0);
    is(&w, a, &[Start, Plan, Execute], &[2], None);
    w.finish(a);
    w.drain();
    is(&w, a, &[Start, Plan, Execute, Success, End], &[2], None);
    assert_eq!(
        repair_trace::of(&w.state, a).attempt,
        1,
        "with the same arguments"
    );
}

#[test]
fn trace_of_a_call_that_never_ran_shows_how_it_ended() {
    let mut w = World::asking(&["write"]);
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"b","n":"†call.a.v"}"#),
        call("write", r#"{"_as":"c","n":3}"#),
        call("read", r#"{"_as":"d","n":"†call.missing.v"}"#),
    ]);
    let [refused, reader, answered, lost] = ["a", "b", "c", "d"].map(|label| w.id(label));
    w.reject(refused).unwrap();
    w.answer_for(answered, r#"{"v":1}"#).unwrap();
    is(&w, refused, &[Start, Plan], &[], Some(ExitReason::Rejected));
    is(&w, reader, &[Start, Plan], &[], Some(ExitReason::Skipped));
    is(&w, answered, &[Start, Plan], &[], Some(ExitReason::Answered));
    w.drain();
    let nowhere = repair_trace::of(&w.state, lost);
    assert!(
        nowhere.now() == End || nowhere.left == Some(ExitReason::Unsatisfiable),
        "{nowhere:?}"
    );
    for id in [refused, reader, answered, lost] {
        sound(&w.state, id);
    }
}

#[test]
fn an_answer_of_the_operator_ends_it_where_it_had_come_to() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    w.finish_with(a, Outcome::err(not_found()));
    w.correct(a, r#"{"v":7}"#).unwrap();
    is(
        &w,
        a,
        &[Start, Plan, Execute, Detected],
        &[1],
        Some(ExitReason::Answered),
    );
    // New arguments from the operator restart the trace.
    w.args(a, r#"{"_as":"a","n":2}"#).unwrap();
    is(&w, a, &[Start, Plan, Execute], &[1], None);
    assert_eq!(repair_trace::of(&w.state, a).steps[0].rev, w.rev(a));
}

/// Every step of every call at every event of a session.
fn all_sound(w: &World) {
    let mut state = State::default();
    for envelope in &w.log {
        apply::apply(&mut state, envelope);
        for id in state.calls.keys() {
            sound(&state, *id);
        }
    }
}

/// What the random sessions with repairs are about does happen in them, and each way of a journey is gone.
#[test]
fn the_sessions_with_repairs_go_every_way() {
    let mut gone: BTreeSet<(Phase, Phase)> = BTreeSet::new();
    let (mut rounds, mut asked, mut chosen, mut doubled) = (0, 0, 0, 0);
    let mut number = 1_u64;
    for _ in 0..24 {
        let numbers: Vec<u16> = (0..200)
            .map(|_| {
                number = number
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (number >> 48) as u16
            })
            .collect();
        let w = session_on(OpSequence::with_repairs(&numbers));
        for id in w.state.calls.keys() {
            sound(&w.state, *id);
            let way = repair_trace::of(&w.state, *id);
            gone.extend(way.steps.windows(2).map(|pair| (pair[0].phase, pair[1].phase)));
            let repaired = way.steps.iter().filter(|step| step.phase == Retry).count();
            doubled += usize::from(repaired > 1);
        }
        for round in w.state.calls.values().flat_map(|call| &call.failure.repairs) {
            rounds += 1;
            asked += usize::from(round.reply.is_some());
            chosen += usize::from(!round.options.is_empty() && !round.changes.is_empty());
        }
    }
    assert!(
        rounds > 40 && asked > 15 && chosen > 2 && doubled > 0,
        "{rounds} rounds, {asked} answered, {chosen} chosen, {doubled} calls repaired twice"
    );
    let ways: BTreeSet<(Phase, Phase)> = Phase::ALL
        .iter()
        .flat_map(|from| from.next().iter().map(|to| (*from, *to)))
        .collect();
    assert_eq!((ways.len(), &gone), (15, &ways));
}

proptest! {
    #![proptest_config(overrule_testing::cases(5))]

    #[test]
    fn whatever_happens_the_steps_follow_each_other(
        numbers in prop::collection::vec(any::<u16>(), 0..300),
        kind in 0_u8..5,
    ) {
        all_sound(&session_on(match kind {
            0 => OpSequence::with_breakers(&numbers),
            1 => OpSequence::with_loops(&numbers),
            2 => OpSequence::with_threads(&numbers),
            3 => OpSequence::with_repairs(&numbers),
            _ => OpSequence::new(&numbers),
        }));
    }
}
