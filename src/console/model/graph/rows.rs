//! The rows of the graph and their lanes, planned anew only from where something changed.
//!
//! Must not know: the run, the cursor, how a row is drawn.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::list::{Content, List};
use super::marks::Marks;
use crate::compact::make_room;
use crate::console::layout::fold::packed::Packed;
use crate::console::layout::fold::sieve::{Inside, Point, Run, Ways, sieve};
use crate::console::layout::fold::{Entry, Folded, LOOK_BACK, Plan, Planned, Rules, Stands, plan_from};
use crate::console::layout::gutter::{Gutter, Key, Shape};
use crate::domain::id::{NodeId, NodeKind};
use crate::few::Few;

/// Of the places at which a plan can begin, one in so many is noted.
const APART: usize = 4;
/// Entries that are planned at once: a long run takes little room beside what is kept of it.
const AT_ONCE: usize = if cfg!(test) { 16 } else { 1024 };

/// The longest repetition that is folded again from its middle, in entries.
const MOST: usize = 16 * 1024;
/// Entries behind a node that are looked at to find out what it would be folded into.
const BEYOND: usize = 256;

/// Nodes are numbered one after the other; a call and its result share a number.
impl Key for NodeId {
    fn code(self) -> u64 {
        u64::from(self.no) << 3 | self.kind as u64
    }

    fn of(code: u64) -> Self {
        let kind = NodeKind::ALL.get((code & 7) as usize);
        Self::new(kind.copied().unwrap_or(NodeKind::Prompt), (code >> 3) as u32)
    }
}

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
    list: List,
    /// How much each row needs an eye.
    pub marks: Marks,
    /// The nodes that could have rows.
    pub entries: Packed<NodeId>,
    /// Entries at which a plan can begin, each with its row: some of them.
    starts: Vec<(u32, u32)>,
    /// The same where something is looked for.
    points: Vec<Point>,
    ways: Ways<NodeId>,
}

impl Rows {
    /// Number of rows.
    pub const fn len(&self) -> usize {
        self.list.len()
    }

    /// True where there is none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A row.
    pub fn get(&self, row: usize) -> Option<Row> {
        let Content {
            stands,
            count,
            replaced,
        } = self.list.get(row)?;
        Some(Row {
            key: self.gutter.key(row)?,
            shape: self.gutter.shape(row)?,
            stands,
            count,
            replaced,
        })
    }

