//! What counts only where it is said twice, by the same key right after the first time. Must not know: keys.

use crate::domain::id::Seq;

/// Milliseconds in which it can be said again: long enough to read what is asked, too short to forget it.
pub const DOUBLE_PRESS_MS: u64 = 10_000;

/// What is said twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// All collected edits are forgotten, as they were at this number.
    Forget(u64),
    /// A rule of the session judges no more.
    DropRule(u32),
    /// An execution did not happen.
    DidNot(Seq),
    /// What stands on top of so many others is closed without what was typed into it.
    Close(usize),
    /// An empty result is given.
    Empty,
}

/// What was said once.
#[derive(Debug, Clone, Copy, Default)]
pub struct DoublePress {
    /// With the key that is carried out now, and when.
    now: Option<(What, u64)>,
    /// With the one right before it, and when.
    before: Option<(What, u64)>,
}

impl DoublePress {
    /// Something was pressed, pasted or pointed at: only what was said right before it can be said again now.
    pub fn pressed(&mut self) {
        self.before = self.now.take();
    }

    /// Whether this was said right before, and not too long ago.
    pub fn is_again(&self, what: What, at: u64) -> bool {
        self.before
            .is_some_and(|(one, then)| one == what && at.saturating_sub(then) <= DOUBLE_PRESS_MS)
    }

    /// It is said for the first time.
    pub fn remember(&mut self, what: What, at: u64) {
        self.now = Some((what, at));
    }
}
