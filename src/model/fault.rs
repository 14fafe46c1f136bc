//! Reads the reason, the kind and the requested wait from a server's error.
//!
//! Must not know: wire formats, sockets, when to ask again.
//!
//! A server may refuse a request or break off a reply; the innermost reason is used.

#[cfg(test)]
mod tests;
mod wait;

use serde_json::{Map, Value};

use self::wait::wait;
use super::frame::Object;
use super::show::sample;
use overrule_domain::turn::{StreamFault, StreamFaultKind};

/// Levels of errors inside of errors that are looked through.
const DEEPEST: u32 = 12;
/// Bytes of an input that an error repeats.
const MOST_REPEATED: usize = 64;
/// Maximum number of reasons reported from a list of errors.
const MOST_REASONS: usize = 3;

/// The error of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status, or the number inside of the error that stands for one.
    pub status: Option<u64>,
    /// The innermost reason, with the provider's name if a router names it; empty if there is none.
    pub reason: String,
    /// All of its text in lower case, including the text inside embedded JSON.
    pub words: String,
    /// Milliseconds to wait according to its text.
    pub wait_ms: Option<u64>,
}

/// Returns the error that a frame of a stream reports; `text` is its JSON text.
pub fn in_frame(name: &str, frame: &Object<'_>, text: &str) -> Option<Refusal> {
    if let Some(raw) = frame.get("error") {
        return Some(Refusal::read(None, raw));
    }
    let bare = name == "error" || frame.string("object").as_deref() == Some("error");
    if frame.get("choices").is_some() || !(bare || frame.get("detail").is_some()) {
        return None;
    }
    Some(Refusal::read(None, text))
}

impl Refusal {
    /// Reads the body of an error, or an error object of a stream.
    pub fn read(status: Option<u64>, text: &str) -> Self {
        let text = text.trim();
        let value = serde_json::from_str(text).unwrap_or_else(|_| Value::from(page(text)));
        let mut found = ErrorParts::default();
        found.look(&value, DEEPEST);
        let reason = reason(&value, DEEPEST).unwrap_or_else(|| {
            let words = found
                .words
                .lines()
                .filter(|line| !line.is_empty())
                .take(MOST_REASONS);
            words.collect::<Vec<_>>().join(", ")
        });
        let reason = match found.provider {
            Some(provider) if !reason.contains(&provider) => format!("{reason} (provider {provider})"),
            _ => reason,
        };
        let words = found.words.to_lowercase();
        Self {
            status: status.or(found.status),
            reason,
            wait_ms: wait(&words),
            words,
        }
    }

    /// Returns true if the text contains this word.
    pub fn mentions(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Returns true if the text contains one of these words.
    pub fn mentions_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.mentions(word))
    }

    /// Returns the kind of fault. `asked_ms` is what a header asks to wait.
    pub fn kind(&self, asked_ms: Option<u64>) -> StreamFaultKind {
        let waits = asked_ms.or(self.wait_ms).is_some();
        if self.is_quota(waits) {
            return StreamFaultKind::Quota;
        }
        let busy = self.mentions_any(OVERLOAD) && self.status != Some(400);
        if busy || matches!(self.status, Some(503 | 529)) {
            return StreamFaultKind::Overload;
        }
        if self.is_overflow() {
            return StreamFaultKind::Overflow;
        }
        if self.mentions_any(FILTER) && matches!(self.status, None | Some(400 | 403 | 422)) {
            return StreamFaultKind::Filter;
        }
        match self.status {
            Some(401 | 403) => StreamFaultKind::Auth,
            Some(408) => StreamFaultKind::Timeout,
            Some(429) => StreamFaultKind::RateLimit,
            Some(300..=499) => StreamFaultKind::Request,
            None if self.mentions_any(&["rate_limit", "rate limit", "too_many", "quota"]) => {
                StreamFaultKind::RateLimit
            }
            None if self.mentions_any(&["authentication", "api_key", "unauthorized", "permission"]) => {
                StreamFaultKind::Auth
            }
            None if self.mentions_any(&["invalid", "not_found", "context_length", "unsupported"]) => {
                StreamFaultKind::Request
            }
            _ => StreamFaultKind::Server,
        }
    }

    /// True where the request is longer than the window of the model.
    fn is_overflow(&self) -> bool {
        // A limit of tokens for a minute has the same words and another status.
        matches!(self.status, None | Some(400 | 413 | 422 | 500)) && self.mentions_any(OVERFLOW)
    }

    /// True where the quota or the credit is used up, and waiting does not help.
    fn is_quota(&self, waits: bool) -> bool {
        if !matches!(self.status, None | Some(400 | 402 | 403 | 429)) {
            return false;
        }
        // Advice on where to pay for more is no reason.
        let words = without_addresses(&self.words);
        let claims = |list: &[&str]| list.iter().any(|word| words.contains(word));
        self.status == Some(402)
            || claims(USED_UP)
            || (!waits && claims(PERHAPS_USED_UP) && !claims(FOR_A_WHILE))
    }

    /// Returns the fault for an error inside of an answer.
    pub fn fault_in_answer(&self) -> StreamFault {
        let words = if self.reason.is_empty() {
            "the server does not say which"
        } else {
            &self.reason
        };
        StreamFault {
            kind: self.kind(None),
            message: format!("the server reported an error in its answer: {}", sample(words)),
            retry_after_ms: self.wait_ms,
        }
    }
}

