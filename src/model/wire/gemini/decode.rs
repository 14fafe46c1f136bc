//! Converts the frames of a Gemini stream to chunks.
//!
//! Must not know: sockets, tools, when to ask again.
//!
//! A reason to stop may come before the last frame, so that only the end of the body ends a reply.

#[cfg(test)]
mod tests;

use super::NAME;
use crate::Chunk;
use crate::frame::{self, Object};
use crate::show::visible;
use crate::wire::choices::{ChoicePiece, Choices};
use crate::wire::opaque::{Members, mark};
use crate::wire::stop::stop;
use crate::wire::{Decoder, Reply};
use overrule_domain::turn::{Stop, StreamFault};

/// Members of a frame that are read, or known to be irrelevant.
const FRAME: &[&str] = &[
    "candidates",
    "usageMetadata",
    "modelVersion",
    "responseId",
    "createTime",
    "promptFeedback",
    "modelStatus",
];
/// Members of a candidate.
const CANDIDATE: &[&str] = &[
    "content",
    "finishReason",
    "finishMessage",
    "index",
    "safetyRatings",
    "citationMetadata",
    "groundingMetadata",
    "urlContextMetadata",
    "tokenCount",
    "avgLogprobs",
    "logprobsResult",
];
/// Members of parts that only the provider understands.
const OPAQUE: &[&str] = &[
    "executableCode",
    "codeExecutionResult",
    "inlineData",
    "fileData",
    "toolCall",
    "toolResponse",
];
/// Members of a call that the program makes itself.
const CALL: &[&str] = &["name", "args", "id"];

/// Returns true for a part that only the provider understands.
pub fn is_opaque(part: &Object<'_>) -> bool {
    OPAQUE.iter().any(|key| part.get(key).is_some())
}

/// Returns the name of the tool that a part calls; empty if it does not name one.
fn called(part: &str) -> Option<String> {
    let part = Object::read(part)?;
    let call = part.object("functionCall")?;
    Some(call.filled("name").unwrap_or_default().into_owned())
}

/// Decodes one stream.
#[derive(Debug, Default)]
pub struct GeminiDecoder {
    reply: Reply,
    choices: Choices,
    /// The tool whose arguments came in pieces.
    in_pieces: Option<String>,
}

impl Decoder for GeminiDecoder {
    fn reply(&self) -> &Reply {
        &self.reply
    }

    fn reply_mut(&mut self) -> &mut Reply {
        &mut self.reply
    }

    fn release(&mut self, out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        for (index, raw) in self.choices.release() {
            if let Some(candidate) = Object::read(&raw) {
                self.candidate(index, &raw, &candidate, out);
            }
        }
        Ok(())
    }

    /// Without `alt=sse`, a stream is one list.
    fn takes_lists(&self) -> bool {
        true
    }

    fn object(
        &mut self,
        _: &str,
        _: &str,
        frame: &Object<'_>,
        out: &mut Vec<Chunk>,
    ) -> Result<(), StreamFault> {
        self.reply.unknown_keys("", frame, FRAME, out);
        for (at, raw) in frame.array("candidates").into_iter().enumerate() {
            match Object::read(raw) {
                Some(candidate) => {
                    let index = candidate.number("index").unwrap_or(at as u64);
                    self.candidate(index, raw, &candidate, out);
                }
                None => self.reply.unknown(raw, out),
            }
        }
        self.reply.usage(frame.object("usageMetadata").as_ref(), out);
        let blocked = frame.object("promptFeedback");
        if blocked.is_some_and(|feedback| feedback.filled("blockReason").is_some()) {
            self.reply.stop_at_end(Stop::Filter);
        }
        Ok(())
    }
}

impl GeminiDecoder {
    /// A decoder of a reply to an agent.
    pub fn of_agent() -> Self {
        Self {
            choices: Choices::of_agent(),
            ..Self::default()
        }
    }

    fn candidate(&mut self, index: u64, raw: &str, candidate: &Object<'_>, out: &mut Vec<Chunk>) {
        let content = candidate.object("content");
        let parts: Vec<&str> = content
            .iter()
            .flat_map(|content| content.array("parts"))
            .collect();
        let piece = ChoicePiece {
            raw,
            index,
            has_content: !parts.is_empty(),
            called: parts.iter().find_map(|raw| called(raw)),
        };
        if !self.choices.takes(piece, &mut self.reply, out) {
            return;
        }
        self.reply.unknown_keys("candidates.", candidate, CANDIDATE, out);
        for raw in parts {
            match Object::read(raw) {
                Some(part) => self.part(raw, &part, out),
                None => self.reply.unknown(raw, out),
            }
        }
        let Some(reason) = candidate.filled("finishReason") else {
            return;
        };
        let meant = match stop(&reason) {
            Stop::End if self.reply.parts.has_calls() => Stop::Calls,
            other => other,
        };
        self.reply.stop_at_end(match (&self.in_pieces, meant) {
            (Some(tool), Stop::Calls) => Stop::BadCall(
                format!(
                    "the arguments of `{}` came in pieces, which are not joined",
                    visible(tool)
                )
                .into(),
            ),
            (_, meant) => meant,
        });
    }

    fn part(&mut self, raw: &str, part: &Object<'_>, out: &mut Vec<Chunk>) {
        let signature = part.get("thoughtSignature").map(|raw| {
            let mut members = Members::default();
            members.set("thoughtSignature", raw.to_owned());
            members.text()
        });
        if let Some(call) = part.object("functionCall") {
            return self.call(raw, &call, signature, out);
        }
        if let Some(text) = part.get("text").and_then(frame::piece) {
            let is_thought = part.get("thought") == Some("true");
            if is_thought {
                self.reply.parts.reasoning(&text, out);
            } else {
                self.reply.parts.text(&text, out);
            }
            if let Some(signature) = signature {
                self.reply.parts.opaque(&mark(NAME, &signature), out);
            }
            return;
        }
        if !is_opaque(part) {
            self.reply.unknown(raw, out);
        }
        self.reply.parts.close(out);
        self.reply.parts.opaque(&mark(NAME, raw), out);
        self.reply.parts.close(out);
    }

    fn call(&mut self, raw: &str, call: &Object<'_>, signature: Option<String>, out: &mut Vec<Chunk>) {
        let in_pieces = call.get("partialArgs").is_some() || call.get("willContinue").is_some();
        let Some(name) = call.filled("name") else {
            // The next piece, or the end, of a call.
            if in_pieces {
                out.push(Chunk::Unknown { raw: raw.to_owned() });
            }
            return;
        };
        let id = call.filled("id").map(String::from);
        let Some(number) = self.reply.parts.begin_call(id, name.clone().into_owned(), out) else {
            return;
        };
        if let Some(signature) = signature {
            self.reply.parts.add_member(number, NAME, signature);
        }
        if in_pieces {
            self.in_pieces.get_or_insert(name.into_owned());
            return;
        }
        self.reply.unknown_keys("functionCall.", call, CALL, out);
        let args = call.get("args").map(frame::compact).unwrap_or_default();
        self.reply.parts.add_args(number, &args.into(), out);
        self.reply.parts.end_call(number, out);
    }
}
