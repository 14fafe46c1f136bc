//! Replaces parts and messages of a request; every other byte of the body stays.
//!
//! Must not know: formats, why something is replaced.

use std::collections::BTreeMap;
use std::ops::Range;

use super::json::{self, Element};
use super::{AgentMessage, AgentRequest, Body, Part, Place, Role};
use crate::frame;

/// A change of one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartEdit {
    /// Other words of a text, or of reasoning. What the provider signed or added to the old words goes. Signed reasoning
    /// becomes text, as it would be refused without its signature.
    Text(String),
    /// Another tool or other arguments of a call.
    Call {
        /// The name.
        name: Option<String>,
        /// The argument text.
        args: Option<String>,
        /// True where what the provider added to the call, such as a signature, still belongs to it.
        keeps_opaque: bool,
    },
    /// Another result.
    Result {
        /// The text.
        text: String,
        /// True for an error.
        is_error: bool,
        /// The tool, where the call was given another one. The form of a result depends on it in some formats.
        tool: Option<String>,
    },
    /// The part goes. A message without parts goes as well.
    Remove,
}

/// Changes of a request.
#[derive(Debug, Clone)]
pub struct Rewrite<'r> {
    request: &'r AgentRequest,
    parts: BTreeMap<(usize, usize), PartEdit>,
    /// New messages by the first one that they replace, with the number of those.
    messages: BTreeMap<usize, (usize, Vec<String>)>,
    /// Texts to add to a message, at its beginning and at its end.
    texts: BTreeMap<usize, [Vec<String>; 2]>,
}

impl<'r> Rewrite<'r> {
    /// Begins without a change.
    pub fn new(request: &'r AgentRequest) -> Self {
        Self {
            request,
            parts: BTreeMap::new(),
            messages: BTreeMap::new(),
            texts: BTreeMap::new(),
        }
    }

    /// Changes a part, by the numbers of its message and of itself.
    pub fn part(&mut self, message: usize, part: usize, edit: PartEdit) {
        self.parts.insert((message, part), edit);
    }

    /// True if a part goes.
    pub fn removes_part(&self, message: usize, part: usize) -> bool {
        self.parts.get(&(message, part)) == Some(&PartEdit::Remove)
    }

    /// True if every part of a message goes.
    pub fn removes(&self, message: usize) -> bool {
        let parts = self.request.messages.get(message);
        let parts = parts.map_or(0, |message| message.parts.len());
        parts > 0 && (0..parts).all(|part| self.removes_part(message, part))
    }

    /// Replaces a range of messages with new ones, as JSON texts of the format. An empty range inserts them.
    pub fn messages(&mut self, replaced: Range<usize>, new: Vec<String>) {
        let begin = replaced.start.min(self.request.messages.len());
        self.messages.insert(begin, (replaced.len(), new));
    }

    /// Adds words of the user before a message, or at the end. Where a message of the user is next to them, they become a
    /// part of it: not every server takes two in a row.
    pub fn add_user_text(&mut self, before: usize, text: &str) {
        let side = self.request.wire.agent_side();
        let is_users = |at: usize| {
            let message = self.request.messages.get(at);
            side.text_part(text).is_some() && message.is_some_and(|message| message.role == Role::User)
        };
        let neighbour = match before.checked_sub(1) {
            Some(at) if is_users(at) => Some((at, 1)),
            _ if is_users(before) => Some((before, 0)),
            _ => None,
        };
        let Some((at, end)) = neighbour else {
            let new = self.messages.entry(before).or_default();
            return new.1.push(side.user_message(text));
        };
        if let Some(texts) = self.texts.entry(at).or_default().get_mut(end) {
            texts.push(text.to_owned());
        }
    }

    /// Returns the body; that of the request where nothing is changed.
    pub fn body(&self) -> Body {
        if self.parts.is_empty() && self.messages.is_empty() && self.texts.is_empty() {
            return self.request.body.clone();
        }
        self.changed().into()
    }

    fn changed(&self) -> String {
        let request = self.request;
        let elements = self.elements();
        let Some(list) = request.list.clone() else {
            return self.without_list(elements);
        };
        let raw = request.body.get(list.clone()).unwrap_or_default();
        let new = json::with_elements(raw, &elements);
        json::spliced(&request.body, &[(list, new)])
    }

