//! Folds a list of nodes into the rows of the gutter.
//!
//! Must not know: the domain, how a row is drawn.
//!
//! One row replaces neighbours that the edits of one epoch superseded. The same holds for quiet
//! members of a wide fan, quiet turns, and repeated turns. A node that needs attention is never
//! folded.

pub mod filter;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod turns;

use std::collections::BTreeSet;

use super::gutter::{Item, Shape};

/// Whether a node may share a row with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keep {
    /// It may.
    #[default]
    No,
    /// It has its own row, except in repeated turns (a failed node).
    Own,
    /// It always has its own row (a waiting, running or edited node).
    Always,
}

/// A node that could have a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<K> {
    /// Its key.
    pub key: K,
    /// Its parents.
    pub parents: Vec<K>,
    /// Other keys that share its row.
    pub members: Vec<K>,
    /// Number of the epoch in which it was superseded; none while it is active.
    pub replaced: Option<u64>,
    /// The turn that it belongs to; 0 for a node on its own.
    pub turn: u64,
    /// True for a node that will have no descendants.
    pub leaf: bool,
    /// True for one of several parallel nodes of a turn.
    pub fan: bool,
    /// Whether it may share a row.
    pub keep: Keep,
    /// Its action as a number: equal for equal actions; 0 for none.
    pub sign: u64,
    /// Its need of attention. A row has the greatest mark of its nodes.
    pub mark: u8,
    /// True if it matches the filter.
    pub hit: bool,
}

impl<K> Entry<K> {
    /// An active node that belongs to no turn.
    pub fn new(key: K, parents: Vec<K>) -> Self {
        Self {
            key,
            parents,
            members: Vec::new(),
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
    /// Every node, but one row for each turn before this one in which nothing needs attention.
    Since(u64),
    /// One row for each turn, and one for each node that needs attention.
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

/// Content of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// One node.
    Node,
    /// The quiet members of a fan.
    Fan,
    /// The quiet nodes of a turn.
    Turn,
    /// Turns that repeat the ones above: how often.
    Loop(u32),
    /// Nodes that the edits of one epoch superseded.
    Replaced,
    /// Nodes that do not match the filter.
    Elided,
}

/// Content of a fold. One node can be the first of several folds, now and after an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FoldKind {
    /// The quiet members of a fan.
    Fan,
    /// The quiet nodes of a turn.
    Turn,
    /// Turns that repeat the ones above.
    Loop,
    /// Nodes that were superseded in this epoch.
    Replaced(u64),
    /// Nodes that do not match the filter.
    Elided,
}

/// The name of a fold: its first node and its kind.
pub type Fold<K> = (K, FoldKind);

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<K> {
    /// Its key: its node, or the first of its nodes.
    pub key: K,
    /// Its layout in the lanes.
    pub shape: Shape,
    /// Its content.
    pub kind: RowKind,
    /// Its parents.
    pub parents: Vec<K>,
    /// Its ancestors through nodes without a row.
    pub elided: Vec<K>,
    /// The other keys in it.
    pub members: Vec<K>,
    /// Number of nodes in it.
    pub count: usize,
    /// Number of the epoch in which they were superseded.
    pub replaced: Option<u64>,
    /// Its need of attention.
    pub mark: u8,
    /// The innermost unfolded fold that would hide it if it were folded.
    pub within: Option<Fold<K>>,
}

impl<K: Copy> Row<K> {
    /// The row as an item of the gutter.
    pub fn item(&self) -> Item<'_, K> {
        Item {
            key: self.key,
            shape: self.shape,
            parents: &self.parents,
            elided: &self.elided,
            members: &self.members,
        }
    }

    /// Its fold; none for a row of one node.
    pub fn fold(&self) -> Option<Fold<K>> {
        let kind = match self.kind {
            RowKind::Node => return None,
            RowKind::Fan => FoldKind::Fan,
            RowKind::Turn => FoldKind::Turn,
            RowKind::Loop(_) => FoldKind::Loop,
            RowKind::Replaced => FoldKind::Replaced(self.replaced.unwrap_or_default()),
            RowKind::Elided => FoldKind::Elided,
        };
        Some((self.key, kind))
    }

