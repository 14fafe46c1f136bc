//! Computes the edges of the graph from the state.
//!
//! Must not know: how the graph is drawn.
//!
//! Inside a turn only production and data connect nodes. Across turns everything before is context;
//! only the last frontier becomes edges.

mod counted;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher};

pub use counted::PointInTime;
use serde::{Deserialize, Serialize};

use super::id::{NodeId, NodeKind, TurnId};
use super::ready;
use super::state::State;
use super::thread;
use super::turn::{Producer, Stream, Turn};

/// What an edge means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// The thought before a call in its turn, a call before its observation.
    Produces,
    /// A call reads what another wrote.
    Data,
    /// The last nodes of a turn before the first of the next.
    Context,
    /// What was edited, and the intervention that edited it.
    Intervenes,
}

/// One edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Edge {
    /// The parent.
    pub from: NodeId,
    /// The child.
    pub to: NodeId,
    /// What it means.
    pub kind: EdgeKind,
}

/// Returns the edges that end in a node, parents in journal order. Parents are older than the
/// child, except that a call may read a later call of its turn.
pub fn edges_into(state: &State, node: NodeId) -> Vec<Edge> {
    Edges::new(state).ending_in(node)
}

/// Computes the edges of several nodes. Data that the nodes of a turn share is computed once: all
/// edges of a wide turn cost as much as there are edges, not their square.
#[derive(Debug, Clone)]
pub struct Edges<'s> {
    state: &'s State,
    here: Option<Here>,
    /// What each intervention was about; computed on first use.
    targets: Option<BTreeMap<NodeId, Option<NodeId>>>,
}

/// What the nodes of a turn share.
#[derive(Debug, Clone)]
struct Here {
    turn: TurnId,
    /// The thought that each node follows from, if any does.
    thoughts: HashMap<NodeId, Option<NodeId>, BuildHasherDefault<DefaultHasher>>,
    /// The last thought.
    last: Option<NodeId>,
    /// What the turn follows; computed for the first node without a thought.
    before: Option<Vec<(NodeId, EdgeKind)>>,
}

impl Here {
    fn of(turn: &Turn) -> Self {
        let mut last = None;
        let mut thoughts = HashMap::default();
        for id in &turn.nodes {
            thoughts.entry(*id).or_insert(last);
            if id.kind == NodeKind::Thought {
                last = Some(*id);
            }
        }
        Self {
            turn: turn.id,
            thoughts,
            last,
            before: None,
        }
    }
}

impl<'s> Edges<'s> {
    /// Of this state.
    pub const fn new(state: &'s State) -> Self {
        Self {
            state,
            here: None,
            targets: None,
        }
    }

    /// The edges that end in a node, parents in journal order.
    pub fn ending_in(&mut self, node: NodeId) -> Vec<Edge> {
        let state = self.state;
        let edge = |from, kind| Edge { from, to: node, kind };
        if node.kind == NodeKind::Observation {
            let answer = answer_under(state, node.call());
            let from = std::iter::once(node.call()).chain(answer);
            return from.map(|from| edge(from, EdgeKind::Produces)).collect();
        }
        if node.kind == NodeKind::Intervention {
            let target = self.target(node).or_else(|| turned_on(state, node));
            return target
                .map(|target| edge(target, EdgeKind::Intervenes))
                .into_iter()
                .collect();
        }
        let Some(turn) = state.turn_of(node) else {
            return Vec::new();
        };
        let here = match &mut self.here {
            Some(here) if here.turn == turn.id => here,
            other => other.insert(Here::of(turn)),
        };
        let mut edges: Vec<Edge> = match here.thoughts.get(&node).copied().unwrap_or(here.last) {
            Some(thought) => vec![edge(thought, EdgeKind::Produces)],
            None => here
                .before
                .get_or_insert_with(|| before(state, turn))
                .iter()
                .map(|(from, kind)| edge(*from, *kind))
                .collect(),
        };
        if let Some(call) = state.calls.get(&node) {
            let bound: BTreeSet<NodeId> = call
                .refs
                .bindings
                .iter()
                .filter_map(|binding| binding.source)
                .collect();
            let sources = if bound.is_empty() {
                ready::sources(state, call)
            } else {
                bound
            };
            edges.extend(sources.into_iter().map(|from| edge(from, EdgeKind::Data)));
        }
        edges
    }

