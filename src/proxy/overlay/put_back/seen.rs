//! What the messages of a request have of the turns of a conversation.
//!
//! Must not know: what is put back.

use super::told::Told;
use crate::conversation;
use crate::overlay::Overlay;
use crate::overlay::applied::{History, KnownCalls};
use overrule_model::wire::agent::{AgentMessage, AgentRequest, PartKind, Role};

/// What a message of a request has.
pub(super) struct Seen<'r> {
    message: &'r AgentMessage,
    role: Role,
    /// The numbers of calls of the run.
    calls: Vec<u32>,
    /// Texts without reasoning.
    texts: Vec<&'r str>,
    words: String,
    pub(super) has_results: bool,
}

impl<'r> Seen<'r> {
    pub(super) fn all(
        overlay: &Overlay,
        request: &'r AgentRequest,
        (history, found): (&History<'_>, &KnownCalls<'_>),
    ) -> Vec<Self> {
        let messages = request.messages.iter();
        let mut all: Vec<Self> = messages
            .map(|message| Self {
                message,
                role: message.role,
                calls: Vec::new(),
                texts: message.texts().collect(),
                words: message.texts().collect::<Vec<_>>().join("\n\n"),
                has_results: message
                    .parts
                    .iter()
                    .any(|part| matches!(part.kind, PartKind::Result { .. })),
            })
            .collect();
        for (place, known) in found {
            let is_own = overlay.calls.iter().any(|own| std::ptr::eq(own, *known));
            let call = history.calls.get(*place).filter(|_| is_own);
            if let Some(seen) = call.and_then(|call| all.get_mut(call.at.0)) {
                seen.calls.push(known.number);
            }
        }
        all
    }

    pub(super) fn is_models(&self) -> bool {
        self.role == Role::Assistant
    }

    pub(super) fn has_hidden(&self, told: &Told) -> bool {
        told.hidden.iter().any(|call| self.calls.contains(&call.node.no))
    }

    pub(super) fn has_given(&self, told: &Told) -> bool {
        told.given.iter().any(|(number, _)| self.calls.contains(number))
    }

    /// True if it begins with what the model said in a turn.
    pub(super) fn begins_with(&self, told: &Told) -> bool {
        let begin = told.first_text();
        let begins = |begin: &str| self.texts.iter().any(|text| text.trim_start().starts_with(begin));
        self.is_models() && begin.is_some_and(begins)
    }

    /// True if it is of a turn. `before` is the one that this one continues: an agent may have the texts of both as one.
    pub(super) fn is_of(&self, told: &Told, before: Option<&Told>) -> bool {
        let joined = |text: &str| {
            let (begin, end) = (before.and_then(Told::first_text), told.last_text());
            begin.is_none_or(|begin| text.starts_with(begin)) && end.is_some_and(|end| text.ends_with(end))
        };
        let own = |text: &str| {
            let mut own = told.texts.iter().filter(|one| !one.reasoning);
            !text.is_empty() && own.any(|one| one.text.trim() == text)
        };
        // Some agents keep calls as text.
        let mut ids = told.given.iter().filter_map(|(_, id)| id.as_deref());
        let is_said = |text: &&str| {
            let text = text.trim();
            own(text) || before.is_some() && joined(text)
        };
        match self.role {
            Role::Assistant => {
                self.has_given(told)
                    || self.texts.iter().any(is_said)
                    || ids.any(|id| conversation::mentions(self.message, id))
            }
            Role::User => {
                let is_in = |words: &String| {
                    self.words.contains(words) || !self.words.is_empty() && words.contains(&self.words)
                };
                told.words.as_ref().is_some_and(is_in)
            }
            Role::System | Role::Tool => false,
        }
    }
}
