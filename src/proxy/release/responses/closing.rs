//! Writes the items with which a reply of the Responses format ends here, in place of what the agent does not have.
//!
//! Must not know: who decided.

use super::{Open, Responses, is_call};
use crate::release::splice::{in_member, set, text};
use overrule_model::frame;
use overrule_model::wire::agent::json::quoted;

/// The id of an item that the model's server knows by it: what only the server can read, and what it executed.
fn own_id(item: &str) -> Option<String> {
    let is_own = match &*text(item, "type") {
        "message" => false,
        "reasoning" => frame::member(item, "encrypted_content").is_some(),
        _ => !is_call(item),
    };
    frame::member(item, "id").filter(|_| is_own).map(str::to_owned)
}

/// How the ids of items of this type begin: the model's server refuses another one.
fn prefix(item: &str) -> &'static str {
    match &*text(item, "type") {
        "message" => "msg_",
        "reasoning" => "rs_",
        "function_call" => "fc_",
        "custom_tool_call" => "ctc_",
        _ => "",
    }
}

impl Responses {
    /// The end of an item that the agent has in part.
    pub(super) fn rest_of_item(&mut self, place: u64, open: &Open) -> Vec<u8> {
        let (index, mut bytes) = (place.to_string(), Vec::new());
        let id = frame::member(&open.begun, "id").unwrap_or("null").to_owned();
        let mut parts = Vec::new();
        for (at, words) in &open.texts {
            let (at, words) = (at.to_string(), quoted(words));
            let part = format!("{{\"type\":\"output_text\",\"text\":{words},\"annotations\":[]}}");
            let place = [
                ("item_id", &*id),
                ("output_index", &*index),
                ("content_index", &*at),
            ];
            for (name, own) in [
                ("response.output_text.done", ("text", &*words)),
                ("response.content_part.done", ("part", &*part)),
            ] {
                let members: Vec<(&str, &str)> = place.into_iter().chain([own]).collect();
                bytes.extend(self.own(name, &members));
            }
            parts.push(part);
        }
        let mut item = set(&open.begun, "status", "\"incomplete\"");
        if !parts.is_empty() {
            item = set(&item, "content", &format!("[{}]", parts.join(",")));
        }
        bytes.extend(self.own(
            "response.output_item.done",
            &[("output_index", &index), ("item", &item)],
        ));
        self.items.push(item);
        bytes
    }

    /// The events of an item that the model did not send in this form.
    pub(super) fn item(&mut self, item: &str) -> Vec<u8> {
        let place = self
            .places
            .last()
            .map_or(self.items.len() as u64, |last| last + 1);
        self.places.insert(place);
        let index = place.to_string();
        let id = own_id(item).unwrap_or_else(|| quoted(&format!("{}overrule_{index}", prefix(item))));
        let item = set(item, "id", &id);
        let begun = ["content", "summary"]
            .into_iter()
            .fold(item.clone(), |item, key| {
                in_member(&item, key, |_| "[]".to_owned())
            });
        let begun = in_member(&begun, "status", |_| "\"in_progress\"".to_owned());
        let mut bytes = self.own(
            "response.output_item.added",
            &[("output_index", &index), ("item", &begun)],
        );
        let parts = frame::member(&item, "content")
            .map(frame::array)
            .unwrap_or_default();
        for (at, part) in parts
            .into_iter()
            .enumerate()
            .filter(|(_, part)| text(part, "type") == "output_text")
        {
            let at = at.to_string();
            let words = quoted(&text(part, "text"));
            let empty = set(part, "text", "\"\"");
            let place = [
                ("item_id", &*id),
                ("output_index", &*index),
                ("content_index", &*at),
            ];
            for (name, own) in [
                ("response.content_part.added", ("part", &*empty)),
                ("response.output_text.delta", ("delta", &*words)),
                ("response.output_text.done", ("text", &*words)),
                ("response.content_part.done", ("part", part)),
            ] {
                let members: Vec<(&str, &str)> = place.into_iter().chain([own]).collect();
                bytes.extend(self.own(name, &members));
            }
        }
        bytes.extend(self.own(
            "response.output_item.done",
            &[("output_index", &index), ("item", &item)],
        ));
        self.items.push(item);
        bytes
    }
}
