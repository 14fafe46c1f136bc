//! Converts a server's error objects, in a stream or as a whole body, to faults. Must not know: sockets, when
//! to ask again.

use super::frame::Object;
use crate::domain::turn::{StreamFault, StreamFaultKind};
use crate::model::show::sample;

/// Returns the fault that a frame of a stream reports, if any.
pub fn in_frame(name: &str, frame: &Object<'_>) -> Option<StreamFault> {
    if let Some(raw) = frame.get("error") {
        return Some(match Object::read(raw) {
            Some(error) => named(Some(&error)),
            None => in_words(raw),
        });
    }
    let bare = name == "error" || frame.string("object").as_deref() == Some("error");
    if frame.get("choices").is_some() || !(bare || frame.get("detail").is_some()) {
        return None;
    }
    Some(named(Some(frame)))
}

/// The fault that a server tells in plain words.
pub fn in_words(words: &str) -> StreamFault {
    fault(StreamFaultKind::Server, words.trim().trim_matches('"'))
}

/// The fault that an error object describes.
pub fn named(error: Option<&Object<'_>>) -> StreamFault {
    let Some(error) = error else {
        return fault(
            StreamFaultKind::Server,
            "the server reported an error without saying which",
        );
    };
    let words = words(error).unwrap_or_else(|| "no message".to_owned());
    fault(kind(error), &words)
}

/// Returns the words of an error object, or of the one nested in it.
pub fn words(error: &Object<'_>) -> Option<String> {
    let inner = error.object("error");
    let error = inner.as_ref().unwrap_or(error);
    ["message", "detail", "error"]
        .iter()
        .find_map(|key| error.filled(key))
        .map(std::borrow::Cow::into_owned)
}

fn kind(error: &Object<'_>) -> StreamFaultKind {
    let status = ["code", "status", "status_code"]
        .iter()
        .find_map(|key| error.number(key));
    if let Some(status) = status {
        return of_status(status);
    }
    let said: String = ["code", "type"]
        .iter()
        .filter_map(|key| error.string(key))
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase();
    let says = |word: &str| said.contains(word);
    if says("rate_limit") || says("quota") || says("too_many") {
        StreamFaultKind::RateLimit
    } else if says("auth") || says("api_key") || says("permission") {
        StreamFaultKind::Auth
    } else if says("content_filter") || says("moderation") {
        StreamFaultKind::Filter
    } else if says("invalid") || says("not_found") || says("context_length") {
        StreamFaultKind::Request
    } else {
        StreamFaultKind::Server
    }
}

/// Returns the kind of fault that an HTTP status stands for.
pub fn of_status(status: u64) -> StreamFaultKind {
    match status {
        401 | 403 => StreamFaultKind::Auth,
        408 => StreamFaultKind::Timeout,
        429 => StreamFaultKind::RateLimit,
        300..=499 => StreamFaultKind::Request,
        _ => StreamFaultKind::Server,
    }
}

fn fault(kind: StreamFaultKind, words: &str) -> StreamFault {
    StreamFault {
        kind,
        message: format!("the server reported an error in its answer: {}", sample(words)),
        retry_after_ms: None,
    }
}
