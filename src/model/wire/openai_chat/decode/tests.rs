//! Tests streams as servers send them, following the public description of the format.
//!
//! Must not know: sockets.

mod calls;
mod odd;
mod streams;

use crate::decode::{Summary, SummaryCall, chunks, summary};
use crate::http::body::Body;
use crate::wire::Wire;
use crate::{Chunk, MAX_PARTS};
use overrule_domain::turn::{Stop, StreamFault, StreamFaultKind, Usage};

/// Builds an event stream of these deltas of choice 0, ended by `finish` (if any) and the end mark.
pub(super) fn stream(deltas: &[&str], finish: Option<&str>) -> String {
    let mut frames: Vec<String> = deltas
        .iter()
        .map(|delta| {
            format!(
                r#"{{"id":"x","object":"chat.completion.chunk","choices":[{{"index":0,"delta":{delta}}}]}}"#
            )
        })
        .collect();
    frames.extend(finish.map(|reason| {
        format!(r#"{{"id":"x","object":"chat.completion.chunk","choices":[{{"index":0,"delta":{{}},"finish_reason":"{reason}"}}]}}"#)
    }));
    let mut text = frames
        .iter()
        .fold(String::new(), |text, frame| text + "data: " + frame + "\n\n");
    if finish.is_some() {
        text.push_str("data: [DONE]\n\n");
    }
    text
}

/// Decodes the stream whole, byte by byte and in odd pieces, and requires the same result.
pub(super) fn decode(body: &str) -> (Vec<Chunk>, Result<(), StreamFault>) {
    let whole = chunks(Wire::default(), body.as_bytes());
    for size in [1, 2, 5, 13] {
        let mut reader = Body::new(Wire::default());
        let mut out = Vec::new();
        let mut result = Ok(());
        for piece in body.as_bytes().chunks(size) {
            result = result.and_then(|()| reader.feed(piece, &mut out));
        }
        result = result.and_then(|()| reader.end(&mut out));
        assert_eq!((out, result), whole, "in pieces of {size}");
    }
    whole
}

pub(super) fn calls(body: &str) -> Vec<(Option<String>, String, String)> {
    let _ = decode(body);
    let summary = summary(Wire::default(), body.as_bytes());
    summary
        .calls
        .into_iter()
        .map(|call| (call.id, call.name, call.args))
        .collect()
}

pub(super) fn call(id: &str, name: &str, args: &str) -> (Option<String>, String, String) {
    (
        (!id.is_empty()).then(|| id.to_owned()),
        name.to_owned(),
        args.to_owned(),
    )
}

pub(super) fn sealed(chunks: &[Chunk]) -> Vec<u32> {
    chunks
        .iter()
        .filter_map(|chunk| match chunk {
            Chunk::Sealed { part, .. } => Some(*part),
            _ => None,
        })
        .collect()
}

/// Returns the position of the first chunk that fulfils the condition.
pub(super) fn at(chunks: &[Chunk], expected: impl Fn(&Chunk) -> bool) -> usize {
    chunks.iter().position(expected).unwrap()
}
