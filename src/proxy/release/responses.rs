//! The calls in a reply of the Responses format: items of type `function_call` and `custom_tool_call`.
//!
//! Must not know: who decided.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Calls, Changes, change};
use crate::proxy::events::{Form, RawEvent, event};

/// The type of a call whose input is any text.
const TEXT: &str = "custom_tool_call";

/// The calls of a reply.
#[derive(Default)]
pub(super) struct Responses {
    calls: usize,
    /// Numbers of the calls by every name of their item.
    named: BTreeMap<String, usize>,
    /// The number of the next event, once one was left out or added.
    next: Option<u64>,
    /// The number of the newest event that was written.
    last: Option<u64>,
    /// The response as it began.
    begun: Option<Value>,
}

fn is_call(item: &Value) -> bool {
    item["type"] == "function_call" || item["type"] == TEXT
}

/// True for the type of an event with this last word.
fn is(kind: &str, last: &str) -> bool {
    kind.rsplit_once('.').is_some_and(|(_, word)| word == last)
}

/// The names of an item in the events about it.
fn names(data: &Value, item: Option<&Value>) -> Vec<String> {
    let mut names = Vec::new();
    if let Some(index) = data["output_index"].as_u64() {
        names.push(format!("at {index}"));
    }
    let ids = [
        data["item_id"].as_str(),
        item.and_then(|item| item["id"].as_str()),
        item.and_then(|item| item["call_id"].as_str()),
    ];
    names.extend(
        ids.into_iter()
            .flatten()
            .filter(|id| !id.is_empty())
            .map(|id| format!("id {id}")),
    );
    names
}

impl Responses {
    fn number(&self, names: &[String]) -> Option<usize> {
        // Ids are stronger than places, which not every server sends.
        names.iter().rev().find_map(|name| self.named.get(name)).copied()
    }

    fn named(&mut self, names: Vec<String>) -> usize {
        let number = self.number(&names).unwrap_or_else(|| {
            self.calls += 1;
            self.calls - 1
        });
        self.named.extend(names.into_iter().map(|name| (name, number)));
        number
    }

    /// The numbers of the calls in a whole response; an unknown one gets the next number.
    fn of_response(&mut self, response: &Value) -> Vec<usize> {
        let items = response["output"].as_array().into_iter().flatten();
        let calls = items
            .filter(|item| is_call(item))
            .map(|item| names(&json!({}), Some(item)));
        let calls: Vec<Vec<String>> = calls.collect();
        calls.into_iter().map(|names| self.named(names)).collect()
    }

    /// The event with its number in the stream that the agent gets.
    fn numbered(&mut self, raw: &RawEvent, data: Option<Value>) -> Vec<u8> {
        let own = raw
            .data
            .as_ref()
            .and_then(|data| data["sequence_number"].as_u64());
        let (Some(own), Some(next)) = (own, self.next) else {
            self.last = own.or(self.last);
            return data.map_or_else(|| raw.bytes.clone(), |data| raw.with(&data));
        };
        self.last = Some(next);
        self.next = Some(next + 1);
        if own == next && data.is_none() {
            return raw.bytes.clone();
        }
        let mut data = data.or_else(|| raw.data.clone()).unwrap_or_default();
        data["sequence_number"] = next.into();
        raw.with(&data)
    }

    /// From here on events are renumbered.
    fn shift(&mut self) {
        if self.next.is_none() {
            self.next = self.last.map(|last| last + 1);
        }
    }

    /// An event that the model did not send.
    fn own(&mut self, name: &str, mut data: Value) -> Vec<u8> {
        self.shift();
        data["type"] = name.into();
        if let Some(next) = &mut self.next {
            data["sequence_number"] = (*next).into();
            self.last = Some(*next);
            *next += 1;
        }
        event(name, &data)
    }
}

/// Changes an item; the text of a call that takes any text is in a member of the arguments.
fn set(item: &mut Value, tool: &str, args: Option<&str>) {
    item["name"] = tool.into();
    let (member, text) = input(item["type"] == TEXT, args);
    item[member] = text.into();
}

fn input(is_text: bool, args: Option<&str>) -> (&'static str, String) {
    let args = args.unwrap_or_default();
    if !is_text {
        return ("arguments", args.to_owned());
    }
    let text = serde_json::from_str::<Value>(args).ok();
    let text = text.and_then(|value| value["input"].as_str().map(str::to_owned));
    ("input", text.unwrap_or_default())
}

impl Calls for Responses {
    fn of(&mut self, event: &RawEvent) -> Vec<usize> {
        let Some(data) = event.data.clone() else {
            return Vec::new();
        };
        if event.form == Form::Whole {
            return self.of_response(&data);
        }
        match event.kind() {
            "response.output_item.added" | "response.output_item.done" if is_call(&data["item"]) => {
                let names = names(&data, Some(&data["item"]));
                vec![self.named(names)]
            }
            kind if kind.starts_with("response.function_call_arguments.")
                || kind.starts_with("response.custom_tool_call_input.") =>
            {
                self.number(&names(&data, None)).into_iter().collect()
            }
            "response.completed" | "response.done" | "response.incomplete" => {
                self.of_response(&data["response"])
            }
            _ => Vec::new(),
        }
    }

    fn written(&mut self, raw: &RawEvent, calls: &[usize], changes: &Changes) -> Vec<u8> {
        let Some(data) = &raw.data else {
            return raw.bytes.clone();
        };
        if raw.kind() == "response.created" {
            self.begun = Some(data["response"].clone());
        }
        if !calls.iter().any(|call| changes.contains_key(call)) {
            return self.numbered(raw, None);
        }
        let mut data = data.clone();
        let first = calls.first().and_then(|call| change(changes, *call));
        match (raw.kind(), first) {
            ("response.output_item.added", Some((tool, args))) if raw.form == Form::Stream => {
                let is_text = data["item"]["type"] == TEXT;
                set(&mut data["item"], tool, None);
                let about = json!({
                    "item_id": data["item"]["id"], "output_index": data["output_index"],
                    "delta": input(is_text, Some(args)).1,
                });
                let mut bytes = self.numbered(raw, Some(data));
                let name = if is_text {
                    "response.custom_tool_call_input.delta"
                } else {
                    "response.function_call_arguments.delta"
                };
                bytes.extend(self.own(name, about));
                bytes
            }
            ("response.output_item.done", Some((tool, args))) => {
                set(&mut data["item"], tool, Some(args));
                self.numbered(raw, Some(data))
            }
            (kind, Some((tool, args))) if is(kind, "done") && data.get("response").is_none() => {
                let (member, text) = input(kind.contains("custom_tool_call"), Some(args));
                data[member] = text.into();
                if data.get("name").is_some() {
                    data["name"] = tool.into();
                }
                self.numbered(raw, Some(data))
            }
            (kind, Some(_)) if is(kind, "delta") => {
                self.shift();
                Vec::new()
            }
            _ => {
                let response = if raw.form == Form::Whole {
                    &mut data
                } else {
                    &mut data["response"]
                };
                let items = response["output"].as_array_mut().into_iter().flatten();
                for (item, number) in items.filter(|item| is_call(item)).zip(calls) {
                    if let Some((tool, args)) = change(changes, *number) {
                        set(item, tool, Some(args));
                    }
                }
                self.numbered(raw, Some(data))
            }
        }
    }

    fn heartbeat(&mut self) -> Vec<u8> {
        let response = self
            .begun
            .clone()
            .unwrap_or_else(|| json!({"object": "response"}));
        self.own("response.in_progress", json!({"response": response}))
    }
}
