//! A list with a cursor, and details of the entry under it.
//!
//! Must not know: keys, how it is drawn.

pub(crate) mod rows;

use std::ops::Range;

pub use rows::{Line, Rows};

use crate::ground::doc::Doc;
use crate::ground::motion::Move;
use crate::ground::seek::Seek;
use crate::kernel::model::screen::Screen;
use crate::run::maker::Maker;
use crate::run::target::Target;
use overrule_domain::id::Seq;

/// Inputs of a list: event, width, other versions, the entry under the cursor.
pub type ListKey = (Seq, u16, u64, Option<Target>);

/// A list.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// Its title.
    pub title: String,
    /// The entries.
    pub items: Vec<Target>,
    /// The entry under the cursor.
    pub selected: Option<Target>,
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
    /// Replaces the entries. The cursor stays on its entry, or at its index.
    pub fn take(&mut self, items: Vec<Target>) {
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

    /// Moves the cursor to the entry on a row of the screen.
    pub fn point_on(&mut self, screen: &Screen, y: u16) {
        let (_, rows, _) = screen.listing(self.rows.count(), self.doc.rows());
        if (rows.top()..rows.bottom()).contains(&y) {
            let line = self.first + usize::from(y - rows.top());
            if let Some(at) = self.rows.entry(line) {
                self.point(at);
            }
        }
    }

    /// Keeps the cursor on the screen.
    pub fn scroll_on(&mut self, screen: &Screen) {
        let (_, rows, more) = screen.listing(self.rows.count(), self.doc.rows());
        self.scroll(usize::from(rows.height), usize::from(more.height));
    }

    /// The entries whose rows are on the screen and not made yet.
    pub fn lacks_on(&self, screen: &Screen) -> Option<Range<usize>> {
        let (_, rows, _) = screen.listing(self.rows.count(), self.doc.rows());
        self.rows
            .lacks(&(self.first..self.first + usize::from(rows.height)))
    }

    /// The text of each entry, for a search in them; `lines` makes the rows of some.
    pub fn texts(&self, lines: impl FnOnce(Range<usize>) -> Vec<Line>) -> Vec<String> {
        let mut rows = self.rows.clone();
        if let Some(lacks) = rows.lacks(&(0..rows.count())) {
            let made = lines(lacks.clone());
            rows.fill(lacks.start, made);
        }
        let mut texts = vec![String::new(); self.items.len()];
        for line in rows.shown(0..rows.count()) {
            if let Some(text) = line.of.and_then(|of| texts.get_mut(of)) {
                text.push_str(&line.words.plain());
                text.push('\n');
            }
        }
        texts
    }

    /// True if the rows were made for the same event, width and version.
    pub fn has_rows_of(&self, of: (Seq, u16, u64)) -> bool {
        self.made
            .is_some_and(|(seq, width, stamp, _)| (seq, width, stamp) == of)
    }

    /// Brings the list up to date: its rows if something changed, the details if another entry is under the cursor.
    /// The rows stay while the cursor goes through them.
    pub fn renew(
        &mut self,
        maker: &mut Maker<'_>,
        stamp: u64,
        rows: impl FnOnce(&mut Maker<'_>, &mut Self),
        details: impl FnOnce(&mut Maker<'_>, &mut Self),
    ) {
        let of = (maker.run.state.seq, maker.width, stamp);
        let stay = self.has_rows_of(of);
        if stay && self.made.is_some_and(|made| made.3 == self.selected) && !self.doc.is_due() {
            return;
        }
        if !stay {
            rows(maker, self);
        }
        maker.doc = Doc::default();
        details(maker, self);
        self.doc = std::mem::take(&mut maker.doc);
        self.made = Some((of.0, of.1, of.2, self.selected));
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