    /// What an intervention was about.
    fn target(&mut self, node: NodeId) -> Option<NodeId> {
        let state = self.state;
        let targets = self.targets.get_or_insert_with(|| {
            let mut targets = BTreeMap::new();
            for edit in &state.operator.edits {
                targets.entry(edit.intervention).or_insert(edit.target);
            }
            targets
        });
        targets.get(&node).copied().flatten()
    }
}

/// The newest call of the loop that a step was taken against.
fn turned_on(state: &State, node: NodeId) -> Option<NodeId> {
    state.learned.escape.step(node)?.0.finding.nodes.last().copied()
}

/// What a turn comes from: the last nodes before it, or the call whose sub-agent it begins.
fn before(state: &State, turn: &Turn) -> Vec<(NodeId, EdgeKind)> {
    if turn.producer == Producer::Delegate {
        let call = state.threads.children.get(&turn.thread).map(|child| child.call);
        return call.map(|call| (call, EdgeKind::Produces)).into_iter().collect();
    }
    let frontier = frontier_before(state, turn).into_iter();
    frontier.map(|from| (from, EdgeKind::Context)).collect()
}

/// The answer of the sub-agent whose call has ended with it.
fn answer_under(state: &State, call: NodeId) -> Option<NodeId> {
    let child = thread::child_of(state, state.calls.get(&call)?)?;
    state.observation(call)?;
    let last = state.turns_of(child.thread).next_back()?;
    let is_answer =
        |id: &&NodeId| id.kind == NodeKind::Answer && state.nodes.get(id).is_some_and(|node| node.active);
    last.nodes.iter().rev().find(is_answer).copied()
}

/// The last nodes before a turn: the calls of the turn before it, or its last text.
fn frontier_before(state: &State, turn: &Turn) -> Vec<NodeId> {
    let Some(line) = state.threads.turns.get(&turn.thread) else {
        return Vec::new();
    };
    let counted = PointInTime::around(turn);
    let before = line[..(turn.pos as usize).min(line.len())]
        .iter()
        .rev()
        .filter_map(|id| state.turns.get(id));
    for earlier in before {
        // A superseded turn never saw the turn that replaced it, though both are in its thread. No turn saw the question
        // of a server.
        if earlier.producer == Producer::Server || !counted.turn(earlier) {
            continue;
        }
        let frontier = frontier(state, earlier, counted);
        if !frontier.is_empty() {
            return frontier;
        }
    }
    Vec::new()
}

fn frontier(state: &State, turn: &Turn, counted: PointInTime) -> Vec<NodeId> {
    let there = |id: &&NodeId| state.nodes.get(id).is_some_and(|node| counted.node(node));
    let last_thought = turn
        .nodes
        .iter()
        .rposition(|id| id.kind == NodeKind::Thought && there(&id));
    let tail = &turn.nodes[last_thought.unwrap_or(0)..];
    let calls: Vec<NodeId> = tail
        .iter()
        .filter(|id| id.kind == NodeKind::Call)
        .filter(there)
        .copied()
        .collect();
    if calls.is_empty() {
        turn.nodes.iter().rev().find(there).copied().into_iter().collect()
    } else {
        calls
    }
}

/// Everything that a node depends on, without the node: what it read, and its whole context.
///
/// For a superseded node this is what was active while the node was.
pub fn ancestors(state: &State, node: NodeId) -> BTreeSet<NodeId> {
    let turn = state.turn_of(node);
    let counted = turn.map_or_else(PointInTime::default, PointInTime::around);
    above(state, node, counted)
}

