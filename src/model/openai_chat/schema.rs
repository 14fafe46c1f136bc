//! Converts the schemas of tools to the ones that the model is offered. Must not know: messages, sockets.

use serde_json::{Value, json};

/// What the model may write instead of a value.
const REFERENCE_PATTERN: &str = "^†.*$";

/// Converts a tool's schema to the one offered to the model: every value may also be a reference, and two
/// optional properties name the call and the place for its result.
pub fn widen(schema: &Value) -> Value {
    let mut wide = schema.clone();
    if !wide.is_object() {
        wide = json!({});
    }
    widen_inside(&mut wide);
    let Some(root) = wide.as_object_mut() else {
        return wide;
    };
    root.entry("type").or_insert_with(|| json!("object"));
    let properties = root.entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        properties.entry("_as").or_insert_with(|| {
            json!({
                "type": "string",
                "pattern": "^[a-z][a-z0-9_]{0,31}$",
                "description": "Optional name for this call. Any value of a later call, also in the same answer, \
                    may then be the string `†call.<name>`: it stands for this call's result and makes that call wait for it.",
            })
        });
        properties.entry("_out").or_insert_with(|| {
            json!({
                "type": "string",
                "description": "Optional place to keep the result as well, such as `†state.findings`.",
            })
        });
    }
    wide
}

/// Widens the subschemas of a schema.
fn widen_inside(schema: &mut Value) {
    let Some(schema) = schema.as_object_mut() else {
        return;
    };
    for key in ["properties", "patternProperties"] {
        if let Some(parts) = schema.get_mut(key).and_then(Value::as_object_mut) {
            parts.values_mut().for_each(widen_value);
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(part) = schema.get_mut(key).filter(|part| part.is_object()) {
            widen_value(part);
        }
    }
    for key in ["prefixItems", "items"] {
        if let Some(parts) = schema.get_mut(key).and_then(Value::as_array_mut) {
            parts.iter_mut().for_each(widen_value);
        }
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        if let Some(parts) = schema.get_mut(key).and_then(Value::as_array_mut) {
            parts.iter_mut().for_each(widen_inside);
        }
    }
    for key in ["$defs", "definitions"] {
        if let Some(parts) = schema.get_mut(key).and_then(Value::as_object_mut) {
            parts.values_mut().for_each(widen_inside);
        }
    }
}

/// Adds "or a reference" to the schema of one value, unless it accepts any text already.
fn widen_value(schema: &mut Value) {
    widen_inside(schema);
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    if takes_any_text(object) {
        return;
    }
    let mut wide = serde_json::Map::new();
    // What a reader needs stays first.
    for key in ["title", "description", "default"] {
        if let Some(value) = object.shift_remove(key) {
            wide.insert(key.to_owned(), value);
        }
    }
    let reference = json!({"type": "string", "pattern": REFERENCE_PATTERN});
    wide.insert("anyOf".to_owned(), json!([std::mem::take(object), reference]));
    *object = wide;
}

fn takes_any_text(schema: &serde_json::Map<String, Value>) -> bool {
    let narrow = [
        "enum",
        "const",
        "pattern",
        "format",
        "minLength",
        "maxLength",
        "anyOf",
        "oneOf",
        "allOf",
        "not",
        "$ref",
    ];
    let text = match schema.get("type") {
        None => true,
        Some(Value::String(kind)) => kind == "string",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "string"),
        Some(_) => false,
    };
    text && !narrow.iter().any(|key| schema.contains_key(*key))
}

/// Converts a tool's schema to a strict one: every property is required, nothing else is allowed, and null stands for a
/// property that is left out. A value cannot be a reference then.
pub fn strict(schema: &Value) -> Value {
    let mut strict = if schema.is_object() {
        schema.clone()
    } else {
        json!({})
    };
    if let Some(root) = strict.as_object_mut() {
        root.entry("type").or_insert_with(|| json!("object"));
        let properties = root.entry("properties").or_insert_with(|| json!({}));
        if let Some(properties) = properties.as_object_mut() {
            for name in ["_as", "_out"] {
                properties
                    .entry(name)
                    .or_insert_with(|| json!({"type": "string"}));
            }
        }
    }
    close(&mut strict);
    strict
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
