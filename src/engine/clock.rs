//! Reads the time: the only place that does.
//!
//! Must not know: what it is used for.

#![expect(clippy::disallowed_methods, reason = "time enters here and nowhere else")]

use overrule_domain::envelope::Moment;
// The runtime's instant, so that tests can control time.
use tokio::time::Instant;

/// Wall time for people, monotonic time for order and durations.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    start: Instant,
}

impl Clock {
    /// Starts a clock at the present moment.
    pub fn start() -> Self {
        Self {
            start: Instant::now(),
        }
    }

    /// Returns both times.
    pub fn moment(&self) -> Moment {
        Moment {
            at: self.utc_ms(),
            mono: self.mono_ms(),
        }
    }

    /// Returns the milliseconds since this clock started; never goes back.
    pub fn mono_ms(&self) -> u64 {
        self.start.elapsed().as_millis() as u64
    }

    /// Returns the machine's time in UTC milliseconds since 1970.
    #[allow(
        clippy::unused_self,
        reason = "callers hold a clock and ask it for both times"
    )]
    pub fn utc_ms(&self) -> i64 {
        jiff::Timestamp::now().as_millisecond()
    }
}

/// The time that a run has worked, without waits for the operator.
#[derive(Debug, Clone, Copy, Default)]
pub struct ActiveTime {
    total: u64,
    seen: u64,
    busy: bool,
}

impl ActiveTime {
    /// Notes whether the run is at work from now on.
    pub fn note(&mut self, now_ms: u64, busy: bool) {
        if self.busy {
            self.total += now_ms.saturating_sub(self.seen);
        }
        (self.seen, self.busy) = (now_ms, busy);
    }

    /// Returns the milliseconds worked up to the last note.
    pub const fn ms(self) -> u64 {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::ActiveTime;

    #[test]
    fn only_time_at_work_counts() {
        let mut worked = ActiveTime::default();
        for (now, busy) in [
            (100, false),
            (1_100, true),
            (1_400, true),
            (1_500, false),
            (9_000, true),
        ] {
            worked.note(now, busy);
        }
        assert_eq!(worked.ms(), 400);
        worked.note(9_001, false);
        assert_eq!(worked.ms(), 401);
    }
}
