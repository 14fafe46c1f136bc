//! Joins characters that a server splits over two pieces of a text.
//!
//! Must not know: parts, wire formats, streams.
//!
//! A server that counts in UTF-16 cuts between the halves of a surrogate pair; one that counts in bytes cuts inside of a
//! UTF-8 sequence. A piece is kept in WTF-8 (<https://simonsapin.github.io/wtf-8/>), which has a form for half a pair. A
//! byte `b` that is no UTF-8 is the high half `U+DBFF` and the character `U+E000 + b`: in text, only a low half follows a high
//! one, so nothing else has this form.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The first low half; the halves below it are high.
const LOW: u16 = 0xDC00;
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
            if let Some((byte, tail)) = byte(rest) {
                self.byte(byte, &mut out);
                rest = tail;
                continue;
            }
            if let Some((unit, tail)) = half(rest) {
                self.half(unit, &mut out);
                rest = tail;
                continue;
            }
            // At least one byte is text: no half begins here.
            let is_half = |triple: &[u8]| half(triple).is_some();
            let end = rest.windows(3).position(is_half).unwrap_or(rest.len());
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
        let is_high = unit < LOW;
        let pair = self.high.filter(|_| !is_high).map(|high| [high, unit]);
        let character = pair.and_then(|pair| char::decode_utf16(pair).next()?.ok());
        if let Some(character) = character {
            self.high = None;
            out.push(character);
        } else if is_high {
            out.extend(self.end());
            self.high = Some(unit);
        } else {
            out.extend(self.end());
            out.push(REPLACED);
        }
    }

    fn byte(&mut self, byte: u8, out: &mut String) {
        if self.high.is_some() {
            out.extend(self.end());
        }
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
        (&[0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF], rest) => {
            let unit = 0xD000 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F);
            Some((unit, rest))
        }
        _ => None,
    }
}

/// Splits a byte that is no UTF-8 off WTF-8.
fn byte(bytes: &[u8]) -> Option<(u8, &[u8])> {
    match bytes.split_first_chunk()? {
        (&[0xED, 0xAF, 0xBF, 0xEE, upper @ 0x82..=0x83, lower @ 0x80..=0xBF], rest) => {
            Some(((upper & 0x03) << 6 | lower & 0x3F, rest))
        }
        _ => None,
    }
}

/// Returns JSON text from bytes. A byte that is no UTF-8 becomes the escapes of its form, so that a string keeps it.
pub fn json_text(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(out, "\\udbff\\ue0{byte:02x}");
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

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
        for (one, other) in [(r"a\ud83d", r"\ude00b"), (r"a\uD83D", r"\uDC80b")] {
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
            // Halves of a pair and bytes of a sequence are not each other's rest.
            (&[br"\ud83d", b"\x80b"], "\u{FFFD}\u{FFFD}b"),
            (&[br"\ud83d", b"\xE2\x82", b"\xAC"], "\u{FFFD}€"),
            (&[br"\udce2\udc82\udcac"], "\u{FFFD}\u{FFFD}\u{FFFD}"),
            (&[b"\xE2", br"\udc82\udcac"], "\u{FFFD}\u{FFFD}\u{FFFD}"),
            (&[br"\udbff", "\u{E0AC}".as_bytes()], "\u{FFFD}\u{E0AC}"),
            (&[br"\udbff", br"\udc00"], "\u{10FC00}"),
        ] {
            assert_eq!(joined(pieces), want, "{pieces:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_read_to_their_end() {
        for (bytes, want) in [
            (&[0xED, 0xA0][..], "\u{FFFD}\u{FFFD}"),
            (&[0xED, 0xC0], "\u{FFFD}\u{FFFD}"),
            (&[0xED], "\u{FFFD}"),
            (&[0xED, 0xA0, 0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
            (&[0xED, 0xA0, b'x'], "\u{FFFD}\u{FFFD}x"),
            (&[0xED, 0xAF, 0xBF, 0xEE, 0x81, 0xBF], "\u{FFFD}\u{E07F}"),
        ] {
            assert_eq!(Piece::new(bytes).whole(), want, "{bytes:?}");
        }
    }

    /// Bytes, often those that halves and sequences consist of.
    fn odd_byte() -> impl Strategy<Value = u8> {
        prop_oneof![
            prop::sample::select(vec![
                0xED, 0xA0, 0xAF, 0xBF, 0xB0, 0x80, 0xEE, 0x82, 0xC0, 0xF0, b'a'
            ]),
            any::<u8>()
        ]
    }

    proptest! {
        #![proptest_config(overrule_testing::cases(256))]

        #[test]
        fn any_pieces_come_to_an_end(pieces in vec(vec(odd_byte(), 0..12), 0..6)) {
            let mut joiner = Joiner::default();
            let mut out = String::new();
            for piece in &pieces {
                out += &joiner.push(&Piece::new(piece.as_slice()));
            }
            out.extend(joiner.end());
            prop_assert!(out.chars().count() <= pieces.concat().len());
        }

        #[test]
        fn valid_text_in_any_pieces_comes_out_equal(
            text in "[a-zé†😀💀\u{10FC80}\u{E0AC}\u{FFFD}]{0,12}",
            cuts in vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let cut = |len: usize| {
                let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(len + 1)).collect();
                ends.extend([0, len]);
                ends.sort_unstable();
                ends
            };
            let bytes = cut(text.len());
            let raw: Vec<&[u8]> = bytes.windows(2).map(|ends| &text.as_bytes()[ends[0]..ends[1]]).collect();
            prop_assert_eq!(&joined(&raw), &text);
            let units: Vec<u16> = text.encode_utf16().collect();
            let escaped: Vec<String> = cut(units.len())
                .windows(2)
                .map(|ends| units[ends[0]..ends[1]].iter().fold(String::new(), |out, unit| format!("{out}\\u{unit:04x}")))
                .collect();
            let raw: Vec<&[u8]> = escaped.iter().map(String::as_bytes).collect();
            prop_assert_eq!(&joined(&raw), &text);
        }
    }

    #[test]
    fn a_whole_text_has_no_half_characters() {
        let whole = |raw: &str| piece(raw).unwrap().whole().into_owned();
        assert_eq!(whole(r#""plain""#), "plain");
        assert_eq!(whole(r#""a\ud83d\ude00\ud83d""#), "a😀\u{FFFD}");
    }
}
