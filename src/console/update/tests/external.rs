//! Tests the external editor: what it gets, and that nothing that it wrote is lost.

use super::edits::{edited, editor, edits, waiting};
use crate::kernel::msg::{Msg, Out};
use crate::testing::{ARMING, Stage};
use overrule_domain::call::Outcome;
use overrule_domain::command::Edit;

#[test]
fn the_external_editor_gets_and_gives_the_text_itself() {
    let mut stage = waiting();
    stage.press("1 g j e");
    stage.out.clear();
    stage.press("ctrl-o");
    assert_eq!(stage.out, [Out::Edit("first\u{202e} this\r\n".into())]);
    // The text from $EDITOR is copied exactly, also what looks like a mark.
    stage.send(edited("second\u{202e} ⟨LF⟩ <LF> ⟨what\n"));
    assert_eq!(
        editor(&mut stage).field.text(),
        "second\u{202e} ⟨LF⟩ <LF> ⟨what\n"
    );
    assert!(
        stage.text().contains("second⟨U+202E⟩ ⟨U+27E8⟩LF⟨U+27E9⟩"),
        "{}",
        stage.text()
    );
    // Carriage returns at the ends of all lines of a text that had none are the editor's own.
    stage.send(edited("second\u{1b}\r\nthird\r\n"));
    assert_eq!(editor(&mut stage).field.text(), "second\u{1b}\nthird\n");
    assert!(stage.status().contains("not CRLF"), "{}", stage.status());
    // Any others are part of the text.
    stage.send(edited("second\r\nthird\n"));
    assert_eq!(editor(&mut stage).field.text(), "second\r\nthird\n");
    assert!(!stage.status().contains("CRLF"), "{}", stage.status());
    stage.send(edited("second\r\nthird\r\n"));
    assert_eq!(editor(&mut stage).field.text(), "second\r\nthird\r\n");
    stage.send(Msg::Edited(Err("it did not start".into())));
    assert!(stage.status().contains("it did not start"));
    assert_eq!(editor(&mut stage).field.text(), "second\r\nthird\r\n");
}

#[test]
fn what_the_external_editor_wrote_goes_away_only_once_all_of_it_is_here() {
    let mut stage = waiting();
    stage.press("1 g j e");
    let discarded = |stage: &mut Stage| {
        let out = std::mem::take(&mut stage.out);
        out.contains(&Out::Discard("/w/edit.txt".into()))
    };
    stage.send(edited("all my words"));
    assert!(discarded(&mut stage));
    assert_eq!(editor(&mut stage).field.text(), "all my words");
    // No editor is open for the text.
    stage.press("esc esc");
    assert!(stage.model.stack.is_empty());
    stage.send(edited("more words"));
    assert!(!discarded(&mut stage));
    assert!(
        stage.status().contains("What you wrote is in /w/edit.txt"),
        "{}",
        stage.status()
    );
}

#[test]
fn a_value_too_long_for_the_screen_goes_to_the_external_editor() {
    let mut stage = waiting();
    let long = "x".repeat(2_000_000);
    let value = format!("\"{long}\"");
    stage.finished("c4", "read_file", r#"{"path":"z"}"#, Outcome::ok(value.as_str()));
    stage.press("1 G o");
    assert!(stage.status().contains("$EDITOR"), "{}", stage.status());
    stage.press("a b c");
    assert!(editor(&mut stage).is_unchanged());
    stage.send(edited(format!("{long}y")));
    stage.commands();
    stage.press("ctrl-s");
    stage.wait(ARMING);
    stage.press("enter");
    let edits = edits(&mut stage);
    assert!(
        matches!(edits.as_slice(), [Edit::Observation { value, .. }] if value.len() == long.len() + 3),
        "{}",
        edits.len()
    );
}
