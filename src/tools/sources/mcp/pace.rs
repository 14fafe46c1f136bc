//! How often the list of a server's tools is read again.
//!
//! Must not know: how it is read.

use std::time::Duration;

use tokio::time::Instant;

/// The shortest time between two readings; each further change doubles it.
const LEAST: Duration = Duration::from_millis(250);
/// The longest time between two readings.
const MOST: Duration = Duration::from_secs(60);

/// Keeps a server that changes its tools all the time from being read all the time.
pub(super) struct Pace {
    /// When the list was read last.
    read: Instant,
    /// When it differed last from the list before.
    changed: Instant,
    /// The changes in a row, without a quiet minute.
    changes: u32,
}

impl Pace {
    pub(super) fn new() -> Self {
        let now = Instant::now();
        Self {
            read: now,
            changed: now,
            changes: 0,
        }
    }

    /// Notes that the list was read.
    pub(super) fn read(&mut self, is_other: bool) {
        self.read = Instant::now();
        if is_other {
            if self.read - self.changed > MOST {
                self.changes = 0;
            }
            self.changes = self.changes.saturating_add(1);
            self.changed = self.read;
        }
    }

    /// Waits until the list may be read again.
    pub(super) async fn wait(&self) {
        let doubled = 1_u32.checked_shl(self.changes).unwrap_or(u32::MAX);
        tokio::time::sleep_until(self.read + LEAST.saturating_mul(doubled).min(MOST)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_server_that_changes_all_the_time_is_read_ever_more_rarely() {
        let mut pace = Pace::new();
        let mut waits = Vec::new();
        for _ in 0..12 {
            let began = Instant::now();
            pace.wait().await;
            waits.push(began.elapsed().as_millis());
            pace.read(true);
        }
        assert_eq!(waits[..4], [250, 500, 1_000, 2_000]);
        assert_eq!(waits[11], 60_000);
        // A list that stays the same costs nothing further, and a quiet time is forgiven.
        pace.read(false);
        tokio::time::sleep(MOST * 2).await;
        pace.read(true);
        let began = Instant::now();
        pace.wait().await;
        assert_eq!(began.elapsed().as_millis(), 500);
    }
}
