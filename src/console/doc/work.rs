//! What is worked out about a long text while frames go on: laying out ten megabytes takes longer than a key may wait.
//!
//! Who shows something about the text holds a [`Ticket`]. Work of which every ticket was dropped is not begun. Must not
//! know: threads, what a document is about.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use super::cache::{Compared, Revisions, Same, Shown};
use crate::console::diff;
use crate::console::pager::Pager;
use crate::text::Survey;

/// Held as long as something is waited for.
#[derive(Debug, Default)]
pub struct Ticket(AtomicBool);

impl Ticket {
    /// True once it is there.
    pub fn is_done(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn done(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Something to be worked out, outside of the drawing of frames.
#[derive(Clone)]
pub struct Work {
    pub(super) wanted: Weak<Ticket>,
    pub(super) make: Arc<dyn Fn() -> Finding + Send + Sync>,
}

impl Work {
    /// Works it out; nothing where nobody waits for it any more.
    pub fn run(self) -> Option<Finding> {
        self.wanted.upgrade()?;
        Some((self.make)())
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work")
            .field("wanted", &self.wanted)
            .finish_non_exhaustive()
    }
}

/// What was worked out; goes back to the [`Cache`](super::Cache) that wanted it.
#[derive(Debug, Clone)]
pub struct Finding(pub(super) Found);

#[derive(Debug, Clone)]
pub(super) enum Found {
    Pager(Shown, Arc<Pager>),
    Survey(Same, Arc<Survey>),
    Coloured(Same, bool),
    Difference(Revisions, Arc<[diff::Line]>),
    Compared(Compared, Arc<[diff::Line]>),
}
