//! Compares the history of a request with others: whether it continues one, what the agent rewrote, and which edits that
//! concerns.
//!
//! Must not know: formats, how a run shows it.

use std::collections::BTreeMap;

use super::conversation;
use super::overlay;
use overrule_base::canon::{self, Digest};
use overrule_domain::agent::Rewriting;
use overrule_domain::call::Call;
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::node::{Content, Node, Origin};
use overrule_domain::state::State;
use overrule_domain::thread::ROOT;
use overrule_model::wire::agent::{AgentRequest, Part, PartKind, Role};

/// The hashes of what a history says. Message by message: each in one spelling for equal ones. Item by item: words of the
/// user and of the model, calls, results. What an agent adds by itself, and what only the provider can read, is no item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    messages: Vec<Digest>,
    items: Vec<Digest>,
    /// The number of items up to the end of each message.
    ends: Vec<usize>,
    /// The first message that may have the name of a mask.
    masked: Option<usize>,
    /// True if the rest of the request may have one.
    is_rest_masked: bool,
}

impl History {
    /// Reads a request.
    pub fn of(request: &AgentRequest) -> Self {
        let mut history = Self::default();
        history.add(request, 0);
        history
    }

    /// Reads a request whose first messages are those of an earlier one with this history.
    pub fn after(&self, known: usize, request: &AgentRequest) -> Self {
        let items = known.checked_sub(1).and_then(|last| self.ends.get(last));
        let items = self.items.get(..items.copied().unwrap_or_default());
        let mut history = Self {
            messages: self.messages.iter().take(known).copied().collect(),
            items: items.unwrap_or_default().to_vec(),
            ends: self.ends.iter().take(known).copied().collect(),
            masked: self.masked.filter(|at| *at < known),
            is_rest_masked: false,
        };
        history.add(request, known);
        history
    }

    /// Reads the messages from here on.
    fn add(&mut self, request: &AgentRequest, from: usize) {
        let list = request.list.clone().unwrap_or(0..0);
        let end = request.body.bytes().len();
        let rest = [request.body.get(0..list.start), request.body.get(list.end..end)];
        self.is_rest_masked = rest.into_iter().flatten().any(overlay::may_have_mask);
        for (at, message) in request.messages.iter().enumerate().skip(from) {
            let is_masked = || {
                let mut parts = message.parts.iter();
                overlay::may_have_mask(request.raw(message)) || parts.any(|part| overlay::is_mask(&part.kind))
            };
            self.masked = self.masked.or_else(|| is_masked().then_some(at));
            let spelling = request.canonical(message);
            let digest = canon::digest("overrule messages v1", &[spelling.as_bytes()]);
            self.messages.push(digest);
            for item in message.parts.iter().filter_map(|part| item(message.role, part)) {
                // Some agents send a result twice.
                if self.items.last() != Some(&item) {
                    self.items.push(item);
                }
            }
            self.ends.push(self.items.len());
        }
    }

    /// The number of its messages.
    pub const fn messages(&self) -> usize {
        self.messages.len()
    }

    /// True if the request may have the name of a mask.
    pub const fn may_have_mask(&self) -> bool {
        self.masked.is_some() || self.is_rest_masked
    }

    /// True if both have the same messages.
    pub fn repeats(&self, other: &Self) -> bool {
        self.messages == other.messages
    }

    /// True if it begins with all messages of another one.
    pub fn continues(&self, old: &Self) -> bool {
        self.messages.starts_with(&old.messages)
    }

    /// True if an agent that gives up the request with another history may continue with this one: it has all items of that,
    /// except for those of the last message.
    pub fn may_replace(&self, open: &Self) -> bool {
        let before = open.messages.len().checked_sub(2);
        let items = before.and_then(|last| open.ends.get(last)).copied();
        let items = open.items.get(..items.unwrap_or_default());
        self.items.starts_with(items.unwrap_or_default())
    }

    fn has(&self, item: &Digest) -> bool {
        self.items.contains(item)
    }

    /// The number of its items.
    pub const fn items(&self) -> usize {
        self.items.len()
    }

    /// True if it begins with all items of another one.
    pub fn extends(&self, old: &Self) -> bool {
        self.items.starts_with(&old.items)
    }

    /// What an agent rewrote that sent this history before; none if the new one extends it.
    pub fn rewriting(&self, new: &Self, state: &State) -> Option<Rewriting> {
        let pairs = self.items.iter().zip(&new.items);
        let same = pairs.take_while(|(old, new)| old == new).count();
        let changed = self.items.get(same..).filter(|changed| !changed.is_empty())?;
        let places = places(state);
        let mut lost: Vec<NodeId> = edited(state)
            .filter(|(_, place)| self.has(place) && !new.has(place))
            .map(|(node, _)| node)
            .filter(|node| !state.origin.agent.lost.contains(node))
            .collect();
        lost.sort_unstable();
        Some(Rewriting {
            from: changed.iter().find_map(|item| places.get(item)).copied(),
            lost,
        })
    }
}

