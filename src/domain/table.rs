//! What a run holds by node: in the order of their numbers like a sorted map, and a look-up is one
//! step.
//!
//! Nodes are numbered in journal order from 1, so that a node's number says where it stands. What
//! a strange journal numbers otherwise is kept apart and comes last. Must not know: what is held.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Bound, Index, RangeBounds};

use super::id::{NodeId, NodeKind};

/// How far beyond the places given out so far a number may lie.
const GAP: usize = 1 << 10;

/// Values by node.
#[derive(Clone)]
pub struct Table<V> {
    rows: Vec<(NodeId, V)>,
    /// Two places for each number, the second for observations: one more than the row; 0 is empty.
    places: Vec<u32>,
    /// What has no place: numbers far ahead, a second node of one number.
    odd: BTreeMap<NodeId, V>,
}

impl<V> Default for Table<V> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            places: Vec::new(),
            odd: BTreeMap::new(),
        }
    }
}

fn place(id: NodeId) -> usize {
    id.no as usize * 2 + usize::from(id.kind == NodeKind::Observation)
}

impl<V> Table<V> {
    fn row(&self, id: NodeId) -> Option<usize> {
        let row = (*self.places.get(place(id))? as usize).checked_sub(1)?;
        (self.rows.get(row)?.0 == id).then_some(row)
    }

    /// The value of a node.
    pub fn get(&self, id: &NodeId) -> Option<&V> {
        match self.row(*id) {
            Some(row) => self.rows.get(row).map(|(_, value)| value),
            None if self.odd.is_empty() => None,
            None => self.odd.get(id),
        }
    }

    /// The value of a node, to be changed.
    pub fn get_mut(&mut self, id: &NodeId) -> Option<&mut V> {
        match self.row(*id) {
            Some(row) => self.rows.get_mut(row).map(|(_, value)| value),
            None if self.odd.is_empty() => None,
            None => self.odd.get_mut(id),
        }
    }

    /// True where the node has a value.
    pub fn contains_key(&self, id: &NodeId) -> bool {
        self.get(id).is_some()
    }

    /// Gives a node a value; gives back the one that it had.
    pub fn insert(&mut self, id: NodeId, value: V) -> Option<V> {
        if let Some(old) = self.get_mut(&id) {
            return Some(std::mem::replace(old, value));
        }
        let at = place(id);
        let is_free = self.places.get(at).is_none_or(|row| *row == 0);
        let near = at < self.places.len() + GAP && self.rows.len() < u32::MAX as usize;
        if !is_free || !near {
            return self.odd.insert(id, value);
        }
        if self.places.len() <= at {
            self.places.resize(at + 1, 0);
        }
        self.rows.push((id, value));
        if let Some(place) = self.places.get_mut(at) {
            *place = self.rows.len() as u32;
        }
        None
    }

    /// How many nodes have a value.
    pub fn len(&self) -> usize {
        self.rows.len() + self.odd.len()
    }

    /// True where none has.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All nodes with their values, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&NodeId, &V)> {
        self.places
            .iter()
            .filter_map(|row| self.rows.get((*row as usize).checked_sub(1)?))
            .map(|(id, value)| (id, value))
            .chain(&self.odd)
    }

    /// All nodes that have a value, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &NodeId> {
        self.iter().map(|(id, _)| id)
    }

    /// All values, in the order of their nodes.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }
}

impl<V> Table<V> {
    /// The nodes of a range with their values, in order.
    pub fn range(
        &self,
        range: impl RangeBounds<NodeId> + Clone,
    ) -> impl DoubleEndedIterator<Item = (&NodeId, &V)> {
        let number = |bound: Bound<&NodeId>, else_: usize| match bound {
            Bound::Included(id) | Bound::Excluded(id) => id.no as usize,
            Bound::Unbounded => else_,
        };
        let from = (number(range.start_bound(), 0) * 2).min(self.places.len());
        let to = number(range.end_bound(), self.places.len())
            .saturating_add(1)
            .saturating_mul(2)
            .clamp(from, self.places.len());
        let odd = range.clone();
        self.places
            .get(from..to)
            .unwrap_or_default()
            .iter()
            .filter_map(|row| self.rows.get((*row as usize).checked_sub(1)?))
            .map(|(id, value)| (id, value))
            .filter(move |(id, _)| range.contains(*id))
            .chain(self.odd.iter().filter(move |(id, _)| odd.contains(*id)))
    }

