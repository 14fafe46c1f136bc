//! The rows of the graph with all that they are made by: how much is shown, what is unfolded, what alone fits.
//!
//! They are brought up to date from what changed; what is settled is not looked at again. Must not know: the cursor, the
//! screen, on which thread it is.

use std::collections::BTreeSet;

use super::entries::{Maker, Signs};
use super::query::Query;
use super::rows::{Called, Rows, Unfolded};
use super::{Level, MADE, PIECE, PLANNED, RECENT, WIDE};
use crate::console::layout::fold::{Detail, Rules};
use crate::domain::id::{NodeId, NodeKind, Seq, TurnId};
use crate::domain::state::State;

/// What has to be looked at again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Due {
    /// The first entry that is not as it was when the rows were planned.
    changed: Option<usize>,
    /// The first node that has to be looked at again, with all behind it.
    spoilt: Option<NodeId>,
    /// Nodes that something happened to.
    touched: BTreeSet<NodeId>,
}

/// The earlier of two places, where there are any.
fn first<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    one.into_iter().chain(other).min()
}

impl Due {
    /// An entry is another one.
    fn note(&mut self, at: usize) {
        self.changed = first(self.changed, Some(at));
    }

    /// All of another one as well.
    pub fn add(&mut self, other: Self) {
        self.changed = first(self.changed, other.changed);
        self.spoilt = first(self.spoilt, other.spoilt);
        self.touched.extend(other.touched);
    }
}

/// The rows, and what they are made by.
#[derive(Debug, Clone, Default)]
pub struct Outline {
    /// The rows.
    pub rows: Rows,
    /// Calls that have a row of their own for their observation.
    pub open: BTreeSet<NodeId>,
    /// Folded rows that are unfolded, by name.
    pub unfolded: BTreeSet<Unfolded>,
    /// What was gone to although it does not fit what is looked for: it alone has a row.
    pub called: Option<NodeId>,
    /// What alone is shown.
    pub filter: Option<Query>,
    /// How much is shown.
    pub level: Level,
    /// The newest event that is in the rows.
    made: Option<Seq>,
    pub(super) due: Due,
    /// Hashes of what long calls say.
    signs: Signs,
    /// Turns that were open when the rows were made.
    were_open: BTreeSet<TurnId>,
    /// Turns before this one are old.
    recent: TurnId,
}

impl Outline {
    /// Everything from a node on has to be looked at again.
    pub fn spoil(&mut self, from: NodeId) {
        self.due.spoilt = first(self.due.spoilt, Some(from.call()));
    }

    /// Everything has to be looked at again.
    pub fn spoil_all(&mut self) {
        self.spoil(NodeId::FIRST);
    }

    /// Something happened to a node.
    pub fn touch(&mut self, id: NodeId) {
        self.due.touched.insert(id.call());
    }

    /// True where nothing has happened since the rows were made.
    pub fn is_made(&self, state: &State) -> bool {
        let due = &self.due;
        self.made == Some(state.seq) && due.spoilt.is_none() && self.is_planned()
    }

    /// True where the rows are planned of all entries as they are.
    pub const fn is_planned(&self) -> bool {
        self.due.changed.is_none()
    }

    /// True where so much is to be made anew that nobody should wait for it.
    pub fn is_far_behind(&self, state: &State) -> bool {
        if self.rows.is_empty() {
            // Nothing is on the screen that could stay there, and a copy would be given back by no allocator.
            return false;
        }
        let made = self.rows.entries.last().map_or(0, |last| last.no);
        let made = self.due.spoilt.map_or(made, |from| made.min(from.no));
        state.last_no.saturating_sub(made) as usize > MADE
    }

    /// True where a plan from an entry on would have to go through so much that nobody should wait for it.
    fn is_far(&self, from: usize) -> bool {
        !self.rows.is_empty() && self.rows.entries.len() - self.rows.planned_from(from) > PLANNED
    }

    /// True where the first rows are those of a run so long that nobody should wait for all of them at once, and more than
    /// so many pieces of entries are to be made for them.
    pub fn lacks_pieces(&self, state: &State, pieces: usize) -> bool {
        let made = self.rows.entries.last().map_or(0, |last| last.no);
        let lacks = state.last_no.saturating_sub(made) as usize;
        self.rows.is_empty() && state.last_no as usize > MADE && lacks > pieces * PIECE
    }

    /// Brings the rows up to date where that does not take long; gives whether they changed. Nothing where it takes
    /// long: it is left to [`Self::finish`].
    pub fn keep_up(&mut self, state: &State) -> Option<bool> {
        if self.is_far_behind(state) {
            return None;
        }
        let from = self.refresh(state);
        self.made = Some(state.seq);
        if let Some(from) = from {
            self.replan(from);
        }
        self.is_planned().then_some(from.is_some())
    }

    /// Brings the rows up to date, however long it takes.
    pub fn finish(&mut self, state: State) {
        while self.grow(&state) {}
        let from = self.refresh(&state);
        // What was gone to before it was known whether it fits.
        self.called = self.called.and_then(|called| self.unfit(called));
        if let Some(from) = from {
            self.plan(from);
        }
        self.made = Some(state.seq);
    }

