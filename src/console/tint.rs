//! The tokens of a JSON text, piece by piece: for its colours, without reading all of it.
//!
//! Must not know: colours, rows.
//!
//! A piece may begin and end anywhere, as long as it is known whether it begins inside a string.

use std::ops::Range;

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

/// Whether a position in a text is inside a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Inside {
    /// Outside.
    #[default]
    No,
    /// Inside.
    String,
    /// Inside, directly after a backslash.
    Escape,
}

impl Inside {
    /// The state after some bytes, starting from this one.
    pub fn after(self, bytes: &[u8]) -> Self {
        bytes.iter().fold(self, |state, byte| match (state, byte) {
            (Self::No, b'"') | (Self::Escape, _) => Self::String,
            (Self::String, b'\\') => Self::Escape,
            (Self::String, b'"') => Self::No,
            (state, _) => state,
        })
    }
}

/// The tokens of a part of a text, in order. Bytes without a token are left out.
pub fn tints(text: &str, part: Range<usize>, begins: Inside) -> Vec<(Range<usize>, Tint)> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = part.start;
    if begins != Inside::No {
        let end = string_end(bytes, at, begins, part.end + NEAR);
        let tint = of_string(bytes, None, end);
        let end = end.unwrap_or(part.end).min(part.end);
        out.push((at..end, tint));
        at = end;
    }
    while at < part.end {
        let Some(&byte) = bytes.get(at) else { break };
        let (end, tint) = match byte {
            b' ' | b'\t' | b'\n' | b'\r' => (at + 1, Tint::None),
            b'{' | b'}' | b'[' | b']' | b':' | b',' => (at + 1, Tint::Punct),
            b'"' => {
                let end = string_end(bytes, at + 1, Inside::String, part.end + NEAR);
                (end.unwrap_or(part.end), of_string(bytes, Some(at), end))
            }
            _ => {
                let end = word_end(bytes, at);
                (end, of_word(bytes.get(at..end).unwrap_or_default()))
            }
        };
        let end = end.min(part.end);
        if tint != Tint::None {
            out.push((at..end, tint));
        }
        at = end;
    }
    out
}

/// Position after the closing quote, if it is before `limit`. The limit prevents reading a long
/// string for each of its parts.
fn string_end(bytes: &[u8], from: usize, begins: Inside, limit: usize) -> Option<usize> {
    let mut state = begins;
    for (offset, byte) in bytes.get(from..limit.min(bytes.len()))?.iter().enumerate() {
        state = state.after(std::slice::from_ref(byte));
        if state == Inside::No {
            return Some(from + offset + 1);
        }
    }
    None
}

fn of_string(bytes: &[u8], start: Option<usize>, end: Option<usize>) -> Tint {
    let after = end.and_then(|end| bytes.get(end..)).unwrap_or_default();
    let next = after
        .iter()
        .take(NEAR)
        .find(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    if next == Some(&b':') {
        return Tint::Key;
    }
    let dagger = "†".as_bytes();
    let begins = start.and_then(|start| bytes.get(start + 1..));
    if begins.is_some_and(|text| text.starts_with(dagger) && !text.starts_with("††".as_bytes())) {
        return Tint::Reference;
    }
    Tint::String
}

fn word_end(bytes: &[u8], from: usize) -> usize {
    let ends = |byte: &u8| {
        matches!(
            byte,
            b'{' | b'}' | b'[' | b']' | b':' | b',' | b'"' | b' ' | b'\t' | b'\n' | b'\r'
        )
    };
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().position(ends).unwrap_or(rest.len())
}

fn of_word(word: &[u8]) -> Tint {
    match word {
        b"true" | b"false" | b"null" => Tint::Literal,
        [b'-' | b'0'..=b'9', ..] => Tint::Number,
        _ => Tint::None,
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
        #[test]
        fn a_part_is_tokenized_as_in_the_whole(text in r#"[\[\]{},:"\\a1 t\n†日]{0,60}"#, cut in 0usize..80) {
            prop_assume!(text.is_char_boundary(cut.min(text.len())));
            let cut = cut.min(text.len());
            let begins = Inside::No.after(&text.as_bytes()[..cut]);
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
