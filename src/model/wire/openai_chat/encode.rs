//! Writes the body of a request.
//!
//! Must not know: sockets, keys.
//!
//! Pure. A request that continues an earlier one repeats its bytes up to where it continues, so that
//! providers can reuse what they computed.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::reshape;
use crate::frame::{self, Object};
use crate::wire::Target;
use crate::wire::ToolChoice;
use crate::wire::common::{
    CONSOLE, answer_schema, arguments, effort, id, max_output, offered, parallel, takes, wire_name,
};
use crate::wire::opaque;
use crate::wire::parts::{CALL, FUNCTION};
use crate::{Quirk, Quirks, Request};
use overrule_domain::event::run::ToolCard;
use overrule_domain::transcript::{CalledAs, Message, ModelText};

/// The signature of a call without one, as Gemini documents it for calls that none of its models
/// made.
const PLACEHOLDER: &str = r#"{"google":{"thought_signature":"skip_thought_signature_validator"}}"#;
/// How much the model thinks.
const EFFORT: &str = "reasoning_effort";
/// Whether the model must call a tool.
const TOOL_CHOICE: &str = "tool_choice";
/// The schema of the answer.
const RESPONSE_FORMAT: &str = "response_format";
/// The member of a call that contains the signature.
const EXTRA_CONTENT: &str = "extra_content";

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    /// Last, because this part grows.
    messages: Vec<Wire<'a>>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

/// A message on the wire.
#[derive(Serialize)]
pub(super) struct Wire<'a> {
    /// Who speaks.
    pub role: &'static str,
    /// The call that a result belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<Cow<'a, str>>,
    /// The text.
    pub content: Option<String>,
    /// The calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<WireCall<'a>>,
    /// The reasoning, for a server that expects it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_content: Option<String>,
    /// Signed blocks, for a server that expects them back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasoning_details: Vec<Box<RawValue>>,
}

#[derive(Serialize)]
pub(super) struct WireCall<'a> {
    id: Cow<'a, str>,
    r#type: &'static str,
    function: Function<'a>,
    #[serde(flatten)]
    added: Added<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: Cow<'a, str>,
    arguments: String,
    #[serde(flatten)]
    added: Added<'a>,
}

/// Members that the provider added, byte for byte.
struct Added<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl Serialize for Added<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// Returns the JSON text of a request in the special forms that the server needs.
pub fn body(target: Target<'_>, request: &Request, quirks: &Quirks) -> String {
    let takes = |member: &str| takes(quirks, member);
    let options = target.options;
    let mut messages = Vec::with_capacity(request.messages.len() + 1);
    if !request.system.is_empty() {
        let role = if quirks.contains(&Quirk::DeveloperRole) {
            "developer"
        } else {
            "system"
        };
        messages.push(plain(role, request.system.to_string()));
    }
    messages.extend(request.messages.iter().filter_map(|one| message(one, quirks)));
    reshape::reshape(&mut messages, quirks);
    let stream = takes("stream");
    let limit = |name: &str, other: bool| {
        let is_other = quirks.contains(&Quirk::CompletionTokens);
        max_output(options, quirks).filter(|_| is_other == other && takes(name))
    };
    let has_tools = !request.tools.is_empty();
    let body = Body {
        model: target.model,
        stream,
        stream_options: (stream && takes("stream_options")).then_some(StreamOptions { include_usage: true }),
        max_tokens: limit("max_tokens", false),
        max_completion_tokens: limit("max_completion_tokens", true),
        parallel_tool_calls: parallel(options, quirks).filter(|_| has_tools && takes("parallel_tool_calls")),
        reasoning_effort: options
            .thinking
            .map(|thinking| effort(thinking, quirks))
            .filter(|_| takes(EFFORT)),
        tool_choice: options
            .choice(has_tools)
            .map(ToolChoice::label)
            .filter(|_| takes(TOOL_CHOICE)),
        response_format: answer_schema(options, request)
            .filter(|_| takes(RESPONSE_FORMAT))
            .map(
                |schema| json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}),
            ),
        tools: request.tools.iter().map(|card| tool(card, quirks)).collect(),
        messages,
    };
    serde_json::to_string(&body).unwrap_or_default()
}

