//! Panes: their places, and the four that every screen has.
//!
//! Must not know: what a pane shows.

use super::surface::{Card, SurfaceId};

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

/// All that is known of a pane without its content.
#[derive(Debug)]
pub struct PaneCard {
    /// Its name on the screen.
    pub name: &'static str,
    /// Its keys.
    pub surface: Card,
    /// The name of the verb that shows it.
    pub verb: &'static str,
    /// Its place.
    pub place: Place,
    /// Rows that a notch of the wheel moves.
    pub notch: usize,
    /// True if it changes every second while the run works.
    pub ticks: bool,
}

impl PaneCard {
    /// A pane at the bottom, with a verb and a heading of its name.
    pub const fn lower(name: &'static str) -> Self {
        Self::at(name, Place::Lower)
    }

    const fn at(name: &'static str, place: Place) -> Self {
        Self {
            name,
            surface: Card {
                heading: name,
                is_pane: true,
                ..Card::BASE
            },
            verb: name,
            place,
            notch: NOTCH,
            ticks: false,
        }
    }
}

/// A pane, equal to itself only.
#[derive(Debug, Clone, Copy)]
pub struct Pane(&'static PaneCard);

impl Pane {
    /// The graph.
    pub const GRAPH: Self = Self::new(&PaneCard::at("graph", Place::Graph));
    /// The queue. The wheel moves one entry at a time, because keys decide about the selected one.
    pub const QUEUE: Self = Self::new(&PaneCard {
        notch: 1,
        ..PaneCard::at("queue", Place::Queue)
    });
    /// The inspector.
    pub const INSPECTOR: Self = Self::new(&PaneCard::at("inspector", Place::Inspector));
    /// The log.
    pub const LOG: Self = Self::new(&PaneCard::lower("log"));

    /// The pane with this card.
    pub const fn new(card: &'static PaneCard) -> Self {
        Self(card)
    }

    /// Its surface.
    pub const fn id(self) -> SurfaceId {
        SurfaceId::new(&self.0.surface)
    }

    /// Its name on the screen.
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// The name of the verb that shows it.
    pub const fn verb(self) -> &'static str {
        self.0.verb
    }

    /// Its place.
    pub const fn place(self) -> Place {
        self.0.place
    }

    /// Rows that a notch of the wheel moves.
    pub const fn notch(self) -> usize {
        self.0.notch
    }

    /// True if it changes every second while the run works.
    pub const fn ticks(self) -> bool {
        self.0.ticks
    }
}

impl PartialEq for Pane {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl Eq for Pane {}
