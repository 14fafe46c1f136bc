//! Texts of a file system that need not be UTF-8, as they are recorded.
//!
//! Must not know: what they name.

use std::fmt::Write as _;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes that are text nearly always. Recorded as text, or as `{"bytes": "..."}` in hexadecimal where they are not UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RawText(pub Box<[u8]>);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Recorded {
    Text(String),
    Bytes { bytes: String },
}

impl Serialize for RawText {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => to.serialize_str(text),
            Err(_) => Recorded::Bytes {
                bytes: to_hex(&self.0),
            }
            .serialize(to),
        }
    }
}

impl<'de> Deserialize<'de> for RawText {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let bytes = match Recorded::deserialize(from)? {
            Recorded::Text(text) => text.into_bytes(),
            Recorded::Bytes { bytes } => {
                from_hex(&bytes).ok_or_else(|| serde::de::Error::custom("the bytes are not hexadecimal"))?
            }
        };
        Ok(Self(bytes.into()))
    }
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes().chunks(2);
    digits
        .map(|pair| match pair {
            [high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()
            }
            _ => None,
        })
        .collect()
}
