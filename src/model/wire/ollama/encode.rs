//! Writes the body of an Ollama request.
//!
//! Must not know: sockets, keys.
//!
//! Pure. A request that continues an earlier one repeats its bytes up to where it continues.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::NAME;
use crate::frame::Object;
use crate::wire::Target;
use crate::wire::Thinking;
use crate::wire::common::{
    CONSOLE, answer_schema, arguments, least_thinking, max_output, offered, takes, wire_name,
};
use crate::wire::opaque::{self, Members};
use crate::{Quirks, Request};
use overrule_domain::transcript::{CalledAs, Message, ModelText};

/// Reasoning of the model, as a member that may be left out.
pub const THINKING: &str = "thinking";

/// How much the model thinks, as a member that may be left out.
pub const THINK: &str = "think";

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    think: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    /// Last, because this part grows.
    messages: Vec<Line<'a>>,
}

/// A message on the wire.
#[derive(Serialize)]
struct Line<'a> {
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
    content: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Box<RawValue>>,
}

/// Returns the JSON text of a request in the special forms that the server needs.
pub fn body(target: Target<'_>, request: &Request, quirks: &Quirks) -> String {
    let tools = request.tools.iter().map(|card| {
        json!({"type": "function", "function": {
            "name": card.name,
            "description": card.description,
            "parameters": offered(card, quirks),
        }})
    });
    let mut messages = Vec::with_capacity(request.messages.len() + 1);
    if !request.system.is_empty() {
        messages.push(line("system", Cow::Borrowed(&request.system)));
    }
    messages.extend(request.messages.iter().filter_map(|one| message(one, quirks)));
    let body = Body {
        model: target.model,
        stream: takes(quirks, "stream"),
        options: max_output(target.options, quirks).map(|most| json!({"num_predict": most})),
        think: target
            .options
            .thinking
            .filter(|_| takes(quirks, THINK))
            .map(|thinking| think(thinking, quirks)),
        // It would hold every reply to the schema, calls as well.
        format: answer_schema(target.options, request).filter(|_| request.tools.is_empty()),
        tools: tools.collect(),
        messages,
    };
    serde_json::to_string(&body).unwrap_or_default()
}

/// Most models only know whether to think; for them every level means that they should.
fn think(thinking: Thinking, quirks: &Quirks) -> Value {
    if thinking.is_off() {
        // The format has no level below.
        least_thinking(quirks).map_or(json!(false), |_| json!(Thinking::Low.label()))
    } else {
        json!(thinking.label())
    }
}

fn line<'a>(role: &'static str, content: Cow<'a, str>) -> Line<'a> {
    Line {
        role,
        tool_name: None,
        tool_call_id: None,
        content,
        thinking: None,
        tool_calls: Vec::new(),
    }
}

/// Returns a message in the wire format; none if no part of it is sent.
fn message<'m>(message: &'m Message, quirks: &Quirks) -> Option<Line<'m>> {
    Some(match message {
        Message::User { text, .. } => line("user", Cow::Borrowed(text)),
        Message::Note { text, .. } => line("user", Cow::Owned(format!("{CONSOLE} {text}"))),
        Message::Result {
            wire_id, tool, text, ..
        } => Line {
            tool_name: Some(wire_name(tool)),
            tool_call_id: Some(wire_id),
            ..line("tool", Cow::Borrowed(text))
        },
        Message::Assistant { texts, calls } => {
            let content = joined(texts, |one| !one.reasoning || one.by_operator);
            if content.is_empty() && calls.is_empty() {
                return None;
            }
            let thinking = joined(texts, |one| one.reasoning && !one.by_operator);
            let back = !thinking.is_empty() && takes(quirks, THINKING);
            Line {
                thinking: back.then_some(thinking),
                tool_calls: calls.iter().filter_map(|one| call(one, quirks)).collect(),
                ..line("assistant", Cow::Owned(content))
            }
        }
    })
}

/// The texts of these blocks, joined.
fn joined(texts: &[ModelText], belongs: impl Fn(&ModelText) -> bool) -> String {
    let texts = texts.iter().filter(|one| belongs(one) && !one.text.is_empty());
    texts.map(|one| &*one.text).collect::<Vec<_>>().join("\n\n")
}

fn call(call: &CalledAs, quirks: &Quirks) -> Option<Box<RawValue>> {
    let mut function = Members::default();
    function.set("name", Value::from(&*wire_name(&call.tool)).to_string());
    function.set("arguments", arguments(&call.args));
    let mut members = Members::default();
    members.set("id", Value::from(&*call.wire_id).to_string());
    members.set("function", function.text());
    let added = opaque::of_call(NAME, call.opaque.as_deref());
    for (key, value) in added.iter().flat_map(Object::entries) {
        if takes(quirks, key) {
            members.set(key, value.to_owned());
        }
    }
    RawValue::from_string(members.text()).ok()
}
