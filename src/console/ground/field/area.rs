//! The text of a field, held by the text area of a library: lines, cursor, selection, undo, search.
//!
//! Must not know: how it is drawn, keys.
//!
//! Positions are bytes of the whole text, always between two characters. The library has no mark for
//! the end of a change: a replacement is two of its edits, so this file counts the edits of a change.

use std::collections::VecDeque;
use std::ops::Range;

use ratatui_textarea::{CursorMove, TextArea};
use regex::Regex;

/// Maximum number of changes that can be undone.
const STEPS: usize = 500;

/// One change, which is undone as a whole.
#[derive(Debug, Clone, Copy)]
struct Change {
    /// Edits of the library: removing and inserting are one each.
    edits: usize,
    /// Position of the cursor before it.
    cursor: usize,
}

/// An editable text.
#[derive(Debug, Clone)]
pub(crate) struct Area {
    inner: TextArea<'static>,
    done: VecDeque<Change>,
    undone: Vec<Change>,
}

impl Area {
    /// A text with the cursor before its first character.
    pub fn new(text: &str) -> Self {
        let mut inner = TextArea::from(text.split('\n'));
        inner.set_max_histories(2 * STEPS);
        Self {
            inner,
            done: VecDeque::new(),
            undone: Vec::new(),
        }
    }

    /// The text.
    pub fn text(&self) -> String {
        self.inner.lines().join("\n")
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        let lines = self.inner.lines();
        lines.iter().map(String::len).sum::<usize>() + lines.len() - 1
    }

    /// Number of lines.
    pub fn rows(&self) -> usize {
        self.inner.lines().len()
    }

    /// Position of the cursor.
    pub fn cursor(&self) -> usize {
        let at = self.inner.cursor();
        self.position((at.0, at.1))
    }

    /// The position of a line and character, both from 0.
    fn position(&self, (row, column): (usize, usize)) -> usize {
        let lines = self.inner.lines();
        let before: usize = lines.iter().take(row).map(|line| line.len() + 1).sum();
        let line = lines.get(row).map_or("", String::as_str);
        before + line.chars().take(column).map(char::len_utf8).sum::<usize>()
    }

    /// Moves the cursor. A position inside a character moves before it, one after the text moves to
    /// the end.
    pub fn go(&mut self, to: usize) {
        let (mut row, mut column, mut start) = (0, 0, 0);
        for (at, line) in self.inner.lines().iter().enumerate() {
            if start > to {
                break;
            }
            let before = line
                .char_indices()
                .take_while(|(at, c)| start + at + c.len_utf8() <= to);
            (row, column) = (at, before.count());
            start += line.len() + 1;
        }
        // The library counts in 16 bits. Every place of a text that a field takes is within them.
        let short = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        self.inner
            .move_cursor(CursorMove::Jump(short(row), short(column)));
    }

    /// Moves the cursor by a motion of the library.
    pub fn go_by(&mut self, motion: CursorMove) {
        self.inner.move_cursor(motion);
    }

    /// Where a motion of the library leads.
    pub fn after(&mut self, motion: CursorMove) -> usize {
        let cursor = self.cursor();
        self.go_by(motion);
        let after = self.cursor();
        self.go(cursor);
        after
    }

    /// Starts or extends a selection at the cursor.
    pub fn hold(&mut self) {
        if !self.inner.is_selecting() {
            self.inner.start_selection();
        }
    }

    /// Ends the selection.
    pub fn deselect(&mut self) {
        self.inner.cancel_selection();
    }

    /// Selects the whole text, with the cursor at its end.
    pub fn select_all(&mut self) {
        self.inner.select_all();
    }

    /// The selection; none if it is empty.
    pub fn picked(&self) -> Option<Range<usize>> {
        let (from, to) = self.inner.selection_range()?;
        let range = self.position(from)..self.position(to);
        (!range.is_empty()).then_some(range)
    }

    /// The range that a change at the cursor replaces: the selection, or nothing.
    pub fn place(&self) -> Range<usize> {
        let cursor = self.cursor();
        self.picked().unwrap_or(cursor..cursor)
    }

    /// Selects a range. False if it is no range of the text.
    fn select(&mut self, range: &Range<usize>) -> bool {
        self.deselect();
        self.go(range.start);
        self.hold();
        self.go(range.end);
        self.place() == *range
    }

    /// Replaces a range by a text, as one change, and ends the selection. False if that changes
    /// nothing.
    pub fn put(&mut self, range: Range<usize>, text: &str) -> bool {
        let cursor = self.cursor();
        let is_equal = self.text().get(range.clone()).is_none_or(|out| out == text);
        if !self.select(&range) || is_equal {
            self.deselect();
            return false;
        }
        if text.is_empty() {
            self.inner.delete_char();
        } else {
            self.inner.insert_str(with_returns(text));
        }
        let edits = usize::from(!range.is_empty()) + usize::from(!text.is_empty());
        self.keep(Change { edits, cursor });
        true
    }

    /// Cuts a range, as one change. `taken` then has it.
    pub fn cut(&mut self, range: Range<usize>) {
        let cursor = self.cursor();
        if self.select(&range) && self.inner.cut() {
            self.keep(Change { edits: 1, cursor });
        }
    }

    /// The text that was cut last.
    pub fn taken(&self) -> String {
        self.inner.yank_text()
    }

    fn keep(&mut self, change: Change) {
        self.undone.clear();
        if self.done.len() == STEPS {
            self.done.pop_front();
        }
        self.done.push_back(change);
    }

    /// Undoes the last change.
    pub fn undo(&mut self) {
        let Some(change) = self.done.pop_back() else {
            return;
        };
        for _ in 0..change.edits {
            self.inner.undo();
        }
        self.go(change.cursor);
        self.undone.push(change);
    }

    /// Redoes the last undone change.
    pub fn redo(&mut self) {
        let Some(change) = self.undone.pop() else { return };
        for _ in 0..change.edits {
            self.inner.redo();
        }
        self.done.push_back(change);
    }

    /// Sets what is searched. A pattern that is no expression matches nothing.
    pub fn set_pattern(&mut self, pattern: &str) {
        if self.inner.set_search_pattern(pattern).is_err() {
            // An empty pattern is always one.
            drop(self.inner.set_search_pattern(""));
        }
    }

    /// What is searched.
    pub fn pattern(&self) -> Option<&Regex> {
        self.inner.search_pattern()
    }

    /// Moves to the next match, from the end of the text on to its start. False without a match.
    pub fn seek(&mut self, at_cursor: bool) -> bool {
        let found = self.inner.search_forward(at_cursor);
        if found {
            self.deselect();
        }
        found
    }

    /// Moves to the last match before the cursor, or in the text.
    pub fn seek_back(&mut self) {
        if self.inner.search_back(false) {
            self.deselect();
        }
    }
}

/// A text as the library inserts it unchanged: it drops one carriage return at the end of each line.
fn with_returns(text: &str) -> String {
    let mut text = text.replace("\r\n", "\r\r\n");
    if text.ends_with('\r') {
        text.push('\r');
    }
    text
}
