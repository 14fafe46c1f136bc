//! The wire formats of the program, one row each: server messages and the contents of requests.
//!
//! Must not know: which edits are tested.

mod chat;
mod gemini;
mod messages;
mod ollama;
mod responses;

use std::fmt::Write as _;
use std::sync::Arc;

use overrule::model::Model;
use overrule::model::http::{Access, Client, Patience};
use overrule::model::wire::Wire;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::wire::server::{Reply, Seen};

/// A part of what a model says.
pub enum Part {
    /// Reasoning with the provider's signature.
    Signed(&'static str, &'static str),
    /// Text.
    Text(&'static str),
    /// A call by its id, tool and arguments.
    Call(&'static str, &'static str, Value),
}

/// A model format.
pub struct Format {
    /// Its name, for messages.
    pub name: &'static str,
    /// Flags by which the program speaks it.
    pub flags: &'static [&'static str],
    /// Frames of these parts; the number is that of earlier calls of the message.
    pub frames: fn(&[Part], usize) -> Vec<String>,
    /// The end of a message, with calls in it or without.
    pub end: fn(bool) -> Vec<String>,
    /// What a request says.
    pub read: fn(&Seen) -> Asked,
    /// The model of a server, for a run in this process.
    pub model: fn(&str) -> Arc<dyn Model>,
    /// True where signed reasoning goes back to the server that signed it.
    pub signs: bool,
    /// True where reasoning has a signature.
    pub has_signatures: bool,
    /// True where neighbouring messages of the model are one message.
    pub joins: bool,
}

/// Every format that exists.
pub const FORMATS: &[Format] = &[
    chat::FORMAT,
    messages::FORMAT,
    responses::FORMAT,
    gemini::FORMAT,
    ollama::FORMAT,
];

/// The formats that a test goes through: two in one round, other ones in other tests, and all in 100 rounds.
pub fn formats() -> Vec<&'static Format> {
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    let first = name.bytes().map(usize::from).sum::<usize>() % FORMATS.len();
    let all = FORMATS.iter().cycle().skip(first).take(FORMATS.len());
    overrule_testing::sample(all, 3)
}

impl Format {
    /// A whole message of these parts.
    pub fn message(&self, parts: &[Part]) -> Reply {
        let calls = parts.iter().any(|part| matches!(part, Part::Call(..)));
        let mut frames = (self.frames)(parts, 0);
        frames.extend((self.end)(calls));
        Reply::Stream(frames)
    }

    /// The requests that a server saw.
    pub fn all(&self, seen: &[Seen]) -> Vec<Asked> {
        seen.iter().map(self.read).collect()
    }
}

/// One message of a request, whatever the format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// The system text.
    System(String),
    /// The operator's words.
    User(String),
    /// A word of the console.
    Console(String),
    /// A message of the model, as a request repeats it.
    Assistant {
        /// The words.
        text: String,
        /// Signatures of reasoning that is sent back.
        signed: Vec<String>,
        /// The calls.
        calls: Vec<Made>,
    },
    /// The result of the call of this id.
    Result(String, String),
}

/// A call in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// Its id.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The argument text.
    pub args: String,
}

/// What a request says.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The messages.
    pub messages: Vec<Message>,
    /// Where in the body each message ends.
    ends: Vec<usize>,
    body: String,
}

impl Asked {
    /// The bytes of the body up to the end of this many messages: what a server may know already.
    #[track_caller]
    pub fn upto(&self, messages: usize) -> &str {
        &self.body[..self.ends[messages - 1]]
    }

    /// True where these words are anywhere in the body.
    pub fn has(&self, words: &str) -> bool {
        self.body.contains(words)
    }

    /// The call whose arguments have these words.
    #[track_caller]
    pub fn call(&self, words: &str) -> &Made {
        self.find(words)
            .unwrap_or_else(|| panic!("no call with `{words}` in\n{self}"))
    }

    /// The same, if there is one.
    pub fn find(&self, words: &str) -> Option<&Made> {
        let calls = self.messages.iter().filter_map(|message| match message {
            Message::Assistant { calls, .. } => Some(calls),
            _ => None,
        });
        calls.flatten().find(|call| call.args.contains(words))
    }

