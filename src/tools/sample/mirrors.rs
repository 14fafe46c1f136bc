//! Sample mirrors of a small book: one refuses, one is often busy, one is slow and reliable.
//!
//! Must not know: who reads.
//!
//! The second is busy every other time.

use std::sync::Arc;

use serde_json::{Value, json};

use super::service::{Answer, Service, status, text};
use crate::tool::Tool;
use overrule_domain::call::{EffectClass, ToolError};

pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    let mirror = |name: &str, ms: u64, answer: Answer| -> Arc<dyn Tool> {
        let schema = json!({
            "type": "object",
            "properties": {
                "page": {"type": "string", "pattern": "^[1-8]$", "description": "The page, 1 to 8."}
            },
            "required": ["page"],
            "additionalProperties": false
        });
        let description =
            "Fetch a page of the book from one of its three mirrors, which hold the same pages.";
        Arc::new(Service::new(name, description, &schema, EffectClass::Read, answer).taking(ms))
    };
    vec![
        mirror("mirror_a", 20, |_, _| {
            Err(status(
                401,
                "401 Unauthorized: the key of this mirror was revoked",
                "use another mirror",
            ))
        }),
        mirror("mirror_b", 30, |args, times| {
            if (number(args) + u64::from(times)) % 2 == 1 {
                return Err(status(
                    503,
                    "503 Service Unavailable",
                    "try again, or use another mirror",
                ));
            }
            page(args)
        }),
        mirror("mirror_c", 120, |args, _| page(args)),
    ]
}

fn number(args: &Value) -> u64 {
    text(args, "page").parse().unwrap_or(0)
}

fn page(args: &Value) -> Result<Value, ToolError> {
    let words = ["Once", "there", "was", "an", "agent", "that", "asked", "first"];
    let at = usize::try_from(number(args)).unwrap_or(0).saturating_sub(1);
    let word = words
        .get(at)
        .ok_or_else(|| status(404, "404 no such page", "pages are 1 to 8"))?;
    Ok((*word).into())
}
