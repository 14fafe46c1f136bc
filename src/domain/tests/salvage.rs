//! Tests of a run resumed before a gap in its journal: no effect after the gap is repeated unasked.
//!
//! Must not know: how records are read.

use std::sync::Arc;

use super::world::*;
use overrule_domain::apply;
use overrule_domain::call::{ConsentCause, Outcome, Status};
use overrule_domain::command::RunCommand;
use overrule_domain::envelope::Envelope;
use overrule_domain::event::{CallEvent, Event, RunEvent, TurnEvent};
use overrule_domain::fork::{Elsewhere, UNREADABLE};
use overrule_domain::repeat::dedup_key;
use overrule_domain::salvage;

const WRITE: &str = r#"{"_as":"a","n":1}"#;

/// Where the first such event stands in the log.
fn line(w: &World, is: impl Fn(&Event) -> bool) -> usize {
    w.log.iter().position(|one| is(&one.event)).expect("it is there")
}

fn starts(event: &Event) -> bool {
    matches!(event, Event::Call(CallEvent::Started { .. }))
}

fn ends(event: &Event) -> bool {
    matches!(event, Event::Call(CallEvent::Finished { .. }))
}

/// The effects in the lines after the first of these unreadable lines.
fn effects_after(w: &World, unreadable: &[usize]) -> Vec<Arc<Elsewhere>> {
    let first = unreadable[0];
    let after: Vec<Envelope> = (first..w.log.len())
        .filter(|at| !unreadable.contains(at))
        .map(|at| w.log[at].clone())
        .collect();
    salvage::effects(&apply::fold(&w.log[..first]), &"s1".into(), &after)
}

/// Resumes the run from before the first of these unreadable lines.
fn resume_before(w: &mut World, unreadable: &[usize]) -> World {
    let effects = effects_after(w, unreadable);
    let rest = w.log.split_off(unreadable[0]);
    let (mut f, _) = w.fork(None, 1);
    w.log.extend(rest);
    for one in effects {
        f.record(vec![Event::Run(RunEvent::HappenedElsewhere(one))]);
    }
    let again = salvage::withdrawn(&f.state);
    f.record(again.into_iter().map(Event::Call).collect());
    f.crash();
    f
}

#[test]
fn no_effect_is_repeated_whichever_journal_lines_are_lost() {
    let mut w = World::new();
    w.reply(&[call("write", WRITE)]);
    w.drain();
    let proposed = line(&w, |event| {
        matches!(event, Event::Turn(TurnEvent::Proposed { .. }))
    });
    let (start, end) = (line(&w, starts), line(&w, ends));
    for one in proposed..=end {
        for other in one..=end {
            let mut f = resume_before(&mut w, &[one, other]);
            // The model has no answer where the damage took what it said.
            if f.state.nodes.values().all(|node| node.as_call().is_none()) {
                f.reply(&[call("write", WRITE)]);
            }
            assert!(f.executed.is_empty(), "lines {one} and {other}");
            let asks = match f.status(f.id("a")) {
                Status::OutcomeUnknown(_) => one > start,
                // It is an ordinary question only where its start and its end are both unreadable.
                Status::AwaitingApproval => (one, other) == (start, end),
                Status::Consent(ConsentCause::Elsewhere) => one <= start && (one, other) != (start, end),
                _ => false,
            };
            assert!(asks, "lines {one} and {other}: {:?}", f.status(f.id("a")));
        }
    }
}

