//! Actions that need the same key twice in a row.
//!
//! Must not know: keys.

use crate::run::target::NameHash;
use overrule_domain::id::Seq;

/// Maximum time between the two presses, in milliseconds: long enough to read the question, too
/// short to forget it.
pub const DOUBLE_PRESS_MS: u64 = 10_000;

/// An action that needs a second press.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Drop all staged edits, at this version of the list.
    Forget(u64),
    /// End a server of tools.
    RefuseServer(NameHash),
    /// Report that an execution did not happen.
    DidNot(Seq),
    /// Close the surface above this number of others, and lose its typed text.
    Close(usize),
    /// Give an empty result.
    Empty,
    /// Restore a path in spite of a conflict.
    OverConflict(NameHash),
}

/// State of the first press.
#[derive(Debug, Clone, Copy, Default)]
pub struct DoublePress {
    /// First press by the current key, with its time.
    now: Option<(What, u64)>,
    /// First press by the previous key, with its time.
    before: Option<(What, u64)>,
}

impl DoublePress {
    /// Records any key, paste or click: only the press directly before it can be confirmed.
    pub fn pressed(&mut self) {
        self.before = self.now.take();
    }

    /// True if the same action was pressed directly before, and not too long ago.
    pub fn is_again(&self, what: What, at: u64) -> bool {
        self.before
            .is_some_and(|(one, then)| one == what && at.saturating_sub(then) <= DOUBLE_PRESS_MS)
    }

    /// Records the first press.
    pub fn remember(&mut self, what: What, at: u64) {
        self.now = Some((what, at));
    }
}
