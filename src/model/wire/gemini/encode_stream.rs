//! Writes a Gemini reply, streamed or as one JSON text.
//!
//! Must not know: sockets, who decides about calls.

use serde_json::{Value, json};

use super::NAME;
use super::encode::SIGNATURE;
use crate::frame::Object;
use crate::wire::agent::json::{one_line, quoted};
use crate::wire::agent::{CallPart, Frames, ReplyHead, ReplyPart, ReplyParts, Words};
use crate::wire::common::arguments;
use crate::wire::opaque::{self, Members};
use overrule_domain::turn::{Stop, Usage};

/// Writes the frames of one reply. A call that is not complete cannot be in it.
pub struct GeminiFrames {
    head: ReplyHead,
}

impl GeminiFrames {
    /// Creates a writer.
    pub fn new(head: ReplyHead) -> Self {
        Self { head }
    }

    fn parts(&self, parts: &[String]) -> String {
        if parts.is_empty() {
            return String::new();
        }
        frame(&body(&self.head, parts, None))
    }
}

fn frame(body: &Members) -> String {
    format!("data: {}\r\n\r\n", one_line(&body.text()))
}

impl Frames for GeminiFrames {
    fn begin(&mut self) -> String {
        String::new()
    }

    fn words(&mut self, is_reasoning: bool, delta: &str, _: bool) -> String {
        self.parts(&[text(is_reasoning, delta)])
    }

    fn end_words(&mut self, words: &Words, _: bool) -> String {
        self.parts(&own(words))
    }

    fn call(&mut self, call: &CallPart) -> String {
        self.parts(&function_call(call))
    }

    fn finish(&mut self, reply: &ReplyParts, stop: &Stop) -> String {
        let last = text(false, "");
        frame(&body(&self.head, &[last], Some((reply, stop))))
    }

    fn heartbeat(&mut self) -> String {
        "data: {\"candidates\":[]}\r\n\r\n".to_owned()
    }
}

/// Returns a whole reply.
pub fn whole(head: &ReplyHead, reply: &ReplyParts) -> String {
    let mut parts = Vec::new();
    for part in &reply.parts {
        match part {
            ReplyPart::Words(words) => {
                if !words.text.is_empty() {
                    parts.push(text(words.is_reasoning, &words.text));
                }
                parts.extend(own(words));
            }
            ReplyPart::Call(call) => parts.extend(function_call(call)),
        }
    }
    let stop = reply.stop.as_ref().unwrap_or(&Stop::End);
    body(head, &parts, Some((reply, stop))).text()
}

fn text(is_reasoning: bool, words: &str) -> String {
    let thought = if is_reasoning { ",\"thought\":true" } else { "" };
    format!("{{\"text\":{}{thought}}}", quoted(words))
}

/// The parts of the provider's own that belong to a text.
fn own(words: &Words) -> Vec<String> {
    let own = opaque::of_text(NAME, words.opaque.as_deref());
    let part = |raw: &str| {
        let object = Object::read(raw);
        let is_signature = object.is_some_and(|object| object.entries().all(|(key, _)| key == SIGNATURE));
        if is_signature {
            let thought = if words.is_reasoning {
                "\"thought\":true,"
            } else {
                ""
            };
            format!("{{\"text\":\"\",{thought}{}", raw.trim_start_matches('{'))
        } else {
            raw.to_owned()
        }
    };
    own.into_iter().map(part).collect()
}

/// The part of a call; none for one that is not complete.
fn function_call(call: &CallPart) -> Vec<String> {
    if !call.is_sealed {
        return Vec::new();
    }
    let mut function = Members::default();
    if let Some(id) = &call.id {
        function.set("id", quoted(id));
    }
    function.set("name", quoted(&call.name));
    function.set("args", one_line(&arguments(&call.args)));
    let mut part = Members::default();
    part.set("functionCall", function.text());
    let added = opaque::of_call(NAME, call.opaque.as_deref());
    for (key, value) in added.iter().flat_map(Object::entries) {
        part.set(key, value.to_owned());
    }
    vec![part.text()]
}

fn body(head: &ReplyHead, parts: &[String], ended: Option<(&ReplyParts, &Stop)>) -> Members {
    let content = format!("{{\"role\":\"model\",\"parts\":[{}]}}", parts.join(","));
    let mut candidate = Members::default();
    candidate.set("content", content);
    if let Some((reply, stop)) = ended {
        candidate.set("finishReason", quoted(&reason(stop)));
        if let Some(words) = &reply.refusal {
            candidate.set("finishMessage", quoted(words));
        }
    }
    candidate.set("index", "0".to_owned());
    let mut body = Members::default();
    body.set("candidates", format!("[{}]", candidate.text()));
    if let Some(usage) = ended.and_then(|(reply, _)| reply.usage) {
        body.set("usageMetadata", counts(usage).to_string());
    }
    body.set("modelVersion", quoted(&head.model));
    body.set("responseId", quoted(&head.id));
    body
}

fn reason(stop: &Stop) -> String {
    match stop {
        Stop::End | Stop::Calls | Stop::Accepted => "STOP",
        Stop::Length => "MAX_TOKENS",
        // The format knows no refusal by the model.
        Stop::Filter | Stop::Refusal => "SAFETY",
        Stop::Pause | Stop::OwnWork => "PAUSE",
        Stop::BadCall(_) => "MALFORMED_FUNCTION_CALL",
        Stop::Other(word) => word,
    }
    .to_owned()
}

/// The format does not count reasoning among the output.
fn counts(usage: Usage) -> Value {
    let mut counts = serde_json::Map::new();
    let mut set = |key: &str, count: Option<u64>| {
        counts.extend(count.map(|count| (key.to_owned(), json!(count))));
    };
    let thoughts = usage.reasoning.unwrap_or_default();
    set("promptTokenCount", usage.input);
    set("cachedContentTokenCount", usage.cached);
    set(
        "candidatesTokenCount",
        usage.output.map(|all| all.saturating_sub(thoughts)),
    );
    set("thoughtsTokenCount", usage.reasoning);
    let sum = usage
        .input
        .and_then(|input| Some(input.saturating_add(usage.output?)));
    set("totalTokenCount", sum);
    Value::Object(counts)
}
