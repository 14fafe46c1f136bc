//! Tests of the lexer on JSON, on any bytes and on text in pieces.
//!
//! Must not know: what the tokens are used for.

use proptest::prelude::*;
use serde_json::Value;

use super::super::{Inside, Lexer, Token, TokenKind, depths};
use super::value;

/// The tokens of a text; they cover it without gaps.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let tokens: Vec<Token<'_>> = Lexer::new(text).collect();
    let mut at = 0;
    for token in &tokens {
        assert_eq!(token.span().start, at, "{text:?}");
        assert_eq!(text.get(token.span()), Some(token.text), "{text:?}");
        assert!(!token.text.is_empty(), "{text:?}");
        at = token.end();
    }
    assert_eq!(at, text.len(), "{text:?}");
    tokens
}

#[test]
fn each_kind_of_token_is_recognized() {
    let text = "{\"a\\\"\" :\t[-1.5e3,true,NaN]}\n\"open\\";
    let found: Vec<_> = tokens(text)
        .into_iter()
        .map(|token| (token.kind, token.text))
        .collect();
    let punct = |text: &'static str| (TokenKind::Punct(text.as_bytes()[0]), text);
    assert_eq!(
        found,
        [
            punct("{"),
            (TokenKind::String, "\"a\\\"\""),
            (TokenKind::Blank, " "),
            punct(":"),
            (TokenKind::Blank, "\t"),
            punct("["),
            (TokenKind::Number, "-1.5e3"),
            punct(","),
            (TokenKind::Word, "true"),
            punct(","),
            (TokenKind::Word, "NaN"),
            punct("]"),
            punct("}"),
            (TokenKind::Blank, "\n"),
            (TokenKind::StringPart, "\"open\\"),
        ]
    );
    assert_eq!(Inside::No.after(text), Inside::Escape);
}

#[test]
fn a_string_is_decoded_only_if_it_is_one() {
    let decoded = |text: &'static str| Lexer::new(text).next().and_then(|token| token.decode());
    assert_eq!(decoded(r#""plain""#).as_deref(), Some("plain"));
    assert_eq!(decoded(r#""\u0041\n""#).as_deref(), Some("A\n"));
    for text in [
        "\"open",
        "\"",
        "\"\n\"",
        r#""\x""#,
        r#""\ud800""#,
        "1",
        "true",
        "",
    ] {
        assert_eq!(decoded(text), None, "{text:?}");
    }
}

#[test]
fn a_bracket_in_a_string_has_no_depth() {
    let text = r#"[{"a]":"{"},[[]]]"#;
    let found: Vec<_> = depths(text).collect();
    assert_eq!(found, [(0, 1), (1, 2), (12, 2), (13, 3)]);
    assert_eq!(depths("]]}[").last(), Some((3, 1)));
}

#[test]
fn deep_and_long_texts_need_no_stack() {
    let deep = "[".repeat(1_000_000);
    assert_eq!(depths(&deep).last(), Some((999_999, 1_000_000)));
    assert_eq!(tokens(&"\\\"".repeat(500_000)).len(), 1 + 1);
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn tokens_of_json_cover_it_and_hold_its_strings(value in value(), pretty in any::<bool>()) {
        let text = if pretty {
            serde_json::to_string_pretty(&value).unwrap()
        } else {
            value.to_string()
        };
        let tokens = tokens(&text);
        let joined: String = tokens.iter().map(|token| token.text).collect();
        prop_assert_eq!(&joined, &text);
        let packed: String = tokens.iter().filter(|token| !token.is_blank()).map(|token| token.text).collect();
        prop_assert_eq!(packed, value.to_string());
        for token in tokens {
            let read = serde_json::from_str::<Value>(token.text);
            match token.kind {
                TokenKind::String => prop_assert_eq!(token.decode().map(Value::from), read.ok()),
                TokenKind::Number => prop_assert!(read.is_ok_and(|read| read.is_number())),
                TokenKind::Word => prop_assert!(read.is_ok_and(|read| read.is_boolean() || read.is_null())),
                TokenKind::Blank => prop_assert!(token.text.trim_ascii().is_empty()),
                TokenKind::Punct(byte) => prop_assert_eq!(token.text.as_bytes(), [byte]),
                TokenKind::StringPart => prop_assert!(false, "{} in {}", token.text, text),
            }
        }
    }

    #[test]
    fn tokens_of_any_bytes_cover_them(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        for token in tokens(&text) {
            let _ = token.decode();
        }
        let _ = depths(&text).count();
    }

    #[test]
    fn a_text_in_pieces_has_the_tokens_of_the_whole(
        text in "[\\[\\]{}:,\"\\\\ \n0-9a†]{0,40}",
        cut in any::<prop::sample::Index>()
    ) {
        let cut = cut.index(text.len() + 1);
        let cut = (0..=cut).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        let (first, second) = text.split_at(cut);
        let inside = Inside::No.after(first);
        prop_assert_eq!(inside.after(second), Inside::No.after(&text));
        let marks = |tokens: Lexer<'_>| -> Vec<usize> {
            tokens
                .filter(|token| matches!(token.kind, TokenKind::Punct(_)))
                .map(|token| token.at)
                .collect()
        };
        let mut found = marks(Lexer::new(first));
        found.extend(marks(Lexer::resume(&text, cut, inside)));
        prop_assert_eq!(found, marks(Lexer::new(&text)));
    }
}
