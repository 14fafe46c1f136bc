//! How far changes of files can be restored, as an adviser knows it during one decision.
//!
//! Must not know: how files are tracked, who decides.

use std::sync::Arc;

use overrule_domain::sandbox::Tracking;
use overrule_files::{Readiness, Tracker};

/// Tracks the files of the workspace.
pub trait TracksFiles: Send + Sync {
    /// Returns how far changes can be restored now. It does not wait.
    fn tracking(&self) -> Tracking;
}

/// How long calls wait for the first scan, in milliseconds.
const MOST_WAIT_MS: u64 = 10_000;

/// Why a call is not allowed that waited for the first scan.
const TOO_LONG: &str = "the first scan of the files takes longer than 10 s";

/// The tracking of files, constant during a decision.
#[derive(Clone, Default)]
pub struct FileTracking {
    /// Reads and restores files; none where they are not tracked.
    tracker: Option<Tracker>,
    /// Says how far changes can be restored; none where they are not tracked.
    tracks: Option<Arc<dyn TracksFiles>>,
    now: Tracking,
    /// When calls began to wait for the first scan, in milliseconds of the clock; none while none waits.
    awaited: Option<u64>,
    /// True after calls waited for the first scan in vain.
    is_late: bool,
}

impl TracksFiles for Tracker {
    fn tracking(&self) -> Tracking {
        match self.readiness() {
            Readiness::Ready => Tracking::Ready {
                not_restorable: self.not_restorable(),
            },
            Readiness::NotYet => Tracking::NotYet,
            Readiness::Not(why) => Tracking::not(&why),
        }
    }
}

impl FileTracking {
    /// Takes a tracker, or none.
    pub fn of(tracker: Option<Tracker>) -> Self {
        let Some(tracker) = tracker else {
            return Self::default();
        };
        Self {
            tracker: Some(tracker.clone()),
            ..Self::by(Arc::new(tracker))
        }
    }

    /// No tracking, for this reason.
    pub fn not(why: &str) -> Self {
        Self {
            now: Tracking::not(why),
            ..Self::default()
        }
    }

    /// Returns the tracker.
    pub const fn tracker(&self) -> Option<&Tracker> {
        self.tracker.as_ref()
    }

    /// Takes the answers of a tracker.
    pub fn by(tracks: Arc<dyn TracksFiles>) -> Self {
        let mut tracking = Self {
            tracks: Some(tracks),
            ..Self::default()
        };
        tracking.refresh();
        tracking
    }

    /// Asks the tracker again. Called before each decision.
    pub fn refresh(&mut self) {
        let Some(tracks) = &self.tracks else {
            return;
        };
        self.now = tracks.tracking();
        if self.is_late && self.now == Tracking::NotYet {
            self.now = Tracking::not(TOO_LONG);
        }
    }

    /// Notes whether calls wait for the first scan, at a time in milliseconds of the clock. Returns true if they waited and do
    /// no more.
    pub fn note_waiting(&mut self, waits: bool, now: u64) -> bool {
        let waited = self.awaited.is_some();
        self.awaited = waits.then(|| self.awaited.unwrap_or(now));
        waited && !waits
    }

    /// Lets no call wait from now on if they waited for too long, at a time in milliseconds of the clock.
    pub fn look(&mut self, now: u64) {
        let waited = self.awaited.map_or(0, |since| now.saturating_sub(since));
        if waited >= MOST_WAIT_MS {
            self.is_late = true;
            self.refresh();
        }
    }

    /// Returns how far changes can be restored in this decision.
    pub const fn now(&self) -> &Tracking {
        &self.now
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    struct Fake(Mutex<Tracking>);

    impl TracksFiles for Fake {
        fn tracking(&self) -> Tracking {
            self.0.lock().unwrap().clone()
        }
    }

    #[test]
    fn the_answer_is_constant_until_the_next_decision() {
        let fake = Arc::new(Fake(Mutex::new(Tracking::NotYet)));
        let mut tracking = FileTracking::by(fake.clone());
        *fake.0.lock().unwrap() = Tracking::ready();
        assert_eq!(*tracking.now(), Tracking::NotYet);
        tracking.refresh();
        assert_eq!(*tracking.now(), Tracking::ready());
    }

    #[test]
    fn a_scan_that_takes_too_long_is_not_awaited_and_counts_when_it_is_complete() {
        let fake = Arc::new(Fake(Mutex::new(Tracking::NotYet)));
        let mut tracking = FileTracking::by(fake.clone());
        assert!(!tracking.note_waiting(true, 1_000));
        tracking.look(10_999);
        assert_eq!(*tracking.now(), Tracking::NotYet);
        tracking.look(11_000);
        assert_eq!(*tracking.now(), Tracking::not(TOO_LONG));
        assert!(tracking.note_waiting(false, 11_000));
        *fake.0.lock().unwrap() = Tracking::ready();
        tracking.refresh();
        assert_eq!(*tracking.now(), Tracking::ready());
        assert_eq!(*FileTracking::default().now(), Tracking::default());
    }
}
