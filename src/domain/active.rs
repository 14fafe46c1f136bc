//! Measures the time during which a call runs or a request is open.
//!
//! Must not know: clocks, who measures with it.
//!
//! Waiting for the operator, a delay or a restart of the program does not make evidence older.

/// Active time, computed from the times of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Active {
    /// Milliseconds up to the last event.
    ms: i64,
    /// UTC milliseconds of the last event if something was running after it.
    since: Option<i64>,
}

impl Active {
    /// Milliseconds so far.
    pub const fn ms(&self) -> i64 {
        self.ms
    }

    /// Adds the time since the last event if something was running. A clock that was set back
    /// subtracts nothing.
    pub fn until(&mut self, at: i64) {
        if let Some(since) = self.since.take() {
            self.ms = self.ms.saturating_add(at.saturating_sub(since).max(0));
        }
    }

    /// Sets whether time counts after this event.
    pub fn from(&mut self, at: i64, busy: bool) {
        self.since = busy.then_some(at);
    }

    /// The process ended at an unknown time: the time since the last event does not count.
    pub fn lost(&mut self) {
        self.since = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_under_way_takes_time() {
        let mut active = Active::default();
        for (at, busy, ms) in [
            (1_000, false, 0),
            (61_000, true, 0),
            (61_500, true, 500),
            (61_400, true, 500),
            (62_400, false, 1_500),
            (99_000, true, 1_500),
        ] {
            active.until(at);
            active.from(at, busy);
            assert_eq!(active.ms(), ms, "at {at}");
        }
        active.lost();
        active.until(200_000);
        assert_eq!(active.ms(), 1_500, "time without a process does not count");
    }
}
