//! What a run says that only a collected edit holds. Must not know: how edits are collected.

use super::staged_edits::{collect, two};
use crate::console::model::listing::Kind;
use crate::console::model::overlay::Overlay;
use crate::console::msg::{Leave, Out};
use crate::console::testing::{ARMING, Stage, id};

/// A write that waits, an edit of it that is collected, and then the write let run all the same.
fn approved_after_an_edit(width: u16) -> Stage {
    let mut stage = Stage::new(width, 30);
    stage.begin();
    stage.awaiting("c3", "write_file", r#"{"path":"r","content":"x"}"#);
    stage.close();
    stage.draw();
    collect(&mut stage, 1, r#"{"path":"r","content":"y"}"#);
    stage.carry_out();
    stage.press("2");
    stage.wait(ARMING);
    stage.press("a");
    stage.carry_out();
    stage
}

#[test]
fn a_run_suspended_only_by_a_staged_edit_shows_it() {
    for width in [40, 80, 120] {
        let mut stage = approved_after_an_edit(width);
        assert!(stage.model.run.state.agenda.running.is_empty(), "it is held");
        assert_eq!(
            stage.status(),
            "approved c3; it waits for the collected edit: E looks at it"
        );
        let text = stage.text();
        let mut lines = text.lines();
        let header = lines.next().unwrap();
        assert!(header.contains("held by an edit"), "{text}");
        assert!(!header.contains("working"), "{text}");
        let banner = lines.next().unwrap();
        assert!(banner.contains("c3 write_file"), "{text}");
        assert!(banner.trim_end().ends_with("; E: look at it"), "{text}");
    }
    let mut stage = approved_after_an_edit(100);
    stage.press("W");
    let text = stage.text();
    assert!(!text.contains("needs nobody"), "{text}");
    for words in [
        "c3 write_file waits for the edit of c3, which is not committed",
        "held by an edit",
        "look at the collected edits (E)",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    stage.press("enter");
    let is_list =
        |overlay: &Overlay| matches!(overlay, Overlay::Listing(list) if list.kind == Kind::StagedEdits);
    assert!(stage.model.overlays.last().is_some_and(is_list));
    assert_eq!(stage.commands(), [], "to look is all it does");
}

#[test]
fn discarding_edits_shows_before_and_after_which_call_runs() {
    let mut stage = approved_after_an_edit(100);
    stage.press("E D");
    assert_eq!(
        stage.status(),
        "D once more forgets the edit: c3 runs then, as it was; nothing of it was committed"
    );
    assert!(stage.model.run.state.agenda.running.is_empty());
    stage.wait(ARMING);
    stage.press("D");
    assert_eq!(
        stage.status(),
        "the collected edit is forgotten: c3 runs now, as it was; nothing was changed"
    );
    stage.carry_out();
    assert!(stage.model.run.state.agenda.running.contains(&id("c3")));

    let mut stage = approved_after_an_edit(100);
    stage.press("E x");
    assert_eq!(
        stage.status(),
        "taken out: c3 runs now, as it was; 0 edits collected"
    );

    // What waits for a word, or was done, does not run by that.
    let mut stage = two();
    stage.carry_out();
    stage.press("E D");
    assert_eq!(
        stage.status(),
        "D once more forgets all 2 edits; nothing of them was committed"
    );
    stage.wait(ARMING);
    stage.press("D");
    assert_eq!(
        stage.status(),
        "all collected edits are forgotten; nothing was changed"
    );
}

#[test]
fn leaving_a_run_suspended_only_by_a_staged_edit_asks_first() {
    let mut stage = approved_after_an_edit(100);
    stage.press("q");
    assert!(!stage.out.contains(&Out::Quit(Leave::Quit)));
    assert!(matches!(stage.model.overlays.last(), Some(Overlay::Leave)));
    let text = stage.flat();
    assert!(
        text.contains(
            "1 collected edit is not committed: it is lost when you leave. c3 write_file waits for the edit of c3, \
             which is not committed."
        ),
        "{text}"
    );
}
