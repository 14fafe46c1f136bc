//! Decodes a recorded response, for people and for tests, with the same decoders as a live one.
//!
//! Must not know: files, how the result is printed.

use serde::Serialize;
use serde_json::{Value, json};

use super::Chunk;
use super::http::body::Body;
use super::show::cut;
use super::wire::Wire;
use overrule_domain::turn::{Stop, StreamFault, Usage};

/// The contents of a response in one value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Summary {
    /// Its text.
    pub text: String,
    /// Its reasoning.
    pub reasoning: String,
    /// Its calls, in the order in which they began.
    pub calls: Vec<SummaryCall>,
    /// Why it ended, as a finish reason of the Chat format; `None` if it did not end.
    pub finish: Option<String>,
    /// Token counts, if there were any.
    pub usage: Option<Usage>,
    /// What broke the stream, if anything.
    pub error: Option<String>,
}

/// One call of a response.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct SummaryCall {
    /// The provider's id.
    pub id: Option<String>,
    /// Name of the tool.
    pub name: String,
    /// The exact argument text.
    pub args: String,
    /// False for an incomplete or unintended call: it would not run.
    pub whole: bool,
}

/// Returns the chunks of a recorded response and what broke it, if anything did; everything before the break
/// is included.
pub fn chunks(wire: Wire, bytes: &[u8]) -> (Vec<Chunk>, Result<(), StreamFault>) {
    let mut body = Body::new(wire);
    let mut out = Vec::new();
    let result = body.feed(bytes, &mut out).and_then(|()| body.end(&mut out));
    let result = result.map_err(|fault| StreamFault {
        message: cut(fault.message),
        ..fault
    });
    (out, result)
}

/// Summarises a recorded response; `error` is empty for a complete one.
pub fn summary(wire: Wire, bytes: &[u8]) -> Summary {
    let (chunks, result) = chunks(wire, bytes);
    let mut summary = Summary {
        error: result.err().map(|fault| fault.message),
        ..Summary::default()
    };
    let mut calls: Vec<(u32, SummaryCall)> = Vec::new();
    // The text of the newest part, in case it turns out to be reasoning.
    let (mut newest, mut begun) = (u32::MAX, 0);
    for chunk in chunks {
        match chunk {
            Chunk::Text { part, delta } => {
                if part != newest {
                    (newest, begun) = (part, summary.text.len());
                }
                summary.text.push_str(&delta);
            }
            Chunk::Reasoning { delta, .. } => summary.reasoning.push_str(&delta),
            Chunk::WasReasoning { part } if part == newest => {
                let thought = summary.text.split_off(begun);
                summary.reasoning.push_str(&thought);
            }
            Chunk::Call { part, id, name } => calls.push((
                part,
                SummaryCall {
                    id,
                    name,
                    args: String::new(),
                    whole: false,
                },
            )),
            Chunk::Args { part, delta } => {
                if let Some((_, call)) = calls.iter_mut().rev().find(|(number, _)| *number == part) {
                    call.args.push_str(&delta);
                }
            }
            Chunk::Usage(usage) => summary.usage = Some(usage),
            Chunk::Finish(stop) => summary.finish = Some(finish_reason(&stop).to_owned()),
            Chunk::Sealed { part, .. } => {
                if let Some((_, call)) = calls.iter_mut().rev().find(|(number, _)| *number == part) {
                    call.whole = true;
                }
            }
            Chunk::WasReasoning { .. }
            | Chunk::Learned { .. }
            | Chunk::Sent { .. }
            | Chunk::Refused { .. }
            | Chunk::Unknown { .. } => {}
        }
    }
    summary.calls = calls.into_iter().map(|(_, call)| call).collect();
    summary
}

/// Returns the chunks of a recorded response as JSON values, one per line; a break comes last.
pub fn events(wire: Wire, bytes: &[u8]) -> (Vec<Value>, bool) {
    let (chunks, result) = chunks(wire, bytes);
    let mut lines: Vec<Value> = chunks.iter().map(line).collect();
    let whole = result.is_ok();
    if let Err(fault) = result {
        lines.push(json!({"type": "error", "kind": fault.kind, "message": fault.message}));
    }
    (lines, whole)
}

fn line(chunk: &Chunk) -> Value {
    match chunk {
        Chunk::Text { part, delta } => json!({"type": "text", "part": part, "delta": delta}),
        Chunk::Reasoning { part, delta } => json!({"type": "reasoning", "part": part, "delta": delta}),
        Chunk::Call { part, id, name } => json!({"type": "call", "part": part, "id": id, "name": name}),
        Chunk::Args { part, delta } => json!({"type": "args", "part": part, "delta": delta}),
        Chunk::Sealed { part, opaque } => json!({"type": "sealed", "part": part, "opaque": opaque}),
        Chunk::WasReasoning { part } => json!({"type": "was_reasoning", "part": part}),
        Chunk::Refused { words } => json!({"type": "refusal", "text": words}),
        Chunk::Learned { quirk, words } => json!({"type": "learned", "quirk": quirk, "text": words}),
        Chunk::Unknown { raw } => json!({"type": "unknown", "raw": raw}),
        Chunk::Sent { bytes } => json!({"type": "sent", "bytes": bytes}),
        Chunk::Usage(usage) => json!({"type": "usage", "usage": usage}),
        Chunk::Finish(stop) => json!({"type": "finish", "finish": finish_reason(stop)}),
    }
}

/// Returns the Chat format's finish reason.
fn finish_reason(stop: &Stop) -> &str {
    match stop {
        Stop::End | Stop::Accepted => "stop",
        Stop::Calls => "tool_calls",
        Stop::Length => "length",
        Stop::Filter => "content_filter",
        Stop::Refusal => "refusal",
        Stop::Pause | Stop::OwnWork => "pause",
        Stop::BadCall(_) => "unusable_call",
        Stop::Other(word) => word,
    }
}
