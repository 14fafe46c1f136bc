//! Which rows there are: from a list of nodes to the rows of the gutter, with folds.
//!
//! Neighbours that the edits of one epoch replaced become one row, so do the quiet members of a wide fan, quiet
//! turns, and turns that do the same again and again. What needs an eye is never folded. Only what
//! comes after a change is planned anew. Must not know: the domain, how a row is drawn.

pub mod packed;
pub mod sieve;
#[cfg(test)]
mod tests;
mod turns;

use std::collections::BTreeSet;

use super::gutter::{Item, Shape};
use crate::few::Few;

/// Whether a node may share a row with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keep {
    /// It may.
    #[default]
    No,
    /// It has a row of its own, but where turns are repeated (what failed).
    Own,
    /// It always has a row of its own (what waits, runs, was edited).
    Always,
}

/// Of so many that something hangs on, each is looked for one by one.
const FEW: usize = 16;

/// A node that could have a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<K> {
    /// What it is called.
    pub key: K,
    /// What it hangs on.
    pub parents: Few<K>,
    /// Other keys that it stands for.
    pub members: Few<K>,
    /// Number of the epoch in which it was replaced; none while it counts.
    pub replaced: Option<u64>,
    /// The turn that it belongs to; 0 for a node on its own.
    pub turn: u64,
    /// True for a node on which nothing will hang.
    pub leaf: bool,
    /// True for one of several that a turn does side by side.
    pub fan: bool,
    /// Whether it may share a row.
    pub keep: Keep,
    /// What it does, as a number: equal for equal actions; 0 for nothing.
    pub sign: u64,
    /// How much it needs an eye; the row has the greatest of those that it stands for.
    pub mark: u8,
    /// True where it fits what is looked for.
    pub hit: bool,
}

impl<K> Entry<K> {
    /// A node on its own that counts.
    pub fn new(key: K, parents: Vec<K>) -> Self {
        Self {
            key,
            parents: parents.into(),
            members: Few::None,
            replaced: None,
            turn: 0,
            leaf: false,
            fan: false,
            keep: Keep::No,
            sign: 0,
            mark: 0,
            hit: false,
        }
    }
}

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// Every node.
    #[default]
    Nodes,
    /// Every node, but one row for each turn before this one in which nothing needs an eye.
    Since(u64),
    /// One row for each turn, and one for each node that needs an eye.
    Turns,
}

/// When rows are folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// A fan of more members than this is folded.
    pub wide: usize,
    /// How much is shown.
    pub detail: Detail,
}

/// What a row stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stands {
    /// One node.
    Node,
    /// The quiet members of a fan.
    Fan,
    /// The quiet nodes of a turn.
    Turn,
    /// Turns that repeat the ones above: how often.
    Loop(u32),
    /// What one edit replaced.
    Replaced,
    /// Nodes that do not fit what is looked for.
    Elided,
}

/// What kind of row is unfolded: one node can be the first of several, now and after an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Folded {
    /// The quiet members of a fan.
    Fan,
    /// The quiet nodes of a turn.
    Turn,
    /// Turns that repeat the ones above.
    Loop,
    /// What was replaced in this epoch.
    Replaced(u64),
    /// Nodes that do not fit what is looked for.
    Elided,
}

impl Stands {
    /// What it is when it is unfolded; nothing for a node of its own.
    pub fn folded(self, replaced: Option<u64>) -> Option<Folded> {
        Some(match self {
            Self::Node => return None,
            Self::Fan => Folded::Fan,
            Self::Turn => Folded::Turn,
            Self::Loop(_) => Folded::Loop,
            Self::Replaced => Folded::Replaced(replaced.unwrap_or_default()),
            Self::Elided => Folded::Elided,
        })
    }
}

/// A row to be, with what it hides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned<K> {
    /// What the row is called: its node, or the first of those that it hides.
    pub key: K,
    /// How the lanes take it.
    pub shape: Shape,
    /// What it stands for.
    pub stands: Stands,
    /// What it hangs on.
    pub parents: Few<K>,
    /// What it hangs on by way of nodes without a row.
    pub elided: Few<K>,
    /// Other keys that it stands for.
    pub members: Few<K>,
    /// Number of nodes in it.
    pub count: usize,
    /// Number of the epoch in which they were replaced.
    pub replaced: Option<u64>,
    /// How much it needs an eye.
    pub mark: u8,
}

impl<K: Copy> Planned<K> {
    /// The row as the gutter takes it.
    pub fn item(&self) -> Item<'_, K> {
        Item {
            key: self.key,
            shape: self.shape,
            parents: &self.parents,
            elided: &self.elided,
            members: &self.members,
        }
    }
}

/// Rows, and where one could begin to plan anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan<K> {
    /// The rows.
    pub rows: Vec<Planned<K>>,
    /// Entries that begin something of their own, each with its row, counted from where the plan begins.
    pub starts: Vec<(usize, usize)>,
}

