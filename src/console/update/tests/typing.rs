//! Tests typing: fault positions, completion, selection, search, pastes of any size.

use crate::ground::field::{LIMIT, LINES};
use crate::ground::term_msg::TermMsg;
use crate::ground::theme::Role;
use crate::kernel::msg::{Msg, Out};
use crate::kernel::prompt::Prompt;
use crate::surfaces::editor::state::Editor;
use crate::surfaces::list::List;
use crate::testing::{ARMING, Stage};
use ratatui::style::Modifier;

/// An open editor on the arguments of a call of `write_file`.
fn editing(args: &str) -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.awaiting("c3", "write_file", args);
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage.press("e");
    stage.out.clear();
    stage
}

#[track_caller]
pub fn editor(stage: &mut Stage) -> &mut Editor {
    match stage.model.overlays.top_mut::<Editor>() {
        Some(editor) => editor,
        other => panic!("no editor but {other:?}"),
    }
}

/// The characters that are drawn as wrong, each with its row.
fn wrong(stage: &mut Stage) -> Vec<(String, String)> {
    let style = stage
        .model
        .settings
        .look
        .full(Role::Text)
        .patch(stage.model.settings.look.style(Role::Error))
        .add_modifier(Modifier::REVERSED);
    let buffer = stage.draw();
    let mut out = Vec::new();
    for y in 0..buffer.area.height {
        let row: String = (0..buffer.area.width)
            .map(|x| buffer.cell((x, y)).unwrap().symbol())
            .collect();
        for x in 0..buffer.area.width {
            let cell = buffer.cell((x, y)).unwrap();
            if cell.style().fg == style.fg && cell.style().add_modifier.contains(Modifier::REVERSED) {
                out.push((cell.symbol().to_owned(), row.trim().to_owned()));
            }
        }
    }
    out
}

