//! Speaks Ollama's own format (`/api/chat`).
//!
//! Must not know: the graph, the journal, approvals, when to retry.

mod decode;
mod decode_request;
mod encode;
mod encode_stream;

use super::agent::json::Json;
use super::agent::{AgentRequest, AgentSide, Frames, Part, PartEdit, ReplyHead, ReplyParts, RequestError};
use super::openai_chat::bearer;
use super::{ApiKey, Decoder, Format, KeyVariable, Target, refusal};
use crate::fault::Refusal;
use crate::{Quirk, Quirks, Request};

/// The format.
#[derive(Debug)]
pub struct Ollama;

/// Name of the format.
const NAME: &str = "ollama";

impl AgentSide for Ollama {
    fn reply_paths(&self) -> &'static [&'static str] {
        &["/api/chat"]
    }

    /// It streams unless the request turns that off.
    fn is_streamed(&self, _path: &str, request: &AgentRequest) -> bool {
        request.stream != Some(false)
    }

    fn read(&self, body: Json<'_>) -> Result<AgentRequest, RequestError> {
        decode_request::read(body)
    }

    fn edit_part(&self, part: &Part, raw: &str, edit: &PartEdit) -> String {
        decode_request::edit_part(part, raw, edit)
    }

    fn frames(&self, head: ReplyHead) -> Box<dyn Frames> {
        Box::new(encode_stream::OllamaFrames::new(head))
    }

    fn whole(&self, head: &ReplyHead, reply: &ReplyParts) -> String {
        encode_stream::whole(head, reply)
    }
}

impl Format for Ollama {
    fn name(&self) -> &'static str {
        NAME
    }

    fn path(&self, _: Target<'_>) -> String {
        "/api/chat".to_owned()
    }

    fn models_path(&self) -> &'static str {
        "/api/tags"
    }

    fn headers(&self, key: Option<&ApiKey>) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    fn body(&self, target: Target<'_>, request: &Request, quirks: &Quirks) -> String {
        encode::body(target, request, quirks)
    }

    fn members(&self, target: Target<'_>, _: &Request, _: &Quirks) -> Vec<String> {
        let think = target.options.thinking.map(|_| encode::THINK);
        let names = ["stream", encode::THINKING].into_iter().chain(think);
        names.map(str::to_owned).collect()
    }

    fn quirks(&self, refusal: &Refusal, members: &[String]) -> Vec<Quirk> {
        let mut found = refusal::candidates(refusal, members);
        // "MODEL does not support thinking": the member has another name.
        if members.iter().any(|name| name == encode::THINK) && refusal.mentions("think") {
            found.insert(0, Quirk::LeaveOut(encode::THINK.to_owned()));
        }
        found
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(decode::OllamaDecoder::default())
    }

    fn is_lines(&self) -> bool {
        true
    }

    fn agent_side(&self) -> &'static dyn AgentSide {
        &Ollama
    }

    fn key_env(&self) -> &'static [KeyVariable] {
        &[]
    }

    fn default_base(&self) -> &'static str {
        "http://127.0.0.1:11434"
    }

    fn ollama_path(&self) -> Option<&'static str> {
        Some("")
    }
}
