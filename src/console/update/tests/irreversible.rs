//! What cannot be undone is approved by typing the name of its tool.

use super::arming::approve;
use crate::console::msg::{Msg, TermMsg};
use crate::console::testing::{ARMING, Stage};

/// A call that cannot be undone, in front of the operator for long enough.
fn irreversible() -> Stage {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.awaiting("c3", "launch", r#"{"to":"orbit"}"#);
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage
}

#[test]
fn what_cannot_be_undone_wants_the_name_of_its_tool() {
    let mut stage = irreversible();
    stage.press("a");
    assert_eq!(stage.commands(), []);
    assert!(stage.text().contains("type `launch` to let it run"));
    stage.press("enter");
    stage.type_text("lunch");
    stage.press("enter");
    assert_eq!(stage.commands(), []);
    assert!(stage.said().contains("not the name"), "{}", stage.said());
    stage.press("esc");
    assert_eq!(stage.commands(), [], "given up");
    stage.wait(ARMING);
    stage.press("a");
    stage.type_text("launch");
    stage.press("enter");
    assert_eq!(stage.commands(), [approve(3, 1, 0)]);
}

#[test]
fn the_name_cannot_be_pasted() {
    let mut stage = irreversible();
    stage.press("a");
    stage.send(Msg::Term(TermMsg::Paste("launch\n".to_owned())));
    stage.press("enter");
    assert_eq!(stage.commands(), []);
    assert!(!stage.model.overlays.is_empty(), "it still asks");
}