#[test]
fn the_place_where_the_text_stops_being_json_is_marked() {
    let mut stage = editing(r#"{"path":"a","content":"b"}"#);
    assert_eq!(wrong(&mut stage), []);
    editor(&mut stage)
        .field
        .replace("{\n  \"path\": \"a\"\n  \"content\": \"b\"\n}");
    stage.press("end space");
    let marks = wrong(&mut stage);
    assert_eq!(marks.len(), 1, "{marks:?}");
    assert_eq!(marks[0].0, "\"");
    assert!(marks[0].1.starts_with("\"content\""), "{marks:?}");
    stage.press("ctrl-home alt-e");
    assert_eq!(editor(&mut stage).field.cursor(), (3, 3));
}

#[test]
fn text_missing_at_the_end_is_marked_after_the_text() {
    let mut stage = editing("{}");
    editor(&mut stage).field.replace("{\"path\": \"a\"");
    stage.press("end space backspace");
    stage.press("home");
    let marks = wrong(&mut stage);
    assert_eq!(marks.len(), 1, "{marks:?}");
    assert_eq!(marks[0].0, " ");
}

#[test]
fn an_escape_mark_before_the_error_counts_as_one_character() {
    let mut stage = editing("{}");
    editor(&mut stage)
        .field
        .replace("{\"path\": \"a\u{202e}\u{200b}\" 7}");
    stage.press("ctrl-home alt-e");
    let (line, column) = editor(&mut stage).field.cursor();
    let text = editor(&mut stage).field.text();
    assert_eq!((line, column), (1, 16));
    assert_eq!(text.chars().nth(column - 1), Some('7'), "{text}");
    assert_eq!(wrong(&mut stage)[0].0, "7");
}

#[test]
fn values_that_break_the_schema_are_marked_in_place() {
    let mut stage = editing(r#"{"path":"a","content":"b"}"#);
    editor(&mut stage)
        .field
        .replace("{\n  \"path\": 7,\n  \"content\": \"b\"\n}");
    stage.press("ctrl-home space");
    let marks = wrong(&mut stage);
    assert_eq!(marks.len(), 1, "{marks:?}");
    assert_eq!(marks[0].0, "7");
    let text = stage.text();
    assert!(text.contains("line 2: /path"), "{text}");
}

#[test]
fn names_of_the_schema_complete() {
    let mut stage = editing(r#"{"path":"a"}"#);
    editor(&mut stage).field.replace("{\"path\": \"a\", \"c");
    stage.press("ctrl-end tab");
    assert_eq!(
        editor(&mut stage).field.text(),
        "{\"path\": \"a\", \"content\": ",
        "the only matching name is inserted"
    );
    stage.press("alt-u alt-u");
    editor(&mut stage).field.replace("{");
    stage.press("ctrl-end tab");
    assert!(stage.model.overlays.is_top::<List>(), "several are offered");
    let text = stage.text();
    assert!(
        text.contains("path") && text.contains("required string"),
        "{text}"
    );
    stage.type_text("con");
    stage.press("enter");
    assert_eq!(editor(&mut stage).field.text(), "{\"content\": ");
    assert!(stage.commands().is_empty(), "nothing was sent");
}

#[test]
fn without_matches_the_text_stays_and_a_message_is_shown() {
    let mut stage = editing(r#"{"path":"a","content":"b"}"#);
    let before = editor(&mut stage).field.text();
    stage.press("ctrl-end tab");
    assert_eq!(editor(&mut stage).field.text(), before);
    assert!(stage.status().contains("No completions"), "{}", stage.status());
}

#[test]
fn in_words_tab_is_a_tab() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.press("i");
    stage.type_text("a");
    stage.press("tab");
    assert!(editor(&mut stage).field.text().starts_with('a'));
    assert!(editor(&mut stage).field.text().len() > 1);
}

#[test]
fn what_is_selected_is_copied_cut_put_back_and_replaced() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.press("i");
    stage.type_text("onetwo");
    stage.press("shift-left shift-left shift-left alt-c");
    assert_eq!(stage.out.pop(), Some(Out::Copy("two".to_owned())));
    stage.press("alt-x");
    assert_eq!(editor(&mut stage).field.text(), "one");
    stage.press("home ctrl-y");
    assert_eq!(editor(&mut stage).field.text(), "twoone");
    stage.press("alt-a z");
    assert_eq!(editor(&mut stage).field.text(), "z");
    stage.press("alt-u");
    assert_eq!(editor(&mut stage).field.text(), "twoone", "one undo away");
    stage.press("alt-a");
    stage.paste("pasted\ntext");
    assert_eq!(editor(&mut stage).field.text(), "pasted\ntext");
    stage.press("alt-u");
    assert_eq!(
        editor(&mut stage).field.text(),
        "twoone",
        "there is no empty text in between"
    );
}

#[test]
fn a_move_without_shift_ends_the_selection() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.press("i");
    stage.type_text("ab");
    stage.press("shift-left left x");
    assert_eq!(editor(&mut stage).field.text().len(), 3);
}

#[test]
fn words_in_the_text_are_found() {
    let mut stage = editing("{}");
    editor(&mut stage).field.replace("one\nTwo\nthree two\n");
    stage.press("ctrl-home ctrl-f");
    stage.type_text("two");
    stage.press("enter");
    assert_eq!(editor(&mut stage).field.cursor(), (2, 1));
    stage.press("alt-n");
    assert_eq!(editor(&mut stage).field.cursor(), (3, 7));
    stage.press("alt-p");
    assert_eq!(editor(&mut stage).field.cursor(), (2, 1));
    stage.press("ctrl-f");
    stage.type_text("nowhere");
    stage.press("enter");
    assert!(stage.status().contains("Not in the text"), "{}", stage.status());
    assert_eq!(stage.commands(), []);
}

#[test]
fn a_paste_too_large_for_the_editor_is_saved_whole_for_the_external_editor() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.press("i");
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
    stage.press("i");
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
    assert!(stage.model.overlays.is_empty());
    let output = "cannot type the name of the session: 65537 bytes are too many";
    assert!(stage.status().starts_with(output), "{}", stage.status());
}

/// What happens between the two presses.
type Between = fn(&mut Stage);

#[test]
fn double_presses_count_only_in_a_row_and_in_time() {
    use crate::kernel::model::double_press::DOUBLE_PRESS_MS;
    let click: Between = |stage| {
        let mouse = crate::ground::term_msg::Mouse::Press;
        stage.send(Msg::Term(TermMsg::Mouse { mouse, x: 3, y: 3 }));
    };
    let ways: [(Between, bool); 5] = [
        (|stage| stage.wait(DOUBLE_PRESS_MS / 2), true),
        (|stage| stage.wait(DOUBLE_PRESS_MS + 1), false),
        (|stage| stage.press("left"), false),
        (click, false),
        (|stage| stage.paste("p"), false),
    ];
    for (no, (between, counts)) in ways.into_iter().enumerate() {
        let mut stage = Stage::new(100, 30);
        stage.begin();
        stage.press("i");
        stage.type_text("words");
        stage.press("esc");
        assert!(
            stage.status().contains("esc again drops it"),
            "{}",
            stage.status()
        );
        between(&mut stage);
        stage.press("esc");
        assert_eq!(stage.model.overlays.is_empty(), counts, "way {no}");
        stage.press("esc");
        assert!(stage.model.overlays.is_empty(), "it was asked again, way {no}");
    }
}

#[test]
fn a_large_paste_that_fits_is_one_undo() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.press("i");
    let pasted = "0123456789\n".repeat(5_000);
    stage.paste(pasted.clone());
    assert_eq!(editor(&mut stage).field.text(), pasted);
    stage.press("alt-u");
    assert_eq!(editor(&mut stage).field.text(), "");
}

