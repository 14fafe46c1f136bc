//! A text with a cursor, what is selected of it, and what can be taken back. Must not know: how it is drawn, keys.

use std::collections::VecDeque;
use std::ops::Range;

/// Changes that can be taken back.
const STEPS: usize = 500;

/// One change: what stood there, what stands there now.
#[derive(Debug, Clone)]
struct Step {
    at: usize,
    out: String,
    put: String,
    /// Where the cursor stood before.
    cursor: usize,
}

/// A text that is changed. Places are bytes, always between two characters.
#[derive(Debug, Clone, Default)]
pub(super) struct Buffer {
    text: String,
    cursor: usize,
    /// The other end of what is selected.
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

    /// Where the cursor stands.
    pub const fn cursor(&self) -> usize {
        self.cursor
    }

    /// Puts the cursor somewhere; inside of a character is before it, behind the text is at its end.
    pub fn go(&mut self, to: usize) {
        let to = to.min(self.text.len());
        let whole = (0..=to).rev().find(|at| self.text.is_char_boundary(*at));
        self.cursor = whole.unwrap_or_default();
    }

    /// What is selected begins, or goes on, at the cursor.
    pub fn hold(&mut self) {
        self.anchor.get_or_insert(self.cursor);
    }

    /// Nothing is selected.
    pub const fn deselect(&mut self) {
        self.anchor = None;
    }

    /// What is selected; none where that is nothing.
    pub fn picked(&self) -> Option<Range<usize>> {
        let anchor = self.anchor?;
        let range = anchor.min(self.cursor)..anchor.max(self.cursor);
        (!range.is_empty()).then_some(range)
    }

    /// What a change at the cursor takes the place of: what is selected, or nothing.
    pub fn place(&self) -> Range<usize> {
        self.picked().unwrap_or(self.cursor..self.cursor)
    }

    /// Puts a text in the place of another, as one change; nothing is selected then. False where that changes nothing.
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

    /// Takes back the last change.
    pub fn undo(&mut self) {
        let Some(step) = self.done.pop_back() else { return };
        self.text
            .replace_range(step.at..step.at + step.put.len(), &step.out);
        (self.cursor, self.anchor) = (step.cursor, None);
        self.undone.push(step);
    }

    /// Makes again what was taken back last.
    pub fn redo(&mut self) {
        let Some(step) = self.undone.pop() else { return };
        self.text
            .replace_range(step.at..step.at + step.out.len(), &step.put);
        (self.cursor, self.anchor) = (step.at + step.put.len(), None);
        self.keep(step);
    }
}
