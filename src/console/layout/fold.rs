//! Which rows there are: from a list of nodes to the rows of the gutter, with folds.
//!
//! Neighbours that one edit replaced become one fold row; the quiet members of a wide fan become
//! one fan row. What needs an eye (waiting, running, failed, edited, selected) is never folded.
//! Must not know: the domain, how a row is drawn.

use super::gutter::{Item, Shape};

/// A node that could have a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<K> {
    /// What it is called.
    pub key: K,
    /// What it hangs on.
    pub parents: Vec<K>,
    /// Other keys that it stands for.
    pub members: Vec<K>,
    /// Number of the edit that replaced it; none while it counts.
    pub replaced: Option<u64>,
    /// The fan that it belongs to (its turn, for a call); none for a node on its own.
    pub fan: Option<u64>,
    /// True where it must keep a row of its own in a fan.
    pub keep: bool,
}

impl<K> Entry<K> {
    /// A node on its own that counts.
    pub const fn new(key: K, parents: Vec<K>) -> Self {
        Self {
            key,
            parents,
            members: Vec::new(),
            replaced: None,
            fan: None,
            keep: false,
        }
    }
}

/// A row to be, with what it hides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned<K> {
    /// What the row is called: its node, or the first of those that it hides.
    pub key: K,
    /// What it stands for.
    pub shape: Shape,
    /// What it hangs on.
    pub parents: Vec<K>,
    /// Other keys that it stands for.
    pub members: Vec<K>,
    /// Number of nodes in it.
    pub count: usize,
    /// Number of the edit that replaced them.
    pub replaced: Option<u64>,
}

impl<K: Copy> Planned<K> {
    /// The row as the gutter takes it.
    pub fn item(&self) -> Item<'_, K> {
        Item {
            key: self.key,
            shape: self.shape,
            parents: &self.parents,
            members: &self.members,
        }
    }
}

/// The rows of these nodes. A fan of more than `wide` members is folded; `open` tells whether the
/// row that is called so is unfolded. A fan's row is called by its first folded member, a fold
/// row by its first node.
pub fn plan<K: Copy + Eq>(entries: &[Entry<K>], wide: usize, open: impl Fn(K) -> bool) -> Vec<Planned<K>> {
    let mut rows = Vec::with_capacity(entries.len());
    let mut rest = entries;
    while let Some(first) = rest.first() {
        let len = rest
            .iter()
            .take_while(|entry| entry.replaced == first.replaced && together(first, entry))
            .count()
            .max(1);
        let (group, after) = rest.split_at(len.min(rest.len()));
        rest = after;
        if first.replaced.is_some() {
            replaced(group, open(first.key), &mut rows);
        } else {
            fan(group, wide, &open, &mut rows);
        }
    }
    rows
}

fn together<K>(first: &Entry<K>, entry: &Entry<K>) -> bool {
    first.replaced.is_some() || (first.fan.is_some() && first.fan == entry.fan)
}

fn replaced<K: Copy + Eq>(group: &[Entry<K>], open: bool, rows: &mut Vec<Planned<K>>) {
    if open {
        rows.extend(group.iter().map(|entry| single(entry, Shape::Side)));
    } else {
        rows.extend(merged(group.iter(), Shape::Fold));
    }
}

fn fan<K: Copy + Eq>(group: &[Entry<K>], wide: usize, open: &impl Fn(K) -> bool, rows: &mut Vec<Planned<K>>) {
    let quiet = || group.iter().filter(|entry| !entry.keep);
    let name = quiet().next().map(|entry| entry.key);
    let folds = group.len() > wide.max(1) && quiet().nth(1).is_some() && !name.is_some_and(open);
    if !folds {
        rows.extend(group.iter().map(|entry| single(entry, Shape::Node)));
        return;
    }
    for entry in group {
        if entry.keep {
            rows.push(single(entry, Shape::Node));
        } else if Some(entry.key) == name {
            rows.extend(merged(quiet(), Shape::Fan));
        }
    }
}

fn single<K: Copy>(entry: &Entry<K>, shape: Shape) -> Planned<K> {
    Planned {
        key: entry.key,
        shape,
        parents: entry.parents.clone(),
        members: entry.members.clone(),
        count: 1,
        replaced: entry.replaced,
    }
}

fn merged<'a, K: Copy + Eq + 'a>(
    entries: impl Iterator<Item = &'a Entry<K>> + Clone,
    shape: Shape,
) -> Option<Planned<K>> {
    let first = entries.clone().next()?;
    let members: Vec<K> = entries
        .clone()
        .flat_map(|entry| std::iter::once(entry.key).chain(entry.members.iter().copied()))
        .skip(1)
        .collect();
    let mut parents: Vec<K> = Vec::new();
    if shape != Shape::Fold {
        for parent in entries.clone().flat_map(|entry| &entry.parents) {
            let inside = *parent == first.key || members.contains(parent);
            if !inside && !parents.contains(parent) {
                parents.push(*parent);
            }
        }
    }
    Some(Planned {
        key: first.key,
        shape,
        parents,
        members,
        count: entries.count(),
        replaced: first.replaced,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(key: u32, keep: bool) -> Entry<u32> {
        Entry {
            fan: Some(1),
            keep,
            ..Entry::new(key, vec![1])
        }
    }

    fn shown(rows: &[Planned<u32>]) -> Vec<(u32, Shape, usize)> {
        rows.iter().map(|row| (row.key, row.shape, row.count)).collect()
    }

    #[test]
    fn a_narrow_fan_keeps_its_rows() {
        let entries = [Entry::new(1, vec![]), call(2, false), call(3, false)];
        let rows = plan(&entries, 2, |_| false);
        assert_eq!(
            shown(&rows),
            [(1, Shape::Node, 1), (2, Shape::Node, 1), (3, Shape::Node, 1)]
        );
    }

    #[test]
    fn a_wide_fan_folds_what_is_quiet_and_nothing_else() {
        let mut entries = vec![Entry::new(1, vec![])];
        entries.extend((2..8).map(|key| call(key, key == 4)));
        let rows = plan(&entries, 3, |_| false);
        assert_eq!(
            shown(&rows),
            [(1, Shape::Node, 1), (2, Shape::Fan, 5), (4, Shape::Node, 1)]
        );
        assert_eq!(rows[1].members, [3, 5, 6, 7]);
        assert_eq!(rows[1].parents, [1]);
        assert_eq!(plan(&entries, 3, |key| key == 2).len(), 7, "unfolded by its name");
    }

    #[test]
    fn what_one_edit_replaced_is_one_row_and_comes_back_on_the_side() {
        let mut entries: Vec<_> = (1..6).map(|key| Entry::new(key, vec![key - 1])).collect();
        for entry in &mut entries[2..4] {
            entry.replaced = Some(9);
        }
        entries[4].replaced = Some(10);
        let rows = plan(&entries, 3, |_| false);
        assert_eq!(
            shown(&rows),
            [
                (1, Shape::Node, 1),
                (2, Shape::Node, 1),
                (3, Shape::Fold, 2),
                (5, Shape::Fold, 1)
            ]
        );
        assert_eq!(rows[2].replaced, Some(9));
        let rows = plan(&entries, 3, |key| key == 3);
        assert_eq!(rows[2].shape, Shape::Side);
        assert_eq!(rows[4].shape, Shape::Fold, "the other fold stays");
    }
}
