//! Words of the operator between the messages of an agent's history.
//!
//! Must not know: formats, how a run decides.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Known, Overlay, text_key};
use crate::conversation::AGAIN;
use overrule_domain::id::NodeKind;
use overrule_domain::node::{Content, Node};
use overrule_domain::state::State;
use overrule_domain::thread::ROOT;
use overrule_domain::turn::Turn;
use overrule_model::wire::agent::{AgentMessage, AgentRequest, PartKind, Role};

/// A step of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// The agent has it.
    Known(Anchor),
    /// The operator's own words, which the agent does not have.
    Inserted(String),
}

/// A reply of the model or words of the agent's user, by what a request has of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Anchor {
    /// The numbers of calls.
    calls: Vec<u32>,
    /// The keys of texts of the model.
    texts: Vec<String>,
    /// Words of the agent's user.
    words: Option<String>,
}

impl Anchor {
    fn of(state: &State, turn: &Turn) -> Self {
        let mut anchor = Self::default();
        for node in turn.nodes.iter().filter_map(|id| state.nodes.get(id)) {
            let text = match node.revisions.first().map(|revision| &revision.content) {
                Some(Content::Text { text, .. }) if !text.is_empty() => Some(text),
                _ => None,
            };
            match (node.id.kind, text) {
                (NodeKind::Call, _) => anchor.calls.push(node.id.no),
                (NodeKind::Thought | NodeKind::Answer, Some(text)) => anchor.texts.push(text_key(text)),
                (NodeKind::Prompt, Some(text)) if node.is_from_agent() && **text != *AGAIN => {
                    anchor.words = Some(text.to_string());
                }
                _ => {}
            }
        }
        anchor
    }
}

/// True for words that the operator inserted.
pub(crate) fn is_inserted(node: &Node) -> bool {
    node.id.kind == NodeKind::Prompt && node.active && !node.is_from_agent() && !node.text().is_empty()
}

/// The steps of a conversation; none where the operator inserted nothing.
pub(super) fn steps(state: &State) -> Vec<Step> {
    let mut steps = Vec::new();
    for turn in state.turns_of(ROOT).filter(|turn| turn.is_active()) {
        let anchor = Anchor::of(state, turn);
        if anchor != Anchor::default() {
            steps.push(Step::Known(anchor));
        }
        let nodes = turn.nodes.iter().filter_map(|id| state.nodes.get(id));
        let own = nodes.filter(|node| is_inserted(node));
        steps.extend(own.map(|node| Step::Inserted(node.text().to_owned())));
    }
    if !steps.iter().any(|step| matches!(step, Step::Inserted(_))) {
        steps.clear();
    }
    steps
}

/// The words to insert, by the place of the message that follows them. Words after a step that the history lacks are left
/// out. `found` has the known calls by message.
pub(super) fn places(
    overlay: &Overlay,
    request: &AgentRequest,
    found: &[(usize, &Known)],
) -> BTreeMap<usize, Vec<String>> {
    let mut places: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    if overlay.steps.is_empty() {
        return places;
    }
    let messages = contents(overlay, request, found);
    let mut waiting: Vec<&String> = Vec::new();
    let mut end = messages.len();
    // From the end, as an agent forgets the beginning first. Each step is before the one after it.
    for step in overlay.steps.iter().rev() {
        let anchor = match step {
            Step::Inserted(text) => {
                waiting.push(text);
                continue;
            }
            Step::Known(anchor) => anchor,
        };
        let before = messages.get(..end).unwrap_or_default();
        if let Some(last) = before.iter().rposition(|message| message.is_of(anchor)) {
            end = last;
            let words = waiting.iter().rev().map(|text| (*text).clone());
            let at = after_results(&request.messages, last);
            places.entry(at).or_default().splice(0..0, words);
        }
        waiting.clear();
    }
    places.retain(|_, words| !words.is_empty());
    places
}

/// What a message of a request has.
#[derive(Default)]
struct MessageContent {
    calls: Vec<u32>,
    texts: Vec<String>,
    words: String,
}

impl MessageContent {
    fn is_of(&self, anchor: &Anchor) -> bool {
        self.calls.iter().any(|call| anchor.calls.contains(call))
            || self.texts.iter().any(|text| anchor.texts.contains(text))
            || anchor
                .words
                .as_ref()
                .is_some_and(|words| self.words.contains(words))
    }
}

fn contents(overlay: &Overlay, request: &AgentRequest, found: &[(usize, &Known)]) -> Vec<MessageContent> {
    let is_own = |known: &Known| overlay.calls.iter().any(|own| std::ptr::eq(own, known));
    let messages = request.messages.iter().map(|message| content(message));
    let mut messages: Vec<MessageContent> = messages.collect();
    for (at, known) in found.iter().filter(|(_, known)| is_own(known)) {
        if let Some(message) = messages.get_mut(*at) {
            message.calls.push(known.number);
        }
    }
    messages
}

fn content(message: &AgentMessage) -> MessageContent {
    let mut content = MessageContent::default();
    match message.role {
        Role::Assistant => {
            let texts = message.parts.iter().filter_map(|part| match &part.kind {
                PartKind::Text { text } | PartKind::Reasoning { text } => Some(text_key(text)),
                _ => None,
            });
            content.texts.extend(texts);
        }
        Role::User => content.words = message.texts().collect::<Vec<_>>().join("\n\n"),
        Role::System | Role::Tool => {}
    }
    content
}

/// The place after the results of the calls of a message.
fn after_results(messages: &[Arc<AgentMessage>], at: usize) -> usize {
    let is_result = |message: &&Arc<AgentMessage>| {
        let mut parts = message.parts.iter();
        parts.any(|part| matches!(part.kind, PartKind::Result { .. }))
    };
    let after = messages.get(at + 1..).unwrap_or_default();
    at + 1 + after.iter().take_while(is_result).count()
}
