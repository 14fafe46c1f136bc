//! Values as few bytes, for what is rarely looked at: numbers by how far they lie from the one before, short texts once
//! a page, long texts and rare parts as they are, shared with whoever else holds them. What came of that is compressed
//! (LZ4): the records of an agent resemble one another.
//!
//! Only ever read back by the process that wrote it: this is no format of files. What is read is what was written, or
//! nothing. Must not know: when anything is packed, what a page is.

mod records;
mod shapes;
#[cfg(test)]
mod tests;
mod text;

use std::any::Any;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

pub(super) use shapes::pack_fields as fields;

use crate::compact::{self, Reader, folded, unfolded};

/// Texts of at least so many bytes stay as they are: other places mostly hold the same text.
const LONG: usize = 64;
/// The same for texts that nobody else holds.
const LONG_ALONE: usize = 2048;

/// Something that can be packed.
pub trait Pack: Sized {
    /// Writes it.
    fn pack(&self, to: &mut Packer);

    /// Reads it; none where something else was written.
    fn unpack(from: &mut Unpacker<'_>) -> Option<Self>;
}

/// Numbers that follow one another, each kind by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Events.
    Seq,
    /// Nodes.
    Node,
    /// Turns.
    Turn,
    /// Moments.
    Time,
}

/// How many there are.
const LANES: usize = 4;

/// What was packed.
#[derive(Clone)]
pub struct Packed {
    /// What was written, compressed.
    bytes: Box<[u8]>,
    /// Long texts.
    texts: Box<[Arc<str>]>,
    /// Parts that few have.
    parts: Box<[Arc<dyn Any + Send + Sync>]>,
}

impl std::fmt::Debug for Packed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { bytes, texts, parts } = self;
        let (bytes, texts, parts) = (bytes.len(), texts.len(), parts.len());
        write!(f, "{bytes} bytes, {texts} texts, {parts} parts")
    }
}

/// An index without a random seed: what is packed twice is packed equally.
type Places<K> = HashMap<K, u64, BuildHasherDefault<DefaultHasher>>;

/// Writes values.
#[derive(Default)]
pub struct Packer {
    bytes: Vec<u8>,
    texts: Vec<Arc<str>>,
    parts: Vec<Arc<dyn Any + Send + Sync>>,
    /// Short texts that were written, by their content.
    known: Places<Box<str>>,
    /// What is kept as it is, by where it stands in memory.
    places: Places<usize>,
    last: [u64; LANES],
}

/// Reads values.
pub struct Unpacker<'p> {
    left: Reader<'p>,
    packed: &'p Packed,
    known: Vec<Arc<str>>,
    last: [u64; LANES],
}

impl Packer {
    /// Everything that was written.
    pub fn packed(self) -> Packed {
        // A copy of its own size: what a large buffer leaves when it shrinks in place is too small for the next one, and
        // such gaps took as much as the pages.
        let bytes = lz4_flex::block::compress_prepend_size(&self.bytes);
        Packed {
            bytes: Box::from(&*bytes),
            texts: self.texts.into(),
            parts: self.parts.into(),
        }
    }

    /// Writes a byte.
    pub fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Writes a number.
    pub fn number(&mut self, number: u64) {
        compact::push(&mut self.bytes, number);
    }

    /// Writes a number by how far it lies from the one before in its lane; 0 stands for nothing and is none of them.
    pub fn near(&mut self, lane: Lane, number: u64) {
        if number == 0 {
            return compact::push_flagged(&mut self.bytes, true, 0);
        }
        let before = std::mem::replace(&mut self.last[lane as usize], number);
        let far = folded(number.wrapping_sub(before) as i64);
        compact::push_flagged(&mut self.bytes, false, far);
    }

    /// Keeps a part as it is.
    pub fn part<T: Any + Send + Sync>(&mut self, part: &Arc<T>) {
        let place = Arc::as_ptr(part).cast::<()>() as usize;
        let next = self.parts.len() as u64;
        let at = *self.places.entry(place).or_insert(next);
        if at == next {
            self.parts.push(Arc::clone(part) as Arc<dyn Any + Send + Sync>);
        }
        self.number(at);
    }
}

impl Packed {
    /// Reads it; none where something else was written.
    pub fn read<T>(&self, read: impl FnOnce(&mut Unpacker<'_>) -> Option<T>) -> Option<T> {
        let bytes = lz4_flex::block::decompress_size_prepended(&self.bytes).ok()?;
        let mut from = Unpacker {
            left: Reader::new(&bytes),
            packed: self,
            known: Vec::new(),
            last: [0; LANES],
        };
        let all = read(&mut from)?;
        from.left.is_empty().then_some(all)
    }
}

impl Unpacker<'_> {
    /// Reads a byte.
    pub fn byte(&mut self) -> Option<u8> {
        self.left.byte()
    }

    /// Reads a number.
    pub fn number(&mut self) -> Option<u64> {
        self.left.number()
    }

    /// Reads the next number of a lane.
    pub fn near(&mut self, lane: Lane) -> Option<u64> {
        let (is_nothing, far) = self.left.flagged()?;
        if is_nothing {
            return Some(0);
        }
        let last = &mut self.last[lane as usize];
        *last = last.wrapping_add(unfolded(far) as u64);
        Some(*last)
    }

    /// A part that was kept as it is.
    pub fn part<T: Any + Send + Sync>(&mut self) -> Option<Arc<T>> {
        let at = usize::try_from(self.number()?).ok()?;
        Arc::clone(self.packed.parts.get(at)?).downcast().ok()
    }
}
