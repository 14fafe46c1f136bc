//! Values of the state: who writes a path, in which order, and which value a reader sees.
//!
//! Must not know: who waits.
//!
//! Order of writes is (turn, place in the turn).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Availability, Evaluation, Progress, View, descend, ended};
use crate::call::{Binding, Call, Outcome, Status};
use crate::id::{NodeId, ThreadId};
use crate::node::Node;
use crate::reference::{OutPath, Target};
use crate::state::State;

/// What one writer has written.
pub(super) enum Write<'a> {
    Done(&'a Node),
    Pending,
    None(String),
}

impl View<'_> {
    /// Writers of a state path that the reader can see, in the order of their writes.
    pub(super) fn writers(&self, target: &Target) -> Vec<NodeId> {
        self.writers_of(target, written)
    }

    /// Calls that wrote a state path that the reader can see, or would if they ended otherwise.
    pub(super) fn possible_writers(&self, target: &Target) -> Vec<NodeId> {
        self.writers_of(target, |call| {
            call.refs.out.iter().flat_map(OutPath::targets).collect()
        })
    }

    fn writers_of(&self, target: &Target, places: impl Fn(&Call) -> Vec<&Target>) -> Vec<NodeId> {
        let state = self.state;
        let Some(own) = state.turn_of(self.reader.id) else {
            return Vec::new();
        };
        let mut found: Vec<(u32, u32, NodeId)> = Vec::new();
        for id in state
            .agenda
            .writers
            .get(target.head.as_str())
            .into_iter()
            .flatten()
        {
            let Some(call) = state.calls.get(id) else { continue };
            let active = state.nodes.get(id).is_some_and(|node| node.active);
            let Some(turn) = state.turn_of(*id).filter(|turn| turn.is_active()) else {
                continue;
            };
            let sees = turn.thread == own.thread && turn.pos <= own.pos && *id != self.reader.id;
            if active && sees && places(call).iter().any(|place| overlaps(place, target)) {
                found.push((turn.pos, call.slot.unwrap_or(u32::MAX), *id));
            }
        }
        found.sort_unstable();
        found.into_iter().map(|(_, _, id)| id).collect()
    }

    /// Writers before the reader in its own turn or in earlier ones, and those after it in its
    /// turn.
    fn sides(&self, target: &Target) -> (Vec<NodeId>, Vec<NodeId>) {
        let turn = self.state.nodes.get(&self.reader.id).map(|node| node.turn);
        self.writers(target)
            .into_iter()
            .partition(|id| !(self.is_in(*id, turn) && *id > self.reader.id))
    }

    fn is_in(&self, id: NodeId, turn: Option<crate::id::TurnId>) -> bool {
        self.state.nodes.get(&id).map(|node| node.turn) == turn
    }

    /// True while a writer before the reader has not ended: in its own turn, or under way in an earlier
    /// one that was opened again.
    fn waits_for_writer(&self, before: &[NodeId]) -> bool {
        let turn = self.state.nodes.get(&self.reader.id).map(|node| node.turn);
        let under_way = |id: &NodeId| {
            let call = self.state.calls.get(id);
            call.is_some_and(|call| call.suspect || call.status.is_under_way())
        };
        before.iter().any(|id| {
            (self.is_in(*id, turn) || under_way(id)) && matches!(self.write_of(*id), Write::Pending)
        })
    }

    pub(super) fn availability_of_state(&self, target: &Target) -> Availability {
        let (before, later) = self.sides(target);
        if self.waits_for_writer(&before) {
            return Availability::Pending;
        }
        let mut some_none = false;
        let mut some_pending = false;
        for id in &before {
            match self.write_of(*id) {
                Write::Done(_) => return Availability::There,
                Write::Pending => {}
                Write::None(_) => some_none = true,
            }
        }
        for id in &later {
            match self.write_of(*id) {
                Write::Done(_) => return Availability::There,
                Write::Pending => some_pending = true,
                Write::None(_) => some_none = true,
            }
        }
        if some_none && !some_pending {
            Availability::Never
        } else if some_pending {
            Availability::Pending
        } else {
            self.missing()
        }
    }

    /// Calls before the reader in its own turn must have ended; then the newest writes are put together.
    pub(super) fn read_state(&self, target: &Target) -> Evaluation {
        let (before, later) = self.sides(target);
        if self.waits_for_writer(&before) {
            return Evaluation::Pending;
        }
        let mut whole = Value::Null;
        let mut bindings = self.put_together(&before, target, &mut whole);
        if bindings.is_empty() {
            bindings = self.put_together(&later, target, &mut whole);
        }
        if bindings.is_empty() {
            let pending = later
                .iter()
                .any(|id| matches!(self.write_of(*id), Write::Pending));
            let refused = before
                .iter()
                .chain(&later)
                .find_map(|id| match self.write_of(*id) {
                    Write::None(because) => Some(because),
                    _ => None,
                });
            return match refused {
                _ if pending => Evaluation::Pending,
                Some(because) => Evaluation::Never(because),
                None if self.at_rest => Evaluation::Never(format!("nothing writes †{target}")),
                None => Evaluation::Pending,
            };
        }
        match descend(&whole, std::iter::once(&target.head).chain(&target.path)) {
            Some(value) => Evaluation::Value(bindings, value.clone()),
            None => Evaluation::Never(format!("what was written has no `{target}`")),
        }
    }

    /// Writes the values of writers over one another, from the newest that covers the whole target on:
    /// what was written before it does not show.
    fn put_together(&self, writers: &[NodeId], target: &Target, whole: &mut Value) -> Vec<Binding> {
        let mut shown: Vec<(NodeId, &Node)> = Vec::new();
        for id in writers.iter().rev() {
            let (Write::Done(node), Some(call)) = (self.write_of(*id), self.state.calls.get(id)) else {
                continue;
            };
            shown.push((*id, node));
            if written(call).iter().any(|place| covers(place, target)) {
                break;
            }
        }
        let mut bindings = Vec::with_capacity(shown.len());
        for (id, node) in shown.into_iter().rev() {
            let Some(call) = self.state.calls.get(&id) else {
                continue;
            };
            let value = value_of(node);
            for place in written(call) {
                if overlaps(place, target) {
                    put(
                        whole,
                        std::iter::once(&place.head).chain(&place.path),
                        value.clone(),
                    );
                }
            }
            bindings.push(Binding {
                reference: target.to_string(),
                source: Some(id),
                rev: node.rev(),
            });
        }
        bindings
    }

    pub(super) fn write_of(&self, id: NodeId) -> Write<'_> {
        let Some(call) = self.state.calls.get(&id) else {
            return Write::Pending;
        };
        match self.progress(id) {
            Progress::Value(node) => match node.outcome() {
                Some(Outcome::Ok { discarded: 0, .. }) => Write::Done(node),
                Some(Outcome::Ok { .. }) => Write::None(format!("the result of {id} was cut")),
                _ => Write::Pending,
            },
            Progress::Pending => Write::Pending,
            Progress::Never(_)
                if matches!(call.refs.out, Some(OutPath::Branch(..)))
                    && matches!(call.status, Status::Exited(_) | Status::Failed(_)) =>
            {
                match self.state.observation(id) {
                    Some(node) => Write::Done(node),
                    None => Write::Pending,
                }
            }
            Progress::Never(call) => Write::None(ended(call)),
        }
    }
}

