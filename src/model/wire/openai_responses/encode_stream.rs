//! Writes a Responses reply, streamed or as one JSON text.
//!
//! Must not know: sockets, who decides about calls.

use serde_json::{Value, json};

use super::NAME;
use super::decode::{TEXT_CALL, is_named};
use super::encode::REASONING;
use crate::frame::{self, Object};
use crate::wire::agent::json::{one_line, quoted, with_member};
use crate::wire::agent::{CallPart, Frames, ReplyHead, ReplyPart, ReplyParts, Words};
use crate::wire::opaque::{self, Members};
use overrule_domain::turn::{Stop, Usage};

/// Writes the frames of one reply.
pub struct ResponsesFrames {
    head: ReplyHead,
    /// The number of the next event.
    sequence: u64,
    /// The items that are complete. The next one has their number as its index.
    items: Vec<String>,
    calls: usize,
    /// The text or reasoning that is open, as far as it was written. Reasoning may have begun as text, and stays that.
    open: Option<(Opened, String)>,
}

/// The kind of an open item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opened {
    Text,
    Reasoning,
}

impl ResponsesFrames {
    /// Creates a writer.
    pub fn new(head: ReplyHead) -> Self {
        Self {
            head,
            sequence: 0,
            items: Vec::new(),
            calls: 0,
            open: None,
        }
    }

    fn event(&mut self, name: &str, members: &str) -> String {
        let (name, number) = (format!("response.{name}"), self.sequence);
        self.sequence += 1;
        let members = one_line(members);
        format!("event: {name}\ndata: {{\"type\":\"{name}\",\"sequence_number\":{number}{members}}}\n\n")
    }

    /// An event about the open item.
    fn about(&mut self, name: &str, prefix: &str, members: &str) -> String {
        let index = self.items.len();
        let place = format!(",\"item_id\":\"{prefix}_{index}\",\"output_index\":{index}");
        self.event(name, &format!("{place}{members}"))
    }

    fn added(&mut self, item: &str) -> String {
        let index = self.items.len();
        self.event(
            "output_item.added",
            &format!(",\"output_index\":{index},\"item\":{item}"),
        )
    }

    fn done(&mut self, item: String) -> String {
        let index = self.items.len();
        let out = self.event(
            "output_item.done",
            &format!(",\"output_index\":{index},\"item\":{item}"),
        );
        self.items.push(item);
        out
    }

    /// Writes a whole item of the provider's own.
    fn item(&mut self, raw: &str) -> String {
        let mut out = self.added(raw);
        if is_reasoning(raw) {
            // Its words were streamed with another item, or they are unreadable.
            out += &self.about(
                "reasoning_summary_text.delta",
                "rs",
                ",\"summary_index\":0,\"delta\":\"\"",
            );
        }
        out + &self.done(raw.to_owned())
    }

    fn response(&self, ended: Option<(&ReplyParts, &Stop)>) -> Members {
        let items = ended.map(|_| self.items.clone()).unwrap_or_default();
        response(&self.head, &items, ended)
    }

    fn refused(&mut self, words: &str) -> String {
        let words = quoted(words);
        let part = |text: &str| format!("{{\"type\":\"refusal\",\"refusal\":{text}}}");
        let mut out = self.added(&message(self.items.len(), "in_progress", ""));
        let place = ",\"content_index\":0";
        out += &self.about(
            "content_part.added",
            "msg",
            &format!("{place},\"part\":{}", part("\"\"")),
        );
        out += &self.about("refusal.delta", "msg", &format!("{place},\"delta\":{words}"));
        out += &self.about("refusal.done", "msg", &format!("{place},\"refusal\":{words}"));
        out += &self.about(
            "content_part.done",
            "msg",
            &format!("{place},\"part\":{}", part(&words)),
        );
        out + &self.done(message(self.items.len(), "completed", &part(&words)))
    }

    fn end_text(&mut self, text: &str, phase: Option<&str>) -> String {
        let text = quoted(text);
        let part = output_text(&text);
        let place = ",\"content_index\":0";
        let mut out = self.about(
            "output_text.done",
            "msg",
            &format!("{place},\"text\":{text},\"logprobs\":[]"),
        );
        out += &self.about("content_part.done", "msg", &format!("{place},\"part\":{part}"));
        let mut item = message(self.items.len(), "completed", &part);
        if let Some(phase) = phase {
            item = with_member(&item, "phase", phase);
        }
        out + &self.done(item)
    }

    fn end_reasoning(&mut self, text: &str, own: Option<&str>) -> String {
        let text = quoted(text);
        let part = format!("{{\"type\":\"summary_text\",\"text\":{text}}}");
        let place = ",\"summary_index\":0";
        let mut out = self.about(
            "reasoning_summary_text.done",
            "rs",
            &format!("{place},\"text\":{text}"),
        );
        out += &self.about(
            "reasoning_summary_part.done",
            "rs",
            &format!("{place},\"part\":{part}"),
        );
        let item = own.map_or_else(|| reasoning(self.items.len(), &part), str::to_owned);
        out + &self.done(item)
    }
}

