//! The visible part of a field, and its position.

use std::fmt::Write as _;

use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Modifier;

use super::keys;
use crate::ground::columns::{Columns as _, measured};
use crate::ground::field::{Field, Reach, TextVerb};
use crate::ground::motion::Move;
use crate::ground::theme::{Colours, Theme};
use crate::testing::text_of;
use overrule_base::text::shown_in_ascii;

fn buffer(field: &Field, width: u16, height: u16) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let look = Theme::built_in("dark").unwrap().look(Colours::True);
    terminal
        .draw(|frame| field.draw(frame, frame.area(), &look))
        .unwrap();
    terminal.backend().buffer().clone()
}

/// The rows as they are on a screen of this size.
pub fn rows(field: &Field, width: u16, height: u16) -> Vec<String> {
    text_of(&buffer(field, width, height))
        .lines()
        .map(|row| row.trim_end().to_owned())
        .collect()
}

/// The characters that are drawn reversed.
pub fn reversed(field: &Field, width: u16, height: u16) -> String {
    let buffer = buffer(field, width, height);
    let cells = buffer.content.iter();
    cells
        .filter(|cell| cell.modifier.contains(Modifier::REVERSED))
        .map(ratatui::buffer::Cell::symbol)
        .collect()
}

#[test]
fn what_is_typed_is_drawn_as_what_is_stored() {
    let _shown = shown_in_ascii(true);
    let mut field = Field::lines("");
    keys(&mut field, "<LF> ü\tx");
    assert_eq!(rows(&field, 60, 1), ["<U+003C>LF> <U+00FC><TAB>x"]);
    field.step(Move::Left);
    field.step(Move::Left);
    assert_eq!(
        reversed(&field, 60, 1),
        "<TAB>",
        "the cursor is on all of the mark"
    );
    field.edit(TextVerb::Select(Reach::Left));
    assert_eq!(reversed(&field, 60, 1), "<U+00FC>");
}

#[test]
fn blanks_are_drawn_as_they_are_while_the_cursor_is_at_them() {
    let mut field = Field::lines("");
    keys(&mut field, "a  ");
    assert_eq!(rows(&field, 30, 2), ["a", ""]);
    keys(&mut field, "  b");
    assert_eq!(rows(&field, 30, 2), ["a⟨4 spaces⟩b", ""]);
    field.step(Move::Left);
    assert_eq!(rows(&field, 30, 2), ["a    b", ""]);
    field.edit(TextVerb::First);
    field.step(Move::Right);
    assert_eq!(rows(&field, 30, 2), ["a    b", ""]);
    let many = Field::lines(&format!("{}x", " ".repeat(500)));
    assert_eq!(rows(&many, 30, 2), ["⟨500 spaces⟩x", ""]);
}

#[test]
fn rows_break_after_a_space_and_before_an_escape_mark() {
    let field = Field::lines("one two three\n12345678\u{1b}9\nabcdefghijkl");
    let expected = ["one two", "three", "12345678", "⟨U+001B⟩9", "abcdefghij", "kl"];
    assert_eq!(rows(&field, 10, 6), expected);
    assert_eq!(rows(&field, 10, 2), ["one two", "three"]);
}

#[test]
fn the_screen_follows_the_cursor_up_and_down() {
    let lines: Vec<String> = (1..=50).map(|no| format!("line {no}")).collect();
    let mut field = Field::lines(&lines.join("\n"));
    assert_eq!(rows(&field, 20, 3), ["line 1", "line 2", "line 3"]);
    field.step(Move::Down);
    field.step(Move::Down);
    field.step(Move::Down);
    assert_eq!(rows(&field, 20, 3), ["line 2", "line 3", "line 4"]);
    field.step(Move::Up);
    assert_eq!(
        rows(&field, 20, 3),
        ["line 2", "line 3", "line 4"],
        "it stays where it can"
    );
    field.edit(TextVerb::Last);
    assert_eq!(rows(&field, 20, 3), ["line 48", "line 49", "line 50"]);
    field.step(Move::PageUp);
    assert_eq!(field.cursor(), (48, 8));
    field.edit(TextVerb::First);
    assert_eq!(rows(&field, 20, 3), ["line 1", "line 2", "line 3"]);
    field.step(Move::PageDown);
    assert_eq!(field.cursor(), (3, 1));
}

