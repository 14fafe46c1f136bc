//! The calls in a reply of the Responses format: items of type `function_call` and `custom_tool_call`, and those of the
//! provider's types that the agent executes.
//!
//! Must not know: who decided.

mod closing;

use std::collections::{BTreeMap, BTreeSet};

use super::{Calls, Changes, any_changed, change, each, in_member, set, text};
use crate::events::{Form, RawEvent, event};
use overrule_model::frame::{self, Object};
use overrule_model::wire::agent::CallPart;
use overrule_model::wire::agent::json::{quoted, with_member};
use overrule_model::wire::opaque;
use overrule_model::wire::openai_responses::{asks_client, is_named};

/// The type of a call whose input is any text.
const TEXT: &str = "custom_tool_call";
/// The type of every other call that names its tool.
const FUNCTION: &str = "function_call";
/// The name of the format.
const NAME: &str = "openai-responses";
/// Members of a response that a heartbeat repeats.
const SHAPE: [&str; 5] = ["id", "object", "created_at", "status", "model"];

/// The calls of a reply.
#[derive(Default)]
pub(super) struct Responses {
    /// Numbers of the calls by every name of their item.
    named: BTreeMap<String, usize>,
    /// The number of the next event, once one was left out or added.
    next: Option<u64>,
    /// The number of the newest event that was written.
    last: Option<u64>,
    /// The response as it began, as JSON text.
    begun: Option<String>,
    /// True until the model begins a reply that began here.
    has_own_beginning: bool,
    /// The items that the agent has, each whole.
    items: Vec<String>,
    /// The places of all items of which the agent has something.
    places: BTreeSet<u64>,
    /// The items that the agent has in part, by their places.
    open: BTreeMap<u64, Open>,
}

/// An item that has begun.
struct Open {
    /// The item as it began, as JSON text.
    begun: String,
    /// The texts in it, by their places.
    texts: BTreeMap<u64, String>,
}

fn is_call(item: &str) -> bool {
    Object::read(item).is_some_and(|object| {
        let kind = object.string("type").unwrap_or_default();
        kind == FUNCTION || asks_client(&kind, &object)
    })
}

/// True for the type of an event with this last word.
fn is(kind: &str, last: &str) -> bool {
    kind.rsplit_once('.').is_some_and(|(_, word)| word == last)
}

/// The names of an item in the events about it.
fn names(data: Option<&Object<'_>>, item: Option<&str>) -> Vec<String> {
    let mut names = Vec::new();
    if let Some(index) = data.and_then(|data| data.number("output_index")) {
        names.push(format!("at {index}"));
    }
    let item = item.and_then(Object::read);
    let ids = [
        data.and_then(|data| data.filled("item_id")),
        item.as_ref().and_then(|item| item.filled("id")),
        item.as_ref().and_then(|item| item.filled("call_id")),
    ];
    names.extend(ids.into_iter().flatten().map(|id| format!("id {id}")));
    names
}

impl Responses {
    fn number(&self, names: &[String]) -> Option<usize> {
        // Ids are stronger than places, which not every server sends.
        names.iter().rev().find_map(|name| self.named.get(name)).copied()
    }

    /// The number of the call of an item: what the decoder says, else the one that has one of its names.
    fn of_item(&mut self, names: Vec<String>, calls: &[usize]) -> Option<usize> {
        let number = match calls {
            [] => self.number(&names)?,
            [call] => *call,
            _ => return None,
        };
        self.named.extend(names.into_iter().map(|name| (name, number)));
        Some(number)
    }

    /// The numbers of the calls in a whole response.
    fn of_response(&mut self, response: &str, calls: &[usize]) -> Option<Vec<usize>> {
        let items = frame::member(response, "output")
            .map(frame::array)
            .unwrap_or_default();
        let names: Vec<Vec<String>> = items
            .into_iter()
            .filter(|item| is_call(item))
            .map(|item| names(None, Some(item)))
            .collect();
        if calls.is_empty() {
            return names.into_iter().map(|names| self.of_item(names, &[])).collect();
        }
        if names.len() != calls.len() {
            return None;
        }
        let numbered = names.into_iter().zip(calls);
        numbered
            .map(|(names, call)| self.of_item(names, &[*call]))
            .collect()
    }

    /// The event with its number in the stream that the agent gets.
    fn numbered(&mut self, raw: &RawEvent, data: Option<String>) -> Vec<u8> {
        let own = raw.object().and_then(|data| data.number("sequence_number"));
        let (Some(own), Some(next)) = (own, self.next) else {
            self.last = own.or(self.last);
            return data.map_or_else(|| raw.bytes.clone(), |data| raw.with(&data));
        };
        self.last = Some(next);
        self.next = Some(next + 1);
        if own == next && data.is_none() {
            return raw.bytes.clone();
        }
        let data = data.as_deref().unwrap_or(&raw.data);
        raw.with(&set(data, "sequence_number", &next.to_string()))
    }

    /// From here on events are renumbered.
    fn shift(&mut self) {
        if self.next.is_none() {
            self.next = self.last.map(|last| last + 1);
        }
    }

