//! Tests that text read before another program or layout does not count as read now.

use super::arming::{approve, armed, key};
use crate::ground::term_msg::TermMsg;
use crate::kernel::msg::Msg;
use crate::testing::{ARMING, Stage};

#[test]
fn what_was_typed_while_somebody_else_had_the_terminal_decides_nothing() {
    let mut stage = armed();
    let at = stage.now;
    stage.send(Msg::Retaken { at });
    stage.press("a");
    assert_eq!(stage.commands(), []);
    assert!(
        stage.status().contains(" was on screen for 0."),
        "{}",
        stage.status()
    );
    stage.wait(ARMING + 1_000);
    stage.press("a");
    assert_eq!(stage.commands(), [approve(3, 1, 0)], "{}", stage.status());
}

#[test]
fn rows_that_were_read_are_no_rows_of_another_layout() {
    let mut stage = Stage::new(120, 30);
    stage.begin();
    let args = serde_json::json!({ "path": "a", "content": "word ".repeat(1500) }).to_string();
    stage.awaiting("c3", "write_file", &args);
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(stage.commands(), [], "not all of it was on screen");
    stage.wait(1_000);
    stage.press("3 pgdn pgdn pgdn");
    stage.wait(ARMING + 1_000);
    // The screen becomes wide, and the key that approves comes before the next frame.
    let read = stage.model.arming.frame.clone().unwrap();
    let left = read.read.misses(read.rows);
    assert!(
        left.first().is_some_and(|rows| rows.start > read.rows * 2 / 3),
        "{left:?} {}",
        read.rows
    );
    assert!(!read.is_read());
    stage.send(Msg::Term(TermMsg::Resize {
        width: 160,
        height: 30,
    }));
    key(&mut stage, "a", 20);
    let at = stage.now + 30;
    stage.send(Msg::Tick { at });
    assert_eq!(stage.commands(), [], "{}", stage.status());
    assert!(
        stage.status().contains("The layout just changed"),
        "{}",
        stage.status()
    );
}
