//! Tests typing: fault positions, selection, search, double presses, unsent text.

use crate::ground::term_msg::TermMsg;
use crate::ground::theme::Role;
use crate::kernel::msg::{Msg, Out};
use crate::kernel::prompt::Prompt;
use crate::surfaces::editor::state::Editor;
use crate::testing::{ARMING, Stage};
use ratatui::style::Modifier;

/// An open editor on the arguments of a call of `write_file`.
pub(super) fn editing(args: &str) -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.awaiting("c3", "write_file", args);
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage.press("e ctrl-t");
    stage.out.clear();
    stage
}

#[track_caller]
pub(super) fn editor(stage: &mut Stage) -> &mut Editor {
    match stage.model.stack.top_mut::<Editor>() {
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
fn what_is_selected_is_copied_cut_put_back_and_replaced() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.guidance();
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
    stage.guidance();
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
        stage.guidance();
        stage.type_text("words");
        stage.press("esc");
        assert!(
            stage.status().contains("esc again drops it"),
            "{}",
            stage.status()
        );
        between(&mut stage);
        stage.press("esc");
        assert_eq!(stage.model.stack.is_empty(), counts, "way {no}");
        stage.press("esc");
        assert!(stage.model.stack.is_empty(), "it was asked again, way {no}");
    }
}

#[test]
fn a_changed_text_is_dropped_only_by_a_second_key() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.guidance();
    stage.press("esc");
    assert!(stage.model.stack.is_empty(), "nothing was typed");
    stage.guidance();
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
    assert!(stage.model.stack.is_empty());
    assert_eq!(stage.commands(), []);
}

#[test]
fn a_line_that_was_filled_in_is_cleared_by_one_key_and_comes_back() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.press(":");
    stage.type_text("title");
    stage.press("enter");
    stage.type_text("filled in");
    let text = |stage: &Stage| match stage.model.stack.top::<Prompt>() {
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