fn key(kind: &str, parts: &[&str]) -> Digest {
    let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
    canon::digest(&format!("overrule history {kind} v1"), &parts)
}

fn item(role: Role, part: &Part) -> Option<Digest> {
    match (&part.kind, role) {
        (PartKind::Text { text }, Role::User) if !conversation::is_by_agent(text) => {
            Some(key("prompt", &[text]))
        }
        (PartKind::Text { text }, Role::Assistant)
            if !text.is_empty() && !conversation::is_no_reply(text) =>
        {
            Some(key("text", &[text]))
        }
        (PartKind::Call { id, name, args, .. }, _) => {
            Some(of_call(id.as_deref(), name, &overlay::spelled(args)))
        }
        (PartKind::Result { id, text, .. }, _) => {
            Some(key("result", &[id.as_deref().unwrap_or_default(), text]))
        }
        _ => None,
    }
}

fn of_call(id: Option<&str>, name: &str, args: &str) -> Digest {
    match id.filter(|id| !id.is_empty()) {
        Some(id) => key("call", &[id]),
        None => key("call", &[name, args]),
    }
}

/// The item that an agent has of a call.
fn place_of(state: &State, call: &Call) -> Option<Digest> {
    let (name, args) = if overlay::was_released(call) {
        overlay::given(state, call)?
    } else {
        (overlay::mask(state, call.id), "{}".to_owned())
    };
    Some(of_call(call.provider_id.as_deref(), &name, &args))
}

/// The item that an agent has of a text or a result.
fn place_of_node(state: &State, node: &Node) -> Option<Digest> {
    let first = &node.revisions.first()?.content;
    match (first, node.id.kind) {
        (Content::Text { text, .. }, NodeKind::Prompt) => Some(key("prompt", &[text])),
        (Content::Text { text, .. }, _) => Some(key("text", &[text])),
        (Content::Observation { .. }, _) => {
            let call = state.calls.get(&node.id.call())?;
            let id = call.provider_id.as_deref().unwrap_or_default();
            Some(key("result", &[id, &overlay::first_result(state, call)?]))
        }
        _ => None,
    }
}

/// The nodes by their items.
fn places(state: &State) -> BTreeMap<Digest, NodeId> {
    let calls = state.calls.values();
    let calls = calls.filter_map(|call| Some((place_of(state, call)?, call.id)));
    let nodes = state.nodes.values();
    let nodes = nodes.filter_map(|node| Some((place_of_node(state, node)?, node.id)));
    nodes.chain(calls).collect()
}

/// The nodes that the operator changed for the model, each with the item that the change needs: rejected calls, corrected
/// results, rewritten texts, inserted words.
fn edited(state: &State) -> impl Iterator<Item = (NodeId, Digest)> {
    let rejected = state.calls.values().filter(|call| call.status.is_settled());
    let rejected = rejected
        .filter(|call| !overlay::was_released(call))
        .filter_map(|call| Some((call.id, place_of(state, call)?)));
    let is_edited = |node: &&Node| {
        let first = node.revisions.first().map(|revision| revision.no);
        let by_operator = matches!(node.now().origin, Origin::Operator { .. });
        node.active && by_operator && first != Some(node.current)
    };
    let nodes = state.nodes.values().filter(is_edited);
    let nodes = nodes.filter_map(|node| {
        let call = state.calls.get(&node.id.call());
        let place = match (node.id.kind, call) {
            // With an id, the call alone finds its result.
            (NodeKind::Observation, Some(call))
                if call.provider_id.as_deref().is_some_and(|id| !id.is_empty()) =>
            {
                place_of(state, call)
            }
            (NodeKind::Thought | NodeKind::Answer, _) | (NodeKind::Observation, Some(_)) => {
                place_of_node(state, node)
            }
            _ => None,
        };
        Some((node.id, place?))
    });
    rejected.chain(nodes).chain(inserted(state))
}

/// The words that the operator inserted, each with the item that it comes after.
fn inserted(state: &State) -> Vec<(NodeId, Digest)> {
    let mut inserted = Vec::new();
    let mut last = None;
    let turns = state.turns_of(ROOT).filter(|turn| turn.is_active());
    for node in turns
        .flat_map(|turn| &turn.nodes)
        .filter_map(|id| state.nodes.get(id))
    {
        if overlay::is_inserted(node) {
            inserted.extend(last.map(|place| (node.id, place)));
            continue;
        }
        let place = match state.calls.get(&node.id) {
            Some(call) => place_of(state, call),
            None => place_of_node(state, node),
        };
        last = place.or(last);
    }
    inserted
}
