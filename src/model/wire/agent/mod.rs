//! Speaks a format from the other side: reads an agent's request, writes the reply that it gets.
//!
//! Must not know: sockets, headers, what a supervisor decides.
//!
//! - [`decode_request`] reads a body into messages and parts. Each part has its place in the body. [`decode_after`] does not
//!   read again what an earlier request had.
//! - [`Rewrite`] replaces parts and messages of a body. Every other byte stays.
//! - [`AgentRequest::neutral`] makes the request that another format can encode.
//! - [`StreamEncoder`] and [`encode_whole`] write the chunks of a reply, streamed or as one JSON text.

mod body;
mod common_part;
mod error;
pub mod image;
pub mod json;
mod neutral;
mod reply;
mod request;
mod rewrite;
mod stream;
mod view;

#[cfg(test)]
mod tests;

pub use body::Body;
pub use common_part::CommonPart;
pub use error::RequestError;
pub use reply::{CallPart, ReplyPart, ReplyParts, Words};
pub use request::{AgentMessage, AgentRequest, AgentTool, CallForm, Part, PartKind, Place, Role};
pub use rewrite::{PartEdit, Rewrite};
pub use stream::{Frames, ReplyHead, StreamEncoder};

use bytes::Bytes;

use super::{Decoder, Wire};
use crate::Chunk;

/// The side of a format that an agent sees. Every function is pure.
pub trait AgentSide: Sync {
    /// Returns the ends of the paths of requests for a reply.
    fn reply_paths(&self) -> &'static [&'static str];

    /// Returns the ends of the paths of requests that have a history and ask for no reply, such as one that counts
    /// tokens or shortens the history.
    fn history_paths(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns true where a streamed reply is asked for.
    fn is_streamed(&self, _path: &str, request: &AgentRequest) -> bool {
        request.stream == Some(true)
    }

    /// Returns the members of a request that stand for tools which an agent stored at the model's server before.
    fn stored_tools(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns true if the model's server can keep the history of a conversation.
    fn keeps_history(&self) -> bool {
        false
    }

    /// Returns the JSON text of a message of the user.
    fn user_message(&self, text: &str) -> String {
        match self.text_part(text) {
            Some((key, part)) if key != "content" => format!(r#"{{"role":"user","{key}":[{part}]}}"#),
            _ => serde_json::json!({"role": "user", "content": text}).to_string(),
        }
    }

    /// Returns the member of a message of the user that has its parts, and a part with this text. None where a message
    /// of the user has only its own text.
    fn text_part(&self, text: &str) -> Option<(&'static str, String)> {
        Some((
            "content",
            serde_json::json!({"type": "text", "text": text}).to_string(),
        ))
    }

    /// Reads the body of a request.
    fn read(&self, body: json::Json<'_>) -> Result<AgentRequest, RequestError>;

    /// Returns a decoder of a reply to an agent, where that is another one than for a run.
    fn decoder(&self) -> Option<Box<dyn Decoder>> {
        None
    }

    /// Returns the JSON text of a part after an edit. [`PartEdit::Remove`] is not passed here.
    fn edit_part(&self, part: &Part, raw: &str, edit: &PartEdit) -> String;

    /// Returns a message after a part of it was removed, as far as the format needs something in its place.
    fn completed(&self, message: String) -> String {
        message
    }

    /// Returns a writer of the frames of one reply.
    fn frames(&self, head: ReplyHead) -> Box<dyn Frames>;

    /// Returns a whole reply as one JSON text.
    fn whole(&self, head: &ReplyHead, reply: &ReplyParts) -> String;
}

/// Reads the body of an agent's request.
pub fn decode_request(wire: Wire, body: &[u8]) -> Result<AgentRequest, RequestError> {
    decode_bytes(wire, Bytes::copy_from_slice(body))
}

/// The same of bytes that the request keeps.
pub fn decode_bytes(wire: Wire, body: Bytes) -> Result<AgentRequest, RequestError> {
    common_part::decode(wire, body, None)
}

/// Reads the body of an agent's request after the part that an earlier one has.
pub fn decode_after(part: &CommonPart<'_>, body: Bytes) -> Result<AgentRequest, RequestError> {
    let wire = part.wire();
    // The whole body tells the true place of an error.
    common_part::decode(wire, body.clone(), Some(part)).or_else(|_| decode_bytes(wire, body))
}

/// Returns the bytes of a streamed reply with these chunks.
pub fn encode_stream(wire: Wire, head: ReplyHead, chunks: &[Chunk]) -> String {
    let mut encoder = StreamEncoder::new(wire, head);
    chunks.iter().map(|chunk| encoder.chunk(chunk)).collect()
}

/// Returns a whole reply with these chunks as one JSON text.
pub fn encode_whole(wire: Wire, head: &ReplyHead, chunks: &[Chunk]) -> String {
    wire.agent_side().whole(head, &ReplyParts::of(chunks))
}
