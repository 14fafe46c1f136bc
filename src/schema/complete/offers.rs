//! Lists completions for a place from its schema: names of properties, values.
//!
//! Must not know: the text, where the place is in it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Choice;
use super::place::Step;

/// Maximum length of a chain of references and alternatives.
const DEPTH: usize = 16;
/// Maximum number of characters of a description.
const DESCRIBED: usize = 120;

/// Collects the schema and everything that applies together with it: references within the document,
/// alternatives.
fn all<'s>(root: &'s Value, schema: &'s Value, depth: usize, out: &mut Vec<&'s Value>) {
    if depth > DEPTH || out.len() > 200 {
        return;
    }
    out.push(schema);
    if let Some(pointer) = schema.get("$ref").and_then(Value::as_str)
        && let Some(target) = pointer.strip_prefix('#').and_then(|at| root.pointer(at))
    {
        all(root, target, depth + 1, out);
    }
    for word in ["allOf", "anyOf", "oneOf"] {
        for part in schema.get(word).and_then(Value::as_array).into_iter().flatten() {
            all(root, part, depth + 1, out);
        }
    }
    for word in ["then", "else"] {
        if let Some(part) = schema.get(word) {
            all(root, part, depth + 1, out);
        }
    }
}

fn together<'s>(root: &'s Value, level: &[&'s Value]) -> Vec<&'s Value> {
    let mut out = Vec::new();
    for schema in level {
        all(root, schema, 0, &mut out);
    }
    out
}

/// Returns the schemas of what a step leads to, or `None` if no schema describes it.
pub(super) fn deeper<'s>(root: &'s Value, level: &[&'s Value], step: &Step) -> Option<Vec<&'s Value>> {
    let mut out = Vec::new();
    for schema in together(root, level) {
        let next = match step {
            Step::Key(key) => schema
                .get("properties")
                .and_then(|properties| properties.get(key))
                .or_else(|| {
                    schema
                        .get("additionalProperties")
                        .filter(|other| other.is_object())
                }),
            Step::Index(index) => schema
                .get("prefixItems")
                .and_then(|items| items.get(index))
                .or_else(|| schema.get("items")),
        };
        out.extend(next);
    }
    (!out.is_empty()).then_some(out)
}

pub(super) fn names(root: &Value, level: &[&Value], taken: &BTreeSet<String>, follows: bool) -> Vec<Choice> {
    let parts = together(root, level);
    let required: BTreeSet<&str> = parts
        .iter()
        .filter_map(|schema| schema.get("required")?.as_array())
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut out: Vec<Choice> = Vec::new();
    for (name, property) in parts
        .iter()
        .filter_map(|schema| schema.get("properties")?.as_object())
        .flatten()
    {
        if taken.contains(name) || out.iter().any(|choice| choice.name == *name) {
            continue;
        }
        let needed = if required.contains(name.as_str()) {
            "required "
        } else {
            ""
        };
        let colon = if follows { "" } else { ": " };
        out.push(Choice {
            insert: format!("{}{colon}", Value::from(name.as_str())),
            name: name.clone(),
            detail: format!("{needed}{}", described(property)),
        });
    }
    out
}

fn described(schema: &Value) -> String {
    let kind = match schema.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => {
            let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
            kinds.join(" or ")
        }
        _ if schema.get("enum").is_some() => "one of several".to_owned(),
        _ => "any value".to_owned(),
    };
    match schema.get("description").and_then(Value::as_str) {
        Some(words) => {
            let head: String = words.chars().take(DESCRIBED).collect();
            format!("{kind}: {head}")
        }
        None => kind,
    }
}

pub(super) fn values(root: &Value, level: &[&Value]) -> Vec<Choice> {
    let mut out: Vec<Choice> = Vec::new();
    let mut add = |value: &Value, detail: &str| {
        let insert = value.to_string();
        if out.iter().any(|choice| choice.insert == insert) {
            return;
        }
        out.push(Choice {
            name: value.as_str().map_or_else(|| insert.clone(), str::to_owned),
            insert,
            detail: detail.to_owned(),
        });
    };
    for schema in together(root, level) {
        for value in schema.get("enum").and_then(Value::as_array).into_iter().flatten() {
            add(value, "");
        }
        if let Some(value) = schema.get("const") {
            add(value, "nothing else fits");
        }
        let is = |kind: &str| match schema.get("type") {
            Some(Value::String(one)) => one == kind,
            Some(Value::Array(kinds)) => kinds.iter().any(|one| one == kind),
            _ => false,
        };
        if is("boolean") {
            add(&Value::Bool(true), "");
            add(&Value::Bool(false), "");
        }
        if is("null") {
            add(&Value::Null, "");
        }
        if let Some(value) = schema.get("default") {
            add(value, "default");
        }
        for value in schema
            .get("examples")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            add(value, "example");
        }
    }
    out
}