#[test]
fn up_and_down_go_by_rows_of_the_screen() {
    let mut field = Field::lines("abcdefghijklmnop\nx");
    rows(&field, 5, 5);
    for _ in 0..2 {
        field.step(Move::Right);
    }
    let mut columns = Vec::new();
    for to in [Move::Down, Move::Down, Move::Down, Move::Down, Move::Up, Move::Up] {
        field.step(to);
        columns.push(field.cursor());
    }
    assert_eq!(columns, [(1, 8), (1, 13), (1, 17), (2, 2), (1, 17), (1, 13)]);
}

#[test]
fn a_long_line_follows_the_cursor() {
    let mut text = String::new();
    for no in 0..10_000 {
        write!(text, "{no:05} ").unwrap();
    }
    let mut field = Field::line(&text, 1024);
    assert_eq!(text.len(), 60_000);
    let shown = |field: &Field| rows(field, 40, 1).concat();
    assert!(shown(&field).contains("09999"), "{}", shown(&field));
    for _ in 0..200 {
        field.step(Move::Left);
    }
    assert!(shown(&field).contains("09965"), "{}", shown(&field));
    field.edit(TextVerb::LineStart);
    assert!(shown(&field).starts_with("00000 00001"), "{}", shown(&field));
    assert_eq!(field.text(), text);
}

#[test]
fn a_wide_letter_under_the_cursor_is_shown_whole() {
    let mut field = Field::line("ab日日", 1024);
    field.edit(TextVerb::First);
    for expected in ["a", "b", "日", "日", " "] {
        assert_eq!(reversed(&field, 4, 1), expected);
        field.step(Move::Right);
    }
    let _wide = measured(true);
    let mut field = Field::line("      ü", 1024);
    field.step(Move::Left);
    assert_eq!(reversed(&field, 2, 1), "ü");
}

proptest! {
    #![proptest_config(overrule_testing::cases(21))]

    /// On any screen, after any moves, the cursor is visible, and nothing raw is drawn.
    #[test]
    fn the_cursor_is_always_on_the_screen(
        text in "([a-c <>⟨⟩\n\t\u{1b}ü日“\u{301}]|      ){0,40}",
        moves in prop::collection::vec(0_u8..10, 0..12),
        size in (2_u16..24, 1_u16..5),
        (ascii, wide, single) in any::<(bool, bool, bool)>(),
    ) {
        let _shown = shown_in_ascii(ascii);
        let _wide = measured(wide);
        let mut field = if single { Field::line(&text, 1 << 20) } else { Field::lines(&text) };
        for step in moves {
            rows(&field, size.0, size.1);
            match step {
                0 => field.step(Move::Up),
                1 => field.step(Move::Down),
                2 => field.step(Move::Left),
                3 => field.step(Move::Right),
                4 => field.step(Move::PageDown),
                5 => field.step(Move::PageUp),
                6 => field.edit(TextVerb::WordLeft),
                7 => field.edit(TextVerb::WordRight),
                8 => field.edit(TextVerb::LineEnd),
                _ => field.edit(TextVerb::First),
            }
            prop_assert!(text.is_char_boundary(field.offset()));
        }
        prop_assert!(!reversed(&field, size.0, size.1).is_empty());
        let shown = rows(&field, size.0, size.1).concat();
        prop_assert!(!shown.contains(['\u{1b}', '\t']), "{shown:?}");
        prop_assert!(!ascii || shown.is_ascii(), "{shown:?}");
        prop_assert!(rows(&field, size.0, size.1).iter().all(|row| wide || row.columns() <= usize::from(size.0)));
        prop_assert_eq!(field.text(), text);
    }
}
