//! Strategy: the same value as a different type, only if nothing is lost. Must not know: other strategies.

use serde_json::{Number, Value};

use super::idea::{Idea, Spot};
use crate::domain::repair::Certainty;

/// Number of decimal digits that a number keeps exactly.
const EXACT_DIGITS: usize = 15;

pub(super) fn ideas(spot: &Spot<'_>) -> Vec<Idea> {
    let Some(value) = spot.value() else {
        return Vec::new();
    };
    let mut ideas = Vec::new();
    if value.is_null() && !spot.is_required() {
        ideas.push(Idea {
            edits: vec![(spot.path.to_owned(), None)],
            certainty: Certainty::Exact,
            why: "null stands for a parameter that is not given, and this one need not be".to_owned(),
        });
        return ideas;
    }
    for (wanted, place) in wanted(spot) {
        let Some(to) = converted(value, wanted, place) else {
            continue;
        };
        let idea = Idea::of(
            spot,
            to,
            Certainty::Exact,
            format!("the same value as {}", words(wanted)),
        );
        if !ideas.contains(&idea) {
            ideas.push(idea);
        }
    }
    ideas
}

/// Returns the types that the schema accepts there, each with the rest of its schema.
fn wanted<'a>(spot: &Spot<'a>) -> Vec<(&'a str, &'a Value)> {
    let forms: Vec<&Value> = match (spot.keyword, spot.expected.as_array()) {
        ("anyOf" | "oneOf", Some(forms)) => forms.iter().collect(),
        _ => vec![spot.place],
    };
    let mut types = Vec::new();
    for form in forms {
        match form.get("type") {
            Some(Value::String(one)) => types.push((one.as_str(), form)),
            Some(Value::Array(several)) => {
                types.extend(several.iter().filter_map(Value::as_str).map(|one| (one, form)));
            }
            _ => {}
        }
    }
    types
}

fn words(wanted: &str) -> &'static str {
    match wanted {
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "string" => "text",
        "array" => "a list",
        "object" => "an object",
        _ => "null",
    }
}

/// Converts a value to a different type; returns `None` if something would be lost or the value would differ.
pub(super) fn converted(value: &Value, wanted: &str, place: &Value) -> Option<Value> {
    match wanted {
        "integer" => whole(value),
        "number" => value.as_str().and_then(number),
        "boolean" => boolean(value),
        "string" => match value {
            Value::Number(number) => Some(Value::String(number.to_string())),
            Value::Bool(one) => Some(Value::String(one.to_string())),
            _ => None,
        },
        "array" => array(value, place),
        "object" => json_text(value).filter(Value::is_object),
        _ => None,
    }
}

fn whole(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => {
            let text = text.trim();
            let text = text.strip_prefix('+').unwrap_or(text);
            let digits = match text.split_once('.') {
                Some((digits, zeros)) if zeros.bytes().all(|digit| digit == b'0') => digits,
                Some(_) => return None,
                None => text,
            };
            let sound = digits.strip_prefix('-').unwrap_or(digits);
            if sound.is_empty() || !sound.bytes().all(|digit| digit.is_ascii_digit()) {
                return None;
            }
            // `010` is ten or eight.
            if (sound.len() > 1 && sound.starts_with('0')) || grouped(text) {
                return None;
            }
            let signed = digits.parse::<i64>().ok().map(Value::from);
            signed.or_else(|| digits.parse::<u64>().ok().map(Value::from))
        }
        Value::Number(number) if !number.is_i64() && !number.is_u64() => {
            whole(&Value::String(number.to_string()))
        }
        _ => None,
    }
}

/// Returns true for `1.000`: a number with three decimals, or one with a thousands separator.
fn grouped(text: &str) -> bool {
    let mut parts = text.trim_start_matches(['+', '-']).split('.');
    let head = parts.next().unwrap_or_default();
    let mut rest = parts.peekable();
    matches!(head.len(), 1..=3)
        && head != "0"
        && rest.peek().is_some()
        && rest.all(|part| part.len() == 3)
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"+-.".contains(&byte))
}

fn number(text: &str) -> Option<Value> {
    let text = text.trim();
    if grouped(text) {
        return None;
    }
    if let Some(whole) = whole(&Value::String(text.to_owned())) {
        return Some(whole);
    }
    let text = text.strip_prefix('+').unwrap_or(text);
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    let significant = digits.iter().skip_while(|digit| **digit == b'0').count();
    let parsed: Number = serde_json::from_str(text).ok()?;
    let read = parsed.as_f64()?;
    // A number too small to be represented would become zero.
    let kept = significant <= EXACT_DIGITS && (significant == 0) == (read == 0.0);
    kept.then_some(Value::Number(parsed))
}

fn boolean(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" => Some(Value::Bool(true)),
            "false" | "0" | "no" => Some(Value::Bool(false)),
            _ => None,
        },
        Value::Number(number) => match number.as_u64() {
            Some(1) => Some(Value::Bool(true)),
            Some(0) => Some(Value::Bool(false)),
            _ => None,
        },
        _ => None,
    }
}

fn array(value: &Value, place: &Value) -> Option<Value> {
    if value.is_array() || value.is_null() {
        return None;
    }
    if let Some(list) = json_text(value).filter(Value::is_array) {
        return Some(list);
    }
    if value.as_str().is_some_and(several) {
        return None;
    }
    let item = place
        .get("items")
        .and_then(|items| Some((items, items.get("type")?.as_str()?)))
        .and_then(|(items, wanted)| converted(value, wanted, items));
    Some(Value::Array(vec![item.unwrap_or_else(|| value.clone())]))
}

/// Returns true for a text that may be a list in some notation, or an empty one.
fn several(text: &str) -> bool {
    let listed = |c: char| c.is_whitespace() || ",;|".contains(c);
    text.is_empty() || text.contains(listed) || text.starts_with(['[', '{', '('])
}

/// Parses a text as JSON, if parsing and writing it changes nothing.
fn json_text(value: &Value) -> Option<Value> {
    let text = value.as_str()?;
    if !crate::canon::scan(text).is_empty() {
        return None;
    }
    serde_json::from_str(text).ok()
}
