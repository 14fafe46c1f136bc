//! Strategy: the same value as a different type, only if nothing is lost.
//!
//! Must not know: other strategies.
//!
//! The result is another spelling of the value, or the value without what encloses it.

use serde_json::{Number, Value};

use super::strategy::{Idea, Spot};
use super::{arg_path, json, names, texts};
use overrule_domain::repair::Certainty;
use overrule_schema::followed;

/// Number of decimal digits that a number keeps exactly.
const EXACT_DIGITS: usize = 15;
/// How often a value is taken out of something around it.
const DEEPEST: usize = 6;
/// Names under which the value itself is put into an object.
const VALUE: [&str; 1] = ["value"];
/// How the text of a list that a program makes begins.
const MADE: [&str; 5] = ["list(", "set(", "tuple(", "range(", "array("];
/// Names under which a list is put into an object.
const LIST: [&str; 6] = ["item", "items", "list", "array", "values", "element"];

pub(super) fn ideas(spot: &Spot<'_>) -> Vec<Idea> {
    let Some(value) = spot.value() else {
        return Vec::new();
    };
    let requested = expected_types(spot);
    if let Some(nothing) = nothing(spot, value, &requested) {
        return vec![nothing];
    }
    let mut ideas = Vec::new();
    for (to, words) in meanings(spot, value, &requested) {
        let edits = vec![(spot.path.to_owned(), Some(to))];
        let why = format!("the same value as {words}");
        let idea = Idea::exact(beside(spot, edits, &requested), why);
        if !ideas.contains(&idea) {
            ideas.push(idea);
        }
    }
    if ideas.is_empty() {
        ideas.extend(out_of_list(spot, value));
    }
    ideas
}

/// Returns the meaning of a null: a parameter that is not given, or one with its default.
fn nothing(spot: &Spot<'_>, value: &Value, requested: &[(&str, &Value)]) -> Option<Idea> {
    let takes = |name: &str| requested.iter().any(|(requested, _)| *requested == name);
    let confirms = is_null_text(value) && !takes("string");
    if !(value.is_null() || confirms) || takes("null") || spot.among().is_some() || spot.path.is_empty() {
        return None;
    }
    if spot.is_required() {
        let default = spot.place.get("default").filter(|default| !default.is_null())?;
        let why = "the default that the tool names, for what is not given";
        return Some(Idea::of(spot, default.clone(), Certainty::Exact, why));
    }
    Some(Idea::exact(
        vec![(spot.path.to_owned(), None)],
        "null means that the parameter is not given, and this one is optional",
    ))
}

fn is_null_text(value: &Value) -> bool {
    matches!(value.as_str().map(str::trim), Some("null" | "None"))
}

/// Returns the types that the schema accepts there, each with the rest of its schema.
fn expected_types<'a>(spot: &Spot<'a>) -> Vec<(&'a str, &'a Value)> {
    let forms: Vec<&Value> = match (spot.keyword, spot.expected.as_array()) {
        ("anyOf" | "oneOf", Some(forms)) => forms
            .iter()
            .filter_map(|form| followed(spot.schema, form))
            .collect(),
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
    // A text of the tool may name the type that the schema leaves open.
    if types.is_empty() && spot.keyword.is_empty() {
        types.extend(spot.captures.first().map(|named| (named.as_str(), spot.place)));
    }
    types
}

fn type_label(requested: &str) -> &'static str {
    match requested {
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "string" => "text",
        "array" => "a list",
        "object" => "an object",
        _ => "null",
    }
}

fn is_of(value: &Value, requested: &str) -> bool {
    match requested {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    }
}

