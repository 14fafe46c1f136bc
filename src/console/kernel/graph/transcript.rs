//! The transcript: the rows of the graph in reading order, each with its text. Which part of it is on the screen.
//!
//! Must not know: how a text is made, colours.
//!
//! Only what is on the screen is laid out: the selected row is at a line of the pane, the others follow from it.

#[cfg(test)]
pub(crate) mod tests;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::row_texts::TextBasis;
use super::{Form, GraphPane, Pick};
use crate::ground::doc::Styled;
use crate::ground::motion::{Move, by};
use overrule_base::agent_plan::AgentPlan;
use overrule_domain::id::{NodeId, NodeKind, TurnId};

/// The lines of a row.
pub type Lines = Arc<[Styled]>;

/// A row on the screen.
#[derive(Debug, Clone)]
pub struct Block {
    /// Its number in the graph.
    pub row: usize,
    /// The line of the pane at which it begins; negative above the pane.
    pub line: isize,
    /// Its lines.
    pub lines: Lines,
}

impl Block {
    /// The line of the pane below it.
    fn end(&self) -> isize {
        self.line + self.lines.len() as isize
    }
}

/// The newest plan of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptPlan {
    /// The call that set it.
    pub call: NodeId,
    /// Its steps.
    pub plan: AgentPlan,
}

/// A key of a known text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Node(NodeId),
    Live(TurnId, usize),
}

impl From<Pick> for Key {
    fn from(pick: Pick) -> Self {
        match pick {
            Pick::Node(id) => Self::Node(id),
            Pick::Live(turn, part) => Self::Live(turn, part),
        }
    }
}

/// What is on the screen of the transcript.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    /// The selected row, and the line of the pane at which it begins.
    anchor: Option<(Pick, isize)>,
    /// True if the operator scrolled: the selected row may be partly on the screen.
    scrolled: bool,
    /// True if the answer opened it.
    pub by_answer: bool,
    /// The calls whose outputs and differences are whole.
    pub unfolded: BTreeSet<NodeId>,
    /// The plan that the agent keeps, above the text.
    pub plan: Option<KeptPlan>,
    /// Rows of the pane above the text.
    pub head: usize,
    /// The rows on the screen, from the top.
    pub blocks: Vec<Block>,
    /// The texts of rows until the rows are built again.
    known: HashMap<Key, Lines>,
    basis: Option<(TextBasis, u16)>,
}

impl Transcript {
    /// Forgets the texts, because a row has another one now.
    pub fn renew(&mut self) {
        self.basis = None;
    }

    /// Forgets the texts that were made for another state or width, and looks for the plan.
    pub fn begin(&mut self, basis: TextBasis, width: u16, plan: impl FnOnce() -> Option<KeptPlan>) {
        if self.basis != Some((basis, width)) {
            self.known.clear();
            self.plan = plan();
            self.basis = Some((basis, width));
        }
        // An open stream changes without an event.
        self.known.retain(|key, _| matches!(key, Key::Node(_)));
    }

    /// Puts the rows on a screen of this height. `make` returns the lines of a row and whether they stay the same
    /// while the rows do.
    pub fn lay_out(
        &mut self,
        pane: &GraphPane,
        height: usize,
        make: &mut dyn FnMut(&GraphPane, usize) -> (Lines, bool),
    ) {
        let before = std::mem::take(&mut self.blocks);
        let (Some(at), Some(pick)) = (pane.cursor(), pane.selected) else {
            self.anchor = None;
            return;
        };
        let high = isize::try_from(height).unwrap_or(isize::MAX);
        let own = self.lines(pane, at, make);
        let size = own.len() as isize;
        let mut line = self.line_of(pick, (at, size), &before, high);
        if !pane.pinned {
            line = match pick {
                // The end of a stream has the newest text.
                Pick::Live(..) => high - size,
                Pick::Node(_) => (high - size).max(0),
            };
        }
        let mut above = Vec::new();
        let mut room = 0;
        while room < high && above.len() < at {
            let lines = self.lines(pane, at - above.len() - 1, make);
            room += lines.len() as isize;
            above.push(lines);
        }
        let mut below = Vec::new();
        let mut rest = 0;
        while rest < high && at + below.len() + 1 < pane.len() {
            let lines = self.lines(pane, at + below.len() + 1, make);
            rest += lines.len() as isize;
            below.push(lines);
        }
        // No line is left free above the first row while there is something below, nor below the last one.
        line = line.min(room).max(high - size - rest);
        self.anchor = Some((pick, line));
        let mut top = line - room;
        let rows = at - above.len()..;
        let lines = above.into_iter().rev().chain([own]).chain(below);
        for (row, lines) in rows.zip(lines) {
            let block = Block {
                row,
                line: top,
                lines,
            };
            top = block.end();
            if block.end() > 0 && block.line < high {
                self.blocks.push(block);
            }
        }
    }

