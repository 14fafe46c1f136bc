//! The field on samples and on any input.

pub(crate) mod drawn;
pub(crate) mod hidden;
pub(crate) mod limits;
pub(crate) mod steps;

use proptest::prelude::*;

use super::*;
use overrule_base::text::shown_in_ascii;

/// Types letters one by one, as keys come.
pub(crate) fn keys(field: &mut Field, text: &str) {
    for c in text.chars() {
        assert_eq!(field.type_in(c.encode_utf8(&mut [0; 4])), 0);
    }
}

#[test]
fn what_was_not_touched_keeps_its_bytes() {
    let text = "a\r\nb\u{202e}c   d \n";
    let mut field = Field::lines(text);
    keys(&mut field, "x");
    assert!(!field.is_unchanged());
    field.edit(TextVerb::Undo);
    assert_eq!(field.text(), text);
    assert!(field.is_unchanged());
}

#[test]
fn what_is_invisible_survives_an_edit() {
    let mut field = Field::lines("b\u{202e}c\r\n");
    keys(&mut field, "x");
    assert_eq!(field.text(), "xb\u{202e}c\r\n");
    assert!(field.shown().contains("⟨U+202E⟩"));
}

#[test]
fn a_paste_shows_what_it_hides() {
    let mut field = Field::line("", 100);
    field.paste("rm\u{200b} -rf\u{1b}[2J\n").unwrap();
    assert_eq!(field.shown(), "rm⟨U+200B⟩ -rf⟨U+001B⟩[2J");
    assert_eq!(field.text(), "rm\u{200b} -rf\u{1b}[2J");
}

#[test]
fn letters_that_look_like_a_mark_stay_letters() {
    for typed in [
        "⟨LF⟩",
        "<LF>",
        "⟨nothing⟩",
        "⟨U+001B⟩",
        "<U+001B>",
        "⟨3 spaces⟩",
        "⟨",
        "⟩⟩",
    ] {
        for ascii in [false, true] {
            let _shown = shown_in_ascii(ascii);
            let mut field = Field::lines("");
            keys(&mut field, typed);
            assert_eq!(field.text(), typed);
            assert_eq!(field.rows(), 1);
            assert_eq!(field.selected(), typed);
            let mut pasted = Field::line("", 100);
            pasted.paste(typed).unwrap();
            assert_eq!(pasted.text(), typed);
            assert_eq!(pasted.shown(), text::visible(typed));
            assert_ne!(field.shown(), text::visible("\n"));
            assert_ne!(field.shown(), text::visible("\u{1b}"));
        }
    }
}

#[test]
fn control_keys_type_nothing() {
    let mut field = Field::lines("");
    for key in ["ctrl-x", "alt-x"] {
        let key = key.parse().unwrap();
        assert!(!field.key(key));
        assert_eq!(field.typed(key), None);
    }
    assert_eq!(field.typed(Key::char('\u{1b}')), None);
    assert!(field.is_empty());
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn any_text_comes_back(text in any::<String>()) {
        let mut field = Field::lines(&text);
        prop_assert_eq!(field.text(), text.clone());
        keys(&mut field, "x");
        prop_assert_eq!(field.text(), format!("x{text}"));
    }

    #[test]
    fn what_is_typed_is_what_is_stored(
        parts in prop::collection::vec(
            prop_oneof![
                Just("⟨".to_owned()), Just("⟩".to_owned()), Just("⟨LF⟩".to_owned()), Just("<LF>".to_owned()),
                Just("<U+001B>".to_owned()), Just("⟨12 spaces⟩".to_owned()), Just("\n".to_owned()),
                Just("\u{1b}[2J".to_owned()), Just("      ".to_owned()), Just("ü".to_owned()), any::<String>(),
            ],
            0..12,
        ),
        ascii in any::<bool>(),
        single in any::<bool>(),
    ) {
        let _shown = shown_in_ascii(ascii);
        let text = parts.concat();
        let open = |text: &str| if single { Field::line(text, 1 << 20) } else { Field::lines(text) };
        let mut typed = open("");
        keys(&mut typed, &text);
        prop_assert_eq!(&typed.text(), &text);
        // The drawing is the same after the text was stored and opened again.
        prop_assert_eq!(typed.shown(), open(&text).shown());
        prop_assert_eq!(drawn::rows(&typed, 30, 8), drawn::rows(&{ let mut again = open(&text); again.to_end(); again }, 30, 8));
        let mut at_once = open("");
        prop_assert_eq!(at_once.type_in(&text), 0);
        prop_assert_eq!(&at_once.text(), &text);
        let mut pasted = open("");
        pasted.paste(&text).unwrap();
        let lines = text.replace("\r\n", "\n").replace('\r', "\n");
        if single {
            prop_assert_eq!(pasted.text(), lines.trim_end_matches('\n').replace('\n', " "));
        } else {
            prop_assert_eq!(pasted.text(), lines);
        }
        for _ in text.chars() {
            typed.edit(TextVerb::Undo);
        }
        if text.chars().count() < 400 {
            prop_assert_eq!(typed.text(), "");
        }
    }
}
