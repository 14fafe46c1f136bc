//! Reads what a server says when it refuses a request or breaks off: the innermost reason, which kind of fault it is, and
//! how long it asks to wait. Must not know: wire formats, sockets, when to ask again.

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::frame::Object;
use super::show::sample;
use crate::domain::turn::{StreamFault, StreamFaultKind};

/// Levels of errors inside of errors that are looked through.
const DEEPEST: u32 = 12;
/// Reasons that are told of a list of errors.
const MOST_REASONS: usize = 3;

/// What a server said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status, or the number inside of the error that stands for one.
    pub status: Option<u64>,
    /// The innermost reason, with the provider's name where a router names it; empty where nothing was said.
    pub reason: String,
    /// All words of it in lower case, the ones inside of texts that are JSON included.
    pub words: String,
    /// Milliseconds that its words ask to wait.
    pub wait_ms: Option<u64>,
}

/// Returns what a frame of a stream says if it reports an error; `text` is its JSON text.
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
        let value = serde_json::from_str(text.trim()).unwrap_or_else(|_| Value::from(text.trim()));
        let mut found = Found::default();
        found.look(&value, DEEPEST);
        let reason = reason(&value, DEEPEST).unwrap_or_default();
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

    /// Returns true if the words hold this one.
    pub fn says(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Returns true if the words hold one of these.
    pub fn says_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.says(word))
    }

    /// Returns the kind of fault. `asked_ms` is what a header asks to wait.
    pub fn kind(&self, asked_ms: Option<u64>) -> StreamFaultKind {
        let waits = asked_ms.or(self.wait_ms).is_some();
        if self.is_quota(waits) {
            return StreamFaultKind::Quota;
        }
        let busy = self.says_any(OVERLOAD) && self.status != Some(400);
        if busy || matches!(self.status, Some(503 | 529)) {
            return StreamFaultKind::Overload;
        }
        if self.says_any(FILTER) && matches!(self.status, None | Some(400 | 403 | 422)) {
            return StreamFaultKind::Filter;
        }
        match self.status {
            Some(401 | 403) => StreamFaultKind::Auth,
            Some(408) => StreamFaultKind::Timeout,
            Some(429) => StreamFaultKind::RateLimit,
            Some(300..=499) => StreamFaultKind::Request,
            None if self.says_any(&["rate_limit", "rate limit", "too_many", "quota"]) => {
                StreamFaultKind::RateLimit
            }
            None if self.says_any(&["authentication", "api_key", "unauthorized", "permission"]) => {
                StreamFaultKind::Auth
            }
            None if self.says_any(&["invalid", "not_found", "context_length", "unsupported"]) => {
                StreamFaultKind::Request
            }
            _ => StreamFaultKind::Server,
        }
    }

    /// True where the quota or the credit is used up, and waiting does not help.
    fn is_quota(&self, waits: bool) -> bool {
        if !matches!(self.status, None | Some(400 | 402 | 403 | 429)) {
            return false;
        }
        // Advice on where to pay for more is no reason.
        let words = without_addresses(&self.words);
        let says = |list: &[&str]| list.iter().any(|word| words.contains(word));
        self.status == Some(402) || says(USED_UP) || (!waits && says(PERHAPS_USED_UP) && !says(FOR_A_WHILE))
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

/// Words by which servers say that they have too much to do.
const OVERLOAD: &[&str] = &["overloaded", "capacity_exceeded", "at capacity", "no capacity"];
/// Words by which they say that they filtered.
const FILTER: &[&str] = &[
    "content_filter",
    "content_policy_violation",
    "responsibleaipolicyviolation",
    "data_inspection_failed",
    "moderation",
];
/// Codes and words that mean a used-up quota whatever else is said.
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
/// Words that may as well be said of a limit for a minute.
const PERHAPS_USED_UP: &[&str] = &["quota", "billing", "spending limit", "usage limit"];

/// Words of a limit that time lifts.
const FOR_A_WHILE: &[&str] = &[
    "rate_limit",
    "rate limit",
    "per minute",
    "per_minute",
    "perminute",
    "per second",
    "per_second",
];

/// The words without addresses of pages.
fn without_addresses(words: &str) -> String {
    let kept = words.split_whitespace().filter(|word| !word.contains("://"));
    kept.collect::<Vec<_>>().join(" ")
}

/// What is found anywhere in an error.
#[derive(Debug, Default)]
struct Found {
    status: Option<u64>,
    provider: Option<String>,
    words: String,
}

impl Found {
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
                    self.look(value, left);
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
            // What it is about decides which words of it matter.
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
        Value::Object(members) => {
            let of = |key: &str| members.get(key).and_then(|value| reason(value, left));
            // A list of details may hold what is for programs only.
            let of_details = |key: &str| {
                let details = members.get(key)?;
                let told: Vec<&Value> = match details {
                    Value::Array(list) => list.iter().filter(|one| is_told(one)).collect(),
                    other => vec![other],
                };
                let told = Value::Array(told.into_iter().cloned().collect());
                reason(&told, left)
            };
            // Beside a message, a text is the name of a status.
            let has_message = members
                .get("message")
                .is_some_and(|words| words.as_str() != Some(""));
            let named = members.get("error").is_some_and(Value::is_string) && has_message;
            let deeper = of("error")
                .filter(|_| !named)
                .or_else(|| of_details("errors"))
                .or_else(|| {
                    members
                        .get("metadata")
                        .and_then(|more| reason(more.get("raw")?, left))
                })
                .or_else(|| of("innererror"))
                .or_else(|| of("inner_error"))
                .or_else(|| of("cause"))
                .or_else(|| of_details("details"))
                .or_else(|| of_details("detail"));
            let own = || {
                ["message", "msg", "error_description", "title"]
                    .iter()
                    .find_map(|key| of(key))
            };
            let found = deeper.or_else(own)?;
            Some(match members.get("loc").and_then(Value::as_array) {
                Some(place) => format!("{}: {found}", path(place)),
                None => found,
            })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Returns true for a detail in words.
fn is_told(detail: &Value) -> bool {
    let told = ["message", "msg", "detail", "error"];
    detail.is_string() || told.iter().any(|key| detail.get(key).is_some())
}

fn path(place: &[Value]) -> String {
    let steps = place.iter().map(|step| match step {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    steps.collect::<Vec<_>>().join(".")
}

/// The JSON object or list that a text is, or that stands in it behind a few words.
fn inside(text: &str) -> Option<Value> {
    let at = text.find(['{', '['])?;
    let mut values = serde_json::Deserializer::from_str(text.get(at..)?).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let says = match &value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(list) => list.iter().any(Value::is_object),
        _ => false,
    };
    says.then_some(value)
}

/// Milliseconds that words ask to wait: `try again in 7.66s`, `retry in 1m2s`, `retrydelay: 32s`.
fn wait(words: &str) -> Option<u64> {
    const BEFORE: &[&str] = &["try again in ", "retry in ", "retry after ", "retrydelay: "];
    BEFORE.iter().find_map(|before| {
        let at = words.find(before)? + before.len();
        duration(words.get(at..)?)
    })
}

/// Reads a duration with units at the beginning of a text, in milliseconds.
fn duration(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut total: Option<f64> = None;
    loop {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let (number, behind) = rest.split_at(digits);
        let Ok(number) = number.trim_end_matches('.').parse::<f64>() else {
            break;
        };
        let behind = behind.trim_start_matches(' ');
        let end = behind
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(end);
        let ms = match unit {
            "ms" | "milliseconds" => 1.0,
            "s" | "sec" | "secs" | "second" | "seconds" => 1000.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60_000.0,
            "h" | "hour" | "hours" => 3_600_000.0,
            _ => break,
        };
        total = Some(total.unwrap_or_default() + number * ms);
        rest = behind;
    }
    let total = total.filter(|ms| ms.is_finite() && *ms < 1e12)?;
    Some(total.ceil() as u64)
}
