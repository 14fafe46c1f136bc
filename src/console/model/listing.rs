//! A list with a cursor and more about what is under it: collected edits, branches, two branches side
//! by side, effects. Must not know: keys, how it is drawn.

mod rows;

pub use rows::{Line, Rows};

use crate::console::commands::{Context, Move};
use crate::console::doc::Doc;
use crate::domain::id::{Epoch, NodeId, Seq};

/// What is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// The collected edits.
    StagedEdits,
    /// The branches.
    Branches {
        /// The one to compare with; the one that stands where none is chosen.
        marked: Option<Epoch>,
    },
    /// Two branches, node by node.
    Compare {
        /// The one.
        a: Epoch,
        /// The other.
        b: Epoch,
        /// Nodes that say the same are listed too.
        all: bool,
    },
    /// Effects: those that edits left behind and those in doubt, or the whole ledger.
    Effects {
        /// The whole ledger; none where it is not known yet whether anything needs an eye, which is shown first.
        all: Option<bool>,
    },
    /// Rules of the session.
    Rules,
}

impl Kind {
    /// Where its keys are looked up.
    pub const fn context(&self) -> Context {
        match self {
            Self::StagedEdits => Context::StagedEdits,
            Self::Branches { .. } => Context::Branches,
            Self::Compare { .. } => Context::Compare,
            Self::Effects { .. } => Context::Effects,
            Self::Rules => Context::Rules,
        }
    }
}

/// What an entry stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// A collected edit, by its number.
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

/// What a list was made for: event, width, what may change otherwise, the entry under the cursor.
pub type ListKey = (Seq, u16, u64, Option<Item>);

/// A list.
#[derive(Debug, Clone)]
pub struct Listing {
    /// What is listed.
    pub kind: Kind,
    /// Its title.
    pub title: String,
    /// The entries.
    pub items: Vec<Item>,
    /// The entry under the cursor.
    pub selected: Option<Item>,
    /// Its place.
    pub at: usize,
    /// Its rows.
    pub rows: Rows,
    /// First row on screen.
    pub first: usize,
    /// More about the entry under the cursor.
    pub doc: Doc,
    /// First row of that on screen.
    pub top: usize,
    /// What it was made for.
    pub made: Option<ListKey>,
}

impl Listing {
    /// A list that is not made yet.
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
            made: None,
        }
    }

    /// Takes other entries; the cursor stays on its entry, or on its place.
    pub fn take(&mut self, items: Vec<Item>) {
        let place = items.iter().position(|item| Some(*item) == self.selected);
        self.at = place.unwrap_or_else(|| self.at.min(items.len().saturating_sub(1)));
        self.selected = items.get(self.at).copied();
        self.items = items;
    }

    /// Up and down choose an entry; gives back larger steps, which read more about it.
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

    /// Puts the cursor on an entry.
    pub fn point(&mut self, at: usize) {
        if at < self.items.len() {
            self.at = at;
            self.selected = self.items.get(at).copied();
            self.top = 0;
        }
    }

    /// Keeps the entry under the cursor, and the text about it, on the screen.
    pub fn scroll(&mut self, rows: usize, more: usize) {
        let mine = self.rows.of(self.at);
        // The headings above the first entry stay as long as there is room.
        self.first = if self.at == 0 { 0 } else { self.first };
        if !mine.is_empty() {
            self.first = self.first.max(mine.end.saturating_sub(rows));
            self.first = self.first.min(mine.start);
        }
        self.first = self.first.min(self.rows.count().saturating_sub(rows));
        self.top = self.top.min(self.doc.rows().saturating_sub(more));
    }
}