/// Names of the members of a request that may be left out.
pub fn members(target: Target<'_>, request: &Request, quirks: &Quirks) -> Vec<String> {
    let mut names: BTreeSet<String> = ["stream", "stream_options"].map(str::to_owned).into();
    let options = target.options;
    if options.max_output.is_some() {
        names.extend(["max_tokens", "max_completion_tokens"].map(str::to_owned));
    }
    let asked = [
        (options.thinking.is_some(), EFFORT),
        (options.tool_choice.is_some(), TOOL_CHOICE),
        (options.structured, RESPONSE_FORMAT),
        (options.parallel_calls.is_some(), "parallel_tool_calls"),
    ];
    names.extend(
        asked
            .iter()
            .filter(|(is_set, _)| *is_set)
            .map(|(_, name)| (*name).to_owned()),
    );
    let of_quirks = [
        (Quirk::SingleCalls, "parallel_tool_calls"),
        (Quirk::ReasoningBack, "reasoning_content"),
        (Quirk::SignaturesBack, "reasoning_details"),
        (Quirk::PlaceholderSignatures, EXTRA_CONTENT),
        (Quirk::StrictSchemas, "strict"),
    ];
    let in_force = of_quirks.into_iter().filter(|(quirk, _)| quirks.contains(quirk));
    names.extend(in_force.map(|(_, name)| name.to_owned()));
    for message in &request.messages {
        let Message::Assistant { calls, .. } = message else {
            continue;
        };
        for added in calls
            .iter()
            .filter_map(|call| Object::read(call.opaque.as_deref()?))
        {
            let own = added.entries().map(|(key, _)| key.to_owned());
            names.extend(own.filter(|key| key != "function"));
            let inner = added.object("function");
            names.extend(
                inner
                    .iter()
                    .flat_map(|inner| inner.entries().map(|(key, _)| key.to_owned())),
            );
        }
    }
    names.into_iter().collect()
}

/// A message with text alone.
pub(super) fn plain(role: &'static str, content: String) -> Wire<'static> {
    Wire {
        role,
        tool_call_id: None,
        content: Some(content),
        tool_calls: Vec::new(),
        reasoning_content: None,
        reasoning_details: Vec::new(),
    }
}

/// Returns a message in the wire format; none if no part of it is sent.
fn message<'m>(message: &'m Message, quirks: &Quirks) -> Option<Wire<'m>> {
    let takes = |member: &str| takes(quirks, member);
    Some(match message {
        Message::User { text, .. } => plain("user", text.to_string()),
        Message::Note { text, .. } => plain("user", format!("{CONSOLE} {text}")),
        Message::Result { wire_id, text, .. } => Wire {
            tool_call_id: Some(id(wire_id, quirks)),
            ..plain("tool", text.to_string())
        },
        Message::Assistant { texts: output, calls } => {
            let content = spoken(output);
            if content.is_none() && calls.is_empty() {
                return None;
            }
            let back = quirks.contains(&Quirk::ReasoningBack) && takes("reasoning_content");
            let signed = quirks.contains(&Quirk::SignaturesBack) && takes("reasoning_details");
            Wire {
                role: "assistant",
                tool_call_id: None,
                content,
                tool_calls: calls
                    .iter()
                    .enumerate()
                    .map(|(place, one)| call(one, place == 0, quirks))
                    .collect(),
                reasoning_content: back.then(|| reasoned(output)),
                reasoning_details: if signed { details(output) } else { Vec::new() },
            }
        }
    })
}

