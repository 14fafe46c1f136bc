//! Holds the open streams: at most one per turn, removed when it ends.
//!
//! Must not know: what is asked.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use overrule_domain::id::TurnId;

/// The streams by turn, each with a number, so that the end of one does not remove its successor.
type Open = BTreeMap<TurnId, (u64, CancellationToken)>;

/// The open streams.
#[derive(Debug, Default)]
pub(super) struct OpenStreams {
    open: Arc<Mutex<Open>>,
    next: u64,
}

impl OpenStreams {
    /// Opens the stream of a turn and closes the previous one, if it is still open.
    pub(super) fn begin(&mut self, turn: TurnId) -> OpenStream {
        self.next += 1;
        let asked = OpenStream {
            turn,
            number: self.next,
            cancel: CancellationToken::new(),
            open: self.open.clone(),
        };
        let before = lock(&self.open).insert(turn, (asked.number, asked.cancel.clone()));
        if let Some((_, before)) = before {
            before.cancel();
        }
        asked
    }

    /// Closes the stream of a turn. Returns false if none was open.
    pub(super) fn abort(&self, turn: TurnId) -> bool {
        let open = lock(&self.open).remove(&turn);
        if let Some((_, cancel)) = &open {
            cancel.cancel();
        }
        open.is_some()
    }

    /// Closes all streams.
    pub(super) fn abort_all(&self) {
        for (_, cancel) in std::mem::take(&mut *lock(&self.open)).into_values() {
            cancel.cancel();
        }
    }

    /// Returns the number of open streams.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        lock(&self.open).len()
    }
}

/// An open stream; dropping it removes it from the open ones.
#[derive(Debug)]
pub(super) struct OpenStream {
    turn: TurnId,
    number: u64,
    /// Cancelled when the stream is no longer needed.
    pub(super) cancel: CancellationToken,
    open: Arc<Mutex<Open>>,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut open = lock(&self.open);
        if open
            .get(&self.turn)
            .is_some_and(|(number, _)| *number == self.number)
        {
            open.remove(&self.turn);
        }
    }
}

fn lock(open: &Mutex<Open>) -> MutexGuard<'_, Open> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_gone_with_its_end_and_takes_no_later_one_along() {
        let mut asks = OpenStreams::default();
        let (first, other) = (asks.begin(TurnId(1)), asks.begin(TurnId(2)));
        let again = asks.begin(TurnId(1));
        assert!(first.cancel.is_cancelled(), "one for each turn");
        assert!(!again.cancel.is_cancelled() && !other.cancel.is_cancelled());
        drop(first);
        assert_eq!(asks.len(), 2, "the later one of its turn is open still");
        drop(again);
        assert_eq!(asks.len(), 1);
        asks.abort(TurnId(1));
        asks.abort(TurnId(2));
        assert!(other.cancel.is_cancelled());
        drop(other);
        assert_eq!(asks.len(), 0);
        let last = asks.begin(TurnId(3));
        asks.abort_all();
        assert!(last.cancel.is_cancelled());
    }
}
