//! Finds nodes of a run by their text, and builds edits of them.
//!
//! Must not know: what is tested.

use std::sync::Arc;

use overrule::domain::command::Edit;
use overrule::domain::id::{NodeId, NodeKind, TurnId};
use overrule::domain::node::Node;
use overrule::domain::state::State;
use serde_json::Value;

/// The newest call of a label, one that counts if there is one.
#[track_caller]
pub fn call(state: &State, label: &str) -> NodeId {
    let counts = |id: &NodeId| state.nodes.get(id).is_some_and(|node| node.active);
    let of = || {
        state
            .calls
            .values()
            .filter(|call| *call.label == *label)
            .map(|call| call.id)
    };
    let found = of().rfind(counts).or_else(|| of().next_back());
    found.unwrap_or_else(|| panic!("no call `{label}`"))
}

/// The newest node of a kind that counts and has these words.
#[track_caller]
pub fn node(state: &State, kind: NodeKind, words: &str) -> NodeId {
    let fits = |node: &&Node| node.id.kind == kind && node.active && node.text().contains(words);
    let found = state.nodes.values().rfind(fits);
    found
        .unwrap_or_else(|| panic!("no {} with `{words}`", kind.label()))
        .id
}

/// The turn that the call of a label is in.
#[track_caller]
pub fn turn(state: &State, label: &str) -> TurnId {
    state.turn_of(call(state, label)).unwrap().id
}

/// How often a call was executed.
pub fn executions(state: &State, call: NodeId) -> usize {
    state.ledger.values().filter(|entry| entry.call == call).count()
}

/// Other words for a prompt, thought or answer.
pub fn rewritten(state: &State, node: NodeId, text: &str) -> Edit {
    let (base, text) = (state.nodes[&node].rev(), Arc::from(text));
    Edit::Text { node, base, text }
}

/// Other arguments for a call.
pub fn edited(state: &State, call: NodeId, args: &Value) -> Edit {
    let tool = state.nodes[&call].as_call().unwrap().0.to_string();
    replaced(state, call, &tool, args)
}

/// Another tool for a call.
pub fn replaced(state: &State, node: NodeId, tool: &str, args: &Value) -> Edit {
    Edit::Call {
        node,
        base: state.nodes[&node].rev(),
        tool: Arc::from(tool),
        args: Arc::from(args.to_string()),
        shown: true,
    }
}

/// Another result for a call.
pub fn corrected(state: &State, call: NodeId, value: &Value) -> Edit {
    let node = call.observation();
    let (base, value) = (state.nodes[&node].rev(), Arc::from(value.to_string()));
    Edit::Observation { node, base, value }
}

/// The deletion of a node.
pub fn deleted(state: &State, node: NodeId) -> Edit {
    let base = state.nodes[&node].rev();
    Edit::Delete { node, base }
}
