//! Background work on long texts that takes too long for a key press or a frame.
//!
//! Must not know: threads, what the results are used for.
//!
//! Each user of a result holds a [`Ticket`]. Work without a live ticket is not started.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use super::doc::Finding;

/// Handle to background work. Dropping the last handle cancels work that is not started.
#[derive(Debug, Default)]
pub struct Ticket(AtomicBool);

impl Ticket {
    /// True once the result is there.
    pub fn is_done(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Marks the result as available.
    pub fn done(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Background work, done outside of drawing frames.
#[derive(Clone)]
pub struct Work {
    ticket: Weak<Ticket>,
    make: Arc<dyn Fn() -> Finding + Send + Sync>,
}

impl Work {
    /// Work to do while the ticket is alive.
    pub fn new(ticket: &Arc<Ticket>, make: impl Fn() -> Finding + Send + Sync + 'static) -> Self {
        Self {
            ticket: Arc::downgrade(ticket),
            make: Arc::new(make),
        }
    }

    /// Runs the work; none if its ticket was dropped.
    pub fn run(self) -> Option<Finding> {
        self.ticket.upgrade()?;
        Some((self.make)())
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work")
            .field("wanted", &self.ticket)
            .finish_non_exhaustive()
    }
}