/// Returns the values of the wanted types that a value represents: without its wrapper, or else in
/// another spelling.
fn meanings(spot: &Spot<'_>, value: &Value, requested: &[(&str, &Value)]) -> Vec<(Value, &'static str)> {
    let takes = |name: &str| requested.iter().any(|(requested, _)| *requested == name);
    if is_null_text(value) && takes("null") && !takes("string") {
        return vec![(Value::Null, "null")];
    }
    let name = arg_path::last(spot.path);
    let layers = layers(value, &name);
    for layer in &layers {
        let fits = |(requested, _): &&(&str, &Value)| is_of(layer, requested);
        if let Some((requested, _)) = requested.iter().find(fits) {
            return vec![(layer.clone(), type_label(requested))];
        }
    }
    let written = spot.written.filter(|_| value.is_f64());
    let mut found: Vec<(Value, &'static str)> = Vec::new();
    for (requested, place) in requested {
        let plain = |layer: &Value| match (*requested, written) {
            ("string", Some(written)) => Some(Value::from(written)),
            ("integer" | "number", _) => {
                scalar(layer, requested).or_else(|| texts::without_unit(layer.as_str()?, &name, place))
            }
            _ => converted(layer, requested, place),
        };
        let to = match *requested {
            // It is unknown whether one of several is meant or all of them.
            "array" if spot.among().is_some_and(|all| all > 1) => None,
            "array" => list(&layers, place),
            _ => layers.iter().find_map(plain),
        };
        let Some(to) = to else {
            continue;
        };
        if !found.iter().any(|(other, _)| *other == to) {
            found.push((to, type_label(requested)));
        }
    }
    found
}

/// Returns a value and what is in it, from the outside to the inside: the only item of a list, the
/// value that a text spells out, the only member of an object that has the parameter's own name or
/// none. Values from other calls are not searched.
pub(super) fn layers(value: &Value, name: &str) -> Vec<Value> {
    let mut layers = vec![value.clone()];
    while let Some(inner) = layers.last().and_then(|outer| inside(outer, name)) {
        if layers.len() > DEEPEST || arg_path::holds_reference(&inner) {
            break;
        }
        layers.push(inner);
    }
    layers
}

fn inside(value: &Value, name: &str) -> Option<Value> {
    match value {
        Value::Array(items) => match items.as_slice() {
            [one] if !one.is_null() => Some(one.clone()),
            _ => None,
        },
        Value::String(text) => json::spelt(text).filter(|read| !read.is_null()),
        Value::Object(map) => {
            let mut members = map.iter().filter(|(key, _)| *key != "type");
            let (key, inner) = members.next().filter(|_| members.next().is_none())?;
            let own = !name.is_empty() && names::folded(key) == names::folded(name);
            let output = map.get("type").and_then(Value::as_str);
            let typed = match output {
                Some(output) => is_of(inner, output),
                None => !map.contains_key("type"),
            };
            let bare = VALUE.contains(&key.as_str());
            let list = LIST.contains(&key.as_str()) && inner.is_array();
            (typed && (own || bare || list)).then(|| inner.clone())
        }
        _ => None,
    }
}

/// Converts a value to a different type; returns `None` if something would be lost or the value would differ.
pub(super) fn converted(value: &Value, requested: &str, place: &Value) -> Option<Value> {
    match requested {
        "string" => match value {
            Value::Number(number) if !number.is_f64() => Some(Value::String(number.to_string())),
            Value::Bool(one) => Some(Value::String(one.to_string())),
            _ => None,
        },
        "array" => list(std::slice::from_ref(value), place),
        "object" => value.as_str().and_then(own).filter(Value::is_object),
        "null" => is_null_text(value).then_some(Value::Null),
        _ => scalar(value, requested),
    }
}

/// Returns the value that a text spells out, if nothing of it comes from another call.
fn own(text: &str) -> Option<Value> {
    json::spelt(text).filter(|read| !arg_path::holds_reference(read))
}

fn scalar(value: &Value, requested: &str) -> Option<Value> {
    match requested {
        "integer" => whole(value),
        "number" => value.as_str().and_then(number),
        "boolean" => boolean(value),
        _ => None,
    }
}

fn whole(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => {
            let text = text.trim();
            if text.contains(['e', 'E']) {
                let read = number(text)?.as_f64()?;
                let stored = read.fract() == 0.0 && read.abs() < 1e15;
                return stored.then(|| Value::from(read as i64));
            }
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

pub(super) fn number(text: &str) -> Option<Value> {
    let text = text.trim();
    if grouped(text) {
        return None;
    }
    let plain = |text: &str| (!text.contains(['e', 'E'])).then(|| whole(&Value::from(text)));
    if let Some(whole) = plain(text).flatten() {
        return Some(whole);
    }
    let text = text.strip_prefix('+').unwrap_or(text);
    let (sign, rest) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let zero = if rest.starts_with('.') { "0" } else { "" };
    let text = format!("{sign}{zero}{rest}");
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    let significant = digits.iter().skip_while(|digit| **digit == b'0').count();
    let parsed: Number = serde_json::from_str(&text).ok()?;
    let read = parsed.as_f64()?;
    // A number too small to be represented would become zero.
    let stored = significant <= EXACT_DIGITS && (significant == 0) == (read == 0.0);
    stored.then_some(Value::Number(parsed))
}

fn boolean(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "y" | "on" => Some(Value::Bool(true)),
            "false" | "0" | "no" | "n" | "off" => Some(Value::Bool(false)),
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

/// Returns a list for a value that is none: the list that it spells out, or a list of it alone.
fn list(layers: &[Value], place: &Value) -> Option<Value> {
    let value = layers
        .first()
        .filter(|value| !value.is_array() && !value.is_null())?;
    if let Some(list) = value.as_str().and_then(own).filter(Value::is_array) {
        return Some(list);
    }
    let items = place.get("items").unwrap_or(&Value::Null);
    let single = |layer: &Value| !layer.as_str().is_some_and(several);
    let item = match items.get("type").and_then(Value::as_str) {
        Some(requested) => {
            let same = |layer: &&Value| is_of(layer, requested) && single(layer);
            // A text in quotes is the text.
            let same = if requested == "string" {
                layers.iter().rev().find(same)
            } else {
                layers.iter().find(same)
            };
            let other = || layers.iter().find_map(|layer| converted(layer, requested, items));
            same.cloned().or_else(other)
        }
        None => single(value).then(|| value.clone()),
    };
    let allowed = || texts::allowed(value.as_str()?, items).cloned();
    let parts = || texts::parts(value.as_str()?, items);
    let item = item.or_else(allowed).map(|item| vec![item]);
    item.or_else(parts).map(Value::Array)
}

/// Returns true for a text that may be a list in some notation, or an empty one.
fn several(text: &str) -> bool {
    let listed = |c: char| c.is_whitespace() || ",;|".contains(c);
    let made = MADE.iter().any(|name| text.starts_with(name));
    text.is_empty() || text.contains(listed) || text.starts_with(['[', '{', '(']) || made
}

/// Extends a change of an item to its neighbours with the same fault: a list is written in one way.
fn beside(
    spot: &Spot<'_>,
    mut edits: Vec<(String, Option<Value>)>,
    requested: &[(&str, &Value)],
) -> Vec<(String, Option<Value>)> {
    let around = arg_path::parent(spot.path);
    let same = spot
        .around
        .get("items")
        .and_then(|items| followed(spot.schema, items))
        == Some(spot.place);
    let Some(items) = spot
        .args
        .pointer(around)
        .and_then(Value::as_array)
        .filter(|_| same)
    else {
        return edits;
    };
    for (at, item) in items.iter().enumerate() {
        let path = format!("{around}/{at}");
        if path == spot.path || requested.iter().any(|(requested, _)| is_of(item, requested)) {
            continue;
        }
        let other = Spot {
            path: &path,
            written: None,
            ..*spot
        };
        if let [(to, _)] = meanings(&other, item, requested).as_slice() {
            edits.push((path, Some(to.clone())));
        }
    }
    edits
}

/// Takes a list out of a list of one: `[[1, 2]]` where `[1, 2]` is wanted.
fn out_of_list(spot: &Spot<'_>, value: &Value) -> Option<Idea> {
    let around = arg_path::parent(spot.path);
    let alone = spot.args.pointer(around)?.as_array()?.len() == 1;
    (alone && value.is_array()).then(|| {
        Idea::exact(
            vec![(around.to_owned(), Some(value.clone()))],
            "the list without another list around it",
        )
    })
}
