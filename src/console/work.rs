//! What takes longer than a key may wait, worked out beside the frames: long texts.
//!
//! Who shows something of it holds a [`Ticket`]. Work of which every ticket was dropped is not begun. Must not know:
//! threads, what comes of what is worked out.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use super::doc::Finding;

/// Held as long as something is waited for.
#[derive(Debug, Default)]
pub struct Ticket(AtomicBool);

impl Ticket {
    /// True once it is there.
    pub fn is_done(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// It is there.
    pub fn done(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Something to be worked out, outside of the drawing of frames.
#[derive(Clone)]
pub struct Work {
    ticket: Weak<Ticket>,
    make: Arc<dyn Fn() -> Finding + Send + Sync>,
}

impl Work {
    /// What is to be done as long as somebody holds the ticket.
    pub fn new(ticket: &Arc<Ticket>, make: impl Fn() -> Finding + Send + Sync + 'static) -> Self {
        Self {
            ticket: Arc::downgrade(ticket),
            make: Arc::new(make),
        }
    }

    /// Works it out; nothing where nobody waits for it any more.
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
