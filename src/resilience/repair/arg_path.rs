//! Finds places in arguments, by JSON pointer and by the names that people use.
//!
//! Must not know: what the values there are.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

pub(super) use overrule_base::canon::pointer::{escaped, last, parent};

/// Extends a pointer by a member's name.
pub(super) fn below(path: &str, name: &str) -> String {
    format!("{path}/{}", escaped(name))
}

/// Returns true if a pointer leads to what another points to, or into it.
pub(super) fn within(path: &str, of: &str) -> bool {
    path.strip_prefix(of)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns true if a value is or contains a reference: it comes from elsewhere and is not repaired here.
pub(super) fn holds_reference(value: &Value) -> bool {
    match value {
        Value::String(text) => text.strip_prefix('†').is_some_and(|rest| !rest.starts_with('†')),
        Value::Array(items) => items.iter().any(holds_reference),
        Value::Object(map) => map.values().any(holds_reference),
        _ => false,
    }
}

/// Returns a number as it is written at a pointer of a text, if it is a plain decimal such as `1.10`.
pub(super) fn decimal<'t>(text: &'t str, path: &str) -> Option<&'t str> {
    let mut now: &'t RawValue = serde_json::from_str(text).ok()?;
    for part in path.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        now = match name.parse::<usize>() {
            Ok(index) if now.get().starts_with('[') => {
                let items: Vec<&'t RawValue> = serde_json::from_str(now.get()).ok()?;
                *items.get(index)?
            }
            _ => {
                let members: BTreeMap<String, &'t RawValue> = serde_json::from_str(now.get()).ok()?;
                *members.get(&name)?
            }
        };
    }
    let written = now.get();
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-');
    (written.contains('.') && written.chars().all(plain)).then_some(written)
}

/// Converts the name of a parameter, as people write it, to a pointer: `date`, `trip.date`,
/// `legs[0].date`, `/legs/0/date`.
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

/// Formats a pointer for messages: `/legs/0/date` as `legs.0.date`.
pub(super) fn shown(path: &str) -> String {
    let words = path
        .split('/')
        .skip(1)
        .map(|part| part.replace("~1", "/").replace("~0", "~"));
    overrule_base::text::visible(&words.collect::<Vec<_>>().join("."))
}