fn above(state: &State, node: NodeId, counted: PointInTime) -> BTreeSet<NodeId> {
    let mut found = BTreeSet::new();
    let Some(turn) = state.turn_of(node) else {
        return found;
    };
    for earlier in counted
        .turns_of(state, turn.thread)
        .take_while(|one| one.pos < turn.pos)
    {
        found.extend(nodes_of(state, earlier, counted));
    }
    let own = node.call();
    if own != node {
        found.insert(own);
    }
    // A sub-agent saw the text of its call, which depends on everything before it.
    if let Some(child) = state.threads.children.get(&turn.thread) {
        found.insert(child.call);
        found.extend(above(state, child.call, counted));
    }
    found.extend(
        turn.nodes
            .iter()
            .take_while(|one| **one != own)
            .filter(|one| one.kind == NodeKind::Thought),
    );
    let mut open = vec![own];
    let mut all = Edges::new(state);
    while let Some(id) = open.pop() {
        for edge in all.ending_in(id) {
            if edge.kind == EdgeKind::Data && found.insert(edge.from) {
                found.insert(edge.from.observation());
                open.push(edge.from);
            }
        }
    }
    // The result of a call depends on all that its sub-agent did.
    let mut given: Vec<NodeId> = found
        .iter()
        .filter(|id| id.kind == NodeKind::Observation)
        .copied()
        .collect();
    given.extend((own != node).then_some(node));
    found.extend(work_under(state, given.iter().map(|id| id.call()), counted));
    found.remove(&node);
    found
}

/// Everything that depends on a node, without the node: what a change of it would put in question.
///
/// For a superseded node this is what was active while the node was.
pub fn descendants(state: &State, node: NodeId) -> BTreeSet<NodeId> {
    let turn = state.turn_of(node);
    let counted = turn.map_or_else(PointInTime::default, PointInTime::around);
    below(state, node, counted)
}

fn below(state: &State, node: NodeId, counted: PointInTime) -> BTreeSet<NodeId> {
    let mut found = BTreeSet::new();
    let Some(turn) = state.turn_of(node) else {
        return found;
    };
    for later in counted
        .turns_of(state, turn.thread)
        .filter(|one| one.pos > turn.pos)
    {
        found.extend(nodes_of(state, later, counted));
    }
    match node.kind {
        NodeKind::Thought => {
            let after = turn.nodes.iter().skip_while(|one| **one != node).skip(1);
            for id in after.filter(|id| state.nodes.get(id).is_some_and(|node| counted.node(node))) {
                found.insert(*id);
                if state.nodes.contains_key(&id.observation()) {
                    found.insert(id.observation());
                }
            }
        }
        NodeKind::Call | NodeKind::Observation => {
            let call = node.call();
            if state.nodes.contains_key(&call.observation()) {
                found.insert(call.observation());
            }
            for reader in readers_of(state, call) {
                found.insert(reader);
                if state.nodes.contains_key(&reader.observation()) {
                    found.insert(reader.observation());
                }
            }
        }
        NodeKind::Prompt | NodeKind::Answer | NodeKind::Repair | NodeKind::Intervention => {}
    }
    let calls = found.iter().chain((node.kind == NodeKind::Call).then_some(&node));
    let work = work_under(state, calls.copied().collect::<Vec<_>>(), counted);
    found.extend(work);
    // Another answer of a sub-agent is another result of its call.
    if let Some(child) = state.threads.children.get(&turn.thread) {
        let result = child.call.observation();
        found.extend(state.nodes.contains_key(&result).then_some(result));
        found.extend(below(state, result, counted));
    }
    found.remove(&node);
    found
}

/// Active calls of the same turn and of later ones that read a call's result, directly or through
/// others. A result that a person wrote does not change with its inputs, so nothing goes through
/// it.
pub fn readers_of(state: &State, call: NodeId) -> BTreeSet<NodeId> {
    let mut seen = BTreeSet::new();
    let mut is_read = false;
    direct_readers(state, call, |_| is_read = true);
    let Some(turn) = is_read.then(|| state.turn_of(call)).flatten() else {
        return seen;
    };
    let mut open = vec![call];
    while let Some(source) = open.pop() {
        direct_readers(state, source, |id| {
            if id != call && !seen.contains(&id) && follows(state, turn, id) && reads(state, id, source) {
                seen.insert(id);
                open.push(id);
            }
        });
    }
    seen
}

