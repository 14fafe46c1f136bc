//! Words errors of `serde`: place, key, what is expected, what is known, the nearest key.
//!
//! Must not know: what the keys mean.
//!
//! A message never holds a value of the file, except an unknown word and a number: a value can be a secret.

use toml::de::{DeValue, Error as TomlError};

use super::place::Error;
use super::read::{Document, join};
use crate::text::visible;

/// Explains an error. `missing` is the advice for required keys, by name.
pub(super) fn explain(document: &Document<'_>, error: &TomlError, missing: &[(&str, &str)]) -> Error {
    let span = error.span().unwrap_or_default();
    let message = error.message();
    // The first table of a list begins where the list begins.
    let item = document.find(&span, message.starts_with("invalid type: sequence"));
    let mut key = item.as_ref().map_or("", |item| item.key.as_str()).to_owned();
    let value = item.as_ref().map(|item| item.value);
    let unknown = |prefix: &str| message.starts_with(prefix).then(|| listed(message));
    let what = if let Some(field) = message.strip_prefix("missing field `") {
        let field = field.trim_end_matches('`');
        key = join(&key, field);
        let advice = missing.iter().find(|(name, _)| *name == field);
        advice.map_or_else(
            || format!("is missing; add {field}"),
            |(_, advice)| format!("is missing; {advice}"),
        )
    } else if let Some(known) = unknown("unknown field `") {
        unknown_key(&key, known)
    } else if let Some(known) = unknown("unknown variant `") {
        if item.as_ref().is_some_and(|item| item.is_key) {
            unknown_key(&key, known)
        } else {
            let word = value.and_then(DeValue::as_str).unwrap_or("this");
            format!("unknown value `{word}`; use {}", any_of(&known))
        }
    } else if let Some(expected) = expected(message) {
        let written = document.source().text().get(span.clone()).unwrap_or("this");
        match value {
            Some(DeValue::Integer(_) | DeValue::Float(_)) if message.starts_with("invalid value") => {
                format!("{written} is out of range; write {expected}")
            }
            Some(value) => wrong(value.type_str(), expected),
            None => format!("expected {expected}; write {expected}"),
        }
    } else {
        message.to_owned()
    };
    Error {
        place: document.source().place(span.start),
        key,
        what: visible(&what),
    }
}

/// Returns the known name that a misspelt one may have meant.
pub fn near<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    known
        .into_iter()
        .map(|known| (strsim::damerau_levenshtein(name, known), known))
        .filter(|(distance, known)| *distance <= 1 + known.len() / 4)
        .min()
        .map(|(_, known)| known)
}

/// Words the error that a value has another type of TOML than expected.
pub fn wrong(type_str: &str, expected: &str) -> String {
    let found = match type_str {
        "string" => "a string",
        "integer" => "a whole number",
        "float" => "a number with a fraction",
        "boolean" => "true or false",
        "datetime" => "a time",
        "array" => "a list",
        "table" => "a table",
        other => other,
    };
    format!("expected {expected}, found {found}; write {expected}")
}

fn unknown_key(key: &str, mut known: Vec<&str>) -> String {
    let name = key.rsplit('.').next().unwrap_or(key);
    if let Some(near) = near(name, known.iter().copied()) {
        return format!("unknown key; did you mean `{near}`?");
    }
    known.sort_unstable();
    format!("unknown key; known here: {}", known.join(", "))
}

/// Returns the names that a message of `serde` lists. The text of the file precedes them.
fn listed(message: &str) -> Vec<&str> {
    let names = message.rsplit_once("`, expected ").map_or("", |(_, names)| names);
    names.split('`').skip(1).step_by(2).collect()
}

fn any_of(names: &[&str]) -> String {
    match names {
        [] => "nothing".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Returns what a message about a type or value expects.
fn expected(message: &str) -> Option<&str> {
    if message == "wanted string or table" {
        return Some("a string in quotes");
    }
    if !message.starts_with("invalid type: ") && !message.starts_with("invalid value: ") {
        return None;
    }
    let (_, expected) = message.rsplit_once(", expected ")?;
    Some(match expected {
        "a spanned value" => "a value that JSON has too",
        "a string" | "path string" => "a string in quotes",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "f64" => "a number",
        "i32" => "a whole number",
        "a map" => "a table",
        table if table.starts_with("struct ") => "a table",
        other => other,
    })
}
