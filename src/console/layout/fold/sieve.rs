//! The rows of what is looked for: everything between is one row, and what hangs on something only
//! by way of nodes without a row says so.
//!
//! Must not know: what is looked for, how a row is drawn.

use super::{Entry, Plan, Stands, merged, single};
use crate::console::layout::gutter::Shape;

/// How an entry is reached by those that hang on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// It has a row.
    Row,
    /// Through the rows of this set.
    Past(u32),
}

/// What is known of the entries that were sieved so far, in their order.
#[derive(Debug, Clone)]
pub struct Ways<K> {
    ways: Vec<(Way, u32)>,
    /// Rows that stand for nodes without one; many nodes share a set.
    sets: Vec<Vec<K>>,
}

impl<K> Default for Ways<K> {
    fn default() -> Self {
        Self {
            ways: Vec::new(),
            sets: Vec::new(),
        }
    }
}

impl<K: Copy + Ord> Ways<K> {
    /// Forgets what was known of the entries from one on.
    fn truncate(&mut self, len: usize) {
        self.ways.truncate(len);
        let sets = self.ways.last().map_or(0, |(_, sets)| *sets);
        self.sets.truncate(sets as usize);
    }

    fn way(&self, entries: &[Entry<K>], key: K) -> Option<Way> {
        let at = entries.partition_point(|entry| entry.key <= key).checked_sub(1)?;
        let entry = entries.get(at)?;
        let there = entry.key == key || entry.members.contains(&key);
        self.ways.get(at).filter(|_| there).map(|(way, _)| *way)
    }

    /// What an entry hangs on by a line, and by way of nodes without a row.
    fn parents(&self, entries: &[Entry<K>], entry: &Entry<K>) -> (Vec<K>, Vec<K>) {
        let (mut direct, mut past) = (Vec::new(), Vec::new());
        for parent in &entry.parents {
            match self.way(entries, *parent) {
                Some(Way::Past(set)) => past.extend(self.sets.get(set as usize).into_iter().flatten()),
                // What stands nowhere becomes a chip.
                Some(Way::Row) | None => direct.push(*parent),
            }
        }
        past.sort_unstable();
        past.dedup();
        past.retain(|key| !direct.contains(key));
        (direct, past)
    }

    fn note(&mut self, way: Way) {
        self.ways.push((way, self.sets.len() as u32));
    }

    /// Notes an entry without a row.
    fn pass(&mut self, entries: &[Entry<K>], entry: &Entry<K>) {
        let mut ways = entry.parents.iter().map(|parent| self.way(entries, *parent));
        // Most nodes are reached by what reaches the one thing that they hang on.
        let first = ways.next().flatten();
        if let Some(Way::Past(set)) = first
            && ways.all(|way| way == first)
        {
            return self.note(Way::Past(set));
        }
        let (direct, mut past) = self.parents(entries, entry);
        past.extend(direct.into_iter().filter(|key| self.way(entries, *key).is_some()));
        past.sort_unstable();
        let set = match self.sets.last() {
            Some(last) if *last == past => self.sets.len() - 1,
            _ => {
                self.sets.push(past);
                self.sets.len() - 1
            }
        };
        self.note(Way::Past(set as u32));
    }
}

/// The rows from an entry on that fit, with one row for each run of others. `open` tells whether the
/// run that is called so is shown all the same; `called` is one that has a row although it does not fit.
pub fn sieve<K: Copy + Ord>(
    entries: &[Entry<K>],
    from: usize,
    ways: &mut Ways<K>,
    called: Option<K>,
    open: impl Fn(K) -> bool,
) -> Plan<K> {
    let mut plan = Plan::new();
    ways.truncate(from);
    let mut at = from;
    while let Some(first) = entries.get(at) {
        plan.start(at);
        let rest = entries.get(at..).unwrap_or_default();
        let is_hidden = |entry: &&Entry<K>| !entry.hit && Some(entry.key) != called;
        let hidden = rest.iter().take_while(is_hidden).count();
        let shown = hidden == 0 || open(first.key);
        for entry in rest.iter().take(hidden.max(1)) {
            if !shown {
                ways.pass(entries, entry);
                continue;
            }
            let shape = if entry.replaced.is_some() {
                Shape::Side
            } else {
                Shape::Node
            };
            let mut row = single(entry, shape);
            let (parents, elided) = ways.parents(entries, entry);
            (row.parents, row.elided) = (parents.into(), elided.into());
            plan.rows.push(row);
            ways.note(Way::Row);
        }
        if !shown {
            let group = rest.iter().take(hidden);
            plan.rows.extend(merged(group, Shape::Fold, Stands::Elided));
        }
        at += hidden.max(1);
    }
    plan
}
