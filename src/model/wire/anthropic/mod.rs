//! Speaks Anthropic Messages.
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
pub struct Anthropic;

/// Name of the format.
const NAME: &str = "anthropic";

impl AgentSide for Anthropic {
    fn reply_paths(&self) -> &'static [&'static str] {
        &["/messages"]
    }

    fn history_paths(&self) -> &'static [&'static str] {
        &["/messages/count_tokens"]
    }

    fn read(&self, body: Json<'_>) -> Result<AgentRequest, RequestError> {
        decode_request::read(body)
    }

    fn edit_part(&self, part: &Part, raw: &str, edit: &PartEdit) -> String {
        decode_request::edit_part(part, raw, edit)
    }

    fn frames(&self, head: ReplyHead) -> Box<dyn Frames> {
        Box::new(encode_stream::MessagesFrames::new(head))
    }

    fn whole(&self, head: &ReplyHead, reply: &ReplyParts) -> String {
        encode_stream::whole(head, reply)
    }
}

impl Format for Anthropic {
    fn name(&self) -> &'static str {
        NAME
    }

    fn path(&self, _: Target<'_>) -> String {
        "/v1/messages".to_owned()
    }

    fn models_path(&self) -> &'static str {
        "/v1/models"
    }

    fn headers(&self, key: Option<&ApiKey>) -> Vec<(&'static str, String)> {
        let mut headers = match key {
            Some(key) if !key.is_token => vec![("x-api-key", key.secret.expose_secret().to_owned())],
            key => bearer(key),
        };
        headers.push(("anthropic-version", "2023-06-01".to_owned()));
        headers
    }

    fn body(&self, target: Target<'_>, request: &Request, quirks: &Quirks) -> String {
        encode::body(target, request, quirks)
    }

    fn members(&self, target: Target<'_>, request: &Request, _: &Quirks) -> Vec<String> {
        encode::members(target.options, request)
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(decode::MessagesDecoder::default())
    }

    fn quirks(&self, refusal: &Refusal, members: &[String]) -> Vec<Quirk> {
        let mut found = refusal::candidates(refusal, members);
        // A signature of another provider: the reasoning is left out with it.
        if refusal.mentions("signature") && refusal.mentions("thinking") && refusal.mentions("invalid") {
            found.insert(0, Quirk::LeaveOut(encode::THINKING.to_owned()));
        }
        // A message that ends in a thought is not sent; some servers see one where another follows.
        if refusal.mentions("final block") && refusal.mentions("thinking") {
            found.insert(0, Quirk::LeaveOut(encode::THINKING.to_owned()));
        }
        // The program's own limit is too high for a model.
        let is_known = found.iter().any(|quirk| matches!(quirk, Quirk::MaxOutput(_)));
        if !is_known && refusal.mentions("max_tokens") && refusal.mentions("maximum allowed") {
            found.insert(0, Quirk::LeaveOut(encode::MAX_TOKENS.to_owned()));
        }
        // Newer models choose themselves how much they think.
        let is_asked = members.iter().any(|name| name == encode::THINKING_TYPE);
        if is_asked && refusal.mentions("thinking") && !refusal.mentions("signature") {
            if refusal.mentions("adaptive") {
                found.insert(0, Quirk::AdaptiveThinking);
            }
            found.push(Quirk::LeaveOut(encode::THINKING_TYPE.to_owned()));
        }
        found
    }

    fn agent_side(&self) -> &'static dyn AgentSide {
        &Anthropic
    }

    fn key_env(&self) -> &'static [KeyVariable] {
        const fn variable(name: &'static str, is_token: bool) -> KeyVariable {
            let base_url = "ANTHROPIC_BASE_URL";
            KeyVariable {
                name,
                base_url,
                is_token,
            }
        }
        &const {
            [
                variable("ANTHROPIC_API_KEY", false),
                variable("ANTHROPIC_AUTH_TOKEN", true),
            ]
        }
    }

    /// <https://docs.claude.com/en/docs/build-with-claude/prompt-caching#pricing>
    fn cache_writes(&self) -> Option<(u64, u64)> {
        Some((125, 200))
    }

    fn default_base(&self) -> &'static str {
        "https://api.anthropic.com"
    }

    fn example_model(&self) -> Option<&'static str> {
        Some("claude-sonnet-4-5")
    }

    fn model_prefixes(&self) -> &'static [&'static str] {
        &["claude-"]
    }
}
