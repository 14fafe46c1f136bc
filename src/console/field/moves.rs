//! Moves of the cursor, and the range that an erasing key removes.
//!
//! Must not know: what the text is for, keys.

use std::ops::Range;

use super::Field;
use super::laid::{self, Form, LineLayout};

/// Class of a character.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Class {
    Blank,
    Sign,
    Letter,
}

fn class(c: char) -> Class {
    if c.is_whitespace() {
        Class::Blank
    } else if c.is_ascii_punctuation() && c != '_' {
        Class::Sign
    } else {
        Class::Letter
    }
}

/// Length of a word in bytes, read in one direction, with the blanks before it or after it.
fn word_len(chars: impl Iterator<Item = char>, blanks_first: bool) -> usize {
    let mut kind = None;
    let mut len = 0;
    for c in chars {
        let now = class(c);
        match kind {
            _ if blanks_first && kind.is_none() && now == Class::Blank => {}
            None => kind = Some(now),
            Some(before) if before == now => {}
            Some(_) if !blanks_first && now == Class::Blank => kind = Some(Class::Blank),
            Some(_) => break,
        }
        len += c.len_utf8();
    }
    len
}

impl Field {
    /// The line of a position: its bytes without the line break.
    pub(super) fn line_at(&self, at: usize) -> Range<usize> {
        let text = self.buffer.text();
        if self.single {
            return 0..text.len();
        }
        let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
        let from = before.rfind('\n').map_or(0, |at| at + 1);
        from..at + after.find('\n').unwrap_or(after.len())
    }

    /// The line of the cursor, its text, and the position in it.
    fn here(&self) -> (Range<usize>, &str, usize) {
        let at = self.buffer.cursor();
        let line = self.line_at(at);
        let text = self.buffer.text().get(line.clone()).unwrap_or_default();
        let inside = at - line.start;
        (line, text, inside)
    }

    /// The character or whole mark before the cursor or after it; a line break is one too. None at
    /// the end of the text.
    pub(super) fn group(&self, back: bool) -> Option<Range<usize>> {
        let (line, text, inside) = self.here();
        let found = laid::group(text, self.single, inside, back);
        match (found, back) {
            (Some(group), _) => Some(line.start + group.start..line.start + group.end),
            (None, true) => line.start.checked_sub(1).map(|at| at..line.start),
            (None, false) => (line.end < self.buffer.text().len()).then_some(line.end..line.end + 1),
        }
    }

    /// The range that an erasing key removes: the selection, or the group on that side of the
    /// cursor. A mark of one character is removed as a whole. Of letters that are drawn as one,
    /// backspace removes only the last.
    pub(super) fn erased(&self, back: bool) -> Option<Range<usize>> {
        if let Some(picked) = self.buffer.picked() {
            return Some(picked);
        }
        let at = self.buffer.cursor();
        let group = self.group(back)?;
        if !back {
            return Some(at..group.end);
        }
        let text = self.buffer.text().get(group.start..at)?;
        let last = text.chars().next_back()?;
        Some(if last == ' ' {
            group.start..at
        } else {
            at - last.len_utf8()..at
        })
    }

    /// Moves over the character or whole mark before the cursor or after it.
    pub(super) fn walk(&mut self, back: bool) {
        let Some(group) = self.group(back) else { return };
        self.buffer.go(if back { group.start } else { group.end });
    }

    /// The position one word away.
    pub(super) fn word_boundary(&self, back: bool) -> usize {
        let at = self.buffer.cursor();
        let (before, after) = self.buffer.text().split_at_checked(at).unwrap_or_default();
        if back {
            at - word_len(before.chars().rev(), true)
        } else {
            at + word_len(after.chars(), false)
        }
    }

    /// A text in its current layout.
    pub(super) fn laid<'t>(&self, text: &'t str, cursor: Option<usize>) -> LineLayout<'t> {
        let width = if self.single {
            usize::MAX
        } else {
            self.view.get().width
        };
        let form = Form {
            single: self.single,
            cursor,
        };
        LineLayout::new(text, form, width)
    }

    /// Moves up or down by rows of the screen, as far as possible, and keeps the column if
    /// possible.
    pub(super) fn rows_away(&mut self, rows: usize, down: bool) {
        if self.single {
            return;
        }
        let (mut line, text, inside) = self.here();
        let mut laid = self.laid(text, Some(inside));
        let (mut row, column) = laid.place(inside);
        let column = self.wish.unwrap_or(column);
        for _ in 0..rows {
            let last = if down { laid.rows() - 1 } else { 0 };
            if row != last {
                row = if down { row + 1 } else { row - 1 };
                continue;
            }
            let Some(next) = self.next_line(&line, down) else {
                break;
            };
            laid = self.laid(self.text().get(next.clone()).unwrap_or_default(), None);
            row = if down { 0 } else { laid.rows() - 1 };
            line = next;
        }
        let to = line.start + laid.byte(row, column);
        self.buffer.go(to);
        self.wish = Some(column);
    }

    /// The line below or above; none at the end of the text.
    fn next_line(&self, line: &Range<usize>, down: bool) -> Option<Range<usize>> {
        let at = if down {
            Some(line.end + 1).filter(|start| *start <= self.text().len())
        } else {
            line.start.checked_sub(1)
        };
        at.map(|at| self.line_at(at))
    }
}
