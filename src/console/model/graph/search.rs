//! A search in the graph: what is looked for, and where it was found.
//!
//! Must not know: rows, what is said.

use std::collections::BTreeSet;

use super::query::{self, Query};
use crate::domain::id::{NodeId, Seq, TurnId};
use crate::domain::state::State;

/// A search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// What is looked for.
    pub text: String,
    /// Where it was found, in journal order.
    pub hits: BTreeSet<NodeId>,
    /// The broken streams in which it was found; their rows stand below all others.
    pub broken: Vec<TurnId>,
    /// The newest event when it was looked for.
    pub at: Seq,
    /// Results that were stored in part, where words are looked for: what was left out cannot be found.
    pub out_of_reach: usize,
}

impl Search {
    /// Looks for something; `broken` are the broken streams in which it is.
    pub fn new(text: &str, query: &Query, state: &State, broken: Vec<TurnId>) -> Self {
        let mut search = Self {
            text: text.to_owned(),
            broken,
            at: state.seq,
            ..Self::default()
        };
        if query.is_empty() {
            return search;
        }
        let for_words = query.is_for_words();
        for id in state.nodes.keys().copied() {
            if query.fits(state, id) {
                search.hits.insert(id);
            }
            search.out_of_reach += usize::from(for_words && query::is_cut(state, id));
        }
        search
    }

    /// The first place below a node, its own call and observation apart.
    pub fn below(&self, here: NodeId) -> Option<NodeId> {
        let mut below = self.hits.range(here..);
        below.find(|id| id.call() != here.call()).copied()
    }

    /// The last place above a node, its own call and observation apart.
    pub fn above(&self, here: NodeId) -> Option<NodeId> {
        let mut above = self.hits.range(..here).rev();
        above.find(|id| id.call() != here.call()).copied()
    }

    /// How many places were found.
    pub fn found(&self) -> usize {
        self.hits.len() + self.broken.len()
    }
}
