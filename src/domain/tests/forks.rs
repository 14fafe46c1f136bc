//! Tests of forks: no effect of the source run is repeated unasked; nothing starts before a resume.
//!
//! Must not know: where records are.

mod across;

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::op_sequence;
use super::random::session;
use super::world::*;
use overrule_domain::apply;
use overrule_domain::call::{ConsentCause, ErrorClass, Outcome, Status, ToolError};
use overrule_domain::command::{Command, ConsentChoice, RunCommand};
use overrule_domain::event::{CallEvent, Event, RunEvent};
use overrule_domain::fork::{End, Reading};
use overrule_domain::id::{NodeId, Seq};
use overrule_domain::state::LedgerOutcome;
use overrule_domain::turn::{Stop, Stream};

/// The last event before the first of its kind.
fn before(w: &World, is: impl Fn(&Event) -> bool) -> Seq {
    let at = w
        .log
        .iter()
        .position(|envelope| is(&envelope.event))
        .expect("it is recorded");
    Seq(at as u64)
}

fn starts(event: &Event) -> bool {
    matches!(event, Event::Call(CallEvent::Started { .. }))
}

fn asks(event: &Event) -> bool {
    matches!(event, Event::Call(CallEvent::Asked { .. }))
}

/// How often a call was begun since the fork was opened.
fn begun(f: &World, id: NodeId) -> usize {
    f.executed.iter().filter(|one| one.call == id).count()
}

/// A write that was asked about, approved, and done.
fn approved() -> (World, NodeId) {
    let mut w = World::asking(&["write"]);
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let id = w.id("a");
    w.approve(id).unwrap();
    w.drain();
    (w, id)
}

/// A read, a position, and a finished write after it.
fn written() -> (World, Seq) {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"r","n":1}"#)]);
    w.drain();
    let at = w.state.seq;
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    (w, at)
}

