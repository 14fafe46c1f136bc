//! Puts hidden calls back next to the other calls of their reply.
//!
//! Must not know: how a reply was continued.

use std::collections::BTreeMap;

use super::seen::Seen;
use super::{begin_of, encoded, split};
use crate::overlay::Overlay;
use overrule_domain::transcript::CalledAs;
use overrule_model::frame;
use overrule_model::wire::agent::json::{Element, with_elements, with_member};
use overrule_model::wire::agent::{AgentRequest, Body, Rewrite};

/// Members of messages with the parts of a reply or of results.
const LISTS: [&str; 3] = ["content", "parts", "tool_calls"];

/// The body in which replies have their hidden calls next to the others; none if there is none to put back.
pub(super) fn with_calls(overlay: &Overlay, request: &AgentRequest, seen: &[Seen<'_>]) -> Option<Body> {
    let mut changed: BTreeMap<usize, String> = BTreeMap::new();
    let mut inserted: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let in_part = overlay
        .told
        .iter()
        .filter(|told| !told.hidden.is_empty() && !told.given.is_empty());
    for told in in_part {
        if seen.iter().any(|one| one.has_hidden(told)) {
            continue;
        }
        let Some(last) = seen.iter().rposition(|one| one.has_given(told)) else {
            // An agent that keeps calls as text.
            if let Some(at) = seen.iter().rposition(|one| one.is_of(told, None)) {
                let new = encoded(request, &[], &told.hidden);
                let new = new.into_iter().map(|(_, raw)| raw);
                inserted.entry(begin_of(seen, at)).or_default().extend(new);
            }
            continue;
        };
        let first = (begin_of(seen, last)..=last)
            .find(|at| seen.get(*at).is_some_and(|one| one.has_given(told)))
            .unwrap_or(last);
        let is_first = |call: &&CalledAs| told.given.iter().all(|(number, _)| call.node.no < *number);
        let (before, after): (Vec<&CalledAs>, Vec<&CalledAs>) = told.hidden.iter().partition(is_first);
        for (calls, is_before) in [(before, true), (after, false)] {
            let calls: Vec<CalledAs> = calls.into_iter().cloned().collect();
            let (own, results) = split(request, &calls);
            let place = if is_before { first } else { last };
            let at = if is_before { place } else { place + 1 };
            place_all(
                request,
                own,
                (place, at),
                is_before,
                (&mut changed, &mut inserted),
            );
            let after = last + 1;
            let count = seen.iter().skip(after).take_while(|one| one.has_results).count();
            let (place, at) = if is_before || count == 0 {
                (after, after)
            } else {
                (after + count - 1, after + count)
            };
            let has_results = count > 0;
            if has_results {
                place_all(
                    request,
                    results,
                    (place, at),
                    is_before,
                    (&mut changed, &mut inserted),
                );
            } else {
                inserted.entry(at).or_default().extend(results);
            }
        }
    }
    if changed.is_empty() && inserted.is_empty() {
        return None;
    }
    let mut rewrite = Rewrite::new(request);
    let mut all: BTreeMap<usize, (usize, Vec<String>)> = BTreeMap::new();
    for (at, new) in inserted {
        all.entry(at).or_default().1.extend(new);
    }
    for (at, new) in changed {
        let entry = all.entry(at).or_default();
        entry.0 = 1;
        entry.1.push(new);
    }
    for (at, (count, new)) in all {
        rewrite.messages(at..at + count, new);
    }
    Some(rewrite.body())
}

/// Adds the parts of new messages to the message at a place, or the messages before another place, if the format has a
/// message for each part.
fn place_all(
    request: &AgentRequest,
    new: Vec<String>,
    (place, at): (usize, usize),
    is_before: bool,
    (changed, inserted): (&mut BTreeMap<usize, String>, &mut BTreeMap<usize, Vec<String>>),
) {
    for raw in new {
        let old = request.messages.get(place).map(|message| request.raw(message));
        let now = changed.get(&place).map(String::as_str).or(old);
        match now.and_then(|now| merged(now, &raw, is_before)) {
            Some(both) => _ = changed.insert(place, both),
            None => inserted.entry(at).or_default().push(raw),
        }
    }
}

/// A message with the parts of another one before its own, or after them. Words of the user stay last.
fn merged(old: &str, new: &str, is_before: bool) -> Option<String> {
    let list = |raw: &str, key| {
        frame::member(raw, key)
            .filter(|raw| raw.starts_with('['))
            .map(str::to_owned)
    };
    let key = LISTS
        .iter()
        .find(|key| list(old, key).is_some() && list(new, key).is_some())?;
    let (own, more) = (list(old, key)?, list(new, key)?);
    let own_parts = frame::array(&own);
    let is_text = |raw: &&&str| frame::member(raw, "text").is_some();
    let texts = own_parts.iter().rev().take_while(is_text).count();
    let begin = own_parts
        .iter()
        .position(|raw| {
            [
                "tool_use",
                "tool_result",
                "functionCall",
                "functionResponse",
                "function",
            ]
            .iter()
            .any(|word| raw.contains(word))
        })
        .unwrap_or(own_parts.len());
    let at = if is_before { begin } else { own_parts.len() - texts };
    let mut elements: Vec<Element> = (0..own_parts.len()).map(Element::Old).collect();
    let more = frame::array(&more)
        .into_iter()
        .map(|raw| Element::New(raw.to_owned()));
    elements.splice(at..at, more);
    Some(with_member(old, key, &with_elements(&own, &elements)))
}