#[test]
fn a_changed_text_is_dropped_only_by_a_second_key() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.press("i esc");
    assert!(stage.model.overlays.is_empty(), "nothing was typed");
    stage.press("i");
    stage.type_text("ab");
    stage.press("esc");
    assert!(
        stage.status().contains("esc again drops it"),
        "{}",
        stage.status()
    );
    assert_eq!(editor(&mut stage).field.text(), "ab");
    // After any input in between, the next press does not drop the text.
    stage.press("left esc");
    assert_eq!(editor(&mut stage).field.text(), "ab");
    stage.type_text("c");
    stage.press("esc");
    stage.paste("d");
    stage.press("esc");
    assert_eq!(editor(&mut stage).field.text(), "acdb");
    stage.press("esc");
    assert!(stage.model.overlays.is_empty());
    assert_eq!(stage.commands(), []);
}

/// Two calls with results, one of them written to the state, and an editor on a third call.
fn reading(args: &str) -> Stage {
    let mut stage = Stage::new(100, 30);
    stage.spent();
    stage.press("2");
    stage.wait(ARMING);
    stage.press("e");
    stage.out.clear();
    editor(&mut stage).field.replace(args);
    stage
}

/// The names that are offered after a text, and the text with the only name inserted.
fn offered(args: &str) -> (Vec<String>, String) {
    let mut stage = reading(args);
    stage.press("ctrl-end tab");
    let names = match stage.model.overlays.top::<List>() {
        Some(list) => list.choices.iter().map(|choice| choice.name.clone()).collect(),
        _ => Vec::new(),
    };
    while stage.model.overlays.is_top::<List>() {
        stage.press("esc");
    }
    (names, editor(&mut stage).field.text())
}

#[test]
fn references_complete_with_what_is_there() {
    let (names, _) = offered(r#"{"path": "†"#);
    assert_eq!(names, ["call.", "state.", "input"]);
    let (_, text) = offered(r#"{"path": "†ca"#);
    assert_eq!(text, r#"{"path": "†call."#, "the only root that fits");
    let (names, _) = offered(r#"{"path": "†call."#);
    assert_eq!(
        names,
        ["call.c5", "call.c4", "call.c3"],
        "the newest first, not itself"
    );
    let (_, text) = offered(r#"{"path": "†call.c3."#);
    assert_eq!(text, r#"{"path": "†call.c3.files"#);
    let (names, _) = offered(r#"{"path": "†call.c3.files."#);
    assert_eq!(names, ["call.c3.files.0", "call.c3.files.1"]);
    let (_, text) = offered(r#"{"path": "†state."#);
    assert_eq!(text, r#"{"path": "†state.plan"#);
    let (names, _) = offered(r#"{"path": "†state.plan."#);
    assert_eq!(
        names,
        ["state.plan.files", "state.plan.notes"],
        "the value there, and a path below"
    );
    let (_, text) = offered(r#"{"path": "†call.c9 || †sta"#);
    assert_eq!(
        text, r#"{"path": "†call.c9 || †state."#,
        "each part of an expression"
    );
    let (names, text) = offered(r#"{"path": "††call."#);
    assert!(
        names.is_empty() && text == r#"{"path": "††call."#,
        "an escaped dagger is a text"
    );
}

#[test]
fn an_empty_text_offers_a_reference_and_a_result_does_not() {
    let mut stage = reading(r#"{"path": ""}"#);
    stage.press("ctrl-end left left tab");
    let text = stage.text();
    assert!(text.contains("†call."), "{text}");
    stage.type_text("state");
    stage.press("enter");
    assert_eq!(editor(&mut stage).field.text(), r#"{"path": "†state."}"#);
    let mut stage = Stage::new(100, 30);
    stage.spent();
    stage.press("2");
    stage.wait(ARMING);
    stage.press("w ctrl-t");
    editor(&mut stage).field.replace("\"†");
    stage.press("ctrl-end tab");
    assert!(stage.model.overlays.is_top::<Editor>());
}

#[test]
fn a_line_that_was_filled_in_is_cleared_by_one_key_and_comes_back() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.press(":");
    stage.type_text("policy");
    stage.press("enter");
    let text = |stage: &Stage| match stage.model.overlays.top::<Prompt>() {
        Some(line) => line.field.text(),
        other => panic!("{other:?}"),
    };
    let before = text(&stage);
    assert!(!before.is_empty());
    stage.press("ctrl-u");
    assert_eq!(text(&stage), "");
    stage.press("alt-u");
    assert_eq!(text(&stage), before);
    stage.press("left ctrl-u");
    assert_eq!(text(&stage), before.split_at(before.len() - 1).1);
}
