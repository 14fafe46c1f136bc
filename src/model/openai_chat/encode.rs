//! Writes the body of a request. Pure, and stable: a request that continues an earlier one repeats its bytes
//! up to where it continues, so that providers can reuse what they computed. Must not know: sockets, keys.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::quirks::{Quirk, Quirks, short_id};
use crate::domain::event::run::ToolCard;
use crate::domain::transcript::{CalledAs, Message, Said};
use crate::model::Request;

/// The prefix of the console's words to the model, so that they are not taken for the user's.
pub const CONSOLE: &str = "[operator console]";

/// What the model may write instead of a value.
const REFERENCE_PATTERN: &str = "^†.*$";

/// Characters that the name of a tool may have.
const MAX_NAME: usize = 64;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    /// Last, because this part grows.
    messages: Vec<Wire<'a>>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct Wire<'a> {
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<Cow<'a, str>>,
    content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<WireCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
}

#[derive(Serialize)]
struct WireCall<'a> {
    id: Cow<'a, str>,
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: Cow<'a, str>,
    arguments: String,
}

/// The JSON text of a request to a server that wants these things otherwise.
pub fn body(model: &str, request: &Request, quirks: &Quirks) -> String {
    let mut messages = Vec::with_capacity(request.messages.len() + 1);
    if !request.system.is_empty() {
        messages.push(plain("system", request.system.to_string()));
    }
    messages.extend(request.messages.iter().filter_map(|one| message(one, quirks)));
    let body = Body {
        model,
        stream: true,
        stream_options: (!quirks.contains(&Quirk::NoStreamOptions))
            .then_some(StreamOptions { include_usage: true }),
        tools: request.tools.iter().map(tool).collect(),
        messages,
    };
    serde_json::to_string(&body).unwrap_or_default()
}

fn plain(role: &'static str, content: String) -> Wire<'static> {
    Wire {
        role,
        tool_call_id: None,
        content: Some(content),
        tool_calls: Vec::new(),
        reasoning_content: None,
    }
}

/// A message as the wire has it; none where nothing of it is sent.
fn message<'m>(message: &'m Message, quirks: &Quirks) -> Option<Wire<'m>> {
    Some(match message {
        Message::User { text, .. } => plain("user", text.to_string()),
        Message::Note { text, .. } => plain("user", format!("{CONSOLE} {text}")),
        Message::Result { wire_id, text, .. } => Wire {
            tool_call_id: Some(id(wire_id, quirks)),
            ..plain("tool", text.to_string())
        },
        Message::Assistant { said, calls } => {
            let content = spoken(said);
            if content.is_none() && calls.is_empty() {
                return None;
            }
            Wire {
                role: "assistant",
                tool_call_id: None,
                content,
                tool_calls: calls.iter().map(|one| call(one, quirks)).collect(),
                reasoning_content: (quirks.contains(&Quirk::ReasoningBack) && !calls.is_empty())
                    .then(|| reasoned(said))
                    .flatten(),
            }
        }
    })
}

/// Returns what was said aloud; reasoning is not sent back, except as rewritten by the operator.
fn spoken(said: &[Said]) -> Option<String> {
    let texts: Vec<&str> = said
        .iter()
        .filter(|said| !said.reasoning || said.by_operator)
        .map(|said| &*said.text)
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// The reasoning of a message as it came, for a server that wants it back.
fn reasoned(said: &[Said]) -> Option<String> {
    let texts: Vec<&str> = said
        .iter()
        .filter(|said| said.reasoning && !said.by_operator)
        .map(|said| &*said.text)
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// The id of a call as the server takes it.
fn id<'i>(id: &'i str, quirks: &Quirks) -> Cow<'i, str> {
    if quirks.contains(&Quirk::ShortIds) {
        Cow::Owned(short_id(id))
    } else {
        Cow::Borrowed(id)
    }
}

fn call<'c>(call: &'c CalledAs, quirks: &Quirks) -> WireCall<'c> {
    WireCall {
        id: id(&call.wire_id, quirks),
        r#type: "function",
        function: Function {
            name: wire_name(&call.tool),
            arguments: arguments(&call.args),
        },
    }
}

