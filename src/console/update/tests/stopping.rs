//! Tests that stop keys work at any speed, and that keys after a paste decide nothing.
//!
//! Must not know: what a stop does.

use super::arming::{armed, key, settle};
use crate::ground::term_msg::TermMsg;
use crate::kernel::msg::Msg;
use crate::testing::{ARMING, Stage};
use overrule_domain::command::{Command, RunCommand};

/// True for one emergency stop and nothing else.
fn is_one_stop(commands: &[Command]) -> bool {
    matches!(commands, [Command::Run(RunCommand::Stop { .. })])
}

#[test]
fn the_emergency_stop_asks_first_and_is_confirmed_at_any_speed() {
    for gap in [0, 1, 20, 60, 150, 300, 600, 2_000] {
        let mut stage = armed();
        key(&mut stage, "X", gap);
        assert_eq!(stage.commands(), [], "it asks first");
        key(&mut stage, "X", 0);
        settle(&mut stage);
        let sent = stage.commands();
        assert!(is_one_stop(&sent), "{gap}: {sent:?}, {}", stage.status());
    }
    // A screen that is too small for decisions is enough.
    let mut stage = armed();
    stage.send(Msg::Term(TermMsg::Resize { width: 20, height: 6 }));
    stage.press("X X");
    assert!(is_one_stop(&stage.commands()), "{}", stage.status());
}

#[test]
fn only_the_confirming_key_stops() {
    for other in ["a", "x", "enter", "y"] {
        let mut stage = armed();
        key(&mut stage, "X", 30);
        key(&mut stage, other, 30);
        settle(&mut stage);
        assert_eq!(stage.commands(), [], "{other}");
    }
}

#[test]
fn stopping_is_not_refused_right_after_a_paste_and_everything_else_is() {
    let paste = |stage: &mut Stage| {
        let at = stage.now;
        let text = "pasted".to_owned();
        stage.send(Msg::Term(TermMsg::Paste { text, at }));
    };
    for gap in [0, 100, 299] {
        let mut stage = armed();
        paste(&mut stage);
        stage.now += gap;
        key(&mut stage, "X", 0);
        key(&mut stage, "X", 0);
        settle(&mut stage);
        assert!(is_one_stop(&stage.commands()), "{gap}: {}", stage.status());
        let mut stage = armed();
        paste(&mut stage);
        stage.now += gap;
        key(&mut stage, "p", 0);
        settle(&mut stage);
        assert_eq!(stage.commands().len(), 1, "{gap}: the pause counts");
        for other in ["a", "ctrl-a", "x", "A", "e", "*", "R", "c", "D"] {
            let mut stage = armed();
            paste(&mut stage);
            stage.now += gap;
            key(&mut stage, other, 0);
            settle(&mut stage);
            assert_eq!(stage.commands(), [], "{other} after {gap}");
            assert!(stage.model.stack.is_empty(), "{other} after {gap}");
            assert!(
                stage.status().contains("right after a paste"),
                "{}",
                stage.status()
            );
        }
    }
    let mut stage = armed();
    paste(&mut stage);
    stage.now += 301;
    key(&mut stage, "a", 0);
    settle(&mut stage);
    assert_eq!(stage.commands().len(), 1, "{}", stage.status());
}

/// Whether the key that a hint names would be refused now, as the status line draws it.
fn is_dimmed(stage: &Stage, name: &str) -> bool {
    let all = crate::kernel::hints::hints(&stage.model);
    let hint = all.iter().find(|hint| hint.key == name);
    hint.unwrap_or_else(|| panic!("{name} is offered")).refused
}

