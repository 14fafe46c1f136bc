//! Runs the bodies of the fuzz targets on random inputs.
//!
//! Must not know: what the targets check.
//!
//! So the targets and the code that they call cannot rot while the fuzzer is not used.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "support/fuzzed.rs"]
mod fuzzed;

use proptest::prelude::*;

/// Text with much of what is dangerous: marks, blanks, directions, quotes, other scripts.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        "[ -~]{0,12}",
        "[ \\n\\t\\r\\x0b\\x0c]{1,5}",
        Just("⟨".to_owned()),
        "⟨(U\\+[0-9A-F]{1,6}|[0-9]{1,4} space|[0-9A-F]{2})⟩",
        "[\u{202a}-\u{202e}\u{200b}-\u{200f}\u{fe00}-\u{fe0f}日本❯┃✖†]{1,4}",
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Text with sequences of a terminal, whole and torn.
fn coloured() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "\u{1b}\\[[0-9;:]{0,12}m",
        "\u{1b}[\\[\\]P_]?[0-9;?]{0,4}[mHJK\u{7}]?",
        text(),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Something like JSON, whole or cut off.
fn json() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{".to_owned()),
        Just("}".to_owned()),
        Just("[".to_owned()),
        Just("]".to_owned()),
        Just(",".to_owned()),
        Just("\"a\":".to_owned()),
        Just("\"b\": {".to_owned()),
        Just("\"c\": [".to_owned()),
        "\"[ -~]{0,5}\"?",
        "-?[0-9]{1,3}(\\.[0-9])?",
        Just("true".to_owned()),
        text(),
    ];
    proptest::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

#[test]
fn blanks_that_json_does_not_know_are_read_to_their_end() {
    for at in 0..12 {
        fuzzed::json_text(at, "\u{c}'");
        fuzzed::json_text(at, "{\u{c}\"a\":\u{b}[\u{c}1]}");
    }
}

proptest! {
    #[test]
    fn shown(text in text(), bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        fuzzed::shown(text.as_bytes());
        fuzzed::shown(&bytes);
    }

    #[test]
    fn typed(text in text()) {
        fuzzed::typed(&text);
    }

    #[test]
    fn paged(width: u16, words: bool, text in text()) {
        fuzzed::paged(width, words, &text);
    }

    #[test]
    fn ansi(width: u16, words: bool, text in coloured()) {
        fuzzed::ansi(width, words, &text);
    }

    #[test]
    fn json_text(at: u16, text in json()) {
        fuzzed::json_text(at, &text);
    }
}

#[test]
fn every_target_calls_what_is_tried_here() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/fuzz_targets");
    let own = include_str!("fuzzed.rs");
    let mut targets = 0;
    for entry in std::fs::read_dir(dir).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let body = text.split("fuzzed::").nth(1).unwrap();
        let name: String = body
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        assert!(own.contains(&format!("fn {name}(")), "{name} is tried by no test");
        targets += 1;
    }
    assert_eq!(targets, 5);
}