/// What a result puts into the state: its value, or what is known of the error.
pub(super) fn value_of(node: &Node) -> Value {
    match node.outcome() {
        Some(Outcome::Ok { exit: Some(code), .. }) => {
            serde_json::json!({"class": "exit", "message": format!("exit {code}")})
        }
        Some(Outcome::Ok { value, .. }) => serde_json::from_str(value).unwrap_or(Value::Null),
        Some(Outcome::Err(error)) => serde_json::json!({"class": error.class, "message": error.text()}),
        Some(Outcome::Cancelled { .. }) => serde_json::json!({"class": "cancelled", "message": "cancelled"}),
        None => Value::Null,
    }
}

pub(super) fn overlaps(place: &Target, read: &Target) -> bool {
    place.head == read.head && place.path.iter().zip(&read.path).all(|(a, b)| a == b)
}

/// Returns true if a write to a place replaces everything that was at the target.
pub(super) fn covers(place: &Target, read: &Target) -> bool {
    overlaps(place, read) && place.path.len() <= read.path.len()
}

/// The state paths that a call writes, or will, by how it ended.
pub(super) fn written(call: &Call) -> Vec<&Target> {
    // How one whose inputs are in question ends is open again.
    let failed = call.status.is_settled() && call.status != Status::Succeeded && !call.suspect;
    match &call.refs.out {
        None => Vec::new(),
        Some(OutPath::To(target)) => vec![target],
        Some(OutPath::Fan(all)) => all.iter().collect(),
        Some(OutPath::Branch(ok, err)) => match call.status {
            Status::Succeeded if !call.suspect => vec![ok],
            _ if failed => vec![err],
            _ => vec![ok, err],
        },
    }
}

fn put<'p>(whole: &mut Value, path: impl IntoIterator<Item = &'p String>, value: Value) {
    let mut here = whole;
    for key in path {
        if !here.is_object() {
            *here = Value::Object(serde_json::Map::new());
        }
        let Value::Object(map) = here else { return };
        here = map.entry(key.clone()).or_insert(Value::Null);
    }
    *here = value;
}

/// A path of the state, and who writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathWriters {
    /// The thread whose readers see it.
    pub thread: ThreadId,
    /// The path.
    pub target: Target,
    /// Calls that wrote it, or will, in the order of their writes: the last one that has ended
    /// wins.
    pub writers: Vec<NodeId>,
}

/// Writes by thread and path: turn, place in the turn, call.
type Writes<'s> = BTreeMap<(ThreadId, &'s Target), BTreeSet<(u32, u32, NodeId)>>;

/// Every path of the state that active calls write, by thread and name.
pub fn written_paths(state: &State) -> Vec<PathWriters> {
    let mut found = Writes::new();
    for id in state.agenda.writers.values().flatten() {
        let (Some(call), Some(turn)) = (state.calls.get(id), state.turn_of(*id)) else {
            continue;
        };
        if !turn.is_active() || !state.nodes.get(id).is_some_and(|node| node.active) {
            continue;
        }
        for target in written(call) {
            let write = (turn.pos, call.slot.unwrap_or(u32::MAX), *id);
            found.entry((turn.thread, target)).or_default().insert(write);
        }
    }
    found
        .into_iter()
        .map(|((thread, target), writes)| PathWriters {
            thread,
            target: target.clone(),
            writers: writes.into_iter().map(|(_, _, id)| id).collect(),
        })
        .collect()
}
