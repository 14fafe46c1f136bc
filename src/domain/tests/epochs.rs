//! Compares the end of every epoch, as it was folded, with the history kept of it.
//!
//! Must not know: how the history is kept.

use std::collections::BTreeMap;

use overrule_domain::branch;
use overrule_domain::call::Way;
use overrule_domain::history::Then;
use overrule_domain::id::{Epoch, NodeId, NodeKind, Rev, TurnId};
use overrule_domain::state::State;
use overrule_domain::turn::{Activity, TurnState};

/// The active nodes, calls and turns at one time.
#[derive(Clone, Default)]
pub struct End {
    /// Active nodes with their revisions.
    pub nodes: BTreeMap<NodeId, Rev>,
    calls: BTreeMap<NodeId, Way>,
    turns: BTreeMap<TurnId, TurnState>,
}

fn is_history(activity: Activity) -> bool {
    matches!(activity, Activity::Superseded(_))
}

impl End {
    /// The active nodes, calls and turns of the state.
    pub fn of(state: &State) -> Self {
        let counts = |id: NodeId, turn: TurnId| match id.kind {
            NodeKind::Intervention => false,
            // The result of a call that has to run again is none.
            NodeKind::Observation => state.calls[&id.call()].status.is_settled(),
            _ => state
                .turns
                .get(&turn)
                .is_some_and(|turn| !is_history(turn.activity)),
        };
        let active = state.nodes.values().filter(|node| node.active);
        let nodes: BTreeMap<NodeId, Rev> = active
            .filter(|node| counts(node.id, node.turn))
            .map(|node| (node.id, node.rev()))
            .collect();
        let calls = state.calls.values().filter(|call| nodes.contains_key(&call.id));
        let turns = state.turns.values().filter(|turn| !is_history(turn.activity));
        Self {
            calls: calls.map(|call| (call.id, call.way())).collect(),
            turns: turns.map(|turn| (turn.id, turn.state())).collect(),
            nodes,
        }
    }
}

/// Every branch is remembered as it was left: nodes, how far each call had come, turns.
pub fn remembered(state: &State, ends: &BTreeMap<Epoch, End>) {
    for (epoch, then) in ends {
        let line = branch::line(state, *epoch);
        let text = state.nodes.values();
        for node in text.filter(|node| node.id.kind != NodeKind::Intervention) {
            let remembered = branch::counted(state, node.id, &line);
            let was = then.nodes.get(&node.id).copied();
            assert_eq!(remembered, was, "{} at the end of {epoch}", node.id);
        }
        for (id, was) in &then.calls {
            let call = &state.calls[id];
            let remembered = match call.history.at(&line) {
                Then::Absent => None,
                Then::Now => Some(call.way()),
                Then::Was(way) => Some(way.clone()),
            };
            assert_eq!(
                remembered.as_ref(),
                Some(was),
                "the way of {id} at the end of {epoch}"
            );
        }
        for turn in state.turns.values() {
            let remembered = match turn.history.at(&line) {
                Then::Absent => None,
                Then::Now => Some(turn.state()),
                Then::Was(condition) => Some(condition.clone()),
            };
            let remembered = remembered.filter(|condition| !is_history(condition.activity));
            let was = then.turns.get(&turn.id);
            assert_eq!(remembered.as_ref(), was, "{} at the end of {epoch}", turn.id);
        }
    }
}
