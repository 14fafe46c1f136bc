//! Calls and results of the provider's own types, made of those of a function.
//!
//! Must not know: who decides, sockets.
//!
//! An agent gets a rejected call as one of a function that it lacks. The model made a call of another type.

use serde_json::{Value, json};

use crate::frame;
use crate::wire::agent::json::{quoted, with_member};

/// Returns true for a type of calls whose result can be a text.
pub fn has_text_result(call: &str) -> bool {
    output(call).is_some()
}

/// The type of the result of a call of this type, where that can be a text.
fn output(call: &str) -> Option<&'static str> {
    Some(match call {
        "apply_patch_call" => "apply_patch_call_output",
        "local_shell_call" => "local_shell_call_output",
        "mcp_approval_request" => "mcp_approval_response",
        "shell_call" => "shell_call_output",
        _ => return None,
    })
}

/// Returns the item of a call of this type, without its arguments, in place of a call of a function.
pub fn call(raw: &str, kind: &str) -> String {
    let mut item = with_member("{}", "type", &quoted(kind));
    let call_id = frame::member(raw, "call_id");
    if kind == "mcp_approval_request" {
        return with_member(&item, "id", call_id.unwrap_or("\"\""));
    }
    for (key, value) in [("id", frame::member(raw, "id")), ("call_id", call_id)] {
        if let Some(value) = value {
            item = with_member(&item, key, value);
        }
    }
    with_member(&item, "status", "\"completed\"")
}

/// Returns the result of a call of this tool with another text, where its type gives it a form of its own.
pub fn result(raw: &str, tool: Option<&str>, text: &str, is_error: bool) -> Option<String> {
    let own = frame::member(raw, "type").and_then(frame::string)?;
    let kind = tool.and_then(output).unwrap_or(&own);
    let id = ["call_id", "approval_request_id"];
    let id = id.into_iter().find_map(|key| frame::member(raw, key));
    let id: Value = id
        .and_then(|id| serde_json::from_str(id).ok())
        .unwrap_or_default();
    let item = match kind {
        "apply_patch_call_output" => {
            let status = if is_error { "failed" } else { "completed" };
            json!({"type": kind, "call_id": id, "status": status, "output": text})
        }
        "local_shell_call_output" => json!({"type": kind, "id": id, "call_id": id, "output": text}),
        "mcp_approval_response" => {
            // A rejected call is not approved; of any other one only the words change.
            let is_approved = frame::member(raw, "approve") == Some("true");
            json!({"type": kind, "approval_request_id": id, "approve": is_approved, "reason": text})
        }
        "shell_call_output" => {
            if let Ok(output @ Value::Array(_)) = serde_json::from_str(text) {
                return Some(with_member(raw, "output", &output.to_string()));
            }
            let (out, error) = if is_error { ("", text) } else { (text, "") };
            let outcome = json!({"type": "exit", "exit_code": i32::from(is_error)});
            json!({"type": kind, "call_id": id, "output": [{"stdout": out, "stderr": error, "outcome": outcome}]})
        }
        _ => return None,
    };
    Some(item.to_string())
}
