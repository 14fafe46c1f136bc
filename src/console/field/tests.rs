//! The field on samples and on anything at all.

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
    let mut field = Field::line("");
    field.paste("rm\u{200b} -rf\u{1b}[2J\n");
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

proptest! {
    #[test]
    fn any_text_comes_back(text in any::<String>()) {
        let mut field = Field::lines(&text);
        prop_assert_eq!(field.text().unwrap(), text.clone());
        field.key(Key::char('x'));
        prop_assert_eq!(field.text().unwrap(), format!("x{text}"));
    }
}
