//! Holds the hash of a prefix of a context, and counts of its turns. Those of the whole context continue it.
//!
//! Must not know: what a context is made of.

use std::fmt;
use std::sync::Arc;

use super::id::Seq;

/// The hash of a prefix of a context.
#[derive(Clone)]
pub struct ContextPrefix {
    /// The turns before this place are in it.
    pub(crate) end: u32,
    /// The event with which it was begun. As long as it is continued, nothing in it changed since.
    pub(crate) begun: Seq,
    /// The calls in it.
    pub(crate) calls: u64,
    /// The whole replies of the model in it.
    pub(crate) replies: u32,
    /// True if a turn before its end is suspended.
    pub(crate) has_suspended: bool,
    pub(crate) hasher: Box<blake3::Hasher>,
}

impl ContextPrefix {
    pub(crate) fn new() -> Self {
        let hasher = blake3::Hasher::new_derive_key("overrule context v1");
        Self {
            end: 0,
            begun: Seq(0),
            calls: 0,
            replies: 0,
            has_suspended: false,
            hasher: Box::new(hasher),
        }
    }

    /// Returns the first place of the thread that is not in it.
    pub fn end(&self) -> u32 {
        self.end
    }

    /// Returns the event with which it was begun. As long as it is continued, nothing in it changed since.
    pub fn begun(&self) -> Seq {
        self.begun
    }

    fn hash(&self) -> blake3::Hash {
        self.hasher.finalize()
    }

    pub(crate) fn hex(&self) -> Arc<str> {
        Arc::from(self.hash().to_hex().as_str())
    }
}

impl PartialEq for ContextPrefix {
    fn eq(&self, other: &Self) -> bool {
        (self.end, self.calls, self.hash()) == (other.end, other.calls, other.hash())
    }
}

impl Eq for ContextPrefix {}

impl fmt::Debug for ContextPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContextPrefix")
            .field("end", &self.end)
            .field("calls", &self.calls)
            .field("hash", &self.hash())
            .finish_non_exhaustive()
    }
}
