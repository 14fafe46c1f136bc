//! The calls in a reply of the Chat format: `tool_calls` of a choice.
//!
//! Must not know: who decided.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Calls, Changes, change};
use crate::proxy::events::{Form, RawEvent, event};

/// The calls of a reply.
#[derive(Default)]
pub(super) struct Chat {
    calls: usize,
    /// The newest call under each index of each choice, with its id.
    open: BTreeMap<(u64, u64), (usize, Option<String>)>,
    /// The calls whose beginning the agent has.
    begun: Vec<usize>,
    /// Members of every event of the reply.
    shape: Option<Value>,
}

/// The entries of the calls in one event, in order, with the choice of each.
fn entries<'d>(data: &'d Value, member: &str) -> Vec<(u64, &'d Value)> {
    let choices = data["choices"].as_array().into_iter().flatten();
    choices
        .flat_map(|choice| {
            let entries = choice[member]["tool_calls"].as_array().into_iter().flatten();
            entries.map(|entry| (choice["index"].as_u64().unwrap_or_default(), entry))
        })
        .collect()
}

impl Chat {
    /// The number of the call of an entry; a new id under a used index is another call.
    fn number(&mut self, choice: u64, at: usize, entry: &Value) -> usize {
        let index = entry["index"].as_u64().unwrap_or(at as u64);
        let id = entry["id"].as_str().filter(|id| !id.is_empty());
        match self.open.get_mut(&(choice, index)) {
            Some((number, known)) if id.is_none() || known.is_none() || known.as_deref() == id => {
                if known.is_none() {
                    *known = id.map(str::to_owned);
                }
                *number
            }
            _ => {
                let number = self.calls;
                self.calls += 1;
                self.open.insert((choice, index), (number, id.map(str::to_owned)));
                number
            }
        }
    }
}

impl Calls for Chat {
    fn of(&mut self, event: &RawEvent) -> Vec<usize> {
        let Some(data) = &event.data else {
            return Vec::new();
        };
        let member = if event.form == Form::Whole {
            "message"
        } else {
            "delta"
        };
        let entries = entries(data, member).into_iter().enumerate();
        entries
            .map(|(at, (choice, entry))| self.number(choice, at, entry))
            .collect()
    }

    fn written(&mut self, raw: &RawEvent, calls: &[usize], changes: &Changes) -> Vec<u8> {
        let Some(data) = &raw.data else {
            return raw.bytes.clone();
        };
        if raw.form == Form::Stream {
            self.shape.get_or_insert_with(|| shape(data));
        }
        if !calls.iter().any(|call| changes.contains_key(call)) {
            return raw.bytes.clone();
        }
        let whole = raw.form == Form::Whole;
        let member = if whole { "message" } else { "delta" };
        let mut data = data.clone();
        let mut numbers = calls.iter();
        for choice in data["choices"].as_array_mut().into_iter().flatten() {
            let Some(entries) = choice[member]["tool_calls"].as_array_mut() else {
                continue;
            };
            entries.retain_mut(|entry| {
                let Some(number) = numbers.next().copied() else {
                    return true;
                };
                let Some((tool, args)) = change(changes, number) else {
                    return true;
                };
                if !whole && self.begun.contains(&number) {
                    return false;
                }
                self.begun.push(number);
                entry["function"] = json!({"name": tool, "arguments": args});
                true
            });
            if entries.is_empty()
                && let Some(delta) = choice[member].as_object_mut()
            {
                delta.shift_remove("tool_calls");
            }
        }
        if says_nothing(&data) {
            return Vec::new();
        }
        raw.with(&data)
    }

    fn heartbeat(&mut self) -> Vec<u8> {
        let mut data = self.shape.clone().unwrap_or_else(
            || json!({"id": "", "object": "chat.completion.chunk", "created": 0, "model": ""}),
        );
        data["choices"] = json!([{"index": 0, "delta": {}, "finish_reason": null}]);
        event("", &data)
    }
}

/// The members that every event of a reply repeats.
fn shape(data: &Value) -> Value {
    let mut shape = json!({});
    for key in ["id", "object", "created", "model", "system_fingerprint"] {
        if let Some(value) = data.get(key) {
            shape[key] = value.clone();
        }
    }
    shape
}

/// True for an event that has no content apart from what was dropped.
fn says_nothing(data: &Value) -> bool {
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
