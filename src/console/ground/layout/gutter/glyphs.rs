//! From the masks of a row to cells, and from cells to characters.
//!
//! Must not know: how rows come to be.

use std::hash::Hash;

use super::{Gutter, MAX_SPAN, Row, Shape};

/// One column of a row: a set of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cell(pub u16);

impl Cell {
    /// A line in the upper half.
    pub const UP: u16 = 1;
    /// A line in the lower half.
    pub const DOWN: u16 = 2;
    /// A line in the left half.
    pub const LEFT: u16 = 4;
    /// A line in the right half.
    pub const RIGHT: u16 = 8;
    /// The row's node.
    pub const NODE: u16 = 16;
    /// The vertical line passes over the horizontal one; they do not touch.
    pub const CROSS: u16 = 32;
    /// A node above in this lane still waits for a child.
    pub const OPEN: u16 = 64;
    /// The row's node is beyond the last lane.
    pub const BEYOND: u16 = 128;
    /// The vertical line leads past nodes that have no row.
    pub const THIN: u16 = 256;

    /// True if one of these bits is set.
    pub const fn has(self, bits: u16) -> bool {
        self.0 & bits != 0
    }

    /// True where nothing is drawn.
    pub const fn is_blank(self) -> bool {
        self.0 == 0
    }
}

/// How lines are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Line {
    /// Box-drawing characters.
    #[default]
    Unicode,
    /// Only ASCII.
    Ascii,
}

/// The characters of one kind of line. All are one column wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glyphs {
    /// By the four direction bits.
    lines: [char; 16],
    cross: char,
    thin: char,
    open: char,
    node: char,
    beyond: char,
    /// Before the name of a parent without a line.
    pub chip: char,
    /// On both sides of the text of a fold row.
    pub fold: char,
}

const UNICODE: Glyphs = Glyphs {
    lines: [
        ' ', '╵', '╷', '│', '╴', '╯', '╮', '┤', '╶', '╰', '╭', '├', '─', '┴', '┬', '┼',
    ],
    cross: '│',
    thin: '┆',
    open: '┊',
    node: '●',
    beyond: '~',
    chip: '⤷',
    fold: '┄',
};
const ASCII: Glyphs = Glyphs {
    lines: [
        ' ', '\'', '.', '|', '-', '\'', '.', '+', '-', '`', '.', '+', '-', '+', '+', '+',
    ],
    cross: '|',
    thin: ';',
    open: ':',
    node: '*',
    beyond: '~',
    chip: '>',
    fold: '-',
};

impl Glyphs {
    /// The characters of a kind of line.
    pub const fn of(line: Line) -> &'static Self {
        match line {
            Line::Unicode => &UNICODE,
            Line::Ascii => &ASCII,
        }
    }

    /// The character of a cell. A node is drawn as `node` if one is given, also after the last
    /// lane.
    pub fn of_cell(&self, cell: Cell, node: Option<char>) -> char {
        let lines = cell.0 & (Cell::UP | Cell::DOWN | Cell::LEFT | Cell::RIGHT);
        if cell.has(Cell::BEYOND) {
            node.unwrap_or(self.beyond)
        } else if cell.has(Cell::NODE) {
            node.unwrap_or(self.node)
        } else if cell.has(Cell::THIN) {
            self.thin
        } else if cell.has(Cell::CROSS) {
            self.cross
        } else if lines == 0 && cell.has(Cell::OPEN) {
            self.open
        } else {
            self.lines.get(lines as usize).copied().unwrap_or(' ')
        }
    }
}

impl<K: Copy + Eq + Hash> Gutter<K> {
    /// The lanes, as bits, in which a node above this row still waits for a child; only those whose
    /// key is `live`.
    pub fn open_lanes(&self, row: usize, live: impl Fn(K) -> bool) -> u32 {
        (0..self.lanes).fold(0, |open, lane| {
            let near = |tail: &usize| *tail < row && self.len() - tail <= MAX_SPAN;
            let tail = self.tail(lane).filter(near).and_then(|tail| self.row(tail));
            let waits = tail.is_some_and(|tail| live(tail.key));
            if waits { open | 1 << lane } else { open }
        })
    }

