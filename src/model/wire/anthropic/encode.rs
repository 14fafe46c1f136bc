//! Writes the body of a Messages request.
//!
//! Must not know: sockets, keys.
//!
//! Pure. A request that continues an earlier one repeats its bytes up to where it continues, except for the marks that
//! tell the provider what to cache: they move to the newest user messages.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::NAME;
use super::decode::OWN_WORK;
use crate::frame::Object;
use crate::wire::Target;
use crate::wire::common::{
    CONSOLE, CONTINUE, Said, answer_schema, arguments, in_order, least_thinking, most_output, most_thought,
    offered, parallel, takes, wire_name,
};
use crate::wire::opaque;
use crate::wire::{Options, Thinking, ToolChoice};
use crate::{Quirk, Quirks, Request};
use overrule_domain::event::run::ToolCard;
use overrule_domain::transcript::{CalledAs, Message, ModelText};

/// Signed reasoning, as a member that may be left out.
pub const THINKING: &str = "thinking";
/// How the model thinks, as a member that may be left out.
pub const THINKING_TYPE: &str = "thinking.type";
/// The schema of the answer.
const OUTPUT_CONFIG: &str = "output_config";
/// Whether the model must call a tool.
const TOOL_CHOICE: &str = "tool_choice";
/// The fewest tokens of thought that the format takes.
const LEAST_BUDGET: u32 = 1024;
/// Tokens for the reply besides its thoughts.
const ROOM: u32 = 8_000;
/// The mark at the end of what the provider should cache.
const CACHE: &str = "cache_control";
/// The limit of a reply. The format requires one; what may be left out is the program's own, for a lower one.
pub const MAX_TOKENS: &str = "max_tokens";
/// Maximum tokens of a reply where none was set.
const LIMIT: u32 = 32_000;
/// The same for the oldest models.
const LOW_LIMIT: u32 = 4096;
/// How many user messages have a mark, the newest first.
const MARKED: usize = 2;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    /// Last, because this part grows.
    messages: Vec<Turn<'a>>,
}

