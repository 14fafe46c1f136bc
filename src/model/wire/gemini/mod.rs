//! Speaks the Gemini API (`streamGenerateContent`).
//!
//! Must not know: the graph, the journal, approvals, when to retry.

mod decode;
mod decode_request;
mod encode;
mod encode_stream;

use secrecy::ExposeSecret;

use super::agent::json::Json;
use super::agent::{AgentRequest, AgentSide, Frames, Part, PartEdit, ReplyHead, ReplyParts, RequestError};
use super::openai_chat::bearer;
use super::{ApiKey, Decoder, Format, KeyVariable, Target, refusal};
use crate::fault::Refusal;
use crate::{Quirk, Quirks, Request};

/// The format.
#[derive(Debug)]
pub struct Gemini;

/// Name of the format.
const NAME: &str = "gemini";

impl AgentSide for Gemini {
    fn reply_paths(&self) -> &'static [&'static str] {
        &[":streamGenerateContent", ":generateContent"]
    }

    fn decoder(&self) -> Option<Box<dyn Decoder>> {
        Some(Box::new(decode::GeminiDecoder::of_agent()))
    }

    fn history_paths(&self) -> &'static [&'static str] {
        &[":countTokens"]
    }

    fn is_streamed(&self, path: &str, _request: &AgentRequest) -> bool {
        // Without the parameter the reply is one list.
        path.contains(":streamGenerateContent") && path.contains("alt=sse")
    }

    fn stored_tools(&self) -> &'static [&'static str] {
        &["cachedContent", "cached_content"]
    }

    fn text_part(&self, text: &str) -> Option<(&'static str, String)> {
        Some(("parts", serde_json::json!({"text": text}).to_string()))
    }

    fn read(&self, body: Json<'_>) -> Result<AgentRequest, RequestError> {
        decode_request::read(body)
    }

    fn edit_part(&self, part: &Part, raw: &str, edit: &PartEdit) -> String {
        decode_request::edit_part(part, raw, edit)
    }

    fn frames(&self, head: ReplyHead) -> Box<dyn Frames> {
        Box::new(encode_stream::GeminiFrames::new(head))
    }

    fn whole(&self, head: &ReplyHead, reply: &ReplyParts) -> String {
        encode_stream::whole(head, reply)
    }
}

impl Format for Gemini {
    fn name(&self) -> &'static str {
        NAME
    }

    fn path(&self, target: Target<'_>) -> String {
        // A name may have its collection: `models/NAME`, `tunedModels/NAME`.
        let model = target.model;
        let collection = if model.contains('/') { "" } else { "models/" };
        format!("/v1beta/{collection}{model}:streamGenerateContent?alt=sse")
    }

    fn models_path(&self) -> &'static str {
        "/v1beta/models"
    }

    fn headers(&self, key: Option<&ApiKey>) -> Vec<(&'static str, String)> {
        match key {
            Some(key) if !key.is_token => vec![("x-goog-api-key", key.secret.expose_secret().to_owned())],
            key => bearer(key),
        }
    }

    fn body(&self, target: Target<'_>, request: &Request, quirks: &Quirks) -> String {
        encode::body(target, request, quirks)
    }

    fn members(&self, target: Target<'_>, _: &Request, _: &Quirks) -> Vec<String> {
        let asked = [
            (true, encode::SIGNATURE),
            (target.options.thinking.is_some(), encode::THINKING_CONFIG),
            (target.options.structured, encode::RESPONSE_SCHEMA),
        ];
        let asked = asked.into_iter().filter(|(is_set, _)| *is_set);
        asked.map(|(_, name)| name.to_owned()).collect()
    }

    fn quirks(&self, refusal: &Refusal, members: &[String]) -> Vec<Quirk> {
        let mut found = refusal::candidates(refusal, members);
        // The words name neither the member nor its place.
        let of_schema = ["response mime type", "responsemimetype", "response_mime_type"];
        for (name, words) in [
            (encode::THINKING_CONFIG, &["thinking"][..]),
            (encode::RESPONSE_SCHEMA, &of_schema),
        ] {
            let is_asked = members.iter().any(|member| member == name);
            if found.is_empty() && is_asked && refusal.mentions_any(words) {
                found.push(Quirk::LeaveOut(name.to_owned()));
            }
        }
        found
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(decode::GeminiDecoder::default())
    }

    fn agent_side(&self) -> &'static dyn AgentSide {
        &Gemini
    }

    fn key_env(&self) -> &'static [KeyVariable] {
        &[KeyVariable {
            name: "GEMINI_API_KEY",
            base_url: "GOOGLE_GEMINI_BASE_URL",
            is_token: false,
        }]
    }

    fn default_base(&self) -> &'static str {
        "https://generativelanguage.googleapis.com"
    }

    fn example_model(&self) -> Option<&'static str> {
        Some("gemini-2.5-flash")
    }

    fn model_prefixes(&self) -> &'static [&'static str] {
        &["gemini-", "models/gemini-"]
    }
}
