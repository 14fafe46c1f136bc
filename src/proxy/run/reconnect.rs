//! Recognises an agent that comes back after its connection was lost, and the reply that it comes back for.
//!
//! Must not know: formats, how a decision is made.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::incoming::Pending;
use super::reply::calls_of;
use super::request::newest;
use super::state::RunState;
use crate::conversation::{self, Tail};
use crate::overlay::was_released;
use overrule_domain::call::{EffectClass, Status};
use overrule_domain::id::{NodeId, NodeKind, TurnId};
use overrule_domain::node::Node;
use overrule_domain::state::State;
use overrule_domain::turn::Stream;
use overrule_model::wire::agent::{AgentMessage, Part, PartKind, Role};

/// A reply that an agent comes back for.
pub(super) struct Retransmission {
    /// Its turn.
    pub(super) turn: TurnId,
    /// True if the agent lacks its text too.
    pub(super) with_text: bool,
}

/// What the user of the agent wrote last.
pub(super) fn last_words(state: &State) -> Option<&str> {
    let prompts = state.nodes.values().rev();
    let prompts =
        prompts.filter(|node| node.id.kind == NodeKind::Prompt && node.active && node.is_from_agent());
    prompts.map(Node::text).find(|text| *text != conversation::AGAIN)
}

/// True if the agent may have executed a call of a turn that changes something.
pub(super) fn has_acted(state: &State, delivered: &BTreeSet<NodeId>, turn: TurnId) -> bool {
    let calls = calls_of(state, turn).into_iter();
    let mut calls = calls.filter(|call| call.effect > EffectClass::Read && was_released(call));
    calls.any(|call| delivered.contains(&call.id) || matches!(call.status, Status::OutcomeUnknown(_)))
}

/// The messages after the one in which the agent's user wrote these words.
fn after_words<'m>(messages: &'m [Arc<AgentMessage>], words: &str) -> Option<&'m [Arc<AgentMessage>]> {
    let is_it = |message: &Arc<AgentMessage>| {
        let texts: Vec<&str> = message.texts().collect();
        message.role == Role::User && texts.join("\n\n").contains(words)
    };
    let at = messages.iter().rposition(is_it)?;
    messages.get(at..)
}

/// The texts of the model in these messages.
fn shown(messages: &[Arc<AgentMessage>]) -> impl Iterator<Item = &str> {
    let shown = messages.iter().filter(|message| message.role == Role::Assistant);
    let texts = shown.flat_map(|message| message.texts());
    texts.filter(|text| !text.is_empty() && !conversation::is_no_reply(text))
}

/// True if a text of a turn begins so.
fn is_written(state: &State, turn: TurnId, text: &str) -> bool {
    let nodes = state.turns.get(&turn).map_or(&[][..], |turn| &turn.nodes);
    let texts = nodes.iter().filter(|id| id.kind != NodeKind::Call);
    let mut texts = texts.filter_map(|id| state.nodes.get(id));
    texts.any(|node| node.text().starts_with(text.trim_end()))
}

impl RunState {
    /// True once this process took in a request of the conversation.
    fn has_messages(&self) -> bool {
        self.history.messages.messages() > 0
    }

    /// True for a request that was taken in before, also by an earlier process.
    pub(super) fn is_known(&self, pending: &Pending, tail: &Tail) -> bool {
        if self.has_messages() {
            return self.history.messages.repeats(pending.history());
        }
        let is_same = tail.words.is_empty() || last_words(&self.state) == Some(tail.words.as_str());
        !self.state.turns.is_empty() && is_same && !tail.results.iter().any(|result| self.is_awaited(result))
    }

    /// The reply that an agent comes back for after its connection was lost: it sends the same request again, or the same
    /// with the text that it got and one more message of its own. New words of its user, or an interruption, are a no to the
    /// calls that wait. A call that the agent may have executed does not come again: the model is asked instead.
    pub(super) fn retransmission(&self, pending: &Pending, tail: &Tail) -> Option<Retransmission> {
        let turn = newest(&self.state)?;
        let calls = calls_of(&self.state, turn);
        let is_due = self.unwritten == Some(turn) || calls.iter().any(|call| !call.status.is_settled());
        let is_whole = matches!(self.state.turns.get(&turn)?.stream, Stream::Closed(_));
        let messages = &pending.incoming.request.messages;
        let has_call = |part: &Part| {
            let PartKind::Call { id: Some(id), .. } = &part.kind else {
                return false;
            };
            let mut same = calls.iter().filter_map(|call| call.provider_id.as_deref());
            same.any(|of| of == id.as_str())
        };
        // They are near the end.
        let has_them = || {
            messages
                .iter()
                .rev()
                .flat_map(|message| &message.parts)
                .any(has_call)
        };
        if !is_due
            || !is_whole
            || tail.results.iter().any(|one| self.is_awaited(one))
            || has_acted(&self.state, &self.delivered, turn)
            || has_them()
        {
            return None;
        }
        let found = |with_text| Retransmission { turn, with_text };
        if self.is_known(pending, tail) {
            // With what it writes by itself after a cut, an agent may show the text that it got.
            let last = last_words(&self.state).filter(|_| !self.has_messages());
            let after = last.and_then(|last| after_words(messages, last));
            let shows = shown(after.unwrap_or_default()).any(|text| is_written(&self.state, turn, text));
            return Some(found(!shows));
        }
        if tail.is_interrupted || self.with_agent.keys().any(|call| self.delivered.contains(call)) {
            return None;
        }
        let (from, words) = if self.has_messages() {
            let before = &self.history.messages;
            let is_continued = pending.history().continues(before);
            let new = messages.get(before.messages()..).filter(|_| is_continued)?;
            (new, tail.words.as_str())
        } else {
            let last = last_words(&self.state)?;
            let words = tail.words.strip_prefix(last).unwrap_or(&tail.words).trim();
            (after_words(messages, last)?, words)
        };
        if !words.is_empty() {
            return None;
        }
        let shown: Vec<&str> = shown(from).collect();
        let has_text = !shown.is_empty();
        let own = from.iter().filter(|message| message.role == Role::User).count();
        let is_after_restart = !self.has_messages();
        let all_own = shown.into_iter().all(|text| is_written(&self.state, turn, text));
        (all_own && (is_after_restart || own == 1 && has_text)).then(|| found(!has_text))
    }
}
