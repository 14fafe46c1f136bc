//! Writes the body of a Gemini request.
//!
//! Must not know: sockets, keys.
//!
//! Pure. A request that continues an earlier one repeats its bytes up to where it continues.

#[cfg(test)]
mod tests;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use serde::Serialize;

use super::NAME;
use crate::frame::Object;
use crate::wire::Target;
use crate::wire::common::{
    CONSOLE, CONTINUE, Said, answer_schema, arguments, in_order, least_thinking, max_output, most_thought,
    offered, takes, wire_name,
};
use crate::wire::opaque::{self, Members};
use crate::wire::{Thinking, ToolChoice};
use crate::{Quirk, Quirks, Request};
use overrule_domain::id::NodeId;
use overrule_domain::transcript::{CalledAs, Message, ModelText};

/// The member with a signature.
pub const SIGNATURE: &str = "thoughtSignature";
/// Tokens of the least that a model can think: <https://ai.google.dev/gemini-api/docs/thinking#set-budget>.
const LEAST_BUDGETS: [(&str, u32); 2] = [("minimal", 128), ("low", 512)];
/// How much the model thinks.
pub const THINKING_CONFIG: &str = "thinkingConfig";
/// The schema of the answer.
pub const RESPONSE_SCHEMA: &str = "responseJsonSchema";
/// The signature of a call without one, as documented for calls that none of the provider's models made.
const PLACEHOLDER: &str = "\"skip_thought_signature_validator\"";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_config: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<Value>,
    /// Last, because this part grows.
    contents: Vec<Turn>,
}

#[derive(Serialize)]
struct Turn {
    role: &'static str,
    parts: Vec<Box<RawValue>>,
}

/// Returns the JSON text of a request in the special forms that the server needs.
pub fn body(target: Target<'_>, request: &Request, quirks: &Quirks) -> String {
    let declared = request.tools.iter().map(|card| {
        json!({
            "name": card.name,
            "description": card.description,
            "parametersJsonSchema": offered(card, quirks),
        })
    });
    let declared: Vec<Value> = declared.collect();
    let has_system = !request.system.trim().is_empty();
    let body = Body {
        system_instruction: has_system.then(|| json!({"parts": [{"text": &*request.system}]})),
        tools: if declared.is_empty() {
            Vec::new()
        } else {
            vec![json!({"functionDeclarations": declared})]
        },
        generation_config: generation_config(target, request, quirks),
        tool_config: target
            .options
            .choice(!request.tools.is_empty())
            .map(|choice| json!({"functionCallingConfig": {"mode": mode(choice)}})),
        contents: contents(&request.messages, quirks),
    };
    serde_json::to_string(&body).unwrap_or_default()
}

fn generation_config(target: Target<'_>, request: &Request, quirks: &Quirks) -> Option<Value> {
    let mut config = serde_json::Map::new();
    let most = max_output(target.options, quirks);
    if let Some(most) = most {
        config.insert("maxOutputTokens".to_owned(), json!(most));
    }
    if let Some(thinking) = target.options.thinking.filter(|_| takes(quirks, THINKING_CONFIG)) {
        config.insert(
            THINKING_CONFIG.to_owned(),
            thinking_config(target.model, thinking, most, quirks),
        );
    }
    if let Some(schema) = answer_schema(target.options, request).filter(|_| takes(quirks, RESPONSE_SCHEMA)) {
        config.insert("responseMimeType".to_owned(), json!("application/json"));
        config.insert(RESPONSE_SCHEMA.to_owned(), schema);
    }
    (!config.is_empty()).then(|| Value::Object(config))
}

/// Returns how much the model thinks: models up to 2.5 count tokens, later ones have levels.
fn thinking_config(model: &str, thinking: Thinking, most: Option<u32>, quirks: &Quirks) -> Value {
    let name = model.rsplit('/').next().unwrap_or(model);
    let counts = name.starts_with("gemini-1") || name.starts_with("gemini-2");
    let least = least_thinking(quirks).filter(|_| thinking.is_off());
    if let Some(level) = least {
        let budget = LEAST_BUDGETS.iter().find(|(known, _)| *known == level);
        let budget = budget.filter(|_| counts).map(|(_, tokens)| tokens);
        budget.map_or_else(
            || json!({"thinkingLevel": level}),
            |tokens| json!({"thinkingBudget": tokens}),
        )
    } else if thinking.is_off() {
        json!({"thinkingBudget": 0})
    } else if counts || matches!(thinking, Thinking::Budget(_)) {
        let budget = thinking.budget().min(most.map_or(u32::MAX, most_thought));
        json!({"thinkingBudget": budget, "includeThoughts": true})
    } else {
        json!({"thinkingLevel": thinking.label(), "includeThoughts": true})
    }
}

