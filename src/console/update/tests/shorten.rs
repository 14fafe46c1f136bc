//! Tests the keys for a request that is too long.
//!
//! Must not know: what is shortened.

use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::Outcome;
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::event::{Event, RunEvent, TurnEvent};
use overrule_domain::id::TurnId;
use overrule_domain::node::{Channel, Origin};
use overrule_domain::turn::{Stop, StreamFault, StreamFaultKind, Usage};

const KEYS: [(&str, RunCommand); 3] = [
    ("alt-s", RunCommand::Shorten {}),
    ("alt-m", RunCommand::Summarize {}),
    ("alt-d", RunCommand::DropTurns {}),
];

fn stage() -> Stage {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    stage.thought("t2", "I read.");
    stage
}

/// A run with a long result in its second turn, another turn, and an open request.
fn two_turns() -> Stage {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    let long = format!("\"{}\"", "x".repeat(9_000));
    stage.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok(&*long));
    stage.close();
    stage.turn(TurnEvent::Settled {
        turn: TurnId(2),
        errors: Vec::new(),
    });
    stage.request(3, 1);
    stage.turn(TurnEvent::Thought {
        turn: TurnId(3),
        node: id("t5"),
        text: "I read on.".into(),
        channel: Channel::Spoken,
        opaque: None,
        origin: Origin::Model,
    });
    stage.turn(TurnEvent::Closed {
        turn: TurnId(3),
        stop: Stop::Calls,
        usage: Usage::default(),
    });
    stage.request(4, 1);
    stage
}

#[test]
fn each_choice_has_a_key_where_the_run_waits_before_a_request_that_is_too_long() {
    for (key, command) in KEYS {
        let mut stage = stage();
        stage.press(key);
        assert_eq!(stage.commands(), [], "{key}: no request is too long yet");
        for which in ["turns", "context"] {
            stage.engine(Event::Run(RunEvent::LimitReached {
                which: which.into(),
                message: "x".into(),
            }));
            stage.wait(ARMING);
            stage.press(key);
            let sent = stage.commands();
            match which {
                "context" => assert_eq!(sent, [Command::Run(command.clone())], "{key}: {}", stage.status()),
                _ => assert_eq!(sent, [], "{key}: another limit"),
            }
        }
        // Why the run waits: the same keys work on that page.
        stage.press("W");
        stage.wait(ARMING);
        stage.press(key);
        assert_eq!(
            stage.commands(),
            [Command::Run(command)],
            "{key}: {}",
            stage.status()
        );
        assert!(stage.model.stack.is_empty());
    }
}

#[test]
fn each_choice_has_a_key_in_the_question_about_a_refused_request() {
    for (key, command) in KEYS {
        let mut stage = two_turns();
        stage.turn(TurnEvent::Broken {
            turn: TurnId(4),
            fault: StreamFault {
                kind: StreamFaultKind::Overflow,
                message: "the context is too long".into(),
                retry_after_ms: None,
            },
            usage: Usage::default(),
        });
        stage.press("2 enter");
        stage.wait(ARMING);
        stage.draw();
        let text = stage.text();
        for words in ["the request is too long: make it shorter, or stop", "drop turns"] {
            assert!(text.contains(words), "{text}");
        }
        assert!(
            !text.contains("ask again"),
            "the same bytes would be refused: {text}"
        );
        stage.press(key);
        assert_eq!(
            stage.commands(),
            [Command::Run(command)],
            "{key}: {}",
            stage.status()
        );
        assert!(stage.model.stack.is_empty(), "{key}: the question is answered");
    }
    // Another fault has other answers.
    let mut stage = stage();
    stage.broken();
    stage.press("2 enter");
    stage.wait(ARMING);
    stage.draw();
    assert!(!stage.text().contains("drop turns"), "{}", stage.text());
    stage.press("alt-d");
    assert_eq!(stage.commands(), []);
}

/// At the width of the smallest screen, banner and page name the keys of the choices.
#[test]
fn the_screen_names_the_keys_of_the_choices() {
    let long =
        "the next request has about 12743 tokens, 11200 allowed (window 16000); shorten 2 results (c3 c5)";
    for (which, is_too_long) in [("context", true), ("turns", false)] {
        let mut stage = Stage::new(80, 24);
        stage.begin();
        stage.engine(Event::Run(RunEvent::LimitReached {
            which: which.into(),
            message: long.into(),
        }));
        stage.draw();
        let banner = stage.text().lines().nth(1).unwrap_or_default().to_owned();
        let is_whole =
            banner.contains("12743 tokens, 11200 allowed") && banner.ends_with("; alt-s: shorten, W: why");
        assert_eq!(is_whole, is_too_long, "{banner}");
        assert_eq!(banner.contains("raises it"), !is_too_long, "{banner}");
        stage.press("W");
        stage.draw();
        let page = stage.text();
        for key in ["alt-s", "alt-m", "alt-d"] {
            assert_eq!(
                page.contains(&format!("\n  {key}  ")),
                is_too_long,
                "{key}: {page}"
            );
        }
        assert!(
            page.contains("\nstate      paused\n"),
            "the reason is above: {page}"
        );
    }
}
