//! Writes the events of a decided call: as they came, or under another name and with other arguments.
//!
//! Must not know: who decided, sockets.
//!
//! Calls of a reply are numbered from 0 in the order in which they began, as the decoder counts them. Whatever is not
//! changed keeps its bytes.

mod chat;
mod gemini;
mod messages;
mod ollama;
mod responses;
mod splice;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::splice::{each, function, in_member, object, set, text, without};
use super::events::{RawEvent, event};
use overrule_model::frame::{self, Object};
use overrule_model::wire::Wire;
use overrule_model::wire::agent::CallPart;

/// What the agent gets of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Release {
    /// Its own events, byte for byte.
    AsItCame,
    /// Another tool or other arguments under the same id.
    Changed {
        /// The tool.
        tool: Arc<str>,
        /// JSON text of the arguments.
        args: Arc<str>,
    },
    /// Nothing: the agent does not learn of the call.
    Hidden,
}

/// The changed calls of a reply, by number.
pub type Changes = BTreeMap<usize, (Arc<str>, Arc<str>)>;

/// The calls in the events of one reply.
pub trait Calls: Send + Sync {
    /// Returns the numbers of the calls in an event, in the order in which it has them. `calls` are those that the
    /// decoder found in it. `None` where the event has others: it cannot be decided what of it may pass.
    fn of(&mut self, event: &RawEvent, calls: &[usize]) -> Option<Vec<usize>>;

    /// Returns the bytes of an event that the agent gets, empty for none; `None` where it cannot be written. Called for
    /// every event, in order.
    fn written(&mut self, event: &RawEvent, calls: &[usize], changes: &Changes) -> Option<Vec<u8>>;

    /// Changes a call that is not written from its events.
    fn change(&self, call: &mut CallPart, tool: &str, args: &str) {
        tool.clone_into(&mut call.name);
        args.clone_into(&mut call.args);
    }

    /// True for the end of a text, which is kept back so that a heartbeat can extend the text.
    fn ends_words(&self, _event: &RawEvent) -> bool {
        false
    }

    /// Returns the events with which a reply begins before the model's. `empty` is a whole reply without content.
    fn opening(&mut self, _empty: &str) -> Vec<u8> {
        Vec::new()
    }

    /// Returns the events that end a reply with an error: one line of JSON text, an object with the member `error`.
    fn failure(&mut self, error: &str) -> Vec<u8> {
        event("", error)
    }

    /// Returns an event that changes nothing and that the agent counts as progress.
    fn heartbeat(&mut self) -> Vec<u8>;

    /// Returns the events that end a reply here with what is in another one, a whole reply of the format.
    fn closing(&mut self, whole: &str) -> Vec<u8>;
}

/// Makes a reader of calls.
type MakeCalls = fn() -> Box<dyn Calls>;

/// The readers of calls, by the name of their format.
pub const CALLS: [(&str, MakeCalls); 5] = [
    ("openai-chat", || Box::<chat::Chat>::default()),
    ("openai-responses", || Box::<responses::Responses>::default()),
    ("anthropic", || Box::<messages::Messages>::default()),
    ("gemini", || Box::<gemini::Gemini>::default()),
    ("ollama", || Box::<ollama::Ollama>::default()),
];

/// Returns the reader of the calls of a reply in this format.
pub fn calls(wire: Wire) -> Box<dyn Calls> {
    let own = CALLS.iter().find(|(name, _)| *name == wire.name());
    own.unwrap_or(&CALLS[0]).1()
}

/// Members of a reply in one piece that say what the model said.
const CONTENT: [&str; 9] = [
    "choices",
    "content",
    "stop_reason",
    "output",
    "status",
    "incomplete_details",
    "candidates",
    "message",
    "done_reason",
];

/// Returns a reply in one piece with the content of another one. Everything else, such as its id and what it cost, stays.
pub fn with_content(own: &str, other: &str) -> String {
    if Object::read(own).is_none() {
        return other.to_owned();
    }
    let content = CONTENT
        .iter()
        .filter_map(|key| Some((key, frame::member(other, key)?)));
    content.fold(own.to_owned(), |own, (key, value)| set(&own, key, value))
}

/// The name and the arguments with which one of these calls was changed.
fn change(changes: &Changes, call: usize) -> Option<(&str, &str)> {
    changes.get(&call).map(|(tool, args)| (&**tool, &**args))
}

/// True if one of these calls was changed.
fn any_changed(changes: &Changes, calls: &[usize]) -> bool {
    calls.iter().any(|call| changes.contains_key(call))
}