#[test]
fn what_happened_after_the_place_asks_before_it_happens_again() {
    let (w, at) = written();
    let (mut f, predicted) = w.fork(Some(at), 1);
    assert_eq!(predicted.effects.len(), 1, "a read is none");
    assert_eq!((predicted.at, predicted.of), (at, w.state.seq));
    assert!(
        f.executed.is_empty() && f.asked.is_empty(),
        "a fork starts nothing by itself"
    );
    f.crash();
    assert!(
        f.last_request()
            .contains("another course of this run, and not undone: write.")
    );
    f.reply(&[
        call("write", r#"{ "n":1 , "_as":"b"}"#),
        call("write", r#"{"_as":"c","n":2}"#),
    ]);
    let b = f.id("b");
    assert_eq!(f.status(b), Status::Consent(ConsentCause::Elsewhere));
    assert!(f.runs(b).is_empty(), "whitespace makes no other effect");
    assert_eq!(f.runs(f.id("c")).len(), 1, "another effect is free");
    assert_eq!(
        kind(f.approve(b)),
        overrule_domain::refusal::RefusalKind::Status,
        "an approval is no consent"
    );
    f.consent(b, ConsentChoice::RunAgain).unwrap();
    assert_eq!(f.runs(b).len(), 1);
    let key = |w: &World, id| {
        w.state
            .ledger
            .values()
            .find(|entry| entry.call == id)
            .unwrap()
            .key
            .clone()
    };
    assert_ne!(
        key(&f, b),
        key(&w, w.id("a")),
        "who wants it again does not want it taken for a repetition"
    );
}

#[test]
fn the_result_that_it_had_there_can_stand_in() {
    let (w, _) = approved();
    let (mut f, _) = w.fork(Some(before(&w, asks)), 1);
    f.crash();
    let a = f.id("a");
    let entry = *f.state.origin.elsewhere.keys().next().unwrap();
    assert_eq!(
        kind(f.consent(a, ConsentChoice::Reuse { entry: Seq(1) })),
        overrule_domain::refusal::RefusalKind::Status
    );
    f.consent(a, ConsentChoice::Reuse { entry }).unwrap();
    assert_eq!(f.value(a), r#"{"v":2}"#);
    assert!(f.last_request().contains("not undone"), "it was asked before");
    f.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    assert!(f.executed.is_empty());
    assert!(
        !f.last_request().contains("not undone"),
        "the model sees its result"
    );
}

#[test]
fn of_what_nobody_saw_end_no_result_stands_in() {
    let mut w = World::new();
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let (mut f, predicted) = w.fork(Some(before(&w, starts)), 1);
    assert_eq!(predicted.effects[0].outcome, None);
    f.crash();
    let a = f.id("a");
    assert_eq!(f.status(a), Status::Consent(ConsentCause::Elsewhere));
    let entry = *f.state.origin.elsewhere.keys().next().unwrap();
    assert_eq!(
        kind(f.consent(a, ConsentChoice::Reuse { entry })),
        overrule_domain::refusal::RefusalKind::Status
    );
    assert!(f.executed.is_empty());
}

/// The approval precedes the fork; the approved call has run since.
#[test]
fn an_approval_that_was_used_up_there_lets_nothing_run_here() {
    let (w, a) = approved();
    let at = before(&w, starts);
    let (mut f, predicted) = w.fork(Some(at), 1);
    assert_eq!(f.state.calls[&a].decisions.len(), 1, "it was approved by then");
    assert_eq!(
        (predicted.approved.as_slice(), predicted.asks.as_slice()),
        (&[][..], &[a][..])
    );
    f.crash();
    assert_eq!(f.status(a), Status::Consent(ConsentCause::Elsewhere));
    assert!(f.executed.is_empty());
}

#[test]
fn a_question_that_was_answered_there_is_the_question_whether_it_may_happen_again() {
    let (w, a) = approved();
    let at = before(&w, |event| {
        matches!(event, Event::Call(CallEvent::Decided { .. }))
    });
    let (mut f, predicted) = w.fork(Some(at), 1);
    assert_eq!((predicted.waiting, predicted.asks.as_slice()), (1, &[a][..]));
    f.crash();
    assert_eq!(f.status(a), Status::Consent(ConsentCause::Elsewhere));
    // At the end of the other run nothing came after it.
    let (mut f, predicted) = w.fork(None, 1);
    assert!(predicted.effects.is_empty() && predicted.asks.is_empty());
    f.crash();
    assert_eq!(f.status(a), Status::Succeeded);
    assert!(f.executed.is_empty());
}

/// A call that waits for its launch or retry continues by itself: that too happened in the source run.
#[test]
fn what_waited_for_a_time_there_asks_here_if_it_happened_since() {
    let mut w = World::with(Rules {
        pauses: [("write".to_owned(), 5_000)].into(),
        ..Rules::default()
    });
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let (a, at) = (w.id("a"), w.state.seq);
    assert_eq!(w.status(a), Status::Scheduled);
    let (timer, _) = w.timers.last().unwrap().clone();
    let (f, predicted) = w.fork(None, 1);
    assert_eq!(
        (f.status(a), predicted.approved),
        (Status::Scheduled, vec![a]),
        "nothing happened yet"
    );
    w.elapsed(timer.clone());
    w.drain();
    let (mut f, predicted) = w.fork(Some(at), 1);
    assert_eq!(predicted.approved, []);
    f.crash();
    assert_eq!(f.status(a), Status::Consent(ConsentCause::Elsewhere));
    f.elapsed(timer);
    assert!(f.executed.is_empty());
}

#[test]
fn an_approved_unstarted_call_starts_when_a_fork_is_resumed_as_predicted() {
    let mut w = World::asking(&["write"]);
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    w.cmd(Command::Run(RunCommand::Pause {
        reason: "lunch".into(),
    }))
    .unwrap();
    w.approve(a).unwrap();
    let (mut f, predicted) = w.fork(None, 1);
    assert_eq!(predicted.approved, [a]);
    assert!(f.executed.is_empty(), "not before");
    f.crash();
    assert!(f.executed.is_empty(), "it is paused");
    f.cmd(Command::Run(RunCommand::Resume {})).unwrap();
    assert_eq!(f.runs(a).len(), 1);
}

#[test]
fn how_running_calls_ended_is_taken_from_the_other_record() {
    let mut w = World::new();
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"b","n":2}"#),
        call("read", r#"{"_as":"r","n":3}"#),
    ]);
    let (text, unknown, again) = (w.id("a"), w.id("b"), w.id("r"));
    w.input(overrule_domain::input::Input::Spawned {
        call: unknown,
        attempt: overrule_domain::id::Attempt(1),
        pid: 4,
        ticks: 5,
    });
    let at = w.state.seq;
    w.finish(text);
    let (mut f, predicted) = w.fork(Some(at), 1);
    let ends: Vec<_> = predicted
        .running
        .iter()
        .map(|one| (one.call, one.end.clone()))
        .collect();
    assert!(
        matches!(&ends[0], (id, End::Recorded(_)) if *id == text),
        "{ends:?}"
    );
    assert_eq!(ends[1..], [(unknown, End::Unknown), (again, End::Again)]);
    assert!(predicted.effects.is_empty(), "they were begun before");
    assert!(
        f.state.calls[&unknown].attempts[0].launch.process.is_none(),
        "a process of the other run is not ours to end"
    );
    assert!(w.state.calls[&unknown].attempts[0].launch.process.is_some());
    f.crash();
    assert_eq!(
        (f.status(text), f.value(text).as_str()),
        (Status::Succeeded, r#"{"v":2}"#)
    );
    assert!(matches!(f.status(unknown), Status::OutcomeUnknown(_)));
    assert!(
        f.probes.is_empty(),
        "the other run may be at it still: a look now proves nothing"
    );
    assert_eq!(
        (begun(&f, text), begun(&f, unknown), begun(&f, again)),
        (0, 0, 1),
        "only what does no harm runs again"
    );
}

#[test]
fn what_the_other_run_cut_off_itself_has_no_result_here() {
    let mut w = World::new();
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"r","n":3}"#),
    ]);
    let at = w.state.seq;
    for id in [w.id("a"), w.id("r")] {
        w.finish_with(id, Outcome::Cancelled { executed: false });
    }
    let (_, predicted) = w.fork(Some(at), 1);
    let ends: Vec<_> = predicted.running.into_iter().map(|one| one.end).collect();
    assert_eq!(ends, [End::Unknown, End::Again]);
}

