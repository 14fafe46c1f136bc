//! Converts the lines of an Ollama stream to chunks.
//!
//! Must not know: sockets, tools, when to ask again.
//!
//! Calls come whole.

#[cfg(test)]
mod tests;

use super::NAME;
use crate::Chunk;
use crate::frame::{self, Object};
use crate::wire::opaque::Members;
use crate::wire::stop::stop;
use crate::wire::{Decoder, Reply};
use overrule_domain::turn::{Stop, StreamFault};

/// Members of a line that are read, or known to be irrelevant.
const FRAME: &[&str] = &[
    "model",
    "created_at",
    "message",
    "done",
    "done_reason",
    "total_duration",
    "load_duration",
    "prompt_eval_count",
    "prompt_eval_duration",
    "eval_count",
    "eval_duration",
    "remote_model",
    "remote_host",
    "logprobs",
];
/// Members of a message.
const MESSAGE: &[&str] = &["role", "content", "thinking", "tool_calls", "images", "tool_name"];
/// Members of a call that are read.
pub const CALL: &[&str] = &["id", "type", "function"];

/// Decodes one stream.
#[derive(Debug)]
pub struct OllamaDecoder {
    reply: Reply,
}

impl Default for OllamaDecoder {
    fn default() -> Self {
        let mut reply = Reply::default();
        // The server has a member for reasoning. A closing mark alone comes from a model that it does not know.
        reply.parts.need_opening_mark();
        Self { reply }
    }
}

impl Decoder for OllamaDecoder {
    fn reply(&self) -> &Reply {
        &self.reply
    }

    fn reply_mut(&mut self) -> &mut Reply {
        &mut self.reply
    }

    fn object(
        &mut self,
        _: &str,
        _: &str,
        frame: &Object<'_>,
        out: &mut Vec<Chunk>,
    ) -> Result<(), StreamFault> {
        self.reply.unknown_keys("", frame, FRAME, out);
        if let Some(message) = frame.object("message") {
            self.reply.unknown_keys("message.", &message, MESSAGE, out);
            self.reply.parts.reasoning(&message.piece("thinking"), out);
            self.reply.parts.text(&message.piece("content"), out);
            for raw in message.array("tool_calls") {
                match Object::read(raw) {
                    Some(call) => self.call(&call, out),
                    None => self.reply.unknown(raw, out),
                }
            }
        }
        self.reply.usage(Some(frame), out);
        if frame.get("done") != Some("true") {
            return Ok(());
        }
        let meant = match frame.filled("done_reason").map(|reason| stop(&reason)) {
            None | Some(Stop::End) if self.reply.parts.has_calls() => Stop::Calls,
            None => Stop::End,
            Some(other) => other,
        };
        self.reply.stop(meant, out);
        self.reply.end(out)
    }
}

impl OllamaDecoder {
    fn call(&mut self, call: &Object<'_>, out: &mut Vec<Chunk>) {
        let function = call.object("function");
        let function = function.as_ref().unwrap_or(call);
        let name = function.string("name").unwrap_or_default().into_owned();
        let id = call.filled("id").map(String::from);
        let Some(number) = self.reply.parts.begin_call(id, name, out) else {
            return;
        };
        let members = Members::read(call).without(CALL).without(&["name", "arguments"]);
        if !members.is_empty() {
            self.reply.parts.add_member(number, NAME, members.text());
        }
        let args = function.get("arguments").unwrap_or_default();
        // Some servers that imitate the format send a text.
        let args = frame::piece(args).unwrap_or_else(|| frame::compact(args).into());
        self.reply.parts.add_args(number, &args, out);
        self.reply.parts.end_call(number, out);
    }
}
