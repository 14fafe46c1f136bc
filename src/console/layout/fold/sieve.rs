//! The rows of what is looked for: everything between is one row, and what hangs on something only
//! by way of nodes without a row says so.
//!
//! Must not know: what is looked for, how a row is drawn.

use std::borrow::Cow;

use super::{Entry, Planned, Stands, single};
use crate::compact::make_room;
use crate::console::layout::gutter::Shape;
use crate::few::Few;

/// Entries between two places at which one could begin anew, at least.
const APART: usize = if cfg!(test) { 3 } else { 64 };

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

/// A run of entries that do not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Run<K> {
    /// They have one row, as far as they were gone through. It names the first of them, and none of the others: they are
    /// all that stands between it and the next row.
    Hidden(Planned<K>),
    /// They are shown all the same.
    Shown,
}

/// A place at which one could begin to sieve anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// The entry that comes next.
    pub entry: usize,
    /// The row that comes next: that of the hidden run in the middle of which this is.
    pub row: usize,
    /// In the middle of which run it is.
    pub inside: Option<Inside>,
}

/// The run that a point is in the middle of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inside {
    /// A hidden one, with the greatest mark so far.
    Hidden(u8),
    /// One that is shown.
    Shown,
}

/// Rows, and where one could begin anew: the entries counted from the first of all, the rows from the first of these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sieved<K> {
    /// The rows.
    pub rows: Vec<Planned<K>>,
    /// The places.
    pub points: Vec<Point>,
}

impl<K: Copy + Ord> Sieved<K> {
    fn end(&mut self, run: Option<Run<K>>) {
        if let Some(Run::Hidden(row)) = run {
            self.rows.push(row);
        }
    }

    /// Notes a place, unless there is one not far before it.
    fn point(&mut self, entry: usize, run: Option<&Run<K>>) {
        let is_far = |last: &Point| entry >= last.entry + APART;
        if self.points.last().is_none_or(is_far) {
            self.points.push(Point {
                entry,
                row: self.rows.len(),
                inside: run.map(|run| match run {
                    Run::Hidden(row) => Inside::Hidden(row.mark),
                    Run::Shown => Inside::Shown,
                }),
            });
        }
    }

    fn show(&mut self, entry: &Entry<K>, ways: &mut Ways<K>) {
        let shape = if entry.replaced.is_some() {
            Shape::Side
        } else {
            Shape::Node
        };
        let mut row = single(entry, shape);
        let (parents, elided) = ways.parents(entry);
        (row.parents, row.elided) = (parents.into(), elided.into());
        self.rows.push(row);
        ways.note(entry, Way::Row);
    }
}

/// The row of a hidden run before its first entry.
const fn hidden<K>(key: K, replaced: Option<u64>) -> Planned<K> {
    Planned {
        key,
        shape: Shape::Fold,
        stands: Stands::Elided,
        parents: Few::None,
        elided: Few::None,
        members: Few::None,
        count: 0,
        replaced,
        mark: 0,
    }
}

/// The rows that fit of the entries from a place on, with one row for each run of others; `run` is the one in the middle
/// of which it begins. `open` tells whether the run that is called so is shown all the same; `called` is an entry that
/// has a row although it does not fit.
pub fn sieve<'a, K: Copy + Ord + 'a>(
    entries: impl IntoIterator<Item = Cow<'a, Entry<K>>>,
    (from, mut run): (usize, Option<Run<K>>),
    ways: &mut Ways<K>,
    called: Option<K>,
    open: impl Fn(K) -> bool,
) -> Sieved<K> {
    let mut sieved = Sieved {
        rows: Vec::new(),
        points: Vec::new(),
    };
    let mut rest = entries.into_iter().peekable();
    match rest.peek() {
        Some(first) if from > 0 => ways.forget_from(first.key),
        Some(_) => *ways = Ways::default(),
        None => {}
    }
    for (at, entry) in (from..).zip(rest) {
        if entry.hit || Some(entry.key) == called {
            sieved.end(run.take());
            sieved.point(at, None);
            sieved.show(&entry, ways);
            continue;
        }
        sieved.point(at, run.as_ref());
        let run = run.get_or_insert_with(|| {
            if open(entry.key) {
                Run::Shown
            } else {
                Run::Hidden(hidden(entry.key, entry.replaced))
            }
        });
        match run {
            Run::Shown => sieved.show(&entry, ways),
            Run::Hidden(row) => {
                row.count += 1;
                row.mark = row.mark.max(entry.mark);
                ways.pass(&entry);
            }
        }
    }
    sieved.end(run);
    sieved
}