/// A message on the wire.
#[derive(Serialize)]
struct Turn<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Block<'a> {
    /// A block as it came from the provider.
    Raw(Box<RawValue>),
    Own {
        #[serde(flatten)]
        block: Own<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<Value>,
    },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Own<'a> {
    Text {
        text: Cow<'a, str>,
    },
    ToolResult {
        tool_use_id: String,
        content: &'a str,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

/// Returns the JSON text of a request in the special forms that the server needs.
pub fn body(target: Target<'_>, request: &Request, quirks: &Quirks) -> String {
    let caches = takes(quirks, CACHE);
    let mut tools: Vec<Value> = request.tools.iter().map(|card| tool(card, quirks)).collect();
    if let Some(last) = tools.last_mut().filter(|_| caches) {
        last[CACHE] = ephemeral();
    }
    let mut system = Vec::new();
    if !request.system.trim().is_empty() {
        system.push(text(Cow::Borrowed(&request.system)));
    }
    let mut messages = messages(&request.messages, quirks);
    if caches {
        system.last_mut().into_iter().for_each(mark);
        let users = messages.iter_mut().rev().filter(|turn| turn.role == "user");
        for turn in users.take(MARKED) {
            turn.content.last_mut().into_iter().for_each(mark);
        }
    }
    let is_low = target.model.starts_with("claude-3-") || !takes(quirks, MAX_TOKENS);
    let limit = if is_low { LOW_LIMIT } else { LIMIT };
    let thought = thought(target.options, quirks).filter(|_| may_think(&messages));
    let limit = limit.max(thought.map_or(0, |thinking| thinking.budget().saturating_add(ROOM)));
    let most = most_output(quirks);
    let max_tokens = target.options.max_output.unwrap_or(limit).min(most);
    // The limit of a reply counts its thoughts. The program's own has room for both.
    let room = if max_tokens < limit || target.options.max_output.is_some() {
        most_thought(max_tokens)
    } else {
        max_tokens.saturating_sub(1)
    };
    let thinking = thought.and_then(|thinking| thinking_member(thinking, room, quirks));
    let output_config = output_config(target.options, request, quirks, thinking.is_some());
    let body = Body {
        model: target.model,
        max_tokens,
        stream: takes(quirks, "stream"),
        tool_choice: tool_choice(target.options, quirks, !tools.is_empty()),
        thinking,
        output_config,
        tools,
        system,
        messages,
    };
    serde_json::to_string(&body).unwrap_or_default()
}

/// Returns how much the model should think, where that is asked for and the server takes it.
fn thought(options: &Options, quirks: &Quirks) -> Option<Thinking> {
    options.thinking.filter(|_| takes(quirks, THINKING_TYPE))
}

/// Returns false if the results of calls follow a message that begins without a thought: the provider refuses to think
/// then. Such a message is the operator's own or was edited.
fn may_think(messages: &[Turn<'_>]) -> bool {
    let Some(at) = messages.iter().rposition(|turn| turn.role == "assistant") else {
        return true;
    };
    let follows = messages.get(at + 1).and_then(|turn| turn.content.first());
    let has_results = matches!(
        follows,
        Some(Block::Own {
            block: Own::ToolResult { .. },
            ..
        })
    );
    let first = messages.get(at).and_then(|turn| turn.content.first());
    first.is_some_and(is_thought) || !has_results
}

fn thinking_member(thinking: Thinking, room: u32, quirks: &Quirks) -> Option<Value> {
    if thinking.is_off() {
        let least = least_thinking(quirks).map_or("disabled", |_| "adaptive");
        return Some(json!({ "type": least }));
    }
    if quirks.contains(&Quirk::AdaptiveThinking) {
        return Some(json!({"type": "adaptive"}));
    }
    let budget = thinking.budget().min(room);
    (budget >= LEAST_BUDGET).then(|| json!({"type": "enabled", "budget_tokens": budget}))
}

fn output_config(options: &Options, request: &Request, quirks: &Quirks, thinks: bool) -> Option<Value> {
    let mut config = serde_json::Map::new();
    let effort = match options.thinking.filter(|_| thinks) {
        // The format has no level below.
        Some(thinking) if thinking.is_off() => least_thinking(quirks).map(|_| Thinking::Low.label()),
        Some(thinking) => quirks
            .contains(&Quirk::AdaptiveThinking)
            .then_some(thinking.label()),
        None => None,
    };
    if let Some(effort) = effort {
        config.insert("effort".to_owned(), json!(effort));
    }
    if let Some(schema) = answer_schema(options, request).filter(|_| takes(quirks, OUTPUT_CONFIG)) {
        config.insert(
            "format".to_owned(),
            json!({"type": "json_schema", "schema": schema}),
        );
    }
    (!config.is_empty()).then(|| Value::Object(config))
}

fn tool_choice(options: &Options, quirks: &Quirks, has_tools: bool) -> Option<Value> {
    if !has_tools {
        return None;
    }
    let single = parallel(options, quirks) == Some(false);
    let choice = options.choice(has_tools).filter(|_| takes(quirks, TOOL_CHOICE));
    let name = match choice {
        None if !single => return None,
        None | Some(ToolChoice::Auto) => "auto",
        Some(ToolChoice::Required) => "any",
        Some(ToolChoice::None) => return Some(json!({"type": "none"})),
    };
    let mut member = json!({ "type": name });
    if single {
        member["disable_parallel_tool_use"] = json!(true);
    }
    Some(member)
}

/// Names of the members of a request that may be left out.
pub fn members(options: &Options, request: &Request) -> Vec<String> {
    let mut names = vec!["stream".to_owned(), CACHE.to_owned()];
    let asked = [
        (options.thinking.is_some(), THINKING_TYPE),
        (options.structured, OUTPUT_CONFIG),
        (options.tool_choice.is_some(), TOOL_CHOICE),
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
        let added = calls
            .iter()
            .filter_map(|call| opaque::of_call(NAME, call.opaque.as_deref()));
        names.extend(added.flat_map(|added| {
            let own = added.entries().map(|(key, _)| key.to_owned());
            own.collect::<Vec<_>>()
        }));
    }
    names.dedup();
    names
}

fn ephemeral() -> Value {
    json!({"type": "ephemeral"})
}

fn mark(block: &mut Block<'_>) {
    if let Block::Own { cache_control, .. } = block {
        *cache_control = Some(ephemeral());
    }
}

fn text(text: Cow<'_, str>) -> Block<'_> {
    Block::Own {
        block: Own::Text { text },
        cache_control: None,
    }
}

/// Returns the messages: everything between two messages of the model is one message of the user, results first.
fn messages<'m>(list: &'m [Message], quirks: &Quirks) -> Vec<Turn<'m>> {
    let mut turns: Vec<Turn<'m>> = Vec::new();
    for message in list {
        let (role, content) = match message {
            Message::User { text: words, .. } => ("user", spoken(Cow::Borrowed(words))),
            Message::Note { text: words, .. } => ("user", spoken(Cow::Owned(format!("{CONSOLE} {words}")))),
            Message::Result {
                wire_id,
                text,
                is_error,
                ..
            } => ("user", vec![result(wire_id, text, *is_error)]),
            Message::Assistant { texts, calls } => ("assistant", assistant(texts, calls, quirks)),
        };
        if role == "user" {
            end_message(&mut turns);
        }
        match turns.last_mut().filter(|turn| turn.role == role) {
            Some(turn) => turn.content.extend(content),
            None if content.is_empty() => {}
            None => turns.push(Turn { role, content }),
        }
    }
    end_message(&mut turns);
    // A conversation begins and ends with the user.
    if turns.first().is_some_and(|turn| turn.role == "assistant") {
        let content = spoken(Cow::Borrowed(CONTINUE));
        turns.insert(
            0,
            Turn {
                role: "user",
                content,
            },
        );
    }
    let ends_here = |turn: &Turn<'_>| turn.role == "assistant" && !is_paused(turn);
    if turns.last().is_some_and(ends_here) {
        let content = spoken(Cow::Borrowed(CONTINUE));
        turns.push(Turn {
            role: "user",
            content,
        });
    }
    turns
}

/// Ends a message of the model: the provider refuses one that ends in a thought.
fn end_message(turns: &mut Vec<Turn<'_>>) {
    let Some(turn) = turns.last_mut().filter(|turn| turn.role == "assistant") else {
        return;
    };
    while turn.content.pop_if(|block| is_thought(block)).is_some() {}
    if turn.content.is_empty() {
        turns.pop();
    }
}

/// Returns true for a block of thinking.
fn is_thought(block: &Block<'_>) -> bool {
    let Block::Raw(raw) = block else { return false };
    Object::read(raw.get())
        .and_then(|block| block.string("type").map(|name| name.ends_with(THINKING)))
        .unwrap_or(false)
}

/// Returns true for a message in which the provider paused: it is sent back unchanged, and the provider continues it.
fn is_paused(turn: &Turn<'_>) -> bool {
    let Some(Block::Raw(last)) = turn.content.last() else {
        return false;
    };
    Object::read(last.get()).is_some_and(|block| block.string("type").as_deref() == Some(OWN_WORK))
}

/// A block of text; none for a blank one, which the provider refuses.
fn spoken(words: Cow<'_, str>) -> Vec<Block<'_>> {
    if words.trim().is_empty() {
        Vec::new()
    } else {
        vec![text(words)]
    }
}

fn result<'m>(id: &str, content: &'m str, is_error: bool) -> Block<'m> {
    Block::Own {
        block: Own::ToolResult {
            tool_use_id: call_id(id),
            content,
            is_error,
        },
        cache_control: None,
    }
}

