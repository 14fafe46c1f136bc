//! Moves of the cursor over what is drawn as one, and by rows of the screen; what an erasing key
//! removes.
//!
//! Must not know: what the text is for, keys.

use std::ops::Range;

use ratatui_textarea::CursorMove;

use super::Field;
use super::laid::{self, Form, LineLayout};

impl Field {
    /// The line of a position: its bytes without the line break.
    pub(crate) fn line_at(&self, text: &str, at: usize) -> Range<usize> {
        if self.single {
            return 0..text.len();
        }
        let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
        let from = before.rfind('\n').map_or(0, |at| at + 1);
        from..at + after.find('\n').unwrap_or(after.len())
    }

    /// The character or whole mark before the cursor or after it; a line break is one too. None at
    /// the end of the text.
    pub(crate) fn group(&self, back: bool) -> Option<Range<usize>> {
        let (text, at) = (self.text(), self.area.cursor());
        let line = self.line_at(&text, at);
        let found = laid::group(text.get(line.clone())?, self.single, at - line.start, back);
        match (found, back) {
            (Some(group), _) => Some(line.start + group.start..line.start + group.end),
            (None, true) => line.start.checked_sub(1).map(|at| at..line.start),
            (None, false) => (line.end < text.len()).then_some(line.end..line.end + 1),
        }
    }

    /// The range that an erasing key removes: the selection, or the group on that side of the
    /// cursor. A mark of one character is removed as a whole. Of letters that are drawn as one,
    /// backspace removes only the last.
    pub(crate) fn erased(&self, back: bool) -> Option<Range<usize>> {
        if let Some(picked) = self.area.picked() {
            return Some(picked);
        }
        let (text, at) = (self.text(), self.area.cursor());
        let group = self.group(back)?;
        if !back {
            return Some(at..group.end);
        }
        let last = text.get(group.start..at)?.chars().next_back()?;
        Some(if last == ' ' {
            group.start..at
        } else {
            at - last.len_utf8()..at
        })
    }

    /// Moves over the character or whole mark before the cursor or after it.
    pub(crate) fn walk(&mut self, back: bool) {
        let Some(group) = self.group(back) else { return };
        self.area.go(if back { group.start } else { group.end });
    }

    /// Moves to the start or the end of the line. In a field of one line, a line feed is a mark.
    pub(crate) fn go_to_edge(&mut self, start: bool) {
        match (self.single, start) {
            (true, true) => self.area.go(0),
            (true, false) => self.area.go(self.len()),
            (false, true) => self.area.go_by(CursorMove::Head),
            (false, false) => self.area.go_by(CursorMove::End),
        }
    }

    /// A line in its current layout.
    pub(crate) fn laid<'t>(&self, line: &'t str, cursor: Option<usize>) -> LineLayout<'t> {
        let width = if self.single {
            usize::MAX
        } else {
            self.view.get().width
        };
        let form = Form {
            single: self.single,
            cursor,
        };
        LineLayout::new(line, form, width)
    }

    /// Moves up or down by rows of the screen, as far as possible, and keeps the column if
    /// possible.
    pub(crate) fn rows_away(&mut self, rows: usize, down: bool) {
        if self.single {
            return;
        }
        let (text, at) = (self.text(), self.area.cursor());
        let mut line = self.line_at(&text, at);
        let inside = at - line.start;
        let mut laid = self.laid(text.get(line.clone()).unwrap_or_default(), Some(inside));
        let (mut row, column) = laid.place(inside);
        let column = self.wish.unwrap_or(column);
        for _ in 0..rows {
            let last = if down { laid.rows() - 1 } else { 0 };
            if row != last {
                row = if down { row + 1 } else { row - 1 };
                continue;
            }
            let Some(next) = self.next_line(&text, &line, down) else {
                break;
            };
            laid = self.laid(text.get(next.clone()).unwrap_or_default(), None);
            row = if down { 0 } else { laid.rows() - 1 };
            line = next;
        }
        self.area.go(line.start + laid.byte(row, column));
        self.wish = Some(column);
    }

    /// The line below or above; none at the end of the text.
    fn next_line(&self, text: &str, line: &Range<usize>, down: bool) -> Option<Range<usize>> {
        let at = if down {
            Some(line.end + 1).filter(|start| *start <= text.len())
        } else {
            line.start.checked_sub(1)
        };
        at.map(|at| self.line_at(text, at))
    }
}