    /// An event that the model did not send, with these members.
    fn own(&mut self, name: &str, members: &[(&str, &str)]) -> Vec<u8> {
        self.shift();
        let mut data = with_member("{}", "type", &quoted(name));
        for (key, value) in members {
            data = with_member(&data, key, value);
        }
        if let Some(next) = &mut self.next {
            data = with_member(&data, "sequence_number", &next.to_string());
            self.last = Some(*next);
            *next += 1;
        }
        event(name, &data)
    }

    /// The beginning of a changed call.
    fn added(&mut self, raw: &RawEvent, tool: &str, args: &str) -> Vec<u8> {
        let item = frame::member(&raw.data, "item").unwrap_or("{}");
        let kind = text(item, "type");
        let begun = set(&raw.data, "item", &changed(item, tool, args, false));
        let mut bytes = self.numbered(raw, Some(begun));
        if !is_named(&kind) {
            return bytes;
        }
        let (id, index) = (
            frame::member(item, "id").unwrap_or("null"),
            frame::member(&raw.data, "output_index").unwrap_or("null"),
        );
        let name = if kind == TEXT {
            "response.custom_tool_call_input.delta"
        } else {
            "response.function_call_arguments.delta"
        };
        let piece = quoted(&input(&kind, args).1);
        bytes.extend(self.own(
            name,
            &[("item_id", id), ("output_index", index), ("delta", &piece)],
        ));
        bytes
    }

    /// A response with the calls of these numbers changed.
    fn response(response: &str, calls: &[usize], changes: &Changes) -> String {
        let mut numbers = calls.iter();
        in_member(response, "output", |items| {
            each(items, |item| {
                let number = Some(item)
                    .filter(|item| is_call(item))
                    .and_then(|_| numbers.next());
                let change = number.and_then(|number| change(changes, *number));
                Some(change.map_or_else(|| item.to_owned(), |(tool, args)| changed(item, tool, args, true)))
            })
        })
    }
}

/// An item with another call, with its arguments if it is whole. Of a call of one of the provider's types the arguments
/// are members; any other call in its place is one of a function.
fn changed(item: &str, tool: &str, args: &str, is_whole: bool) -> String {
    let kind = text(item, "type");
    if is_named(&kind) {
        let (key, text) = input(&kind, if is_whole { args } else { "" });
        return set(&set(item, "name", &quoted(tool)), key, &quoted(&text));
    }
    if kind == tool {
        let args = Object::read(args);
        let members = args.iter().flat_map(Object::entries);
        return members.fold(item.to_owned(), |item, (key, value)| set(&item, key, value));
    }
    let mut new = with_member("{}", "type", &quoted(FUNCTION));
    let id = frame::member(item, "id");
    if let Some(id) = id {
        new = with_member(&new, "id", id);
    }
    let call_id = frame::member(item, "call_id").or(id).unwrap_or("\"\"");
    new = with_member(&new, "call_id", call_id);
    new = with_member(&new, "name", &quoted(tool));
    new = with_member(&new, "arguments", &quoted(if is_whole { args } else { "" }));
    match frame::member(item, "status") {
        Some(status) => with_member(&new, "status", status),
        None => new,
    }
}

/// The member with the arguments of a call of this type. The text of a call that takes any text is in a member of them.
fn input(kind: &str, args: &str) -> (&'static str, String) {
    if kind == TEXT {
        ("input", text(args, "input"))
    } else {
        ("arguments", args.to_owned())
    }
}

impl Calls for Responses {
    fn of(&mut self, event: &RawEvent, calls: &[usize]) -> Option<Vec<usize>> {
        let Some(data) = event.object() else {
            return calls.is_empty().then(Vec::new);
        };
        if event.form == Form::Whole {
            return self.of_response(&event.data, calls);
        }
        let kind = event.kind();
        let item = data.get("item").filter(|item| is_call(item));
        if let Some(item) = item {
            let names = names(Some(&data), Some(item));
            return self.of_item(names, calls).map(|number| vec![number]);
        }
        if let Some(response) = data.get("response") {
            return self.of_response(response, calls);
        }
        if kind.contains("_call") {
            let own = self.number(&names(Some(&data), None));
            return match (calls, own) {
                ([], own) => Some(own.into_iter().collect()),
                ([call], _) => Some(vec![*call]),
                _ => None,
            };
        }
        calls.is_empty().then(Vec::new)
    }

