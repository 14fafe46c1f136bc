//! The time until which something may take.
//!
//! Must not know: what takes it.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The time until which something may take; none for as long as it needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    /// No bound.
    pub(crate) const NONE: Self = Self(None);

    /// A time from now.
    pub(crate) fn after(time: Duration) -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "bounds how long a scan takes; no event has it"
        )]
        let now = Instant::now();
        Self(now.checked_add(time))
    }

    /// The time that is left; none if it has passed.
    pub(crate) fn left(self) -> Option<Duration> {
        #[expect(
            clippy::disallowed_methods,
            reason = "bounds how long a scan takes; no event has it"
        )]
        let now = Instant::now();
        match self.0 {
            None => Some(Duration::MAX),
            Some(at) => at.checked_duration_since(now).filter(|left| !left.is_zero()),
        }
    }

    /// Returns true if it has passed.
    pub(crate) fn is_over(self) -> bool {
        self.left().is_none()
    }
}

/// The time of the system, in nanoseconds since 1970, to compare with those of files.
pub(crate) fn file_time() -> i64 {
    #[expect(
        clippy::disallowed_methods,
        reason = "compared with the times of files; no event has it"
    )]
    let now = SystemTime::now();
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
