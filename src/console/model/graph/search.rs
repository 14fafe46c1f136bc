//! A search in the graph: where something was found, and how far it has been looked for.
//!
//! A long run is looked through in pieces, so that a key never waits for the rest: from the cursor to the end, then from
//! the beginning. What was found before stands until its place is looked at again. Must not know: rows, what is said.

use std::collections::BTreeSet;
use std::ops::Bound;

use super::query::{self, Query};
use crate::domain::id::{NodeId, Seq, TurnId};
use crate::domain::state::State;

/// Nodes that are looked at before a key is answered.
const PIECE: usize = if cfg!(test) { 64 } else { 4096 };

/// A search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// What is looked for.
    pub text: String,
    /// Where it was found, in journal order.
    pub hits: BTreeSet<NodeId>,
    /// The broken streams in which it was found; their rows stand below all others.
    pub broken: Vec<TurnId>,
    /// The newest event when it began to be looked for.
    pub at: Seq,
    /// Results of those looked at that were stored in part, where words are looked for: what was left out cannot be
    /// found.
    pub out_of_reach: usize,
    /// True while the first place is to be gone to once it is found: a key in between lets that be.
    pub goes: bool,
    /// What was said of it while it went on.
    pub said: Option<String>,
    /// What is left to look at.
    left: Option<Left>,
    /// True once all of the graph was looked at: what is left then was found before.
    is_whole: bool,
}

/// What is left to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Left {
    query: Query,
    from: Bound<NodeId>,
    /// Where it began.
    begun: NodeId,
    /// True once it goes on from the first node to where it began.
    is_round: bool,
}

impl Left {
    /// The end of this part.
    const fn end(&self) -> Bound<NodeId> {
        if self.is_round {
            Bound::Excluded(self.begun)
        } else {
            Bound::Unbounded
        }
    }
}

impl Search {
    /// Begins to look for something else.
    pub fn begin(&mut self, text: &str, query: &Query, now: Seq, here: NodeId) {
        *self = Self {
            text: text.to_owned(),
            ..Self::default()
        };
        self.again(query, now, here);
    }

    /// Begins to look for it once more; what was found stands meanwhile.
    pub fn again(&mut self, query: &Query, now: Seq, here: NodeId) {
        self.at = now;
        self.out_of_reach = 0;
        self.left = Some(Left {
            query: query.clone(),
            from: Bound::Included(here),
            begun: here,
            is_round: false,
        });
        if query.is_empty() {
            self.hits.clear();
            self.left = None;
        }
    }

    /// True while something is left to look at.
    pub const fn goes_on(&self) -> bool {
        self.left.is_some()
    }

    /// The first place below a node, its own call and observation apart; none while a nearer one may be found.
    pub fn below(&self, here: NodeId) -> Option<NodeId> {
        let mut below = self.hits.range(here..);
        let found = below.find(|id| id.call() != here.call()).copied();
        found.filter(|found| self.was_looked_at(here, *found))
    }

    /// The last place above a node; none while a nearer one may be found.
    pub fn above(&self, here: NodeId) -> Option<NodeId> {
        let mut above = self.hits.range(..here).rev();
        let found = above.find(|id| id.call() != here.call()).copied();
        found.filter(|found| self.was_looked_at(*found, here))
    }

    /// True where nothing between two nodes is left to look at for the first time.
    fn was_looked_at(&self, low: NodeId, high: NodeId) -> bool {
        let Some(left) = self.left.as_ref().filter(|_| !self.is_whole) else {
            return true;
        };
        let is_before = |id: NodeId| match left.from {
            Bound::Included(from) => id < from,
            Bound::Excluded(from) => id <= from,
            Bound::Unbounded => false,
        };
        if left.is_round {
            low >= left.begun || is_before(high)
        } else {
            low >= left.begun && is_before(high)
        }
    }

    /// How many places were found.
    pub fn found(&self) -> usize {
        self.hits.len() + self.broken.len()
    }

    /// Looks at the next nodes; true while there are more.
    pub fn look(&mut self, state: &State) -> bool {
        let mut room = PIECE;
        while room > 0
            && let Some(mut left) = self.left.take()
        {
            let range = state.nodes.range((left.from, left.end()));
            let ids: Vec<NodeId> = range.map(|(id, _)| *id).take(room).collect();
            let last = ids.last().copied().filter(|_| ids.len() == room);
            room -= ids.len();
            // What is not there any more was found, too.
            let end = last.map_or(left.end(), Bound::Included);
            let stale: Vec<NodeId> = self.hits.range((left.from, end)).copied().collect();
            for id in stale {
                self.hits.remove(&id);
            }
            let for_words = left.query.is_for_words();
            self.hits
                .extend(ids.iter().filter(|id| left.query.fits(state, **id)));
            self.out_of_reach += ids
                .iter()
                .filter(|id| for_words && query::is_cut(state, **id))
                .count();
            left.from = match last {
                Some(last) => Bound::Excluded(last),
                None if left.is_round => {
                    self.is_whole = true;
                    return false;
                }
                None => Bound::Included(NodeId::FIRST),
            };
            left.is_round |= last.is_none();
            self.left = Some(left);
        }
        self.goes_on()
    }
}