    fn written(&mut self, raw: &RawEvent, calls: &[usize], changes: &Changes) -> Option<Vec<u8>> {
        let kind = raw.kind();
        self.note(&kind, raw);
        if kind == "response.created" {
            self.begun = frame::member(&raw.data, "response").map(str::to_owned);
            if std::mem::take(&mut self.has_own_beginning) {
                let response = self.begun.clone().unwrap_or_else(|| "{}".to_owned());
                return Some(self.own("response.in_progress", &[("response", &response)]));
            }
        }
        let item = frame::member(&raw.data, "item").filter(|_| kind == "response.output_item.done");
        if !any_changed(changes, calls) {
            self.items.extend(item.map(str::to_owned));
            return Some(self.numbered(raw, None));
        }
        raw.object()?;
        if raw.form == Form::Whole {
            return Some(raw.with(&Self::response(&raw.data, calls, changes)));
        }
        if frame::member(&raw.data, "response").is_some() {
            let data = in_member(&raw.data, "response", |response| {
                Self::response(response, calls, changes)
            });
            return Some(self.numbered(raw, Some(data)));
        }
        let (tool, args) = calls.first().and_then(|call| change(changes, *call))?;
        if let Some(item) = item {
            let item = changed(item, tool, args, true);
            self.items.push(item.clone());
            return Some(self.numbered(raw, Some(set(&raw.data, "item", &item))));
        }
        Some(match &*kind {
            "response.output_item.added" => self.added(raw, tool, args),
            kind if is(kind, "done") => {
                let of = if kind.contains(TEXT) { TEXT } else { FUNCTION };
                let (member, text) = input(of, args);
                let mut data = set(&raw.data, member, &quoted(&text));
                if frame::member(&data, "name").is_some() {
                    data = set(&data, "name", &quoted(tool));
                }
                self.numbered(raw, Some(data))
            }
            _ => {
                self.shift();
                Vec::new()
            }
        })
    }

    fn change(&self, call: &mut CallPart, tool: &str, args: &str) {
        let added = opaque::of_call(NAME, call.opaque.as_deref());
        let kind = added.and_then(|added| added.string("type").map(String::from));
        let kind = kind.unwrap_or_else(|| FUNCTION.to_owned());
        if !is_named(&kind) && kind != tool {
            call.opaque = None;
        }
        tool.clone_into(&mut call.name);
        call.args = input(&kind, args).1;
    }

    fn heartbeat(&mut self) -> Vec<u8> {
        let begun = self.begun.as_deref().and_then(Object::read);
        let mut response = "{\"output\":[]}".to_owned();
        for key in SHAPE {
            if let Some(value) = begun.as_ref().and_then(|begun| begun.get(key)) {
                response = with_member(&response, key, value);
            }
        }
        self.own("response.in_progress", &[("response", &response)])
    }

    fn opening(&mut self, empty: &str) -> Vec<u8> {
        self.has_own_beginning = true;
        self.next = Some(0);
        self.create(empty)
    }

    fn failure(&mut self, error: &str) -> Vec<u8> {
        let error = frame::member(error, "error").unwrap_or("{}");
        let words = frame::member(error, "message").unwrap_or("\"\"");
        let mut code = ["code", "type"]
            .into_iter()
            .filter_map(|key| frame::member(error, key));
        let code = code.find(|code| code.starts_with('"'));
        let error = with_member("{}", "code", code.unwrap_or("\"server_error\""));
        let error = with_member(&error, "message", words);
        let begun = self.begun.clone().unwrap_or_else(|| "{}".to_owned());
        let response = set(&set(&begun, "status", "\"failed\""), "error", &error);
        self.own("response.failed", &[("response", &response)])
    }

    fn closing(&mut self, whole: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        if self.begun.is_none() {
            bytes.extend(self.create(whole));
        }
        for (place, open) in std::mem::take(&mut self.open) {
            bytes.extend(self.rest_of_item(place, &open));
        }
        let items = frame::member(whole, "output")
            .map(frame::array)
            .unwrap_or_default();
        for item in items {
            bytes.extend(self.item(item));
        }
        let begun = self.begun.clone().unwrap_or_else(|| "{}".to_owned());
        let mut response = set(&begun, "output", &format!("[{}]", self.items.join(",")));
        for key in ["status", "incomplete_details", "usage"] {
            if let Some(value) = frame::member(whole, key).filter(|value| key != "usage" || *value != "null")
            {
                response = set(&response, key, value);
            }
        }
        let is_whole = text(whole, "status") == "completed";
        let name = if is_whole {
            "response.completed"
        } else {
            "response.incomplete"
        };
        bytes.extend(self.own(name, &[("response", &response)]));
        bytes
    }
}

impl Responses {
    /// The beginning of a response.
    fn create(&mut self, whole: &str) -> Vec<u8> {
        let begun = set(&set(whole, "output", "[]"), "status", "\"in_progress\"");
        let bytes = self.own("response.created", &[("response", &begun)]);
        self.begun = Some(begun);
        bytes
    }

    /// Notes what the agent has of which item.
    fn note(&mut self, kind: &str, raw: &RawEvent) {
        let Some(data) = raw.object() else { return };
        let Some(place) = data.number("output_index") else {
            return;
        };
        self.places.insert(place);
        match kind {
            // A call that was not finished is not finished here.
            "response.output_item.added" => {
                if let Some(item) = data.get("item").filter(|item| !is_call(item)) {
                    let (begun, texts) = (item.to_owned(), BTreeMap::new());
                    self.open.insert(place, Open { begun, texts });
                }
            }
            "response.output_text.delta" => {
                if let Some(open) = self.open.get_mut(&place) {
                    let text = open.texts.entry(data.number("content_index").unwrap_or(0));
                    text.or_default()
                        .push_str(&data.string("delta").unwrap_or_default());
                }
            }
            "response.output_item.done" => _ = self.open.remove(&place),
            _ => {}
        }
    }
}
