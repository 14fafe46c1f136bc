//! What all formats say in the same way: names of tools, arguments, schemas, messages of the console.
//!
//! Must not know: the place of these in a request.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::schema;
use super::{Options, Thinking};
use crate::frame::Object;
use crate::{Quirk, Quirks, Request, strict};
use overrule_domain::event::run::ToolCard;
use overrule_domain::transcript::{CalledAs, ModelText};

/// The prefix of the console's messages to the model, so that they are not taken for the user's.
pub const CONSOLE: &str = "[operator console]";

/// Asks for more where the last message would be the model's own.
pub const CONTINUE: &str = "[operator console] Continue.";

/// Characters that the name of a tool may have.
const MAX_NAME: usize = 64;

/// Returns the name of a called tool in a form that servers accept. A model may have invented it,
/// and servers refuse every request that repeats such a name. The result tells the model that there
/// is no such tool.
pub fn wire_name(name: &str) -> Cow<'_, str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(fits) {
        return Cow::Borrowed(name);
    }
    let name: String = name
        .chars()
        .take(MAX_NAME)
        .map(|c| if fits(c) { c } else { '_' })
        .collect();
    Cow::Owned(if name.is_empty() {
        "unnamed".to_owned()
    } else {
        name
    })
}

/// The exact argument text where it is a JSON object. Servers read it, and refuse the whole request
/// for anything else: then the text is sent inside of an object, for the model to see.
pub fn arguments(text: &str) -> String {
    if matches!(text.trim(), "" | "null" | "\"\"") {
        return "{}".to_owned();
    }
    if Object::read(text).is_some() {
        text.to_owned()
    } else {
        json!({ "_unreadable": text }).to_string()
    }
}

/// Returns the schema of a tool as it is offered to the model.
pub fn offered(card: &ToolCard, quirks: &Quirks) -> Value {
    let schema = serde_json::from_str(&card.schema).unwrap_or(Value::Null);
    if quirks.contains(&Quirk::StrictSchemas) {
        strict::strict(&schema, card.confined)
    } else {
        schema::widen(&schema, card.confined)
    }
}

/// A part of a message of the model.
pub enum Said<'m> {
    /// Text or reasoning.
    Words(&'m ModelText),
    /// A call.
    Call(&'m CalledAs),
}

/// Returns what the model said and called in the order in which it came: reasoning belongs to what follows it.
pub fn in_order<'m>(texts: &'m [ModelText], calls: &'m [CalledAs]) -> Vec<Said<'m>> {
    let mut said = Vec::with_capacity(texts.len() + calls.len());
    let mut calls = calls.iter().peekable();
    for one in texts {
        while let Some(call) = calls.next_if(|call| call.node < one.node) {
            said.push(Said::Call(call));
        }
        said.push(Said::Words(one));
    }
    said.extend(calls.map(Said::Call));
    said
}

/// Returns whether a reply may have several calls, where that has to be said.
pub fn parallel(options: &Options, quirks: &Quirks) -> Option<bool> {
    if quirks.contains(&Quirk::SingleCalls) {
        Some(false)
    } else {
        options.parallel_calls
    }
}

/// Levels of thinking that a model may have as its least, rising.
pub const LEVELS: [&str; 4] = ["minimal", "low", "medium", "high"];

/// Returns how much a model thinks, in the word of the formats of OpenAI.
pub fn effort(thinking: Thinking, quirks: &Quirks) -> &'static str {
    if thinking.is_off() {
        least_thinking(quirks).unwrap_or("none")
    } else {
        thinking.label()
    }
}

/// Returns the least that a model can think, if it cannot do without.
pub fn least_thinking(quirks: &Quirks) -> Option<&'static str> {
    let is_known = |level: &&str| quirks.contains(&Quirk::LeastThinking((*level).to_owned()));
    // Of two, the lower one was refused.
    LEVELS.into_iter().rfind(is_known)
}

/// Returns the most tokens that a reply may have: what the settings ask for, at most what the model is known to take.
pub fn max_output(options: &Options, quirks: &Quirks) -> Option<u32> {
    Some(options.max_output?.min(most_output(quirks)))
}

/// Returns the most tokens that a reply of the model is known to have.
pub fn most_output(quirks: &Quirks) -> u32 {
    let learned = quirks.iter().filter_map(|quirk| match quirk {
        Quirk::MaxOutput(tokens) => Some(*tokens),
        _ => None,
    });
    learned.min().unwrap_or(u32::MAX)
}

/// Returns the most tokens of thought in a reply of at most `most` tokens: a quarter is left for the answer.
pub const fn most_thought(most: u32) -> u32 {
    most - most.div_ceil(4)
}

/// Returns the schema of the answer, where the provider should hold the answer to it.
pub fn answer_schema(options: &Options, request: &Request) -> Option<Value> {
    let schema = request.output_schema.as_deref().filter(|_| options.structured)?;
    serde_json::from_str(schema).ok()
}

/// Returns true unless the server does not take a member of this name.
pub fn takes(quirks: &Quirks, member: &str) -> bool {
    !quirks.contains(&Quirk::LeaveOut(member.to_owned()))
}

/// The id of a call as the server takes it.
pub fn id<'i>(id: &'i str, quirks: &Quirks) -> Cow<'i, str> {
    if quirks.contains(&Quirk::ShortIds) {
        Cow::Owned(short_id(id))
    } else {
        Cow::Borrowed(id)
    }
}

/// The same nine letters and digits for the same id.
fn short_id(id: &str) -> String {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let hash = blake3::hash(id.as_bytes());
    let bytes = hash.as_bytes().iter().take(9);
    bytes
        .filter_map(|byte| DIGITS.get(usize::from(*byte) % DIGITS.len()))
        .map(|digit| char::from(*digit))
        .collect()
}
