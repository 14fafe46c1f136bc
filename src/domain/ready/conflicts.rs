//! Finds calls of one turn that write one path of the state.
//!
//! Must not know: how a conflict is shown.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::View;
use super::writes::{PathWriters, Write, covers, overlaps, value_of, written, written_paths};
use crate::call::{Call, Outcome};
use crate::id::{NodeId, ThreadId, TurnId};
use crate::node::Node;
use crate::reference::{DAGGER, OutPath, Root, Target};
use crate::state::State;

/// Calls of one turn that write one path of the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteConflict {
    /// The thread whose readers see the path.
    pub thread: ThreadId,
    /// The path.
    pub target: Target,
    /// Calls that wrote it, or will, in the order of their writes; at least two.
    pub writers: Vec<NodeId>,
    /// The writer whose value readers get: the one that ended last. None while none has ended.
    pub shown: Option<NodeId>,
    /// Active calls that read it, or a part of it, and have not ended.
    pub readers: Vec<NodeId>,
}

impl WriteConflict {
    /// The path as it is written in arguments.
    pub fn path(&self) -> String {
        format!("{DAGGER}{}", self.target)
    }
}

/// Other active calls of the turn that write the same state path, or will; the one that ends last wins. Calls that ended
/// without a value write nothing.
pub fn write_conflicts(state: &State, id: NodeId) -> Vec<NodeId> {
    let (Some(call), Some(turn)) = (state.calls.get(&id), state.turn_of(id)) else {
        return Vec::new();
    };
    let mine = written(call);
    if mine.is_empty() || write(state, id) == Progress::Nothing {
        return Vec::new();
    }
    let same = |other: &Call| written(other).iter().any(|place| mine.contains(place));
    let is_here = |node: &Node| node.active && node.turn == turn.id;
    let writers = &state.agenda.writers;
    let named = mine.iter().filter_map(|place| writers.get(place.head.as_str()));
    let others: BTreeSet<NodeId> = named
        .flatten()
        .filter(|other| **other != id)
        .filter(|other| state.nodes.get(other).is_some_and(is_here))
        .filter(|other| state.calls.get(other).is_some_and(same))
        .filter(|other| write(state, **other) != Progress::Nothing)
        .copied()
        .collect();
    others.into_iter().collect()
}

/// Every active call with a [write conflict](write_conflicts), found in one pass over the calls that write.
pub fn calls_in_conflict(state: &State) -> BTreeSet<NodeId> {
    let mut found = BTreeSet::new();
    for mut writers in writers_by_path(state, written) {
        writers.retain(|id| write(state, *id) != Progress::Nothing);
        if writers.len() > 1 {
            found.append(&mut writers);
        }
    }
    found
}

/// Every active call that writes a state path which another active call of its turn writes too, or would if it ended
/// otherwise, with the first such call.
pub fn same_targets(state: &State) -> BTreeMap<NodeId, NodeId> {
    fn targets(call: &Call) -> Vec<&Target> {
        call.refs.out.iter().flat_map(OutPath::targets).collect()
    }
    let mut found: BTreeMap<NodeId, NodeId> = BTreeMap::new();
    for writers in writers_by_path(state, targets) {
        for id in &writers {
            let first = writers.iter().find(|other| *other != id);
            let known = found.get(id).into_iter().chain(first).min();
            found.extend(known.copied().map(|first| (*id, first)));
        }
    }
    found
}

/// The active calls of each turn that write one state path; at least two each.
fn writers_by_path(
    state: &State,
    paths: fn(&Call) -> Vec<&Target>,
) -> impl Iterator<Item = BTreeSet<NodeId>> {
    let mut found: BTreeMap<(TurnId, &Target), BTreeSet<NodeId>> = BTreeMap::new();
    for id in state.agenda.writers.values().flatten() {
        let node = state.nodes.get(id).filter(|node| node.active);
        let (Some(node), Some(call)) = (node, state.calls.get(id)) else {
            continue;
        };
        for path in paths(call) {
            found.entry((node.turn, path)).or_default().insert(*id);
        }
    }
    found.into_values().filter(|writers| writers.len() > 1)
}

