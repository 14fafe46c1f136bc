//! What takes longer than a key may wait, worked out beside the frames: long texts laid out, rows of a long run.
//!
//! Who shows something of it holds a [`Ticket`]. Work of which every ticket was dropped is not begun. Must not know:
//! threads, what comes of what is worked out.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use super::doc;
use super::effects::Effects;
use super::linked::Linked;
use super::model::count::Counted;
use super::model::folding::Folded;
use super::model::foresight::Outlook;
use super::model::graph;
use super::rows::Tally;
use super::sides::Sides;
use crate::domain::branch::Branch;
use crate::resilience::health::Refusals;

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
    wanted: Weak<Ticket>,
    make: Arc<dyn Fn() -> Option<Finding> + Send + Sync>,
}

impl Work {
    /// What is to be done as long as somebody holds the ticket.
    pub fn new(ticket: &Arc<Ticket>, make: impl Fn() -> Finding + Send + Sync + 'static) -> Self {
        Self {
            wanted: Arc::downgrade(ticket),
            make: Arc::new(move || Some(make())),
        }
    }

    /// Gives back the room of something that nobody wants any more, where that is much.
    pub fn let_go(what: impl Send + Sync + 'static) -> Self {
        let keep = move || {
            let _kept = &what;
            None
        };
        Self {
            wanted: Weak::new(),
            make: Arc::new(keep),
        }
    }

    /// Works it out; nothing where nobody waits for it any more.
    pub fn run(self) -> Option<Finding> {
        self.wanted.upgrade()?;
        (self.make)()
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work")
            .field("wanted", &self.wanted)
            .finish_non_exhaustive()
    }
}

/// What was worked out, for the part that wanted it.
#[derive(Debug, Clone)]
pub enum Finding {
    /// About a long text.
    Text(doc::Finding),
    /// Rows of the graph.
    Rows(Box<graph::Made>),
    /// A run with events folded into it.
    Folded(Box<Folded>),
    /// How the calls of a run stand.
    Tally(Counted<Tally>),
    /// Calls that were refused, by tool.
    Refused(Counted<Refusals>),
    /// What hangs together with the node in the inspector.
    Linked(Counted<Linked>),
    /// What the branches came to.
    Branches(Counted<Vec<Branch>>),
    /// What could change the world.
    Effects(Counted<Effects>),
    /// Two branches side by side.
    Sides(Box<Counted<Sides>>),
    /// What the change that is looked at would do.
    Outlook(Box<Counted<Outlook>>),
}