    /// The line at which the selected row of this number and size begins.
    fn line_of(&mut self, pick: Pick, (at, size): (usize, isize), before: &[Block], high: isize) -> isize {
        let was = self.anchor;
        let line = match was {
            Some((same, line)) if same == pick => line,
            _ => {
                self.scrolled = false;
                let seen = before.iter().find(|block| block.row == at);
                let first = before.first().map_or(0, |block| block.row);
                match seen {
                    Some(block) => block.line,
                    None if at < first => 0,
                    None => high - size,
                }
            }
        };
        if self.scrolled {
            line.clamp(1 - size, (high - 1).max(1 - size))
        } else if size > high {
            // It is read from its beginning.
            line.clamp(high - size, 0)
        } else {
            line.clamp(0, high - size)
        }
    }

    fn lines(
        &mut self,
        pane: &GraphPane,
        row: usize,
        make: &mut dyn FnMut(&GraphPane, usize) -> (Lines, bool),
    ) -> Lines {
        let key = pane.pick_at(row).map(Key::from);
        if let Some(known) = key.and_then(|key| self.known.get(&key)) {
            return Arc::clone(known);
        }
        let (lines, stays) = make(pane, row);
        if let Some(key) = key.filter(|_| stays) {
            self.known.insert(key, Arc::clone(&lines));
        }
        lines
    }

    /// The row on a line of the pane.
    pub fn row_on(&self, line: usize) -> Option<usize> {
        let line = isize::try_from(line.checked_sub(self.head)?).ok()?;
        let mut blocks = self.blocks.iter();
        let here = blocks.find(|block| (block.line..block.end()).contains(&line));
        here.map(|block| block.row)
    }

    /// True if a row is on the screen.
    pub fn shows(&self, row: usize) -> bool {
        self.blocks.iter().any(|block| block.row == row)
    }

    /// Moves the text by some lines; down if positive. Returns the row that is selected then.
    fn scroll(&mut self, pane: &GraphPane, lines: isize, high: isize) -> Option<usize> {
        let first = self.blocks.first()?;
        let last = self.blocks.last()?;
        let is_at_end = last.row + 1 == pane.len() && last.end() <= high;
        let is_at_top = first.row == 0 && first.line >= 0;
        if lines > 0 && is_at_end {
            return Some(last.row);
        }
        if lines < 0 && is_at_top {
            return Some(first.row);
        }
        let at = pane.cursor()?;
        let stays = |block: &&Block| block.row == at && block.end() > lines && block.line < lines + high;
        let here = self.blocks.iter().find(stays);
        let begins = |block: &&Block| block.line >= lines && block.line < lines + high;
        let here = if lines > 0 {
            here.or_else(|| self.blocks.iter().find(begins)).unwrap_or(last)
        } else {
            here.or_else(|| self.blocks.iter().rfind(begins)).unwrap_or(first)
        };
        let (row, line) = (here.row, here.line - lines);
        self.anchor = pane.pick_at(row).map(|pick| (pick, line));
        self.scrolled = true;
        Some(row)
    }
}

impl GraphPane {
    /// True while the branch is read as a text.
    pub fn is_transcript(&self) -> bool {
        self.form == Form::Transcript
    }

    /// Opens the transcript for the answer, until the run goes on.
    pub fn read_answer(&mut self) {
        self.transcript.by_answer |= self.form != Form::Transcript;
        self.form = Form::Transcript;
    }

    /// Shows the rows again, if the answer opened the transcript.
    pub fn leave_answer(&mut self) {
        if std::mem::take(&mut self.transcript.by_answer) && self.is_transcript() {
            self.form = Form::Lanes;
        }
    }

    /// Carries out a move in the transcript, on a screen of this height.
    pub fn read_on(&mut self, to: Move, page: usize) {
        let at = self.cursor().unwrap_or(0);
        let page = page.saturating_sub(self.transcript.head);
        let high = isize::try_from(page).unwrap_or(isize::MAX);
        let row = match to {
            Move::Up | Move::Down => Some(at.saturating_add_signed(by(to, page))),
            Move::Top => Some(0),
            Move::Bottom => Some(usize::MAX),
            other => {
                let mut transcript = std::mem::take(&mut self.transcript);
                let row = transcript.scroll(self, by(other, page), high);
                self.transcript = transcript;
                row
            }
        };
        if let Some(row) = row {
            self.go(row);
        }
    }

    /// Unfolds or folds the output and the difference of the selected call. False for a row that has none.
    pub(crate) fn unfold_text(&mut self, unfold: Option<bool>) -> bool {
        let Some((id, is_unfolded)) = self.text() else {
            return false;
        };
        if unfold.unwrap_or(!is_unfolded) {
            self.transcript.unfolded.insert(id);
        } else {
            self.transcript.unfolded.remove(&id);
        }
        self.transcript.renew();
        true
    }

    /// True if the output of the selected call is unfolded; none for a row that has none.
    pub fn unfolded_text(&self) -> Option<bool> {
        self.text().map(|(_, is_unfolded)| is_unfolded)
    }

    /// The selected call in the transcript, and whether its output is unfolded.
    fn text(&self) -> Option<(NodeId, bool)> {
        let Some(Pick::Node(id)) = self.selected.filter(|_| self.is_transcript()) else {
            return None;
        };
        let is_call = id.kind == NodeKind::Call;
        let is_single = self
            .rows
            .of(id)
            .is_some_and(|row| row.key == id && row.count == 1);
        (is_call && is_single).then(|| (id, self.transcript.unfolded.contains(&id)))
    }
}
