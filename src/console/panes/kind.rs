//! What every pane does.
//!
//! Must not know: which panes there are.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use ratatui::layout::Rect;

use super::rows::Target;
use super::{graph, inspector, log, queue};
use crate::model::Model;
use crate::motion::Move;
use crate::view::paint::Canvas;

/// Rows that a notch of the wheel moves.
const NOTCH: usize = 3;

/// Where a pane is on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// At the left, or at the top of a narrow screen.
    Graph,
    /// Next to or below the graph.
    Queue,
    /// Below the queue.
    Inspector,
    /// At the bottom, where one of several is shown on demand.
    Lower,
}

/// A kind of pane.
pub trait Kind: Sync {
    /// Its name on the screen. Unique.
    fn name(&self) -> &'static str;

    /// The heading of its keys.
    fn heading(&self) -> &'static str {
        self.name()
    }

    /// The name of the verb that shows it.
    fn verb(&self) -> &'static str {
        self.name()
    }

    /// Its place.
    fn place(&self) -> Place {
        Place::Lower
    }

    /// Brings it up to date before it is drawn in this area.
    fn prepare(&self, model: &mut Model, area: Rect);

    /// Draws it.
    fn draw(&self, model: &Model, canvas: &mut Canvas<'_>, area: Rect);

    /// Carries out a move in it. `page` is its height.
    fn step(&self, model: &mut Model, to: Move, page: usize);

    /// Rows that a notch of the wheel moves.
    fn notch(&self) -> usize {
        NOTCH
    }

    /// Moves its cursor to a column and row below its title line.
    fn point(&self, model: &mut Model, column: u16, row: u16);

    /// The target of the row under its cursor.
    fn target(&self, _model: &Model) -> Target {
        Target::Nothing
    }

    /// The row under its cursor, and the text of each row, for a search in it; empty for a pane that is searched in
    /// another way.
    fn texts(&self, _model: &Model) -> (usize, Vec<String>) {
        (0, Vec::new())
    }

    /// Moves its cursor to a row.
    fn go(&self, _model: &mut Model, _row: usize) {}

    /// True if it changes every second while the run works.
    fn ticks(&self) -> bool {
        false
    }
}

/// A pane: one value of a kind, equal to itself only.
#[derive(Clone, Copy)]
pub struct Pane(&'static dyn Kind);

impl Pane {
    /// The graph.
    pub const GRAPH: Self = graph::PANE;
    /// The queue.
    pub const QUEUE: Self = queue::PANE;
    /// The inspector.
    pub const INSPECTOR: Self = inspector::PANE;
    /// The log.
    pub const LOG: Self = log::PANE;

    /// The pane of a kind.
    pub const fn new(kind: &'static dyn Kind) -> Self {
        Self(kind)
    }
}

impl Deref for Pane {
    type Target = dyn Kind;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

impl fmt::Debug for Pane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl PartialEq for Pane {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Pane {}

impl PartialOrd for Pane {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Pane {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl Hash for Pane {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}