/// Returns the text of the answer; reasoning is not sent back, except as rewritten by the operator.
fn spoken(output: &[ModelText]) -> Option<String> {
    let aloud = output
        .iter()
        .filter(|output| !output.reasoning || output.by_operator);
    let texts: Vec<&str> = aloud
        .map(|output| &*output.text)
        .filter(|text| !text.is_empty())
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// Returns the reasoning of a message unchanged, for a server that expects it back; empty if there
/// was none.
fn reasoned(output: &[ModelText]) -> String {
    let texts: Vec<&str> = output
        .iter()
        .filter(|output| output.reasoning && !output.by_operator)
        .map(|output| &*output.text)
        .filter(|text| !text.is_empty())
        .collect();
    texts.join("\n\n")
}

/// The provider's blocks of a message. A block without its separately streamed text gets it back.
fn details(output: &[ModelText]) -> Vec<Box<RawValue>> {
    let mut all = Vec::new();
    for one in output {
        let Some(list) = one.opaque.as_deref() else {
            continue;
        };
        let is_own = |raw: &&str| {
            !Object::read(raw).is_some_and(|block| block.entries().any(|(key, _)| opaque::is_mark(key)))
        };
        let blocks: Vec<&str> = frame::array(list).into_iter().filter(is_own).collect();
        let is_text = |raw: &&str| Object::read(raw).is_some_and(|block| block.get("text").is_some());
        let texts = blocks.iter().filter(|raw| is_text(raw)).count();
        for raw in blocks {
            let whole = if texts == 1 && is_text(&raw) && one.reasoning {
                with_text(raw, &one.text)
            } else {
                None
            };
            all.extend(RawValue::from_string(whole.unwrap_or_else(|| raw.to_owned())));
        }
    }
    all
}

/// Returns a block with its text.
fn with_text(raw: &str, text: &str) -> Option<String> {
    let mut block: Value = serde_json::from_str(raw).ok()?;
    *block.get_mut("text")? = Value::from(text);
    Some(block.to_string())
}

fn call<'c>(call: &'c CalledAs, is_first: bool, quirks: &Quirks) -> WireCall<'c> {
    let members: &'c str = call.opaque.as_deref().unwrap_or_default();
    let mut own = added(members, CALL, quirks);
    let has_signature = own.iter().any(|(key, _)| key == EXTRA_CONTENT);
    let wants = is_first && quirks.contains(&Quirk::PlaceholderSignatures);
    if wants && !has_signature && takes(quirks, EXTRA_CONTENT) {
        own.extend(raw(PLACEHOLDER).map(|value| (Cow::Borrowed(EXTRA_CONTENT), value)));
    }
    let inner = frame::member(members, "function").unwrap_or_default();
    WireCall {
        id: id(&call.wire_id, quirks),
        r#type: "function",
        function: Function {
            name: wire_name(&call.tool),
            arguments: arguments(&call.args),
            added: Added(added(inner, FUNCTION, quirks)),
        },
        added: Added(own),
    }
}

/// The members of a JSON object that go back to the provider.
fn added<'a>(text: &'a str, made_here: &[&str], quirks: &Quirks) -> Vec<(Cow<'a, str>, &'a RawValue)> {
    let members = Object::read(text).map(Object::into_entries).unwrap_or_default();
    let goes_back = |key: &str| !made_here.contains(&key) && !opaque::is_mark(key) && takes(quirks, key);
    members.into_iter().filter(|(key, _)| goes_back(key)).collect()
}

fn raw(text: &str) -> Option<&RawValue> {
    serde_json::from_str(text).ok()
}

fn tool(card: &ToolCard, quirks: &Quirks) -> Value {
    let is_strict = quirks.contains(&Quirk::StrictSchemas);
    let mut function = json!({
        "name": card.name,
        "description": card.description,
        "parameters": offered(card, quirks),
    });
    if is_strict && takes(quirks, "strict") {
        function["strict"] = json!(true);
    }
    json!({"type": "function", "function": function})
}
