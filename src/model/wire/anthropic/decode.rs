//! Converts the events of a Messages stream to chunks.
//!
//! Must not know: sockets, tools, when to ask again.
//!
//! Blocks are identified by their index, and may overlap. Blocks that only the provider understands are kept whole and
//! go back unchanged.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::NAME;
use crate::Chunk;
use crate::fault::Refusal;
use crate::frame::{self, Object};
use crate::torn::{Joiner, Piece};
use crate::wire::opaque::{Members, mark};
use crate::wire::stop::stop;
use crate::wire::{Decoder, Reply};
use overrule_domain::turn::{Stop, StreamFault};

/// Members of a message that are read, or known to be irrelevant.
const MESSAGE: &[&str] = &[
    "type",
    "id",
    "role",
    "model",
    "content",
    "stop_reason",
    "stop_sequence",
    "stop_details",
    "usage",
    "container",
    "context_management",
    "service_tier",
];
/// Members of a block of text.
const TEXT: &[&str] = &["type", "text", "citations"];
/// Members of a call that the program makes itself.
const CALL: &[&str] = &["type", "id", "name", "input"];
/// Type of a block in which the provider works for itself. A message that pauses after one is sent back unchanged.
pub const OWN_WORK: &str = "server_tool_use";
/// Types of blocks that only the provider understands, without those that end in `_tool_result`.
const OPAQUE: &[&str] = &[
    "redacted_thinking",
    OWN_WORK,
    "mcp_tool_use",
    "container_upload",
    "compaction",
    "fallback",
    "search_result",
];

/// Returns true for a type of blocks that only the provider understands.
pub fn is_opaque(name: &str) -> bool {
    OPAQUE.contains(&name) || name.ends_with("_tool_result")
}

/// Decodes one stream.
#[derive(Debug, Default)]
pub struct MessagesDecoder {
    reply: Reply,
    /// The blocks that have begun and not ended, by index.
    open: BTreeMap<u64, Block>,
    /// The ended blocks of the newest text, as JSON texts, if one of them has citations.
    texts: Vec<String>,
    has_citations: bool,
    /// True if the newest block is work of the provider.
    works: bool,
}

#[derive(Debug)]
struct Block {
    kind: Kind,
    /// Its members, without what is streamed.
    members: Members,
    /// The text of a text block, the input of a block that only the provider understands.
    streamed: Streamed,
}

/// Text that comes in pieces.
#[derive(Debug, Default)]
struct Streamed {
    text: String,
    joiner: Joiner,
}

impl Streamed {
    fn push(&mut self, piece: &Piece<'_>) {
        let text = self.joiner.push(piece);
        self.text.push_str(&text);
    }

    fn end(mut self) -> String {
        self.text.extend(self.joiner.end());
        self.text
    }
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Thinking,
    /// A call by the number of its part; none beyond the maximum number of parts.
    Call(Option<usize>),
    Opaque,
}

impl Decoder for MessagesDecoder {
    fn reply(&self) -> &Reply {
        &self.reply
    }

    fn reply_mut(&mut self) -> &mut Reply {
        &mut self.reply
    }

    fn object(
        &mut self,
        name: &str,
        data: &str,
        frame: &Object<'_>,
        out: &mut Vec<Chunk>,
    ) -> Result<(), StreamFault> {
        let kind = frame.filled("type").unwrap_or(name.into());
        let index = frame.number("index").unwrap_or(0);
        match &*kind {
            "message_start" => {
                if let Some(message) = frame.object("message") {
                    self.message(&message, out);
                }
            }
            "message" => {
                self.message(frame, out);
                for (index, raw) in frame.array("content").into_iter().enumerate() {
                    self.begin(index as u64, raw, out);
                    self.end_block(index as u64, out);
                }
                self.stop(frame, out);
                return self.reply.end(out);
            }
            "content_block_start" => self.begin(index, frame.get("content_block").unwrap_or("{}"), out),
            "content_block_delta" => match frame.object("delta") {
                Some(delta) => self.delta(index, data, &delta, out),
                None => self.reply.unknown(data, out),
            },
            "content_block_stop" => self.end_block(index, out),
            "message_delta" => {
                self.reply.usage(frame.object("usage").as_ref(), out);
                if let Some(delta) = frame.object("delta") {
                    self.reply.unknown_keys("message.", &delta, MESSAGE, out);
                    self.stop(&delta, out);
                }
            }
            "message_stop" => {
                self.end_all(out);
                return self.reply.end(out);
            }
            "error" => return Err(self.reply.refused(&Refusal::read(None, data))),
            "ping" => {}
            _ => self.reply.unknown(data, out),
        }
        Ok(())
    }
}

impl MessagesDecoder {
    /// Reads the envelope of a message. A server may send it twice.
    fn message(&mut self, message: &Object<'_>, out: &mut Vec<Chunk>) {
        self.reply.usage(message.object("usage").as_ref(), out);
        self.reply.unknown_keys("message.", message, MESSAGE, out);
    }

