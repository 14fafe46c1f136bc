//! The calls in a reply of Ollama's own format: `tool_calls` of a message, each whole.
//!
//! Must not know: who decided.

use serde_json::json;

use super::{Calls, Changes, any_changed, change, each, function, in_member, object, set};
use crate::events::RawEvent;
use overrule_model::frame::{self, Object};
use overrule_model::wire::agent::json::quoted;

/// The calls of a reply.
#[derive(Default)]
pub(super) struct Ollama {
    /// The name of the model, as JSON text.
    model: Option<String>,
}

fn count(event: &RawEvent) -> usize {
    let message = event.object().and_then(|data| data.object("message"));
    let calls = message.map(|message| message.array("tool_calls"));
    let calls = calls.unwrap_or_default().into_iter();
    calls.filter(|call| Object::read(call).is_some()).count()
}

impl Calls for Ollama {
    fn of(&mut self, event: &RawEvent, calls: &[usize]) -> Option<Vec<usize>> {
        (count(event) == calls.len()).then(|| calls.to_vec())
    }

    fn written(&mut self, raw: &RawEvent, numbers: &[usize], changes: &Changes) -> Option<Vec<u8>> {
        if let Some(model) = frame::member(&raw.data, "model") {
            self.model = Some(model.to_owned());
        }
        if !any_changed(changes, numbers) {
            return Some(raw.bytes.clone());
        }
        raw.object()?;
        let mut numbers = numbers.iter();
        let data = in_member(&raw.data, "message", |message| {
            in_member(message, "tool_calls", |calls| {
                each(calls, |call| {
                    let number = Object::read(call).and_then(|_| numbers.next());
                    let changed = number.and_then(|number| change(changes, *number));
                    Some(
                        changed
                            .map_or_else(|| call.to_owned(), |(tool, args)| changed_call(call, tool, args)),
                    )
                })
            })
        });
        Some(raw.with(&data))
    }

    fn heartbeat(&mut self) -> Vec<u8> {
        let empty = json!({"role": "assistant", "content": ""});
        let line = json!({"model": "", "message": empty, "done": false}).to_string();
        format!("{}\n", self.named(&line)).into_bytes()
    }

    fn opening(&mut self, empty: &str) -> Vec<u8> {
        self.model = frame::member(empty, "model").map(str::to_owned);
        self.heartbeat()
    }

    fn failure(&mut self, error: &str) -> Vec<u8> {
        let error = frame::member(error, "error").unwrap_or("\"\"");
        let words = frame::member(error, "message").unwrap_or(error);
        format!("{{\"error\":{words}}}\n").into_bytes()
    }

    fn closing(&mut self, whole: &str) -> Vec<u8> {
        format!("{}\n", self.named(whole)).into_bytes()
    }
}

impl Ollama {
    fn named(&self, line: &str) -> String {
        set(line, "model", self.model.as_deref().unwrap_or("\"\""))
    }
}

fn changed_call(call: &str, tool: &str, args: &str) -> String {
    match frame::member(call, "function").filter(|inner| inner.starts_with('{')) {
        Some(inner) if frame::member(inner, "arguments").is_some() => {
            set(call, "function", &function(inner, tool, args))
        }
        _ => format!(
            "{{\"function\":{{\"name\":{},\"arguments\":{}}}}}",
            quoted(tool),
            object(args)
        ),
    }
}