    fn elements(&self) -> Vec<Element> {
        let mut elements = Vec::new();
        let mut skipped = 0;
        for (number, message) in self.request.messages.iter().enumerate() {
            if let Some((count, new)) = self.messages.get(&number) {
                elements.extend(new.iter().cloned().map(Element::New));
                skipped = skipped.max(*count);
            }
            if skipped > 0 {
                skipped -= 1;
                continue;
            }
            let edits: BTreeMap<usize, &PartEdit> = self
                .parts
                .range((number, 0)..=(number, usize::MAX))
                .map(|((_, part), edit)| (*part, edit))
                .collect();
            let texts = self.texts.get(&number);
            if edits.is_empty() && texts.is_none() {
                elements.push(Element::Old(number));
            } else if let Some(raw) = (!self.removes(number)).then(|| self.message(message, &edits)) {
                let raw = match texts {
                    Some(texts) => self.with_texts(raw, texts),
                    None => raw,
                };
                elements.push(Element::Changed(number, raw));
            } else {
                let texts = texts.into_iter().flatten().flatten();
                let side = self.request.wire.agent_side();
                elements.extend(texts.map(|text| Element::New(side.user_message(text))));
            }
        }
        let last = self.messages.get(&self.request.messages.len());
        elements.extend(
            last.into_iter()
                .flat_map(|(_, new)| new.iter().cloned().map(Element::New)),
        );
        elements
    }

    /// The body of a request in which one text stands for the list.
    fn without_list(&self, elements: Vec<Element>) -> String {
        let request = self.request;
        let Some(only) = request.messages.first() else {
            return request.body.to_string();
        };
        let as_message = |raw: &str| format!("{{\"role\":\"user\",\"content\":{raw}}}");
        let new = if let [Element::Changed(_, raw)] = elements.as_slice() {
            raw.clone()
        } else {
            let all: Vec<String> = elements
                .iter()
                .map(|element| match element {
                    Element::Old(_) => as_message(request.raw(only)),
                    Element::Changed(_, raw) => as_message(raw),
                    Element::New(raw) => raw.clone(),
                })
                .collect();
            format!("[{}]", all.join(","))
        };
        json::spliced(&request.body, &[(only.span.clone(), new)])
    }

    /// Returns a message with changed parts.
    fn message(&self, message: &AgentMessage, edits: &BTreeMap<usize, &PartEdit>) -> String {
        let mut raw = self.request.raw(message).to_owned();
        let parts = || message.parts.iter().enumerate();
        // Lists one by one, so that the places of their elements hold.
        let mut lists: Vec<&'static str> = Vec::new();
        for (number, part) in parts() {
            let edit = edits.get(&number).copied();
            match (part.place, edit) {
                (Place::Whole, Some(edit)) => raw = self.edited(part, edit),
                (Place::Member(key), Some(PartEdit::Remove)) => {
                    raw = if key == "content" {
                        json::with_member(&raw, key, "\"\"")
                    } else {
                        json::without_member(&raw, key)
                    };
                }
                (Place::Member(key), Some(edit)) => {
                    raw = json::with_member(&raw, key, &self.edited(part, edit));
                }
                (Place::Element(key, _), Some(_)) if !lists.contains(&key) => lists.push(key),
                _ => {}
            }
        }
        for key in lists {
            let list = frame::member(&raw, key).unwrap_or("[]");
            let count = frame::array(list).len();
            let mut elements: Vec<Option<Element>> = (0..count).map(|at| Some(Element::Old(at))).collect();
            for (number, part) in parts() {
                let (Place::Element(of, at), Some(edit)) = (part.place, edits.get(&number)) else {
                    continue;
                };
                if let Some(element) = elements.get_mut(at).filter(|_| of == key) {
                    *element = match edit {
                        PartEdit::Remove => None,
                        edit => Some(Element::Changed(at, self.edited(part, edit))),
                    };
                }
            }
            let elements: Vec<Element> = elements.into_iter().flatten().collect();
            raw = if elements.is_empty() {
                json::without_member(&raw, key)
            } else {
                let list = json::with_elements(list, &elements);
                json::with_member(&raw, key, &list)
            };
        }
        self.request.wire.agent_side().completed(raw)
    }

    /// A message of the user with more texts at both ends.
    fn with_texts(&self, raw: String, [begin, end]: &[Vec<String>; 2]) -> String {
        let begin = begin.iter().rev().map(|text| (text, true));
        let more = begin.chain(end.iter().map(|text| (text, false)));
        more.fold(raw, |raw, (text, is_first)| self.with_text(raw, text, is_first))
    }

    fn with_text(&self, raw: String, text: &str, is_first: bool) -> String {
        let Some((key, part)) = self.request.wire.agent_side().text_part(text) else {
            return raw;
        };
        let old = frame::member(&raw, key);
        let new = if let Some(old) = old.and_then(frame::string) {
            let [first, second] = if is_first { [text, &old] } else { [&old, text] };
            serde_json::Value::from(format!("{first}\n\n{second}")).to_string()
        } else {
            let old = old.unwrap_or("[]");
            let mut elements: Vec<Element> = (0..frame::array(old).len()).map(Element::Old).collect();
            let at = if is_first { 0 } else { elements.len() };
            elements.insert(at, Element::New(part));
            json::with_elements(old, &elements)
        };
        json::with_member(&raw, key, &new)
    }

    fn edited(&self, part: &Part, edit: &PartEdit) -> String {
        let side = self.request.wire.agent_side();
        side.edit_part(part, self.request.raw_part(part), edit)
    }
}
