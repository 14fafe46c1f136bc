//! The calls in a reply of the Gemini format: parts with a `functionCall`, each whole.
//!
//! Must not know: who decided.

use super::{Calls, Changes, any_changed, change, each, in_member, object, set};
use crate::events::{RawEvent, event};
use overrule_model::frame::{self, Object};
use overrule_model::wire::agent::json::quoted;

/// The calls of a reply.
#[derive(Default)]
pub(super) struct Gemini;

/// True for a part that is a call, in whatever form.
fn is_call(part: &str) -> bool {
    Object::read(part).is_some_and(|part| {
        part.entries()
            .any(|(key, raw)| key == "functionCall" && raw != "null")
    })
}

/// The number of calls in a response, in all of its candidates.
fn count(response: &str) -> usize {
    let candidates = Object::read(response).map(|response| response.array("candidates"));
    let contents = candidates.unwrap_or_default().into_iter();
    let contents = contents.filter_map(|candidate| frame::member(candidate, "content"));
    let parts = contents.filter_map(|content| frame::member(content, "parts"));
    parts.flat_map(frame::array).filter(|part| is_call(part)).count()
}

/// The responses in an event: a whole reply may be a list of them.
fn responses(data: &str) -> Vec<&str> {
    if data.starts_with('[') {
        frame::array(data)
    } else {
        vec![data]
    }
}

/// A response with the calls of these numbers changed.
fn changed(response: &str, numbers: &mut std::slice::Iter<'_, usize>, changes: &Changes) -> String {
    in_member(response, "candidates", |candidates| {
        each(candidates, |candidate| {
            Some(in_member(candidate, "content", |content| {
                in_member(content, "parts", |parts| {
                    each(parts, |part| {
                        let number = Some(part)
                            .filter(|part| is_call(part))
                            .and_then(|_| numbers.next());
                        let Some((tool, args)) = number.and_then(|number| change(changes, *number)) else {
                            return Some(part.to_owned());
                        };
                        Some(in_member(part, "functionCall", |call| {
                            set(&set(call, "name", &quoted(tool)), "args", object(args))
                        }))
                    })
                })
            }))
        })
    })
}

impl Calls for Gemini {
    fn of(&mut self, event: &RawEvent, calls: &[usize]) -> Option<Vec<usize>> {
        let count: usize = responses(&event.data).into_iter().map(count).sum();
        (count == calls.len()).then(|| calls.to_vec())
    }

    fn written(&mut self, raw: &RawEvent, numbers: &[usize], changes: &Changes) -> Option<Vec<u8>> {
        if !any_changed(changes, numbers) {
            return Some(raw.bytes.clone());
        }
        let mut numbers = numbers.iter();
        let data = if raw.data.starts_with('[') {
            each(&raw.data, |response| {
                Some(changed(response, &mut numbers, changes))
            })
        } else {
            raw.object()?;
            changed(&raw.data, &mut numbers, changes)
        };
        Some(raw.with(&data))
    }

    fn heartbeat(&mut self) -> Vec<u8> {
        event("", "{\"candidates\":[]}")
    }

    fn closing(&mut self, whole: &str) -> Vec<u8> {
        event("", whole)
    }
}