    /// The cells of a row, without blank ones at its end. `open` are the lanes of
    /// [`Self::open_lanes`], or 0.
    pub fn cells(&self, row: usize, open: u32, out: &mut Vec<Cell>) {
        out.clear();
        let Some(row) = self.row(row) else { return };
        let right = row.right();
        for lane in 0..self.lanes {
            out.push(row.lane_cell(lane, open, right));
            let bit = 1_u32 << lane;
            out.push(Cell(if right & bit == 0 {
                0
            } else {
                Cell::LEFT | Cell::RIGHT
            }));
        }
        if row.is_beyond()
            && let Some(last) = out.last_mut()
        {
            last.0 |= Cell::BEYOND | Cell::NODE;
        }
        while out.last().is_some_and(|cell| cell.is_blank()) {
            out.pop();
        }
        if row.shape == Shape::Leaf {
            // Next to the lines, with a gap if there is room for one.
            let gap = usize::from(!out.is_empty());
            let at = (out.len() + gap).max(usize::from(row.beside) * 2);
            out.resize(at.min(self.max_width() - 1), Cell::default());
            out.push(Cell(Cell::NODE));
        }
    }

    /// The cells of a continuation line below a row: the lines that continue downwards. `open` are the lanes of
    /// [`Self::open_lanes`] of the next row, or 0.
    pub fn below(&self, row: usize, open: u32, out: &mut Vec<Cell>) {
        out.clear();
        let down = self.row(row).map_or(0, |row| row.down);
        for lane in 0..self.lanes {
            let has = |lanes: u32| lanes & (1 << lane) != 0;
            out.push(Cell(match (has(down), has(open)) {
                (true, _) => Cell::UP | Cell::DOWN,
                (false, true) => Cell::OPEN,
                (false, false) => 0,
            }));
            out.push(Cell::default());
        }
        while out.last().is_some_and(|cell| cell.is_blank()) {
            out.pop();
        }
    }

    /// A row as characters.
    pub fn text(&self, row: usize, line: Line, node: Option<char>) -> String {
        let mut cells = Vec::new();
        self.cells(row, 0, &mut cells);
        let glyphs = Glyphs::of(line);
        cells.iter().map(|cell| glyphs.of_cell(*cell, node)).collect()
    }

    /// The rows that the line in the lower (or else upper) half of a lane's cell connects: that
    /// of the parent and that of the child. None where there is no such line.
    pub fn edge_at(&self, row: usize, lane: u8, lower: bool) -> Option<(usize, usize)> {
        let bit = 1_u32.checked_shl(u32::from(lane))?;
        let here = self.row(row)?;
        let lines = if lower { here.down } else { here.up };
        if lines & bit == 0 {
            return None;
        }
        let starts = |at: usize| self.row(at).is_none_or(|row| row.pass & bit == 0);
        let mut from = if lower { row } else { row.checked_sub(1)? };
        while !starts(from) {
            from = from.checked_sub(1)?;
        }
        let mut to = if lower { row + 1 } else { row };
        while !starts(to) {
            to += 1;
        }
        (to < self.len()).then_some((from, to))
    }
}

impl<K> Row<K> {
    fn lane_cell(&self, lane: u8, open: u32, right: u32) -> Cell {
        let bit = 1_u32 << lane;
        let mut cell = 0;
        if self.up & bit != 0 {
            cell |= Cell::UP;
        }
        if self.down & bit != 0 {
            cell |= Cell::DOWN;
        }
        if (right << 1) & bit != 0 {
            cell |= Cell::LEFT;
        }
        if right & bit != 0 {
            cell |= Cell::RIGHT;
        }
        if self.lane == Some(lane) {
            cell |= Cell::NODE;
        }
        if self.pass & bit != 0 && cell & (Cell::LEFT | Cell::RIGHT) != 0 {
            cell |= Cell::CROSS;
        }
        if self.thin & bit != 0 {
            cell |= Cell::THIN;
        }
        if open & bit != 0 && cell & (Cell::UP | Cell::DOWN | Cell::NODE) == 0 {
            cell |= Cell::OPEN;
        }
        Cell(cell)
    }
}
