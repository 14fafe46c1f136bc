//! The cursor of the graph: its position, whether it follows, and new rows below it.
//!
//! Must not know: how rows come to be, colours.

use super::{Form, GraphPane, Pick, body, entries};
use crate::run::part::RunPart;
use overrule_domain::id::{NodeId, NodeKind, TurnId};
use overrule_domain::state::State;

impl GraphPane {
    /// Keeps the cursor on its node, and at its place on the screen.
    pub(crate) fn hold(&mut self, state: &State, before: Option<usize>) {
        if let Some(Pick::Live(turn, part)) = self.selected
            && !self.live.contains(&(turn, part))
        {
            // The streamed part became a node, or the stream broke in the middle of it.
            let node = state.turns.get(&turn).and_then(|turn| turn.nodes.last());
            self.selected = if self.broken.contains(&turn) {
                Some(Pick::Live(turn, 0))
            } else {
                node.map(|id| Pick::Node(*id))
            };
        }
        // A call that began to wait under the cursor is new, too.
        let waits = self.is_on_waiting(state);
        let stays = self.pinned || waits && self.rests == self.selected;
        if !stays || self.selected.is_none() {
            let last = self.pick_at(self.len().saturating_sub(1));
            // The operator put it there, and nothing is newer.
            let is_put = self.rests.is_some() && self.rests == self.selected && self.selected == last;
            self.selected = last;
            if waits || self.is_on_waiting(state) {
                // Of several new waiting calls, the oldest comes first.
                let mut waiting = state.agenda.waiting.values().copied();
                let oldest = waiting.find(|id| self.rows.find(*id).is_some());
                self.selected = oldest.map(Pick::Node).or(last);
            } else if !is_put {
                // A call that waits has the cursor, also where another one of its turn was released after it.
                self.selected = self.waiting_beside(state, last).map(Pick::Node).or(last);
            }
            self.rests = self.selected.filter(|_| is_put || self.is_on_waiting(state));
            self.see();
            return;
        }
        self.stay(before);
    }

    /// The first call of the turn of a row that waits for the operator.
    fn waiting_beside(&self, state: &State, row: Option<Pick>) -> Option<NodeId> {
        let turn = match row? {
            Pick::Node(id) => state.turn_of(id)?.id,
            Pick::Live(turn, _) => turn,
        };
        let mut waiting = state.agenda.waiting.values().copied();
        waiting.find(|id| {
            let asks = state.call(*id).is_some_and(|call| call.status.needs_operator());
            let is_beside = state.turn_of(*id).is_some_and(|one| one.id == turn);
            asks && is_beside && self.rows.find(*id).is_some()
        })
    }

    /// True if the cursor is on a call that waits for the operator: new rows do not move it.
    fn is_on_waiting(&self, state: &State) -> bool {
        let Some(Pick::Node(id)) = self.selected else {
            return false;
        };
        let id = id.call();
        let asks = state.call(id).is_some_and(|call| call.status.needs_operator());
        asks && state.agenda.waiting.iter().any(|(_, waits)| *waits == id)
    }

