//! Tests of shortened results: which are shortened, what the model sees, undo, requests that are too long.
//!
//! Must not know: how a server counts tokens.

use super::world::*;
use crate::domain::apply;
use crate::domain::call::Outcome;
use crate::domain::command::RunCommand;
use crate::domain::event::run::{ContextLimit, Limits};
use crate::domain::event::{EditEvent, Event};
use crate::domain::id::NodeId;
use crate::domain::reduction;
use crate::domain::refusal::RefusalKind;
use crate::domain::state::Mode;
use crate::domain::thread::ROOT;
use crate::domain::turn::StreamFaultKind;

const LIMIT: ContextLimit = ContextLimit {
    tokens: 6_000,
    window: 8_000,
    auto: true,
};

fn world(context: Option<ContextLimit>) -> World {
    let limits = Limits {
        context,
        ..Limits::default()
    };
    World::limited(Rules::default(), limits)
}

/// A turn with one call, whose result has this many bytes.
fn read(w: &mut World, label: &str, bytes: usize) -> NodeId {
    w.reply(&[call("read", &format!(r#"{{"_as":"{label}"}}"#))]);
    let id = w.id(label);
    let value = format!("{label} begins {} ends {label}", "x".repeat(bytes));
    w.finish_with(id, Outcome::ok(serde_json::to_string(&value).unwrap()));
    id
}

fn shortenings(w: &World) -> Vec<Vec<NodeId>> {
    let found = w.events().filter_map(|event| match event {
        Event::Edit(EditEvent::Shortened { calls, .. }) => Some(calls.clone()),
        _ => None,
    });
    found.collect()
}

#[test]
fn the_oldest_long_results_are_shortened_before_a_request_that_is_too_long() {
    let mut w = world(Some(LIMIT));
    let long = read(&mut w, "long", 9_000);
    let short = read(&mut w, "short", 100);
    let second = read(&mut w, "second", 9_000);
    assert_eq!(shortenings(&w), Vec::<Vec<NodeId>>::new());
    let before = w.asked.last().unwrap().messages.clone();
    let newest = read(&mut w, "newest", 9_000);
    assert_eq!(shortenings(&w), [vec![long, second]]);
    let sent = w.last_request();
    for (label, id) in [("long", long), ("second", second)] {
        assert!(sent.contains(&format!("{label} begins")) && sent.contains(&format!("ends {label}")));
        assert!(
            sent.contains(&format!("whole value at \u{2020}call.{id}")),
            "{sent}"
        );
    }
    for id in [short, newest] {
        assert!(!sent.contains(&format!("whole value at \u{2020}call.{id}")));
    }
    assert!(reduction::tokens(&w.state, ROOT) <= LIMIT.tokens);
    // The edit names the calls; their results stay whole.
    let edit = w.state.edits.last().unwrap();
    assert_eq!(edit.by.as_deref(), Some(reduction::RULE));
    assert!(
        edit.what.contains(&long.to_string()) && edit.what.contains("instead of"),
        "{}",
        edit.what
    );
    assert!(w.value(long).len() > 9_000);
    // The requests before it stay what they were.
    let turn = w.asked[w.asked.len() - 2].turn;
    let again = crate::domain::transcript::build::messages(&w.state, ROOT, Some(turn));
    assert_eq!(again, before[..again.len()]);
    // Nothing ran again, and the run continues.
    assert_eq!(w.executed.len(), 4);
    w.reply(&[answer("done")]);
    assert!(matches!(w.state.mode, Mode::Finished(_)));
    assert_eq!(apply::fold(&w.log), w.state);
}

#[test]
fn undo_restores_the_whole_results_and_the_next_request_is_asked_about() {
    let mut w = world(Some(LIMIT));
    for label in ["a", "b", "c"] {
        read(&mut w, label, 9_000);
    }
    assert_eq!(shortenings(&w).len(), 1);
    let asked = w.asked.len();
    w.undo().unwrap();
    w.drain();
    assert_eq!(reduction::shortened(&w.state, ROOT, None).len(), 0);
    assert_eq!(w.asked.len(), asked, "the long request is not sent");
    assert_eq!(shortenings(&w).len(), 1, "what was undone is not done again");
    let (which, words) = w.state.limit_reached.clone().unwrap();
    assert_eq!(which, "context");
    assert!(
        words.contains("of the window of 8000") && words.contains("shorten 2 results"),
        "{words}"
    );
    w.run(RunCommand::Shorten {}).unwrap();
    assert_eq!(shortenings(&w).len(), 2);
    assert_eq!(w.asked.len(), asked + 1);
    assert_eq!(w.state.limit_reached, None);
    assert_eq!(w.executed.len(), 3);
    assert_eq!(apply::fold(&w.log), w.state);
}

#[test]
fn without_leave_the_run_stops_before_the_request_and_the_operator_chooses() {
    let ask = ContextLimit { auto: false, ..LIMIT };
    let mut w = world(Some(ask));
    for label in ["a", "b", "c"] {
        read(&mut w, label, 9_000);
    }
    assert_eq!(w.state.limit_reached.as_ref().unwrap().0, "context");
    assert_eq!((w.asked.len(), w.open.len()), (3, 0));
    // Sent as it is, from here on.
    let limits = Limits {
        context: None,
        ..w.state.limits
    };
    w.run(RunCommand::SetLimits { limits }).unwrap();
    assert_eq!((w.asked.len(), w.open.len()), (4, 1));
    assert!(!w.last_request().contains("left out"));
    assert_eq!(kind(w.run(RunCommand::Shorten {})), RefusalKind::NoChange);
}

#[test]
fn without_a_known_window_nothing_is_shortened() {
    let mut w = world(None);
    for label in ["a", "b", "c"] {
        read(&mut w, label, 15_000);
    }
    assert_eq!(shortenings(&w).len(), 0);
    assert_eq!(w.asked.len(), 4);
}

#[test]
fn a_request_that_the_server_calls_too_long_is_never_sent_again_unchanged() {
    let mut w = world(None);
    for label in ["a", "b", "c"] {
        read(&mut w, label, 9_000);
    }
    let (turn, request) = w.tip();
    let asked = w.asked.len();
    w.broke(StreamFaultKind::Overflow);
    let again = RunCommand::AskAgain {
        turn,
        request: Some(request),
    };
    assert_eq!(kind(w.run(again.clone())), RefusalKind::Status);
    assert_eq!(w.asked.len(), asked, "neither by itself nor on request");
    w.run(RunCommand::Shorten {}).unwrap();
    assert_eq!(w.asked.len(), asked + 1);
    assert!(w.last_request().contains("whole value at"));
    // The hash is over what is sent.
    let state = &w.state;
    let now = crate::domain::transcript::hash::context_hash(state, ROOT, Some(turn));
    assert_eq!(state.turns[&turn].context.as_ref(), Some(&now));
    // Too long still: what is new may be asked for, the same may not.
    w.broke(StreamFaultKind::Overflow);
    assert_eq!(
        kind(w.run(RunCommand::AskAgain { turn, request: None })),
        RefusalKind::Status
    );
    assert_eq!(w.asked.len(), asked + 1);
    assert_eq!(apply::fold(&w.log), w.state);
}
