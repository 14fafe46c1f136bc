//! Writes an Ollama reply, as lines or as one JSON text.
//!
//! Must not know: sockets, who decides about calls.

use super::NAME;
use crate::frame::Object;
use crate::wire::agent::json::{one_line, quoted};
use crate::wire::agent::{CallPart, Frames, ReplyHead, ReplyParts, Words};
use crate::wire::common::arguments;
use crate::wire::opaque::{self, Members};
use overrule_domain::turn::{Stop, Usage};

/// Writes the lines of one reply. A call that is not complete cannot be in it.
pub struct OllamaFrames {
    head: ReplyHead,
}

impl OllamaFrames {
    /// Creates a writer.
    pub fn new(head: ReplyHead) -> Self {
        Self { head }
    }

    fn line(&self, content: &str, more: &str) -> String {
        let message = format!("{{\"role\":\"assistant\",\"content\":{}{more}}}", quoted(content));
        let mut line = envelope(&self.head, message);
        line.set("done", "false".to_owned());
        one_line(&line.text()) + "\n"
    }
}

impl Frames for OllamaFrames {
    fn begin(&mut self) -> String {
        String::new()
    }

    fn words(&mut self, is_reasoning: bool, delta: &str, _: bool) -> String {
        if is_reasoning {
            self.line("", &format!(",\"thinking\":{}", quoted(delta)))
        } else {
            self.line(delta, "")
        }
    }

    fn end_words(&mut self, _: &Words, _: bool) -> String {
        String::new()
    }

    fn call(&mut self, call: &CallPart) -> String {
        if !call.is_sealed {
            return String::new();
        }
        self.line("", &format!(",\"tool_calls\":[{}]", tool_call(call)))
    }

    fn finish(&mut self, reply: &ReplyParts, stop: &Stop) -> String {
        let message = "{\"role\":\"assistant\",\"content\":\"\"}".to_owned();
        one_line(&ended(envelope(&self.head, message), reply, stop).text()) + "\n"
    }

    fn heartbeat(&mut self) -> String {
        self.line("", "")
    }
}

/// Returns a whole reply.
pub fn whole(head: &ReplyHead, reply: &ReplyParts) -> String {
    let mut message = Members::default();
    message.set("role", "\"assistant\"".to_owned());
    message.set("content", quoted(&reply.joined(false)));
    let thinking = reply.joined(true);
    if !thinking.is_empty() {
        message.set("thinking", quoted(&thinking));
    }
    let calls: Vec<String> = reply
        .calls()
        .filter(|call| call.is_sealed)
        .map(tool_call)
        .collect();
    if !calls.is_empty() {
        message.set("tool_calls", format!("[{}]", calls.join(",")));
    }
    let stop = reply.stop.as_ref().unwrap_or(&Stop::End);
    one_line(&ended(envelope(head, message.text()), reply, stop).text()) + "\n"
}

fn envelope(head: &ReplyHead, message: String) -> Members {
    let created = jiff::Timestamp::from_second(head.created).unwrap_or_default();
    let mut line = Members::default();
    line.set("model", quoted(&head.model));
    line.set("created_at", quoted(&created.to_string()));
    line.set("message", message);
    line
}

fn tool_call(call: &CallPart) -> String {
    let mut function = Members::default();
    function.set("name", quoted(&call.name));
    function.set("arguments", arguments(&call.args));
    let mut entry = Members::default();
    if let Some(id) = &call.id {
        entry.set("id", quoted(id));
    }
    entry.set("function", function.text());
    let added = opaque::of_call(NAME, call.opaque.as_deref());
    for (key, value) in added.iter().flat_map(Object::entries) {
        entry.set(key, value.to_owned());
    }
    entry.text()
}

fn ended(mut line: Members, reply: &ReplyParts, stop: &Stop) -> Members {
    let word = match stop {
        Stop::End | Stop::Calls | Stop::Accepted => "stop",
        Stop::Length => "length",
        Stop::Filter => "content_filter",
        Stop::Refusal => "refusal",
        Stop::Pause | Stop::OwnWork => "pause",
        Stop::BadCall(_) => "malformed_tool_call",
        Stop::Other(word) => word,
    };
    line.set("done", "true".to_owned());
    line.set("done_reason", quoted(word));
    let usage: Usage = reply.usage.unwrap_or_default();
    for (key, count) in [("prompt_eval_count", usage.input), ("eval_count", usage.output)] {
        if let Some(count) = count {
            line.set(key, count.to_string());
        }
    }
    line
}
