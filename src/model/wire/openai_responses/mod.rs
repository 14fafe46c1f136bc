//! Speaks OpenAI Responses.
//!
//! Must not know: the graph, the journal, approvals, when to retry.

mod decode;
mod decode_request;
mod encode;
mod encode_stream;
mod told;
mod typed;

pub use decode::{asks_client, is_named};

/// Returns true for a call whose arguments are any text, by what the provider added to it.
pub fn is_text_call(added: Option<&str>) -> bool {
    let added = super::opaque::of_call(NAME, added);
    added.is_some_and(|added| added.string("type").as_deref() == Some(decode::TEXT_CALL))
}

use super::agent::json::Json;
use super::agent::{AgentRequest, AgentSide, Frames, Part, PartEdit, ReplyHead, ReplyParts, RequestError};
use super::openai_chat::{BASE, KEY_ENV, bearer};
use super::{ApiKey, Decoder, Format, KeyVariable, Target, refusal};
use crate::fault::Refusal;
use crate::{Quirk, Quirks, Request};

/// The format.
#[derive(Debug)]
pub struct OpenAiResponses;

/// Name of the format.
const NAME: &str = "openai-responses";

impl AgentSide for OpenAiResponses {
    fn reply_paths(&self) -> &'static [&'static str] {
        &["/responses"]
    }

    fn history_paths(&self) -> &'static [&'static str] {
        &["/responses/compact", "/responses/input_tokens"]
    }

    /// A stored prompt has tools of its own.
    fn stored_tools(&self) -> &'static [&'static str] {
        &["prompt"]
    }

    fn keeps_history(&self) -> bool {
        true
    }

    fn user_message(&self, text: &str) -> String {
        let content = serde_json::json!([{"type": "input_text", "text": text}]);
        serde_json::json!({"type": "message", "role": "user", "content": content}).to_string()
    }

    fn text_part(&self, _text: &str) -> Option<(&'static str, String)> {
        None
    }

    fn read(&self, body: Json<'_>) -> Result<AgentRequest, RequestError> {
        decode_request::read(body)
    }

    fn decoder(&self) -> Option<Box<dyn Decoder>> {
        Some(Box::new(decode::ResponsesDecoder::of_agent()))
    }

    fn edit_part(&self, part: &Part, raw: &str, edit: &PartEdit) -> String {
        decode_request::edit_part(part, raw, edit)
    }

    fn frames(&self, head: ReplyHead) -> Box<dyn Frames> {
        Box::new(encode_stream::ResponsesFrames::new(head))
    }

    fn whole(&self, head: &ReplyHead, reply: &ReplyParts) -> String {
        encode_stream::whole(head, reply)
    }
}

impl Format for OpenAiResponses {
    fn name(&self) -> &'static str {
        NAME
    }

    fn path(&self, _: Target<'_>) -> String {
        "/responses".to_owned()
    }

    fn headers(&self, key: Option<&ApiKey>) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    fn body(&self, target: Target<'_>, request: &Request, quirks: &Quirks) -> String {
        encode::body(target, request, quirks)
    }

    fn members(&self, target: Target<'_>, request: &Request, quirks: &Quirks) -> Vec<String> {
        encode::members(target, request, quirks)
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(decode::ResponsesDecoder::default())
    }

    fn quirks(&self, refusal: &Refusal, members: &[String]) -> Vec<Quirk> {
        let mut found = refusal::candidates(refusal, members);
        // Reasoning of another model or account cannot be read.
        let encrypted = refusal.mentions_any(&["encrypted content", "encrypted_content"]);
        if encrypted && refusal.mentions_any(&["verified", "decrypt", "invalid_encrypted"]) {
            found.insert(0, Quirk::LeaveOut(encode::REASONING.to_owned()));
        }
        // A thought that nothing of its message follows is not sent; some servers miss another item.
        if refusal.mentions("reasoning") && refusal.mentions("required following item") {
            found.insert(0, Quirk::LeaveOut(encode::REASONING.to_owned()));
        }
        let is_asked = members.iter().any(|name| name == encode::EFFORT);
        if found.is_empty() && is_asked && refusal.mentions_any(&["reasoning", "effort"]) {
            found.push(Quirk::LeaveOut(encode::EFFORT.to_owned()));
        }
        found
    }

    fn agent_side(&self) -> &'static dyn AgentSide {
        &OpenAiResponses
    }

    fn key_env(&self) -> &'static [KeyVariable] {
        KEY_ENV
    }

    fn default_base(&self) -> &'static str {
        BASE
    }
}