impl Frames for ResponsesFrames {
    fn begin(&mut self) -> String {
        let response = self.response(None).text();
        let members = format!(",\"response\":{response}");
        self.event("created", &members) + &self.event("in_progress", &members)
    }

    fn words(&mut self, is_reasoning: bool, delta: &str, begins: bool) -> String {
        let mut out = String::new();
        if begins {
            let kind = if is_reasoning {
                Opened::Reasoning
            } else {
                Opened::Text
            };
            self.open = Some((kind, String::new()));
        }
        if begins && is_reasoning {
            out += &self.added(&reasoning(self.items.len(), ""));
            let part = ",\"summary_index\":0,\"part\":{\"type\":\"summary_text\",\"text\":\"\"}";
            out += &self.about("reasoning_summary_part.added", "rs", part);
        } else if begins {
            out += &self.added(&message(self.items.len(), "in_progress", ""));
            let part = format!(",\"content_index\":0,\"part\":{}", output_text("\"\""));
            out += &self.about("content_part.added", "msg", &part);
        }
        let piece = quoted(delta);
        let Some((kind, text)) = &mut self.open else {
            return out;
        };
        text.push_str(delta);
        out + &match kind {
            Opened::Reasoning => {
                let members = format!(",\"summary_index\":0,\"delta\":{piece}");
                self.about("reasoning_summary_text.delta", "rs", &members)
            }
            Opened::Text => {
                let members = format!(",\"content_index\":0,\"delta\":{piece},\"logprobs\":[]");
                self.about("output_text.delta", "msg", &members)
            }
        }
    }

    fn end_words(&mut self, words: &Words, _: bool) -> String {
        let mut own = opaque::of_text(NAME, words.opaque.as_deref());
        let mut out = match self.open.take() {
            Some((Opened::Reasoning, text)) => {
                let at = own.iter().position(|raw| is_reasoning(raw));
                let first = at.map(|at| own.remove(at));
                self.end_reasoning(&text, first)
            }
            Some((Opened::Text, text)) => {
                let phase = own.iter().find_map(|raw| phase(raw));
                self.end_text(&text, phase)
            }
            None => String::new(),
        };
        for raw in own.into_iter().filter(|raw| phase(raw).is_none()) {
            out += &self.item(raw);
        }
        out
    }

    fn call(&mut self, call: &CallPart) -> String {
        let index = self.items.len();
        let begun = CallPart {
            args: String::new(),
            ..call.clone()
        };
        let mut out = self.added(&with_member(
            &function_call(&begun, index, self.calls),
            "status",
            "\"in_progress\"",
        ));
        if typed(call).is_some() {
            // Its arguments are members of the item.
            out += &self.done(function_call(call, index, self.calls));
            self.calls += 1;
            return out;
        }
        let args = quoted(&call.args);
        let (event, key) = if is_text(call) {
            ("custom_tool_call_input", "input")
        } else {
            ("function_call_arguments", "arguments")
        };
        if !call.args.is_empty() {
            out += &self.about(&format!("{event}.delta"), "fc", &format!(",\"delta\":{args}"));
        }
        out += &self.about(&format!("{event}.done"), "fc", &format!(",\"{key}\":{args}"));
        out += &self.done(function_call(call, index, self.calls));
        self.calls += 1;
        out
    }

    fn finish(&mut self, reply: &ReplyParts, stop: &Stop) -> String {
        let mut out = String::new();
        if let Some(words) = &reply.refusal {
            out += &self.refused(words);
        }
        let name = if incomplete(stop, reply).is_some() {
            "incomplete"
        } else {
            "completed"
        };
        let response = self.response(Some((reply, stop))).text();
        out + &self.event(name, &format!(",\"response\":{response}"))
    }

    fn heartbeat(&mut self) -> String {
        let response = self.response(None).text();
        self.event("in_progress", &format!(",\"response\":{response}"))
    }
}

/// Returns a whole reply.
pub fn whole(head: &ReplyHead, reply: &ReplyParts) -> String {
    let mut items: Vec<String> = Vec::new();
    let mut calls = 0;
    for part in &reply.parts {
        match part {
            ReplyPart::Words(words) => spoken(words, &mut items),
            ReplyPart::Call(call) => {
                items.push(function_call(call, items.len(), calls));
                calls += 1;
            }
        }
    }
    if let Some(words) = &reply.refusal {
        let part = format!("{{\"type\":\"refusal\",\"refusal\":{}}}", quoted(words));
        items.push(message(items.len(), "completed", &part));
    }
    let stop = reply.stop.as_ref().unwrap_or(&Stop::End);
    response(head, &items, Some((reply, stop))).text()
}

fn spoken(words: &Words, items: &mut Vec<String>) {
    let own = opaque::of_text(NAME, words.opaque.as_deref());
    let has_own = own.iter().any(|raw| is_reasoning(raw));
    let text = quoted(&words.text);
    if !words.is_reasoning {
        let mut item = message(items.len(), "completed", &output_text(&text));
        if let Some(phase) = own.iter().find_map(|raw| phase(raw)) {
            item = with_member(&item, "phase", phase);
        }
        items.push(item);
    } else if !has_own && !words.text.is_empty() {
        let part = format!("{{\"type\":\"summary_text\",\"text\":{text}}}");
        items.push(reasoning(items.len(), &part));
    }
    items.extend(
        own.into_iter()
            .filter(|raw| phase(raw).is_none())
            .map(str::to_owned),
    );
}