/// True for an active call of a turn or a later one of its thread whose result is not a person's.
fn follows(state: &State, turn: &Turn, id: NodeId) -> bool {
    let Some(node) = state.nodes.get(&id).filter(|node| node.active) else {
        return false;
    };
    let is_later = |own: &Turn| own.thread == turn.thread && own.pos >= turn.pos;
    (node.turn == turn.id || state.turns.get(&node.turn).is_some_and(is_later))
        && !(state.agenda.pinned.contains(&id) && state.observation(id).is_some_and(|node| node.pinned))
}

/// Active calls from a turn on that read one of these names, whichever call wrote it, and all that
/// read those in turn.
pub fn readers_of_names(state: &State, call: NodeId, label: &str, heads: &[&str]) -> BTreeSet<NodeId> {
    let agenda = &state.agenda;
    let mut direct: BTreeSet<NodeId> = agenda.readers.get(label).into_iter().flatten().copied().collect();
    for head in heads {
        direct.extend(agenda.state_readers.get(*head).into_iter().flatten().copied());
    }
    let Some(turn) = state.turn_of(call) else {
        return BTreeSet::new();
    };
    direct.retain(|id| *id != call && follows(state, turn, *id));
    let mut found = direct.clone();
    for id in direct {
        found.extend(readers_of(state, id));
    }
    found.remove(&call);
    found
}

/// Visits calls with a reference to a label of a call or to a state path that it writes.
fn direct_readers(state: &State, source: NodeId, mut visit: impl FnMut(NodeId)) {
    let Some(call) = state.calls.get(&source) else {
        return;
    };
    let agenda = &state.agenda;
    let by_label = agenda.readers.get(&call.label).into_iter().flatten();
    by_label.copied().for_each(&mut visit);
    for head in call.refs.out.iter().flat_map(super::reference::OutPath::heads) {
        let by_path = agenda.state_readers.get(head).into_iter().flatten();
        by_path.copied().for_each(&mut visit);
    }
}

/// True where a call read what another gave, or would.
fn reads(state: &State, id: NodeId, source: NodeId) -> bool {
    state.calls.get(&id).is_some_and(|reader| {
        reader
            .refs
            .bindings
            .iter()
            .any(|binding| binding.source == Some(source))
            || ready::names(state, reader, source)
    })
}

/// Nodes of the sub-agents of calls that were active then, with the results of their calls.
fn work_under(state: &State, calls: impl IntoIterator<Item = NodeId>, counted: PointInTime) -> Vec<NodeId> {
    let (turns, _) = thread::under(state, calls);
    let turns = turns.iter().filter_map(|id| state.turns.get(id));
    turns.flat_map(|turn| nodes_of(state, turn, counted)).collect()
}

fn nodes_of(state: &State, turn: &Turn, counted: PointInTime) -> Vec<NodeId> {
    let mut nodes = Vec::new();
    for id in &turn.nodes {
        if state.nodes.get(id).is_some_and(|node| counted.node(node)) {
            nodes.push(*id);
            let result = state.nodes.get(&id.observation());
            if id.kind == NodeKind::Call && result.is_some_and(|node| counted.node(node)) {
                nodes.push(id.observation());
            }
        }
    }
    nodes
}

/// Active nodes of a turn after one of its nodes, in stream order.
pub fn after_in_turn(state: &State, id: NodeId) -> Vec<NodeId> {
    let nodes = state.turn_of(id).map(|turn| turn.nodes.as_slice());
    let following = nodes
        .unwrap_or_default()
        .iter()
        .skip_while(|one| **one != id)
        .skip(1);
    following
        .filter(|one| state.nodes.get(one).is_some_and(|node| node.active))
        .copied()
        .collect()
}

/// Returns true if text inserted after a node would cut its turn there: the model said something
/// after it that is active, or its reply is still arriving.
pub fn cuts_turn_after(state: &State, id: NodeId) -> bool {
    let Some(turn) = state.turn_of(id).filter(|turn| turn.producer == Producer::Model) else {
        return false;
    };
    let is_stated = |id: &NodeId| matches!(id.kind, NodeKind::Thought | NodeKind::Call | NodeKind::Answer);
    let arrives = !matches!(turn.stream, Stream::Closed(_) | Stream::Aborted(_));
    arrives || after_in_turn(state, id).iter().any(is_stated)
}
