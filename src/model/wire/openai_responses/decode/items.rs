//! Takes complete items of a reply.
//!
//! Must not know: frames of a stream, requests.

use super::super::NAME;
use super::super::told::tool_of;
use super::{
    CALL, Kind, NOT_OFFERED, ResponsesDecoder, TEXT_CALL, TEXT_RESULT, asks_client, is_named, is_opaque,
    typed_args,
};
use crate::Chunk;
use crate::frame::{self, Object};
use crate::wire::opaque::{Members, mark};

impl ResponsesDecoder {
    /// Ends an item. What was not streamed is taken from here.
    pub(super) fn item_done(&mut self, frame: &Object<'_>, out: &mut Vec<Chunk>) {
        let Some(item) = frame.object("item") else { return };
        let name = item.string("type").unwrap_or_default();
        let id = item.filled("id");
        let index = frame.number("output_index");
        let fits = |kind: Kind| match &*name {
            "message" => kind == Kind::Message,
            "reasoning" => kind == Kind::Reasoning,
            _ if self.is_call(&item) => matches!(kind, Kind::Call(_)),
            TEXT_CALL => kind == Kind::TextCall,
            _ => kind == Kind::Other,
        };
        let open = || {
            self.items
                .iter()
                .enumerate()
                .rev()
                .filter(|(_, one)| !one.done && fits(one.kind))
        };
        let by_index = open().find(|(_, one)| index.is_some() && one.index == index);
        let by_id = || open().find(|(_, one)| id.is_some() && one.id.as_deref() == id.as_deref());
        // Ids may change from event to event.
        let newest = || open().find(|_| index.is_none());
        let found = by_index.or_else(by_id).or_else(newest).map(|(place, _)| place);
        let place = found.unwrap_or_else(|| self.begin(index, &item, out));
        let raw = frame.get("item").unwrap_or_default();
        self.end(place, raw, &item, out);
    }

    pub(super) fn end(&mut self, place: usize, raw: &str, item: &Object<'_>, out: &mut Vec<Chunk>) {
        let Some(known) = self.items.get_mut(place) else {
            return;
        };
        known.done = true;
        let streamed = known.streamed;
        match known.kind {
            Kind::Message => {
                if !streamed {
                    self.content(item, out);
                }
                // What the message is to the model: a comment or the answer.
                if let Some(phase) = item.get("phase").filter(|_| self.reply.parts.is_in_text()) {
                    let phase = mark(NAME, &format!("{{\"phase\":{phase}}}"));
                    self.reply.parts.opaque(&phase, out);
                }
            }
            Kind::Reasoning => {
                if !streamed {
                    self.thoughts(item, out);
                }
                if item.filled("encrypted_content").is_none() {
                    return;
                }
                let item = mark(NAME, &Members::read(item).without(&["status"]).text());
                if self.reply.parts.is_in_text() {
                    self.waiting.push(item);
                } else {
                    self.reply.parts.opaque(&item, out);
                }
            }
            Kind::Call(number) => {
                let name = item.string("type").unwrap_or_default();
                if !is_named(&name) {
                    return self.typed_call(place, &name, item, out);
                }
                let is_text = name == TEXT_CALL;
                let key = if is_text { "input" } else { "arguments" };
                let args = item.get(key).and_then(frame::piece);
                self.whole_args(place, item, args.as_ref(), out);
                let Some(number) = number else { return };
                let mut members = Members::read(item).without(CALL);
                if is_text {
                    members = members.without(&["input"]);
                    members.set("type", format!("\"{TEXT_CALL}\""));
                }
                if !members.is_empty() {
                    self.reply.parts.add_member(number, NAME, members.text());
                }
                match item.string("status").as_deref() {
                    Some("incomplete") => {}
                    _ if is_text => self.reply.parts.end_text_call(number, out),
                    _ => self.reply.parts.end_call(number, out),
                }
            }
            Kind::TextCall => {
                self.reply.hold(raw);
                self.text_calls.push(raw.to_owned());
            }
            Kind::Other => self.other(raw, item, out),
        }
    }

