//! Collected edits that cannot be committed as they are say so where their number stands, and when they are added.

use super::collected::{changed_by_another, collect, stage, two};
use crate::console::model::overlay::Overlay;
use crate::console::msg::{Msg, TermMsg};
use crate::console::testing::{Stage, id};
use crate::domain::event::{EditEvent, Event};

/// The thought before the calls says something else.
fn collect_thought(stage: &mut Stage) {
    stage.press("1 g j e");
    stage.type_text("!");
    stage.press("ctrl-g");
}

fn resize(stage: &mut Stage, width: u16, height: u16) {
    stage.send(Msg::Term(TermMsg::Resize { width, height }));
    stage.draw();
}

fn header(stage: &mut Stage) -> String {
    stage.text().lines().next().unwrap_or_default().to_owned()
}

#[test]
fn an_edit_that_clashes_says_so_when_it_is_added_and_in_the_header() {
    let mut stage = stage();
    collect_thought(&mut stage);
    assert_eq!(stage.said(), "1 edit collected; E lists it");
    assert!(!header(&mut stage).contains("clash"), "{}", stage.text());
    collect(&mut stage, 2, r#"{"path":"A"}"#);
    let said = stage.said().to_owned();
    assert!(
        said.contains("edit 2 (c3) clashes with edit 1 (t2): c3 is history"),
        "{said}"
    );
    assert!(said.contains("E lists them, x there takes one out"), "{said}");
    assert!(stage.model.message.bad);
    for (width, height) in [(80, 24), (160, 50)] {
        resize(&mut stage, width, height);
        assert!(
            header(&mut stage).contains("2 edits collected, 1 clashes"),
            "{}",
            stage.text()
        );
    }
    resize(&mut stage, 50, 16);
    assert!(header(&mut stage).contains("2 edits, 1 !"), "{}", stage.text());
    // Each that clashes is counted, not the first alone.
    collect(&mut stage, 3, r#"{"path":"B"}"#);
    assert!(header(&mut stage).contains("3 edits, 2 !"), "{}", stage.text());
    stage.press("E x");
    assert!(
        header(&mut stage).contains("2 edits ") && !header(&mut stage).contains('!'),
        "the one that they clashed with is out: {}",
        stage.text()
    );
}

#[test]
fn the_other_way_round_both_are_named_too() {
    let mut stage = stage();
    collect(&mut stage, 2, r#"{"path":"A"}"#);
    collect_thought(&mut stage);
    let said = stage.said().to_owned();
    assert!(said.contains("edit 2 (t2) clashes with edit 1 (c3):"), "{said}");
    assert!(header(&mut stage).contains("2 edits collected, 1 clashes"));
}

#[test]
fn edits_that_go_together_clash_nowhere() {
    let mut stage = two();
    assert_eq!(stage.said(), "2 edits collected; E lists them");
    assert!(!stage.model.message.bad);
    assert!(!stage.text().contains("clash"), "{}", stage.text());
}

#[test]
fn what_another_hand_changes_under_an_edit_is_counted_at_once() {
    let mut stage = two();
    changed_by_another(&mut stage, id("c3"));
    assert!(
        header(&mut stage).contains("2 edits collected, 1 clashes"),
        "{}",
        stage.text()
    );
    stage.engine(Event::Edit(EditEvent::Superseded {
        nodes: vec![id("c4"), id("o4")],
    }));
    assert!(
        header(&mut stage).contains("2 edits collected, 2 clash"),
        "{}",
        stage.text()
    );
    // What is collected meanwhile tells of an edit that does not go with the run.
    stage.press("1 g j M");
    assert!(matches!(stage.model.overlays.last(), Some(Overlay::Editor(_))));
    stage.type_text("more");
    stage.press("ctrl-g");
    let said = stage.said().to_owned();
    assert!(
        said.contains("edit 2 (c4) does not go with the run as it is: c4 is history"),
        "{said}"
    );
}
