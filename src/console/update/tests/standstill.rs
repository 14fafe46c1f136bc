//! Tests a run that only a staged edit suspends.
//!
//! Must not know: how edits are staged.

use super::staged_edits::{collect, two};
use crate::kernel::msg::{Leave, Out};
use crate::surfaces::leave::LeaveQuestion;
use crate::surfaces::staged_edits::StagedList;
use crate::testing::{ARMING, Stage, id};

/// A waiting write with a staged edit of it, which was then approved anyway.
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
        assert!(stage.model.run.state.agenda.running.is_empty(), "it is suspended");
        assert_eq!(
            stage.status(),
            "Approved c3; it waits for the staged edit: E shows it"
        );
        let text = stage.text();
        let mut lines = text.lines();
        let header = lines.next().unwrap();
        assert!(header.contains("waiting on edit"), "{text}");
        assert!(!header.contains("working"), "{text}");
        let banner = lines.next().unwrap();
        assert!(banner.contains("c3 write_file"), "{text}");
        assert!(banner.trim_end().ends_with("; E: look at it"), "{text}");
    }
    let mut stage = approved_after_an_edit(100);
    stage.press("W");
    let text = stage.text();
    assert!(!text.contains("does not need you"), "{text}");
    for words in [
        "c3 write_file waits for the edit of c3, which is not committed",
        "waiting on edit",
        "look at the staged edits (E)",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    stage.press("enter");
    assert!(stage.model.stack.is_top::<StagedList>());
    assert_eq!(stage.commands(), [], "to look is all it does");
}

#[test]
fn discarding_edits_shows_before_and_after_which_call_runs() {
    let mut stage = approved_after_an_edit(100);
    stage.press("E D");
    assert_eq!(
        stage.status(),
        "D again drops the edit: c3 runs then, as it was. It was not committed"
    );
    assert!(stage.model.run.state.agenda.running.is_empty());
    stage.wait(ARMING);
    stage.press("D");
    assert_eq!(
        stage.status(),
        "Dropped the staged edit: c3 runs now, as it was. Nothing changed"
    );
    stage.carry_out();
    assert!(stage.model.run.state.agenda.running.contains(&id("c3")));

    let mut stage = approved_after_an_edit(100);
    stage.press("E x");
    assert_eq!(stage.status(), "Removed: c3 runs now, as it was. 0 edits staged");

    // A call that awaits approval, or has finished, does not run by that.
    let mut stage = two();
    stage.carry_out();
    stage.press("E D");
    assert_eq!(stage.status(), "D again drops all 2 edits. None was committed");
    stage.wait(ARMING);
    stage.press("D");
    assert_eq!(stage.status(), "Dropped all staged edits. Nothing changed");
}

#[test]
fn leaving_a_run_suspended_only_by_a_staged_edit_asks_first() {
    let mut stage = approved_after_an_edit(100);
    stage.press("q");
    assert!(!stage.out.contains(&Out::Quit(Leave::Quit)));
    assert!(stage.model.stack.is_top::<LeaveQuestion>());
    let text = stage.flat();
    assert!(
        text.contains(
            "1 staged edit is not committed: it is lost when you quit. c3 write_file waits for the edit of c3, \
             which is not committed."
        ),
        "{text}"
    );
}