const fn mode(choice: ToolChoice) -> &'static str {
    match choice {
        ToolChoice::Auto => "AUTO",
        ToolChoice::Required => "ANY",
        ToolChoice::None => "NONE",
    }
}

/// Returns the contents: everything between two contents of the model is one content of the user, results first.
fn contents(list: &[Message], quirks: &Quirks) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for message in list {
        let (role, members) = match message {
            Message::User { text, .. } => ("user", vec![spoken(text)]),
            Message::Note { text, .. } => ("user", vec![spoken(&format!("{CONSOLE} {text}"))]),
            Message::Result {
                call,
                wire_id,
                tool,
                text,
                is_error,
            } => (
                "user",
                vec![Some(result(*call, wire_id, tool, (text, *is_error)))],
            ),
            Message::Assistant { texts, calls } => ("model", assistant(texts, calls, quirks)),
        };
        let parts = members.into_iter().flatten();
        let parts: Vec<_> = parts
            .filter_map(|part| RawValue::from_string(part).ok())
            .collect();
        match turns.last_mut().filter(|turn| turn.role == role) {
            Some(turn) => turn.parts.extend(parts),
            None if parts.is_empty() => {}
            None => turns.push(Turn { role, parts }),
        }
    }
    // A conversation begins and ends with the user.
    let more = || {
        let parts = spoken(CONTINUE).and_then(|part| RawValue::from_string(part).ok());
        Turn {
            role: "user",
            parts: parts.into_iter().collect(),
        }
    };
    if turns.first().is_some_and(|turn| turn.role == "model") {
        turns.insert(0, more());
    }
    if turns.last().is_some_and(|turn| turn.role == "model") {
        turns.push(more());
    }
    turns
}

fn spoken(text: &str) -> Option<String> {
    (!text.trim().is_empty()).then(|| json!({ "text": text }).to_string())
}

/// The id of a call, if the provider gave one: the console's own ids are not sent.
fn id(call: NodeId, wire_id: &str) -> Option<String> {
    (wire_id != format!("call_{call}")).then(|| Value::from(wire_id).to_string())
}

fn result(call: NodeId, wire_id: &str, tool: &str, (text, is_error): (&str, bool)) -> String {
    let mut members = Members::default();
    if let Some(id) = id(call, wire_id) {
        members.set("id", id);
    }
    members.set("name", Value::from(&*wire_name(tool)).to_string());
    let member = if is_error { "error" } else { "result" };
    members.set("response", json!({ member: text }).to_string());
    format!("{{\"functionResponse\":{}}}", members.text())
}

/// What the model said and called. Reasoning is not sent back; signatures are, on their parts.
fn assistant(texts: &[ModelText], calls: &[CalledAs], quirks: &Quirks) -> Vec<Option<String>> {
    let mut parts = Vec::new();
    let first = calls.first().map(|call| call.node);
    for said in in_order(texts, calls) {
        let one = match said {
            Said::Words(one) => one,
            Said::Call(one) => {
                parts.push(Some(call(one, first == Some(one.node), quirks)));
                continue;
            }
        };
        let own = opaque::of_text(NAME, one.opaque.as_deref());
        let signature = own.iter().rev().find_map(|raw| Object::read(raw)?.get(SIGNATURE));
        let whole = own
            .iter()
            .filter(|raw| Object::read(raw).is_some_and(|part| is_whole(&part)));
        parts.extend(whole.map(|raw| Some((*raw).to_owned())));
        if one.reasoning && !one.by_operator {
            continue;
        }
        let mut members = Members::default();
        members.set("text", Value::from(&*one.text).to_string());
        if let Some(signature) = signature.filter(|_| takes(quirks, SIGNATURE)) {
            members.set(SIGNATURE, signature.to_owned());
        }
        parts.push((!one.text.trim().is_empty()).then(|| members.text()));
    }
    parts
}

/// Returns true for a part that only the provider understands.
fn is_whole(part: &Object<'_>) -> bool {
    part.entries().any(|(key, _)| key != SIGNATURE)
}

fn call(call: &CalledAs, is_first: bool, quirks: &Quirks) -> String {
    let mut members = Members::default();
    if let Some(id) = id(call.node, &call.wire_id) {
        members.set("id", id);
    }
    members.set("name", Value::from(&*wire_name(&call.tool)).to_string());
    members.set("args", arguments(&call.args));
    let mut part = Members::default();
    part.set("functionCall", members.text());
    let own = opaque::of_call(NAME, call.opaque.as_deref());
    let signature = own.as_ref().and_then(|own| own.get(SIGNATURE));
    let wants = is_first && quirks.contains(&Quirk::PlaceholderSignatures);
    if let Some(signature) = signature
        .or(wants.then_some(PLACEHOLDER))
        .filter(|_| takes(quirks, SIGNATURE))
    {
        part.set(SIGNATURE, signature.to_owned());
    }
    part.text()
}
