//! The cells of a frame, put together to runs that are written in one go: plain letters side by side of one look.
//!
//! Most of a frame is text, so what is decided for each run and not for each cell costs little. Must not know: in which
//! order runs are written, how a look is said.

use std::ops::Range;

use ratatui::buffer::{Cell, CellDiffOption};
use unicode_width::UnicodeWidthStr as _;

use super::{Looks, ON_BLANK};

/// What a run holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Plain ASCII, a column each.
    Plain,
    /// Nothing but blanks of which only the ground shows.
    Blank,
    /// One letter that is not plain; no terminal draws it wider than two columns.
    Glyph,
    /// Anything else in one cell: how far it reaches is not known.
    Wild,
}

/// What is written in one go.
#[derive(Debug, Clone)]
pub(super) struct Run {
    /// The column of its first cell.
    pub x: u16,
    /// Its row.
    pub y: u16,
    /// What all of it looks like.
    pub looks: Looks,
    /// What it holds.
    pub kind: Kind,
    /// Columns that whoever has another width for its letter has to clear before; 0 for most.
    pub forced: u16,
    /// Its letters, in the text of all runs.
    text: Range<usize>,
}

impl Run {
    /// Cells that it takes; the letters of all others may be as wide as the terminal likes.
    pub fn cells(&self) -> u16 {
        match self.kind {
            Kind::Plain | Kind::Blank => u16::try_from(self.text.len()).unwrap_or(u16::MAX),
            Kind::Glyph | Kind::Wild => 1,
        }
    }

    /// True where every terminal agrees on how wide it is.
    pub const fn is_sure(&self) -> bool {
        matches!(self.kind, Kind::Plain | Kind::Blank)
    }

    /// Takes a cell in that stands to its right; false where that has to be a run of its own.
    fn takes(&mut self, looks: Looks, is_blank: bool) -> bool {
        match (self.kind, is_blank) {
            // A blank goes with what stands before it, and blanks before a text go with that.
            (Kind::Plain, true) => self.looks.shows_blank(looks),
            (Kind::Blank, true) => self.looks.bg == looks.bg,
            (Kind::Blank, false) if looks.shows_blank(self.looks) => {
                self.looks = looks;
                self.kind = Kind::Plain;
                true
            }
            (Kind::Plain, false) => self.looks == looks,
            _ => false,
        }
    }
}

/// The runs of a frame. Kept from one frame to the next, so that none needs new memory.
#[derive(Debug, Default)]
pub(super) struct Runs {
    list: Vec<Run>,
    text: String,
}

impl Runs {
    /// Puts the cells of a frame together: row by row, each from the left.
    pub fn take<'c>(&mut self, cells: impl Iterator<Item = (u16, u16, &'c Cell)>) {
        self.list.clear();
        self.text.clear();
        for (x, y, cell) in cells {
            self.add(x, y, cell);
        }
    }

    fn add(&mut self, x: u16, y: u16, cell: &Cell) {
        let looks = Looks::of(cell);
        let symbol = cell.symbol();
        let forced = match cell.diff_option {
            CellDiffOption::ForcedWidth(columns) => columns.get(),
            _ => 0,
        };
        let is_plain = symbol.len() == 1 && forced == 0;
        let is_blank = is_plain && symbol == " " && !looks.modifier.intersects(ON_BLANK);
        let from = self.text.len();
        self.text.push_str(symbol);
        if is_plain
            && let Some(last) = self.list.last_mut()
            && last.is_sure()
            && (last.y, last.x.saturating_add(last.cells())) == (y, x)
            && last.takes(looks, is_blank)
        {
            last.text.end = self.text.len();
            return;
        }
        let kind = match (is_plain, is_blank) {
            (true, true) => Kind::Blank,
            (true, false) => Kind::Plain,
            _ if forced == 0 && symbol.chars().count() == 1 && symbol.width() == 1 => Kind::Glyph,
            _ => Kind::Wild,
        };
        self.list.push(Run {
            x,
            y,
            looks,
            kind,
            forced,
            text: from..self.text.len(),
        });
    }

    /// As they stand on the screen.
    pub fn list(&self) -> &[Run] {
        &self.list
    }

    /// The letters of a run.
    pub fn text(&self, run: &Run) -> &str {
        self.text.get(run.text.clone()).unwrap_or_default()
    }

    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.list.iter().map(|run| usize::from(run.cells())).sum()
    }
}
