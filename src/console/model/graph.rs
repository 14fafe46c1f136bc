//! The graph pane: rows, cursor, folds, search, what is looked for.
//!
//! Rows are brought up to date from what changed; what is settled is not looked at again. Must not
//! know: colours, characters.

pub mod bars;
pub mod body;
mod cursor;
mod entries;
mod list;
mod lit;
pub mod map;
pub mod marks;
pub mod query;
pub mod rows;
mod search;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::run::RunPart;
use crate::console::layout::fold::{Detail, Rules, Stands};
use crate::console::layout::gutter::Shape;
use crate::domain::id::{NodeId, NodeKind, Seq, TurnId};
use crate::domain::state::State;
use crate::domain::turn::Turn;
pub use entries::Mark;
use entries::{Maker, Signs};
use lit::Lit;
use map::MapPane;
use query::Query;
use rows::{Called, Rows, Unfolded};
pub use search::Search;

/// Calls of a turn that keep rows of their own.
const WIDE: usize = 8;
/// Nodes that are looked at before those are packed again: a long run is never unpacked as a whole.
const PIECE: usize = if cfg!(test) { 3 } else { 1024 };
/// Turns at the end that keep all their rows.
const RECENT: usize = 30;

/// A row under the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pick {
    /// A node, or the row that holds it.
    Node(NodeId),
    /// A part of an open stream, counted from 0; of a broken one there is one, for all that it had begun.
    Live(TurnId, usize),
}

/// How the pane shows the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// Rows with lanes beside them.
    #[default]
    Lanes,
    /// Boxes around the selected node.
    Map,
    /// Rows with bars over time.
    Time,
}

impl Form {
    /// Lines above the rows.
    pub const fn head(self) -> usize {
        match self {
            Self::Time => 1,
            Self::Lanes | Self::Map => 0,
        }
    }
}

/// How much the pane shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Level {
    /// Every node of the last turns; of earlier ones what needs an eye.
    #[default]
    Recent,
    /// A row for each turn, and for each node that needs an eye.
    Turns,
    /// Every node.
    Nodes,
    /// Every node with its text.
    Text,
}

impl Level {
    /// The level after it.
    pub const fn next(self) -> Self {
        match self {
            Self::Recent => Self::Turns,
            Self::Turns => Self::Nodes,
            Self::Nodes => Self::Text,
            Self::Text => Self::Recent,
        }
    }

    /// What it shows, in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Recent => "every node of the newest turns, older turns in one row each",
            Self::Turns => "one row for each turn",
            Self::Nodes => "every node",
            Self::Text => "every node with its text",
        }
    }
}

/// The pane.
#[derive(Debug, Clone, Default)]
pub struct GraphPane {
    /// The rows.
    pub rows: Rows,
    /// Rows of open and of broken streams, below the others.
    pub live: Vec<(TurnId, usize)>,
    /// Turns whose stream broke, where they have a row among those.
    pub broken: Vec<TurnId>,
    /// The row under the cursor.
    pub selected: Option<Pick>,
    /// First row on screen.
    pub top: usize,
    /// False once the operator moved away from the last row.
    pub pinned: bool,
    /// The last node, and the number of streaming parts, when it was pinned.
    seen: (Option<NodeId>, usize),
    /// Calls that have a row of their own for their observation.
    pub open: BTreeSet<NodeId>,
    /// Folded rows that are unfolded, by name.
    pub unfolded: BTreeSet<Unfolded>,
    /// What was gone to although it does not fit what is looked for: it alone has a row.
    pub called: Option<NodeId>,
    /// The newest search.
    pub search: Search,
    /// What alone is shown.
    pub filter: Option<Query>,
    /// How the graph is shown.
    pub form: Form,
    /// How much of it.
    pub level: Level,
    /// What is lit.
    pub lit: Lit,
    /// The boxes around the selected node.
    pub map: MapPane,
    made: Option<Seq>,
    /// The first entry that is not as it was when the rows were planned.
    changed: Option<usize>,
    /// The first node that has to be looked at again.
    spoilt: Option<NodeId>,
    /// Nodes that something happened to.
    touched: BTreeSet<NodeId>,
    /// Hashes of what long calls say.
    signs: Signs,
    /// Turns that were open when the rows were made.
    were_open: BTreeSet<TurnId>,
    /// Turns before this one are old.
    recent: TurnId,
}

impl GraphPane {
    /// Everything from a node on has to be looked at again.
    pub fn spoil(&mut self, from: NodeId) {
        let from = from.call();
        self.spoilt = Some(self.spoilt.map_or(from, |before| before.min(from)));
    }

    /// Everything has to be looked at again.
    pub fn spoil_all(&mut self) {
        self.spoil(NodeId::FIRST);
    }