/// What the model said and called. Reasoning goes back with its signature, or not at all.
fn assistant<'m>(texts: &'m [ModelText], calls: &'m [CalledAs], quirks: &Quirks) -> Vec<Block<'m>> {
    let mut blocks = Vec::new();
    for said in in_order(texts, calls) {
        let one = match said {
            Said::Words(one) => one,
            Said::Call(one) => {
                blocks.extend(call(one, quirks));
                continue;
            }
        };
        let own = opaque::of_text(NAME, one.opaque.as_deref());
        if one.reasoning && !one.by_operator {
            blocks.extend(
                own.into_iter()
                    .filter_map(|raw| reasoning(raw, &one.text, quirks)),
            );
        } else if own.is_empty() {
            blocks.extend(spoken(Cow::Borrowed(&one.text)));
        } else {
            // Text with citations, block by block.
            let whole = own.into_iter().filter(|raw| !is_blank(raw));
            blocks.extend(
                whole
                    .filter_map(|raw| RawValue::from_string(raw.to_owned()).ok())
                    .map(Block::Raw),
            );
        }
    }
    blocks
}

fn is_blank(raw: &str) -> bool {
    Object::read(raw).is_some_and(|block| block.string("text").is_some_and(|text| text.trim().is_empty()))
}

/// Returns a block of reasoning. Signed reasoning gets its separately streamed text back.
fn reasoning<'m>(raw: &str, words: &str, quirks: &Quirks) -> Option<Block<'m>> {
    let name = Object::read(raw)?.string("type")?.into_owned();
    let is_thought = matches!(name.as_str(), "thinking" | "redacted_thinking");
    if is_thought && !takes(quirks, THINKING) {
        return None;
    }
    let whole = if name == "thinking" {
        with_member(raw, THINKING, &Value::from(words).to_string())?
    } else {
        raw.to_owned()
    };
    RawValue::from_string(whole).ok().map(Block::Raw)
}

/// Returns an object with another value of a member, and every other byte of its values as it was.
fn with_member(raw: &str, key: &str, value: &str) -> Option<String> {
    let mut members = opaque::Members::read(&Object::read(raw)?);
    members.set(key, value.to_owned());
    Some(members.text())
}

fn call<'m>(call: &'m CalledAs, quirks: &Quirks) -> Option<Block<'m>> {
    let mut members = opaque::Members::default();
    members.set("type", "\"tool_use\"".to_owned());
    members.set("id", Value::from(call_id(&call.wire_id)).to_string());
    members.set("name", Value::from(&*wire_name(&call.tool)).to_string());
    members.set("input", arguments(&call.args));
    let added = opaque::of_call(NAME, call.opaque.as_deref());
    for (key, value) in added.iter().flat_map(Object::entries) {
        if takes(quirks, key) {
            members.set(key, value.to_owned());
        }
    }
    RawValue::from_string(members.text()).ok().map(Block::Raw)
}

/// The id of a call in the characters that the provider takes. It stays unique: its end is the console's own number.
fn call_id(id: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    id.chars().map(|c| if fits(c) { c } else { '_' }).collect()
}

fn tool(card: &ToolCard, quirks: &Quirks) -> Value {
    json!({
        "name": card.name,
        "description": card.description,
        "input_schema": offered(card, quirks),
    })
}