/// Every conflict whose values readers may still get, by thread and path. A value that a later turn writes ends it, and so
/// does all that makes one of two writers inactive.
pub fn conflicts(state: &State) -> Vec<WriteConflict> {
    let paths = written_paths(state);
    let mut found = Vec::new();
    for path in paths.iter().filter(|path| path.writers.len() > 1) {
        let turn = |id: &NodeId| state.turn_of(*id).map(|turn| turn.pos);
        let mut turns: Vec<&[NodeId]> = path
            .writers
            .chunk_by(|one, other| turn(one) == turn(other))
            .collect();
        while let Some(writers) = turns.pop() {
            let writers: Vec<NodeId> = (writers.iter().copied())
                .filter(|id| write(state, *id) != Progress::Nothing)
                .collect();
            let shown = writers
                .iter()
                .copied()
                .rfind(|id| write(state, *id) == Progress::Done);
            let at = writers.first().and_then(turn);
            if writers.len() > 1 && !is_covered(state, &paths, path, at) {
                found.push(WriteConflict {
                    readers: readers(state, path, at),
                    thread: path.thread,
                    target: path.target.clone(),
                    writers,
                    shown,
                });
            }
            if shown.is_some() {
                break;
            }
        }
    }
    found
}

/// The JSON text that a call has written to its path; `None` for none.
pub fn written_value(state: &State, id: NodeId) -> Option<Cow<'_, str>> {
    if write(state, id) != Progress::Done {
        return None;
    }
    let node = state.observation(id)?;
    Some(match node.outcome()? {
        Outcome::Ok {
            value, exit: None, ..
        } => Cow::Borrowed(&**value),
        _ => Cow::Owned(value_of(node).to_string()),
    })
}

/// The active calls of a turn and later ones that read a path and have not ended.
fn readers(state: &State, path: &PathWriters, turn: Option<u32>) -> Vec<NodeId> {
    let reads = |call: &Call| {
        let mut found = false;
        for reference in &call.refs.references {
            reference
                .expr
                .each(&mut |target| found |= target.root == Root::State && overlaps(&path.target, target));
        }
        found
    };
    let waits = |id: &&NodeId| {
        let (Some(call), Some(own)) = (state.calls.get(id), state.turn_of(**id)) else {
            return false;
        };
        let sees = own.thread == path.thread && own.is_active() && Some(own.pos) >= turn;
        let is_active = state.nodes.get(id).is_some_and(|node| node.active);
        sees && is_active && !call.status.is_settled() && reads(call)
    };
    let named = state.agenda.state_readers.get(path.target.head.as_str());
    named.into_iter().flatten().filter(waits).copied().collect()
}

/// True if a later turn has written a path above this one.
fn is_covered(state: &State, paths: &[PathWriters], path: &PathWriters, turn: Option<u32>) -> bool {
    let above = |other: &&PathWriters| other.thread == path.thread && covers(&other.target, &path.target);
    let later =
        |id: &NodeId| state.turn_of(*id).map(|turn| turn.pos) > turn && write(state, *id) == Progress::Done;
    paths
        .iter()
        .filter(above)
        .any(|other| other.writers.iter().any(later))
}

/// How far a write has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Done,
    Pending,
    Nothing,
}

fn write(state: &State, id: NodeId) -> Progress {
    let Some(reader) = state.calls.get(&id) else {
        return Progress::Nothing;
    };
    let view = View {
        state,
        reader,
        at_rest: true,
    };
    match view.write_of(id) {
        Write::Done(_) => Progress::Done,
        Write::Pending => Progress::Pending,
        Write::None(_) => Progress::Nothing,
    }
}
