//! Tests the search of a whole text for deceptive parts.

use proptest::prelude::*;

use crate::text::{Survey, WarningKind as Kind, survey};

fn places(found: &Survey) -> Vec<(Kind, &str, usize)> {
    let hits = found.first.iter();
    hits.map(|hit| (hit.kind, hit.word.as_str(), hit.at)).collect()
}

#[test]
fn each_kind_is_found_at_its_position() {
    for (text, expected) in [
        ("p\u{430}ypal", (Kind::MixedScript, "p\u{430}ypal", 0)),
        (r#"{"a":"p\u0430ypal"}"#, (Kind::MixedScript, "p\u{430}ypal", 6)),
        (
            "go to xn--pypal-4ve.com",
            (Kind::Punycode, "xn--pypal-4ve.com", 6),
        ),
        (
            r"http:\/\/b\u00fccher.de\/x",
            (Kind::ForeignHost, "b\u{fc}cher.de", 9),
        ),
        ("ab\u{202e}\u{2066}cd", (Kind::Direction, "\u{202e}\u{2066}", 2)),
        (r"ab\u202E\u2066cd", (Kind::Direction, "\u{202e}\u{2066}", 2)),
        (r"\u001b[2J", (Kind::Control, "\u{1b}", 0)),
        ("a \u{9b}", (Kind::Control, "\u{9b}", 2)),
        (r"\udb40\udc41", (Kind::Unseen, "\u{e0041}", 0)),
        ("a\u{200d}b", (Kind::Unseen, "\u{200d}", 1)),
        ("\u{2503} approved", (Kind::Imitates, "\u{2503}", 0)),
    ] {
        let found = survey(text);
        assert_eq!(places(&found), [expected], "{text}");
        assert_eq!(found.total(), 1);
    }
    // An escaped backslash does not begin an escape.
    for plain in [
        r#"{"a":"\\u0430bc","b":"x\ty\n","c":"\ud800"}"#,
        "ünïcode wörds",
        "日本語 text",
    ] {
        assert_eq!(survey(plain), Survey::default(), "{plain}");
    }
}

#[test]
fn the_whole_text_is_looked_through_and_all_are_counted() {
    let text = format!(
        "{}p\u{430}y {}\u{202e}",
        "x ".repeat(1 << 20),
        "p\u{430}y ".repeat(99)
    );
    let found = survey(&text);
    assert_eq!(found.counts, [(Kind::MixedScript, 100), (Kind::Direction, 1)]);
    assert_eq!(
        places(&found),
        [
            (Kind::MixedScript, "p\u{430}y", 2 << 20),
            (Kind::Direction, "\u{202e}", text.len() - 3)
        ]
    );
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn places_are_places_of_the_text(text in "([a-z \"\\\\/]|\\\\u0430|\\\\ud83d\\\\ude00|п|\u{202e}|\u{200b}|é|://){0,40}") {
        let found = survey(&text);
        for hit in &found.first {
            prop_assert!(text.is_char_boundary(hit.at), "{} in {text:?}", hit.at);
            let there = &text[hit.at..];
            prop_assert!(there.starts_with('\\') || there.starts_with(hit.word.chars().next().unwrap()), "{hit:?} in {text:?}");
        }
        prop_assert!(found.total() >= found.first.len());
    }
}
