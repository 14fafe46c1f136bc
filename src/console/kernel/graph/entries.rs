//! Turns the nodes of a run into entries of the graph.
//!
//! Must not know: rows, how anything is drawn.
//!
//! An entry has the parents of a node, whether it may be folded, and how much attention it needs.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::query::Query;
use super::rows::RowSettings;
use crate::ground::layout::fold::{Entry, Keep};
use overrule_domain::call::{Call, Status};
use overrule_domain::effective_status::{self, EffectiveStatus};
use overrule_domain::graph::Edges;
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::node::Node;
use overrule_domain::state::State;

/// How much a row needs attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Mark {
    /// Not more than others.
    None = 0,
    /// The operator or the engine changed it.
    Edited = 1,
    /// It runs, or will.
    Running = 2,
    /// It failed.
    Failed = 3,
    /// It needs the operator.
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

    /// The mark of a call; `edited` if the operator wrote it or its result.
    fn of_call(state: &State, call: &Call, edited: bool) -> Self {
        let effective = EffectiveStatus::of_call(state, call);
        if effective.failed() {
            return Self::Failed;
        }
        match effective.status().unwrap_or(&call.status) {
            status if status.needs_operator() => Self::Waiting,
            Status::Running(_) | Status::Queued | Status::Ready => Self::Running,
            _ if edited => Self::Edited,
            _ => Self::None,
        }
    }
}

/// The entries of all nodes, in journal order.
pub fn of(state: &State, settings: &RowSettings) -> Vec<Entry<NodeId>> {
    let mut edges = Edges::new(state);
    let nodes = state.nodes.values();
    nodes
        .filter(|node| key(state, &settings.split, node.id) == node.id)
        .map(|node| entry(state, settings, &mut edges, node))
        .collect()
}

/// The node whose entry contains a node. An observation shares the entry of its call, unless the
/// two are split.
pub fn key(state: &State, split: &BTreeSet<NodeId>, id: NodeId) -> NodeId {
    let call = id.call();
    let is_separate = id == call || split.contains(&call) || !state.calls.contains_key(&call);
    if is_separate { id } else { call }
}

/// True if a node, or the result in its row, matches a filter.
pub fn matches(state: &State, filter: &Query, id: NodeId) -> bool {
    filter.fits(state, id) || filter.fits(state, id.observation())
}

fn entry(state: &State, settings: &RowSettings, edges: &mut Edges<'_>, node: &Node) -> Entry<NodeId> {
    let id = node.id;
    let is_split = settings.split.contains(&id.call());
    let mut parents: Vec<NodeId> = edges.ending_in(id).iter().map(|edge| edge.from).collect();
    parents.dedup();
    let mut entry = Entry::new(id, parents);
    if !node.active {
        entry.replaced = effective_status::replaced_with(state, id);
    }
    entry.fan = id.kind == NodeKind::Call;
    // Nodes after an edit depend on the edited node.
    entry.leaf = id.kind == NodeKind::Intervention;
    if !entry.leaf {
        entry.turn = u64::from(node.turn.0);
    }
    let call = state.calls.get(&id.call());
    let other = match id.kind {
        NodeKind::Call => state.nodes.get(&id.observation()),
        NodeKind::Observation => state.nodes.get(&id.call()),
        _ => None,
    };
    let edited = is_edited(node) || other.is_some_and(is_edited);
    if id.kind == NodeKind::Call && !is_split {
        entry.members.extend(other.map(|result| result.id));
    }
    entry.keep = if is_split || edited {
        Keep::Always
    } else {
        keep(id.kind, call)
    };
    let mark = match call {
        Some(call) => Mark::of_call(state, call, edited),
        None if id.kind == NodeKind::Intervention || is_edited(node) => Mark::Edited,
        None => Mark::None,
    };
    if node.active {
        entry.mark = mark as u8;
    }
    if let Some(call) = call.filter(|_| id.kind == NodeKind::Call) {
        entry.sign = sign(node, call);
    }
    let filter = settings.filter.as_ref();
    entry.hit = filter.is_some_and(|filter| matches(state, filter, id));
    entry
}

/// True if the operator wrote the active revision, or pinned it.
fn is_edited(node: &Node) -> bool {
    node.is_edited() || node.pinned
}

/// Whether an unedited node may share a row with its neighbours.
fn keep(kind: NodeKind, call: Option<&Call>) -> Keep {
    match kind {
        NodeKind::Intervention => Keep::Always,
        NodeKind::Prompt | NodeKind::Answer => Keep::Own,
        NodeKind::Thought | NodeKind::Observation | NodeKind::Repair => Keep::No,
        NodeKind::Call => match call.map(|call| &call.status) {
            None
            | Some(
                Status::Failed(_)
                | Status::Rejected
                | Status::Abandoned
                | Status::Expired
                | Status::Unsatisfiable,
            ) => Keep::Own,
            Some(
                Status::Succeeded | Status::Exited(_) | Status::Skipped | Status::Proposed | Status::Blocked,
            ) => Keep::No,
            Some(_) => Keep::Always,
        },
    }
}

/// A number for a call and its result; unique for a call without an end.
fn sign(node: &Node, call: &Call) -> u64 {
    let mut hasher = DefaultHasher::new();
    match &call.status {
        Status::Failed(class) => class.hash(&mut hasher),
        status if status.is_settled() => status.base_label().hash(&mut hasher),
        _ => {
            call.id.hash(&mut hasher);
            return hasher.finish().max(1);
        }
    }
    let Some(call_content) = node.as_call() else {
        return 0;
    };
    call_content.hash(&mut hasher);
    hasher.finish().max(1)
}
