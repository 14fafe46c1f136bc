//! Writes the body of a Responses request.
//!
//! Must not know: sockets, keys.
//!
//! Pure. A request that continues an earlier one repeats its bytes up to where it continues. Nothing is stored at the
//! provider: reasoning goes back encrypted.

#[cfg(test)]
mod tests;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::NAME;
use crate::frame::{self, Object};
use crate::wire::Target;
use crate::wire::ToolChoice;
use crate::wire::common::{
    CONSOLE, Said, answer_schema, arguments, effort, id, in_order, max_output, offered, parallel, takes,
    wire_name,
};
use crate::wire::opaque::{self, Members};
use crate::{Quirk, Quirks, Request};
use overrule_base::canon::hash;
use overrule_domain::event::run::ToolCard;
use overrule_domain::transcript::{CalledAs, Message, ModelText};

/// Encrypted reasoning, as a member that may be left out.
pub const REASONING: &str = "reasoning";
/// How much the model thinks.
pub const EFFORT: &str = "reasoning.effort";
/// Whether the model must call a tool.
const TOOL_CHOICE: &str = "tool_choice";
/// The schema of the answer.
const FORMAT: &str = "text.format";
/// What a text is to the model: a comment or the answer.
const PHASE: &str = "phase";
/// The key of a beginning for the provider's cache.
const CACHE_KEY: &str = "prompt_cache_key";
/// Letters of that key.
const KEY_LENGTH: usize = 32;
/// What the reply should include.
const INCLUDE: &[&str] = &["reasoning.encrypted_content"];

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<bool>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    include: &'a [&'a str],
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "str::is_empty")]
    instructions: &'a str,
    /// Last, because this part grows.
    input: Vec<Box<RawValue>>,
}

/// Returns the JSON text of a request in the special forms that the server needs.
pub fn body(target: Target<'_>, request: &Request, quirks: &Quirks) -> String {
    let (options, has_tools) = (target.options, !request.tools.is_empty());
    let takes = |member: &str| takes(quirks, member);
    let items = request.messages.iter().flat_map(|message| items(message, quirks));
    let body = Body {
        model: target.model,
        stream: takes("stream"),
        store: takes("store").then_some(false),
        include: if takes("include") { INCLUDE } else { &[] },
        max_output_tokens: max_output(options, quirks).filter(|_| takes("max_output_tokens")),
        parallel_tool_calls: parallel(options, quirks).filter(|_| has_tools && takes("parallel_tool_calls")),
        reasoning: options
            .thinking
            .filter(|_| takes(EFFORT))
            .map(|thinking| json!({"effort": effort(thinking, quirks)})),
        tool_choice: options
            .choice(has_tools)
            .map(ToolChoice::label)
            .filter(|_| takes(TOOL_CHOICE)),
        text: answer_schema(options, request)
            .filter(|_| takes(FORMAT))
            .map(|schema| json!({"format": {"type": "json_schema", "name": "answer", "schema": schema}})),
        prompt_cache_key: takes(CACHE_KEY).then(|| cache_key(request)),
        tools: request.tools.iter().map(|card| tool(card, quirks)).collect(),
        instructions: &request.system,
        input: items
            .filter_map(|item| RawValue::from_string(item).ok())
            .collect(),
    };
    serde_json::to_string(&body).unwrap_or_default()
}

/// Returns a key that all requests with this system text have, so that an edited prompt keeps it. The provider sends
/// requests of one key to the machine that has their beginning.
fn cache_key(request: &Request) -> String {
    let mut key = hash("prompt cache", &[request.system.as_bytes()]);
    key.truncate(KEY_LENGTH);
    key
}

