//! Keeps the rows of the nodes that match a filter: each run of others is one row.
//!
//! Must not know: the pattern, how a row is drawn.
//!
//! A row marks its dependencies through nodes without a row.

use std::collections::BTreeMap;

use super::{Entry, Fold, FoldKind, Row, RowKind, single};
use crate::ground::layout::gutter::Shape;

/// How the descendants of a node reach it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// It has a row.
    Row,
    /// Through the rows of this set.
    Past(usize),
}

/// How the descendants of the nodes so far reach them.
struct Ways<K> {
    ways: BTreeMap<K, Way>,
    /// Rows that are reached in place of nodes without one; many nodes share a set.
    sets: Vec<Vec<K>>,
}

impl<K: Copy + Ord> Ways<K> {
    fn way(&self, key: K) -> Option<Way> {
        self.ways.get(&key).copied()
    }

    /// Direct parents of a node, and those through nodes without a row.
    fn parents(&self, entry: &Entry<K>) -> (Vec<K>, Vec<K>) {
        let (mut direct, mut past) = (Vec::new(), Vec::new());
        for parent in &entry.parents {
            match self.way(*parent) {
                Some(Way::Past(set)) => past.extend(self.sets.get(set).into_iter().flatten()),
                // A missing parent becomes a chip.
                Some(Way::Row) | None => direct.push(*parent),
            }
        }
        past.sort_unstable();
        past.dedup();
        past.retain(|key| !direct.contains(key));
        (direct, past)
    }

    fn insert(&mut self, entry: &Entry<K>, way: Way) {
        for key in entry.members.iter().chain([&entry.key]) {
            self.ways.insert(*key, way);
        }
    }

    /// Adds a node without a row.
    fn hide(&mut self, entry: &Entry<K>) {
        let mut ways = entry.parents.iter().map(|parent| self.way(*parent));
        // Most nodes have the ancestors of their only parent.
        let first = ways.next().flatten();
        if let Some(way @ Way::Past(_)) = first
            && ways.all(|way| way == first)
        {
            return self.insert(entry, way);
        }
        let (direct, mut past) = self.parents(entry);
        past.extend(direct.into_iter().filter(|key| self.way(*key).is_some()));
        past.sort_unstable();
        if self.sets.last() != Some(&past) {
            self.sets.push(past);
        }
        self.insert(entry, Way::Past(self.sets.len() - 1));
    }
}

/// The rows of the matching nodes, with one row for each run of others. `open` returns whether a
/// fold is unfolded; `revealed` is a node that has a row although it does not match.
pub fn filter<K: Copy + Ord>(
    entries: &[Entry<K>],
    revealed: Option<K>,
    open: impl Fn(Fold<K>) -> bool,
) -> Vec<Row<K>> {
    let mut ways = Ways {
        ways: BTreeMap::new(),
        sets: Vec::new(),
    };
    let mut rows = Vec::new();
    let is_shown = |entry: &Entry<K>| entry.hit || Some(entry.key) == revealed;
    for run in entries.chunk_by(|one, other| !is_shown(one) && !is_shown(other)) {
        let Some(first) = run.first() else { continue };
        let name = (first.key, FoldKind::Elided);
        if is_shown(first) || open(name) {
            let within = (!is_shown(first)).then_some(name);
            for entry in run {
                rows.push(shown(entry, within, &ways));
                ways.insert(entry, Way::Row);
            }
        } else {
            rows.push(hidden(run, first));
            for entry in run {
                ways.hide(entry);
            }
        }
    }
    rows
}

/// The row of a node that is shown.
fn shown<K: Copy + Ord>(entry: &Entry<K>, within: Option<Fold<K>>, ways: &Ways<K>) -> Row<K> {
    let shape = if entry.replaced.is_some() {
        Shape::Side
    } else {
        Shape::Node
    };
    let (parents, elided) = ways.parents(entry);
    Row {
        parents,
        elided,
        within,
        ..single(entry, shape)
    }
}

/// The row of a run of nodes that do not match.
fn hidden<K: Copy>(run: &[Entry<K>], first: &Entry<K>) -> Row<K> {
    let keys = run
        .iter()
        .flat_map(|entry| std::iter::once(entry.key).chain(entry.members.iter().copied()));
    Row {
        key: first.key,
        shape: Shape::Fold,
        kind: RowKind::Elided,
        parents: Vec::new(),
        elided: Vec::new(),
        members: keys.skip(1).collect(),
        count: run.len(),
        replaced: first.replaced,
        mark: run.iter().map(|entry| entry.mark).max().unwrap_or(0),
        within: None,
    }
}