/// Words by which servers report an overload.
const OVERLOAD: &[&str] = &["overloaded", "capacity_exceeded", "at capacity", "no capacity"];
/// Words by which servers report a request that is longer than the window of the model.
const OVERFLOW: &[&str] = &[
    "context_length_exceeded",
    "model_context_window_exceeded",
    "exceed_context_size",
    "exceeds the available context size",
    "maximum context length",
    "maximum context size",
    "context length exceeded",
    "exceeds the context length",
    "exceed context limit",
    "exceeds the context window",
    "exceed the context window",
    "exceeds your context window",
    "larger than the context",
    "longer than the model's context",
    "too large for the context",
    "prompt is too long",
    "input is too long",
    "input token count",
    "exceeds the maximum number of tokens",
    "exceeds the model's maximum",
    "reduce the length of the messages",
    "prompt too long",
];
/// Words by which servers report a content filter.
const FILTER: &[&str] = &[
    "content_filter",
    "content_policy_violation",
    "responsibleaipolicyviolation",
    "data_inspection_failed",
    "moderation",
];
/// Codes and words that mean a used-up quota, whatever else the text contains.
const USED_UP: &[&str] = &[
    "insufficient_quota",
    "exceeded_current_quota",
    "billing_hard_limit",
    "credit balance",
    "insufficient balance",
    "insufficient_balance",
    "insufficient credit",
    "insufficient funds",
    "out of credits",
    "payment required",
    "perday",
];
/// Words that may also describe a limit per minute.
const PERHAPS_USED_UP: &[&str] = &["quota", "billing", "spending limit", "usage limit"];

/// Words of a limit that ends with time.
const FOR_A_WHILE: &[&str] = &[
    "rate_limit",
    "rate limit",
    "per minute",
    "per_minute",
    "perminute",
    "per second",
    "per_second",
];

/// Returns the text without addresses of pages.
fn without_addresses(words: &str) -> String {
    let stored = words.split_whitespace().filter(|word| !word.contains("://"));
    stored.collect::<Vec<_>>().join(" ")
}

/// Parts found anywhere in an error.
#[derive(Debug, Default)]
struct ErrorParts {
    status: Option<u64>,
    provider: Option<String>,
    words: String,
}

