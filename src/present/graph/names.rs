//! Names active nodes by kind and ordinal, so that equal runs share the names.
//!
//! Must not know: formats.
//!
//! Ids would not do, because an interruption may use up numbers.

use std::collections::BTreeMap;

use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::reference::DAGGER;
use overrule_domain::state::State;
use overrule_domain::turn::Activity;

/// The active nodes with their names, in an order that does not depend on when they were created.
pub(super) struct Names {
    /// The nodes in order.
    pub nodes: Vec<NodeId>,
    names: BTreeMap<NodeId, String>,
}

impl Names {
    pub(super) fn of(state: &State) -> Self {
        let nodes: Vec<NodeId> = state
            .threads
            .turns
            .values()
            .flatten()
            .filter_map(|id| state.turns.get(id))
            .filter(|turn| !matches!(turn.activity, Activity::Superseded(_)))
            .flat_map(|turn| &turn.nodes)
            .flat_map(|id| {
                let result = id.observation();
                std::iter::once(*id).chain((result != *id).then_some(result))
            })
            .chain(state.operator.edits.iter().map(|edit| edit.intervention))
            .filter(|id| state.nodes.get(id).is_some_and(|node| node.active))
            .collect();
        let mut counts: BTreeMap<NodeKind, u32> = BTreeMap::new();
        let mut names: BTreeMap<NodeId, String> = BTreeMap::new();
        for id in &nodes {
            // The result of the third call is the third observation, whether or not the first call has one.
            let name = match names.get(&id.call()) {
                Some(call) if id.kind == NodeKind::Observation => call.replacen("call", "observation", 1),
                _ => {
                    let count = counts.entry(id.kind).or_default();
                    *count += 1;
                    format!("{} {count}", id.kind.label())
                }
            };
            names.insert(*id, name);
        }
        Self { nodes, names }
    }

    /// Returns the name of an active node.
    pub(super) fn get(&self, id: NodeId) -> Option<&str> {
        self.names.get(&id).map(String::as_str)
    }

    /// Returns arguments in which references name calls by ordinal instead of id.
    pub(super) fn in_args(&self, args: &str) -> String {
        let mark = format!("{DAGGER}call.");
        let mut out = String::with_capacity(args.len());
        let mut rest = args;
        while let Some(at) = rest.find(&mark) {
            let (before, after) = rest.split_at(at + mark.len());
            out.push_str(before);
            let end = after
                .find(|char: char| !char.is_ascii_alphanumeric() && char != '_')
                .unwrap_or(after.len());
            let (label, tail) = after.split_at(end);
            match label.parse::<NodeId>().ok().and_then(|id| self.get(id)) {
                Some(name) => out.push_str(&name.replace(' ', "-")),
                None => out.push_str(label),
            }
            rest = tail;
        }
        out.push_str(rest);
        out
    }
}
