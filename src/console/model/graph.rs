//! The graph pane: rows of the gutter, cursor, folds, search.
//!
//! Rows are made from the run's state when it changed; what is settled is not looked at again. Must
//! not know: colours, characters.

use std::collections::BTreeSet;

use super::run::RunPart;
use crate::console::layout::fold::{self, Entry, Planned};
use crate::console::layout::gutter::{Gutter, Shape};
use crate::domain::call::Status;
use crate::domain::graph;
use crate::domain::id::{NodeId, NodeKind, Seq, TurnId};
use crate::domain::state::State;
use crate::domain::turn::Activity;

/// Calls of a turn that keep rows of their own.
const WIDE: usize = 8;

/// A row under the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pick {
    /// A node, or the row that holds it.
    Node(NodeId),
    /// A part of an open stream, counted from 0.
    Live(TurnId, usize),
}

/// A search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// What is looked for.
    pub text: String,
    /// Where it was found, in journal order.
    pub hits: BTreeSet<NodeId>,
}

/// What the cursor's node hangs on, and what hangs on it.
#[derive(Debug, Clone, Default)]
pub struct Lit {
    /// Ancestors.
    pub above: BTreeSet<NodeId>,
    /// Descendants.
    pub below: BTreeSet<NodeId>,
    of: Option<(NodeId, Seq)>,
}

/// The pane.
#[derive(Debug, Clone, Default)]
pub struct GraphPane {
    /// The lanes.
    pub gutter: Gutter<NodeId>,
    /// What stands in each row of the lanes.
    pub rows: Vec<Planned<NodeId>>,
    /// Rows of open streams, below the others.
    pub live: Vec<(TurnId, usize)>,
    /// The row under the cursor.
    pub selected: Option<Pick>,
    /// First row on screen.
    pub top: usize,
    /// False once the operator moved away from the last row.
    pub pinned: bool,
    /// Rows when it was pinned.
    pub seen: usize,
    /// Calls that have a row of their own for their observation.
    pub open: BTreeSet<NodeId>,
    /// Fans and replaced branches that are unfolded, by the name of their row.
    pub unfolded: BTreeSet<NodeId>,
    /// The newest search.
    pub search: Search,
    /// What is lit.
    pub lit: Lit,
    entries: Vec<Entry<NodeId>>,
    made: Option<Seq>,
    open_from: u32,
    /// Everything has to be looked at again.
    pub stale: bool,
}

impl GraphPane {
    /// Brings the rows up to date with the run.
    pub fn sync(&mut self, run: &RunPart) {
        let state = &run.state;
        let before = self.cursor();
        if self.made != Some(state.seq) || self.stale {
            let from = if self.stale {
                NodeId::new(NodeKind::Prompt, 0)
            } else {
                self.settled(state)
            };
            self.stale = false;
            self.made = Some(state.seq);
            let keep = self.entries.partition_point(|entry| entry.key < from);
            self.entries.truncate(keep);
            let open = &self.open;
            let fresh = state
                .nodes
                .range(from..)
                .filter_map(|(id, _)| entry(state, *id, open));
            self.entries.extend(fresh);
            self.rows = fold::plan(&self.entries, WIDE, |key| self.unfolded.contains(&key));
            self.gutter.sync(0, self.rows.iter().map(Planned::item));
        }
        self.live = run
            .live
            .values()
            .flat_map(|live| (0..live.parts.len()).map(|part| (live.turn, part)))
            .collect();
        self.hold(state, before);
        self.light(state);
    }

    /// The first node that may look different from before: that of the oldest open turn.
    fn settled(&mut self, state: &State) -> NodeId {
        let first = state
            .agenda
            .open
            .iter()
            .filter_map(|id| state.turns.get(id)?.nodes.first())
            .min();
        let next = self.entries.last().map_or(0, |entry| entry.key.no);
        let no = first.map_or(next, |id| id.no.min(next));
        // What was open the last time may have changed and closed since.
        let before = std::mem::replace(&mut self.open_from, no);
        NodeId::new(NodeKind::Prompt, no.min(before))
    }

    /// Keeps the cursor on its node, and on its place on the screen.
    fn hold(&mut self, state: &State, before: Option<usize>) {
        if let Some(Pick::Live(turn, part)) = self.selected
            && !self.live.contains(&(turn, part))
        {
            // What streamed has become a node.
            self.selected = state
                .turns
                .get(&turn)
                .and_then(|turn| turn.nodes.last())
                .map(|id| Pick::Node(*id));
        }
        if !self.pinned || self.selected.is_none() {
            self.selected = self.pick_at(self.len().saturating_sub(1));
            self.seen = self.len();
            return;
        }
        if let (Some(before), Some(now)) = (before, self.cursor()) {
            self.top = (self.top + now).saturating_sub(before);
        }
    }

    fn light(&mut self, state: &State) {
        let Some(Pick::Node(node)) = self.selected.filter(|_| self.pinned) else {
            self.lit = Lit::default();
            return;
        };
        if self.lit.of == Some((node, state.seq)) {
            return;
        }
        self.lit = Lit {
            above: graph::ancestors(state, node),
            below: graph::descendants(state, node),
            of: Some((node, state.seq)),
        };
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len() + self.live.len()
    }

    /// True where there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What stands in a row.
    pub fn pick_at(&self, row: usize) -> Option<Pick> {
        match self.rows.get(row) {
            Some(planned) => Some(Pick::Node(planned.key)),
            None => self
                .live
                .get(row.checked_sub(self.rows.len())?)
                .map(|(turn, part)| Pick::Live(*turn, *part)),
        }
    }

