//! From the nodes of a run to entries of the graph: what each hangs on, whether it may be folded, how
//! much it needs an eye.
//!
//! Must not know: rows, how anything is drawn.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use super::query::Query;
use crate::console::layout::fold::{Entry, Keep};
use crate::domain::call::{Call, Status};
use crate::domain::graph::Edges;
use crate::domain::id::{NodeId, NodeKind};
use crate::domain::stand::{self, Stand};
use crate::domain::state::State;

/// How much a row needs an eye.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Mark {
    /// Not more than others.
    None = 0,
    /// A person or an engine changed it.
    Edited = 1,
    /// It runs, or will.
    Running = 2,
    /// It failed.
    Failed = 3,
    /// It waits for a person.
    Waiting = 4,
}

impl Mark {
    /// Every mark, by its number.
    const ALL: [Self; 5] = [
        Self::None,
        Self::Edited,
        Self::Running,
        Self::Failed,
        Self::Waiting,
    ];

    /// A mark by its number.
    pub fn of(number: u8) -> Self {
        Self::ALL.get(usize::from(number)).copied().unwrap_or(Self::None)
    }

    /// That of a call.
    fn of_call(state: &State, call: &Call) -> Self {
        let stand = Stand::of_call(state, call);
        if stand.failed() {
            return Self::Failed;
        }
        match stand.status().unwrap_or(&call.status) {
            status if status.needs_operator() => Self::Waiting,
            Status::Running(_) | Status::Queued | Status::Ready => Self::Running,
            _ if is_edited(state, call.id) || is_edited(state, call.id.observation()) => Self::Edited,
            _ => Self::None,
        }
    }
}

/// Hashes of what long calls say, each with the arguments that it is of.
pub(super) type Signs = HashMap<NodeId, (Arc<str>, u64)>;

/// Arguments whose hash is worth keeping.
const LONG: usize = 4 * 1024;

/// What entries are made from.
pub(super) struct Maker<'a> {
    /// The run.
    pub state: &'a State,
    /// Calls that have a row of their own for their observation.
    pub open: &'a BTreeSet<NodeId>,
    /// What is looked for.
    pub filter: Option<&'a Query>,
    /// The run's edges, asked for one node after the other.
    edges: Edges<'a>,
    /// Hashes that were made before.
    signs: &'a mut Signs,
}

impl<'a> Maker<'a> {
    /// Makes entries of this run.
    pub const fn new(
        state: &'a State,
        open: &'a BTreeSet<NodeId>,
        filter: Option<&'a Query>,
        signs: &'a mut Signs,
    ) -> Self {
        Self {
            signs,
            state,
            open,
            filter,
            edges: Edges::new(state),
        }
    }

    /// The entry of a node; none where another one stands for it.
    pub fn entry(&mut self, id: NodeId) -> Option<Entry<NodeId>> {
        let state = self.state;
        let node = state.nodes.get(&id)?;
        let apart = self.open.contains(&id.call());
        if id.kind == NodeKind::Observation && !apart && state.calls.contains_key(&id.call()) {
            return None;
        }
        let mut parents: Vec<NodeId> = self.edges.ending_in(id).iter().map(|edge| edge.from).collect();
        parents.dedup();
        let mut entry = Entry::new(id, parents);
        entry.replaced = stand::replaced_with(state, id);
        entry.fan = id.kind == NodeKind::Call;
        // What is done after an edit hangs on what was edited.
        entry.leaf = id.kind == NodeKind::Intervention;
        if !entry.leaf {
            entry.turn = u64::from(node.turn.0);
        }
        let call = state.calls.get(&id.call());
        if id.kind == NodeKind::Call && !apart && state.nodes.contains_key(&id.observation()) {
            entry.members.push(id.observation());
        }
        entry.keep = if apart { Keep::Always } else { keep(state, id) };
        let mark = match call {
            Some(call) => Mark::of_call(state, call),
            None if id.kind == NodeKind::Intervention || is_edited(state, id) => Mark::Edited,
            None => Mark::None,
        };
        if node.active {
            entry.mark = mark as u8;
        }
        if let Some(call) = call.filter(|_| id.kind == NodeKind::Call) {
            entry.sign = sign(state, call, self.signs);
        }
        entry.hit = self
            .filter
            .is_some_and(|query| query.fits(state, id) || query.fits(state, id.observation()));
        Some(entry)
    }
}

/// True where a person wrote what counts.
fn is_edited(state: &State, id: NodeId) -> bool {
    state
        .nodes
        .get(&id)
        .is_some_and(|node| node.is_edited() || node.pinned)
}

/// Whether a node may share a row with its neighbours.
fn keep(state: &State, id: NodeId) -> Keep {
    if is_edited(state, id) || is_edited(state, id.observation()) {
        return Keep::Always;
    }
    match id.kind {
        NodeKind::Intervention => Keep::Always,
        NodeKind::Prompt | NodeKind::Answer => Keep::Own,
        NodeKind::Thought | NodeKind::Observation | NodeKind::Repair => Keep::No,
        NodeKind::Call => match state.calls.get(&id).map(|call| &call.status) {
            None
            | Some(
                Status::Failed(_) | Status::Rejected | Status::Left | Status::Expired | Status::Unsatisfiable,
            ) => Keep::Own,
            Some(
                Status::Succeeded | Status::Exited(_) | Status::Skipped | Status::Proposed | Status::Blocked,
            ) => Keep::No,
            Some(_) => Keep::Always,
        },
    }
}

/// What a call does and what comes of it, as a number; what has not ended is like nothing else.
fn sign(state: &State, call: &Call, signs: &mut Signs) -> u64 {
    let mut hasher = DefaultHasher::new();
    match &call.status {
        Status::Failed(class) => class.hash(&mut hasher),
        status if status.is_settled() => status.word().hash(&mut hasher),
        _ => {
            call.id.hash(&mut hasher);
            return hasher.finish().max(1);
        }
    }
    let Some((tool, args)) = state.nodes.get(&call.id).and_then(|node| node.as_call()) else {
        return 0;
    };
    (tool, said(call.id, args, signs)).hash(&mut hasher);
    hasher.finish().max(1)
}

/// Hash of arguments. The rows of an open turn are made anew for every event: what is long is gone through once.
fn said(id: NodeId, args: &Arc<str>, signs: &mut Signs) -> u64 {
    let made = || {
        let mut hasher = DefaultHasher::new();
        args.hash(&mut hasher);
        hasher.finish()
    };
    if args.len() < LONG {
        return made();
    }
    match signs.get(&id) {
        Some((of, sign)) if Arc::ptr_eq(of, args) => *sign,
        _ => {
            #[cfg(test)]
            crate::console::testing::work::gone_through();
            let sign = made();
            signs.insert(id, (Arc::clone(args), sign));
            sign
        }
    }
}