    /// Takes away the rows of what this run does not have: one that was further on stood here before.
    pub fn cut(&mut self, state: &State) {
        let first = NodeId::new(NodeId::FIRST.kind, state.last_no.saturating_add(1));
        let at = self.rows.entry(first);
        if at < self.rows.entries.len() {
            self.rows.entries.truncate(at);
            self.plan(at);
        }
    }

    /// Makes the next entries of a run that is far ahead of the rows, a piece of them; true while there are more. What
    /// is left is for [`Self::keep_up`].
    pub fn grow(&mut self, state: &State) -> bool {
        self.drop_spoilt();
        if self.behind(state).take(PIECE).count() < PIECE {
            return false;
        }
        // Where none of them has an entry, the next piece would be the same one.
        self.extend(state, PIECE)
    }

    /// Takes away the entries that have to be made again.
    fn drop_spoilt(&mut self) {
        if let Some(from) = self.due.spoilt.take() {
            let at = self.rows.entry(from);
            self.rows.entries.truncate(at);
            self.due.note(at);
        }
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
            self.due.note(end);
        }
        some
    }

    /// Brings the entries up to date; gives the first that changed, if any did.
    fn refresh(&mut self, state: &State) -> Option<usize> {
        let touched = std::mem::take(&mut self.due.touched);
        let were_open = std::mem::replace(&mut self.were_open, state.agenda.open.clone());
        self.drop_spoilt();
        let mut maker = Maker::new(state, &self.open, self.filter.as_ref(), &mut self.signs);
        let (rows, due) = (&mut self.rows, &mut self.due);
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
                    differs.then(|| due.note(at));
                }
                Some(_) if at < end => {
                    // It stands among those that are there: they are made anew from here on.
                    rows.entries.truncate(at);
                    due.note(at);
                }
                _ => {}
            }
        }
        self.extend(state, usize::MAX);
        self.forget_signs(state);
        if let Some(at) = self.age(state) {
            self.due.note(at);
        }
        self.due.changed.take()
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

    /// Plans the rows anew from an entry on, or leaves that for later where it takes long.
    pub fn replan(&mut self, from: usize) {
        if self.is_far(from) {
            self.due.note(from);
        } else {
            self.plan(from);
        }
    }

    /// Plans all rows anew, as soon as may be.
    pub fn replan_all(&mut self) {
        self.rows.replan_all();
        self.replan(0);
    }

    fn plan(&mut self, from: usize) {
        let (rules, sieved) = (self.rules(), self.sieved());
        self.rows.plan(from, rules, sieved, &self.unfolded);
    }

    /// What has a row although it does not fit, where something is looked for.
    fn sieved(&self) -> Option<Called> {
        self.filter.as_ref().map(|_| Called(self.called))
    }

    fn rules(&self) -> Rules {
        let detail = match self.level {
            Level::Recent => Detail::Since(u64::from(self.recent.0)),
            Level::Turns => Detail::Turns,
            Level::Nodes | Level::Text => Detail::Nodes,
        };
        Rules { wide: WIDE, detail }
    }

    /// Unfolds a row; false where that was done before.
    pub fn unfold(&mut self, name: Unfolded) -> bool {
        let is_new = self.unfolded.insert(name);
        if is_new {
            self.replan(self.rows.entry(name.0));
        }
        is_new
    }

    /// Folds a row again.
    pub fn fold(&mut self, name: Unfolded) {
        self.unfolded.remove(&name);
        self.replan(self.rows.entry(name.0));
    }

    /// The row that hid this one before it was unfolded.
    pub fn unfolded_around(&self, key: NodeId) -> Option<Unfolded> {
        let before = self.unfolded.iter().rev().filter(|(name, _)| *name <= key);
        let sieved = self.sieved();
        let hid = |name: &Unfolded| {
            self.rows
                .would_hide(*name, key, self.rules(), sieved, &self.unfolded)
        };
        before.take(4).find(|name| hid(name)).copied()
    }

    /// Unfolds the row of a call, or puts its observation back into it.
    pub fn set_apart(&mut self, call: NodeId, is_apart: bool) {
        let differs = if is_apart {
            call.kind == NodeKind::Call && self.open.insert(call)
        } else {
            self.open.remove(&call)
        };
        if differs {
            self.spoil(call);
        }
    }

    /// Shows more or less of the graph.
    pub fn set_level(&mut self, level: Level) {
        self.level = level;
        self.unfolded.clear();
        self.replan_all();
    }

    /// Shows only what fits, or everything again.
    pub fn set_filter(&mut self, filter: Option<Query>) {
        self.filter = filter;
        self.called = None;
        self.unfolded.clear();
        self.rows.replan_all();
        self.spoil_all();
    }

    /// What of a node has a row of its own only if it is gone to: it does not fit what is looked for.
    pub fn unfit(&self, node: NodeId) -> Option<NodeId> {
        let entry = self.rows.entry_of(node).filter(|_| self.filter.is_some())?;
        (!entry.hit).then_some(entry.key)
    }

    /// Gives what does not fit a row, and takes it from the one that had it so.
    pub fn call(&mut self, unfit: Option<NodeId>) {
        let before = std::mem::replace(&mut self.called, unfit);
        if let Some(first) = first(before, unfit) {
            self.replan(self.rows.entry(first));
        }
    }
}
