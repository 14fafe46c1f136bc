//! Writes a Messages reply, streamed or as one JSON text.
//!
//! Must not know: sockets, who decides about calls.

use serde_json::{Value, json};

use super::NAME;
use crate::frame::{self, Object};
use crate::wire::agent::json::{one_line, quoted, with_member};
use crate::wire::agent::{CallPart, Frames, ReplyHead, ReplyPart, ReplyParts, Words};
use crate::wire::common::arguments;
use crate::wire::opaque::{self, Members};
use overrule_domain::turn::{Stop, Usage};

/// Writes the frames of one reply.
pub struct MessagesFrames {
    head: ReplyHead,
    /// The number of the next block.
    index: usize,
    calls: usize,
    /// The newest block of text or reasoning, whose end was not written: progress can be shown in it.
    open: Option<bool>,
}

fn event(name: &str, members: &str) -> String {
    let members = one_line(members);
    format!("event: {name}\ndata: {{\"type\":\"{name}\"{members}}}\n\n")
}

impl MessagesFrames {
    /// Creates a writer.
    pub fn new(head: ReplyHead) -> Self {
        Self {
            head,
            index: 0,
            calls: 0,
            open: None,
        }
    }

    fn start(&mut self, block: &str) -> String {
        let end = self.close();
        let index = self.index;
        end + &event(
            "content_block_start",
            &format!(",\"index\":{index},\"content_block\":{block}"),
        )
    }

    fn delta(&self, delta: &str) -> String {
        let index = self.index;
        event(
            "content_block_delta",
            &format!(",\"index\":{index},\"delta\":{delta}"),
        )
    }

    fn stop(&mut self) -> String {
        let index = self.index;
        self.index += 1;
        event("content_block_stop", &format!(",\"index\":{index}"))
    }

    /// Writes the end that was not written yet.
    fn close(&mut self) -> String {
        match self.open.take() {
            Some(_) => self.stop(),
            None => String::new(),
        }
    }

    /// Writes a block of the provider's own.
    fn block(&mut self, raw: &str) -> String {
        if frame::member(raw, "type") != Some("\"thinking\"") {
            return self.start(raw) + &self.stop();
        }
        let mut out = self.start("{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}");
        out += &self.signed(raw);
        out + &self.stop()
    }

    /// Writes the members of a block of reasoning that are not its words.
    fn signed(&self, raw: &str) -> String {
        let block = Object::read(raw);
        let members = block.iter().flat_map(Object::entries);
        let own = members.filter(|(key, _)| !matches!(*key, "type" | "thinking"));
        own.map(|(key, value)| {
            self.delta(&format!(
                "{{\"type\":\"{SIGNATURE}_delta\",{}:{value}}}",
                quoted(key)
            ))
        })
        .collect()
    }
}

/// The member with the signature of reasoning.
const SIGNATURE: &str = "signature";

impl Frames for MessagesFrames {
    fn begin(&mut self) -> String {
        let mut message = envelope(&self.head);
        message.set("content", "[]".to_owned());
        message.set("stop_reason", "null".to_owned());
        message.set("stop_sequence", "null".to_owned());
        message.set("usage", "{\"input_tokens\":0,\"output_tokens\":0}".to_owned());
        event("message_start", &format!(",\"message\":{}", message.text()))
    }

    fn words(&mut self, is_reasoning: bool, delta: &str, begins: bool) -> String {
        let mut out = String::new();
        if begins {
            out += &self.start(if is_reasoning {
                "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}"
            } else {
                "{\"type\":\"text\",\"text\":\"\"}"
            });
            self.open = Some(is_reasoning);
        }
        let kind = if self.open == Some(true) {
            "thinking"
        } else {
            "text"
        };
        out + &self.delta(&format!(
            "{{\"type\":\"{kind}_delta\",\"{kind}\":{}}}",
            quoted(delta)
        ))
    }

    fn end_words(&mut self, words: &Words, is_begun: bool) -> String {
        let mut out = String::new();
        let mut needs_own = !is_begun;
        for raw in opaque::of_text(NAME, words.opaque.as_deref()) {
            if needs_own {
                out += &self.block(raw);
            } else if self.open == Some(true) {
                out += &self.signed(raw);
                needs_own = true;
            } else {
                for citation in Object::read(raw)
                    .map(|one| one.array("citations"))
                    .unwrap_or_default()
                {
                    out += &self.delta(&format!(
                        "{{\"type\":\"citations_delta\",\"citation\":{citation}}}"
                    ));
                }
            }
        }
        out
    }

    fn call(&mut self, call: &CallPart) -> String {
        let mut out = self.start(&tool_use(call, self.calls, "{}"));
        self.calls += 1;
        if !call.args.is_empty() {
            let args = quoted(&call.args);
            out += &self.delta(&format!(
                "{{\"type\":\"input_json_delta\",\"partial_json\":{args}}}"
            ));
        }
        out + &self.stop()
    }

    fn finish(&mut self, reply: &ReplyParts, stop: &Stop) -> String {
        let mut out = self.close();
        let delta = ending(reply, stop).text();
        let usage = counts(reply.usage.unwrap_or_default());
        out += &event("message_delta", &format!(",\"delta\":{delta},\"usage\":{usage}"));
        out + &event("message_stop", "")
    }