    /// Something happened to a node.
    pub fn touch(&mut self, id: NodeId) {
        self.touched.insert(id.call());
    }

    /// Makes the next entries of a run that is far ahead of the rows, a piece of them; true while there are more. What
    /// is left is for [`Self::sync`].
    pub fn grow(&mut self, state: &State) -> bool {
        if self.is_made(state) {
            return false;
        }
        self.drop_spoilt();
        if self.behind(state).take(PIECE).count() < PIECE {
            return false;
        }
        // Where none of them has an entry, the next piece would be the same one.
        self.extend(state, PIECE)
    }

    /// Takes away the entries that have to be made again.
    fn drop_spoilt(&mut self) {
        if let Some(from) = self.spoilt.take() {
            let at = self.rows.entry(from);
            self.rows.entries.truncate(at);
            self.note(at);
        }
    }

    /// An entry is another one.
    fn note(&mut self, at: usize) {
        self.changed = Some(self.changed.map_or(at, |before| before.min(at)));
    }

    /// The nodes behind the last entry.
    fn behind<'s>(&self, state: &'s State) -> impl Iterator<Item = NodeId> + use<'s> {
        let last = self.rows.entries.last();
        let from = last.unwrap_or(NodeId::FIRST);
        let nodes = state.nodes.range(from..).map(|(id, _)| *id);
        nodes.filter(move |id| Some(*id) != last)
    }

    /// Makes the entries of at most so many nodes behind the last one; true where there are any.
    fn extend(&mut self, state: &State, most: usize) -> bool {
        let end = self.rows.entries.len();
        let next = self.behind(state).take(most);
        let mut maker = Maker::new(state, &self.open, self.filter.as_ref(), &mut self.signs);
        for entry in next.filter_map(|id| maker.entry(id)) {
            self.rows.entries.push(entry);
        }
        let some = self.rows.entries.len() > end;
        if some {
            self.note(end);
        }
        some
    }

    /// True where nothing has happened since the rows were made.
    fn is_made(&self, state: &State) -> bool {
        self.made == Some(state.seq) && self.spoilt.is_none() && self.changed.is_none()
    }

    /// Brings the rows up to date with the run.
    pub fn sync(&mut self, run: &RunPart) {
        let state = &run.state;
        let before = self.cursor();
        if !self.is_made(state) {
            let stood = before.is_some_and(|row| self.stands_alone(row));
            let from = self.refresh(state);
            self.made = Some(state.seq);
            if let Some(from) = from {
                self.plan(from);
                self.keep_in_sight(stood);
            }
        }
        self.live = run
            .live
            .values()
            .flat_map(|live| (0..live.parts.len()).map(|part| (live.turn, part)))
            .collect();
        let fits = |turn: &Turn| self.filter.as_ref().is_none_or(|filter| filter.fits_broken(turn));
        self.broken = run
            .broken()
            .filter(|turn| fits(turn))
            .map(|turn| turn.id)
            .collect();
        self.live.extend(self.broken.iter().map(|turn| (*turn, 0)));
        self.live.sort_unstable();
        self.hold(state, before);
        let lit = match self.selected {
            Some(Pick::Node(node)) if self.pinned => Some(node),
            _ => None,
        };
        self.lit.light(state, lit);
        if self.form == Form::Map {
            self.map.sync(state, self.selected, &self.broken);
        }
    }

    /// Brings the entries up to date; gives the first that changed, if any did.
    fn refresh(&mut self, state: &State) -> Option<usize> {
        let touched = std::mem::take(&mut self.touched);
        let were_open = std::mem::replace(&mut self.were_open, state.agenda.open.clone());
        self.drop_spoilt();
        let mut changed = self.changed.take();
        let mut note = |at: usize| changed = Some(changed.map_or(at, |before: usize| before.min(at)));
        let mut maker = Maker::new(state, &self.open, self.filter.as_ref(), &mut self.signs);
        let rows = &mut self.rows;
        let in_open = were_open
            .union(&self.were_open)
            .filter_map(|id| state.turns.get(id))
            .flat_map(|turn| turn.nodes.iter().copied());
        let end = rows.entries.len();
        for id in in_open.chain(touched).flat_map(|id| [id, id.observation()]) {
            let at = rows.entry(id);
            let there = at < end && rows.entries.get(at).is_some_and(|entry| entry.key == id);
            match maker.entry(id) {
                Some(entry) if there => {
                    let differs = rows.entries.replace(at, entry);
                    differs.then(|| note(at));
                }
                Some(_) if at < end => {
                    // It stands among those that are there: they are made anew from here on.
                    rows.entries.truncate(at);
                    note(at);
                }
                _ => {}
            }
        }
        self.changed = changed;
        self.extend(state, usize::MAX);
        self.forget_signs(state);
        if let Some(at) = self.age(state) {
            self.note(at);
        }
        self.changed.take()
    }

    /// Keeps the hashes of open turns only: their rows are made anew for every event, and a hash holds its text.
    fn forget_signs(&mut self, state: &State) {
        let open = &self.were_open;
        let in_open = |id: &NodeId| state.turn_of(*id).is_some_and(|turn| open.contains(&turn.id));
        self.signs.retain(|id, _| in_open(id));
        self.signs.shrink_to(2 * self.signs.len());
    }

    /// Lets turns become old; gives the first entry of those that did.
    fn age(&mut self, state: &State) -> Option<usize> {
        let recent = state
            .turns
            .keys()
            .rev()
            .nth(RECENT - 1)
            .copied()
            .unwrap_or_default();
        let before = std::mem::replace(&mut self.recent, recent);
        if self.level != Level::Recent || before == recent {
            return None;
        }
        let (from, to) = (before.min(recent), before.max(recent));
        if from == TurnId::default() {
            // Nothing was shown before: there is no need to look at everything.
            return Some(0);
        }
        let aged = state.turns.range(from..to);
        let first = aged.filter_map(|(_, turn)| turn.nodes.iter().min()).min();
        first.map(|id| self.rows.entry(*id))
    }

    fn plan(&mut self, from: usize) {
        let detail = match self.level {
            Level::Recent => Detail::Since(u64::from(self.recent.0)),
            Level::Turns => Detail::Turns,
            Level::Nodes | Level::Text => Detail::Nodes,
        };
        let rules = Rules { wide: WIDE, detail };
        let sieved = self.filter.as_ref().map(|_| Called(self.called));
        self.rows.plan(from, rules, sieved, &self.unfolded);
    }

    fn stands_alone(&self, row: usize) -> bool {
        self.rows
            .get(row)
            .is_some_and(|row| self.pinned && row.count == 1 && self.selected == Some(Pick::Node(row.key)))
    }

    /// What the operator looks at is not folded away because its turn became old or was repeated.
    fn keep_in_sight(&mut self, stood: bool) {
        let Some(Pick::Node(id)) = self.selected.filter(|_| stood) else {
            return;
        };
        let folded = self.rows.of(id);
        if let Some(row) = folded
            && row.count > 1
            && matches!(row.stands, Stands::Turn | Stands::Loop(_))
        {
            let key = row.key;
            self.unfolded.extend(row.folded());
            self.plan(self.rows.entry(key));
        }
    }

    /// Unfolds or folds the row of the cursor.
    pub fn toggle(&mut self, unfold: Option<bool>) {
        let Some(row) = self.cursor().and_then(|row| self.rows.get(row)) else {
            return;
        };
        let key = row.key;
        self.pinned = true;
        let folded = row.folded();
        let is_apart = self.open.contains(&key.call());
        match unfold {
            Some(false) | None if is_apart => {
                self.open.remove(&key.call());
                self.selected = Some(Pick::Node(key.call()));
                self.spoil(key);
            }
            Some(true) | None if folded.is_some() => {
                self.unfolded.extend(folded);
                self.plan(self.rows.entry(key));
            }
            Some(false) => self.fold_around(key),
            None if row.shape == Shape::Side || self.unfolded.iter().any(|(name, _)| *name == key) => {
                self.fold_around(key);
            }
            Some(true) | None => {
                if key.kind == NodeKind::Call {
                    self.open.insert(key);
                    self.spoil(key);
                }
            }
        }
    }

    /// Folds what was unfolded around a row, if anything was.
    fn fold_around(&mut self, key: NodeId) {
        let before = self.unfolded.iter().rev().filter(|(name, _)| *name <= key);
        let near: Vec<Unfolded> = before.take(4).copied().collect();
        for name in near {
            self.unfolded.remove(&name);
            self.plan(self.rows.entry(name.0));
            let row = self.rows.of(key);
            if row.is_some_and(|row| row.folded() == Some(name)) {
                self.selected = Some(Pick::Node(name.0));
                return;
            }
            self.unfolded.insert(name);
            self.plan(self.rows.entry(name.0));
        }
    }

    /// Shows more or less of the graph.
    pub fn set_level(&mut self, level: Level) {
        let before = self.cursor();
        self.level = level;
        self.unfolded.clear();
        self.rows.replan_all();
        self.plan(0);
        if let (Some(before), Some(now)) = (before, self.cursor()) {
            self.top = (self.top + now).saturating_sub(before);
        }
    }

    /// Shows only what fits, or everything again.
    pub fn set_filter(&mut self, filter: Option<Query>) {
        self.filter = filter;
        self.called = None;
        self.unfolded.clear();
        self.rows.replan_all();
        self.spoil_all();
    }

    /// How many nodes and broken streams fit what is looked for.
    pub fn found(&self) -> usize {
        self.rows.entries.hits() + self.broken.len()
    }
}
