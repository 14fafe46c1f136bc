//! The rows of what is looked for: everything between is one row, and what hangs on something only
//! by way of nodes without a row says so.
//!
//! Must not know: what is looked for, how a row is drawn.

use std::borrow::Cow;

use super::{Entry, Plan, Stands, merged, single};
use crate::compact::make_room;
use crate::console::layout::gutter::Shape;

/// How an entry is reached by those that hang on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// It has a row.
    Row,
    /// Through the rows of this set.
    Past(u32),
}

/// What is known of a key.
#[derive(Debug, Clone, Copy)]
struct Known<K> {
    key: K,
    way: Way,
    /// How many sets there were then.
    sets: u32,
}

/// What is known of the entries that were sieved so far and of what they stand for, in their order.
#[derive(Debug, Clone)]
pub struct Ways<K> {
    ways: Vec<Known<K>>,
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
    /// Forgets what was known of this key and of all behind it.
    fn forget_from(&mut self, key: K) {
        let len = self.ways.partition_point(|known| known.key < key);
        self.ways.truncate(len);
        let sets = self.ways.last().map_or(0, |known| known.sets);
        self.sets.truncate(sets as usize);
    }

    fn way(&self, key: K) -> Option<Way> {
        let at = self
            .ways
            .partition_point(|known| known.key <= key)
            .checked_sub(1)?;
        self.ways
            .get(at)
            .filter(|known| known.key == key)
            .map(|known| known.way)
    }

    /// What an entry hangs on by a line, and by way of nodes without a row.
    fn parents(&self, entry: &Entry<K>) -> (Vec<K>, Vec<K>) {
        let (mut direct, mut past) = (Vec::new(), Vec::new());
        for parent in &entry.parents {
            match self.way(*parent) {
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

    fn note(&mut self, entry: &Entry<K>, way: Way) {
        while self.ways.pop_if(|known| known.key >= entry.key).is_some() {}
        let sets = self.sets.len() as u32;
        let mut last = None;
        for key in std::iter::once(&entry.key).chain(&entry.members) {
            // What stands before the entry it belongs to would be found by nobody.
            if last.is_none_or(|last| last < *key) {
                last = Some(*key);
                make_room(&mut self.ways, 1);
                self.ways.push(Known { key: *key, way, sets });
            }
        }
    }

    /// Notes an entry without a row.
    fn pass(&mut self, entry: &Entry<K>) {
        let mut ways = entry.parents.iter().map(|parent| self.way(*parent));
        // Most nodes are reached by what reaches the one thing that they hang on.
        let first = ways.next().flatten();
        if let Some(Way::Past(set)) = first
            && ways.all(|way| way == first)
        {
            return self.note(entry, Way::Past(set));
        }
        let (direct, mut past) = self.parents(entry);
        past.extend(direct.into_iter().filter(|key| self.way(*key).is_some()));
        past.sort_unstable();
        let set = match self.sets.last() {
            Some(last) if *last == past => self.sets.len() - 1,
            _ => {
                self.sets.push(past);
                self.sets.len() - 1
            }
        };
        self.note(entry, Way::Past(set as u32));
    }
}

/// The rows that fit of the entries from a place on, with one row for each run of others. `open` tells whether the
/// run that is called so is shown all the same; `called` is one that has a row although it does not fit.
pub fn sieve<'a, K: Copy + Ord + 'a>(
    entries: impl IntoIterator<Item = Cow<'a, Entry<K>>>,
    from: usize,
    ways: &mut Ways<K>,
    called: Option<K>,
    open: impl Fn(K) -> bool,
) -> Plan<K> {
    let mut plan = Plan::new();
    let mut rest = entries.into_iter().peekable();
    match rest.peek() {
        Some(first) if from > 0 => ways.forget_from(first.key),
        Some(_) => *ways = Ways::default(),
        None => {}
    }
    let is_hidden = |entry: &Entry<K>| !entry.hit && Some(entry.key) != called;
    let mut at = from;
    while let Some(first) = rest.next() {
        plan.start(at);
        let mut group = vec![first];
        let hides = group.iter().all(|first| is_hidden(first));
        if hides {
            group.extend(std::iter::from_fn(|| rest.next_if(|entry| is_hidden(entry))));
        }
        at += group.len();
        let shown = !hides || group.first().is_some_and(|first| open(first.key));
        for entry in &group {
            if !shown {
                ways.pass(entry);
                continue;
            }
            let shape = if entry.replaced.is_some() {
                Shape::Side
            } else {
                Shape::Node
            };
            let mut row = single(entry, shape);
            let (parents, elided) = ways.parents(entry);
            (row.parents, row.elided) = (parents.into(), elided.into());
            plan.rows.push(row);
            ways.note(entry, Way::Row);
        }
        if !shown {
            let group = group.iter().map(|entry| &**entry);
            plan.rows.extend(merged(group, Shape::Fold, Stands::Elided));
        }
    }
    plan
}
