//! Finds the part of a body that an earlier request has at the same place, and reads the rest of it.
//!
//! Must not know: formats, which earlier request is given.
//!
//! Where two bodies begin with the same bytes, they say the same so far: a message that ends there is the same message. Where
//! they also have the same bytes after the list, all other members of both are the same.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use super::json::Json;
use super::{AgentMessage, AgentRequest, Body, RequestError};
use crate::wire::Wire;

/// Bytes that are compared together.
const PIECE: usize = 4096;

/// The part of a body that an earlier request has.
#[derive(Debug, Clone, Copy)]
pub struct CommonPart<'r> {
    before: &'r AgentRequest,
    /// The messages at the beginning of the list.
    messages: &'r [Arc<AgentMessage>],
    /// Where the first of them begins.
    begin: usize,
    /// Where the message after them begins.
    next: usize,
    /// Bytes after the list, which the request has as well; 0 if it has others.
    end: usize,
}

impl<'r> CommonPart<'r> {
    /// Compares a body with a request; none if no message is the same. At least one message of the body is left to read.
    pub fn of(before: &'r AgentRequest, body: &[u8]) -> Option<Self> {
        let list = before.list.as_ref()?;
        let old = before.body.bytes();
        let same = common(old, body);
        let count = before
            .messages
            .partition_point(|message| message.span.end <= same);
        // The last one may be followed by the end of the list.
        let counts = [Some(count), count.checked_sub(1)].into_iter().flatten();
        counts.filter(|count| *count > 0).find_map(|count| {
            let messages = before.messages.get(..count)?;
            let (first, last) = (messages.first()?, messages.last()?);
            let next = next_element(body, last.span.end)?;
            let end = old.get(list.end..)?;
            let has_end = body.get(next..)?.ends_with(end);
            Some(Self {
                before,
                messages,
                begin: first.span.start,
                next,
                end: if has_end { end.len() } else { 0 },
            })
        })
    }

    /// Its format.
    pub(super) const fn wire(&self) -> Wire {
        self.before.wire
    }

    /// The number of the messages.
    pub const fn messages(&self) -> usize {
        self.messages.len()
    }

    /// The bytes up to the message after them.
    pub const fn bytes(&self) -> usize {
        self.next
    }
}

/// The number of bytes with which both begin.
pub(super) fn common(one: &[u8], other: &[u8]) -> usize {
    let pieces = one.chunks(PIECE).zip(other.chunks(PIECE));
    let at = PIECE * pieces.take_while(|(one, other)| one == other).count();
    let rests = one.iter().skip(at).zip(other.iter().skip(at));
    at.min(one.len()).min(other.len()) + rests.take_while(|(one, other)| one == other).count()
}

/// Where the element of a list begins that follows one with this end; none if that was the last one.
fn next_element(body: &[u8], end: usize) -> Option<usize> {
    let solid = |from: usize| {
        let rest = body.get(from..)?;
        let blank = rest
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        Some(from + blank.count())
    };
    let comma = solid(end)?;
    let next = solid(comma + 1).filter(|_| body.get(comma) == Some(&b','))?;
    body.get(next).filter(|byte| **byte != b']').map(|_| next)
}

/// Reads a body, with this part of an earlier request if there is one.
pub(super) fn decode(
    wire: Wire,
    body: Bytes,
    part: Option<&CommonPart<'_>>,
) -> Result<AgentRequest, RequestError> {
    let mut request = match part {
        None => wire.agent_side().read(Json::root(text(&body, 0..body.len())?)?)?,
        Some(part) => rest(wire, &body, part)?,
    };
    let added = request.messages.iter().flat_map(|message| &message.tools);
    request.tools.extend(added.cloned());
    request.wire = wire;
    request.body = Body::new(body);
    Ok(request)
}

/// Reads what is not in this part of a body.
fn rest(wire: Wire, body: &[u8], part: &CommonPart<'_>) -> Result<AgentRequest, RequestError> {
    let (begin, end) = (text(body, 0..part.begin)?, body.len() - part.end);
    // Without the messages of this part, the list begins with the next one. Without what follows it, the body ends there.
    let close = if part.end > 0 { "}" } else { "" };
    let new = [begin, text(body, part.next..end)?, close].concat();
    let mut request = wire.agent_side().read(Json::root(&new)?)?;
    if part.end > 0 {
        if request.list.as_ref().map(|list| list.end + 1) != Some(new.len()) {
            // Something else is between the list and those bytes.
            return rest(wire, body, &CommonPart { end: 0, ..*part });
        }
        let AgentRequest { list, messages, .. } = request;
        request = AgentRequest {
            list,
            messages,
            ..part.before.without_messages()
        };
    }
    let by = part.next - part.begin;
    for message in &mut request.messages {
        Arc::make_mut(message).shift(by);
    }
    if let Some(list) = &mut request.list {
        list.end += by;
    }
    request.messages.splice(0..0, part.messages.iter().cloned());
    Ok(request)
}

fn text(body: &[u8], span: Range<usize>) -> Result<&str, RequestError> {
    let at = span.start;
    let bytes = body.get(span).unwrap_or_default();
    std::str::from_utf8(bytes).map_err(|error| RequestError::NoText {
        at: at + error.valid_up_to(),
    })
}

impl AgentRequest {
    /// What it says besides its messages.
    fn without_messages(&self) -> Self {
        let added: usize = self.messages.iter().map(|message| message.tools.len()).sum();
        let own = self.tools.len().saturating_sub(added);
        Self {
            wire: self.wire,
            model: self.model.clone(),
            stream: self.stream,
            system: self.system.clone(),
            tools: self.tools.get(..own).unwrap_or_default().to_vec(),
            settings: self.settings.clone(),
            ..Self::default()
        }
    }
}
