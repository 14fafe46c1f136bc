//! Bytes that are removed from a text, and the styles that they request.
//!
//! Must not know: the screen.

use proptest::prelude::*;
use regex::Regex;

use super::*;

/// The style at the end of a text.
fn end(text: &str) -> Sgr {
    let painted = painted(text).unwrap();
    at(&painted.runs, painted.text.len())
}

fn fg(fg: Tone) -> Sgr {
    Sgr { fg, ..Sgr::default() }
}

#[test]
fn colours_come_in_sixteen_in_256_and_in_all() {
    for (asked, expected) in [
        ("31", Tone::Index(1)),
        ("97", Tone::Index(15)),
        ("38;5;208", Tone::Index(208)),
        ("38:5:208", Tone::Index(208)),
        ("38;2;1;2;3", Tone::Rgb([1, 2, 3])),
        ("38:2:1:2:3", Tone::Rgb([1, 2, 3])),
        ("38:2::1:2:3", Tone::Rgb([1, 2, 3])),
        ("31;39", Tone::Own),
        ("31;0", Tone::Own),
        ("31;", Tone::Own),
        ("32;38;5;300", Tone::Index(2)),
        ("32;38;9", Tone::Index(2)),
        ("32;38", Tone::Index(2)),
        ("58;5;7;32", Tone::Index(2)),
    ] {
        assert_eq!(end(&format!("\u{1b}[{asked}mx")), fg(expected), "{asked}");
    }
    assert_eq!(end("\u{1b}[44mx").bg, Tone::Index(4));
    assert_eq!(end("\u{1b}[48;5;9mx").bg, Tone::Index(9));
    assert_eq!(end("\u{1b}[107mx").bg, Tone::Index(15));
}

#[test]
fn attributes_come_and_go_and_nothing_blinks_or_hides() {
    let all = end("\u{1b}[1;2;3;4;7;9mx");
    assert!(all.bold && all.faint && all.italic && all.underline && all.reverse && all.strike);
    assert_eq!(end("\u{1b}[1;2;3;4;7;9mx\u{1b}[22;23;24;27;29mx"), Sgr::default());
    assert_eq!(end("\u{1b}[4:3m\u{1b}[4:0mx"), Sgr::default());
    assert_eq!(end("\u{1b}[5;6;8mx"), Sgr::default());
}

#[test]
fn a_style_runs_on_over_lines_until_another_comes() {
    let painted = painted("a\u{1b}[31mb\nc\u{1b}[0md\u{1b}[1me").unwrap();
    assert_eq!(painted.text, "ab\ncde");
    assert_eq!(at(&painted.runs, 0), Sgr::default());
    for byte in 1..4 {
        assert_eq!(at(&painted.runs, byte), fg(Tone::Index(1)), "{byte}");
    }
    assert_eq!(at(&painted.runs, 4), Sgr::default());
    assert!(at(&painted.runs, 5).bold);
    assert_eq!(same_style_len(&painted.runs, 1, 100), 3);
    assert_eq!(same_style_len(&painted.runs, 5, 100), 100);
}

#[test]
fn what_is_no_colour_stays_in_the_text() {
    for text in [
        "plain",
        "\u{1b}[2J",
        "\u{1b}[?1m",
        "\u{1b}[3\n1m",
        "\u{1b}[1 m",
        "\u{1b}]0;title\u{7}",
        "\u{9b}31m",
        "\u{1b}[31",
        "\u{1b}[",
        "\u{1b}\u{1b}",
    ] {
        assert_eq!(painted(text), None, "{text:?}");
        assert!(!has_any(text), "{text:?}");
    }
    // More numbers than are read: the requested style is unknown.
    let many = format!("\u{1b}[{}m", "1;".repeat(32));
    assert_eq!(painted(&many), None);
    assert!(has_any(&format!("{many}\u{1b}[m")));
    let mixed = painted("\u{1b}[31m\u{1b}[2Jx\u{1b}[m").unwrap();
    assert_eq!(mixed.text, "\u{1b}[2Jx");
}

/// Text with many sequences, complete and broken.
fn torn() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "\u{1b}\\[[0-9;:]{0,8}m",
        Just("\u{1b}[38;2;200;30;40m".to_owned()),
        Just("\u{1b}[48;5;17m".to_owned()),
        "\u{1b}|\u{1b}\\[|[0-9;]{1,3}|m",
        "[a-c ]{0,4}",
        "\n|日|\u{301}|\u{202e}",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn what_is_left_is_the_text_without_its_sequences(text in torn()) {
        let sequence = Regex::new("\u{1b}\\[[0-9;:]*m").unwrap();
        let rest = sequence.replace_all(&text, "");
        let painted = painted(&text);
        prop_assert_eq!(painted.is_some(), has_any(&text));
        prop_assert_eq!(painted.is_some(), rest != text);
        let painted = painted.unwrap_or_default();
        if rest != text {
            prop_assert_eq!(&painted.text, &rest);
        }
        let runs: Vec<usize> = painted.runs.iter().map(|run| run.from).collect();
        prop_assert!(runs.is_sorted_by(|a, b| a < b), "{:?}", runs);
        for run in runs {
            prop_assert!(painted.text.is_char_boundary(run));
        }
    }
}
