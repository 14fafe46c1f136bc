//! Places in arguments, by JSON pointer and by the names that people give them. Must not know: what
//! stands there.

use serde_json::Value;

pub(super) use crate::canon::pointer::{escaped, last, parent};

/// A pointer to a member of what another points to.
pub(super) fn below(path: &str, name: &str) -> String {
    format!("{path}/{}", escaped(name))
}

/// True where one pointer leads to what another leads to, or into it.
pub(super) fn within(path: &str, of: &str) -> bool {
    path.strip_prefix(of)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// True where a value is, or holds, a reference: its value comes from elsewhere and is not mended here.
pub(super) fn holds_reference(value: &Value) -> bool {
    match value {
        Value::String(text) => text.strip_prefix('†').is_some_and(|rest| !rest.starts_with('†')),
        Value::Array(items) => items.iter().any(holds_reference),
        Value::Object(map) => map.values().any(holds_reference),
        _ => false,
    }
}

/// The pointer of a parameter that somebody named in words: `date`, `trip.date`, `legs[0].date`,
/// `/legs/0/date`.
pub(super) fn named(name: &str) -> String {
    let name = name.trim().trim_start_matches("$.").trim_start_matches('$');
    if name.starts_with('/') {
        return name.to_owned();
    }
    name.replace(']', "")
        .split(['.', '['])
        .filter(|part| !part.is_empty())
        .fold(String::new(), |path, part| below(&path, part))
}

/// A parameter in words, for messages: `/legs/0/date` as `legs.0.date`.
pub(super) fn shown(path: &str) -> String {
    let words = path
        .split('/')
        .skip(1)
        .map(|part| part.replace("~1", "/").replace("~0", "~"));
    crate::text::visible(&words.collect::<Vec<_>>().join("."))
}
