//! Writes styled lines into the buffer, clipped to their area.
//!
//! Must not know: what is painted.

use ratatui::buffer::{Buffer, Cell, CellDiffOption};
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use unicode_segmentation::UnicodeSegmentation;

use crate::ground::columns::{Columns as _, Part, fill, parts};
use crate::ground::doc::Styled;
use crate::ground::sgr::Sgr;
use crate::ground::theme::{Look, Role};

/// A place to paint.
pub struct Canvas<'a> {
    /// The buffer.
    pub buf: &'a mut Buffer,
    /// The styles.
    pub look: &'a Look,
}

impl Canvas<'_> {
    /// Fills an area with blanks of a style.
    pub fn fill(&mut self, area: Rect, role: Role) {
        let area = area.intersection(self.buf.area);
        let mut blank = Cell::EMPTY;
        blank.set_style(self.look.full(role));
        for y in area.top()..area.bottom() {
            self.uncover(area.x, y);
            if let Some(cells) = self.cells(area.x, y, area.width) {
                cells.fill(blank.clone());
            }
        }
    }

    /// `count` cells from a place; `None` if they are not all in one row of the buffer.
    fn cells(&mut self, x: u16, y: u16, count: u16) -> Option<&mut [Cell]> {
        let area = self.buf.area;
        let inside = y >= area.top() && y < area.bottom() && x >= area.left();
        if !inside || count > area.right().checked_sub(x)? {
            return None;
        }
        let from = self.buf.index_of(x, y);
        self.buf.content.get_mut(from..from + usize::from(count))
    }

    /// Patches the style of a painted area. Marks of unsafe characters keep their colours: on another background
    /// they could be hard to see.
    pub fn tint(&mut self, area: Rect, role: Role) {
        let area = area.intersection(self.buf.area);
        let style = self.look.style(role);
        let mark = self.mark();
        for y in area.top()..area.bottom() {
            for cell in self.cells(area.x, y, area.width).unwrap_or_default() {
                let colours = (cell.fg, cell.bg);
                cell.set_style(style);
                if mark == Some(colours) {
                    cell.set_fg(colours.0).set_bg(colours.1);
                }
            }
        }
    }

    /// The colours of a mark; none on a screen without.
    fn mark(&self) -> Option<(Color, Color)> {
        let mark = self.look.style(Role::Escaped);
        mark.fg.zip(mark.bg)
    }

    /// True for a cell with the colours of a mark.
    fn is_mark(&self, x: u16, y: u16) -> bool {
        let cell = self.buf.cell((x, y));
        self.mark().is_some() && cell.map(|cell| (cell.fg, cell.bg)) == self.mark()
    }

    /// Writes text at a place, in at most `most` columns. Returns the columns used.
    pub fn put(&mut self, x: u16, y: u16, most: u16, text: &str, role: Role) -> u16 {
        self.write(x, y, most, text, self.look.style(role))
    }

    fn write(&mut self, x: u16, y: u16, most: u16, text: &str, style: Style) -> u16 {
        let area = self.buf.area;
        if y < area.top() || y >= area.bottom() || x < area.left() || x >= area.right() {
            return 0;
        }
        let most = most.min(area.right() - x);
        if most > 0 {
            self.uncover(x, y);
        }
        let cells = self.cells(x, y, most).unwrap_or_default();
        let mut used = 0;
        for part in parts(text) {
            let room = cells.get_mut(used..).unwrap_or_default();
            match part {
                Part::Ascii(_) if room.is_empty() => break,
                // Each byte is a character of one cell: nothing to split or measure.
                Part::Ascii(text) => {
                    for (cell, byte) in room.iter_mut().zip(text.bytes()) {
                        cell.set_char(char::from(byte)).set_style(style);
                        cell.set_diff_option(CellDiffOption::None);
                    }
                    used += text.len().min(room.len());
                }
                // No control character gets into a cell.
                Part::Grapheme(grapheme) if grapheme.contains(char::is_control) => {}
                Part::Grapheme(grapheme) => match fill(room, grapheme, style) {
                    Some(columns) => used += columns,
                    // A character without width has no cell.
                    None if grapheme.columns() == 0 => {}
                    None => break,
                },
            }
        }
        u16::try_from(used).unwrap_or(most)
    }

    /// Writes a line. Returns the columns used.
    pub fn line(&mut self, x: u16, y: u16, most: u16, line: &Styled) -> u16 {
        let mut used = 0;
        for piece in &line.0 {
            if used >= most {
                break;
            }
            let style = if piece.sgr == Sgr::default() {
                self.look.style(piece.role)
            } else {
                self.look.output(piece.sgr)
            };
            used += self.write(x + used, y, most - used, &piece.text, style);
        }
        used
    }

    /// Erases a wide character that reaches into a cell; the cell would not be drawn otherwise.
    fn uncover(&mut self, x: u16, y: u16) {
        let before = x.checked_sub(1).and_then(|x| self.buf.cell_mut((x, y)));
        if let Some(cell) = before.filter(|cell| cell.symbol().len() > 1 && cell.symbol().columns() > 1) {
            cell.set_char(' ').set_diff_option(CellDiffOption::None);
        }
    }

    /// Writes a line in a row of an area; a sign marks a cut.
    pub fn row(&mut self, area: Rect, line: &Styled, more: char) {
        if area.is_empty() {
            return;
        }
        self.line(area.x, area.y, area.width, line);
        let width: usize = line.0.iter().map(|piece| piece.text.columns()).sum();
        if width > usize::from(area.width) {
            // A piece that was cut before has its sign already, right before the edge.
            let mut sign = [0; 4];
            let sign: &str = more.encode_utf8(&mut sign);
            let before = area.right().checked_sub(2).filter(|x| *x >= area.x);
            let before = before.and_then(|x| self.buf.cell((x, area.y)));
            let message = before.is_some_and(|cell| cell.symbol() == sign);
            let x = area.right() - 1;
            if self.is_mark(x, area.y) {
                self.fill(Rect { x, width: 1, ..area }, Role::Text);
            }
            self.put(x, area.y, 1, if message { " " } else { sign }, Role::Dim);
        }
    }
}

/// The longest end of a text that fits into `columns`.
pub(crate) fn tail(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let mut from = text.len();
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        used += grapheme.columns();
        if used > columns {
            break;
        }
        from = at;
    }
    text.get(from..).unwrap_or(text)
}

/// The start of a text in `columns`, with a sign if it was cut.
pub(crate) fn start(text: &str, columns: usize, more: char) -> String {
    if text.columns() <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(more.encode_utf8(&mut [0; 4]).columns());
    let mut out = String::new();
    for grapheme in text.graphemes(true) {
        if out.columns() + grapheme.columns() > room {
            break;
        }
        out.push_str(grapheme);
    }
    out.truncate(out.trim_end().len());
    if columns > 0 {
        out.push(more);
    }
    out
}

/// One row of an area, counted from its top.
pub(crate) fn row_of(area: Rect, row: u16) -> Rect {
    Rect {
        y: area.y.saturating_add(row),
        height: u16::from(row < area.height),
        ..area
    }
}

/// An area without its first column, which is that of the pointer.
pub(crate) fn after_margin(area: Rect) -> Rect {
    let margin = 1.min(area.width);
    Rect {
        x: area.x + margin,
        width: area.width - margin,
        ..area
    }
}
