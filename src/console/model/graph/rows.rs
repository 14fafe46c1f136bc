//! The rows of the graph and their lanes, planned anew only from where something changed.
//!
//! Must not know: the run, the cursor, how a row is drawn.

use std::collections::BTreeSet;

use super::marks::Marks;
use crate::console::layout::fold::sieve::{Ways, sieve};
use crate::console::layout::fold::{Entry, Folded, LOOK_BACK, Planned, Rules, Stands, plan_from};
use crate::console::layout::gutter::{Gutter, Shape};
use crate::domain::id::NodeId;

/// A row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// What it is called: its node, or the first of those that it hides.
    pub key: NodeId,
    /// How the lanes take it.
    pub shape: Shape,
    /// What it stands for.
    pub stands: Stands,
    /// Number of nodes in it.
    pub count: usize,
    /// Number of the epoch in which they were replaced.
    pub replaced: Option<u64>,
}

/// The name of a row that is unfolded.
pub type Unfolded = (NodeId, Folded);

impl Row {
    /// Its name, where it can be unfolded.
    pub fn folded(&self) -> Option<Unfolded> {
        let kind = self.stands.folded(self.replaced)?;
        Some((self.key, kind))
    }

    fn of(planned: &Planned<NodeId>) -> Self {
        Self {
            key: planned.key,
            shape: planned.shape,
            stands: planned.stands,
            count: planned.count,
            replaced: planned.replaced,
        }
    }
}

/// What was gone to although it does not fit what is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Called(pub Option<NodeId>);

/// The rows.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// The lanes.
    pub gutter: Gutter<NodeId>,
    /// What stands in each of their rows.
    pub list: Vec<Row>,
    /// How much each row needs an eye.
    pub marks: Marks,
    /// The nodes that could have rows.
    pub entries: Vec<Entry<NodeId>>,
    starts: Vec<(u32, u32)>,
    ways: Ways<NodeId>,
}

impl Rows {
    /// The place of a node among the entries, or the one where it would stand.
    pub fn entry(&self, id: NodeId) -> usize {
        self.entries.partition_point(|entry| entry.key < id)
    }

    /// The entry that stands for a node.
    pub fn entry_of(&self, id: NodeId) -> Option<&Entry<NodeId>> {
        let at = self
            .entries
            .partition_point(|entry| entry.key <= id)
            .checked_sub(1)?;
        let entry = self.entries.get(at)?;
        (entry.key == id || entry.members.contains(&id)).then_some(entry)
    }

    /// Plans the rows anew from an entry on: those that fit where something is looked for, and the one that was
    /// called for; otherwise all.
    pub fn plan(&mut self, from: usize, rules: Rules, sieved: Option<Called>, open: &BTreeSet<Unfolded>) {
        let at = self
            .starts
            .partition_point(|(entry, _)| *entry as usize <= from)
            .saturating_sub(1 + LOOK_BACK);
        let (entry, row) = self
            .starts
            .get(at)
            .map_or((0, 0), |(entry, row)| (*entry as usize, *row as usize));
        let is_open = |kind: Folded, key: NodeId| open.contains(&(key, kind));
        let plan = if let Some(Called(called)) = sieved {
            sieve(&self.entries, entry, &mut self.ways, called, |key| {
                is_open(Folded::Elided, key)
            })
        } else {
            self.ways = Ways::default();
            plan_from(&self.entries, entry, rules, is_open)
        };
        self.starts.truncate(at);
        self.starts.extend(
            plan.starts
                .iter()
                .map(|(entry, below)| (*entry as u32, (row + below) as u32)),
        );
        self.gutter.sync(row, plan.rows.iter().map(Planned::item));
        self.list.truncate(row);
        self.marks.truncate(row);
        self.list.extend(plan.rows.iter().map(Row::of));
        self.marks.extend(plan.rows.iter().map(|row| row.mark));
    }

    /// Forgets how the rows came about: the next plan begins at the first entry.
    pub fn replan_all(&mut self) {
        self.starts.clear();
    }
}
