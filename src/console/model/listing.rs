//! A list with a cursor and details: staged edits, branches, a comparison, effects or rules.
//!
//! Must not know: keys, how it is drawn.

mod rows;

pub use rows::{Line, Rows};

use crate::cards;
use crate::doc::Doc;
use crate::model::seek::Seek;
use crate::motion::Move;
use crate::surface::SurfaceId;
use overrule_domain::id::{Epoch, NodeId, Seq};

/// Kind of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// The staged edits.
    StagedEdits,
    /// The branches.
    Branches {
        /// The branch to compare with; none for the current branch.
        marked: Option<Epoch>,
    },
    /// Two branches, node by node.
    Compare {
        /// The one.
        a: Epoch,
        /// The other.
        b: Epoch,
        /// True to list equal nodes too.
        all: bool,
    },
    /// Effects: orphaned ones and those with an unknown outcome, or the whole ledger.
    Effects {
        /// True for the whole ledger; none until it is known whether any effect needs attention.
        all: Option<bool>,
    },
    /// Rules of the session.
    Rules,
}

impl Kind {
    /// Which it is.
    pub const fn id(&self) -> SurfaceId {
        match self {
            Self::StagedEdits => cards::STAGED_EDITS,
            Self::Branches { .. } => cards::BRANCHES,
            Self::Compare { .. } => cards::COMPARE,
            Self::Effects { .. } => cards::EFFECTS,
            Self::Rules => cards::RULES,
        }
    }
}

/// Subject of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// A staged edit, by its number.
    Edit(u64),
    /// A branch.
    Branch(Epoch),
    /// A node of two branches.
    Node(NodeId),
    /// An execution.
    Effect(Seq),
    /// A rule of the session, by its number.
    Rule(u32),
}

/// Inputs of a list: event, width, other versions, the entry under the cursor.
pub type ListKey = (Seq, u16, u64, Option<Item>);

/// A list.
#[derive(Debug, Clone)]
pub struct Listing {
    /// Its kind.
    pub kind: Kind,
    /// Its title.
    pub title: String,
    /// The entries.
    pub items: Vec<Item>,
    /// The entry under the cursor.
    pub selected: Option<Item>,
    /// Index of that entry.
    pub at: usize,
    /// Its rows.
    pub rows: Rows,
    /// First row on screen.
    pub first: usize,
    /// Details of the entry under the cursor.
    pub doc: Doc,
    /// First row of the details on screen.
    pub top: usize,
    /// Search in its rows.
    pub seek: Option<Seek>,
    /// Inputs that it was made for.
    pub made: Option<ListKey>,
}

impl Listing {
    /// A list without rows yet.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            title: String::new(),
            items: Vec::new(),
            selected: None,
            at: 0,
            rows: Rows::default(),
            first: 0,
            doc: Doc::default(),
            top: 0,
            seek: None,
            made: None,
        }
    }

    /// Replaces the entries. The cursor stays on its entry, or at its index.
    pub fn take(&mut self, items: Vec<Item>) {
        let place = items.iter().position(|item| Some(*item) == self.selected);
        self.at = place.unwrap_or_else(|| self.at.min(items.len().saturating_sub(1)));
        self.selected = items.get(self.at).copied();
        self.items = items;
    }

    /// Moves the cursor by an entry. Returns larger steps, which scroll the details.
    pub fn step(&mut self, to: Move) -> Option<Move> {
        let last = self.items.len().saturating_sub(1);
        self.at = match to {
            Move::Up => self.at.saturating_sub(1),
            Move::Down => (self.at + 1).min(last),
            Move::Top => 0,
            Move::Bottom => last,
            other => return Some(other),
        };
        self.selected = self.items.get(self.at).copied();
        self.top = 0;
        None
    }

    /// Moves the cursor to an entry.
    pub fn point(&mut self, at: usize) {
        if at < self.items.len() {
            self.at = at;
            self.selected = self.items.get(at).copied();
            self.top = 0;
        }
    }

    /// Keeps the entry under the cursor, and its details, on screen.
    pub fn scroll(&mut self, rows: usize, more: usize) {
        let mine = self.rows.of(self.at);
        // The headings above the first entry stay visible while there is room.
        self.first = if self.at == 0 { 0 } else { self.first };
        if !mine.is_empty() {
            self.first = self.first.max(mine.end.saturating_sub(rows));
            self.first = self.first.min(mine.start);
        }
        self.first = self.first.min(self.rows.count().saturating_sub(rows));
        self.top = self.top.min(self.doc.rows().saturating_sub(more));
    }
}