    /// Moves the cursor to the queue's selection, if that has a row. Follow mode does not change.
    /// True if the cursor moved.
    pub fn join(&mut self, pick: Pick) -> bool {
        let has_row = match pick {
            Pick::Node(id) => self.rows.find(id).is_some(),
            Pick::Live(turn, part) => self.live.contains(&(turn, part)),
        };
        let moves = has_row && self.selected != Some(pick);
        if moves {
            self.selected = Some(pick);
            self.rests = self.selected;
        }
        moves
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len() + self.live.len()
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Content of a row.
    pub fn pick_at(&self, row: usize) -> Option<Pick> {
        match self.rows.get(row) {
            Some(row) => Some(Pick::Node(row.key)),
            None => self
                .live
                .get(row.checked_sub(self.rows.len())?)
                .map(|(turn, part)| Pick::Live(*turn, *part)),
        }
    }

    /// The row of the cursor.
    pub fn cursor(&self) -> Option<usize> {
        match self.selected? {
            Pick::Node(id) => self.rows.find(id),
            Pick::Live(turn, part) => self
                .live
                .iter()
                .position(|row| *row == (turn, part))
                .map(|at| self.rows.len() + at),
        }
    }

    /// Moves the cursor to a row. On the last one it follows new rows.
    pub fn go(&mut self, row: usize) {
        let last = self.len().saturating_sub(1);
        let row = row.min(last);
        self.landed = None;
        self.selected = self.pick_at(row);
        self.rests = self.selected;
        self.pinned = row < last;
        self.see();
    }

    /// Moves the cursor to a node, and unfolds what hides it.
    pub fn go_to(&mut self, node: NodeId, run: &RunPart) -> bool {
        if self.rows.find(node).is_none() {
            return false;
        }
        let revealed = self.unmatched(node, &run.state);
        if self.settings.revealed != revealed {
            self.settings.revealed = revealed;
            self.rebuild(&run.state);
        }
        self.unfold_around(node, &run.state);
        // A jump inspects one node: the cursor stays there even on the last row.
        self.pinned = true;
        self.landed = None;
        let shown = self.rows.of(node).map_or(node, |row| row.key);
        self.selected = Some(Pick::Node(shown));
        self.sync(run);
        true
    }

    /// Moves the cursor to a node, and shows the end of its output.
    pub fn land_on(&mut self, node: NodeId, run: &RunPart) -> bool {
        let has_row = self.go_to(node, run);
        if let Some(Pick::Node(id)) = self.selected.filter(|_| has_row && node.kind == NodeKind::Call) {
            self.landed = Some(id);
            self.transcript.unfolded.insert(id);
            self.transcript.renew();
        }
        has_row
    }

    /// The node of the row, if it does not match the filter.
    fn unmatched(&self, node: NodeId, state: &State) -> Option<NodeId> {
        let filter = self.settings.filter.as_ref()?;
        let key = entries::key(state, &self.settings.split, node);
        (!entries::matches(state, filter, key)).then_some(key)
    }

    /// Moves the cursor to the row of a broken stream, and keeps it there.
    pub fn go_to_broken(&mut self, turn: TurnId) -> bool {
        let Some(at) = self.live.iter().position(|row| *row == (turn, 0)) else {
            return false;
        };
        self.go(self.rows.len() + at);
        self.pinned = true;
        true
    }

    /// Keeps the cursor on screen; `tall` returns the number of lines of a row.
    pub fn scroll(&mut self, height: usize, tall: impl Fn(&Self, usize) -> usize) {
        let last = self.len().saturating_sub(1);
        let at = self.cursor().unwrap_or(last);
        self.crowded = self.len() + body::OUTPUT > height;
        // The first row from which everything down to this one fits.
        let first_for = |graph: &Self, row: usize| {
            let mut lines = tall(graph, row);
            let mut first = row;
            while let Some(before) = first.checked_sub(1) {
                lines += tall(graph, before);
                if lines > height {
                    break;
                }
                first = before;
            }
            first
        };
        let lowest = first_for(self, last);
        self.blank = 0;
        if !self.pinned {
            self.top = lowest;
        }
        self.top = self.top.min(at).min(lowest);
        if height > 0 {
            self.top = self.top.max(first_for(self, at));
        }
        if height > 0 && self.top >= lowest {
            // Visible rows are not new.
            self.see();
        }
        if self.top == 0 && self.len() <= height {
            let lines: usize = (0..self.len()).map(|row| tall(self, row)).sum();
            self.blank = height.saturating_sub(lines);
        }
    }

    /// True if a row may be on a screen of this height.
    pub fn shows(&self, row: usize, height: usize) -> bool {
        match self.form {
            Form::Map => false,
            Form::Transcript => self.transcript.shows(row),
            Form::Lanes | Form::Time => (self.top..self.top + height).contains(&row),
        }
    }

    /// The row on a line of the pane, counted from 0; none above the rows and below them. `tall`
    /// returns the number of lines of a row.
    pub fn row_on(&self, line: usize, tall: impl Fn(&Self, usize) -> usize) -> Option<usize> {
        if self.is_transcript() {
            return self.transcript.row_on(line);
        }
        let mut left = line.checked_sub(self.blank)?;
        (self.top..self.len()).find(|row| {
            let below = self.rows.get(*row).map_or(0, |here| self.free.below(here.key));
            let lines = tall(self, *row) + below;
            let is_here = left < lines;
            left = left.saturating_sub(lines);
            is_here
        })
    }

    /// Number of new rows since the cursor left the end.
    pub fn fresh(&self) -> usize {
        if !self.pinned {
            return 0;
        }
        let (last, streaming) = self.seen;
        let before = self.rows.through(last);
        (self.rows.len() - before + self.live.len()).saturating_sub(streaming)
    }

    /// Marks all rows as seen.
    pub fn see(&mut self) {
        self.seen = (self.rows.newest, self.live.len());
    }
}
