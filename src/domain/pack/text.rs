//! Texts in a page: a short one stands there once, spelt hexadecimal numbers as bytes, and a long one is shared.
//!
//! Must not know: what the texts say.

use std::sync::Arc;

use super::{LONG, LONG_ALONE, Packer, Unpacker};

/// The fewest bytes of a hexadecimal number that is written as one.
const HEX: usize = 8;

/// How a text is written. The number before it is its length, or its place among those that stand already.
#[derive(Clone, Copy)]
enum Kind {
    /// It follows.
    Plain = 0,
    /// The bytes that it spells follow.
    Hex = 1,
    /// It was written before.
    Again = 2,
    /// It is kept as it is.
    Long = 3,
}

impl Packer {
    fn head(&mut self, kind: Kind, number: u64) {
        self.number(number << 2 | kind as u64);
    }

    /// Writes a text that others may hold, too.
    pub fn text(&mut self, text: &Arc<str>) {
        self.shared(text, LONG);
    }

    /// Writes a text that nobody else holds.
    pub fn text_alone(&mut self, text: &Arc<str>) {
        self.shared(text, LONG_ALONE);
    }

    fn shared(&mut self, text: &Arc<str>, long: usize) {
        if text.len() < long || is_hex(text) {
            return self.short(text);
        }
        let place = text.as_ptr() as usize;
        let next = self.texts.len() as u64;
        // Where it stands tells it apart from parts, and from texts of the same beginning: both are alive.
        let at = *self.places.entry(place).or_insert(next);
        if at == next {
            self.texts.push(Arc::clone(text));
        }
        self.head(Kind::Long, at);
    }

    /// Writes a text into the page, whatever its length.
    pub fn short(&mut self, text: &str) {
        if let Some(at) = self.known.get(text) {
            let at = *at;
            return self.head(Kind::Again, at);
        }
        self.known.insert(text.into(), self.known.len() as u64);
        if is_hex(text) {
            self.head(Kind::Hex, text.len() as u64 / 2);
            let digit = |digit: u8| {
                if digit < b'a' {
                    digit - b'0'
                } else {
                    digit - b'a' + 10
                }
            };
            let pairs = text.as_bytes().chunks_exact(2);
            self.bytes
                .extend(pairs.map(|pair| digit(pair[0]) << 4 | digit(pair[1])));
        } else {
            self.head(Kind::Plain, text.len() as u64);
            self.bytes.extend_from_slice(text.as_bytes());
        }
    }
}

/// True for a hexadecimal number as hashes are spelt, of whole bytes.
fn is_hex(text: &str) -> bool {
    text.len() >= HEX * 2
        && text.len().is_multiple_of(2)
        && text.len() <= 1024
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

impl<'p> Unpacker<'p> {
    /// Reads a text.
    pub fn text(&mut self) -> Option<Arc<str>> {
        let head = self.number()?;
        let number = usize::try_from(head >> 2).ok()?;
        match head & 3 {
            0 => {
                let bytes = self.bytes(number)?;
                Some(self.know(std::str::from_utf8(bytes).ok()?.into()))
            }
            1 => {
                let bytes = self.bytes(number)?;
                let mut spelt = String::with_capacity(bytes.len() * 2);
                let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
                spelt.extend(digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)));
                Some(self.know(spelt.into()))
            }
            2 => self.known.get(number).cloned(),
            _ => self.packed.texts.get(number).cloned(),
        }
    }

    fn bytes(&mut self, count: usize) -> Option<&'p [u8]> {
        self.left.slice(count)
    }

    fn know(&mut self, text: Arc<str>) -> Arc<str> {
        self.known.push(Arc::clone(&text));
        text
    }
}
