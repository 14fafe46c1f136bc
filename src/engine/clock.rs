//! The only place where time enters. Must not know: what it is used for.

#![expect(clippy::disallowed_methods, reason = "time enters here and nowhere else")]

use std::time::Instant;

/// Wall time for people, monotonic time for order and durations.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    start: Instant,
}

impl Clock {
    /// A clock that begins now.
    pub fn start() -> Self {
        Self {
            start: Instant::now(),
        }
    }

    /// Milliseconds since this clock began; never goes back.
    pub fn mono_ms(&self) -> u64 {
        self.start.elapsed().as_millis() as u64
    }

    /// UTC milliseconds since 1970, as the machine has it.
    #[allow(
        clippy::unused_self,
        reason = "callers hold a clock and ask it for both times"
    )]
    pub fn utc_ms(&self) -> i64 {
        jiff::Timestamp::now().as_millisecond()
    }
}
