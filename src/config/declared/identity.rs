//! Writes a declaration as JSON: any change of it makes another tool.
//!
//! Must not know: settings files, how a tool runs.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use overrule_domain::sandbox::Level;
use overrule_tools::sources::declared::{Action, Body, Declaration, KeyPlace, Output, Pattern};

/// Writes a declaration as JSON.
pub(super) fn written(declared: &Declaration, headers: &BTreeMap<String, String>) -> String {
    let text = |pattern: &Pattern| pattern.to_string();
    let (kind, action) = match &declared.action {
        Action::Command { argv, stdin, success } => {
            let argv: Vec<String> = argv.iter().map(text).collect();
            let stdin = stdin.as_ref().map(text);
            (
                "command",
                json!({ "argv": argv, "stdin": stdin, "success": success }),
            )
        }
        Action::Http(request) => {
            let body = request.body.as_ref().map(|body| match body {
                Body::Text(pattern) => Value::String(text(pattern)),
                Body::Json(json) => json.clone(),
            });
            let url = text(&request.url);
            (
                "http",
                json!({ "method": request.method, "url": url, "headers": headers, "body": body }),
            )
        }
    };
    let output = match &declared.output {
        Output::Text => json!("text"),
        Output::Json(schema) => json!({ "json": schema }),
    };
    let key = declared.key.as_ref().map(|key| match key {
        KeyPlace::Header(name) => format!("header:{name}"),
        KeyPlace::Placeholder(name) => format!("argument:{name}"),
    });
    let mut all = json!({
        "name": declared.name,
        kind: action,
        "effect": declared.effect.label(),
        "idempotency_key": key,
        "output": output,
        "timeout_ms": u64::try_from(declared.limit.as_millis()).unwrap_or(u64::MAX),
        "description": declared.description,
        "schema": declared.schema,
    });
    // A tool without these keys stays the tool that it was before they existed.
    if let Some(members) = all.as_object_mut() {
        if let Some(level) = declared.sandbox.map(Level::number) {
            members.insert("sandbox".to_owned(), json!(level));
        }
        if !declared.network.is_empty() {
            members.insert("network".to_owned(), json!(declared.network));
        }
    }
    all.to_string()
}
