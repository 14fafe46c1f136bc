//! The calls in a reply of Ollama's own format: `tool_calls` of a message, each whole.
//!
//! Must not know: who decided.

use serde_json::{Value, json};

use super::{Calls, Changes, change, object};
use crate::proxy::events::RawEvent;

/// The calls of a reply.
#[derive(Default)]
pub(super) struct Ollama {
    calls: usize,
    model: Value,
}

fn count(data: &Value) -> usize {
    data["message"]["tool_calls"].as_array().map_or(0, Vec::len)
}

impl Calls for Ollama {
    fn of(&mut self, event: &RawEvent) -> Vec<usize> {
        let first = self.calls;
        self.calls += event.data.as_ref().map_or(0, count);
        (first..self.calls).collect()
    }

    fn written(&mut self, raw: &RawEvent, numbers: &[usize], changes: &Changes) -> Vec<u8> {
        if let Some(data) = &raw.data {
            self.model = data["model"].clone();
        }
        let is_changed = numbers.iter().any(|call| changes.contains_key(call));
        let Some(mut data) = raw.data.clone().filter(|_| is_changed) else {
            return raw.bytes.clone();
        };
        let calls = data["message"]["tool_calls"].as_array_mut().into_iter().flatten();
        for (call, number) in calls.zip(numbers) {
            if let Some((tool, args)) = change(changes, *number) {
                call["function"]["name"] = tool.into();
                call["function"]["arguments"] = object(args);
            }
        }
        raw.with(&data)
    }

    fn heartbeat(&mut self) -> Vec<u8> {
        let empty = json!({"role": "assistant", "content": ""});
        format!(
            "{}\n",
            json!({"model": self.model, "message": empty, "done": false})
        )
        .into_bytes()
    }
}
