//! Converts schemas for servers that accept only strict ones.
//!
//! Must not know: wire formats, which server wants them.
//!
//! In a strict schema every property is required, and null represents a property that is left out.

use serde_json::{Value, json};

use super::frame::Object;

/// The argument with which a call of a confined tool asks to run outside of the sandbox.
pub(crate) const OUTSIDE: &str = "_outside";

/// Returns the schema of [`OUTSIDE`].
pub(crate) fn outside() -> Value {
    json!({
        "type": "string",
        "description": "Optional reason to run this call outside of the sandbox, in one sentence, only if it cannot work \
            inside. A person is asked.",
    })
}

/// Converts a tool's schema to a strict one: every property is required, nothing else is allowed, and null stands for a
/// property that is left out. A value cannot be a reference then. A call of a confined tool may ask to run outside of the sandbox.
pub fn strict(schema: &Value, confined: bool) -> Value {
    let mut strict = if schema.is_object() {
        schema.clone()
    } else {
        json!({})
    };
    if let Some(root) = strict.as_object_mut() {
        root.entry("type").or_insert_with(|| json!("object"));
        let properties = root.entry("properties").or_insert_with(|| json!({}));
        if let Some(properties) = properties.as_object_mut() {
            for name in ["_as", "_out", "_why"] {
                properties
                    .entry(name)
                    .or_insert_with(|| json!({"type": "string"}));
            }
            if confined {
                properties.entry(OUTSIDE).or_insert_with(outside);
            }
        }
    }
    close(&mut strict);
    strict
}

/// Takes the nulls out of arguments that stand for properties that are left out. What the schema of the tool requires
/// stays, and so does every other byte of a value.
pub fn without_nulls(args: &str, schema: &Value) -> String {
    let Some(members) = Object::read(args) else {
        return args.to_owned();
    };
    let required = names(schema.get("required"));
    let mut stored = Vec::new();
    let mut changed = false;
    for (key, raw) in members.entries() {
        if raw == "null" && !required.iter().any(|name| name == key) {
            changed = true;
            continue;
        }
        let inner = schema.get("properties").and_then(|all| all.get(key));
        let value = match inner.filter(|_| raw.starts_with('{')) {
            Some(inner) => without_nulls(raw, inner),
            None => raw.to_owned(),
        };
        changed |= value != raw;
        stored.push(format!("{}:{value}", Value::from(key)));
    }
    if changed {
        format!("{{{}}}", stored.join(","))
    } else {
        args.to_owned()
    }
}

/// Closes every object of a schema.
fn close(schema: &mut Value) {
    match schema {
        Value::Array(list) => list.iter_mut().for_each(close),
        Value::Object(members) => {
            members.values_mut().for_each(close);
            let is_object = members.get("type").is_some_and(|kind| kind == "object");
            let Some(properties) = members.get("properties").and_then(Value::as_object) else {
                if is_object {
                    members.insert("additionalProperties".to_owned(), json!(false));
                }
                return;
            };
            if !is_object {
                return;
            }
            let required: Vec<String> = names(members.get("required"));
            let all: Vec<String> = properties.keys().cloned().collect();
            if let Some(properties) = members.get_mut("properties").and_then(Value::as_object_mut) {
                for (name, property) in properties {
                    if !required.contains(name) {
                        nullable(property);
                    }
                }
            }
            members.insert("required".to_owned(), json!(all));
            members.insert("additionalProperties".to_owned(), json!(false));
        }
        _ => {}
    }
}

fn names(required: Option<&Value>) -> Vec<String> {
    let list = required.and_then(Value::as_array);
    let names = list.into_iter().flatten().filter_map(Value::as_str);
    names.map(str::to_owned).collect()
}

/// Lets a property be null as well.
fn nullable(property: &mut Value) {
    let Some(members) = property.as_object_mut() else {
        return;
    };
    match members.get("type").cloned() {
        Some(Value::String(kind)) if !members.contains_key("enum") => {
            members.insert("type".to_owned(), json!([kind, "null"]));
        }
        Some(Value::Array(mut kinds)) if !members.contains_key("enum") => {
            if !kinds.iter().any(|kind| kind == "null") {
                kinds.push(json!("null"));
            }
            members.insert("type".to_owned(), Value::Array(kinds));
        }
        _ => {
            let inner = std::mem::take(members);
            *property = json!({"anyOf": [inner, {"type": "null"}]});
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_means_omitted_and_nothing_else_changes() {
        let schema = json!({
            "type": "object",
            "properties": {"path": {}, "more": {"type": "object", "properties": {"x": {}}}},
            "required": ["path"]
        });
        for (args, stored) in [
            (r#"{"path": 1.50, "lines": null, "_as":null}"#, r#"{"path":1.50}"#),
            (
                r#"{"path": null,"more":{"x":null}}"#,
                r#"{"path":null,"more":{}}"#,
            ),
            (r#"{"path":  "a"}"#, r#"{"path":  "a"}"#),
            ("null", "null"),
            ("[null]", "[null]"),
        ] {
            assert_eq!(without_nulls(args, &schema), stored);
        }
    }
}
