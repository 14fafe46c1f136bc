//! Holds the hash of the first part of a context, to be continued.
//!
//! Must not know: what a context is made of.

use std::fmt;
use std::sync::Arc;

/// The hash of the first part of a context, to be continued.
#[derive(Clone)]
pub struct BegunHash {
    /// The turns before this place are in it.
    pub(crate) places: u32,
    /// The calls in it.
    pub(crate) calls: u64,
    pub(crate) hasher: Box<blake3::Hasher>,
}

impl BegunHash {
    pub(crate) fn new() -> Self {
        let hasher = blake3::Hasher::new_derive_key("overrule context v1");
        Self {
            places: 0,
            calls: 0,
            hasher: Box::new(hasher),
        }
    }

    /// Returns the first place of the thread that is not in it.
    pub fn places(&self) -> u32 {
        self.places
    }

    fn hash(&self) -> blake3::Hash {
        self.hasher.finalize()
    }

    pub(crate) fn hex(&self) -> Arc<str> {
        Arc::from(self.hash().to_hex().as_str())
    }
}

impl PartialEq for BegunHash {
    fn eq(&self, other: &Self) -> bool {
        (self.places, self.calls, self.hash()) == (other.places, other.calls, other.hash())
    }
}

impl Eq for BegunHash {}

impl fmt::Debug for BegunHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BegunHash")
            .field("places", &self.places)
            .field("calls", &self.calls)
            .field("hash", &self.hash())
            .finish_non_exhaustive()
    }
}
