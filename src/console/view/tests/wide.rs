//! Tests a terminal that draws characters of ambiguous width two columns wide.

use ratatui::buffer::{Buffer, CellWidth as _};
use ratatui::style::Modifier;

use crate::ground::columns::{Columns as _, measured};
use crate::ground::layout::gutter::Line;
use crate::ground::symbols::Charset;
use crate::testing::{ARMING, Stage};

/// Text of a model, with letters and signs of ambiguous width.
const MODEL_TEXT: &str =
    "“Привет” → 日本語 ①② ─·─ α, Ελλάδα … and 3 × ½ “more” of it, until the row is full and beyond";

fn stage(width: u16, height: u16) -> Stage {
    let mut stage = Stage::with(width, height, |settings| {
        settings.wide = true;
        settings.charset = Charset::Ascii;
        settings.line = Line::Ascii;
    });
    stage.begin();
    stage.thought("t2", MODEL_TEXT);
    let args = serde_json::json!({ "path": "“а”.md", "content": MODEL_TEXT }).to_string();
    stage.awaiting("c3", "write_file", &args);
    stage
}

/// Each row as such a terminal shows it. Fails if a character covers the next one or reaches over the edge, or if a
/// cell has a wrong width.
fn shown(buffer: &Buffer) -> Vec<String> {
    let _wide = measured(true);
    let width = usize::from(buffer.area.width);
    let rows = buffer.content.chunks(width);
    rows.map(|cells| {
        let mut row = String::new();
        let mut at = 0;
        while let Some(cell) = cells.get(at) {
            let columns = cell.symbol().columns().max(1);
            assert_eq!(
                usize::from(cell.cell_width()),
                columns,
                "{:?} after {row}",
                cell.symbol()
            );
            row.push_str(cell.symbol());
            let under = cells.get(at + 1..at + columns).expect(&row);
            assert!(
                under.iter().all(|cell| cell.symbol() == " "),
                "{row} hides the next cell"
            );
            at += columns;
        }
        row
    })
    .collect()
}

/// The column of a sign, as such a terminal counts.
fn column(row: &str, sign: &str) -> Option<usize> {
    let _wide = measured(true);
    row.split_once(sign).map(|(before, _)| before.columns())
}

#[test]
fn every_character_has_the_room_that_it_takes() {
    for (width, height) in [(40, 12), (80, 24), (120, 40)] {
        let mut stage = stage(width, height);
        for keys in ["1", "2", "3", "V", "?", "esc", ":", "esc", "L", "J"] {
            stage.press(keys);
            shown(&stage.draw());
        }
    }
}

#[test]
fn what_is_decided_is_whole_and_its_frame_is_of_the_consoles_own() {
    let mut stage = stage(80, 40);
    stage.press("2");
    stage.wait(ARMING);
    let rows = shown(&stage.draw());
    let exact: String = rows
        .iter()
        .filter_map(|row| row.split_once("| ").map(|(_, text)| text.trim_end().to_owned()))
        .collect();
    assert!(exact.contains("“а”.md"), "{rows:#?}");
    assert!(exact.contains("until the row is full and beyond"), "{rows:#?}");
    assert!(rows.iter().any(|row| row.contains("#= c3 writes")), "{rows:#?}");
    // Nothing of it is a mark, as it would be where only ASCII is shown.
    assert!(!rows.iter().any(|row| row.contains("<U+")), "{rows:#?}");
    stage.press("a");
    assert_eq!(stage.commands().len(), 1, "{}", stage.status());
}

#[test]
fn borders_stand_in_one_column_beside_such_characters() {
    let mut stage = stage(120, 30);
    // What is open has lines at both sides; letters of the panes below reach up to them.
    stage.press("?");
    let rows = shown(&stage.draw());
    let framed = rows.iter().skip(1).filter(|row| row.matches('|').count() == 2);
    let framed: Vec<&String> = framed.filter(|row| !row.starts_with(['|', '#'])).collect();
    let first = framed.first().and_then(|row| column(row, "|"));
    assert!(first.is_some() && framed.len() > 5, "{rows:#?}");
    for row in framed {
        assert_eq!(column(row, "|"), first, "{rows:#?}");
    }
    // The marks of the decision, and the first letters of the text after an id.
    stage.press("esc 2");
    let rows = shown(&stage.draw());
    let exact: Vec<&String> = rows.iter().filter(|row| row.starts_with("#= c3 ")).collect();
    let text = rows
        .iter()
        .filter(|row| row.contains("| ") && row.contains("until"));
    for row in text {
        assert_eq!(column(row, "| "), column(exact[0], "#= c3"), "{rows:#?}");
    }
}

#[test]
fn a_row_of_the_graph_is_cut_where_it_is_full() {
    let mut stage = stage(60, 16);
    for node in ["t4", "t5", "t6", "t7", "t8", "t9", "t10"] {
        stage.thought(node, "one more");
    }
    stage.press("1 g");
    let rows = shown(&stage.draw());
    let output = rows
        .iter()
        .find(|row| row.contains("“Привет”"))
        .expect("the thought");
    let _wide = measured(true);
    assert_eq!(output.columns(), 60, "{rows:#?}");
    assert!(output.ends_with('~') || output.ends_with("~ "), "{rows:#?}");
}

#[test]
fn an_editor_shows_all_of_its_text_and_the_cursor_in_its_place() {
    let mut stage = stage(60, 20);
    stage.press("2");
    stage.wait(ARMING);
    stage.press("e ctrl-t");
    let buffer = stage.draw();
    let rows = shown(&buffer);
    assert!(rows.iter().any(|row| row.contains("“а”.md")), "{rows:#?}");
    let all: String = rows.iter().flat_map(|row| row.split_whitespace()).collect();
    let output: String = MODEL_TEXT.split_whitespace().collect();
    assert!(all.contains(&output), "{rows:#?}");
    // After the last letter of a line of such letters.
    let mut stage = self::stage(60, 20);
    stage.guidance();
    let letters = "Привет… ①";
    stage.press("tab");
    stage.type_text(letters);
    let buffer = stage.draw();
    let rows = shown(&buffer);
    let at = rows
        .iter()
        .position(|row| row.contains(letters))
        .expect("what was typed");
    let cursor = (0..buffer.area.width).find(|x| {
        let cell = buffer.cell((*x, u16::try_from(at).unwrap())).unwrap();
        cell.modifier.contains(Modifier::REVERSED)
    });
    let before = column(&rows[at], letters).unwrap();
    let _wide = measured(true);
    assert_eq!(
        cursor.map(usize::from),
        Some(before + letters.columns()),
        "{rows:#?}"
    );
}

#[test]
fn letters_with_a_sound_mark_are_all_on_screen_when_they_are_decided_about() {
    // Such a mark takes a column of its own in every terminal.
    let content = "ｶﾞ".repeat(90);
    let mut stage = Stage::new(80, 40);
    stage.begin();
    let args = serde_json::json!({ "content": content }).to_string();
    stage.awaiting("c3", "write_file", &args);
    stage.press("2");
    let text = stage.text();
    let exact: String = text.lines().filter(|row| row.contains("┃ ")).collect();
    assert_eq!(exact.matches('ﾞ').count(), 90, "{text}");
}
