//! Reads the JSON of one data frame level by level, keeping the exact text of deeper levels.
//!
//! Must not know: wire formats, parts, streams.
//!
//! Surplus keys, nulls and oversized numbers are accepted, because servers differ in all of these.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::torn::Piece;
use overrule_base::canon::{Lexer, TokenKind};

/// The members of an object, in order, each value as raw text.
#[derive(Default)]
pub struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Object<'a> {
    /// Parses an object; returns `None` for anything else.
    pub fn read(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Returns the last value under a key, or `None` if it is absent or null.
    pub fn get(&self, key: &str) -> Option<&'a str> {
        let (_, value) = self.0.iter().rev().find(|(name, _)| name == key)?;
        (value.get() != "null").then(|| value.get())
    }

    /// Returns the object under a key.
    pub fn object(&self, key: &str) -> Option<Object<'a>> {
        Object::read(self.get(key)?)
    }

    /// Returns the string under a key.
    pub fn string(&self, key: &str) -> Option<Cow<'a, str>> {
        string(self.get(key)?)
    }

    /// Returns the string under a key, unless it is empty.
    pub fn filled(&self, key: &str) -> Option<Cow<'a, str>> {
        self.string(key).filter(|text| !text.is_empty())
    }

    /// Returns the string under a key as a piece of a longer text; empty if there is none.
    pub fn piece(&self, key: &str) -> Piece<'a> {
        self.get(key).and_then(piece).unwrap_or_default()
    }

    /// Returns the whole number under a key, however it is written.
    pub fn number(&self, key: &str) -> Option<u64> {
        let raw = self.get(key)?;
        serde_json::from_str(raw).ok().or_else(|| {
            let real: f64 = serde_json::from_str(raw).ok()?;
            ((0.0..9e15).contains(&real) && real.fract() == 0.0).then_some(real as u64)
        })
    }

    /// Returns the elements of the array under a key, empty if there is none.
    pub fn array(&self, key: &str) -> Vec<&'a str> {
        self.get(key).map(array).unwrap_or_default()
    }

    /// Returns keys and values in order.
    pub fn into_entries(self) -> Vec<(Cow<'a, str>, &'a RawValue)> {
        self.0
    }

    /// Iterates over keys and raw values in order.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(key, value)| (key.as_ref(), value.get()))
    }
}

/// Replaces numbers that JSON lacks (`NaN`, `Infinity`, `-Infinity`) by `null`, outside of strings. Returns `None` if
/// there are none.
pub fn without_odd_numbers(text: &str) -> Option<String> {
    const ODD: [&str; 3] = ["-Infinity", "Infinity", "NaN"];
    let mut out = String::with_capacity(text.len());
    for token in Lexer::new(text) {
        if matches!(token.kind, TokenKind::Number | TokenKind::Word) {
            let word = token.text.to_owned();
            out += &ODD.iter().fold(word, |word, odd| word.replace(odd, "null"));
        } else {
            out += token.text;
        }
    }
    (out != text).then_some(out)
}

/// Returns JSON text without blanks between its values.
pub fn compact(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let (mut in_string, mut escaped) = (false, false);
    for c in raw.chars() {
        if !in_string && c.is_ascii_whitespace() {
            continue;
        }
        if escaped {
            escaped = false;
        } else if in_string && c == '\\' {
            escaped = true;
        } else if c == '"' {
            in_string = !in_string;
        }
        out.push(c);
    }
    out
}

/// Decodes a JSON string; returns `None` for other JSON. Half a surrogate pair becomes a replacement character, so that the
/// rest of the text is not lost.
pub fn string(raw: &str) -> Option<Cow<'_, str>> {
    piece(raw).map(Piece::whole)
}

/// Decodes a JSON string that may be a piece of a longer text; returns `None` for other JSON.
pub fn piece(raw: &str) -> Option<Piece<'_>> {
    struct Bytes;
    impl<'de> Visitor<'de> for Bytes {
        type Value = Piece<'de>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
            Ok(Piece::new(bytes))
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
            Ok(Piece::new(bytes.to_vec()))
        }
    }
    if !raw.starts_with('"') {
        return None;
    }
    serde_json::Deserializer::from_str(raw)
        .deserialize_bytes(Bytes)
        .ok()
}

/// Returns the member of a JSON object as raw text; `None` if it is absent or null, or the text is no object.
pub fn member<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    Object::read(text)?.get(key)
}

/// Returns the elements of a JSON array as raw text, empty for other JSON.
pub fn array(raw: &str) -> Vec<&str> {
    struct Elements;
    impl<'de> Visitor<'de> for Elements {
        type Value = Vec<&'de str>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut elements = Vec::new();
            while let Some(element) = seq.next_element::<&'de RawValue>()? {
                elements.push(element.get());
            }
            Ok(elements)
        }
    }
    serde_json::Deserializer::from_str(raw)
        .deserialize_seq(Elements)
        .unwrap_or_default()
}

/// Returns true for values without content: null, an empty string, list or object.
pub fn is_empty(raw: &str) -> bool {
    matches!(raw, "null" | "\"\"" | "[]" | "{}")
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry::<Cow<'de, str>, &'de RawValue>()? {
                    entries.push(entry);
                }
                Ok(Object(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}
