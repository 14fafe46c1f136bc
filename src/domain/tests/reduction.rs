//! Tests of shortened results: which are shortened, what the model sees, undo, requests that are too long.
//!
//! Must not know: how a server counts tokens.

mod summaries;

use super::world::*;
use overrule_domain::apply;
use overrule_domain::call::Outcome;
use overrule_domain::command::RunCommand;
use overrule_domain::event::run::{ContextLimit, Limits, Reduction};
use overrule_domain::event::{EditEvent, Event};
use overrule_domain::id::{NodeId, Seq};
use overrule_domain::input::Input;
use overrule_domain::reduction::{self, summary};
use overrule_domain::refusal::RefusalKind;
use overrule_domain::repair::{Passing, Reply};
use overrule_domain::state::Mode;
use overrule_domain::thread::ROOT;
use overrule_domain::transcript::Message;
use overrule_domain::turn::{Stop, StreamFaultKind, Usage};

const LIMIT: ContextLimit = ContextLimit {
    tokens: Some(6_000),
    window: Some(8_000),
    auto: true,
    by: Reduction::Shorten,
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
    assert!(reduction::tokens(&w.state, ROOT) <= LIMIT.tokens.unwrap());
    // The edit names the calls; their results stay whole.
    let edit = w.state.operator.edits.last().unwrap();
    assert_eq!(edit.by.as_deref(), Some(reduction::RULE));
    assert!(
        edit.what.contains(&long.to_string()) && edit.what.contains("instead of"),
        "{}",
        edit.what
    );
    assert!(w.value(long).len() > 9_000);
    // The requests before it stay what they were.
    let turn = w.asked[w.asked.len() - 2].turn;
    let again = overrule_domain::transcript::build::messages(&w.state, ROOT, Some(turn));
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
    let (which, words) = w.state.tally.limit_reached.clone().unwrap();
    assert_eq!(which, "context");
    assert!(
        words.contains("6000 allowed (window 8000)") && words.contains("shorten 2 results"),
        "{words}"
    );
    w.run(RunCommand::Shorten {}).unwrap();
    assert_eq!(shortenings(&w).len(), 2);
    assert_eq!(w.asked.len(), asked + 1);
    assert_eq!(w.state.tally.limit_reached, None);
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
    assert_eq!(w.state.tally.limit_reached.as_ref().unwrap().0, "context");
    assert_eq!((w.asked.len(), w.open.len()), (3, 0));
    // Sent as it is, from here on.
    let limits = Limits {
        context: None,
        ..w.state.settings.limits
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
    let now = overrule_domain::transcript::hash::context_hash(state, ROOT, Some(turn));
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

/// A world at the limit after three reading turns; the run waits for the operator.
fn at_the_limit() -> (World, Vec<NodeId>) {
    let mut w = world(Some(ContextLimit { auto: false, ..LIMIT }));
    let calls = ["a", "b", "c"].map(|label| read(&mut w, label, 9_000));
    assert_eq!(w.state.tally.limit_reached.as_ref().unwrap().0, "context");
    (w, calls.to_vec())
}

fn left_out(w: &World) -> Vec<(Vec<u32>, bool)> {
    let found = w.events().filter_map(|event| match event {
        Event::Edit(EditEvent::LeftOut { turns, summary }) => {
            Some((turns.iter().map(|turn| turn.0).collect(), summary.is_some()))
        }
        _ => None,
    });
    found.collect()
}

/// Fails unless each result of the last request has its call, and each call one result.
#[track_caller]
fn coherent(w: &World) {
    let (mut called, mut answered) = (Vec::new(), Vec::new());
    for message in &w.asked.last().unwrap().messages {
        match message {
            Message::Assistant { calls, .. } => called.extend(calls.iter().map(|call| call.node)),
            Message::Result { call, .. } => answered.push(*call),
            Message::User { .. } | Message::Note { .. } => {}
        }
    }
    assert_eq!(called, answered);
}

fn sums_up(w: &mut World, reply: Reply) {
    let set = w.summaries.pop().expect("a summary is asked for");
    let usage = Usage {
        input: Some(70),
        output: Some(7),
        ..Usage::default()
    };
    w.input(Input::SummaryAnswered {
        set,
        reply,
        passing: None,
        usage,
    });
}

fn words(text: &str) -> Reply {
    Reply::Answered { text: text.into() }
}

#[test]
fn the_oldest_turns_are_left_out_as_a_whole_and_undo_shows_them_again() {
    let (mut w, calls) = at_the_limit();
    w.run(RunCommand::DropTurns {}).unwrap();
    assert_eq!(left_out(&w), [(vec![2, 3], false)]);
    assert_eq!((w.asked.len(), w.state.tally.limit_reached.clone()), (4, None));
    let sent = w.last_request();
    for gone in ["a begins", "b begins", "_as\":\"a\""] {
        assert!(!sent.contains(gone), "{gone} in {sent}");
    }
    assert!(sent.contains("c begins"), "the newest turn stays");
    let note = format!(
        "still available: \u{2020}call.{}, \u{2020}call.{}.",
        calls[0], calls[1]
    );
    assert_eq!(sent.matches("Earlier turns were left out").count(), 1);
    assert!(sent.contains(&note), "{sent}");
    coherent(&w);
    assert!(reduction::tokens(&w.state, ROOT) <= LIMIT.tokens.unwrap());
    let edit = w.state.operator.edits.last().unwrap();
    assert!(
        edit.what.starts_with("leave out turns 2 3 for the model"),
        "{}",
        edit.what
    );
    assert_eq!(edit.by, None);
    // The results stay, and can be read by reference.
    assert!(w.value(calls[0]).len() > 9_000);
    let turn = w.tip().0;
    let hash = overrule_domain::transcript::hash::context_hash(&w.state, ROOT, Some(turn));
    assert_eq!(
        w.state.turns[&turn].context.as_ref(),
        Some(&hash),
        "the hash is over what is sent"
    );
    w.undo().unwrap();
    w.drain();
    let all = overrule_domain::transcript::build::messages(&w.state, ROOT, None);
    assert!(format!("{all:?}").contains("a begins") && !format!("{all:?}").contains("left out"));
    assert_eq!((w.asked.len(), w.executed.len()), (4, 3));
    assert_eq!(w.state.tally.limit_reached.as_ref().unwrap().0, "context");
    assert_eq!(apply::fold(&w.log), w.state);
}

#[test]
fn prompts_stay_and_turns_that_are_already_left_out_are_not_left_out_again() {
    let (mut w, _) = at_the_limit();
    w.run(RunCommand::DropTurns {}).unwrap();
    for label in ["d", "e"] {
        read(&mut w, label, 9_000);
    }
    w.guide("and now this").unwrap();
    w.drain();
    w.run(RunCommand::DropTurns {}).unwrap();
    assert_eq!(left_out(&w).len(), 2);
    assert_eq!(left_out(&w)[1].0, [4, 5]);
    let sent = w.last_request();
    assert!(sent.contains("and now this") && sent.contains("e begins") && !sent.contains("d begins"));
    assert_eq!(sent.matches("Earlier turns were left out").count(), 1, "{sent}");
    coherent(&w);
    assert_eq!(kind(w.run(RunCommand::DropTurns {})), RefusalKind::NoChange);
}

#[test]
fn the_settings_choose_how_a_request_becomes_shorter_by_itself() {
    let mut w = world(Some(ContextLimit {
        by: Reduction::DropTurns,
        ..LIMIT
    }));
    for label in ["a", "b", "c"] {
        read(&mut w, label, 9_000);
    }
    assert_eq!(left_out(&w).len(), 1);
    assert_eq!(
        w.state.operator.edits.last().unwrap().by.as_deref(),
        Some(reduction::RULE)
    );
    assert_eq!((w.asked.len(), shortenings(&w).len()), (4, 0));

    let mut w = world(Some(ContextLimit {
        by: Reduction::Summarize,
        ..LIMIT
    }));
    for label in ["a", "b", "c"] {
        read(&mut w, label, 9_000);
    }
    assert_eq!((w.asked.len(), w.summaries.len()), (3, 1));
    sums_up(&mut w, Reply::Failed { why: "no".into() });
    assert_eq!(
        (w.asked.len(), w.summaries.len()),
        (3, 0),
        "not asked again by itself"
    );
    assert_eq!(w.state.tally.limit_reached.as_ref().unwrap().0, "context");
}

#[test]
fn a_refused_request_becomes_shorter_by_itself_only_where_that_is_allowed() {
    let wide = ContextLimit {
        tokens: Some(90_000),
        window: Some(100_000),
        auto: true,
        by: Reduction::DropTurns,
    };
    let mut w = world(Some(wide));
    for label in ["a", "b", "c"] {
        read(&mut w, label, 9_000);
    }
    w.broke(StreamFaultKind::Overflow);
    assert_eq!((left_out(&w).len(), w.asked.len()), (1, 5));
    coherent(&w);
    // Until nothing is left to leave out.
    let mut asked = w.asked.len();
    while !w.open.is_empty() {
        w.broke(StreamFaultKind::Overflow);
        asked += 1;
        assert!(asked < 9, "the same request is sent again");
    }
    assert!(w.last_request().contains("c begins"), "the newest turn stays");

    let mut w = world(Some(ContextLimit { auto: false, ..wide }));
    for label in ["a", "b", "c"] {
        read(&mut w, label, 9_000);
    }
    w.broke(StreamFaultKind::Overflow);
    assert_eq!((left_out(&w).len(), w.asked.len()), (0, 4));
    w.run(RunCommand::Summarize {}).unwrap();
    sums_up(&mut w, words("Read it all."));
    assert_eq!(w.asked.len(), 5);
    assert!(w.last_request().contains("Read it all."));
    coherent(&w);
}

#[test]
fn a_limit_without_a_window_counts_only_once_the_server_refuses() {
    let unknown = ContextLimit {
        tokens: None,
        window: None,
        auto: true,
        by: Reduction::Shorten,
    };
    let mut w = world(Some(unknown));
    for label in ["a", "b", "c"] {
        read(&mut w, label, 90_000);
    }
    assert_eq!(
        (shortenings(&w).len(), w.asked.len()),
        (0, 4),
        "its length is not known to be too long"
    );
    w.broke(StreamFaultKind::Overflow);
    assert_eq!((shortenings(&w).len(), w.asked.len()), (1, 5));
    assert!(w.state.tally.limit_reached.is_none());
    coherent(&w);
    assert_eq!(apply::fold(&w.log), w.state);
}

#[test]
fn only_results_that_can_be_read_are_called_available() {
    let mut w = world(Some(ContextLimit { auto: false, ..LIMIT }));
    w.reply(&[call("read", r#"{"_as":"cut"}"#)]);
    let cut = w.id("cut");
    w.finish_with(
        cut,
        Outcome::Ok {
            value: serde_json::to_string(&"x".repeat(9_000)).unwrap().into(),
            meta: None,
            discarded: 7,
            exit: None,
        },
    );
    let read_well = read(&mut w, "b", 9_000);
    read(&mut w, "c", 9_000);
    w.run(RunCommand::DropTurns {}).unwrap();
    let sent = w.last_request();
    assert!(
        sent.contains(&format!("still available: \u{2020}call.{read_well}.")),
        "{sent}"
    );
    assert!(!sent.contains(&format!("\u{2020}call.{cut}")), "{sent}");
}

#[test]
fn a_message_in_which_the_provider_paused_goes_with_its_continuation() {
    let mut w = world(Some(ContextLimit { auto: false, ..LIMIT }));
    read(&mut w, "a", 9_000);
    w.stream(think(&"x".repeat(10_000)));
    w.end(Stop::OwnWork);
    read(&mut w, "b", 1_000);
    read(&mut w, "c", 9_000);
    w.run(RunCommand::DropTurns {}).unwrap();
    assert_eq!(left_out(&w), [(vec![2, 3, 4], false)]);
    coherent(&w);
}
