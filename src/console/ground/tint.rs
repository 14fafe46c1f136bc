//! The tokens of a JSON text, piece by piece: for its colours, without reading all of it.
//!
//! Must not know: colours, rows.
//!
//! A piece may begin and end anywhere, as long as it is known whether it begins inside a string.

use std::ops::Range;

use overrule_base::canon::{Inside, Lexer, TokenKind};

/// Bytes after a part in which the end of its last string, and the colon of a key, are searched.
const NEAR: usize = 256;

/// Token of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tint {
    /// No token.
    #[default]
    None,
    /// The name of a member.
    Key,
    /// A string.
    String,
    /// A string that refers to the result of another call.
    Reference,
    /// A number.
    Number,
    /// `true`, `false`, `null`.
    Literal,
    /// Brackets, commas, colons.
    Punct,
}

/// The tokens of a part of a text, in order. Bytes without a token are left out.
pub fn tints(text: &str, part: Range<usize>, begins: Inside) -> Vec<(Range<usize>, Tint)> {
    // The limit prevents reading a long string for each of its parts.
    let limit = text.len().min(part.end.saturating_add(NEAR));
    let limit = (0..=limit).rev().find(|at| text.is_char_boundary(*at));
    let near = text.get(..limit.unwrap_or_default()).unwrap_or_default();
    let mut lexer = Lexer::resume(near, part.start, begins);
    let mut out = Vec::new();
    while let Some(token) = lexer.next().filter(|token| token.at < part.end) {
        let tint = match token.kind {
            TokenKind::Punct(_) => Tint::Punct,
            TokenKind::Number => Tint::Number,
            TokenKind::Word if matches!(token.text, "true" | "false" | "null") => Tint::Literal,
            TokenKind::Word | TokenKind::Blank => continue,
            _ if lexer.inside() == Inside::No && is_before_colon(text, token.end()) => Tint::Key,
            _ if begins != Inside::No && token.at == part.start => Tint::String,
            _ => of_string(token.text),
        };
        out.push((token.at..token.end().min(part.end), tint));
    }
    out
}

fn is_before_colon(text: &str, at: usize) -> bool {
    let after = text.as_bytes().get(at..).unwrap_or_default();
    let blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    after.iter().take(NEAR).find(|byte| !blank(byte)) == Some(&b':')
}

fn of_string(text: &str) -> Tint {
    let inner = text.strip_prefix("\"†");
    if inner.is_some_and(|rest| !rest.starts_with('†')) {
        Tint::Reference
    } else {
        Tint::String
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> Vec<(&str, Tint)> {
        tints(text, 0..text.len(), Inside::No)
            .into_iter()
            .map(|(range, tint)| (&text[range], tint))
            .collect()
    }

    #[test]
    fn each_kind_of_token_is_recognized() {
        assert_eq!(
            shown(r#"{"a\"b" : -1.5e3, "c":[true,"x:"],"d":"†call.c1","e":"††"}"#),
            [
                ("{", Tint::Punct),
                (r#""a\"b""#, Tint::Key),
                (":", Tint::Punct),
                ("-1.5e3", Tint::Number),
                (",", Tint::Punct),
                ("\"c\"", Tint::Key),
                (":", Tint::Punct),
                ("[", Tint::Punct),
                ("true", Tint::Literal),
                (",", Tint::Punct),
                ("\"x:\"", Tint::String),
                ("]", Tint::Punct),
                (",", Tint::Punct),
                ("\"d\"", Tint::Key),
                (":", Tint::Punct),
                ("\"†call.c1\"", Tint::Reference),
                (",", Tint::Punct),
                ("\"e\"", Tint::Key),
                (":", Tint::Punct),
                ("\"††\"", Tint::String),
                ("}", Tint::Punct),
            ]
        );
    }

    #[test]
    fn what_is_no_json_is_nothing_in_particular() {
        assert_eq!(shown("hello there"), []);
        assert_eq!(shown("\"open"), [("\"open", Tint::String)]);
    }

    proptest! {
        #![proptest_config(overrule_testing::cases(64))]

        #[test]
        fn a_part_is_tokenized_as_in_the_whole(text in r#"[\[\]{},:"\\a1 t\n†日]{0,60}"#, cut in 0usize..80) {
            prop_assume!(text.is_char_boundary(cut.min(text.len())));
            let cut = cut.min(text.len());
            let begins = Inside::No.after(&text[..cut]);
            let is_string = |tint: Tint| matches!(tint, Tint::String | Tint::Key | Tint::Reference);
            let whole = tints(&text, 0..text.len(), Inside::No);
            let at = |tints: &[(Range<usize>, Tint)], byte: usize| {
                tints.iter().find(|(range, _)| range.contains(&byte)).map(|(_, tint)| is_string(*tint))
            };
            let part = tints(&text, cut..text.len(), begins);
            for byte in cut..text.len() {
                prop_assert_eq!(at(&part, byte) == Some(true), at(&whole, byte) == Some(true), "{} in {:?}", byte, text);
            }
        }
    }
}