    fn heartbeat(&mut self) -> String {
        match self.open {
            Some(true) => self.delta("{\"type\":\"thinking_delta\",\"thinking\":\"\"}"),
            Some(false) => self.delta("{\"type\":\"text_delta\",\"text\":\"\"}"),
            None => event(
                "message_delta",
                ",\"delta\":{\"stop_reason\":null,\"stop_sequence\":null},\"usage\":{\"output_tokens\":0}",
            ),
        }
    }
}

fn envelope(head: &ReplyHead) -> Members {
    let mut message = Members::default();
    message.set("id", quoted(&head.id));
    message.set("type", "\"message\"".to_owned());
    message.set("role", "\"assistant\"".to_owned());
    message.set("model", quoted(&head.model));
    message
}

/// Returns a whole reply. A call that is not complete cannot be in it.
pub fn whole(head: &ReplyHead, reply: &ReplyParts) -> String {
    let mut blocks = Vec::new();
    let mut calls = 0;
    for part in &reply.parts {
        match part {
            ReplyPart::Words(words) => blocks.extend(spoken(words)),
            ReplyPart::Call(call) if call.is_sealed => {
                blocks.push(tool_use(call, calls, &arguments(&call.args)));
                calls += 1;
            }
            ReplyPart::Call(_) => {}
        }
    }
    let mut message = envelope(head);
    message.set("content", format!("[{}]", blocks.join(",")));
    let stop = reply.stop.as_ref().unwrap_or(&Stop::End);
    let ending = ending(reply, stop);
    for key in ["stop_reason", "stop_sequence", "stop_details"] {
        if let Some(value) = ending.get(key) {
            message.set(key, value.to_owned());
        }
    }
    message.set("usage", counts(reply.usage.unwrap_or_default()).to_string());
    message.text()
}

fn spoken(words: &Words) -> Vec<String> {
    let own = opaque::of_text(NAME, words.opaque.as_deref());
    let text = quoted(&words.text);
    match (words.is_reasoning, own.as_slice()) {
        (false, []) => vec![format!("{{\"type\":\"text\",\"text\":{text}}}")],
        (true, []) if words.text.is_empty() => Vec::new(),
        (true, []) => vec![format!(
            "{{\"type\":\"thinking\",\"thinking\":{text},\"signature\":\"\"}}"
        )],
        (_, own) => own
            .iter()
            .map(|raw| match frame::member(raw, "type") {
                Some("\"thinking\"") => with_member(raw, "thinking", &text),
                _ => (*raw).to_owned(),
            })
            .collect(),
    }
}

fn tool_use(call: &CallPart, number: usize, input: &str) -> String {
    let id = call.id.clone().unwrap_or_else(|| format!("call_{number}"));
    let mut block = Members::default();
    block.set("type", "\"tool_use\"".to_owned());
    block.set("id", quoted(&id));
    block.set("name", quoted(&call.name));
    block.set("input", input.to_owned());
    let added = opaque::of_call(NAME, call.opaque.as_deref());
    for (key, value) in added.iter().flat_map(Object::entries) {
        block.set(key, value.to_owned());
    }
    block.text()
}

fn ending(reply: &ReplyParts, stop: &Stop) -> Members {
    let word = match stop {
        Stop::End | Stop::Accepted => "end_turn",
        Stop::Calls => "tool_use",
        Stop::Length => "max_tokens",
        Stop::Filter => "content_filter",
        Stop::Refusal => "refusal",
        Stop::Pause | Stop::OwnWork => "pause_turn",
        Stop::BadCall(_) => "malformed_tool_use",
        Stop::Other(word) => word,
    };
    let mut delta = Members::default();
    delta.set("stop_reason", quoted(word));
    delta.set("stop_sequence", "null".to_owned());
    if let Some(words) = &reply.refusal {
        let details = json!({"type": "refusal", "explanation": words});
        delta.set("stop_details", details.to_string());
    }
    delta
}

/// The format does not count what its cache has among the input.
fn counts(usage: Usage) -> Value {
    let input = usage.input.unwrap_or_default();
    let hour = usage.cache_write_1h.unwrap_or_default();
    let written = usage
        .cache_write
        .map_or(hour, |tokens| tokens.saturating_add(hour));
    let separate = usage.cached.unwrap_or_default().saturating_add(written);
    let mut counts = json!({
        "input_tokens": input.saturating_sub(separate),
        "output_tokens": usage.output.unwrap_or_default(),
    });
    if let Some(cached) = usage.cached {
        counts["cache_read_input_tokens"] = json!(cached);
    }
    if usage.cache_write.or(usage.cache_write_1h).is_some() {
        counts["cache_creation_input_tokens"] = json!(written);
        counts["cache_creation"] = json!({
            "ephemeral_5m_input_tokens": written - hour,
            "ephemeral_1h_input_tokens": hour,
        });
    }
    if let Some(reasoning) = usage.reasoning {
        counts["output_tokens_details"] = json!({"reasoning_tokens": reasoning});
    }
    counts
}
