//! A search in the graph: its text and its matches.
//!
//! Must not know: rows, how results are described.

use std::collections::BTreeSet;

use super::Pick;
use super::query::{self, Query};
use overrule_domain::id::{NodeId, Seq, TurnId};
use overrule_domain::state::State;

/// A search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// The search text.
    pub text: String,
    /// The matching nodes, in journal order.
    pub hits: BTreeSet<NodeId>,
    /// The matching broken streams; their rows are below all others.
    pub broken: Vec<TurnId>,
    /// The newest event at the time of the search.
    pub at: Seq,
    /// Number of results that were stored only in part, for a text search: the rest cannot match.
    pub out_of_reach: usize,
}

impl Search {
    /// Searches the state, and the texts of the rows; `broken` are the matching broken streams.
    pub fn new(
        text: &str,
        query: &Query,
        state: &State,
        (broken, shown): (Vec<TurnId>, &dyn Fn(NodeId) -> String),
    ) -> Self {
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
            if query.fits_as_shown(state, id, &|| shown(id)) {
                search.hits.insert(id);
            }
            search.out_of_reach += usize::from(for_words && query::is_cut(state, id));
        }
        search
    }

    /// The first match below a node, without its own call and observation.
    pub fn below(&self, here: NodeId) -> Option<NodeId> {
        let mut below = self.hits.range(here..);
        below.find(|id| id.call() != here.call()).copied()
    }

    /// The last match above a node, without its own call and observation.
    pub fn above(&self, here: NodeId) -> Option<NodeId> {
        let mut above = self.hits.range(..here).rev();
        above.find(|id| id.call() != here.call()).copied()
    }

    /// The rows with matches: a call and its observation are one.
    fn places(&self) -> BTreeSet<NodeId> {
        self.hits.iter().map(|id| id.call()).collect()
    }

    /// Number of matches.
    pub fn found(&self) -> usize {
        self.places().len() + self.broken.len()
    }

    /// The position of a match among all matches, from 1, and their number.
    pub fn place(&self, pick: Pick) -> (usize, usize) {
        let places = self.places();
        let before = match pick {
            Pick::Node(id) => places.range(..id.call()).count(),
            Pick::Live(turn, _) => places.len() + self.broken.partition_point(|one| *one < turn),
        };
        (before + 1, places.len() + self.broken.len())
    }
}
