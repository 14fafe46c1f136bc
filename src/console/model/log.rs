//! The log pane: every event in words, and what the console itself had to say.
//!
//! Must not know: how events are put into words.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::domain::envelope::Envelope;

/// Lines that are kept.
const KEPT: usize = 5000;

/// A line.
#[derive(Debug, Clone)]
pub enum Line {
    /// An event of the run.
    Event(Arc<Envelope>),
    /// A word of the console.
    Note(String),
    /// Something that did not go.
    Trouble(String),
}

/// The pane.
#[derive(Debug, Clone, Default)]
pub struct LogPane {
    /// Lines, oldest first.
    pub lines: VecDeque<Line>,
    /// Rows up from the end; 0 follows.
    pub back: usize,
}

impl LogPane {
    /// Adds a line; a view that is scrolled up stays where it is.
    pub fn add(&mut self, line: Line) {
        if self.lines.len() == KEPT {
            self.lines.pop_front();
        }
        self.lines.push_back(line);
        if self.back > 0 {
            self.back = (self.back + 1).min(self.lines.len());
        }
    }

    /// Scrolls.
    pub fn step(&mut self, by: isize) {
        self.back = self
            .back
            .saturating_add_signed(-by)
            .min(self.lines.len().saturating_sub(1));
    }
}
