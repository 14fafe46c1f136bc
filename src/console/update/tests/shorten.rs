//! Tests the keys for a request that is too long.
//!
//! Must not know: what is shortened.

use crate::console::testing::{ARMING, Stage};
use crate::domain::command::{Command, RunCommand};
use crate::domain::event::{Event, RunEvent};
use crate::domain::turn::StreamFaultKind;

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
        assert!(stage.model.overlays.is_empty());
    }
}

#[test]
fn each_choice_has_a_key_in_the_question_about_a_refused_request() {
    for (key, command) in KEYS {
        let mut stage = stage();
        stage.broken_by(StreamFaultKind::Overflow, "the context is too long", None);
        stage.press("2 enter");
        stage.wait(ARMING);
        stage.draw();
        assert!(stage.text().contains("drop turns"), "{}", stage.text());
        stage.press(key);
        assert_eq!(
            stage.commands(),
            [Command::Run(command)],
            "{key}: {}",
            stage.status()
        );
        assert!(stage.model.overlays.is_empty(), "{key}: the question is answered");
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
