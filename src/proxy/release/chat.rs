//! The calls in a reply of the Chat format: `tool_calls` of a choice, or one `function_call`.
//!
//! Must not know: who decided.

use serde_json::{Value, json};

use super::{Calls, Changes, any_changed, change, each, function, in_member, set, without};
use crate::events::{Form, RawEvent, event};
use overrule_model::frame::{self, Object};
use overrule_model::wire::agent::json::with_member;

/// Members that every event of a reply repeats.
const SHAPE: [&str; 5] = ["id", "object", "created", "model", "system_fingerprint"];

/// The calls of a reply.
#[derive(Default)]
pub(super) struct Chat {
    /// The changed calls that the agent has.
    begun: Vec<usize>,
    /// The number of calls that the agent has a part of.
    most: usize,
    /// The members that every event of the reply repeats, as an object.
    shape: Option<String>,
    /// True until the model begins a reply that began here.
    has_own_beginning: bool,
}

fn is_object(raw: &str) -> bool {
    Object::read(raw).is_some()
}

/// The number of entries of calls in a choice. A single one may come without its list, a whole message in a stream.
fn count(choice: &str) -> usize {
    let Some(choice) = Object::read(choice) else {
        return 0;
    };
    let outputs = ["delta", "message"]
        .into_iter()
        .filter_map(|key| choice.object(key));
    let counts = outputs.map(|output| {
        let calls = output.get("tool_calls").unwrap_or("[]");
        let calls = if is_object(calls) {
            1
        } else {
            frame::array(calls)
                .into_iter()
                .filter(|raw| is_object(raw))
                .count()
        };
        calls + usize::from(output.object("function_call").is_some())
    });
    counts.sum()
}

/// What becomes of an entry.
enum Entry<'c> {
    /// It stays.
    Same,
    /// It is a piece of a changed call, which the agent has.
    Gone,
    /// It is this tool with these arguments.
    Changed(&'c str, &'c str),
}

/// Changes the entries of the calls in one event, in order.
struct Editor<'c> {
    numbers: std::slice::Iter<'c, usize>,
    changes: &'c Changes,
    begun: &'c mut Vec<usize>,
}

impl<'c> Editor<'c> {
    fn next(&mut self) -> Entry<'c> {
        let number = self.numbers.next().copied();
        let changed = number.and_then(|number| Some((number, change(self.changes, number)?)));
        let Some((number, (tool, args))) = changed else {
            return Entry::Same;
        };
        if self.begun.contains(&number) {
            return Entry::Gone;
        }
        self.begun.push(number);
        Entry::Changed(tool, args)
    }

    fn entry(&mut self, entry: &str) -> Option<String> {
        if !is_object(entry) {
            return Some(entry.to_owned());
        }
        match self.next() {
            Entry::Same => Some(entry.to_owned()),
            Entry::Gone => None,
            Entry::Changed(tool, args) => Some(changed_entry(entry, tool, args)),
        }
    }

    fn output(&mut self, output: &str) -> String {
        let mut out = output.to_owned();
        match frame::member(output, "tool_calls") {
            Some(one) if is_object(one) => {
                out = match self.entry(one) {
                    Some(new) => set(&out, "tool_calls", &new),
                    None => without(&out, "tool_calls"),
                };
            }
            Some(list) => {
                let new = each(list, |entry| self.entry(entry));
                out = if frame::array(&new).is_empty() {
                    without(&out, "tool_calls")
                } else {
                    set(&out, "tool_calls", &new)
                };
            }
            None => {}
        }
        if let Some(one) = frame::member(output, "function_call").filter(|raw| is_object(raw)) {
            out = match self.next() {
                Entry::Same => out,
                Entry::Gone => without(&out, "function_call"),
                Entry::Changed(tool, args) => set(&out, "function_call", &function(one, tool, args)),
            };
        }
        out
    }

    fn choice(&mut self, choice: &str) -> String {
        ["delta", "message"]
            .into_iter()
            .fold(choice.to_owned(), |choice, key| {
                in_member(&choice, key, |output| {
                    if is_object(output) {
                        self.output(output)
                    } else {
                        output.to_owned()
                    }
                })
            })
    }
}

/// An entry with another call. Of an entry in a form that is not known, index and id stay.
fn changed_entry(entry: &str, tool: &str, args: &str) -> String {
    if let Some(inner) = frame::member(entry, "function").filter(|inner| is_object(inner)) {
        let entry = set(entry, "function", &function(inner, tool, args));
        return without(&entry, "custom");
    }
    let mut new = "{}".to_owned();
    for key in ["index", "id"] {
        if let Some(value) = frame::member(entry, key) {
            new = with_member(&new, key, value);
        }
    }
    let new = with_member(&new, "type", "\"function\"");
    with_member(&new, "function", &function("{}", tool, args))
}

