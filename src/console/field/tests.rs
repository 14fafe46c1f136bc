//! The field on samples and on anything at all.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

#[test]
fn what_was_not_touched_keeps_its_bytes() {
    let text = "a\r\nb\u{202e}c   d \n";
    let mut field = Field::lines(text);
    field.key(Key::char('x'));
    assert!(!field.is_unchanged());
    field.edit(TextVerb::Undo);
    assert_eq!(field.text().unwrap(), text);
}

#[test]
fn what_is_invisible_survives_an_edit() {
    let mut field = Field::lines("b\u{202e}c\r\n");
    field.key(Key::char('x'));
    assert_eq!(field.text().unwrap(), "xb\u{202e}c\r\n");
    assert!(field.shown().contains("⟨U+202E⟩"));
}

#[test]
fn a_paste_shows_what_it_hides() {
    let mut field = Field::line("", 100);
    field.paste("rm\u{200b} -rf\u{1b}[2J\n").unwrap();
    assert_eq!(field.shown(), "rm⟨U+200B⟩ -rf⟨U+001B⟩[2J");
    assert_eq!(field.text().unwrap(), "rm\u{200b} -rf\u{1b}[2J");
}

#[test]
fn a_broken_mark_is_an_error_not_a_guess() {
    let mut field = Field::lines("");
    for c in "⟨nothing⟩".chars() {
        field.key(Key::char(c));
    }
    assert!(field.text().is_err());
}

#[test]
fn control_keys_type_nothing() {
    let mut field = Field::lines("");
    assert!(!field.key("ctrl-x".parse().unwrap()));
    assert!(!field.key("alt-x".parse().unwrap()));
    assert!(field.is_empty());
}

#[test]
fn a_mark_goes_as_a_whole() {
    let back = Key::plain(Code::Backspace);
    for mark in ["\u{200d}", "\t", "             "] {
        let text = format!("a{mark}b");
        let mut field = Field::lines(&text);
        field.to_end();
        field.step(Move::Left);
        field.step(Move::Left);
        assert_eq!(field.cursor(), (1, 2), "over the mark of {mark:?}");
        assert!(field.key(Key::plain(Code::Delete)));
        assert_eq!(field.shown(), "ab");
        field.edit(TextVerb::Undo);
        assert_eq!(field.text().unwrap(), text, "one undo");
        let mut field = Field::lines(&text);
        field.step(Move::Right);
        field.step(Move::Right);
        assert!(field.key(back));
        assert_eq!(field.shown(), "ab");
        assert_eq!(field.cursor(), (1, 2));
        assert!(field.key(back));
        assert_eq!(field.shown(), "b", "what is no mark goes character by character");
    }
    let mut field = Field::lines("\u{200d}");
    field.edit(TextVerb::Select(Reach::Right));
    assert_eq!(field.selected().unwrap(), "\u{200d}");
}

#[test]
fn brackets_that_are_no_mark_go_one_by_one() {
    let mut field = Field::lines("");
    field.type_in("⟨x⟩");
    assert!(field.key(Key::plain(Code::Backspace)));
    assert_eq!(field.shown(), "⟨x");
    field.type_in("a⟩⟩");
    field.step(Move::Left);
    assert_eq!(field.cursor(), (1, 5));
}

#[test]
fn a_line_that_is_longer_than_the_widget_can_count_follows_the_cursor() {
    let mut text = String::new();
    for no in 0..20_000 {
        write!(text, "{no:05} ").unwrap();
    }
    let mut field = Field::line(&text, 1024);
    assert!(text.len() > 100_000);
    let shown = |field: &Field| {
        let mut terminal = ratatui::Terminal::new(ratatui::backend::TestBackend::new(40, 1)).unwrap();
        terminal
            .draw(|frame| field.draw(frame, frame.area(), Style::default()))
            .unwrap();
        crate::console::testing::text_of(terminal.backend().buffer())
    };
    assert!(shown(&field).contains("19999"), "{}", shown(&field));
    for _ in 0..200 {
        field.step(Move::Left);
    }
    assert!(shown(&field).contains("19965"), "{}", shown(&field));
    field.edit(TextVerb::LineStart);
    assert!(shown(&field).starts_with("00000 00001"), "{}", shown(&field));
    assert_eq!(field.text().unwrap(), text);
}

proptest! {
    #[test]
    fn any_text_comes_back(text in any::<String>()) {
        let mut field = Field::lines(&text);
        prop_assert_eq!(field.text().unwrap(), text.clone());
        field.key(Key::char('x'));
        prop_assert_eq!(field.text().unwrap(), format!("x{text}"));
    }
}
