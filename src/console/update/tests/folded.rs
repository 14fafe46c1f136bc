//! Tests that no key decides about a folded row, or is offered for hidden nodes.

use crate::ground::layout::fold::RowKind;
use crate::kernel::hints::hints;
use crate::surfaces::editor::state::Editor;
use crate::testing::{ARMING, Stage};
use overrule_domain::call::Outcome;

/// Twelve reads side by side, in one row.
fn fan() -> Stage {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    stage.thought("t2", "I will read.");
    for no in 3..15 {
        let args = format!(r#"{{"path":"{no}"}}"#);
        stage.finished(&format!("c{no}"), "read_file", &args, Outcome::ok("1"));
    }
    stage.close();
    stage.draw();
    on(&mut stage, |kind| kind == RowKind::Fan);
    stage
}

/// Puts the cursor on a row.
fn on(stage: &mut Stage, is: impl Fn(RowKind) -> bool) {
    stage.press("1");
    let at = stage
        .model
        .graph
        .rows
        .iter()
        .position(|row| is(row.kind))
        .expect("such a row");
    stage.press("g");
    for _ in 0..at {
        stage.press("j");
    }
    stage.wait(ARMING);
}

fn offers(stage: &Stage, expected: &str) -> bool {
    hints(&stage.model).iter().any(|hint| hint.word == expected)
}

#[test]
fn no_key_decides_or_edits_on_a_row_of_several_calls() {
    let mut stage = fan();
    for key in [
        "e", "r", "w", "o", "I", "D", "U", "a", "ctrl-a", "x", "R", "c", "H", "F", "K", "*", "+",
    ] {
        stage.press(key);
        stage.wait(ARMING);
        assert_eq!(stage.commands(), [], "{key}");
        assert!(stage.model.stack.is_empty(), "{key}");
        assert_eq!(
            stage.status(),
            "This row groups 12 calls. space unfolds it first",
            "{key}"
        );
    }
    for word in ["edit", "run again"] {
        assert!(!offers(&stage, word), "{word}");
    }
}

#[test]
fn what_only_looks_is_about_the_first_of_them_and_what_is_read_can_be_edited() {
    let mut stage = fan();
    stage.press("v");
    assert!(
        stage.model.stack.last().is_some_and(|top| top.id().reads),
        "{}",
        stage.status()
    );
    stage.press("esc 3 e");
    assert!(
        stage.model.stack.is_top::<Editor>(),
        "the inspector says which it is"
    );
}

#[test]
fn once_it_is_open_a_key_acts_on_the_row_of_one() {
    let mut stage = fan();
    stage.press("space");
    assert!(offers(&stage, "edit"));
    stage.press("e");
    assert!(stage.model.stack.is_top::<Editor>(), "{}", stage.status());
}

#[test]
fn a_row_of_a_turn_is_one_turn_but_not_one_node() {
    let mut stage = Stage::new(120, 40);
    stage.long_run(44);
    stage.press("1 Z");
    on(&mut stage, |kind| kind == RowKind::Turn);
    stage.press("D");
    assert!(stage.model.stack.is_empty());
    let text = stage.status();
    assert!(
        text.starts_with("This row groups ") && text.ends_with(" nodes. space unfolds it first"),
        "{text}"
    );
    stage.press("M");
    assert!(stage.model.stack.is_top::<Editor>(), "{}", stage.status());
}

#[test]
fn on_the_map_each_box_is_one() {
    let mut stage = fan();
    stage.press("V e");
    assert!(stage.model.stack.is_top::<Editor>(), "{}", stage.status());
}

#[test]
fn from_the_zoomed_graph_no_key_is_offered_that_counts_only_about_what_was_on_screen() {
    let mut stage = Stage::new(120, 40);
    stage.sample();
    stage.press("1 g j j");
    assert!(
        offers(&stage, "run again") && offers(&stage, "edit"),
        "c3 is done"
    );
    stage.press("z");
    assert!(!offers(&stage, "run again"));
    assert!(
        offers(&stage, "edit"),
        "its row is in sight, and the editor shows the rest"
    );
    stage.wait(ARMING);
    stage.press("R");
    assert_eq!(stage.commands(), [], "nor would it do anything");
    stage.press("z j j j");
    assert!(offers(&stage, "cancel"), "c6 runs");
    stage.press("z");
    assert!(!offers(&stage, "cancel"));
}

#[test]
fn a_pane_shown_alone_offers_no_actions_on_what_is_not_visible() {
    let mut stage = Stage::new(120, 40);
    stage.sample();
    stage.press("1 g j j 7");
    assert!(offers(&stage, "edit"), "the inspector is above it");
    stage.press("z");
    for word in ["edit", "run again", "another tool", "reject"] {
        assert!(!offers(&stage, word), "{word}");
    }
    stage.press("z");
    assert!(offers(&stage, "edit"));
}
