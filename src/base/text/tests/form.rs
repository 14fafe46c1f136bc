//! Tests the visible form of samples and of arbitrary text.

use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::table::assert_closed;
use crate::text::{
    Error, Kind, MAX_INDENT, Span, line_spans, parse_lines, parse_visible, shown_in_ascii, spans, survey,
    visible, visible_line, visible_lines,
};

fn shows(text: &str, shown: &str) {
    assert_eq!(visible(text), shown);
    assert_eq!(parse_visible(shown).as_deref(), Ok(text));
}

#[test]
fn ordinary_text_stays_as_it_is() {
    for text in [
        "",
        "ls -la /tmp | grep 'x y'",
        "größer, naïve, Ελληνικά, русский, 日本語のテキスト, 한국어, हिन्दी, ภาษาไทย, العربية, עברית, 🦀 👍🏽 🇩🇪",
        "e\u{301}a\u{308}",
        "a b  c",
        "က\u{102C}",
        "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}",
    ] {
        shows(text, text);
        assert!(spans(text).iter().all(|span| span.kind == Kind::Plain));
    }
}

#[test]
fn what_cannot_be_seen_becomes_a_mark() {
    shows("a\tb\nc\rd", "a⟨TAB⟩b⟨LF⟩c⟨CR⟩d");
    shows(
        "\u{1b}[2J\u{9b}31m\u{7f}\0",
        "⟨U+001B⟩[2J⟨U+009B⟩31m⟨U+007F⟩⟨U+0000⟩",
    );
    shows(
        "a\u{200B}b\u{FEFF}c\u{200D}d\u{AD}e",
        "a⟨U+200B⟩b⟨U+FEFF⟩c⟨U+200D⟩d⟨U+00AD⟩e",
    );
    shows("\u{E0041}\u{E0101}\u{FE0F}", "⟨U+E0041⟩⟨U+E0101⟩⟨U+FE0F⟩");
    shows(
        "\u{A0}\u{2003}\u{3000}\u{2028}\u{2800}",
        "⟨U+00A0⟩⟨U+2003⟩⟨U+3000⟩⟨U+2028⟩⟨U+2800⟩",
    );
    shows("\u{E000}\u{FFFE}\u{0378}", "⟨U+E000⟩⟨U+FFFE⟩⟨U+0378⟩");
}

#[test]
fn brackets_cannot_be_forged() {
    shows("⟨TAB⟩", "⟨U+27E8⟩TAB⟨U+27E9⟩");
    shows("⟨⟨240 spaces⟩", "⟨U+27E8⟩⟨U+27E8⟩240 spaces⟨U+27E9⟩");
    assert_ne!(visible("\t"), visible("⟨TAB⟩"));
}

#[test]
fn blanks_are_counted() {
    shows(
        &format!("rm x{}; rm -rf /", " ".repeat(240)),
        "rm x⟨240 spaces⟩; rm -rf /",
    );
    shows("a  b   c", "a  b⟨3 spaces⟩c");
    shows("a ", "a⟨1 space⟩");
    shows(" ", "⟨1 space⟩");
    shows(" a", " a");
    shows("   a", "⟨3 spaces⟩a");
}

#[test]
fn lines_keep_their_indentation() {
    let text = "fn main() {\n    let a = 1;  \n\n    \n}\r\n";
    let lines = visible_lines(text);
    assert_eq!(
        lines,
        [
            "fn main() {",
            "    let a = 1;⟨2 spaces⟩",
            "",
            "⟨4 spaces⟩",
            "}⟨CR⟩",
            ""
        ]
    );
    assert_eq!(parse_lines(&lines).as_deref(), Ok(text));
    assert_eq!(visible_lines(""), [""]);

    let deep = format!("{}x", " ".repeat(MAX_INDENT));
    assert_eq!(visible_line(&deep), deep);
    let deeper = format!("{}x", " ".repeat(MAX_INDENT + 1));
    assert_eq!(visible_line(&deeper), format!("⟨{} spaces⟩x", MAX_INDENT + 1));
    // Inside the line the narrower limit applies.
    assert_eq!(visible_line("  a   b"), "  a⟨3 spaces⟩b");
}