/// Names of the members of a request that may be left out.
pub fn members(target: Target<'_>, request: &Request, quirks: &Quirks) -> Vec<String> {
    let mut names: Vec<String> = ["stream", "store", "include", "strict", PHASE, CACHE_KEY]
        .map(str::to_owned)
        .to_vec();
    let options = target.options;
    let asked = [
        (options.max_output.is_some(), "max_output_tokens"),
        (parallel(options, quirks).is_some(), "parallel_tool_calls"),
        (options.thinking.is_some(), EFFORT),
        (options.tool_choice.is_some(), TOOL_CHOICE),
        (options.structured, FORMAT),
    ];
    names.extend(
        asked
            .iter()
            .filter(|(is_set, _)| *is_set)
            .map(|(_, name)| (*name).to_owned()),
    );
    for message in &request.messages {
        let Message::Assistant { calls, .. } = message else {
            continue;
        };
        for added in calls
            .iter()
            .filter_map(|call| opaque::of_call(NAME, call.opaque.as_deref()))
        {
            names.extend(added.entries().map(|(key, _)| key.to_owned()));
        }
    }
    names
}

/// Returns the items of a message.
fn items(message: &Message, quirks: &Quirks) -> Vec<String> {
    match message {
        Message::User { text, .. } => vec![spoken("user", text)],
        Message::Note { text, .. } => vec![spoken("user", &format!("{CONSOLE} {text}"))],
        Message::Result { wire_id, text, .. } => {
            let mut members = Members::default();
            members.set("type", "\"function_call_output\"".to_owned());
            members.set("call_id", Value::from(&*id(wire_id, quirks)).to_string());
            members.set("output", Value::from(&**text).to_string());
            vec![members.text()]
        }
        Message::Assistant { texts, calls } => {
            let said = in_order(texts, calls).into_iter();
            let items = said.flat_map(|one| match one {
                Said::Words(one) => assistant(one, quirks),
                Said::Call(one) => vec![call(one, quirks)],
            });
            let mut items: Vec<String> = items.collect();
            // The provider refuses reasoning without the item that it led to.
            while items.pop_if(|item| is_reasoning(item)).is_some() {}
            items
        }
    }
}

fn is_reasoning(item: &str) -> bool {
    let kind = frame::member(item, "type").and_then(frame::string);
    kind.as_deref() == Some(REASONING)
}

fn spoken(role: &str, text: &str) -> String {
    let mut members = Members::default();
    members.set("role", Value::from(role).to_string());
    members.set("content", Value::from(text).to_string());
    members.text()
}

/// Text of the model: items of the provider's own come before the text that they came with.
fn assistant(one: &ModelText, quirks: &Quirks) -> Vec<String> {
    let mut items = Vec::new();
    let mut message = Members::default();
    message.set("role", "\"assistant\"".to_owned());
    message.set("content", Value::from(&*one.text).to_string());
    for raw in opaque::of_text(NAME, one.opaque.as_deref()) {
        let Some(item) = Object::read(raw) else { continue };
        match (item.string("type"), item.get(PHASE)) {
            (Some(name), _) if name == REASONING && !takes(quirks, REASONING) => {}
            (Some(_), _) => items.push(raw.to_owned()),
            (None, Some(phase)) if takes(quirks, PHASE) => message.set(PHASE, phase.to_owned()),
            (None, _) => {}
        }
    }
    if (!one.reasoning || one.by_operator) && !one.text.trim().is_empty() {
        items.push(message.text());
    }
    items
}

fn call(call: &CalledAs, quirks: &Quirks) -> String {
    let mut members = Members::default();
    members.set("type", "\"function_call\"".to_owned());
    members.set("call_id", Value::from(&*id(&call.wire_id, quirks)).to_string());
    members.set("name", Value::from(&*wire_name(&call.tool)).to_string());
    members.set("arguments", Value::from(arguments(&call.args)).to_string());
    let added = opaque::of_call(NAME, call.opaque.as_deref());
    for (key, value) in added.iter().flat_map(Object::entries) {
        // A call of another type is sent as one of a function.
        if takes(quirks, key) && key != "type" {
            members.set(key, value.to_owned());
        }
    }
    members.text()
}

fn tool(card: &ToolCard, quirks: &Quirks) -> Value {
    let is_strict = quirks.contains(&Quirk::StrictSchemas);
    let mut tool = json!({
        "type": "function",
        "name": card.name,
        "description": card.description,
        "parameters": offered(card, quirks),
    });
    if takes(quirks, "strict") {
        tool["strict"] = json!(is_strict);
    }
    tool
}