#[test]
fn what_did_nothing_there_asks_nobody() {
    let writes = [
        call("write", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"b","n":2}"#),
    ];
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"r","n":1}"#)]);
    w.drain();
    let at = w.state.seq;
    w.reply(&writes);
    let refused = ToolError {
        class: ErrorClass::Auth,
        executed: false,
        ..not_found()
    };
    w.finish_with(w.id("a"), Outcome::err(refused));
    w.finish_with(w.id("b"), Outcome::Cancelled { executed: false });
    let (mut f, predicted) = w.fork(Some(at), 1);
    assert!(predicted.effects.is_empty());
    f.crash();
    f.reply(&writes);
    assert_eq!((begun(&f, f.id("a")), begun(&f, f.id("b"))), (1, 1));
}

#[test]
fn an_open_stream_is_requested_again_in_a_fork_with_the_reason() {
    let mut w = World::new();
    w.stream(think("plan"));
    let (turn, _) = w.tip();
    let (f, predicted) = w.fork(None, 1);
    assert_eq!(predicted.streams, [turn]);
    assert_eq!(f.state.turns[&turn].stream, Stream::Open);
    let broke = |mut w: World| {
        w.record(vec![Event::Run(RunEvent::Reopened {
            interrupted: Vec::new(),
            version: String::new(),
        })]);
        match w.state.turns[&turn].stream.clone() {
            Stream::Broken(fault) => fault.message,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        broke(w.fork(None, 1).0),
        "this turn was streaming where the fork was made"
    );
    let (mut f, _) = w.fork(None, 1);
    f.crash();
    assert_eq!((f.asked.len(), f.asked[0].turn), (1, turn));
    f.stream(think("plan"));
    assert_eq!(
        broke(f),
        "the program ended while this turn was streaming",
        "the second time it is that"
    );
    assert!(broke(w).starts_with("the program ended"));
}

#[test]
fn no_decision_is_torn() {
    let mut w = World::new();
    w.end(Stop::End);
    let mut log = w.log.clone();
    for (envelope, more) in log.iter_mut().zip([false, true, true, false, true, false]) {
        envelope.more = more;
    }
    for (expected, at) in [
        (0, None),
        (1, Some(1)),
        (2, Some(1)),
        (3, Some(1)),
        (4, Some(4)),
        (5, Some(4)),
        (6, Some(6)),
    ] {
        let mut reading = Reading::up_to(Some(Seq(expected)));
        log.iter().take(6).for_each(|one| reading.take(one.clone()));
        let found = reading
            .finish("s")
            .map(|ready| (ready.preview.at.0, ready.point.seq.0));
        assert_eq!(found, at.map(|at| (at, at)), "{expected}");
    }
}

proptest! {
    #![proptest_config(overrule_testing::cases(11))]

    /// The world looks at every event and every rest: no effect of the other run comes again without consent.
    #[test]
    fn any_session_can_be_forked_anywhere(
        numbers in prop::collection::vec(any::<u16>(), 0..250),
        place in any::<prop::sample::Index>(),
        ends in any::<bool>(),
    ) {
        let mut w = session(&numbers);
        let at = Seq(1 + place.index(w.log.len()) as u64);
        if ends {
            op_sequence::bring_home(&mut w);
        }
        let whole = w.log.clone();
        let (mut f, predicted) = w.fork(Some(at), 1);
        prop_assert!(predicted.at <= at);
        let at = predicted.at;
        prop_assert!(f.executed.is_empty() && f.asked.is_empty());
        let before: BTreeSet<Seq> = w.state.ledger.values().filter(|entry| {
            entry.seq > at && entry.thread.is_none() && entry.effect.has_effect()
                && entry.outcome != LedgerOutcome::DidNot
        }).map(|entry| entry.seq).collect();
        let text: BTreeSet<Seq> = predicted.effects.iter().map(|one| one.entry).collect();
        prop_assert!(text.is_subset(&before), "{text:?} of {before:?}");
        f.crash();
        if f.state.turns.is_empty() {
            f.guide("go").unwrap();
        }
        op_sequence::bring_home(&mut f);
        prop_assert_eq!(&w.log, &whole, "the other run is only read");
        prop_assert_eq!(apply::fold(&f.log), f.state.clone());
    }
}