#[test]
fn marks_on_one_base_are_bounded() {
    let zalgo = format!("e{}", "\u{301}".repeat(6));
    shows(&zalgo, "e\u{301}\u{301}\u{301}\u{301}⟨U+0301⟩⟨U+0301⟩");
    // A mark without a base would be drawn on a bracket or a blank.
    shows("\u{301}a", "⟨U+0301⟩a");
    shows("a \u{301}", "a ⟨U+0301⟩");
    shows("\t\u{301}", "⟨TAB⟩⟨U+0301⟩");

    let many = format!("e{}", "\u{301}".repeat(50_000));
    let shown = visible(&many);
    assert!(shown.graphemes(true).all(|cluster| cluster.len() < 64));
    assert_eq!(parse_visible(&shown).as_deref(), Ok(many.as_str()));
}

#[test]
fn letters_that_join_without_end_are_bounded() {
    // Hangul leading consonants, Malayalam prepended letters, Devanagari conjuncts, skin tones.
    for unit in [
        "\u{1100}",
        "\u{0D4E}",
        "\u{0915}\u{094D}",
        "\u{1F3FB}",
        "\u{1161}",
        "\u{FF9E}",
    ] {
        let text = format!("x{}", unit.repeat(500));
        let shown = visible(&text);
        assert!(
            shown.graphemes(true).all(|cluster| cluster.chars().count() <= 14),
            "{unit:?}"
        );
        assert_eq!(parse_visible(&shown).as_deref(), Ok(text.as_str()));
        assert_closed(&shown);
    }
}

#[test]
fn trojan_source_samples_are_seen_through() {
    // An early return hidden in a comment, a stretched string, an invisible function, a lookalike.
    let samples = [
        (
            "access_level != \"user\u{202E} \u{2066}// Check if admin\u{2069} \u{2066}\"",
            "⟨U+202E⟩ ⟨U+2066⟩//",
        ),
        (
            "/*\u{202E} } \u{2066}if (isAdmin)\u{2069} \u{2066} begin admins only */",
            "/*⟨U+202E⟩ } ⟨U+2066⟩if",
        ),
        ("function is\u{200B}Admin()", "is⟨U+200B⟩Admin"),
        ("print('safe')\u{2028}rm -rf /", "⟨U+2028⟩rm"),
    ];
    for (text, part) in samples {
        let shown = visible(text);
        assert!(shown.contains(part), "{shown}");
        assert_closed(&shown);
        assert_eq!(parse_visible(&shown).as_deref(), Ok(text));
    }
    assert_eq!(survey("s\u{0430}yHello()").total(), 1);
}

#[test]
fn the_mark_of_a_byte_is_no_text() {
    assert_eq!(parse_visible("⟨0x9b⟩"), Err(Error::Byte { at: 0, byte: 0x9b }));
}

#[test]
fn spans_have_the_right_kinds() {
    let found = spans("a\u{202E}b   c");
    let found: Vec<(Kind, &str)> = found.iter().map(|Span { kind, text }| (*kind, &**text)).collect();
    assert_eq!(
        found,
        [
            (Kind::Plain, "a"),
            (Kind::Escaped, "⟨U+202E⟩"),
            (Kind::Plain, "b"),
            (Kind::Blank, "⟨3 spaces⟩"),
            (Kind::Plain, "c"),
        ]
    );
    assert_eq!(line_spans("     c").len(), 1);
}

#[test]
fn typed_text_that_is_no_visible_form_is_refused() {
    for bad in [
        "⟨",
        "a⟩",
        "⟨⟨TAB⟩⟩",
        "⟨tab⟩",
        "⟨U+D800⟩",
        "⟨U+110000⟩",
        "⟨U+20⟩",
        "⟨0x9⟩",
        "⟨ spaces⟩",
        "⟨+3 spaces⟩",
    ] {
        assert!(parse_visible(bad).is_err(), "{bad}");
    }
    assert!(matches!(
        parse_visible("⟨99999999999 spaces⟩"),
        Err(Error::TooLong { at: 0, .. })
    ));
    assert_eq!(parse_visible("typed   text\t"), Ok("typed   text\t".to_owned()));
}

#[test]
fn long_text_takes_one_pass() {
    // These would not finish within the life of a test if any of them were quadratic.
    for unit in ["x", "x \u{301}", "⟨", "   ", "\u{1100}", "日", "\u{202E}"] {
        let text = unit.repeat(100_000 / unit.len());
        assert!(visible(&text).len() >= text.len() / 100 || unit == "   ");
    }
    assert!(parse_visible(&"⟨".repeat(100_000)).is_err());
}

