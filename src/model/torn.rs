//! Joins characters that a server splits over two pieces of a text.
//!
//! Must not know: parts, wire formats, streams.
//!
//! A server that counts in UTF-16 cuts between the halves of a surrogate pair; one that counts in bytes cuts inside of a
//! UTF-8 sequence. A piece is kept in WTF-8 (<https://simonsapin.github.io/wtf-8/>), which has a form for half a pair. A
//! byte that is no UTF-8 has the form of PEP 383: byte `b` is the low half `U+DC00 + b`.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The beginning of the low halves that stand for single bytes.
const OF_BYTES: u16 = 0xDC00;
/// What replaces half a character whose other half is missing.
const REPLACED: char = char::REPLACEMENT_CHARACTER;

/// A piece of a text. Its first and its last character may be incomplete.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Piece<'a>(Cow<'a, [u8]>);

impl<'a> Piece<'a> {
    /// Takes WTF-8.
    pub fn new(wtf8: impl Into<Cow<'a, [u8]>>) -> Self {
        Self(wtf8.into())
    }

    /// Returns true if there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if there is nothing but whitespace.
    pub fn is_blank(&self) -> bool {
        self.0.trim_ascii().is_empty()
    }

    /// Returns the text as a whole: halves of characters are replaced.
    pub fn whole(self) -> Cow<'a, str> {
        if let Cow::Borrowed(bytes) = self.0
            && let Ok(text) = str::from_utf8(bytes)
        {
            return Cow::Borrowed(text);
        }
        let mut joiner = Joiner::default();
        let mut text = joiner.push(&self);
        text.extend(joiner.end());
        Cow::Owned(text)
    }
}

impl<'a> From<&'a str> for Piece<'a> {
    fn from(text: &'a str) -> Self {
        Self(Cow::Borrowed(text.as_bytes()))
    }
}

impl From<String> for Piece<'_> {
    fn from(text: String) -> Self {
        Self(Cow::Owned(text.into_bytes()))
    }
}

/// Joins the pieces of one text. At most one incomplete character waits for its rest.
#[derive(Debug, Default)]
pub struct Joiner {
    /// The high half of a pair.
    high: Option<u16>,
    /// The first bytes of a UTF-8 sequence.
    bytes: Vec<u8>,
}

impl Joiner {
    /// Returns the text that a piece completes.
    pub fn push(&mut self, piece: &Piece<'_>) -> String {
        let mut rest = &*piece.0;
        let mut out = String::with_capacity(rest.len());
        while !rest.is_empty() {
            if let Some((unit, tail)) = half(rest) {
                self.half(unit, &mut out);
                rest = tail;
                continue;
            }
            let is_half = |pair: &[u8]| matches!(pair, [0xED, 0xA0..=0xFF]);
            let end = rest.windows(2).position(is_half).unwrap_or(rest.len());
            let (text, tail) = rest.split_at(end);
            out.extend(self.end());
            out.push_str(&String::from_utf8_lossy(text));
            rest = tail;
        }
        out
    }

    /// Ends the text: returns a replacement for a character whose rest did not come.
    pub fn end(&mut self) -> Option<char> {
        let waits = self.high.take().is_some() || !self.bytes.is_empty();
        self.bytes.clear();
        waits.then_some(REPLACED)
    }

    fn half(&mut self, unit: u16, out: &mut String) {
        let is_high = unit < OF_BYTES;
        let pair = self.high.filter(|_| !is_high).map(|high| [high, unit]);
        let character = pair.and_then(|pair| char::decode_utf16(pair).next()?.ok());
        if let Some(character) = character {
            self.high = None;
            out.push(character);
        } else if is_high {
            out.extend(self.end());
            self.high = Some(unit);
        } else if let Some(byte) = u8::try_from(unit - OF_BYTES).ok().filter(|byte| !byte.is_ascii()) {
            self.byte(byte, out);
        } else {
            out.extend(self.end());
            out.push(REPLACED);
        }
    }

    fn byte(&mut self, byte: u8, out: &mut String) {
        self.bytes.push(byte);
        match str::from_utf8(&self.bytes) {
            Ok(text) => {
                out.push_str(text);
                self.bytes.clear();
            }
            // More bytes may complete it.
            Err(error) if error.error_len().is_none() => {}
            Err(_) => {
                let first = self.bytes.len() == 1;
                self.bytes.clear();
                out.push(REPLACED);
                if !first {
                    self.byte(byte, out);
                }
            }
        }
    }
}

/// Splits half a surrogate pair off WTF-8.
fn half(bytes: &[u8]) -> Option<(u16, &[u8])> {
    match bytes.split_first_chunk()? {
        (&[0xED, second @ 0xA0..=0xBF, third], rest) => {
            let unit = 0xD000 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F);
            Some((unit, rest))
        }
        _ => None,
    }
}

/// Returns JSON text from bytes. A byte that is no UTF-8 becomes the escape of its low half, so that a string keeps it.
pub fn json_text(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(out, "\\u{:04x}", OF_BYTES + u16::from(*byte));
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::piece;

    fn joined(raw: &[&[u8]]) -> String {
        let mut joiner = Joiner::default();
        let mut out = String::new();
        for raw in raw {
            let text = json_text(raw).into_owned();
            out += &joiner.push(&piece(&format!("\"{text}\"")).unwrap());
        }
        out.extend(joiner.end());
        out
    }

    #[test]
    fn a_character_is_one_wherever_it_is_split() {
        let text = "aé†😀💀z";
        for cut in 0..=text.len() {
            let (one, other) = text.as_bytes().split_at(cut);
            assert_eq!(joined(&[one, other]), text, "at byte {cut}");
            assert_eq!(
                joined(&[one, b"", other]),
                text,
                "at byte {cut}, with an empty piece"
            );
        }
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(joined(&bytes), text);
        for (one, other) in [
            (r"a\ud83d", r"\ude00b"),
            // The low half has the form of a byte.
            (r"a\uD83D", r"\uDC80b"),
        ] {
            let whole = joined(&[format!("{one}{other}").as_bytes()]);
            assert_eq!(whole.chars().count(), 3, "{whole}");
            assert_eq!(joined(&[one.as_bytes(), other.as_bytes()]), whole);
        }
    }

    #[test]
    fn half_a_character_without_its_rest_is_one_replacement() {
        for (pieces, want) in [
            (&[&br"a\ud83d"[..], b"b"][..], "a\u{FFFD}b"),
            (&[br"a\ud83d"], "a\u{FFFD}"),
            (&[br"\ude00b"], "\u{FFFD}b"),
            (&[br"\ud83d", br"\ud83d", br"\ude00"], "\u{FFFD}😀"),
            (&[br"\ude00\ud83d"], "\u{FFFD}\u{FFFD}"),
            (&[b"a\xE2\x82", b"b"], "a\u{FFFD}b"),
            (&[b"a\xFFb\xE2\x82"], "a\u{FFFD}b\u{FFFD}"),
            (&[b"\xE2\x82", b"\xE2\x82\xAC"], "\u{FFFD}€"),
            (&[b"\xF0\x9F", br"\ude00"], "\u{FFFD}\u{FFFD}"),
        ] {
            assert_eq!(joined(pieces), want, "{pieces:?}");
        }
    }

    #[test]
    fn a_whole_text_has_no_half_characters() {
        let whole = |raw: &str| piece(raw).unwrap().whole().into_owned();
        assert_eq!(whole(r#""plain""#), "plain");
        assert_eq!(whole(r#""a\ud83d\ude00\ud83d""#), "a😀\u{FFFD}");
    }
}
