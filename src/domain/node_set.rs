//! A set of nodes with a bit for each.
//!
//! Must not know: what the nodes are.

use super::id::{NodeId, NodeKind};

/// A set of nodes: for each number a byte with a bit for each kind. Read in journal order.
#[derive(Debug, Clone, Default)]
pub(crate) struct NodeSet(Vec<u8>);

impl NodeSet {
    /// The byte and the bit of a node.
    const fn place(id: NodeId) -> (usize, u8) {
        (id.no as usize, 1 << id.kind as u8)
    }

    /// Adds a node.
    pub(crate) fn insert(&mut self, id: NodeId) {
        let (byte, bit) = Self::place(id);
        if self.0.len() <= byte {
            // Memory that the system gives zeroed costs nothing until it is written: a foreign journal may have any number.
            let mut larger = vec![0; (byte + 1).max(self.0.len() * 2)];
            larger[..self.0.len()].copy_from_slice(&self.0);
            self.0 = larger;
        }
        if let Some(bits) = self.0.get_mut(byte) {
            *bits |= bit;
        }
    }

    /// Removes a node.
    pub(crate) fn remove(&mut self, id: NodeId) {
        let (byte, bit) = Self::place(id);
        if let Some(bits) = self.0.get_mut(byte) {
            *bits &= !bit;
        }
    }

    /// Removes the nodes of another set.
    pub(crate) fn remove_all(&mut self, other: &Self) {
        for (bits, gone) in self.0.iter_mut().zip(&other.0) {
            *bits &= !gone;
        }
    }

    /// True for a node of the set.
    pub(crate) fn contains(&self, id: NodeId) -> bool {
        let (byte, bit) = Self::place(id);
        self.0.get(byte).is_some_and(|bits| bits & bit != 0)
    }

    /// True if the set has one of these nodes.
    pub(crate) fn has_any<'n>(&self, ids: impl IntoIterator<Item = &'n NodeId>) -> bool {
        ids.into_iter().any(|id| self.contains(*id))
    }

    /// How many nodes the set has.
    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|bits| bits.count_ones() as usize).sum()
    }

    /// The nodes of the set, in journal order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        let numbers = self.0.iter().zip(0..).filter(|(bits, _)| **bits != 0);
        numbers.flat_map(|(bits, no)| {
            let kinds = NodeKind::ALL.into_iter();
            let kinds = kinds.filter(move |kind| bits & (1 << *kind as u8) != 0);
            kinds.map(move |kind| NodeId::new(kind, no))
        })
    }

    /// The calls of the set, in journal order.
    pub(crate) fn calls(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.iter().filter(|id| id.kind == NodeKind::Call)
    }
}

impl FromIterator<NodeId> for NodeSet {
    fn from_iter<I: IntoIterator<Item = NodeId>>(ids: I) -> Self {
        let mut set = Self::default();
        set.extend(ids);
        set
    }
}

impl Extend<NodeId> for NodeSet {
    fn extend<I: IntoIterator<Item = NodeId>>(&mut self, ids: I) {
        ids.into_iter().for_each(|id| self.insert(id));
    }
}

impl<'n> Extend<&'n NodeId> for NodeSet {
    fn extend<I: IntoIterator<Item = &'n NodeId>>(&mut self, ids: I) {
        ids.into_iter().for_each(|id| self.insert(*id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    proptest::proptest! {
        #[test]
        fn it_has_what_a_sorted_set_has(
            steps in proptest::collection::vec((0_u32..200, 0_usize..7, proptest::bool::ANY), 0..200),
            gone in proptest::collection::vec((0_u32..300, 0_usize..7), 0..100),
        ) {
            let (mut bits, mut sorted) = (NodeSet::default(), BTreeSet::new());
            let node = |no, kind: usize| NodeId::new(NodeKind::ALL[kind], no);
            for (no, kind, is_added) in steps {
                let id = node(no, kind);
                if is_added {
                    bits.insert(id);
                    sorted.insert(id);
                } else {
                    bits.remove(id);
                    sorted.remove(&id);
                }
            }
            for id in (0..210).flat_map(|no| (0..7).map(move |kind| node(no, kind))) {
                proptest::prop_assert_eq!(bits.contains(id), sorted.contains(&id));
            }
            let gone: Vec<NodeId> = gone.into_iter().map(|(no, kind)| node(no, kind)).collect();
            bits.remove_all(&gone.iter().copied().collect());
            sorted.retain(|id| !gone.contains(id));
            proptest::prop_assert_eq!(bits.len(), sorted.len());
            proptest::prop_assert_eq!(bits.iter().collect::<Vec<_>>(), sorted.iter().copied().collect::<Vec<_>>());
            let is_call = |id: &&NodeId| id.kind == NodeKind::Call;
            proptest::prop_assert_eq!(bits.calls().collect::<Vec<_>>(), sorted.iter().filter(is_call).copied().collect::<Vec<_>>());
        }
    }
}
