//! Converts the schemas of tools to those offered to the model.
//!
//! Must not know: messages, sockets.

use serde_json::{Value, json};

use crate::strict::{OUTSIDE, outside};

/// What the model may write instead of a value.
const REFERENCE_PATTERN: &str = "^†.*$";

/// Converts a tool's schema to the one offered to the model: every value may also be a reference, and three
/// optional properties name the call, the place for its result, and the reason for it. A fourth asks to run the call
/// of a confined tool outside of the sandbox.
pub fn widen(schema: &Value, confined: bool) -> Value {
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
        properties.entry("_why").or_insert_with(|| {
            json!({
                "type": "string",
                "description": "Optional reason for this call, in one sentence, for the person who supervises you. It is \
                    not passed to the tool.",
            })
        });
        if confined {
            properties.entry(OUTSIDE).or_insert_with(outside);
        }
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
