//! Words of the operator between the messages of an agent's history.
//!
//! Must not know: formats, how a run decides.

use std::collections::BTreeMap;

use super::{Known, Overlay, text_key};
use crate::domain::id::NodeKind;
use crate::domain::node::Content;
use crate::domain::state::State;
use crate::domain::thread::ROOT;
use crate::domain::turn::{Producer, Turn};
use crate::model::wire::agent::{AgentMessage, AgentRequest, PartKind, Role};

/// A prompt or thought of the operator, which the agent does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inserted {
    /// True for a thought: the model said it.
    is_models: bool,
    text: String,
    /// What the model said last before it; none before its first reply.
    after: Option<Said>,
}

/// A reply of the model, by what an agent has of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Said {
    /// The numbers of its calls.
    calls: Vec<u32>,
    /// The keys of its texts.
    texts: Vec<String>,
}

impl Said {
    fn of(state: &State, turn: &Turn) -> Option<Self> {
        let mut said = Self::default();
        for node in turn.nodes.iter().filter_map(|id| state.nodes.get(id)) {
            match (
                node.id.kind,
                node.revisions.first().map(|revision| &revision.content),
            ) {
                (NodeKind::Call, _) => said.calls.push(node.id.no),
                (NodeKind::Thought | NodeKind::Answer, Some(Content::Text { text, .. }))
                    if !text.is_empty() =>
                {
                    said.texts.push(text_key(text));
                }
                _ => {}
            }
        }
        (said != Self::default()).then_some(said)
    }
}

/// The prompts and thoughts that the operator inserted, in their order.
pub(super) fn inserted(state: &State) -> Vec<Inserted> {
    let mut said = None;
    let mut inserted = Vec::new();
    for turn in state.turns_of(ROOT).filter(|turn| turn.is_active()) {
        if turn.producer == Producer::Model {
            said = Said::of(state, turn).or(said);
            continue;
        }
        let nodes = turn.nodes.iter().filter_map(|id| state.nodes.get(id));
        let nodes = nodes.filter(|node| node.active && !node.text().is_empty() && !node.is_from_agent());
        let words = nodes.filter(|node| matches!(node.id.kind, NodeKind::Prompt | NodeKind::Thought));
        inserted.extend(words.map(|node| Inserted {
            is_models: node.id.kind == NodeKind::Thought,
            text: node.text().to_owned(),
            after: said.clone(),
        }));
    }
    inserted
}

/// The messages to insert, as JSON texts, by the place of the message that follows them. One after a reply that the
/// history lacks is left out. `found` has the known calls by message.
pub(super) fn messages(
    overlay: &Overlay,
    request: &AgentRequest,
    found: &[(usize, &Known)],
) -> BTreeMap<usize, Vec<String>> {
    let mut messages: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let side = request.wire.agent_side();
    for one in &overlay.inserted {
        let at = match &one.after {
            None => begin(&request.messages),
            Some(said) => match last(overlay, request, found, said) {
                Some(last) => after_results(&request.messages, last),
                None => continue,
            },
        };
        let message = side.message(one.is_models, &one.text);
        messages.entry(at).or_default().push(message);
    }
    messages
}

/// The place before the first reply.
fn begin(messages: &[AgentMessage]) -> usize {
    let reply = messages
        .iter()
        .position(|message| message.role == Role::Assistant);
    reply.unwrap_or(messages.len())
}

/// The last message of a reply.
fn last(overlay: &Overlay, request: &AgentRequest, found: &[(usize, &Known)], said: &Said) -> Option<usize> {
    let is_own = |known: &Known| overlay.calls.iter().any(|own| std::ptr::eq(own, known));
    let of_calls = found
        .iter()
        .filter(|(_, known)| is_own(known) && said.calls.contains(&known.number))
        .map(|(message, _)| *message)
        .max();
    let has_text = |message: &AgentMessage| {
        message.role == Role::Assistant
            && message.parts.iter().any(|part| match &part.kind {
                PartKind::Text { text } | PartKind::Reasoning { text } => {
                    said.texts.contains(&text_key(text))
                }
                _ => false,
            })
    };
    of_calls.or_else(|| request.messages.iter().rposition(has_text))
}

/// The place after the results of the calls of a message.
fn after_results(messages: &[AgentMessage], at: usize) -> usize {
    let is_result = |message: &&AgentMessage| {
        let mut parts = message.parts.iter();
        parts.any(|part| matches!(part.kind, PartKind::Result { .. }))
    };
    let after = messages.get(at + 1..).unwrap_or_default();
    at + 1 + after.iter().take_while(is_result).count()
}
