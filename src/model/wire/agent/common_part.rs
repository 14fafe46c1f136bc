//! Finds the messages of a body that an earlier request has at the same place, and reads the rest of it.
//!
//! Must not know: formats, which earlier request is given.
//!
//! Where two bodies begin with the same bytes, they say the same so far. A message that ends there is the same message.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::json::Json;
use super::{AgentMessage, AgentRequest, RequestError};
use crate::wire::Wire;

/// Bytes that are compared at once.
const PIECE: usize = 4096;

/// The messages at the beginning of a body that an earlier request has.
#[derive(Debug, Default)]
pub struct CommonPart<'r> {
    pub(super) wire: Wire,
    messages: &'r [Arc<AgentMessage>],
    /// The body up to the end of the last one.
    text: &'r str,
    /// From the first one to the message after them.
    span: Range<usize>,
}

impl<'r> CommonPart<'r> {
    /// No message.
    pub(super) fn none(wire: Wire) -> Self {
        let part = Self::default();
        Self { wire, ..part }
    }

    /// Compares a body with a request; none if no message is the same. At least one message of the body is left to read.
    pub fn of(before: &'r AgentRequest, body: &[u8]) -> Option<Self> {
        before.list.as_ref()?;
        let same = common(before.body.as_bytes(), body);
        let count = before
            .messages
            .partition_point(|message| message.span.end <= same);
        // The last one may be followed by the end of the list.
        let counts = [Some(count), count.checked_sub(1)].into_iter().flatten();
        counts.filter(|count| *count > 0).find_map(|count| {
            let messages = before.messages.get(..count)?;
            let (first, last) = (messages.first()?, messages.last()?);
            let next = next_element(body, last.span.end)?;
            Some(Self {
                wire: before.wire,
                messages,
                text: before.body.get(..last.span.end)?,
                span: first.span.start..next,
            })
        })
    }

    /// The number of the messages.
    pub const fn messages(&self) -> usize {
        self.messages.len()
    }

    /// The bytes of the body up to the end of the last one.
    pub const fn bytes(&self) -> usize {
        self.text.len()
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

/// Reads a body with these messages.
pub(super) fn decode(body: &[u8], part: &CommonPart<'_>) -> Result<AgentRequest, RequestError> {
    let CommonPart {
        wire,
        messages,
        text,
        span,
    } = part;
    let rest = body.get(text.len()..).unwrap_or_default();
    let rest = std::str::from_utf8(rest).map_err(|error| RequestError::NoText {
        at: text.len() + error.valid_up_to(),
    })?;
    let body = [text, rest].concat();
    // Without them the list begins with the next one.
    let new = match (body.get(..span.start), body.get(span.end..)) {
        (Some(begin), Some(end)) if !span.is_empty() => Cow::Owned([begin, end].concat()),
        _ => Cow::Borrowed(body.as_str()),
    };
    let mut request = wire.agent_side().read(Json::root(&new)?)?;
    for message in &mut request.messages {
        Arc::make_mut(message).shift(span.len());
    }
    if let Some(list) = &mut request.list {
        list.end += span.len();
    }
    request.messages.splice(0..0, messages.iter().cloned());
    let added = request.messages.iter().flat_map(|message| &message.tools);
    request.tools.extend(added.cloned());
    request.wire = *wire;
    request.body = Arc::new(body);
    Ok(request)
}
