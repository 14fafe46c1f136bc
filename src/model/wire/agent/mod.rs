//! Reads a format from the other side: an agent's request, and what it becomes after an edit.
//!
//! Must not know: sockets, headers, what a supervisor decides.
//!
//! - [`decode_request`] reads a body into messages and parts. Each part has its place in the body.
//! - [`Rewrite`] replaces parts and messages of a body. Every other byte stays.
//! - [`AgentRequest::neutral`] makes the request that another format can encode.

mod error;
pub(super) mod json;
mod neutral;
mod request;
mod rewrite;
mod view;

#[cfg(test)]
mod tests;

pub use error::RequestError;
pub use request::{AgentMessage, AgentRequest, AgentTool, CallForm, Part, PartKind, Place, Role};
pub use rewrite::{PartEdit, Rewrite};

use super::{Decoder, Wire};

/// The side of a format that an agent sees. Every function is pure.
pub trait AgentSide: Sync {
    /// Reads the body of a request.
    fn read(&self, body: json::Json<'_>) -> Result<AgentRequest, RequestError>;

    /// Returns a decoder of a reply to an agent, where that is another one than for a run.
    fn decoder(&self) -> Option<Box<dyn Decoder>> {
        None
    }

    /// Returns the JSON text of a part after an edit. [`PartEdit::Remove`] is not passed here.
    fn edit_part(&self, part: &Part, raw: &str, edit: &PartEdit) -> String;
}

/// Reads the body of an agent's request.
pub fn decode_request(wire: Wire, body: &[u8]) -> Result<AgentRequest, RequestError> {
    let body = std::str::from_utf8(body).map_err(|error| RequestError::NoText {
        at: error.valid_up_to(),
    })?;
    let mut request = wire.agent_side().read(json::Json::root(body)?)?;
    request.wire = wire;
    request.body = body.into();
    Ok(request)
}
