//! The rows of the graph and their lanes, planned anew only from where something changed.
//!
//! Must not know: the run, the cursor, how a row is drawn.

use std::collections::BTreeSet;

use crate::console::layout::fold::sieve::{Ways, sieve};
use crate::console::layout::fold::{Entry, LOOK_BACK, Planned, Rules, Stands, plan_from};
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
    /// Number of the edit that replaced them.
    pub replaced: Option<u64>,
}

impl Row {
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

/// The rows.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// The lanes.
    pub gutter: Gutter<NodeId>,
    /// What stands in each of their rows.
    pub list: Vec<Row>,
    /// How much each row needs an eye.
    pub marks: Vec<u8>,
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

    /// Plans the rows anew from an entry on: those that fit where something is looked for, otherwise all.
    pub fn plan(&mut self, from: usize, rules: Rules, sieved: bool, open: &BTreeSet<NodeId>) {
        let at = self
            .starts
            .partition_point(|(entry, _)| *entry as usize <= from)
            .saturating_sub(1 + LOOK_BACK);
        let (entry, row) = self
            .starts
            .get(at)
            .map_or((0, 0), |(entry, row)| (*entry as usize, *row as usize));
        let is_open = |key: NodeId| open.contains(&key);
        let plan = if sieved {
            sieve(&self.entries, entry, &mut self.ways, is_open)
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
