//! Draws a field: the rows around the cursor, every character in its visible form.
//!
//! Must not know: what the text is for, keys.

use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::Field;
use super::laid::{Glyph, LineLayout};
use crate::ground::columns::fill;
use crate::ground::theme::{Look, Role};
use overrule_base::text::Kind;

/// The visible part of the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    /// Columns of a row; unlimited before the first drawing.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The line of the first row, from 0, and the index of that row in the line.
    pub top: (usize, usize),
    /// The first visible column of a text of one line.
    pub left: usize,
}

impl View {
    /// Before the first drawing.
    pub const NONE: Self = Self {
        width: usize::MAX,
        height: 1,
        top: (0, 0),
        left: 0,
    };
}

/// The text to draw, read once for a drawing.
struct Content {
    text: String,
    cursor: usize,
    picked: Range<usize>,
}

impl Content {
    /// The bytes of a line.
    fn line(&self, line: &Range<usize>) -> &str {
        self.text.get(line.clone()).unwrap_or_default()
    }

    /// The cursor in a line; none if it is in another one.
    fn inside(&self, line: &Range<usize>) -> Option<usize> {
        let cursor = self.cursor;
        (line.start <= cursor && cursor <= line.end).then(|| cursor - line.start)
    }
}

/// Styles of parts of a line, all in bytes of the line.
struct Looks<'a> {
    look: &'a Look,
    cursor: Option<usize>,
    picked: Range<usize>,
    /// Matches of the search, in order.
    found: Vec<Range<usize>>,
    /// Faulty characters.
    wrong: Vec<usize>,
}

impl Looks<'_> {
    fn of(&self, glyph: &Glyph<'_>) -> Style {
        let text = self.look.full(Role::Text);
        let mut style = match glyph.kind {
            Kind::Plain => text,
            Kind::Escaped => text.patch(self.look.style(Role::Escaped)),
            Kind::Blank => text.patch(self.look.style(Role::Dim)),
        };
        let bytes = &glyph.bytes;
        let holds = |at: usize| bytes.contains(&at) || (bytes.is_empty() && bytes.start == at);
        let overlaps = |range: &Range<usize>| range.start < bytes.end && bytes.start < range.end;
        // A long line may have many matches.
        let next = self.found.partition_point(|found| found.end <= bytes.start);
        if self.found.get(next).is_some_and(overlaps) {
            style = style.add_modifier(Modifier::UNDERLINED | Modifier::BOLD);
        }
        if self.wrong.iter().any(|at| holds(*at)) {
            style = style
                .patch(self.look.style(Role::Error))
                .add_modifier(Modifier::REVERSED);
        }
        if overlaps(&self.picked) || self.cursor.is_some_and(holds) {
            // A mark can be reversed, so the cursor on it also has other attributes.
            style = match glyph.kind {
                Kind::Plain => style,
                Kind::Escaped | Kind::Blank => text.add_modifier(Modifier::UNDERLINED | Modifier::BOLD),
            };
            style = style.add_modifier(Modifier::REVERSED);
        }
        style
    }
}

