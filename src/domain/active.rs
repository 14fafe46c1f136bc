//! Time during which something was under way: a call, or a request. What only waits, for a person, for a wait to end or
//! for the program to be started again, does not make evidence older. Must not know: clocks, who measures with it.

/// Active time, folded from the times of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Active {
    /// Milliseconds up to the last event.
    ms: i64,
    /// UTC milliseconds of the last event, while something was under way after it.
    since: Option<i64>,
}

impl Active {
    /// Milliseconds so far.
    pub const fn ms(&self) -> i64 {
        self.ms
    }

    /// An event was recorded: what was under way before it was so until now. A clock that was set back takes nothing
    /// away.
    pub fn until(&mut self, at: i64) {
        if let Some(since) = self.since.take() {
            self.ms = self.ms.saturating_add(at.saturating_sub(since).max(0));
        }
    }

    /// What holds from this moment on.
    pub fn from(&mut self, at: i64, busy: bool) {
        self.since = busy.then_some(at);
    }

    /// The process ended at a time that nobody noted: nothing of the time since the last event counts.
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
        assert_eq!(active.ms(), 1_500, "while nobody looked, nothing is known");
    }
}
