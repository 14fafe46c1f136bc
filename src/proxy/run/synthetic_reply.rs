//! Writes replies that no model sent: the recorded one of a turn, and the one that tells an agent that its run was stopped.
//!
//! Must not know: when such a reply is due.

use std::collections::BTreeSet;

use hyper::header::HeaderMap;

use super::incoming::Pending;
use crate::events::Form;
use crate::reading::{ReadEvent, read_all};
use overrule_base::text::visible_head;
use overrule_domain::id::TurnId;
use overrule_domain::node::{Channel, Content};
use overrule_domain::state::State;
use overrule_domain::turn::{Stop, Usage};
use overrule_model::Chunk;
use overrule_model::wire::agent::{ReplyHead, encode_stream, encode_whole};
use overrule_model::wire::openai_responses::is_text_call;

/// Maximum characters of a reason.
const MAX_REASON: usize = 200;

/// The reply of a turn as chunks, made of what is recorded; of its text only `with_text`.
pub(super) fn recorded(state: &State, turn: TurnId, texts: &BTreeSet<String>, with_text: bool) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let Some(turn) = state.turns.get(&turn) else {
        return chunks;
    };
    let nodes = turn.nodes.iter().filter_map(|id| state.nodes.get(id));
    for (node, part) in nodes.zip(0..) {
        let opaque = turn.more.opaque.iter().find(|(id, _)| *id == node.id);
        match node.revisions.first().map(|revision| &revision.content) {
            Some(Content::Text {
                text,
                channel,
                opaque,
            }) if with_text => {
                let delta = text.to_string();
                chunks.push(if *channel == Channel::Reasoning {
                    Chunk::Reasoning { part, delta }
                } else {
                    Chunk::Text { part, delta }
                });
                let opaque = opaque.as_ref().map(ToString::to_string);
                chunks.push(Chunk::Sealed { part, opaque });
            }
            Some(Content::Call { tool, args, .. }) => {
                let call = state.calls.get(&node.id);
                let id = call
                    .and_then(|call| call.provider_id.as_ref())
                    .map(ToString::to_string);
                let name = tool.to_string();
                let opaque = opaque.map(|(_, opaque)| opaque.to_string());
                let delta = if texts.contains(&name) && is_text_call(opaque.as_deref()) {
                    input(args)
                } else {
                    args.to_string()
                };
                chunks.push(Chunk::Call { part, id, name });
                chunks.push(Chunk::Args { part, delta });
                chunks.push(Chunk::Sealed { part, opaque });
            }
            _ => {}
        }
    }
    chunks.push(Chunk::Usage(counted(turn.usage)));
    chunks.push(Chunk::Finish(Stop::Calls));
    chunks
}

/// What a reply cost. Some programs end where a reply does not say it.
fn counted(usage: Usage) -> Usage {
    Usage {
        input: usage.input.or(Some(0)),
        output: usage.output.or(Some(0)),
        ..usage
    }
}

/// The text of a call that takes any text.
fn input(args: &str) -> String {
    let args = serde_json::from_str::<serde_json::Value>(args).unwrap_or_default();
    args["input"].as_str().unwrap_or_default().to_owned()
}

/// The text for an agent whose run has ended.
pub(super) const ENDED: &str = "overrule: this run has ended";

/// The text for an agent whose run was stopped.
pub(super) fn stopped(why: &str) -> String {
    format!(
        "overrule: this run was stopped ({})",
        visible_head(why, MAX_REASON)
    )
}

/// A reply of these words alone.
pub(super) fn text(words: &str) -> Vec<Chunk> {
    let delta = words.to_owned();
    vec![
        Chunk::Text { part: 0, delta },
        Chunk::Sealed {
            part: 0,
            opaque: None,
        },
        Chunk::Usage(counted(Usage::default())),
        Chunk::Finish(Stop::End),
    ]
}

/// The head of a reply that no model sent.
pub(super) fn head() -> ReplyHead {
    ReplyHead {
        id: "overrule".to_owned(),
        model: String::new(),
        created: 0,
    }
}

/// The body of a reply that is made here.
fn body(pending: &Pending, chunks: &[Chunk], head: ReplyHead) -> (Form, String) {
    let (wire, form) = (pending.incoming.wire, pending.incoming.form());
    let body = match form {
        Form::Whole => encode_whole(wire, &head, chunks),
        Form::Stream | Form::Lines => encode_stream(wire, head, chunks),
    };
    (form, body)
}

/// The type of the body of a reply.
pub(super) fn content_type(form: Form) -> HeaderMap {
    let kind = match form {
        Form::Stream => "text/event-stream",
        Form::Lines => "application/x-ndjson",
        Form::Whole => "application/json",
    };
    let mut headers = HeaderMap::new();
    headers.insert(
        hyper::header::CONTENT_TYPE,
        hyper::header::HeaderValue::from_static(kind),
    );
    headers
}

impl Pending {
    /// Answers with these words as those of the model: the agent ends its turn.
    pub(super) fn answer_with_text(self, words: &str) {
        let (form, body) = body(&self, &text(words), head());
        self.connection
            .end_with_text((self.incoming.wire, form), words, &body);
    }
}

/// The events of a reply that is made of what is recorded.
pub(super) fn events(pending: &Pending, chunks: &[Chunk], head: ReplyHead) -> (Form, Vec<ReadEvent>) {
    let (form, body) = body(pending, chunks, head);
    let (events, _) = read_all(pending.incoming.wire, form, body.as_bytes());
    (form, events)
}
