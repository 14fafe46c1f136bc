//! Tests that a drawn frame causes another one only if that would show something else.

use super::arming::key;
use crate::testing::{ARMING, Stage};

/// True if the frame after a key needs another frame after it.
fn needs_another(stage: &mut Stage, name: &str) -> bool {
    key(stage, name, 33);
    stage.draw();
    stage.model.arming.changed
}

#[test]
fn a_cursor_that_goes_over_settled_nodes_is_drawn_once_for_each_key() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.sample();
    stage.draw();
    stage.press("1 g");
    let keys = ["j", "j", "k", "j", "k"];
    let again: Vec<bool> = keys.map(|name| needs_another(&mut stage, name)).to_vec();
    assert_eq!(again[1..], [false; 4]);
}

#[test]
fn keys_that_decide_look_armed_only_where_they_are() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.three_wait();
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    let asked = stage.model.inspector.subject;
    assert!(
        needs_another(&mut stage, "j"),
        "what is asked now is not armed yet"
    );
    assert_ne!(stage.model.inspector.subject, asked);
    stage.draw();
    assert!(!stage.model.arming.changed, "and that is reported once");
}

#[test]
fn a_row_shows_a_thought_without_the_blanks_around_it() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.thought("t2", "\n\nI will read. \n\n");
    stage.thought("t3", " \n");
    stage.close();
    let text = stage.text();
    let row = |name: &str| text.lines().find(|row| row.contains(name)).unwrap().to_owned();
    assert!(row("t2 ").contains("t2  I will read."), "{text}");
    assert!(!row("t2 ").contains(['⟨', '↵']), "{text}");
    // A thought of blanks only shows that it is one.
    assert!(row("t3 ").contains('↵'), "{text}");
}