impl Field {
    /// Draws the field.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, look: &Look) {
        self.draw_marked(frame, area, look, &[]);
    }

    /// Draws the field with faulty places (line and character, from 0).
    pub fn draw_marked(&self, frame: &mut Frame<'_>, area: Rect, look: &Look, wrong: &[(usize, usize)]) {
        let area = area.intersection(frame.area());
        if area.is_empty() {
            return;
        }
        frame.buffer_mut().set_style(area, look.full(Role::Text));
        let mut view = self.view.get();
        (view.width, view.height) = (usize::from(area.width), usize::from(area.height));
        self.view.set(view);
        let content = Content {
            text: self.text(),
            cursor: self.area.cursor(),
            picked: self.area.picked().unwrap_or(0..0),
        };
        // Laid out once: a line may be the whole text.
        let here = self.line_at(&content.text, content.cursor);
        let laid_here = self.laid_at(&content, &here);
        self.follow(&content, &here, &laid_here);
        let (mut no, mut skip) = self.view.get().top;
        let (mut y, mut from) = (area.top(), self.start_of(&content.text, no));
        while let Some(start) = from.filter(|_| y < area.bottom()) {
            let line = self.line_at(&content.text, start);
            let other;
            let laid = if line == here {
                &laid_here
            } else {
                other = self.laid_at(&content, &line);
                &other
            };
            let looks = self.looks(look, &content, &line, no, wrong);
            for row in skip..laid.rows() {
                if y == area.bottom() {
                    break;
                }
                self.row(frame, Rect { y, height: 1, ..area }, laid.row(row), &looks);
                y += 1;
            }
            if y > area.top() {
                self.draw_line_end(
                    frame,
                    Rect {
                        y: y - 1,
                        height: 1,
                        ..area
                    },
                    laid,
                    &looks,
                    line.len(),
                );
            }
            (no, skip) = (no + 1, 0);
            from = (line.end < content.text.len()).then_some(line.end + 1);
        }
    }

    /// Start of a line, counted from 0; none for a missing line.
    pub(crate) fn start_of(&self, text: &str, line: usize) -> Option<usize> {
        match line {
            0 => Some(0),
            _ if self.single => None,
            _ => {
                let mut breaks = text.match_indices('\n');
                breaks.nth(line - 1).map(|(at, _)| at + 1)
            }
        }
    }

    /// A line as laid out now.
    fn laid_at<'t>(&self, content: &'t Content, line: &Range<usize>) -> LineLayout<'t> {
        self.laid(content.line(line), content.inside(line))
    }

    /// Scrolls until the cursor is on the screen, given its line.
    fn follow(&self, content: &Content, line: &Range<usize>, laid: &LineLayout<'_>) {
        let mut view = self.view.get();
        let rows = |other: &Range<usize>| {
            if other == line {
                laid.rows()
            } else {
                self.laid_at(content, other).rows()
            }
        };
        let (text, cursor) = (content.text.as_str(), content.cursor);
        let (row, column) = laid.place(cursor - line.start);
        if self.single {
            let at = laid.row(0).iter().map(|glyph| glyph.columns).sum::<usize>();
            if column < view.left {
                // Some of the text before it is shown too.
                view.left = column.saturating_sub(view.width / 2);
            }
            // A wide letter under the cursor is shown whole.
            let letter = laid.columns(cursor).clamp(1, view.width);
            view.left = view.left.max((column + letter).saturating_sub(view.width));
            view.left = view.left.min((at + 1).saturating_sub(view.width));
            self.view.set(view);
            return;
        }
        let no = self.line_no(text, line.start);
        let (top, skip) = view.top;
        let last = self
            .start_of(text, top)
            .map(|start| rows(&self.line_at(text, start)) - 1);
        view.top = match last {
            Some(last) if (top, skip.min(last)) <= (no, row) => (top, skip.min(last)),
            _ => (no, row),
        };
        // The first row that can be on top, so that the cursor is in the last one.
        let (mut first, mut start, mut left) = ((no, row), line.start, view.height - 1);
        loop {
            if first.1 >= left {
                first.1 -= left;
                break;
            }
            let Some(end) = start.checked_sub(1).filter(|_| first > view.top) else {
                first = (first.0, 0);
                break;
            };
            left -= first.1 + 1;
            let above = self.line_at(text, end);
            first = (first.0 - 1, rows(&above) - 1);
            start = above.start;
        }
        view.top = view.top.max(first);
        self.view.set(view);
    }

    fn looks<'a>(
        &self,
        look: &'a Look,
        content: &Content,
        line: &Range<usize>,
        no: usize,
        wrong: &[(usize, usize)],
    ) -> Looks<'a> {
        let text = content.line(line);
        let inside = |at: usize| at.saturating_sub(line.start);
        let found = self.area.pattern();
        Looks {
            look,
            cursor: content.inside(line),
            picked: inside(content.picked.start)..inside(content.picked.end),
            found: found.map_or_else(Vec::new, |requested| {
                requested.find_iter(text).map(|found| found.range()).collect()
            }),
            wrong: wrong
                .iter()
                .filter(|(line, _)| *line == no)
                .map(|(_, column)| text.char_indices().nth(*column).map_or(text.len(), |(at, _)| at))
                .collect(),
        }
    }

    /// Draws a row, or the visible part of a field of one line.
    fn row(&self, frame: &mut Frame<'_>, area: Rect, glyphs: &[Glyph<'_>], looks: &Looks<'_>) {
        let left = self.view.get().left;
        let buffer = frame.buffer_mut();
        let from = buffer.index_of(area.left(), area.top());
        let Some(cells) = buffer.content.get_mut(from..from + usize::from(area.width)) else {
            return;
        };
        let mut column: usize = 0;
        for glyph in glyphs {
            if let Some(x) = column.checked_sub(left) {
                let Some(room) = cells.get_mut(x..) else { return };
                fill(room, &glyph.text, looks.of(glyph));
            }
            column += glyph.columns;
        }
    }

    /// Draws the end of a line in its last row: a selected line break, or the mark of a fault.
    fn draw_line_end(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        laid: &LineLayout<'_>,
        looks: &Looks<'_>,
        len: usize,
    ) {
        let (row, column) = laid.place(len);
        let end = Glyph {
            bytes: len..len,
            kind: Kind::Plain,
            text: " ".into(),
            columns: 1,
        };
        let is_picked = looks.picked.contains(&len);
        if row + 1 != laid.rows() || !(is_picked || looks.wrong.contains(&len)) {
            return;
        }
        let x = column
            .checked_sub(self.view.get().left)
            .and_then(|x| u16::try_from(x).ok());
        if let Some(x) = x.filter(|x| *x < area.width)
            && let Some(cell) = frame.buffer_mut().cell_mut((area.x + x, area.y))
        {
            let style = looks.of(&end);
            cell.set_style(if is_picked {
                style.add_modifier(Modifier::REVERSED)
            } else {
                style
            });
        }
    }
}