    /// Makes a call with any text that the provider did not execute.
    pub(super) fn text_call(&mut self, item: &Object<'_>, out: &mut Vec<Chunk>) {
        self.flush(out);
        let id = item.filled("call_id").or_else(|| item.filled("id"));
        let id = id.map(String::from);
        let Some(number) = self.reply.parts.begin_call(id, tool_of(item), out) else {
            return;
        };
        self.reply.parts.add_args(number, &item.piece("input"), out);
        if item.string("status").as_deref() != Some("incomplete") {
            self.reply.parts.end_text_call(number, out);
        }
    }

    /// Ends a call of one of the provider's types: its own members are its arguments.
    fn typed_call(&mut self, place: usize, name: &str, item: &Object<'_>, out: &mut Vec<Chunk>) {
        self.whole_args(place, item, Some(&typed_args(item).into()), out);
        let Some(Kind::Call(Some(number))) = self.items.get(place).map(|item| item.kind) else {
            return;
        };
        let mut members = Members::default();
        members.set("type", serde_json::Value::from(name).to_string());
        self.reply.parts.add_member(number, NAME, members.text());
        if item.string("status").as_deref() != Some("incomplete") {
            self.reply.parts.end_call(number, out);
        }
    }

    /// A message that was not streamed.
    pub(super) fn content(&mut self, item: &Object<'_>, out: &mut Vec<Chunk>) {
        for raw in item.array("content") {
            let part = Object::read(raw);
            let part = part.as_ref();
            let piece = |key: &str| part.and_then(|part| part.get(key)).and_then(frame::piece);
            match (piece("text"), piece("refusal")) {
                (Some(words), _) => self.reply.parts.text(&words, out),
                (None, Some(words)) => self.reply.refuse(&words),
                (None, None) => self.reply.unknown(raw, out),
            }
        }
    }

    /// Reasoning that was not streamed.
    fn thoughts(&mut self, item: &Object<'_>, out: &mut Vec<Chunk>) {
        let lists = item.array("summary").into_iter().chain(item.array("content"));
        let texts = lists.filter_map(|raw| Object::read(raw)?.filled("text").map(String::from));
        let texts: Vec<String> = texts.collect();
        if !texts.is_empty() {
            self.flush(out);
            self.reply.parts.reasoning(&texts.join("\n\n").into(), out);
        }
    }

    /// An item of the provider's own: kept for it, unless it asks for something.
    pub(super) fn other(&mut self, raw: &str, item: &Object<'_>, out: &mut Vec<Chunk>) {
        let name = item.string("type").unwrap_or_default().into_owned();
        if asks_client(&name, item) {
            let tool = item.filled("name").map_or(name, String::from);
            self.reply.misplaced.get_or_insert((tool, NOT_OFFERED));
            out.push(Chunk::Unknown { raw: raw.to_owned() });
            return;
        }
        if !is_opaque(&name) {
            out.push(Chunk::Unknown { raw: raw.to_owned() });
        }
        if name == TEXT_RESULT {
            let id = item.filled("call_id");
            let is_of = |raw: &String| Object::read(raw).is_some_and(|call| call.filled("call_id") == id);
            for call in self
                .text_calls
                .extract_if(.., |raw| is_of(raw))
                .collect::<Vec<_>>()
            {
                self.keep(&call, out);
            }
        }
        self.keep(raw, out);
    }

    /// Keeps an item for the provider alone.
    pub(super) fn keep(&mut self, raw: &str, out: &mut Vec<Chunk>) {
        self.flush(out);
        self.reply.parts.close(out);
        self.reply.parts.opaque(&mark(NAME, raw), out);
        self.reply.parts.close(out);
    }

    /// Passes on what waited for something to follow.
    pub(super) fn flush(&mut self, out: &mut Vec<Chunk>) {
        let waiting = std::mem::take(&mut self.waiting);
        if !waiting.is_empty() {
            self.reply.parts.close(out);
        }
        for item in waiting {
            self.reply.parts.opaque(&item, out);
        }
    }
}