impl Calls for Chat {
    fn of(&mut self, event: &RawEvent, calls: &[usize]) -> Option<Vec<usize>> {
        let choices = event
            .object()
            .map(|data| data.array("choices").into_iter().map(count).sum());
        (choices.unwrap_or(0) == calls.len()).then(|| calls.to_vec())
    }

    fn written(&mut self, raw: &RawEvent, calls: &[usize], changes: &Changes) -> Option<Vec<u8>> {
        let is_whole = raw.form == Form::Whole;
        let is_first = self.shape.is_none() || self.has_own_beginning;
        if let Some(data) = raw.object().filter(|_| !is_whole && is_first) {
            self.has_own_beginning = false;
            let known = SHAPE.into_iter().filter_map(|key| Some((key, data.get(key)?)));
            self.shape = Some(known.fold("{}".to_owned(), |shape, (key, value)| {
                with_member(&shape, key, value)
            }));
        }
        self.most = calls.iter().map(|call| call + 1).fold(self.most, usize::max);
        if !any_changed(changes, calls) {
            return Some(raw.bytes.clone());
        }
        raw.object()?;
        let mut editor = Editor {
            numbers: calls.iter(),
            changes,
            begun: &mut self.begun,
        };
        let data = in_member(&raw.data, "choices", |choices| {
            each(choices, |choice| Some(editor.choice(choice)))
        });
        if !is_whole && says_nothing(&data) {
            return Some(Vec::new());
        }
        Some(raw.with(&data))
    }

    fn heartbeat(&mut self) -> Vec<u8> {
        self.chunk("{}", "null")
    }

    fn opening(&mut self, empty: &str) -> Vec<u8> {
        self.has_own_beginning = true;
        let shape = without(&without(empty, "choices"), "usage");
        self.shape = Some(set(&shape, "object", "\"chat.completion.chunk\""));
        self.chunk("{}", "null")
    }

    fn closing(&mut self, whole: &str) -> Vec<u8> {
        let choice = frame::member(whole, "choices")
            .map(frame::array)
            .unwrap_or_default();
        let choice = choice.first().copied().unwrap_or("{}");
        let message = frame::member(choice, "message").unwrap_or("{}");
        let mut delta = "{}".to_owned();
        for key in ["reasoning_content", "reasoning_details", "content", "tool_calls"] {
            let Some(value) = frame::member(message, key) else {
                continue;
            };
            let mut index = 0..;
            let value = if key == "tool_calls" {
                each(value, |call| {
                    // A call that the agent has keeps its place.
                    let index = self.most + index.next().unwrap_or(0);
                    Some(set(call, "index", &index.to_string()))
                })
            } else {
                value.to_owned()
            };
            delta = with_member(&delta, key, &value);
        }
        let mut bytes = self.chunk(&delta, "null");
        let reason = frame::member(choice, "finish_reason").unwrap_or("\"stop\"");
        bytes.extend(self.chunk("{}", reason));
        if let Some(usage) = frame::member(whole, "usage") {
            let shape = self.shape.as_deref().unwrap_or("{}");
            bytes.extend(event("", &set(&set(shape, "choices", "[]"), "usage", usage)));
        }
        bytes.extend(b"data: [DONE]\n\n");
        bytes
    }
}

impl Chat {
    /// An event of one choice.
    fn chunk(&self, delta: &str, reason: &str) -> Vec<u8> {
        let shape = self.shape.clone().unwrap_or_else(|| {
            json!({"id": "", "object": "chat.completion.chunk", "created": 0, "model": ""}).to_string()
        });
        let choice = format!("[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{reason}}}]");
        event("", &set(&shape, "choices", &choice))
    }
}

/// True for an event that has no content apart from what was dropped.
fn says_nothing(data: &str) -> bool {
    let Ok(data) = serde_json::from_str::<Value>(data) else {
        return false;
    };
    let quiet = |choice: &Value| {
        let delta = choice["delta"].as_object();
        let is_quiet = |value: &Value| value.is_null() || value == "" || value == "assistant";
        choice.get("message").is_none()
            && choice["finish_reason"].is_null()
            && delta.is_some_and(|delta| delta.values().all(is_quiet))
    };
    let choices = data["choices"].as_array();
    data.get("usage").is_none_or(Value::is_null) && choices.is_some_and(|all| all.iter().all(quiet))
}