/// The name of a called tool as servers take it. A model may have made one up, and servers refuse every request that
/// repeats it; the result says which tool there is not.
fn wire_name(name: &str) -> Cow<'_, str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(fits) {
        return Cow::Borrowed(name);
    }
    let name: String = name
        .chars()
        .take(MAX_NAME)
        .map(|c| if fits(c) { c } else { '_' })
        .collect();
    Cow::Owned(if name.is_empty() {
        "unnamed".to_owned()
    } else {
        name
    })
}

/// The exact argument text where it is a JSON object. Servers read it, and refuse the whole request
/// for anything else: then the text is sent inside of an object, for the model to see.
fn arguments(text: &Arc<str>) -> String {
    let text = text.as_ref();
    if matches!(text.trim(), "" | "null") {
        return "{}".to_owned();
    }
    let valid = serde_json::from_str::<IgnoredAny>(text).is_ok();
    if valid && text.trim_start().starts_with('{') {
        text.to_owned()
    } else {
        json!({ "_unreadable": text }).to_string()
    }
}

fn tool(card: &ToolCard) -> Value {
    let schema = serde_json::from_str(&card.schema).unwrap_or(Value::Null);
    json!({
        "type": "function",
        "function": {
            "name": card.name,
            "description": card.description,
            "parameters": widen(&schema),
        },
    })
}

/// Converts a tool's schema to the one offered to the model: every value may also be a reference, and two
/// optional properties name the call and the place for its result.
pub fn widen(schema: &Value) -> Value {
    let mut wide = schema.clone();
    if !wide.is_object() {
        wide = json!({});
    }
    widen_inside(&mut wide);
    let Some(root) = wide.as_object_mut() else {
        return wide;
    };
    root.entry("type").or_insert_with(|| json!("object"));
    let properties = root.entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        properties.entry("_as").or_insert_with(|| {
            json!({
                "type": "string",
                "pattern": "^[a-z][a-z0-9_]{0,31}$",
                "description": "Optional name for this call. Any value of a later call, also in the same answer, \
                    may then be the string `†call.<name>`: it stands for this call's result and makes that call wait for it.",
            })
        });
        properties.entry("_out").or_insert_with(|| {
            json!({
                "type": "string",
                "description": "Optional place to keep the result as well, such as `†state.findings`.",
            })
        });
    }
    wide
}

/// Widens the subschemas of a schema.
fn widen_inside(schema: &mut Value) {
    let Some(schema) = schema.as_object_mut() else {
        return;
    };
    for key in ["properties", "patternProperties"] {
        if let Some(parts) = schema.get_mut(key).and_then(Value::as_object_mut) {
            parts.values_mut().for_each(widen_value);
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(part) = schema.get_mut(key).filter(|part| part.is_object()) {
            widen_value(part);
        }
    }
    for key in ["prefixItems", "items"] {
        if let Some(parts) = schema.get_mut(key).and_then(Value::as_array_mut) {
            parts.iter_mut().for_each(widen_value);
        }
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        if let Some(parts) = schema.get_mut(key).and_then(Value::as_array_mut) {
            parts.iter_mut().for_each(widen_inside);
        }
    }
    for key in ["$defs", "definitions"] {
        if let Some(parts) = schema.get_mut(key).and_then(Value::as_object_mut) {
            parts.values_mut().for_each(widen_inside);
        }
    }
}

/// Adds "or a reference" to the schema of one value, unless it accepts any text already.
fn widen_value(schema: &mut Value) {
    widen_inside(schema);
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    if takes_any_text(object) {
        return;
    }
    let mut wide = serde_json::Map::new();
    // What a reader needs stays first.
    for key in ["title", "description", "default"] {
        if let Some(value) = object.shift_remove(key) {
            wide.insert(key.to_owned(), value);
        }
    }
    let reference = json!({"type": "string", "pattern": REFERENCE_PATTERN});
    wide.insert("anyOf".to_owned(), json!([std::mem::take(object), reference]));
    *object = wide;
}

fn takes_any_text(schema: &serde_json::Map<String, Value>) -> bool {
    let narrow = [
        "enum",
        "const",
        "pattern",
        "format",
        "minLength",
        "maxLength",
        "anyOf",
        "oneOf",
        "allOf",
        "not",
        "$ref",
    ];
    let text = match schema.get("type") {
        None => true,
        Some(Value::String(kind)) => kind == "string",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "string"),
        Some(_) => false,
    };
    text && !narrow.iter().any(|key| schema.contains_key(*key))
}