fn is_reasoning(raw: &str) -> bool {
    Object::read(raw).is_some_and(|item| item.string("type").as_deref() == Some(REASONING))
}

/// The phase in what belongs to a text.
fn phase(raw: &str) -> Option<&str> {
    frame::member(raw, "phase").filter(|_| frame::member(raw, "type").is_none())
}

fn output_text(text: &str) -> String {
    format!("{{\"type\":\"output_text\",\"text\":{text},\"annotations\":[]}}")
}

fn message(index: usize, status: &str, content: &str) -> String {
    format!(
        "{{\"type\":\"message\",\"id\":\"msg_{index}\",\"status\":\"{status}\",\"role\":\"assistant\",\"content\":[{content}]}}"
    )
}

fn reasoning(index: usize, summary: &str) -> String {
    format!("{{\"type\":\"reasoning\",\"id\":\"rs_{index}\",\"summary\":[{summary}]}}")
}

/// Returns true for a call whose arguments are any text.
fn is_text(call: &CallPart) -> bool {
    let added = opaque::of_call(NAME, call.opaque.as_deref());
    added.is_some_and(|added| added.string("type").as_deref() == Some(TEXT_CALL))
}

/// Returns the type of a call of one of the provider's types.
fn typed(call: &CallPart) -> Option<String> {
    let added = opaque::of_call(NAME, call.opaque.as_deref())?;
    added
        .filled("type")
        .filter(|kind| !is_named(kind))
        .map(String::from)
}

/// Returns the item of a call.
pub fn function_call(call: &CallPart, index: usize, number: usize) -> String {
    let id = call.id.clone().unwrap_or_else(|| format!("call_{number}"));
    let status = if call.is_sealed { "completed" } else { "incomplete" };
    if let Some(kind) = typed(call) {
        let mut item = Members::default();
        for (key, value) in [
            ("type", &*kind),
            ("id", &format!("fc_{index}")),
            ("call_id", &id),
            ("status", status),
        ] {
            item.set(key, quoted(value));
        }
        let args = Object::read(&call.args);
        for (key, value) in args.iter().flat_map(Object::entries) {
            item.set(key, value.to_owned());
        }
        return item.text();
    }
    let mut item = Members::default();
    item.set("type", "\"function_call\"".to_owned());
    item.set("id", format!("\"fc_{index}\""));
    item.set("call_id", quoted(&id));
    item.set("name", quoted(&call.name));
    let key = if is_text(call) { "input" } else { "arguments" };
    item.set(key, quoted(&call.args));
    item.set("status", quoted(status));
    let added = opaque::of_call(NAME, call.opaque.as_deref());
    for (key, value) in added.iter().flat_map(Object::entries) {
        item.set(key, value.to_owned());
    }
    item.text()
}

fn response(head: &ReplyHead, items: &[String], ended: Option<(&ReplyParts, &Stop)>) -> Members {
    let reason = ended.and_then(|(reply, stop)| incomplete(stop, reply));
    let status = match (ended, &reason) {
        (None, _) => "in_progress",
        (_, Some(_)) => "incomplete",
        (_, None) => "completed",
    };
    let mut response = Members::default();
    response.set("id", quoted(&head.id));
    response.set("object", "\"response\"".to_owned());
    response.set("created_at", head.created.to_string());
    response.set("status", quoted(status));
    response.set("error", "null".to_owned());
    let details = reason.map_or(Value::Null, |reason| json!({ "reason": reason }));
    response.set("incomplete_details", details.to_string());
    response.set("model", quoted(&head.model));
    response.set("output", format!("[{}]", items.join(",")));
    // To some agents a finished response without counts is none.
    let usage = ended.map(|(reply, _)| reply.usage.unwrap_or_default());
    response.set("usage", usage.map_or(Value::Null, counts).to_string());
    response
}

/// Why a reply is incomplete; none for a complete one.
fn incomplete(stop: &Stop, reply: &ReplyParts) -> Option<String> {
    let word = match stop {
        Stop::End | Stop::Calls | Stop::Accepted => return None,
        Stop::Refusal if reply.refusal.is_some() => return None,
        Stop::Refusal => "refusal",
        Stop::Length => "max_output_tokens",
        Stop::Filter => "content_filter",
        Stop::Pause | Stop::OwnWork => "pause_turn",
        Stop::BadCall(_) => "malformed_function_call",
        Stop::Other(word) => word,
    };
    Some(word.to_owned())
}

fn counts(usage: Usage) -> Value {
    let (input, output) = (usage.input.unwrap_or_default(), usage.output.unwrap_or_default());
    // Some agents read no reply without the details.
    json!({
        "input_tokens": input,
        "input_tokens_details": {"cached_tokens": usage.cached.unwrap_or_default()},
        "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning.unwrap_or_default()},
        "total_tokens": input.saturating_add(output),
    })
}