#[test]
fn an_end_record_recovers_an_effect_whose_start_is_unreadable() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"r","n":1}"#),
        call("write", r#"{"_as":"s","n":"†call.r.v"}"#),
    ]);
    w.drain();
    let (r, s) = (w.id("r"), w.id("s"));
    let of = |id| move |event: &Event| starts(event) && matches!(event, Event::Call(one) if one.call() == id);
    let effects = effects_after(&w, &[line(&w, of(s))]);
    let [one] = &effects[..] else {
        panic!("{effects:?}");
    };
    assert_eq!((one.call, &*one.tool), (s, "write"));
    assert_eq!(
        &*one.args, r#"{"n":2}"#,
        "the bytes that ran, and not what was proposed"
    );
    assert_eq!(*one.same, *dedup_key("write", r#"{"n":2}"#));
    assert_eq!(one.outcome, None);
    // All of its lines after the gap give the same effect, and no read.
    let proposed = line(&w, |event| {
        matches!(event, Event::Turn(TurnEvent::Proposed { .. }))
    });
    let all = effects_after(&w, &[proposed]);
    let all: Vec<_> = all.iter().map(|one| (one.call, &*one.args)).collect();
    assert_eq!(all, [(s, r#"{"n":2}"#)]);
    assert_eq!(effects_after(&w, &[line(&w, of(r))]).len(), 1, "and not of {r}");
    // The run itself continues a call that began before the gap.
    let after = line(&w, of(s)) + 1;
    assert_eq!(effects_after(&w, &[after]), []);
}

#[test]
fn a_recovered_effect_is_unknown_whatever_its_end_record_contains() {
    for outcome in [
        Outcome::ok(r#"{"v":2}"#),
        Outcome::Cancelled { executed: false },
        Outcome::Cancelled { executed: true },
    ] {
        let mut w = World::new();
        w.reply(&[call("write", WRITE)]);
        let a = w.id("a");
        w.finish_with(a, outcome.clone());
        let at = line(&w, starts);
        for unreadable in [at, at - 1] {
            let effects = effects_after(&w, &[unreadable]);
            let [one] = &effects[..] else {
                panic!("{outcome:?}, line {unreadable}: {effects:?}");
            };
            assert_eq!((one.call, &one.outcome), (a, &None), "line {unreadable}");
        }
    }
}

#[test]
fn a_call_running_at_the_gap_is_unknown_even_if_its_end_follows() {
    let mut w = World::new();
    w.reply(&[call("write", WRITE)]);
    let a = w.id("a");
    w.input(overrule_domain::input::Input::Spawned {
        call: a,
        attempt: overrule_domain::id::Attempt(1),
        pid: 7,
        ticks: 9,
    });
    w.finish_with(a, Outcome::ok(r#"{"v":2}"#));
    let at = line(&w, |event| {
        matches!(event, Event::Call(CallEvent::Spawned { .. }))
    });
    assert_eq!(effects_after(&w, &[at]), [], "it began before the gap");
    let f = resume_before(&mut w, &[at]);
    assert!(
        matches!(f.status(a), Status::OutcomeUnknown(_)),
        "{:?}",
        f.status(a)
    );
    assert!(f.executed.is_empty());
}

/// An approved write that waits for the run to resume.
fn queued() -> World {
    let mut w = World::new();
    w.run(RunCommand::Pause { reason: "a".into() }).unwrap();
    w.reply(&[call("write", WRITE), call("shell", r#"{"_as":"b","n":2}"#)]);
    assert_eq!(w.status(w.id("a")), Status::Queued);
    w
}

fn elsewhere(w: &World, tool: &str, same: &str) -> Event {
    Event::Run(RunEvent::HappenedElsewhere(Arc::new(Elsewhere {
        session: "s1".into(),
        entry: w.state.seq,
        call: w.id("a"),
        tool: tool.into(),
        args: "".into(),
        same: same.into(),
        effect: overrule_domain::call::EffectClass::Write,
        at: 0,
        outcome: Some(Outcome::ok("1")),
    })))
}

#[test]
fn an_effect_with_unreadable_tool_is_matched_by_its_dedup_key() {
    let same = dedup_key("write", r#"{"n":1}"#);
    for (tool, same, asks) in [
        ("write", &*same, ["a"].as_slice()),
        (UNREADABLE, &*same, &["a"]),
        ("write", "", &["a"]),
        (UNREADABLE, "", &["a", "b"]),
        ("other", "", &[]),
        (UNREADABLE, "something else", &[]),
    ] {
        let mut w = queued();
        let event = elsewhere(&w, tool, same);
        w.record(vec![event]);
        w.follow();
        w.run(RunCommand::Resume {}).unwrap();
        let ran: Vec<&str> = w.executed.iter().map(|one| &*one.tool).collect();
        for (label, name) in [("a", "write"), ("b", "shell")] {
            let asked = matches!(w.status(w.id(label)), Status::Consent(ConsentCause::Elsewhere));
            assert_eq!(asked, asks.contains(&label), "{tool} {same}: {label}");
            assert_eq!(ran.contains(&name), !asked, "{tool} {same}: {label}");
        }
    }
}

#[test]
fn no_result_stands_in_for_what_ran_with_nobody_knows_what() {
    let mut w = queued();
    let event = elsewhere(&w, "write", "");
    w.record(vec![event]);
    w.follow();
    let (a, entry) = (w.id("a"), *w.state.origin.elsewhere.keys().next().unwrap());
    let reuse = overrule_domain::command::ConsentChoice::Reuse { entry };
    assert!(w.consent(a, reuse).is_err());
    w.consent(a, overrule_domain::command::ConsentChoice::RunAgain)
        .unwrap();
    w.run(RunCommand::Resume {}).unwrap();
    assert_eq!(w.runs(a).len(), 1, "asked once");
}
