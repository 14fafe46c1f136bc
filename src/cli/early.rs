//! What is shown of a long session before it is read: its newest records, and how much is read. Must not know: how a
//! session is read, what is made of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::oneshot;

use crate::console::link::Update;
use crate::domain::envelope::Envelope;
use crate::journal::{self, Place};

/// Bytes of a journal from which on somebody waits for it.
pub const LONG: u64 = 4 << 20;

/// Records that are shown before the others.
const COUNT: usize = 400;

/// Between two words about how far it is.
const STEP: Duration = Duration::from_millis(100);

/// The side of the thread that reads.
#[derive(Debug)]
pub struct Finder {
    place: Place,
    to: oneshot::Sender<Vec<Envelope>>,
}

impl Finder {
    /// Finds the newest records. What is wrong with a session is told when it is read as a whole.
    pub fn find(self) {
        if let Ok(found) = journal::tail(&self.place, COUNT) {
            // Who has left looks at nothing.
            let _ = self.to.send(found);
        }
    }
}

/// The side of the screen.
#[derive(Debug)]
pub struct Early {
    newest: Option<oneshot::Receiver<Vec<Envelope>>>,
    of: u64,
    /// The megabytes that were told last.
    told: Option<u64>,
}

impl Early {
    /// Both sides.
    pub fn of(place: &Place) -> (Self, Finder) {
        let (to, from) = oneshot::channel();
        let early = Self {
            newest: Some(from),
            of: bytes(place),
            told: None,
        };
        let place = place.clone();
        (early, Finder { place, to })
    }

    /// The next that is to be told, where so many bytes are read. May be dropped and asked for again.
    pub async fn next(&mut self, read: &AtomicU64) -> Update {
        loop {
            let done = read.load(Ordering::Relaxed);
            if self.told != Some(done >> 20) {
                self.told = Some(done >> 20);
                return Update::Reading { done, of: self.of };
            }
            let Some(newest) = &mut self.newest else {
                tokio::time::sleep(STEP).await;
                continue;
            };
            let found = tokio::select! {
                biased;
                found = newest => found,
                () = tokio::time::sleep(STEP) => continue,
            };
            self.newest = None;
            if let Ok(found) = found
                && !found.is_empty()
            {
                return Update::Past(found.into_iter().map(Arc::new).collect());
            }
        }
    }
}

/// Bytes of a session's journal.
pub fn bytes(place: &Place) -> u64 {
    std::fs::metadata(place.journal()).map_or(0, |meta| meta.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::recorded::Recorded;
    use crate::console::link::Link as _;
    use crate::domain::event::{Event, RunEvent};
    use crate::domain::id::Seq;
    use crate::journal::Store;
    use crate::resilience::watch::Watch;

    /// A session of so many records of some kilobytes each.
    fn session(store: &Store, count: u64) -> Place {
        let envelope = |n: u64| {
            let reason = format!("{n} {}", "long ".repeat(2000));
            Envelope::bare(n, Event::Run(RunEvent::Paused { reason }))
        };
        let all: Vec<_> = (1..=count).map(envelope).collect();
        let written = store.create_whole(uuid::Uuid::from_u128(7), |writer| {
            all.iter().try_for_each(|envelope| writer.append(envelope))
        });
        written.unwrap()
    }

    fn seqs(events: &[Arc<Envelope>]) -> Vec<u64> {
        events.iter().map(|event| event.seq.0).collect()
    }

    #[tokio::test]
    async fn the_newest_records_of_a_long_session_come_before_it_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let place = session(&Store::open(dir.path()), 600);
        assert!(bytes(&place) > LONG);
        let mut link = Recorded::open(&place, None, Watch::default());
        let first = link.next().await;
        assert!(
            matches!(first, Update::Reading { of, .. } if of == bytes(&place)),
            "{first:?}"
        );
        let (mut early, mut snapshot) = (None, false);
        loop {
            match link.next().await {
                Update::Past(past) if early.is_none() => early = Some((snapshot, seqs(&past))),
                Update::Past(past) => {
                    assert!(snapshot);
                    assert_eq!(seqs(&past), (1..=600).collect::<Vec<_>>());
                    break;
                }
                Update::Snapshot(state) => {
                    assert_eq!(state.seq, Seq(600));
                    snapshot = true;
                }
                Update::Reading { done, of } => assert!(done <= of && !snapshot),
                other => panic!("{other:?}"),
            }
        }
        let (late, early) = early.unwrap();
        assert!(!late);
        assert_eq!(early, (201..=600).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn a_short_session_and_one_that_is_watched_are_shown_as_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let short = session(&Store::open(dir.path().join("a")), 20);
        let long = session(&Store::open(dir.path().join("b")), 600);
        for mut link in [
            Recorded::open(&short, None, Watch::default()),
            Recorded::open(&long, Some(1.0), Watch::default()),
        ] {
            let first = link.next().await;
            assert!(matches!(first, Update::Snapshot(_)), "{first:?}");
        }
    }
}
