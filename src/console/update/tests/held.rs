//! Tests that a key that is held down decides once.
//!
//! Must not know: how fast a keyboard repeats.

use super::arming::{ARGS, armed, key};
use crate::kernel::msg::Msg;
use crate::testing::{ARMING, Stage};
use overrule_domain::call::Decision;
use overrule_domain::command::{CallCommand, Command, RunCommand};
use overrule_domain::event::CallEvent;

/// Holds a key down: it repeats after this delay, and then thirty times a second. Approved calls
/// start immediately.
fn hold(stage: &mut Stage, held: &str, first: u64) -> Vec<Command> {
    let mut sent = Vec::new();
    let mut after = 0;
    let end = stage.now + 5_000;
    while stage.now < end {
        key(stage, held, after);
        after = if after == 0 { first } else { 33 };
        let at = stage.now + 16;
        stage.send(Msg::Tick { at });
        for command in stage.commands() {
            if let Command::Call(CallCommand::Approve { call, rev, .. }) = &command {
                stage.call(CallEvent::Decided {
                    call: *call,
                    rev: *rev,
                    digest: None,
                    decision: Decision::Approve {
                        unread: 0,
                        shown: None,
                    },
                });
            }
            sent.push(command);
        }
        stage.draw();
    }
    sent
}

#[test]
fn a_key_that_is_held_down_decides_once() {
    for held in ["a", "ctrl-a"] {
        for first in [250, 660, 990] {
            let mut stage = armed();
            for no in 4..9 {
                stage.awaiting(&format!("c{no}"), "write_file", ARGS);
            }
            let sent = hold(&mut stage, held, first);
            assert_eq!(sent.len(), 1, "{held} {first}: {sent:?}");
            assert!(stage.status().contains("held down"), "{}", stage.status());
            // After a long enough pause the key is accepted again.
            stage.wait(ARMING);
            stage.press(held);
            assert_eq!(stage.commands().len(), 1);
        }
    }
}

#[test]
fn a_key_that_is_held_down_opens_a_question_and_does_not_answer_it() {
    let mut stage = armed();
    assert_eq!(hold(&mut stage, "A", 660), []);
    assert_eq!(stage.model.stack.len(), 1, "it is asked");
    stage.press("esc");
    assert_eq!(hold(&mut stage, "*", 660), []);
}

#[test]
fn the_emergency_stop_that_is_held_down_stops_once() {
    let mut stage = armed();
    let sent = hold(&mut stage, "X", 660);
    assert!(
        matches!(sent.as_slice(), [Command::Run(RunCommand::Stop { .. })]),
        "{sent:?}"
    );
    assert!(stage.model.stack.is_empty(), "and asks no second time");
}

/// Presses a key repeatedly, more slowly than a held key repeats.
fn hammer(stage: &mut Stage, pressed: &str, gap: u64) -> Vec<Command> {
    let mut sent = Vec::new();
    for _ in 0..12 {
        key(stage, pressed, gap);
        stage.draw();
        let at = stage.now + 100;
        stage.send(Msg::Tick { at });
        sent.append(&mut stage.commands());
    }
    sent
}

#[test]
fn who_hammers_the_emergency_stop_stops() {
    for gap in [200, 375, 900] {
        let sent = hammer(&mut armed(), "X", gap);
        assert!(
            matches!(sent.first(), Some(Command::Run(RunCommand::Stop { .. }))),
            "{gap}: {sent:?}"
        );
        // No other call is decided by these presses.
        let mut stage = armed();
        for no in 4..9 {
            stage.awaiting(&format!("c{no}"), "write_file", ARGS);
        }
        let sent = hammer(&mut stage, "ctrl-a", gap);
        assert_eq!(sent.len(), 1, "{gap}: {sent:?}");
    }
}
