//! Writes a Chat Completions reply, streamed or as one JSON text.
//!
//! Must not know: sockets, who decides about calls.

use serde_json::{Value, json};

use crate::frame::{self, Object};
use crate::wire::agent::json::{one_line, quoted, with_member};
use crate::wire::agent::{CallPart, Frames, ReplyHead, ReplyPart, ReplyParts, Words};
use crate::wire::opaque::{Members, is_mark};
use overrule_domain::turn::{Stop, Usage};

/// Writes the frames of one reply.
pub struct ChatFrames {
    head: ReplyHead,
    calls: usize,
}

impl ChatFrames {
    /// Creates a writer.
    pub fn new(head: ReplyHead) -> Self {
        Self { head, calls: 0 }
    }

    fn frame(&self, choices: &str, usage: Option<Usage>) -> String {
        let mut members = envelope(&self.head, "chat.completion.chunk");
        members.set("choices", choices.to_owned());
        if let Some(usage) = usage {
            members.set("usage", counts(usage).to_string());
        }
        format!("data: {}\n\n", one_line(&members.text()))
    }

    fn delta(&self, delta: &str, reason: Option<&str>) -> String {
        let reason = reason.map_or("null".to_owned(), quoted);
        let choice = format!("[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{reason}}}]");
        self.frame(&choice, None)
    }
}

fn envelope(head: &ReplyHead, object: &str) -> Members {
    let mut members = Members::default();
    members.set("id", quoted(&head.id));
    members.set("object", quoted(object));
    members.set("created", head.created.to_string());
    members.set("model", quoted(&head.model));
    members
}

impl Frames for ChatFrames {
    fn begin(&mut self) -> String {
        self.delta("{\"role\":\"assistant\",\"content\":\"\"}", None)
    }

    fn words(&mut self, is_reasoning: bool, delta: &str, _: bool) -> String {
        let key = if is_reasoning {
            "reasoning_content"
        } else {
            "content"
        };
        self.delta(&json!({ key: delta }).to_string(), None)
    }

    fn end_words(&mut self, words: &Words, _: bool) -> String {
        let details = details(words);
        if details.is_empty() {
            return String::new();
        }
        self.delta(
            &format!("{{\"reasoning_details\":[{}]}}", details.join(",")),
            None,
        )
    }

    fn call(&mut self, call: &CallPart) -> String {
        let entry = entry(call, self.calls, true);
        self.calls += 1;
        self.delta(&format!("{{\"tool_calls\":[{entry}]}}"), None)
    }

    fn finish(&mut self, reply: &ReplyParts, stop: &Stop) -> String {
        let mut out = String::new();
        if let Some(words) = &reply.refusal {
            out += &self.delta(&json!({ "refusal": words }).to_string(), None);
        }
        out += &self.delta("{}", Some(&reason(stop, reply)));
        if reply.usage.is_some() {
            out += &self.frame("[]", reply.usage);
        }
        out + "data: [DONE]\n\n"
    }

    fn heartbeat(&mut self) -> String {
        self.delta("{}", None)
    }
}

/// Returns a whole reply.
pub fn whole(head: &ReplyHead, reply: &ReplyParts) -> String {
    let mut message = Members::default();
    message.set("role", "\"assistant\"".to_owned());
    let text = reply.joined(false);
    message.set(
        "content",
        if text.is_empty() {
            "null".to_owned()
        } else {
            quoted(&text)
        },
    );
    let reasoning = reply.joined(true);
    if !reasoning.is_empty() {
        message.set("reasoning_content", quoted(&reasoning));
    }
    let words = reply.parts.iter().filter_map(|part| match part {
        ReplyPart::Words(words) => Some(words),
        ReplyPart::Call(_) => None,
    });
    let details: Vec<String> = words.flat_map(details).collect();
    if !details.is_empty() {
        message.set("reasoning_details", format!("[{}]", details.join(",")));
    }
    if let Some(words) = &reply.refusal {
        message.set("refusal", quoted(words));
    }
    let calls = reply.calls().enumerate().map(|(at, call)| entry(call, at, false));
    let calls: Vec<String> = calls.collect();
    if !calls.is_empty() {
        message.set("tool_calls", format!("[{}]", calls.join(",")));
    }
    let stop = reply.stop.as_ref().unwrap_or(&Stop::End);
    let mut choice = Members::default();
    choice.set("index", "0".to_owned());
    choice.set("message", message.text());
    choice.set("finish_reason", quoted(&reason(stop, reply)));
    let mut body = envelope(head, "chat.completion");
    body.set("choices", format!("[{}]", choice.text()));
    if let Some(usage) = reply.usage {
        body.set("usage", counts(usage).to_string());
    }
    body.text()
}

/// The provider's blocks. The text of a block was streamed before.
fn details(words: &Words) -> Vec<String> {
    let all = words.opaque.as_deref().map(frame::array).unwrap_or_default();
    let is_own =
        |raw: &&str| !Object::read(raw).is_some_and(|block| block.entries().any(|(key, _)| is_mark(key)));
    let all = all.into_iter().filter(is_own);
    let blank = |raw: &str| match frame::member(raw, "text") {
        Some(_) => with_member(raw, "text", "\"\""),
        None => raw.to_owned(),
    };
    all.map(blank).collect()
}

fn entry(call: &CallPart, number: usize, is_streamed: bool) -> String {
    let added = call.opaque.as_deref().and_then(Object::read);
    let id = call.id.clone().unwrap_or_else(|| format!("call_{number}"));
    let mut function = Members::default();
    function.set("name", quoted(&call.name));
    function.set("arguments", quoted(&call.args));
    let inner = added.as_ref().and_then(|added| added.object("function"));
    for (key, value) in inner.iter().flat_map(Object::entries) {
        function.set(key, value.to_owned());
    }
    let mut entry = Members::default();
    if is_streamed {
        entry.set("index", number.to_string());
    }
    entry.set("id", quoted(&id));
    entry.set("type", "\"function\"".to_owned());
    entry.set("function", function.text());
    let outer = added.iter().flat_map(Object::entries);
    for (key, value) in outer.filter(|(key, _)| *key != "function" && !is_mark(key)) {
        entry.set(key, value.to_owned());
    }
    entry.text()
}

fn reason(stop: &Stop, reply: &ReplyParts) -> String {
    let word = match stop {
        Stop::Refusal if reply.refusal.is_none() => "refusal",
        Stop::End | Stop::Accepted | Stop::Refusal => "stop",
        Stop::Calls => "tool_calls",
        Stop::Length => "length",
        Stop::Filter => "content_filter",
        Stop::Pause | Stop::OwnWork => "pause_turn",
        Stop::BadCall(_) => "malformed_function_call",
        Stop::Other(word) => word,
    };
    word.to_owned()
}

fn counts(usage: Usage) -> Value {
    let sum = |a: Option<u64>, b: Option<u64>| Some(a?.saturating_add(b?));
    let mut counts = serde_json::Map::new();
    let mut set = |key: &str, count: Option<u64>| {
        counts.extend(count.map(|count| (key.to_owned(), json!(count))));
    };
    set("prompt_tokens", usage.input);
    set("completion_tokens", usage.output);
    set("total_tokens", sum(usage.input, usage.output));
    if let Some(cached) = usage.cached {
        counts.insert(
            "prompt_tokens_details".to_owned(),
            json!({"cached_tokens": cached}),
        );
    }
    if let Some(reasoning) = usage.reasoning {
        let details = json!({"reasoning_tokens": reasoning});
        counts.insert("completion_tokens_details".to_owned(), details);
    }
    Value::Object(counts)
}
