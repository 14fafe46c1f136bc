//! A text with a cursor, a selection and an undo history.
//!
//! Must not know: how it is drawn, keys.

use std::collections::VecDeque;
use std::ops::Range;

/// Maximum number of changes that can be undone.
const STEPS: usize = 500;

/// One change: the old text and the new text.
#[derive(Debug, Clone)]
struct Step {
    at: usize,
    out: String,
    put: String,
    /// Position of the cursor before the change.
    cursor: usize,
}

/// An editable text. Positions are bytes, always between two characters.
#[derive(Debug, Clone, Default)]
pub(super) struct Buffer {
    text: String,
    cursor: usize,
    /// The other end of the selection.
    anchor: Option<usize>,
    done: VecDeque<Step>,
    undone: Vec<Step>,
}

impl Buffer {
    /// A text with the cursor before its first character.
    pub fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            ..Self::default()
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Position of the cursor.
    pub const fn cursor(&self) -> usize {
        self.cursor
    }

    /// Moves the cursor. A position inside a character moves before it, one after the text moves to
    /// the end.
    pub fn go(&mut self, to: usize) {
        let to = to.min(self.text.len());
        let whole = (0..=to).rev().find(|at| self.text.is_char_boundary(*at));
        self.cursor = whole.unwrap_or_default();
    }

    /// Starts or extends a selection at the cursor.
    pub fn hold(&mut self) {
        self.anchor.get_or_insert(self.cursor);
    }

    /// Ends the selection.
    pub const fn deselect(&mut self) {
        self.anchor = None;
    }

    /// The selection; none if it is empty.
    pub fn picked(&self) -> Option<Range<usize>> {
        let anchor = self.anchor?;
        let range = anchor.min(self.cursor)..anchor.max(self.cursor);
        (!range.is_empty()).then_some(range)
    }

    /// The range that a change at the cursor replaces: the selection, or nothing.
    pub fn place(&self) -> Range<usize> {
        self.picked().unwrap_or(self.cursor..self.cursor)
    }

    /// Replaces a range by a text, as one change, and ends the selection. False if that changes
    /// nothing.
    pub fn put(&mut self, place: Range<usize>, text: &str) -> bool {
        let Some(out) = self.text.get(place.clone()) else {
            return false;
        };
        let step = Step {
            at: place.start,
            out: out.to_owned(),
            put: text.to_owned(),
            cursor: self.cursor,
        };
        self.anchor = None;
        self.cursor = place.start + text.len();
        if step.out == step.put {
            return false;
        }
        self.text.replace_range(place, text);
        self.undone.clear();
        self.keep(step);
        true
    }

    fn keep(&mut self, step: Step) {
        if self.done.len() == STEPS {
            self.done.pop_front();
        }
        self.done.push_back(step);
    }

    /// Undoes the last change.
    pub fn undo(&mut self) {
        let Some(step) = self.done.pop_back() else { return };
        self.text
            .replace_range(step.at..step.at + step.put.len(), &step.out);
        (self.cursor, self.anchor) = (step.cursor, None);
        self.undone.push(step);
    }

    /// Redoes the last undone change.
    pub fn redo(&mut self) {
        let Some(step) = self.undone.pop() else { return };
        self.text
            .replace_range(step.at..step.at + step.out.len(), &step.put);
        (self.cursor, self.anchor) = (step.at + step.put.len(), None);
        self.keep(step);
    }
}