impl ErrorParts {
    fn look(&mut self, value: &Value, left: u32) {
        let Some(left) = left.checked_sub(1) else { return };
        match value {
            Value::String(text) => {
                self.words.push_str(text);
                self.words.push('\n');
                if let Some(inner) = inside(text) {
                    self.look(&inner, left);
                }
            }
            Value::Array(list) => list.iter().for_each(|one| self.look(one, left)),
            Value::Object(members) => {
                for (key, value) in members {
                    self.member(key, value);
                    // This repeats what was sent; only a part of it is about the error.
                    let repeats =
                        key == "input" && value.as_str().is_none_or(|text| text.len() > MOST_REPEATED);
                    if !repeats {
                        self.look(value, left);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn member(&mut self, key: &str, value: &Value) {
        let number = value.as_u64().or_else(|| value.as_str()?.parse().ok());
        match key {
            "code" | "status" | "status_code" | "http_status" if self.status.is_none() => {
                self.status = number.filter(|number| (300..600).contains(number));
            }
            "provider_name" | "provider" => {
                let name = value.as_str().map(str::to_owned);
                self.provider = name.filter(|name| !name.is_empty()).or(self.provider.take());
            }
            "loc" | "path" => {
                if let Some(place) = value.as_array() {
                    self.words.push_str(&path(place));
                    self.words.push('\n');
                }
            }
            // The subject of the error decides which parts of its text matter.
            "param" | "retryDelay" => {
                if let Some(text) = value.as_str() {
                    self.words.push_str(key);
                    self.words.push_str(": ");
                    self.words.push_str(text);
                    self.words.push('\n');
                }
            }
            _ => {}
        }
    }
}

/// The innermost reason of an error.
fn reason(value: &Value, left: u32) -> Option<String> {
    let left = left.checked_sub(1)?;
    match value {
        Value::String(text) => {
            let inner = inside(text).and_then(|inner| reason(&inner, left));
            inner.or_else(|| (!text.trim().is_empty()).then(|| text.trim().to_owned()))
        }
        Value::Array(list) => {
            let reasons: Vec<String> = list
                .iter()
                .filter_map(|one| reason(one, left))
                .take(MOST_REASONS)
                .collect();
            (!reasons.is_empty()).then(|| reasons.join("; "))
        }
        Value::Object(members) => of_object(members, left),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Members that contain nested errors.
const DEEPER: &[&str] = &[
    "error",
    "errors",
    "issues",
    "metadata",
    "innererror",
    "inner_error",
    "cause",
    "fault",
    "details",
    "detail",
    "fieldViolations",
    "violations",
];
/// Members that contain the reason as text.
const SAYING: &[&str] = &[
    "message",
    "Message",
    "msg",
    "error_description",
    "error_message",
    "error_msg",
    "errorMessage",
    "faultstring",
    "description",
    "reason",
    "text",
    "title",
];

/// The innermost reason of an error that is an object.
fn of_object(members: &Map<String, Value>, left: u32) -> Option<String> {
    // Next to a message, a text is the name of a status.
    let has_message = members
        .get("message")
        .is_some_and(|words| words.as_str() != Some(""));
    let deeper = DEEPER.iter().find_map(|key| {
        let value = members.get(*key)?;
        match (*key, value) {
            ("error", Value::String(_)) if has_message => None,
            ("error" | "cause" | "fault" | "innererror" | "inner_error", _) => reason(value, left),
            ("metadata", _) => reason(value.get("raw")?, left),
            // A list may contain parts that are for programs only.
            (_, Value::Array(list)) => {
                let output = list.iter().filter(|one| is_message(one)).cloned();
                reason(&Value::Array(output.collect()), left)
            }
            ("errors", Value::Object(fields)) => reason(value, left).or_else(|| of_fields(fields, left)),
            (_, value) => reason(value, left),
        }
    });
    let own = || {
        let mut content = SAYING.iter().filter_map(|key| members.get(*key));
        content.find_map(|value| reason(value, left))
    };
    let found = deeper.or_else(own)?;
    let place = ["loc", "path"]
        .iter()
        .find_map(|key| members.get(*key)?.as_array());
    let place = place
        .map(|place| path(place))
        .or_else(|| members.get("field")?.as_str().map(str::to_owned));
    let found = match place.filter(|place| !place.is_empty() && !found.contains(place.as_str())) {
        Some(place) => format!("{place}: {found}"),
        None => found,
    };
    let names = names_of_details(members);
    Some(match names.filter(|names| !found.contains(names.as_str())) {
        Some(names) => format!("{found} ({names})"),
        None => found,
    })
}

/// Reasons for each field, as some servers list them: `{"FIELD": ["must be …"]}`.
fn of_fields(fields: &Map<String, Value>, left: u32) -> Option<String> {
    let reasons = fields
        .iter()
        .filter_map(|(field, value)| Some(format!("{field}: {}", reason(value, left)?)));
    let reasons: Vec<String> = reasons.take(MOST_REASONS).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// Returns the names of reasons in a list of details; a text accompanies each.
fn names_of_details(members: &Map<String, Value>) -> Option<String> {
    let details = members.get("details")?.as_array()?;
    let names = details.iter().filter_map(|one| one.get("reason")?.as_str());
    let names: Vec<&str> = names
        .filter(|name| !name.is_empty() && !name.contains(char::is_whitespace))
        .take(MOST_REASONS)
        .collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Returns true for a detail as text.
fn is_message(detail: &Value) -> bool {
    let output = ["msg", "detail", "error", "fieldViolations", "violations"];
    let is_sentence = |key: &&str| {
        let words = detail.get(*key);
        words.is_some_and(|words| {
            words
                .as_str()
                .is_none_or(|words| words.contains(char::is_whitespace))
        })
    };
    detail.is_string()
        || detail.get("message").is_some()
        || output.iter().any(|key| detail.get(key).is_some())
        || ["reason", "description"].iter().any(is_sentence)
}

fn path(place: &[Value]) -> String {
    let steps = place.iter().map(|step| match step {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    steps.collect::<Vec<_>>().join(".")
}

/// Returns the text of an HTML page or of XML; other text as it is.
fn page(text: &str) -> String {
    if !text.starts_with('<') {
        return text.to_owned();
    }
    let lower = text.to_ascii_lowercase();
    for mark in ["title", "message", "h1"] {
        let begin = lower.find(&format!("<{mark}>")).map(|at| at + mark.len() + 2);
        let end = lower.find(&format!("</{mark}>"));
        let words = begin.zip(end).and_then(|(begin, end)| text.get(begin..end));
        if let Some(words) = words.filter(|words| !words.trim().is_empty()) {
            return words.trim().to_owned();
        }
    }
    let mut words = String::new();
    for part in text.split('<') {
        words.push_str(part.split_once('>').map_or("", |(_, following)| following));
        words.push(' ');
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the JSON object or list that a text is, or that follows a few words in it.
fn inside(text: &str) -> Option<Value> {
    let at = text.find(['{', '['])?;
    let mut values = serde_json::Deserializer::from_str(text.get(at..)?).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let claims = match &value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(list) => list.iter().any(Value::is_object),
        _ => false,
    };
    claims.then_some(value)
}
