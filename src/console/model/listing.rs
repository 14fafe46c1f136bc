//! A list with a cursor and more about what is under it: collected edits, branches, two branches side
//! by side, effects. Must not know: keys, how it is drawn.

use crate::console::commands::{Context, Move};
use crate::console::doc::{Doc, Styled};
use crate::domain::branch::compare::Comparison;
use crate::domain::id::{Epoch, NodeId, Seq};

/// What is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// The collected edits.
    Collected,
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
        /// The whole ledger.
        all: bool,
    },
    /// Rules of the session.
    Rules,
}

impl Kind {
    /// Where its keys are looked up.
    pub const fn context(&self) -> Context {
        match self {
            Self::Collected => Context::Gathered,
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

/// A row of the list.
#[derive(Debug, Clone)]
pub struct Line {
    /// The entry that it belongs to; none for a heading.
    pub of: Option<usize>,
    /// Its words.
    pub words: Styled,
}

/// What a list was made for: event, width, what may change otherwise, the entry under the cursor.
pub type Made = (Seq, u16, u64, Option<Item>);

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
    /// All rows.
    pub lines: Vec<Line>,
    /// First row on screen.
    pub first: usize,
    /// More about the entry under the cursor.
    pub doc: Doc,
    /// First row of that on screen.
    pub top: usize,
    /// What it was made for.
    pub made: Option<Made>,
    /// Two branches side by side, where that is what is listed.
    pub compared: Option<Compared>,
}

/// What a list of two branches was made of. It stays while the cursor goes through it: a long run takes long to compare.
#[derive(Debug, Clone)]
pub struct Compared {
    /// The run, the width, whether nodes that say the same are listed too.
    pub of: (Seq, u16, bool),
    /// The two.
    pub comparison: Box<Comparison>,
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
            lines: Vec::new(),
            first: 0,
            doc: Doc::default(),
            top: 0,
            made: None,
            compared: None,
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
        let mine = |line: &Line| line.of == Some(self.at);
        let from = self.lines.iter().position(mine).unwrap_or(0);
        let to = self.lines.iter().rposition(mine).unwrap_or(from);
        // The headings above the first entry stay as long as there is room.
        self.first = if self.at == 0 { 0 } else { self.first };
        self.first = self.first.max((to + 1).saturating_sub(rows));
        if from < self.first {
            self.first = from;
        }
        self.first = self.first.min(self.lines.len().saturating_sub(rows));
        self.top = self.top.min(self.doc.rows().saturating_sub(more));
    }
}