    /// All rows from one on.
    pub fn iter_from(&self, row: usize) -> impl Iterator<Item = Row> + '_ {
        (row..self.len()).filter_map(|row| self.get(row))
    }

    /// The row that stands for a node.
    pub fn of(&self, id: NodeId) -> Option<Row> {
        self.get(self.find(id)?)
    }

    /// The number of the row that stands for a node.
    pub fn find(&self, id: NodeId) -> Option<usize> {
        let named = self.gutter.find(id);
        if named.is_some() || self.points.is_empty() {
            return named;
        }
        // What does not fit stands in the row before it, all of which does not.
        let before = self.through(Some(id)).checked_sub(1)?;
        let stands = self.list.get(before)?.stands;
        (stands == Stands::Elided && self.entry_of(id).is_some()).then_some(before)
    }

    /// The further nodes that a row stands for: at most so many from either end.
    pub fn ends(&self, row: usize, most: usize) -> Vec<NodeId> {
        let Some(here) = self.get(row).filter(|here| here.stands == Stands::Elided) else {
            let members = self.gutter.members(row);
            let skipped = members.len().saturating_sub(2 * most);
            return members
                .clone()
                .take(most)
                .chain(members.skip(most + skipped))
                .collect();
        };
        let from = self.entry(here.key);
        let (first, last) = (here.count.min(most), here.count.saturating_sub(most).max(most));
        let part = |at: usize, count: usize| self.entries.rest(from + at).take(count);
        let both = part(0, first).chain(part(last, here.count.saturating_sub(last)));
        let nodes = both.flat_map(|entry| {
            let entry = entry.into_owned();
            std::iter::once(entry.key).chain(entry.members.iter().copied().collect::<Vec<_>>())
        });
        nodes.filter(|id| *id != here.key).collect()
    }

    /// The last node that a row stands for.
    pub fn last(&self, row: usize) -> Option<NodeId> {
        let here = self.get(row)?;
        if here.stands == Stands::Elided {
            let last = self.entries.get(self.entry(here.key) + here.count - 1)?;
            return last.members.last().copied().or(Some(last.key));
        }
        self.gutter.members(row).last().or(Some(here.key))
    }

    /// How many rows are not behind the one of this name, or where it would stand.
    pub fn through(&self, key: Option<NodeId>) -> usize {
        let (mut from, mut to) = (0, self.len());
        while from < to {
            let middle = usize::midpoint(from, to);
            if self.gutter.key(middle) <= key {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        from
    }

    /// The place of a node among the entries, or the one where it would stand.
    pub fn entry(&self, id: NodeId) -> usize {
        self.entries.place(id)
    }

    /// The entry that stands for a node.
    pub fn entry_of(&self, id: NodeId) -> Option<Entry<NodeId>> {
        let at = self.entries.through(id).checked_sub(1)?;
        let entry = self.entries.get(at)?;
        (entry.key == id || entry.members.contains(&id)).then(|| entry.into_owned())
    }

    /// Plans the rows anew from an entry on: those that fit where something is looked for, and the one that was
    /// called for; otherwise all.
    pub fn plan(&mut self, from: usize, rules: Rules, sieved: Option<Called>, open: &BTreeSet<Unfolded>) {
        let is_open = |kind: Folded, key: NodeId| open.contains(&(key, kind));
        if let Some(Called(called)) = sieved {
            return self.sieve(from, called, |key| is_open(Folded::Elided, key));
        }
        (self.ways, self.points) = (Ways::default(), Vec::new());
        let (mut from, mut many) = (from, AT_ONCE);
        loop {
            let (at, entry, row) = self.start(from);
            let some: Vec<Entry<NodeId>> = self
                .entries
                .rest(entry)
                .take(many)
                .map(std::borrow::Cow::into_owned)
                .collect();
            let next = entry + some.len();
            let end = self.take(plan_from(&some, 0, rules, is_open), at, (entry, row));
            if next >= self.entries.len() {
                return self.gutter.truncate(end);
            }
            // What comes next can only change the rows since the start from which it is planned.
            if self.start(next).1 == entry {
                many *= 2;
            }
            from = next;
        }
    }

    /// The entry from which a plan goes on after a change at another one.
    pub fn planned_from(&self, from: usize) -> usize {
        if self.points.is_empty() {
            self.start(from).1
        } else {
            self.point(from).1.entry
        }
    }

    /// True where a row that is unfolded would hide a node if it were folded.
    pub fn would_hide(
        &self,
        name: Unfolded,
        key: NodeId,
        rules: Rules,
        sieved: Option<Called>,
        open: &BTreeSet<Unfolded>,
    ) -> bool {
        let (first, kind) = name;
        let (from, to) = (self.entry(first), self.entries.through(key));
        if let Some(Called(called)) = sieved {
            let is_hidden = |entry: &Entry<NodeId>| !entry.hit && Some(entry.key) != called;
            let mut all = self.entries.rest(from).take(to.saturating_sub(from));
            return kind == Folded::Elided && all.all(|entry| is_hidden(&entry));
        }
        let (Some(begins), Some(ends)) = (self.entries.get(from), self.entry_of(key)) else {
            return false;
        };
        let may = match kind {
            Folded::Fan | Folded::Turn => begins.turn == ends.turn,
            Folded::Replaced(_) => begins.replaced == ends.replaced,
            // Nobody waits for a repetition of that length.
            Folded::Loop => to - from <= MOST,
            Folded::Elided => false,
        };
        if !may {
            return false;
        }
        let is_open = |kind: Folded, key: NodeId| (key, kind) != name && open.contains(&(key, kind));
        let start = self.planned_from(from);
        let rest = self.entries.rest(start).take(to + BEYOND - start);
        let some: Vec<Entry<NodeId>> = rest.map(std::borrow::Cow::into_owned).collect();
        let plan = plan_from(&some, 0, rules, is_open);
        let hides = |row: &Planned<NodeId>| row.key == key || row.members.contains(&key);
        let mut folded = plan.rows.iter().filter(|row| row.key == first);
        folded.any(|row| row.stands.folded(row.replaced) == Some(kind) && hides(row))
    }

    /// Where a plan has to begin after a change at an entry: the number of the start, its entry, its row.
    fn start(&self, from: usize) -> (usize, usize, usize) {
        let at = self
            .starts
            .partition_point(|(entry, _)| *entry as usize <= from)
            .saturating_sub(1 + LOOK_BACK.div_ceil(APART));
        let start = self.starts.get(at);
        let (entry, row) = start.map_or((0, 0), |(entry, row)| (*entry as usize, *row as usize));
        (at, entry, row)
    }

    /// Puts planned rows in the place of those from a start on; the plan counts its entries from `entry`. Gives the row
    /// behind the last.
    fn take(&mut self, plan: Plan<NodeId>, at: usize, (entry, row): (usize, usize)) -> usize {
        self.starts.truncate(at);
        let end = self.put(row, &plan.rows);
        for (one, below) in plan.starts.iter().step_by(APART) {
            make_room(&mut self.starts, 1);
            self.starts.push(((entry + one) as u32, (row + below) as u32));
        }
        end
    }

    /// Puts rows in the place of those from one on; gives the row behind the last.
    fn put(&mut self, row: usize, rows: &[Planned<NodeId>]) -> usize {
        let (_, end) = self.gutter.merge(row, rows.iter().map(Planned::item));
        self.list.truncate(row);
        self.marks.truncate(row);
        self.marks.extend(rows.iter().map(|row| row.mark));
        for row in rows {
            self.list.push(Content {
                stands: row.stands,
                count: row.count,
                replaced: row.replaced,
            });
        }
        end
    }

    /// Plans the rows that fit from an entry on.
    fn sieve(&mut self, from: usize, called: Option<NodeId>, open: impl Fn(NodeId) -> bool) {
        let (at, point) = self.point(from);
        let run = point.inside.and_then(|inside| self.run(point, inside));
        let rest = self.entries.rest(point.entry);
        let sieved = sieve(rest, (point.entry, run), &mut self.ways, called, open);
        let end = self.put(point.row, &sieved.rows);
        self.gutter.truncate(end);
        self.starts = Vec::new();
        self.points.truncate(at);
        make_room(&mut self.points, sieved.points.len());
        self.points.extend(sieved.points.iter().map(|one| Point {
            row: point.row + one.row,
            ..*one
        }));
    }

    /// The run in the middle of which a point is, as far as that.
    fn run(&self, point: Point, inside: Inside) -> Option<Run<NodeId>> {
        let Inside::Hidden(mark) = inside else {
            return Some(Run::Shown);
        };
        let row = self.get(point.row)?;
        Some(Run::Hidden(Planned {
            key: row.key,
            shape: row.shape,
            stands: row.stands,
            parents: Few::None,
            elided: Few::None,
            members: Few::None,
            count: point.entry - self.entry(row.key),
            replaced: row.replaced,
            mark,
        }))
    }

    /// The place from which one has to sieve after a change at an entry, with its number: what changed may belong to what
    /// stands before it.
    fn point(&self, from: usize) -> (usize, Point) {
        let first = Point {
            entry: 0,
            row: 0,
            inside: None,
        };
        let before = self.points.partition_point(|point| point.entry < from);
        match before.checked_sub(1).and_then(|at| self.points.get(at)) {
            Some(point) => (before - 1, *point),
            None => (0, first),
        }
    }

    /// Forgets how the rows came about: the next plan begins at the first entry.
    pub fn replan_all(&mut self) {
        self.starts.clear();
        self.points.clear();
    }
}
