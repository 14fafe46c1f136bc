//! Speaks OpenAI Chat Completions.
//!
//! Must not know: the graph, the journal, approvals, when to retry.

pub mod decode;
pub(super) mod decode_request;
pub mod encode;
mod encode_stream;
mod known;
mod reshape;

use secrecy::ExposeSecret;

use super::agent::json::Json;
use super::agent::{AgentRequest, AgentSide, Frames, Part, PartEdit, ReplyHead, ReplyParts, RequestError};
use super::{ApiKey, Decoder, Format, KeyVariable, Target};
use crate::{Quirks, Request};

/// The format.
#[derive(Debug)]
pub struct OpenAiChat;

/// Variables of the provider, which has two formats.
pub const KEY_ENV: &[KeyVariable] = &[KeyVariable {
    name: "OPENAI_API_KEY",
    base_url: "OPENAI_BASE_URL",
    is_token: false,
}];
/// Base URL of the provider.
pub const BASE: &str = "https://api.openai.com/v1";

/// The headers of servers that take a key as a token.
pub(super) fn bearer(key: Option<&ApiKey>) -> Vec<(&'static str, String)> {
    key.map(|key| ("authorization", format!("Bearer {}", key.secret.expose_secret())))
        .into_iter()
        .collect()
}

impl AgentSide for OpenAiChat {
    fn reply_paths(&self) -> &'static [&'static str] {
        &["/chat/completions"]
    }

    fn decoder(&self) -> Option<Box<dyn Decoder>> {
        Some(Box::new(decode::ChatDecoder::of_agent()))
    }

    fn read(&self, body: Json<'_>) -> Result<AgentRequest, RequestError> {
        decode_request::read(body)
    }

    fn edit_part(&self, part: &Part, raw: &str, edit: &PartEdit) -> String {
        decode_request::edit_part(part, raw, edit)
    }

    fn completed(&self, message: String) -> String {
        decode_request::completed(message)
    }

    fn frames(&self, head: ReplyHead) -> Box<dyn Frames> {
        Box::new(encode_stream::ChatFrames::new(head))
    }

    fn whole(&self, head: &ReplyHead, reply: &ReplyParts) -> String {
        encode_stream::whole(head, reply)
    }
}

impl Format for OpenAiChat {
    fn name(&self) -> &'static str {
        "openai-chat"
    }

    fn path(&self, _: Target<'_>) -> String {
        "/chat/completions".to_owned()
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
        Box::new(decode::ChatDecoder::default())
    }

    fn agent_side(&self) -> &'static dyn AgentSide {
        &OpenAiChat
    }

    fn key_env(&self) -> &'static [KeyVariable] {
        KEY_ENV
    }

    fn default_base(&self) -> &'static str {
        BASE
    }

    fn example_model(&self) -> Option<&'static str> {
        Some("gpt-4.1-mini")
    }

    fn ollama_path(&self) -> Option<&'static str> {
        Some("/v1")
    }
}
