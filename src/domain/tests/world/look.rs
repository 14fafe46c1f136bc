//! Questions about the test world.
//!
//! Must not know: what the answers should be.

use super::World;
use overrule_domain::call::{Call, Digest, Outcome, Status};
use overrule_domain::event::{CallEvent, Event};
use overrule_domain::id::{NodeId, NodeKind, Rev, ThreadId, TurnId};

impl World {
    /// Every branch that was left is still known as it was.
    pub fn remembers(&self) {
        self.witness.remembers(&self.state);
    }

    /// The newest active call of this label.
    pub fn id(&self, label: &str) -> NodeId {
        let named = |call: &&Call| &*call.label == label;
        let calls = || self.state.calls.values().filter(named).rev();
        calls()
            .find(|call| self.state.nodes[&call.id].active)
            .or_else(|| calls().next())
            .unwrap_or_else(|| panic!("there is no call {label}"))
            .id
    }

    /// Every active node of a kind, oldest first.
    pub fn all(&self, kind: NodeKind) -> Vec<NodeId> {
        self.state
            .nodes
            .values()
            .filter(|node| node.active && node.id.kind == kind)
            .map(|node| node.id)
            .collect()
    }

    pub fn status(&self, id: NodeId) -> Status {
        self.state.calls[&id].status.clone()
    }

    pub fn rev(&self, id: NodeId) -> Rev {
        self.state
            .nodes
            .get(&id)
            .map(overrule_domain::node::Node::rev)
            .unwrap_or_default()
    }

    pub fn digest(&self, id: NodeId) -> Digest {
        self.state.calls[&id]
            .digest
            .clone()
            .unwrap_or_else(|| Digest("none".into()))
    }

    /// JSON text of a call's value.
    pub fn value(&self, id: NodeId) -> String {
        match self
            .state
            .observation(id)
            .and_then(overrule_domain::node::Node::outcome)
        {
            Some(Outcome::Ok { value, .. }) => value.to_string(),
            other => format!("{other:?}"),
        }
    }

    /// The arguments with which a call was executed, in order.
    pub fn runs(&self, id: NodeId) -> Vec<String> {
        self.executed
            .iter()
            .filter(|one| one.call == id)
            .map(|one| one.args.clone())
            .collect()
    }

    /// The active or suspended turns of the root thread.
    pub fn turns(&self) -> Vec<TurnId> {
        self.state.turns_of(ThreadId(0)).map(|turn| turn.id).collect()
    }

    pub fn turn_of(&self, id: NodeId) -> TurnId {
        self.state.nodes[&id].turn
    }

    /// The newest request as one text.
    pub fn last_request(&self) -> String {
        format!("{:?}", self.asked.last().expect("something was asked").messages)
    }

    pub fn events(&self) -> impl DoubleEndedIterator<Item = &Event> {
        self.log.iter().map(|envelope| &envelope.event)
    }

    /// How often a call started, by the journal.
    pub fn starts(&self, id: NodeId) -> usize {
        self.events()
            .filter(|event| matches!(event, Event::Call(CallEvent::Started { call, .. }) if *call == id))
            .count()
    }
}
