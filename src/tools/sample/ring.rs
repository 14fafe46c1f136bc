//! Sample ring of places with one way out: A to B to C to A, or from C through D to E.
//!
//! Must not know: where a traveller wants to go.
//!
//! The services that move are flaky, each at its own rate.

use std::sync::Arc;

use serde_json::{Value, json};

use super::service::{Service, rule, status, text};
use crate::tool::Tool;
use overrule_domain::call::{EffectClass, ToolError};

pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(service(
            "tool_b",
            "Moves from A to B. Fails often.",
            |args, times| moved(args, &[("A", "B")], [1, 2, 3].contains(&(times % 5))),
        )),
        Arc::new(service(
            "tool_c",
            "Moves from B to C. Fails seldom.",
            |args, times| moved(args, &[("B", "C")], times % 10 == 7),
        )),
        Arc::new(service(
            "generic_process",
            "Moves from C to A, from C to D, or from D to E. Fails now and then.",
            |args, times| moved(args, &[("C", "A"), ("C", "D"), ("D", "E")], times % 5 == 4),
        )),
    ]
}

fn service(name: &str, description: &str, answer: super::service::Answer) -> Service {
    let place = |what: &str| json!({"enum": ["A", "B", "C", "D", "E"], "description": what});
    let schema = json!({
        "type": "object",
        "properties": {"from": place("The place to leave."), "to": place("The place to go to.")},
        "required": ["from", "to"],
        "additionalProperties": false
    });
    Service::new(name, description, &schema, EffectClass::Idempotent, answer)
}

fn moved(args: &Value, ways: &[(&str, &str)], fails: bool) -> Result<Value, ToolError> {
    let (from, to) = (text(args, "from"), text(args, "to"));
    if !ways.contains(&(from, to)) {
        return Err(rule(
            format!("no way leads from {from} to {to} here"),
            "use the service that moves there",
        ));
    }
    if fails {
        return Err(status(503, "503 Service Unavailable", "try again later"));
    }
    Ok(json!({"at": to}))
}