    /// All keys in it, in order.
    pub fn keys(&self) -> impl Iterator<Item = K> + Clone + '_ {
        std::iter::once(self.key).chain(self.members.iter().copied())
    }

    /// The keys in it except its name: at most `most` from each end.
    pub fn ends(&self, most: usize) -> impl Iterator<Item = K> + Clone + '_ {
        let (first, rest) = self.members.split_at(most.min(self.members.len()));
        let last = rest.get(rest.len().saturating_sub(most)..).unwrap_or_default();
        first.iter().chain(last).copied()
    }
}

/// The rows of these nodes. `open` returns whether a fold is unfolded.
pub fn fold<K: Copy + Ord>(
    entries: &[Entry<K>],
    rules: Rules,
    open: impl Fn(Fold<K>) -> bool,
) -> Vec<Row<K>> {
    let mut rows = Vec::new();
    let pieces = turns::pieces(entries);
    let mut rest = pieces.as_slice();
    while let Some((piece, after)) = rest.split_first() {
        let repeated = if rules.detail == Detail::Nodes {
            None
        } else {
            turns::repeated(rest)
        };
        if let Some((period, times)) = repeated {
            for piece in rest.iter().take(period) {
                turns::turn(piece.of(entries), rules, &open, &mut rows);
            }
            let again = rest.get(period..period * times).unwrap_or_default();
            turns::again(entries, again, times, rules, &open, &mut rows);
            rest = rest.get(period * times..).unwrap_or_default();
            continue;
        }
        let group = piece.of(entries);
        match group.first().and_then(|first| Some((first.key, first.replaced?))) {
            Some((key, epoch)) => {
                let name = (key, FoldKind::Replaced(epoch));
                replaced(group, name, open(name), &mut rows);
            }
            None => turns::turn(group, rules, &open, &mut rows),
        }
        rest = after;
    }
    rows
}

fn replaced<K: Copy + Ord>(group: &[Entry<K>], name: Fold<K>, is_open: bool, rows: &mut Vec<Row<K>>) {
    if is_open {
        let within = Some(name);
        rows.extend(group.iter().map(|entry| Row {
            within,
            ..single(entry, Shape::Side)
        }));
    } else {
        rows.extend(merged(group.iter(), Shape::Fold, RowKind::Replaced));
    }
}

fn single<K: Copy>(entry: &Entry<K>, shape: Shape) -> Row<K> {
    let shape = match shape {
        Shape::Node if entry.leaf => Shape::Leaf,
        shape => shape,
    };
    Row {
        key: entry.key,
        shape,
        kind: RowKind::Node,
        parents: entry.parents.clone(),
        elided: Vec::new(),
        members: entry.members.clone(),
        count: 1,
        replaced: entry.replaced,
        mark: entry.mark,
        within: None,
    }
}

/// Parents outside of these nodes, each once, in the order of first mention.
fn outside<'a, K: Copy + Ord + 'a>(own: &BTreeSet<K>, parents: impl Iterator<Item = &'a K>) -> Vec<K> {
    let mut known = BTreeSet::new();
    parents
        .copied()
        .filter(|parent| !own.contains(parent) && known.insert(*parent))
        .collect()
}

fn merged<'a, K: Copy + Ord + 'a>(
    entries: impl Iterator<Item = &'a Entry<K>> + Clone,
    shape: Shape,
    kind: RowKind,
) -> Option<Row<K>> {
    let first = entries.clone().next()?;
    let keys = entries
        .clone()
        .flat_map(|entry| std::iter::once(entry.key).chain(entry.members.iter().copied()));
    let parents = if shape == Shape::Fold {
        Vec::new()
    } else {
        let own = keys.clone().collect();
        outside(&own, entries.clone().flat_map(|entry| &entry.parents))
    };
    Some(Row {
        key: first.key,
        shape,
        kind,
        parents,
        elided: Vec::new(),
        members: keys.skip(1).collect(),
        count: entries.clone().count(),
        replaced: first.replaced,
        mark: entries.map(|entry| entry.mark).max().unwrap_or(0),
        within: None,
    })
}
