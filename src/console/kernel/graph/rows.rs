//! Builds the rows of the graph and their lanes from the state of a run.
//!
//! Must not know: the cursor, how a row is drawn.

#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeSet;
use std::ops::Range;

use super::entries::{self, Mark};
use super::query::Query;
use super::{Level, RECENT, WIDE};
use crate::ground::layout::fold;
use crate::ground::layout::fold::filter::filter;
use crate::ground::layout::fold::{Detail, Rules, fold};
use crate::ground::layout::gutter::Gutter;
use overrule_domain::id::NodeId;
use overrule_domain::state::State;

/// A row.
pub type Row = fold::Row<NodeId>;
/// The name of a fold.
pub type Fold = fold::Fold<NodeId>;

/// View settings of the operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowSettings {
    /// How much is shown.
    pub level: Level,
    /// Only nodes that match it are shown.
    pub filter: Option<Query>,
    /// A node that has a row although it does not match the filter.
    pub revealed: Option<NodeId>,
    /// Folds that are unfolded.
    pub unfolded: BTreeSet<Fold>,
    /// Calls whose observation has a row of its own.
    pub split: BTreeSet<NodeId>,
}

impl RowSettings {
    /// When rows are folded.
    fn rules(&self, state: &State) -> Rules {
        let detail = match self.level {
            Level::Recent => {
                let recent = state.turns.keys().rev().nth(RECENT - 1);
                Detail::Since(recent.map_or(0, |turn| u64::from(turn.0)))
            }
            Level::Turns => Detail::Turns,
            Level::Nodes | Level::Text => Detail::Nodes,
        };
        Rules { wide: WIDE, detail }
    }
}

/// Builds the rows of a state.
pub fn rows(state: &State, settings: &RowSettings) -> Rows {
    let entries = entries::of(state, settings);
    let is_unfolded = |name: Fold| settings.unfolded.contains(&name);
    let list = match settings.filter {
        Some(_) => filter(&entries, settings.revealed, is_unfolded),
        None => fold(&entries, settings.rules(state), is_unfolded),
    };
    Rows {
        gutter: list.iter().map(Row::item).collect(),
        list,
        matches: entries.iter().filter(|entry| entry.hit).count(),
        newest: entries.last().map(|entry| entry.key),
    }
}

/// The rows.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    list: Vec<Row>,
    /// Their lanes.
    pub gutter: Gutter<NodeId>,
    /// Number of nodes that match the filter.
    pub matches: usize,
    /// The newest node that has an entry.
    pub newest: Option<NodeId>,
}

impl Rows {
    /// Number of rows.
    pub const fn len(&self) -> usize {
        self.list.len()
    }

    /// True if there are no rows.
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// A row.
    pub fn get(&self, row: usize) -> Option<&Row> {
        self.list.get(row)
    }

    /// All rows.
    pub fn iter(&self) -> std::slice::Iter<'_, Row> {
        self.list.iter()
    }

    /// The row that a node is in.
    pub fn of(&self, id: NodeId) -> Option<&Row> {
        self.get(self.find(id)?)
    }

    /// The number of the row that a node is in.
    pub fn find(&self, id: NodeId) -> Option<usize> {
        self.gutter.find(id)
    }

    /// Number of rows up to the one with this key, or up to where it would be.
    pub fn through(&self, key: Option<NodeId>) -> usize {
        self.list.partition_point(|row| Some(row.key) <= key)
    }

    /// The highest mark in a range of rows, and the number of failed ones.
    pub fn marks(&self, rows: Range<usize>) -> (Mark, usize) {
        let marks = self.list.get(rows).unwrap_or_default().iter();
        let marks = marks.map(|row| Mark::of(row.mark));
        marks.fold((Mark::None, 0), |(most, failed), mark| {
            (most.max(mark), failed + usize::from(mark == Mark::Failed))
        })
    }
}

impl<'a> IntoIterator for &'a Rows {
    type Item = &'a Row;
    type IntoIter = std::slice::Iter<'a, Row>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