    fn begin(&mut self, index: u64, raw: &str, out: &mut Vec<Chunk>) {
        let Some(block) = Object::read(raw) else {
            return self.reply.unknown(raw, out);
        };
        // What this index stood for has ended without saying so.
        self.end_block(index, out);
        let name = block.string("type").unwrap_or_default();
        self.works = name == OWN_WORK;
        if name != "text" {
            self.leave(out);
        }
        let mut members = Members::read(&block);
        let mut streamed = Streamed::default();
        let kind = match &*name {
            "text" => {
                self.reply.unknown_keys("text.", &block, TEXT, out);
                let words = block.piece("text");
                streamed.push(&words);
                self.has_citations |= !block.array("citations").is_empty();
                self.reply.parts.text(&words, out);
                Kind::Text
            }
            "thinking" => {
                self.reply.parts.reasoning(&block.piece("thinking"), out);
                members.set("thinking", "\"\"".to_owned());
                Kind::Thinking
            }
            "tool_use" => {
                let id = block.filled("id").map(String::from);
                let tool = block.string("name").unwrap_or_default().into_owned();
                let number = self.reply.parts.begin_call(id, tool, out);
                let input = block.get("input").filter(|input| !frame::is_empty(input));
                if let (Some(number), Some(input)) = (number, input) {
                    self.reply.parts.add_args(number, &input.into(), out);
                }
                Kind::Call(number)
            }
            known if is_opaque(known) => Kind::Opaque,
            _ => {
                self.reply.unknown(raw, out);
                Kind::Opaque
            }
        };
        self.open.insert(
            index,
            Block {
                kind,
                members,
                streamed,
            },
        );
    }

    fn delta(&mut self, index: u64, data: &str, delta: &Object<'_>, out: &mut Vec<Chunk>) {
        let name = delta.string("type").unwrap_or_default();
        let parts = &mut self.reply.parts;
        let text = |key: &str| delta.piece(key);
        let Some(block) = self.open.get_mut(&index) else {
            // A block that did not begin, or has ended.
            return match &*name {
                "text_delta" => parts.text(&text("text"), out),
                "thinking_delta" => parts.reasoning(&text("thinking"), out),
                // A client that keeps ended blocks adds it to the arguments of a call.
                "input_json_delta" if parts.has_calls() => {
                    parts.contradict();
                    self.reply.unknown(data, out);
                }
                _ => self.reply.unknown(data, out),
            };
        };
        match (&*name, block.kind) {
            ("text_delta", Kind::Text) => {
                block.streamed.push(&text("text"));
                parts.text(&text("text"), out);
            }
            ("citations_delta", Kind::Text) => {
                let citation = delta.get("citation").unwrap_or("null");
                let all = block
                    .members
                    .get("citations")
                    .unwrap_or("[]")
                    .trim_end_matches(']');
                let comma = if all == "[" { "" } else { "," };
                let all = format!("{all}{comma}{citation}]");
                block.members.set("citations", all);
                self.has_citations = true;
            }
            ("thinking_delta", Kind::Thinking) => parts.reasoning(&text("thinking"), out),
            ("input_json_delta", Kind::Call(Some(number))) => {
                parts.add_args(number, &text("partial_json"), out);
            }
            ("input_json_delta", Kind::Opaque) => block.streamed.push(&text("partial_json")),
            (_, Kind::Thinking | Kind::Opaque) => {
                for (key, value) in delta.entries().filter(|(key, _)| *key != "type") {
                    block.members.add(key, value);
                }
            }
            _ => self.reply.unknown(data, out),
        }
    }

    fn end_block(&mut self, index: u64, out: &mut Vec<Chunk>) {
        let Some(mut block) = self.open.remove(&index) else {
            return;
        };
        let parts = &mut self.reply.parts;
        match block.kind {
            Kind::Text => {
                let text = serde_json::Value::from(block.streamed.end()).to_string();
                block.members.set("text", text);
                self.texts.push(mark(NAME, &block.members.text()));
            }
            Kind::Thinking => {
                if block
                    .members
                    .get("signature")
                    .is_some_and(|raw| !frame::is_empty(raw))
                {
                    parts.opaque(&mark(NAME, &block.members.text()), out);
                }
                parts.close(out);
            }
            Kind::Call(number) => {
                let members = block.members.without(CALL);
                let Some(number) = number else { return };
                if !members.is_empty() {
                    parts.add_member(number, NAME, members.text());
                }
                parts.end_call(number, out);
            }
            Kind::Opaque => {
                let input = block.streamed.end();
                if Object::read(&input).is_some() {
                    block.members.set("input", input);
                }
                parts.opaque(&mark(NAME, &block.members.text()), out);
                parts.close(out);
            }
        }
    }

    /// Another block than text begins, or nothing more comes: the text is complete, and reasoning that has not ended.
    fn leave(&mut self, out: &mut Vec<Chunk>) {
        let is_open = |block: &Block| !matches!(block.kind, Kind::Call(_));
        let open = self.open.iter().filter(|(_, block)| is_open(block));
        let indexes: Vec<u64> = open.map(|(index, _)| *index).collect();
        for index in indexes {
            self.end_block(index, out);
        }
        let texts = std::mem::take(&mut self.texts);
        if std::mem::take(&mut self.has_citations) {
            for text in texts {
                self.reply.parts.opaque(&text, out);
            }
        }
        self.reply.parts.close(out);
    }

    fn end_all(&mut self, out: &mut Vec<Chunk>) {
        self.leave(out);
        let calls: Vec<u64> = self.open.keys().copied().collect();
        for index in calls {
            self.end_block(index, out);
        }
    }

    /// Reads the reason to stop.
    fn stop(&mut self, message: &Object<'_>, out: &mut Vec<Chunk>) {
        let Some(reason) = message.filled("stop_reason") else {
            return;
        };
        self.end_all(out);
        if let Some(details) = message.object("stop_details") {
            self.reply.refuse(&details.piece("explanation"));
        }
        let stop = match stop(&reason) {
            Stop::Pause if self.works => Stop::OwnWork,
            stop => stop,
        };
        self.reply.stop(stop, out);
    }
}
