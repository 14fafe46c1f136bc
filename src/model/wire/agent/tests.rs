//! Tests that hold for the agent's side of every format.
//!
//! Must not know: the frames of a format.

mod common_part;
mod matrix;
mod refusing;
mod rewriting;
mod streams;
mod unchanged;

use super::{AgentRequest, PartKind, decode_request};
use crate::wire::Wire;

/// The requests of agents, with the format of each.
pub(super) const REQUESTS: &[(&str, &str)] = &[
    (
        "anthropic",
        include_str!("../../../../tests/seeds/requests/anthropic/claude_code.json"),
    ),
    (
        "anthropic",
        include_str!("../../../../tests/seeds/requests/anthropic/plain.json"),
    ),
    (
        "openai-responses",
        include_str!("../../../../tests/seeds/requests/openai-responses/codex.json"),
    ),
    (
        "openai-responses",
        include_str!("../../../../tests/seeds/requests/openai-responses/text.json"),
    ),
    (
        "openai-chat",
        include_str!("../../../../tests/seeds/requests/openai-chat/opencode.json"),
    ),
    (
        "openai-chat",
        include_str!("../../../../tests/seeds/requests/openai-chat/qwen_code.json"),
    ),
    (
        "gemini",
        include_str!("../../../../tests/seeds/requests/gemini/gemini_cli.json"),
    ),
    (
        "ollama",
        include_str!("../../../../tests/seeds/requests/ollama/agent.json"),
    ),
];

/// Reads a request.
#[track_caller]
pub(super) fn read(wire: &str, body: &str) -> AgentRequest {
    decode_request(Wire::named(wire).unwrap(), body.as_bytes()).unwrap()
}

/// All requests of agents.
pub(super) fn all() -> impl Iterator<Item = AgentRequest> {
    REQUESTS.iter().map(|(wire, body)| read(wire, body))
}

/// The kinds of all parts with their places: the numbers of message and part.
pub(super) fn parts(request: &AgentRequest) -> Vec<((usize, usize), PartKind)> {
    let messages = request.messages.iter().enumerate();
    let parts = messages.flat_map(|(message, one)| {
        let parts = one.parts.iter().enumerate();
        parts.map(move |(part, one)| ((message, part), one.kind.clone()))
    });
    parts.collect()
}
