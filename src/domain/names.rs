//! Who was ever called what: the calls by their names for references, history included.
//!
//! Most calls have no name but their id, which is not written down for them. Must not know: which of
//! several calls of a name is meant.

use std::sync::Arc;

use super::bits::Bits;
use super::id::{NodeId, NodeKind};
use super::state::ByName;

/// Calls by name, in the order in which they were first called so.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    /// Numbers of calls that were called by their id, which was nobody else's name.
    own: Bits,
    /// Everybody of every other name.
    given: ByName<Vec<NodeId>>,
}

impl Names {
    /// The call whose id a name is.
    fn spelt(name: &str) -> Option<NodeId> {
        let id: NodeId = name.parse().ok()?;
        (id.kind == NodeKind::Call).then_some(id)
    }

    /// The call that goes by a name that is its id and nobody else's.
    fn owner(&self, name: &str) -> Option<NodeId> {
        Self::spelt(name).filter(|id| self.own.contains(id.no))
    }

    /// A call has a name.
    pub fn note(&mut self, name: &Arc<str>, id: NodeId) {
        if let Some(holders) = self.given.get_mut(name) {
            if !holders.contains(&id) {
                holders.push(id);
            }
        } else if Self::spelt(name) == Some(id) {
            self.own.insert(id.no);
        } else {
            let mut holders = Vec::new();
            if let Some(owner) = self.owner(name) {
                self.own.remove(owner.no);
                holders.push(owner);
            }
            holders.push(id);
            self.given.insert(Arc::clone(name), holders);
        }
    }

    /// The calls that ever had a name.
    pub fn holders(&self, name: &str) -> impl DoubleEndedIterator<Item = NodeId> + use<'_> {
        let given = self.given.get(name);
        let own = if given.is_none() { self.owner(name) } else { None };
        own.into_iter().chain(given.into_iter().flatten().copied())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn call(no: u32) -> NodeId {
        NodeId::new(NodeKind::Call, no)
    }

    proptest! {
        #[test]
        fn every_name_has_its_calls_in_order(steps in prop::collection::vec((1..5_u32, 0..7_u32), 0..40)) {
            let mut names = Names::default();
            let mut list: ByName<Vec<NodeId>> = ByName::default();
            let name = |no: u32| Arc::from(if no < 5 { format!("c{no}") } else { format!("name{no}") });
            for (id, no) in steps {
                // Half of them are called by their own id.
                let no = if no == 0 || no == 6 { id } else { no };
                names.note(&name(no), call(id));
                let all = list.entry(name(no)).or_default();
                if !all.contains(&call(id)) {
                    all.push(call(id));
                }
            }
            for no in 1..7 {
                let all = list.remove(&name(no)).unwrap_or_default();
                prop_assert!(names.holders(&name(no)).eq(all.iter().copied()));
                prop_assert!(names.holders(&name(no)).rev().eq(all.iter().rev().copied()));
            }
        }
    }

    #[test]
    fn an_id_takes_no_room_as_a_name() {
        let mut names = Names::default();
        names.note(&"c5".into(), call(5));
        assert!(names.given.is_empty());
        assert!(names.holders("c5").eq([call(5)]));
        assert_eq!(
            names.holders("c05").count() + names.holders("o5").count() + names.holders("c6").count(),
            0
        );
        names.note(&"c5".into(), call(7));
        assert!(
            names.holders("c5").eq([call(5), call(7)]),
            "it is somebody else's name as well"
        );
    }
}
