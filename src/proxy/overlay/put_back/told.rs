//! What was said in one turn of a conversation, and which calls of it the agent may lack.
//!
//! Must not know: what an agent sends.

use std::sync::Arc;

use crate::conversation::AGAIN;
use crate::overlay::{is_refused, mask};
use overrule_domain::id::NodeKind;
use overrule_domain::node::{Channel, Content, Node};
use overrule_domain::state::State;
use overrule_domain::transcript::{CalledAs, ModelText};
use overrule_domain::turn::Turn;
use overrule_model::frame;

/// What was said in one turn of a conversation.
#[derive(Debug, Clone, Default)]
pub(in crate::overlay) struct Told {
    /// The numbers of the calls that the agent may have, with their ids.
    pub(super) given: Vec<(u32, Option<Arc<str>>)>,
    /// The calls that the agent may lack, under the names of their masks.
    pub(super) hidden: Vec<CalledAs>,
    /// What the model said, as it came.
    pub(super) texts: Vec<ModelText>,
    /// What the agent's user said.
    pub(super) words: Option<String>,
    /// True if the agent asked with nothing new, such as after it shortened its history.
    pub(super) is_asked_again: bool,
}

impl Told {
    pub(super) fn of(state: &State, turn: &Turn) -> Self {
        let mut told = Self::default();
        for node in turn.nodes.iter().filter_map(|id| state.nodes.get(id)) {
            told.take(state, turn, node);
        }
        // Nothing of it is anywhere.
        if !turn.is_active() && told.first_text().is_none() {
            told.hidden.clear();
        }
        told
    }

    fn take(&mut self, state: &State, turn: &Turn, node: &Node) {
        let first = node.revisions.first().map(|revision| &revision.content);
        if let Some(call) = state.calls.get(&node.id) {
            if !is_refused(state, call) {
                return self.given.push((node.id.no, call.provider_id.clone()));
            }
            let own = turn.more.opaque.iter().find(|(id, _)| *id == node.id);
            let wire_id = call.provider_id.clone().filter(|id| !id.is_empty());
            return self.hidden.push(CalledAs {
                node: node.id,
                wire_id: wire_id.unwrap_or_else(|| format!("call_{}", node.id).into()),
                tool: mask(state, node.id).into(),
                args: "{}".into(),
                opaque: own.map(|(_, opaque)| opaque.clone()),
            });
        }
        let Some(Content::Text {
            text,
            channel,
            opaque,
        }) = first
        else {
            return;
        };
        match node.id.kind {
            NodeKind::Thought | NodeKind::Answer => self.texts.push(ModelText {
                node: node.id,
                text: text.clone(),
                reasoning: *channel == Channel::Reasoning,
                opaque: opaque.clone(),
                by_operator: false,
            }),
            NodeKind::Prompt if node.is_from_agent() && **text == *AGAIN => self.is_asked_again = true,
            NodeKind::Prompt if node.is_from_agent() && !text.is_empty() => {
                self.words = Some(text.to_string());
            }
            _ => {}
        }
    }

    /// True if the agent has no call of it.
    pub(super) fn is_continued(&self) -> bool {
        !self.hidden.is_empty() && self.given.is_empty()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.given.is_empty()
            && self.hidden.is_empty()
            && self.texts.is_empty()
            && self.words.is_none()
            && !self.is_asked_again
    }

    /// What identifies the provider's own blocks in it.
    pub(super) fn marks(&self) -> impl Iterator<Item = String> {
        self.texts.iter().flat_map(|text| marks(text.opaque.as_deref()))
    }

    pub(super) fn first_text(&self) -> Option<&str> {
        let mut texts = self.texts.iter().filter(|text| !text.reasoning);
        texts.find_map(|text| Some(text.text.trim()).filter(|text| !text.is_empty()))
    }

    pub(super) fn last_text(&self) -> Option<&str> {
        let mut texts = self.texts.iter().rev().filter(|text| !text.reasoning);
        texts.find_map(|text| Some(text.text.trim()).filter(|text| !text.is_empty()))
    }
}

/// What identifies the provider's own blocks in this list: ids and signatures.
pub(super) fn marks(opaque: Option<&str>) -> Vec<String> {
    const MARKS: [&str; 4] = ["id", "signature", "encrypted_content", "data"];
    let blocks = opaque.map(frame::array).unwrap_or_default().into_iter();
    let inner = blocks.filter_map(|block| Some(frame::Object::read(block)?.entries().next()?.1));
    let marks = inner.flat_map(|raw| MARKS.iter().filter_map(move |key| frame::member(raw, key)));
    let marks = marks.filter(|mark| mark.len() > 2 && *mark != "null");
    marks.map(str::to_owned).collect()
}
