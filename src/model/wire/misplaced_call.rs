//! Finds a call in a member of a frame where no call belongs.
//!
//! Must not know: parts, tools.
//!
//! The call is not made, and the reply is no answer.

use serde_json::Value;

/// Levels of a value that are looked through.
const DEEPEST: u32 = 8;
/// Members that contain calls.
const CALLS: &[&str] = &[
    "tool_calls",
    "tool_call",
    "function_call",
    "function_calls",
    "tool_use",
    "toolCalls",
    "toolCall",
    "functionCall",
    "functionCalls",
    "toolUse",
];
/// Types of a part that is a call.
const TYPES: &[&str] = &[
    "tool_use",
    "tool_call",
    "tool-call",
    "toolCall",
    "function_call",
    "functionCall",
    "custom_tool_call",
];
/// Members that repeat the request, or report what the server did itself.
const OTHERS: &[&str] = &["tools", "input", "arguments", "usage", "executed_tools"];

/// Returns the name of the tool of the first call in a JSON text; empty if the call does not name
/// one.
pub fn find(raw: &str) -> Option<String> {
    call(&serde_json::from_str(raw).ok()?, DEEPEST)
}

fn call(value: &Value, left: u32) -> Option<String> {
    let left = left.checked_sub(1)?;
    match value {
        Value::Array(list) => list.iter().find_map(|one| call(one, left)),
        Value::Object(members) => {
            let claims = |value: &Value| match value {
                Value::Object(members) => !members.is_empty(),
                Value::Array(list) => !list.is_empty(),
                _ => false,
            };
            let held = CALLS
                .iter()
                .filter_map(|key| members.get(*key))
                .find(|held| claims(held));
            let typed = members.get("type").and_then(Value::as_str);
            let is_call = typed.is_some_and(|kind| TYPES.contains(&kind));
            let found = held.or(Some(value).filter(|_| is_call));
            found
                .map(|found| name(found).unwrap_or_default().to_owned())
                .or_else(|| {
                    let mut inner = members.iter().filter(|(key, _)| !OTHERS.contains(&key.as_str()));
                    inner.find_map(|(_, value)| call(value, left))
                })
        }
        _ => None,
    }
}

fn name(call: &Value) -> Option<&str> {
    let first = call.get(0).unwrap_or(call);
    let function = first
        .get("function")
        .filter(|one| one.is_object())
        .unwrap_or(first);
    ["name", "tool_name", "toolName"]
        .iter()
        .find_map(|key| function.get(*key)?.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_found_in_any_format() {
        for raw in [
            r#"{"toolCalls":[{"function":{"name":"read_file","arguments":"{}"}}]}"#,
            r#"{"tool_call":{"name":"read_file"}}"#,
            r#"{"type":"tool_use","id":"x","name":"read_file","input":{}}"#,
            r#"{"output":[{"type":"message"},{"type":"function_call","name":"read_file"}]}"#,
            r#"{"functionCall":{"name":"read_file","args":{}}}"#,
            r#"[{"text":"a"},{"toolUse":{"name":"read_file"}}]"#,
            r#"{"message":{"tool_calls":[{"function":{"name":"read_file"}}]}}"#,
            r#"{"item":{"type":"tool-call","toolName":"read_file"}}"#,
        ] {
            assert_eq!(find(raw).as_deref(), Some("read_file"), "{raw}");
        }
        assert_eq!(find(r#"{"tool_calls":[{}]}"#).as_deref(), Some(""));
        for raw in [
            "",
            "null",
            r#"{"tool_calls":[],"tool_call":null,"function_call":{}}"#,
            r#"{"tools":[{"type":"function_call","name":"read_file"}]}"#,
            r#"{"executed_tools":[{"type":"tool_call","name":"search"}]}"#,
            r#"{"type":"server_tool_use","name":"web_search"}"#,
            r#"{"usage":{"tool_calls":{"n":1}}}"#,
            r#"{"tool_calls":3}"#,
        ] {
            assert_eq!(find(raw), None, "{raw}");
        }
    }
}
