//! The rows of the graph and their lanes, planned anew only from where something changed.
//!
//! Must not know: the run, the cursor, how a row is drawn.

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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::console::layout::fold::{Detail, Keep, plan};

    /// Turns of a few calls; few signs, so that turns are repeated.
    fn entries() -> impl Strategy<Value = Vec<Entry<NodeId>>> {
        let keep = prop_oneof![9 => Just(Keep::No), 1 => Just(Keep::Own), 1 => Just(Keep::Always)];
        let replaced = prop::option::weighted(0.1, 1..3_u64);
        let turn = (1..4_u64, prop::collection::vec(keep, 0..4), replaced);
        prop::collection::vec(turn, 0..60).prop_map(|turns| {
            let mut entries: Vec<Entry<NodeId>> = Vec::new();
            for ((sign, keeps, replaced), turn) in turns.into_iter().zip(1..) {
                let before = entries.last().map(|entry| entry.key);
                let next = |entries: &Vec<Entry<NodeId>>| entries.len() as u32 + 1;
                let thought = NodeId::new(NodeKind::Thought, next(&entries));
                let first = Entry::new(thought, before.into_iter().collect());
                entries.push(Entry {
                    replaced,
                    turn,
                    ..first
                });
                for keep in keeps {
                    let call = NodeId::new(NodeKind::Call, next(&entries));
                    entries.push(Entry {
                        turn,
                        fan: true,
                        keep,
                        sign,
                        replaced,
                        members: vec![call.observation()].into(),
                        mark: sign as u8,
                        ..Entry::new(call, vec![thought])
                    });
                }
            }
            entries
        })
    }

    fn check(rows: &Rows, entries: &[Entry<NodeId>], rules: Rules) {
        let wanted = plan(entries, rules, |_, _| false);
        let mut gutter = Gutter::default();
        gutter.sync(0, wanted.iter().map(Planned::item));
        assert_eq!(rows.len(), wanted.len());
        assert_eq!(rows.gutter.len(), wanted.len());
        assert_eq!(rows.marks.rows(), wanted.len());
        for (at, wanted) in wanted.iter().enumerate() {
            let row = rows.get(at).unwrap();
            assert_eq!(
                (row.key, row.shape, row.stands),
                (wanted.key, wanted.shape, wanted.stands)
            );
            assert_eq!((row.count, row.replaced), (wanted.count, wanted.replaced));
            assert_eq!(rows.gutter.row(at), gutter.row(at));
            assert!(rows.gutter.members(at).eq(wanted.members.iter().copied()));
            assert_eq!(rows.marks.get(at), Some(wanted.mark));
            for id in wanted.members.iter().chain([&wanted.key]) {
                assert_eq!(rows.of(*id), Some(row));
            }
        }
        for id in entries.iter().map(|entry| entry.key) {
            let through = wanted.partition_point(|row| row.key <= id);
            assert_eq!(rows.through(Some(id)), through);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn what_is_planned_in_parts_is_the_plan_of_everything(
            before in entries(),
            after in entries(),
            cut in 0..200_usize,
            since in 0..60_u64,
        ) {
            let rules = Rules { wide: 3, detail: Detail::Since(since) };
            let mut rows = Rows::default();
            let open = BTreeSet::new();
            for entry in &before { rows.entries.push(entry.clone()); }
            rows.plan(0, rules, None, &open);
            check(&rows, &before, rules);
            // Another end.
            let cut = cut.min(before.len()).min(after.len());
            let mut entries = before[..cut].to_vec();
            entries.extend_from_slice(&after[cut..]);
            rows.entries.truncate(cut);
            for entry in &after[cut..] { rows.entries.push(entry.clone()); }
            rows.plan(cut, rules, None, &open);
            check(&rows, &entries, rules);
        }
    }

    fn check_sieved(
        rows: &Rows,
        entries: &[Entry<NodeId>],
        called: Option<NodeId>,
        open: &BTreeSet<Unfolded>,
    ) {
        let mut whole = Rows::default();
        for entry in entries {
            whole.entries.push(entry.clone());
        }
        let rules = Rules {
            wide: 3,
            detail: Detail::Nodes,
        };
        whole.plan(0, rules, Some(Called(called)), open);
        assert_eq!(rows.len(), whole.len());
        let mut next = 0;
        for at in 0..rows.len() {
            let row = rows.get(at).unwrap();
            assert_eq!(Some(row), whole.get(at));
            assert_eq!(rows.marks.get(at), whole.marks.get(at));
            assert_eq!(rows.gutter.row(at), whole.gutter.row(at));
            // Every node stands in the row that counts it, whether it is named there or not.
            let here = &entries[next..next + row.count];
            next += row.count;
            let nodes: Vec<NodeId> = here
                .iter()
                .flat_map(|entry| std::iter::once(entry.key).chain(entry.members.iter().copied()))
                .collect();
            assert!(nodes.iter().all(|id| rows.find(*id) == Some(at)));
            assert_eq!(rows.last(at).as_ref(), nodes.last());
            let is_elided = row.stands == Stands::Elided;
            assert_eq!(
                is_elided,
                row.count > 1 || !here[0].hit && Some(row.key) != called && !shown(here, open, entries)
            );
            assert_eq!(rows.ends(at, 100), nodes[1..]);
            let few = rows.ends(at, 2);
            assert!(few.len() <= 8 && few.iter().all(|id| nodes[1..].contains(id)));
            assert!(nodes.len() < 2 || few.contains(nodes.last().unwrap()));
        }
        assert_eq!(next, entries.len());
    }

    /// True for an entry in a run that is shown although it does not fit.
    fn shown(here: &[Entry<NodeId>], open: &BTreeSet<Unfolded>, entries: &[Entry<NodeId>]) -> bool {
        let at = entries.iter().position(|entry| entry.key == here[0].key).unwrap();
        let before = entries[..=at]
            .iter()
            .rposition(|entry| open.contains(&(entry.key, Folded::Elided)));
        before.is_some_and(|first| entries[first..=at].iter().all(|entry| !entry.hit))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn what_is_sieved_in_parts_is_what_is_sieved_at_once(
            before in entries(),
            after in entries(),
            cut in 0..200_usize,
            hits in prop::collection::vec(prop::bool::weighted(0.1), 400),
            called in prop::option::of(0..200_usize),
            opened in prop::collection::vec(0..200_usize, 0..3),
        ) {
            let hit = |entries: &mut Vec<Entry<NodeId>>, from: usize| {
                for (entry, hit) in entries.iter_mut().zip(&hits[from..]) {
                    entry.hit = *hit;
                }
            };
            let (mut before, mut after) = (before, after);
            hit(&mut before, 0);
            hit(&mut after, 7);
            let key = |at: usize| before.get(at).map(|entry| entry.key);
            let called = called.and_then(key);
            let open: BTreeSet<Unfolded> = opened.into_iter().filter_map(key).map(|key| (key, Folded::Elided)).collect();
            let rules = Rules { wide: 3, detail: Detail::Nodes };
            let mut rows = Rows::default();
            for entry in &before { rows.entries.push(entry.clone()); }
            rows.plan(0, rules, Some(Called(called)), &open);
            check_sieved(&rows, &before, called, &open);
            let cut = cut.min(before.len()).min(after.len());
            let mut entries = before[..cut].to_vec();
            entries.extend_from_slice(&after[cut..]);
            rows.entries.truncate(cut);
            for entry in &after[cut..] { rows.entries.push(entry.clone()); }
            rows.plan(cut, rules, Some(Called(called)), &open);
            check_sieved(&rows, &entries, called, &open);
            // One after the other at the end.
            let mut grown = Rows::default();
            for (at, entry) in entries.iter().enumerate() {
                grown.entries.push(entry.clone());
                grown.plan(at, rules, Some(Called(called)), &open);
            }
            check_sieved(&grown, &entries, called, &open);
            if let Some(far) = grown.points.last() {
                prop_assert!(entries.len() - far.entry <= 4, "little is gone through for one more");
            }
        }
    }

    #[test]
    fn a_node_is_a_number_and_comes_back_in_its_order() {
        let ids = NodeKind::ALL.map(|kind| NodeId::new(kind, 7));
        assert!(ids.map(Key::code).is_sorted());
        assert_eq!(ids.map(|id| NodeId::of(id.code())), ids);
        let last = NodeId::new(NodeKind::Call, u32::MAX);
        assert_eq!(NodeId::of(last.code()), last);
    }
}
