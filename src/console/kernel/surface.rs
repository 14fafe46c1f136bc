//! Surfaces: what receives keys. A pane, or what is open on top of the panes.
//!
//! Must not know: which surfaces there are.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// What can be done on several surfaces with the same keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Can {
    /// Its cursor or its rows are moved.
    Move,
    /// Its text or its rows are searched.
    Search,
    /// The palette opens over it.
    Palette,
    /// Help opens over it with the keys of the panes.
    Help,
    /// `close` closes it.
    Close,
    /// `back` closes it: it would change something.
    Back,
    /// Text is typed in it. No key decides anything there.
    Type,
    /// The typed text is finished or dropped as a whole.
    Write,
    /// Files are restored of what its cursor is on.
    Restore,
    /// Paths of a restore are chosen in it.
    Choose,
}

/// All that is known of a surface without its content.
#[derive(Debug)]
pub struct Card {
    /// The heading of its keys in help. Unique: it is its identity.
    pub heading: &'static str,
    /// Where its keys work, as part of a sentence; empty for `in the` and its heading.
    pub place: &'static str,
    /// What can be done on it as on others.
    pub can: &'static [Can],
    /// Verbs whose hints stay at every width.
    pub stays: &'static [&'static str],
    /// True for a text to read: nothing is decided on it.
    pub reads: bool,
    /// True for a question: a narrow screen shows all of its answers.
    pub asks: bool,
    /// True if it only serves changes: it never opens in a recorded run.
    pub changes: bool,
    /// True for a pane.
    pub is_pane: bool,
}

impl Card {
    /// What most surfaces have in common.
    pub const BASE: Self = Self {
        heading: "",
        place: "",
        can: &[],
        stays: &[],
        reads: false,
        asks: false,
        changes: false,
        is_pane: false,
    };
}

/// A surface, equal to itself only.
#[derive(Clone, Copy)]
pub struct SurfaceId(&'static Card);

impl SurfaceId {
    /// The surface with this card.
    pub const fn new(card: &'static Card) -> Self {
        Self(card)
    }

    /// True if this can be done on it.
    pub fn can(self, what: Can) -> bool {
        self.0.can.contains(&what)
    }

    /// True for a text field. No key decides anything there.
    pub fn is_text(self) -> bool {
        self.can(Can::Type)
    }

    /// Where its keys work, as part of a sentence.
    pub fn place(self) -> String {
        match self.0.place {
            "" => format!("in the {}", self.0.heading),
            place => place.to_owned(),
        }
    }
}

impl Deref for SurfaceId {
    type Target = Card;

    fn deref(&self) -> &Card {
        self.0
    }
}

impl fmt::Debug for SurfaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.heading)
    }
}

impl PartialEq for SurfaceId {
    fn eq(&self, other: &Self) -> bool {
        self.0.heading == other.0.heading
    }
}

impl Eq for SurfaceId {}

impl PartialOrd for SurfaceId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SurfaceId {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.heading.cmp(other.0.heading)
    }
}

impl Hash for SurfaceId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.heading.hash(state);
    }
}
