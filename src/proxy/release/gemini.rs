//! The calls in a reply of the Gemini format: parts with a `functionCall`, each whole.
//!
//! Must not know: who decided.

use serde_json::{Value, json};

use super::{Calls, Changes, change, object};
use crate::proxy::events::{RawEvent, event};

/// The calls of a reply.
#[derive(Default)]
pub(super) struct Gemini {
    calls: usize,
}

/// The responses in an event: a whole reply may be a list of them.
fn responses(data: &mut Value) -> Vec<&mut Value> {
    match data {
        Value::Array(all) => all.iter_mut().collect(),
        one => vec![one],
    }
}

fn calls(data: &mut Value) -> Vec<&mut Value> {
    let mut found = Vec::new();
    for response in responses(data) {
        let Some(candidates) = response.get_mut("candidates").and_then(Value::as_array_mut) else {
            continue;
        };
        for candidate in candidates {
            let parts = candidate
                .get_mut("content")
                .and_then(|content| content.get_mut("parts"));
            let parts = parts.and_then(Value::as_array_mut).into_iter().flatten();
            found.extend(parts.filter_map(|part| part.get_mut("functionCall")));
        }
    }
    found
}

impl Calls for Gemini {
    fn of(&mut self, event: &RawEvent) -> Vec<usize> {
        let Some(mut data) = event.data.clone() else {
            return Vec::new();
        };
        let first = self.calls;
        self.calls += calls(&mut data).len();
        (first..self.calls).collect()
    }

    fn written(&mut self, raw: &RawEvent, numbers: &[usize], changes: &Changes) -> Vec<u8> {
        let is_changed = numbers.iter().any(|call| changes.contains_key(call));
        let Some(mut data) = raw.data.clone().filter(|_| is_changed) else {
            return raw.bytes.clone();
        };
        for (call, number) in calls(&mut data).into_iter().zip(numbers) {
            if let Some((tool, args)) = change(changes, *number) {
                call["name"] = tool.into();
                call["args"] = object(args);
            }
        }
        raw.with(&data)
    }

    fn heartbeat(&mut self) -> Vec<u8> {
        event("", &json!({"candidates": []}))
    }
}
