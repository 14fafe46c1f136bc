//! A set of nodes with a bit for each.
//!
//! Must not know: what the nodes are.

use super::id::{NodeId, NodeKind};

/// A set of nodes. A call and its observation have one number: each number has two bits.
#[derive(Debug, Clone, Default)]
pub(crate) struct NodeSet(Vec<u64>);

impl NodeSet {
    /// The word and the bit of a node.
    fn place(id: NodeId) -> (usize, u64) {
        let bit = u64::from(id.no) * 2 + u64::from(id.kind == NodeKind::Observation);
        // A number has 32 bits: the word has fewer.
        (usize::try_from(bit / 64).unwrap_or(usize::MAX), 1 << (bit % 64))
    }

    /// Adds a node.
    pub(crate) fn insert(&mut self, id: NodeId) {
        let (word, bit) = Self::place(id);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        if let Some(bits) = self.0.get_mut(word) {
            *bits |= bit;
        }
    }

    /// Removes a node.
    pub(crate) fn remove(&mut self, id: NodeId) {
        let (word, bit) = Self::place(id);
        if let Some(bits) = self.0.get_mut(word) {
            *bits &= !bit;
        }
    }

    /// True for a node of the set.
    pub(crate) fn contains(&self, id: NodeId) -> bool {
        let (word, bit) = Self::place(id);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    proptest::proptest! {
        #[test]
        fn it_has_what_a_sorted_set_has(steps in proptest::collection::vec((0_u32..200, 0_u8..3, proptest::bool::ANY), 0..200)) {
            let (mut bits, mut sorted) = (NodeSet::default(), BTreeSet::new());
            let node = |no, kind| {
                let call = NodeId::new(NodeKind::Call, no);
                // A thought has a number of its own.
                match kind {
                    0 => call,
                    1 => call.observation(),
                    _ => NodeId::new(NodeKind::Thought, no + 1_000),
                }
            };
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
            for id in (0..200).flat_map(|no| (0..3).map(move |kind| node(no, kind))) {
                proptest::prop_assert_eq!(bits.contains(id), sorted.contains(&id));
            }
        }
    }
}