    /// All values, in the order in which the nodes came.
    pub fn into_values(self) -> impl Iterator<Item = V> {
        self.rows
            .into_iter()
            .map(|(_, value)| value)
            .chain(self.odd.into_values())
    }
}

impl<V> Index<&NodeId> for Table<V> {
    type Output = V;

    /// For those who know that it is there; others ask with [`Table::get`].
    fn index(&self, id: &NodeId) -> &V {
        match self.row(*id) {
            Some(row) => &self.rows[row].1,
            None => &self.odd[id],
        }
    }
}

impl<V: PartialEq> PartialEq for Table<V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(id, value)| other.get(id) == Some(value))
    }
}

impl<V: Eq> Eq for Table<V> {}

impl<V: fmt::Debug> fmt::Debug for Table<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id() -> impl Strategy<Value = NodeId> {
        let no = prop_oneof![8 => 1..40_u32, 1 => 0..9_000_u32, 1 => Just(u32::MAX)];
        let kind = prop_oneof![
            3 => Just(NodeKind::Call),
            3 => Just(NodeKind::Observation),
            1 => prop::sample::select(NodeKind::ALL.to_vec())
        ];
        (kind, no).prop_map(|(kind, no)| NodeId::new(kind, no))
    }

    proptest! {
        #[test]
        fn it_is_a_sorted_map(steps in prop::collection::vec((id(), any::<u8>()), 0..120)) {
            let mut table = Table::default();
            let mut map = BTreeMap::new();
            for (id, value) in &steps {
                prop_assert_eq!(table.insert(*id, *value), map.insert(*id, *value));
                prop_assert_eq!(table.len(), map.len());
            }
            prop_assert_eq!(table.iter().collect::<BTreeMap<_, _>>(), map.iter().collect());
            if table.odd.is_empty() {
                let numbers = |ids: Vec<&NodeId>| ids.into_iter().map(|id| id.no).collect::<Vec<_>>();
                prop_assert_eq!(numbers(table.keys().collect()), numbers(map.keys().collect()));
                prop_assert!(table.values().rev().eq(table.values().collect::<Vec<_>>().into_iter().rev()));
            }
            for (id, _) in &steps {
                let other = id.call().observation();
                for id in [*id, other] {
                    prop_assert_eq!(table.get(&id), map.get(&id));
                    prop_assert_eq!(table.get_mut(&id), map.get_mut(&id));
                }
                prop_assert_eq!(table[id], map[id]);
                let all = |found: Vec<(&NodeId, &u8)>| found.into_iter().map(|(id, v)| (*id, *v)).collect();
                let (from, to): (BTreeMap<_, _>, BTreeMap<_, _>) =
                    (all(table.range(*id..).collect()), all(table.range(..=*id).collect()));
                prop_assert_eq!(from, all(map.range(*id..).collect()));
                prop_assert_eq!(to, all(map.range(..=*id).collect()));
            }
        }

        #[test]
        fn the_order_of_insertion_makes_no_difference(
            steps in prop::collection::btree_map(id(), any::<u8>(), 0..60),
        ) {
            let mut there = Table::default();
            let mut back = Table::default();
            for (id, value) in &steps {
                there.insert(*id, *value);
            }
            for (id, value) in steps.iter().rev() {
                back.insert(*id, *value);
            }
            prop_assert_eq!(&there, &back);
            if let Some((id, value)) = steps.first_key_value() {
                back.insert(*id, value.wrapping_add(1));
                prop_assert_ne!(there, back);
            }
        }
    }

    #[test]
    fn numbers_in_order_have_a_place_and_a_number_far_ahead_takes_no_room() {
        let mut table = Table::default();
        for no in 1..=1_000 {
            table.insert(NodeId::new(NodeKind::Call, no), no);
            table.insert(NodeId::new(NodeKind::Observation, no), no);
        }
        assert!(table.odd.is_empty());
        table.insert(NodeId::new(NodeKind::Call, u32::MAX), 7);
        assert!(table.places.len() < 4_000);
        assert_eq!(table.get(&NodeId::new(NodeKind::Call, u32::MAX)), Some(&7));
    }
}
