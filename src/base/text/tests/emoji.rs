//! Tests that joined emoji are shown as they are, and other invisible characters are marked.
//!
//! Must not know: the implementation.
//!
//! The marked ones cause a warning.

use std::fmt::Write as _;

use crate::text::{WarningKind as Kind, parse_visible, spans, submit_warning, survey, visible, visible_line};

/// Emoji that hold characters without a glyph of their own.
const JOINED: [&str; 16] = [
    "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}", // a family
    "\u{1F469}\u{200D}\u{1F469}",
    "\u{1F469}\u{1F3FD}\u{200D}\u{1F4BB}", // a profession, with a skin tone
    "\u{1F937}\u{1F3FB}\u{200D}\u{2642}\u{FE0F}", // a shrug
    "\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}",  // the rainbow flag
    "\u{1F3F4}\u{200D}\u{2620}\u{FE0F}",   // the flag of pirates
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", // England
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}", // Scotland
    "\u{2764}\u{FE0F}",
    "\u{2764}\u{FE0E}",
    "\u{2764}\u{FE0F}\u{200D}\u{1F525}",
    "\u{1F469}\u{200D}\u{2764}\u{FE0F}\u{200D}\u{1F48B}\u{200D}\u{1F468}",
    "1\u{FE0F}\u{20E3}",
    "#\u{FE0F}\u{20E3}",
    "\u{A9}\u{FE0F}",
    "\u{1F441}\u{FE0F}\u{200D}\u{1F5E8}\u{FE0F}",
];

#[test]
fn joined_emoji_are_shown_as_they_are_and_raise_no_warning() {
    let plain = ["\u{1F1E9}\u{1F1EA}", "\u{1F44D}\u{1F3FF}", "\u{1F600}"];
    for emoji in JOINED.into_iter().chain(plain) {
        for text in [
            emoji.to_owned(),
            format!("a {emoji} b"),
            format!("done{emoji}{emoji}!"),
            format!("日{emoji}e\u{301}"),
        ] {
            assert_eq!(visible(&text), text);
            assert_eq!(visible_line(&text), text);
            assert_eq!(parse_visible(&text).as_deref(), Ok(text.as_str()));
            assert_eq!(survey(&text).total(), 0, "{text:?}");
            assert_eq!(submit_warning(&text), None, "{text:?}");
            let whole: String = spans(&text).iter().map(|span| span.text.as_ref()).collect();
            assert_eq!(whole, text);
        }
        // Written with escapes they are the same.
        let mut units = [0; 2];
        let mut escaped = String::new();
        for unit in emoji.chars().flat_map(|c| c.encode_utf16(&mut units).to_vec()) {
            let _ = write!(escaped, "\\u{unit:04x}");
        }
        assert_eq!(
            survey(&format!("{{\"a\":\"{escaped}\"}}")).total(),
            0,
            "{escaped}"
        );
    }
}

#[test]
fn a_joiner_a_selector_or_a_tag_elsewhere_is_marked_and_warned_of() {
    for (text, shown) in [
        ("a\u{200D}b", "a⟨U+200D⟩b"),
        ("\u{200D}\u{1F469}", "⟨U+200D⟩\u{1F469}"),
        ("\u{1F469}\u{200D}", "\u{1F469}⟨U+200D⟩"),
        ("\u{1F469}\u{200D}x", "\u{1F469}⟨U+200D⟩x"),
        (
            "\u{1F469}\u{200D}\u{200D}\u{1F469}",
            "\u{1F469}⟨U+200D⟩⟨U+200D⟩\u{1F469}",
        ),
        ("\u{2764}\u{FE0F}\u{FE0F}", "\u{2764}\u{FE0F}⟨U+FE0F⟩"),
        ("a\u{FE0F}", "a⟨U+FE0F⟩"),
        ("1\u{FE0F}", "1⟨U+FE0F⟩"),
        ("x\u{FE0F}\u{20E3}", "x⟨U+FE0F⟩⟨U+20E3⟩"),
        ("\u{8FBB}\u{E0100}", "\u{8FBB}⟨U+E0100⟩"),
        (
            "\u{1F3F4}\u{E0068}\u{E0069}\u{E007F}",
            "\u{1F3F4}⟨U+E0068⟩⟨U+E0069⟩⟨U+E007F⟩",
        ),
        ("\u{1F469}\u{E0067}", "\u{1F469}⟨U+E0067⟩"),
        ("\u{1F469}\u{200B}\u{1F469}", "\u{1F469}⟨U+200B⟩\u{1F469}"),
    ] {
        assert_eq!(visible(text), shown);
        assert_eq!(parse_visible(shown).as_deref(), Ok(text));
        assert!(
            survey(text).counts.iter().any(|(kind, _)| *kind == Kind::Unseen),
            "{text:?}"
        );
        assert!(submit_warning(text).is_some(), "{text:?}");
    }
    // No emoji continues without end.
    let long = "\u{1F469}\u{200D}".repeat(500);
    let shown = visible(&long);
    assert!(shown.matches("⟨U+200D⟩").count() >= 100, "{}", shown.len());
    assert_eq!(parse_visible(&shown).as_deref(), Ok(long.as_str()));
}

#[test]
fn on_a_screen_of_ascii_they_are_marked_as_all_else_is() {
    let _shown = crate::text::shown_in_ascii(true);
    for emoji in JOINED {
        assert!(visible(emoji).is_ascii());
        assert_eq!(parse_visible(&visible(emoji)).as_deref(), Ok(emoji));
    }
}