#[test]
fn in_ascii_every_character_has_a_mark_and_only_what_reads_as_one_is_escaped() {
    let samples = [
        ("a\u{202e}b", "a<U+202E>b"),
        ("日本 é", "<U+65E5><U+672C> <U+00E9>"),
        ("⟨TAB⟩", "<U+27E8>TAB<U+27E9>"),
        ("<div> a < b <- c", "<div> a < b <- c"),
        ("<TAB>", "<U+003C>TAB>"),
        ("<U+202E>", "<U+003C>U+202E>"),
        (
            "<0x9b> <3 spaces> <<LF>",
            "<U+003C>0x9b> <U+003C>3 spaces> <<U+003C>LF>",
        ),
        ("<U+", "<U+003C>U+"),
        ("a\tb   ", "a<TAB>b<3 spaces>"),
    ];
    for (text, shown) in samples {
        let _shown = shown_in_ascii(true);
        shows(text, shown);
    }
    shows("<TAB> 日", "<TAB> 日");
}

fn nasty() -> impl Strategy<Value = String> {
    let chars = prop_oneof![
        4 => proptest::char::any(),
        3 => proptest::char::range(' ', '~'),
        2 => Just(' '),
        2 => proptest::char::range('\u{300}', '\u{36F}'),
        1 => proptest::char::range('\u{1100}', '\u{11FF}'),
        1 => proptest::char::range('\u{900}', '\u{D7F}'),
        1 => proptest::char::range('\u{2000}', '\u{206F}'),
        1 => proptest::char::range('\u{E0000}', '\u{E01FF}'),
        1 => proptest::sample::select(vec!['⟨', '⟩', '\n', '\r', '\t', '\u{1b}', '\0', '\u{9b}', '\u{0D4E}', '\u{1F3FB}']),
    ];
    proptest::collection::vec(chars, 0..60).prop_map(|chars| chars.into_iter().collect())
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn the_visible_form_is_closed_and_reads_back(text in nasty()) {
        let shown = visible(&text);
        assert_closed(&shown);
        prop_assert_eq!(parse_visible(&shown), Ok(text.clone()));
        let joined: String = spans(&text).iter().map(|span| span.text.as_ref()).collect();
        prop_assert_eq!(&joined, &shown);
        prop_assert!(shown.is_empty() || shown.width() > 0);
        prop_assert!(!shown.contains("   ") && !shown.ends_with(' '));

        let lines = visible_lines(&text);
        for line in &lines {
            assert_closed(line);
            prop_assert!(!line.ends_with(' '));
        }
        prop_assert_eq!(parse_lines(&lines), Ok(text));
    }

    #[test]
    fn different_texts_look_different(a in nasty(), b in nasty()) {
        prop_assume!(a != b);
        prop_assert_ne!(visible(&a), visible(&b));
        prop_assert_ne!(visible_lines(&a), visible_lines(&b));
    }

    #[test]
    fn in_ascii_it_is_ascii_and_reads_back(text in nasty(), bracketed in "[<>TABLFCRU+0x1-3a-f spce日]{0,40}") {
        let _shown = shown_in_ascii(true);
        for text in [text, bracketed] {
            let shown = visible(&text);
            assert_closed(&shown);
            prop_assert!(shown.is_ascii(), "{shown:?}");
            prop_assert_eq!(parse_visible(&shown), Ok(text.clone()));
            let joined: String = spans(&text).iter().map(|span| span.text.as_ref()).collect();
            prop_assert_eq!(&joined, &shown);
            let lines = visible_lines(&text);
            prop_assert!(lines.iter().all(|line| line.is_ascii()));
            prop_assert_eq!(parse_lines(&lines), Ok(text.clone()));
        }
    }

    /// Rows are built from a long line piece by piece; no mark may arise across a seam.
    #[test]
    fn in_ascii_pieces_of_a_text_make_no_mark_together(text in "[<>TABLFCRU+0x1-3a-f spce]{0,24}", at in 0_usize..25) {
        let _shown = shown_in_ascii(true);
        let at = at.min(text.len());
        prop_assume!(!text[..at].ends_with(' ') && !text[at..].starts_with(' '));
        let shown = format!("{}{}", visible(&text[..at]), visible(&text[at..]));
        prop_assert_eq!(parse_visible(&shown), Ok(text));
    }

    #[test]
    fn reading_never_panics(text in "[⟨⟩U+0-9a-f spceTABLFCR]{0,40}") {
        let _ = parse_visible(&text);
    }
}