    /// The result of the call whose arguments have these words.
    #[track_caller]
    pub fn result(&self, words: &str) -> &str {
        let id = &self.call(words).id;
        let found = self.messages.iter().find_map(|message| match message {
            Message::Result(of, text) if of == id => Some(text.as_str()),
            _ => None,
        });
        found.unwrap_or_else(|| panic!("no result of {id}"))
    }

    /// All that the model is told that it said, a line for each message.
    pub fn told(&self) -> Vec<&str> {
        let texts = self.messages.iter().filter_map(|message| match message {
            Message::Assistant { text, .. } => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// All words of the console.
    pub fn console(&self) -> String {
        let words = self.messages.iter().filter_map(|message| match message {
            Message::Console(text) => Some(text.as_str()),
            _ => None,
        });
        words.collect::<Vec<_>>().join("\n")
    }

    /// The newest words of the operator.
    #[track_caller]
    pub fn user(&self) -> &str {
        let words = self.messages.iter().rev().find_map(|message| match message {
            Message::User(text) => Some(text.as_str()),
            _ => None,
        });
        words.expect("nobody said anything")
    }

    /// Signatures that are sent back, in order.
    pub fn signatures(&self) -> Vec<&str> {
        let signed = self.messages.iter().filter_map(|message| match message {
            Message::Assistant { signed, .. } => Some(signed),
            _ => None,
        });
        signed.flatten().map(String::as_str).collect()
    }

    /// Fails unless every call has exactly one result of its id, and every result has its call. The
    /// results follow the message with the calls directly and in the same order.
    #[track_caller]
    pub fn coherent(&self) {
        let mut open: Vec<&str> = Vec::new();
        let mut known: Vec<&str> = Vec::new();
        for message in &self.messages {
            match message {
                Message::Result(of, _) => {
                    assert!(!open.is_empty(), "a result of {of} that nobody waits for\n{self}");
                    assert_eq!(open.remove(0), of, "another result was due\n{self}");
                }
                other => {
                    assert!(open.is_empty(), "no result of {open:?}\n{self}");
                    if let Message::Assistant { calls, .. } = other {
                        open = calls.iter().map(|call| call.id.as_str()).collect();
                        for id in &open {
                            assert!(!known.contains(id), "two calls have the id {id}\n{self}");
                        }
                        known.extend(&open);
                    }
                }
            }
        }
        assert!(open.is_empty(), "no result of {open:?}\n{self}");
    }
}

impl std::fmt::Display for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = String::new();
        for message in self.messages.iter().skip(1) {
            writeln!(text, "{message:?}")?;
        }
        f.write_str(&text)
    }
}

/// The client of a server that speaks this format.
pub fn client(wire: &str, base: &str) -> Arc<dyn Model> {
    let wire = Wire::named(wire).unwrap();
    Arc::new(Client::new(wire, base, "test", Access::default(), Patience::default()).unwrap())
}

/// The elements of the list that begins here, each with where it ends in the body.
pub fn elements(body: &str, begin: usize) -> Vec<(&str, usize)> {
    let list: Vec<&RawValue> = {
        let mut stream = serde_json::Deserializer::from_str(&body[begin..]).into_iter();
        stream.next().unwrap().unwrap()
    };
    let place = |raw: &RawValue| raw.get().as_ptr() as usize - body.as_ptr() as usize;
    list.into_iter()
        .map(|raw| (raw.get(), place(raw) + raw.get().len()))
        .collect()
}

/// The text of a string, or nothing.
pub fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Text of the user or of the console.
pub fn spoken(text: String) -> Message {
    if text.starts_with("[operator console]") {
        Message::Console(text)
    } else {
        Message::User(text)
    }
}

/// Cuts a text in two.
pub fn halves(text: &str) -> [&str; 2] {
    let mut half = text.len() / 2;
    while !text.is_char_boundary(half) {
        half += 1;
    }
    [&text[..half], &text[half..]]
}

/// The value of a member, as it is in the text of an object.
pub fn raw_member(object: &str, key: &str) -> String {
    let members: std::collections::BTreeMap<String, Box<RawValue>> = serde_json::from_str(object).unwrap();
    members[key].get().to_owned()
}
