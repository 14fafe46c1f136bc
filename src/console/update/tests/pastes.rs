//! Tests pastes and lines of any size.

use super::typing::{editing, editor};
use crate::ground::field::{LIMIT, LINES};
use crate::testing::{ARMING, Stage};

#[test]
fn a_paste_too_large_for_the_editor_is_saved_whole_for_the_external_editor() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.guidance();
    stage.type_text("ab");
    stage.press("left");
    let pasted = "line\r\n".repeat(LIMIT / 5);
    stage.paste(pasted.clone());
    assert!(
        stage.status().contains("too many to type in"),
        "{}",
        stage.status()
    );
    let whole = format!("a{}b", pasted.replace("\r\n", "\n"));
    assert_eq!(editor(&mut stage).long.as_ref(), Some(&whole));
    let text = stage.text();
    assert!(text.contains("$EDITOR"), "{text}");
}

#[test]
fn more_lines_than_rows_can_be_counted_are_none_to_type_in() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.guidance();
    stage.type_text("ab");
    stage.press("left");
    // Few bytes, but too many lines.
    let pasted = "\n".repeat(40_000);
    stage.paste(pasted.clone());
    let output = "40001 lines are too many to type in (at most 30000)";
    assert!(stage.status().starts_with(output), "{}", stage.status());
    assert_eq!(editor(&mut stage).long, Some(format!("a{pasted}b")));
    stage.press("alt-u");
    assert_eq!(editor(&mut stage).field.text(), "ab");
    // The maximum number of lines can be typed, and their end is shown.
    stage.paste("\n".repeat(LINES - 2));
    stage.press("enter enter");
    assert_eq!(editor(&mut stage).field.rows(), LINES);
    assert!(
        stage.status().starts_with("1 character dropped"),
        "{}",
        stage.status()
    );
    stage.press("ctrl-end");
    stage.type_text("the end");
    let text = stage.text();
    assert!(text.contains("bthe end"), "{text}");
    // The whole text is selected, on a line of any length.
    let long = format!("x\n{}", "y".repeat(60_000));
    editor(&mut stage).field.replace(&long);
    editor(&mut stage).field.select_all();
    assert_eq!(editor(&mut stage).field.selected(), long);
}

#[test]
fn a_paste_that_was_too_long_is_taken_back_and_no_key_is_swallowed() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
    stage.draw();
    stage.press("t e");
    stage.type_text("x");
    let before = stage.text();
    stage.paste("some words ".repeat(LIMIT / 10));
    let text = stage.text();
    assert!(
        text.contains("alt-u undoes the change that made them too many"),
        "{text}"
    );
    assert!(
        text.contains("some words some words"),
        "its beginning is shown: {text}"
    );
    stage.type_text("y");
    assert!(
        stage.status().contains("too many to type in"),
        "{}",
        stage.status()
    );
    stage.press("alt-u");
    assert!(
        stage.status().contains("as before it became too long"),
        "{}",
        stage.status()
    );
    let rows = |text: &str| text.lines().take(20).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rows(&stage.text()), rows(&before));
    stage.type_text("z");
    assert!(stage.text().contains("xz"), "{}", stage.text());
}

#[test]
fn what_does_not_fit_as_a_whole_is_refused_and_said() {
    let full = format!("{{\"path\": \"a\", \"x\": \"{}\", \"c", "x".repeat(LIMIT - 26));
    let mut stage = editing(r#"{"path":"a"}"#);
    editor(&mut stage).field.replace(&full);
    stage.press("ctrl-end tab");
    assert!(editor(&mut stage).field.text() == full, "{}", stage.status());
    let output = "cannot insert `\"content\":`: at most 65536 bytes";
    assert!(stage.status().starts_with(output), "{}", stage.status());
    // In JSON, each of these characters has six bytes.
    let value = "\u{1}".repeat(LIMIT / 4);
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.awaiting("c3", "write_file", "{}");
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage.press("w");
    stage.paste(value.clone());
    stage.press("ctrl-t");
    assert!(editor(&mut stage).field.text() == value);
    let output = "cannot switch: 98306 bytes are too many to type in";
    assert!(stage.status().starts_with(output), "{}", stage.status());
    assert_eq!(stage.commands(), []);
}

#[test]
fn a_line_that_is_too_long_to_type_in_is_not_opened() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.model.run.state.settings.title = Some("x".repeat(LIMIT + 1));
    let title = stage.model.run.state.settings.title.clone().unwrap();
    let act = ("name", crate::kernel::prompt::Style::SETTING);
    let prompt = crate::kernel::prompt::Prompt::new(act, "name of the session", &title, |_, _, _| Ok(()));
    crate::kernel::prompts::ask(&mut stage.model, prompt);
    assert!(stage.model.stack.is_empty());
    let output = "cannot type the name of the session: 65537 bytes are too many";
    assert!(stage.status().starts_with(output), "{}", stage.status());
}

#[test]
fn a_large_paste_that_fits_is_one_undo() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.guidance();
    let pasted = "0123456789\n".repeat(5_000);
    stage.paste(pasted.clone());
    assert_eq!(editor(&mut stage).field.text(), pasted);
    stage.press("alt-u");
    assert_eq!(editor(&mut stage).field.text(), "");
}