#[test]
fn a_key_that_is_refused_now_is_dimmed_and_one_that_counts_is_not() {
    let mut stage = armed();
    assert!(!is_dimmed(&stage, "a") && !is_dimmed(&stage, "x"));
    // Not on screen for long enough.
    stage.awaiting("c4", "write_file", r#"{"path":"b","content":"c"}"#);
    stage.press("j");
    assert!(is_dimmed(&stage, "a") && is_dimmed(&stage, "x"));
    stage.press("a");
    assert_eq!(stage.commands(), []);
    assert!(is_dimmed(&stage, "a"), "still");
    stage.wait(ARMING);
    assert!(!is_dimmed(&stage, "a") && !is_dimmed(&stage, "x"));
    // Right after a paste only keys that stop the run are accepted.
    let (text, at) = ("pasted".to_owned(), stage.now);
    stage.send(Msg::Term(TermMsg::Paste { text, at }));
    assert!(is_dimmed(&stage, "a") && is_dimmed(&stage, "x") && is_dimmed(&stage, "e"));
    assert!(!is_dimmed(&stage, "p"), "the pause counts");
    let wakes = stage.model.keys.wake_at(stage.model.arming.now);
    assert_eq!(wakes, Some(at + 301), "it is drawn again then");
    stage.wait(301);
    assert!(!is_dimmed(&stage, "a") && !is_dimmed(&stage, "e"));
    // Part of it was not on screen: the key for unread calls works, the other does not.
    let long = format!(r#"{{"path":"b","content":"{}"}}"#, "line\n".repeat(200));
    stage.awaiting("c5", "write_file", &long);
    stage.press("j");
    stage.wait(ARMING);
    assert!(is_dimmed(&stage, "a") && !is_dimmed(&stage, "x"));
    stage.press("a");
    assert_eq!(stage.commands(), []);
    // Keys that do not answer the question of the frame are never dimmed.
    assert!(!is_dimmed(&stage, "?"));
}

#[test]
fn the_answers_to_how_to_leave_are_dimmed_until_they_count() {
    let mut stage = armed();
    stage.running("c9", "read_file", r#"{"path":"a"}"#);
    stage.draw();
    stage.press("q");
    assert!(
        is_dimmed(&stage, "c") && is_dimmed(&stage, "w"),
        "{}",
        stage.text()
    );
    stage.press("c");
    assert_eq!(stage.commands(), []);
    stage.wait(ARMING);
    assert!(!is_dimmed(&stage, "c") && !is_dimmed(&stage, "w"));
    stage.press("c");
    assert!(is_one_stop(&stage.commands()), "{}", stage.status());
}

#[test]
fn a_line_is_not_sent_by_a_key_right_after_a_paste_into_it() {
    let mut stage = armed();
    stage.press("x");
    let at = stage.now;
    let text = "because".to_owned();
    stage.send(Msg::Term(TermMsg::Paste { text, at }));
    stage.now += 100;
    key(&mut stage, "enter", 0);
    settle(&mut stage);
    assert_eq!(stage.commands(), []);
    assert_eq!(stage.model.stack.len(), 1, "the line stays");
    stage.wait(300);
    stage.press("enter");
    assert_eq!(stage.commands().len(), 1);
}

#[test]
fn what_follows_a_burst_is_taken_for_the_rest_of_a_paste() {
    let mut stage = armed();
    for text in ["y", "a", "y", "a", "y"] {
        key(&mut stage, text, 1);
    }
    stage.now += 100;
    key(&mut stage, "a", 0);
    settle(&mut stage);
    assert_eq!(stage.commands(), []);
    // A gap too long for a held key.
    stage.wait(1_100);
    key(&mut stage, "a", 0);
    settle(&mut stage);
    assert_eq!(stage.commands().len(), 1, "{}", stage.status());
}

#[test]
fn quick_keys_that_only_move_all_count() {
    let mut stage = armed();
    let tab = |stage: &Stage| stage.model.inspector.tab;
    let before = tab(&stage);
    let mut slowly = Vec::new();
    for _ in 0..5 {
        stage.press(">");
        slowly.push(tab(&stage));
    }
    assert!(!slowly.contains(&before), "{slowly:?}");
    for back in ["<", ">"] {
        for _ in 0..5 {
            key(&mut stage, back, 0);
        }
        settle(&mut stage);
    }
    stage.draw();
    assert_eq!(Some(&tab(&stage)), slowly.last(), "five back, and five forth");
    for _ in 0..5 {
        key(&mut stage, "<", 1);
    }
    settle(&mut stage);
    stage.draw();
    assert_eq!(tab(&stage), before);
    assert_eq!(stage.commands(), []);
    // The keys that move between panes too.
    let focus = stage.model.screen.focus;
    for _ in 0..5 {
        key(&mut stage, "tab", 0);
    }
    for _ in 0..5 {
        key(&mut stage, "shift-tab", 0);
    }
    settle(&mut stage);
    assert_eq!(stage.model.screen.focus, focus);
}