    /// The row of the cursor.
    pub fn cursor(&self) -> Option<usize> {
        match self.selected? {
            Pick::Node(id) => self.gutter.find(id),
            Pick::Live(turn, part) => self
                .live
                .iter()
                .position(|row| *row == (turn, part))
                .map(|at| self.rows.len() + at),
        }
    }

    /// Puts the cursor on a row; on the last one it follows what comes.
    pub fn go(&mut self, row: usize) {
        let last = self.len().saturating_sub(1);
        let row = row.min(last);
        self.selected = self.pick_at(row);
        self.pinned = row < last;
        self.seen = self.len();
    }

    /// Puts the cursor on a node, unfolding what hides it.
    pub fn go_to(&mut self, node: NodeId, run: &RunPart) -> bool {
        let Some(mut row) = self.gutter.find(node) else {
            return false;
        };
        if let Some(planned) = self.rows.get(row)
            && matches!(planned.shape, Shape::Fold | Shape::Fan)
            && planned.key != node
        {
            self.unfolded.insert(planned.key);
            self.stale = true;
            self.sync(run);
            row = self.gutter.find(node).unwrap_or(row);
        }
        self.go(row);
        // A jump is a look at one thing: it stays there even where that is the last row.
        self.pinned = true;
        self.selected = Some(
            self.rows
                .get(row)
                .map_or(Pick::Node(node), |planned| Pick::Node(planned.key)),
        );
        true
    }

    /// Unfolds or folds the row of the cursor.
    pub fn toggle(&mut self, unfold: Option<bool>) {
        let Some((key, shape)) = self
            .cursor()
            .and_then(|row| self.rows.get(row))
            .map(|row| (row.key, row.shape))
        else {
            return;
        };
        self.stale = true;
        self.pinned = true;
        let is_group = matches!(shape, Shape::Fold | Shape::Fan);
        let is_apart = self.open.contains(&key.call());
        match unfold {
            Some(false) | None if is_apart => {
                self.open.remove(&key.call());
                self.selected = Some(Pick::Node(key.call()));
            }
            Some(true) | None if is_group => {
                self.unfolded.insert(key);
            }
            Some(false) => self.fold_around(key),
            None if shape == Shape::Side => self.fold_around(key),
            Some(true) | None => {
                if key.kind == NodeKind::Call {
                    self.open.insert(key);
                }
            }
        }
    }

    /// Folds the unfolded fan or branch that a row belongs to.
    fn fold_around(&mut self, key: NodeId) {
        let Some(at) = self.entries.iter().position(|entry| entry.key == key) else {
            return;
        };
        let Some(here) = self.entries.get(at) else { return };
        let together = |other: &&Entry<NodeId>| {
            other.replaced == here.replaced
                && (here.replaced.is_some() || (here.fan.is_some() && other.fan == here.fan))
        };
        let before = self.entries.get(..=at).unwrap_or_default().iter().rev();
        let after = self.entries.get(at..).unwrap_or_default().iter();
        let name = before
            .take_while(together)
            .chain(after.take_while(together))
            .map(|entry| entry.key)
            .find(|key| self.unfolded.contains(key));
        if let Some(name) = name {
            self.unfolded.remove(&name);
            self.selected = Some(Pick::Node(name));
        }
    }

    /// Keeps the cursor on screen.
    pub fn scroll(&mut self, height: usize) {
        let last = self.len().saturating_sub(height);
        let at = self.cursor().unwrap_or(last);
        if !self.pinned {
            self.top = last;
        }
        self.top = self.top.min(at).min(last);
        if height > 0 && at >= self.top + height {
            self.top = at + 1 - height;
        }
    }

    /// Rows that came since the cursor was moved away from the end.
    pub fn fresh(&self) -> usize {
        if self.pinned {
            self.len().saturating_sub(self.seen)
        } else {
            0
        }
    }
}

/// The row of a node; none where another row stands for it.
fn entry(state: &State, id: NodeId, open: &BTreeSet<NodeId>) -> Option<Entry<NodeId>> {
    let node = state.nodes.get(&id)?;
    let apart = open.contains(&id.call());
    if id.kind == NodeKind::Observation && !apart && state.calls.contains_key(&id.call()) {
        return None;
    }
    let mut parents: Vec<NodeId> = graph::edges_into(state, id)
        .iter()
        .map(|edge| edge.from)
        .collect();
    parents.dedup();
    let mut entry = Entry::new(id, parents);
    let turn = state.turns.get(&node.turn);
    if !node.active {
        entry.replaced = Some(replaced_by(state, id));
    }
    if id.kind == NodeKind::Call {
        if !apart && state.nodes.contains_key(&id.observation()) {
            entry.members.push(id.observation());
        }
        entry.fan = turn.map(|turn| u64::from(turn.id.0));
        entry.keep = apart || keeps_row(state, id);
    }
    Some(entry)
}

/// The edit that made a node history, as the number of its event.
fn replaced_by(state: &State, id: NodeId) -> u64 {
    let Some(turn) = state.turn_of(id) else { return 0 };
    if let Activity::Superseded(seq) = turn.activity {
        return seq.0;
    }
    state
        .edits
        .iter()
        .rev()
        .find(|edit| {
            edit.target
                .is_some_and(|target| state.turn_of(target).is_some_and(|other| other.id == turn.id))
        })
        .map_or(0, |edit| edit.seq.0)
}

fn keeps_row(state: &State, id: NodeId) -> bool {
    let Some(call) = state.calls.get(&id) else {
        return true;
    };
    let edited = |id: NodeId| {
        state
            .nodes
            .get(&id)
            .is_some_and(|node| node.is_edited() || node.pinned)
    };
    edited(id)
        || edited(id.observation())
        || !matches!(
            call.status,
            Status::Succeeded | Status::Skipped | Status::Proposed | Status::Blocked
        )
}
