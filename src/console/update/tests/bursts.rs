//! Tests that a burst of keys and a paste decide nothing.

use super::arming::{armed, key, settle};
use crate::testing::id;
use overrule_domain::command::{CallCommand, Command};
use overrule_domain::id::Rev;

#[test]
fn a_burst_of_keys_decides_nothing() {
    let mut stage = armed();
    for text in ["a", "b", "c", "d"] {
        key(&mut stage, text, 3);
    }
    settle(&mut stage);
    assert_eq!(stage.commands(), []);
    assert!(stage.status().contains("too fast"), "{}", stage.status());
}

#[test]
fn a_decision_key_late_in_a_burst_decides_nothing() {
    let mut stage = armed();
    for text in ["j", "j", "j", "a"] {
        key(&mut stage, text, 2);
    }
    settle(&mut stage);
    assert_eq!(stage.commands(), []);
}

#[test]
fn a_burst_does_not_leave_the_program_or_pause_the_run() {
    let mut stage = armed();
    stage.out.clear();
    for text in ["z", "z", "z", "p", "q"] {
        key(&mut stage, text, 1);
    }
    settle(&mut stage);
    assert!(stage.out.is_empty(), "{:?}", stage.out);
}

#[test]
fn a_paste_decides_nothing_and_goes_nowhere() {
    let mut stage = armed();
    stage.paste("a");
    settle(&mut stage);
    assert_eq!(stage.commands(), []);
    assert!(stage.status().contains("Dropped a paste of 1 bytes"));
}

#[test]
fn a_paste_into_a_reason_stays_a_text() {
    let mut stage = armed();
    stage.press("x");
    stage.paste("no\na");
    settle(&mut stage);
    assert_eq!(stage.commands(), []);
    stage.press("enter");
    assert_eq!(
        stage.commands(),
        [Command::Call(CallCommand::Reject {
            call: id("c3"),
            rev: Rev(1),
            reason: "no a".into()
        })]
    );
}

#[test]
fn keys_in_a_text_field_decide_nothing() {
    let mut stage = armed();
    stage.press("x a a ctrl-a A R");
    assert_eq!(stage.commands(), []);
}
