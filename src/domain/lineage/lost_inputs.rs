//! Finds the calls that read a name which an edit removes.
//!
//! Must not know: how a plan is shown.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::affected_nodes::AffectedNodes;
use crate::event::{CallEvent, Event};
use crate::graph;
use crate::id::NodeId;
use crate::node::Node;
use crate::node_set::NodeSet;
use crate::ready;
use crate::reference::DAGGER;
use crate::state::State;
use crate::trial::try_out;

/// A reference of a call that no call gives a value after an edit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LostInput {
    /// The call that reads it.
    pub reader: NodeId,
    /// The reference, as `†state.notes`.
    pub reference: String,
    /// The call that the edit changes, and that gave the value before.
    pub writer: NodeId,
}

/// Returns the lost inputs of the calls that stay active, by reader. Reads a copy of the state after the edit, and only if
/// calls read from what is edited.
pub(super) fn lost_inputs(state: &State, events: &[Event], reach: &AffectedNodes) -> Vec<LostInput> {
    let edited = reach.edited.iter().map(|(id, ..)| *id);
    let moved = reach.revisions.keys().copied();
    let changed: NodeSet = edited.chain(moved).chain(reach.gone.iter()).collect();
    let readers = changed.calls().flat_map(|id| graph::readers_of(state, id));
    let readers: BTreeSet<NodeId> = readers.filter(|id| !reach.gone.contains(*id)).collect();
    let mut lost = BTreeSet::new();
    if readers.is_empty() {
        return Vec::new();
    }
    let mut after = state.clone();
    try_out(&mut after, events);
    let checks = names(&after);
    try_out(&mut after, &checks);
    for id in readers {
        let is_active = after.turn_of(id).is_some_and(crate::turn::Turn::is_active);
        let (Some(old), Some(new)) = (state.calls.get(&id), after.calls.get(&id).filter(|_| is_active))
        else {
            continue;
        };
        for reference in &new.refs.references {
            reference.expr.each(&mut |target| {
                let before = ready::providers(state, old, target);
                let writer = before.into_iter().rfind(|id| changed.contains(*id));
                if let Some(writer) = writer.filter(|_| ready::providers(&after, new, target).is_empty()) {
                    let reference = format!("{DAGGER}{target}");
                    lost.insert(LostInput {
                        reader: id,
                        reference,
                        writer,
                    });
                }
            });
        }
    }
    lost.into_iter().collect()
}

/// The names of the calls that are not checked yet.
fn names(state: &State) -> Vec<Event> {
    let unchecked = state.agenda.unchecked.iter();
    let read = unchecked.filter_map(|id| {
        let (call, node) = (state.calls.get(id)?, state.nodes.get(id)?);
        let scanned = state.scan(node.as_call()?.1);
        Some(Event::Call(CallEvent::Checked {
            call: *id,
            rev: Node::rev(node),
            faults: Vec::new(),
            references: scanned.references,
            label: Arc::from(scanned.label.unwrap_or_else(|| id.to_string())),
            out: scanned.out,
            effect: call.effect,
            delegates: call.delegates,
        }))
    });
    read.collect()
}