impl<K> Plan<K> {
    const fn new() -> Self {
        Self {
            rows: Vec::new(),
            starts: Vec::new(),
        }
    }

    fn start(&mut self, entry: usize) {
        self.starts.push((entry, self.rows.len()));
    }
}

/// How many starts before a change the plan has to begin, so that what comes out is what planning
/// everything would give: as many turns as it takes to see a loop.
pub const LOOK_BACK: usize = turns::PERIODS * turns::REPEATED;

/// The rows of these nodes. `open` tells whether the row that is called so is unfolded.
pub fn plan<K: Copy + Ord>(
    entries: &[Entry<K>],
    rules: Rules,
    open: impl Fn(Folded, K) -> bool,
) -> Vec<Planned<K>> {
    plan_from(entries, 0, rules, open).rows
}

/// The rows of the nodes from an entry on, which has to be a start of the plan so far.
pub fn plan_from<K: Copy + Ord>(
    entries: &[Entry<K>],
    from: usize,
    rules: Rules,
    open: impl Fn(Folded, K) -> bool,
) -> Plan<K> {
    let mut plan = Plan::new();
    let pieces = turns::pieces(entries, from);
    let mut rest = pieces.as_slice();
    while let Some((piece, after)) = rest.split_first() {
        let repeated = if rules.detail == Detail::Nodes {
            None
        } else {
            turns::repeated(entries, rest)
        };
        if let Some((period, times)) = repeated {
            // What comes next is decided here: nobody may begin in the middle of it.
            plan.start(piece.from);
            for piece in rest.iter().take(period) {
                turns::turn(piece.of(entries), rules, &open, &mut plan.rows);
            }
            let again = rest.get(period..period * times).unwrap_or_default();
            turns::again(entries, again, times, rules, &open, &mut plan.rows);
            rest = rest.get(period * times..).unwrap_or_default();
            continue;
        }
        plan.start(piece.from);
        let group = piece.of(entries);
        match group.first() {
            Some(Entry {
                key,
                replaced: Some(epoch),
                ..
            }) => replaced(group, open(Folded::Replaced(*epoch), *key), &mut plan.rows),
            _ => turns::turn(group, rules, &open, &mut plan.rows),
        }
        rest = after;
    }
    plan
}

fn replaced<K: Copy + Ord>(group: &[Entry<K>], open: bool, rows: &mut Vec<Planned<K>>) {
    if open {
        rows.extend(group.iter().map(|entry| single(entry, Shape::Side)));
    } else {
        rows.extend(merged(group.iter(), Shape::Fold, Stands::Replaced));
    }
}

fn single<K: Copy>(entry: &Entry<K>, shape: Shape) -> Planned<K> {
    let shape = match shape {
        Shape::Node if entry.leaf => Shape::Leaf,
        shape => shape,
    };
    Planned {
        key: entry.key,
        shape,
        stands: Stands::Node,
        parents: entry.parents.clone(),
        elided: Few::None,
        members: entry.members.clone(),
        count: 1,
        replaced: entry.replaced,
        mark: entry.mark,
    }
}

/// What nodes hang on beside one another, each once, in the order of its first mention.
fn outside<'a, K: Copy + Ord + 'a>(
    own: impl Iterator<Item = K>,
    parents: impl Iterator<Item = &'a K>,
) -> Vec<K> {
    let mut own: Vec<K> = own.collect();
    own.sort_unstable();
    let (mut outside, mut known) = (Vec::new(), BTreeSet::new());
    for parent in parents.filter(|parent| own.binary_search(parent).is_err()) {
        // Most rows hang on one or two.
        let is_new = if outside.len() < FEW {
            !outside.contains(parent)
        } else {
            known.extend(outside.get(known.len()..).unwrap_or_default());
            known.insert(*parent)
        };
        if is_new {
            outside.push(*parent);
        }
    }
    outside
}

fn merged<'a, K: Copy + Ord + 'a>(
    entries: impl Iterator<Item = &'a Entry<K>> + Clone,
    shape: Shape,
    stands: Stands,
) -> Option<Planned<K>> {
    let first = entries.clone().next()?;
    let members: Vec<K> = entries
        .clone()
        .flat_map(|entry| std::iter::once(entry.key).chain(entry.members.iter().copied()))
        .skip(1)
        .collect();
    let parents = if shape == Shape::Fold {
        Vec::new()
    } else {
        let own = members.iter().copied().chain([first.key]);
        outside(own, entries.clone().flat_map(|entry| &entry.parents))
    };
    Some(Planned {
        key: first.key,
        shape,
        stands,
        parents: parents.into(),
        elided: Few::None,
        members: members.into(),
        count: entries.clone().count(),
        replaced: first.replaced,
        mark: entries.map(|entry| entry.mark).max().unwrap_or(0),
    })
}
