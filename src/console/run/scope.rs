//! Completes a reference in arguments: calls, their results, state paths and session input.
//!
//! Must not know: keys, how references find their values.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::summary;
use overrule_domain::call::{Call, Outcome};
use overrule_domain::id::{NodeId, ThreadId, TurnId};
use overrule_domain::ready::written_paths;
use overrule_domain::reference::DAGGER;
use overrule_domain::state::State;
use overrule_domain::thread::ROOT;
use overrule_schema::{Choice, Completion};

/// Maximum number of choices, the newest calls first.
const MOST: usize = 500;
/// Maximum number of list members to offer.
const MEMBERS: usize = 32;
/// Maximum size of a result that is searched, in bytes.
const LOOKED_INTO: usize = 1024 * 1024;
/// Characters of a value that are shown.
const VALUE_CHARS: usize = 60;

/// Position of the call that reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reader {
    /// The call itself, if it exists.
    own: Option<NodeId>,
    thread: ThreadId,
    /// Its turn, or the last turn before it; none at the end of the thread.
    turn: Option<u32>,
}

impl Reader {
    /// An existing call.
    pub fn call(state: &State, id: NodeId) -> Option<Self> {
        let turn = state.turn_of(id)?;
        Some(Self {
            own: Some(id),
            thread: turn.thread,
            turn: Some(turn.pos),
        })
    }

    /// A future call after a turn, or at the end of the run.
    pub fn after(state: &State, turn: Option<TurnId>) -> Self {
        let turn = turn.and_then(|turn| state.turns.get(&turn));
        Self {
            own: None,
            thread: turn.map_or(ROOT, |turn| turn.thread),
            turn: turn.map(|turn| turn.pos),
        }
    }

    fn sees(&self, state: &State, id: NodeId) -> bool {
        let there = state.nodes.get(&id).is_some_and(|node| node.active);
        let before = state.turn_of(id).is_some_and(|turn| {
            // A call may read a later call of its own turn.
            let reached = |pos| turn.pos <= pos;
            turn.thread == self.thread && turn.is_active() && self.turn.is_none_or(reached)
        });
        there && before && self.own != Some(id)
    }
}

/// Completes a reference at byte `at` of a JSON text: one that is begun, or any in an empty text.
/// None elsewhere.
pub fn complete(state: &State, reader: Reader, text: &str, at: usize) -> Option<Completion> {
    let before = text.get(..at)?;
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '|' | '&' | '<' | '>' | '*' | '\\' | ',');
    let to = at + text.get(at..)?.find(ends).unwrap_or(text.len() - at);
    let from = before.rfind(ends).map_or(0, |last| {
        last + before
            .get(last..)
            .and_then(|rest| rest.chars().next())
            .map_or(0, char::len_utf8)
    });
    let word = before.get(from..)?;
    if word.is_empty() {
        let begun = before.strip_suffix('"').map(str::trim_end);
        let is_value = begun.is_some_and(|begun| begun.ends_with([':', '[']));
        let empty = is_value && text.get(at..).is_some_and(|rest| rest.starts_with('"'));
        let choices = roots("").into_iter().map(|choice| Choice {
            insert: format!("{DAGGER}{}", choice.insert),
            name: format!("{DAGGER}{}", choice.name),
            ..choice
        });
        return empty.then(|| Completion {
            from,
            to,
            choices: choices.collect(),
        });
    }
    let typed = word
        .strip_prefix(DAGGER)
        .filter(|rest| !rest.starts_with(DAGGER))?;
    let choices = places(state, reader, typed);
    (!choices.is_empty()).then_some(Completion {
        from: from + DAGGER.len_utf8(),
        to,
        choices,
    })
}

fn roots(typed: &str) -> Vec<Choice> {
    [
        ("call.", "result of a call"),
        ("state.", "values that calls wrote"),
        ("input", "input of the session"),
    ]
    .into_iter()
    .filter(|(name, _)| name.starts_with(typed))
    .map(|(name, detail)| choice(name.to_owned(), detail.to_owned()))
    .collect()
}

fn choice(name: String, detail: String) -> Choice {
    Choice {
        insert: name.clone(),
        name,
        detail,
    }
}

/// The places with the typed prefix, without the dagger.
fn places(state: &State, reader: Reader, typed: &str) -> Vec<Choice> {
    let mut parts: Vec<&str> = typed.split('.').collect();
    let last = parts.pop().unwrap_or_default();
    match parts.split_first() {
        None => roots(last),
        Some((&"call", [])) => labels(state, reader, last),
        Some((&"call", [label, path @ ..])) => {
            let call = newest(state, reader).remove(*label);
            call.map_or_else(Vec::new, |call| below(&results(state, call), &parts, path, last))
        }
        Some((&"state", path)) => paths(state, reader, &parts, path, last),
        Some((&"input", path)) if reader.thread == ROOT => {
            let input = state.started.as_ref().map_or("null", |started| &*started.input);
            let input: Vec<Value> = serde_json::from_str(input).into_iter().collect();
            below(&input, &parts, path, last)
        }
        Some(_) => Vec::new(),
    }
}

/// True for a name that a reference in JSON text can contain between two dots.
fn can_be_named(name: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || c.is_control() || ".\"\\|&<>*,".contains(c);
    !name.is_empty() && !name.contains(odd)
}

/// The calls before the reader by name. Of equal names the newest, as a reference resolves it.
fn newest(state: &State, reader: Reader) -> BTreeMap<&str, &Call> {
    let mut calls: BTreeMap<&str, &Call> = BTreeMap::new();
    let place = |call: &Call| state.turn_of(call.id).map(|turn| (turn.pos, call.id));
    for call in state.calls.values().filter(|call| reader.sees(state, call.id)) {
        let has_name = state.agenda.holders(&call.label).any(|id| id == call.id);
        let is_newer = calls
            .get(&*call.label)
            .is_none_or(|other| place(other) < place(call));
        if has_name && is_newer {
            calls.insert(&call.label, call);
        }
    }
    calls
}

fn labels(state: &State, reader: Reader, typed: &str) -> Vec<Choice> {
    let calls = newest(state, reader);
    let mut found: Vec<(NodeId, Choice)> = calls
        .into_iter()
        .filter(|(label, _)| label.starts_with(typed) && can_be_named(label))
        .map(|(label, call)| {
            let tool = state.node(call.id).and_then(|node| node.as_call());
            let tool = tool.map(|(tool, _)| &**tool).unwrap_or_default();
            let outcome = state.observation(call.id).and_then(|node| node.outcome());
            let gave = outcome.map_or_else(
                || call.status.label().into_owned(),
                |outcome| summary::short_result(outcome).raw(VALUE_CHARS),
            );
            let detail = format!("{} {tool}: {gave}", call.id);
            (call.id, choice(format!("call.{label}"), detail))
        })
        .collect();
    found.sort_by_key(|(id, _)| std::cmp::Reverse(*id));
    found.into_iter().take(MOST).map(|(_, choice)| choice).collect()
}

/// Readable values of a call: its result, and the metadata next to it.
fn results(state: &State, call: &Call) -> Vec<Value> {
    let Some(Outcome::Ok { value, meta, .. }) = state.observation(call.id).and_then(|node| node.outcome())
    else {
        return Vec::new();
    };
    let parse = |text: &str| {
        (text.len() <= LOOKED_INTO)
            .then(|| serde_json::from_str::<Value>(text).ok())
            .flatten()
    };
    let meta = meta.as_deref().and_then(parse);
    let beside = meta.map(|meta| serde_json::json!({ "meta": meta }));
    parse(value).into_iter().chain(beside).collect()
}

/// The members of values at a path that have the typed prefix.
fn below(values: &[Value], parts: &[&str], path: &[&str], typed: &str) -> Vec<Choice> {
    let before = parts.join(".");
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for value in values {
        let here = path.iter().try_fold(value, |value, key| match value {
            Value::Object(members) => members.get(*key),
            Value::Array(members) => members.get(key.parse::<usize>().ok()?),
            _ => None,
        });
        let members: Vec<(String, &Value)> = match here {
            Some(Value::Object(members)) => members.iter().map(|(key, value)| (key.clone(), value)).collect(),
            Some(Value::Array(members)) => {
                let numbered = members.iter().take(MEMBERS).enumerate();
                numbered.map(|(no, value)| (no.to_string(), value)).collect()
            }
            _ => Vec::new(),
        };
        for (key, value) in members {
            if key.starts_with(typed) && can_be_named(&key) && seen.insert(key.clone()) {
                let output = value.to_string();
                let output = overrule_base::text::head(&output, VALUE_CHARS).0.to_owned();
                out.push(choice(format!("{before}.{key}"), output));
            }
        }
    }
    out.truncate(MOST);
    out
}

/// State paths that calls before the reader write, one key at a time; then the members of the value
/// at the path.
fn paths(state: &State, reader: Reader, parts: &[&str], path: &[&str], typed: &str) -> Vec<Choice> {
    let before = parts.join(".");
    let mut out: BTreeMap<String, Choice> = BTreeMap::new();
    for written in written_paths(state) {
        let writers = written.writers.iter().rev();
        let seen: Vec<NodeId> = writers.filter(|id| reader.sees(state, **id)).copied().collect();
        let Some(writer) = seen.first() else { continue };
        let keys: Vec<&str> = std::iter::once(written.target.head.as_str())
            .chain(written.target.path.iter().map(String::as_str))
            .collect();
        match keys.strip_prefix(path) {
            Some([key, rest @ ..]) if key.starts_with(typed) && can_be_named(key) => {
                let detail = if rest.is_empty() {
                    format!("written by {writer}")
                } else {
                    format!("{} lies below", rest.join("."))
                };
                let name = format!("{before}.{key}");
                out.entry(name.clone()).or_insert_with(|| choice(name, detail));
            }
            Some(_) => {}
            None => {
                // After a written path, offer the members of its value.
                let ended = seen.iter().find(|id| state.observation(**id).is_some());
                let call = ended.and_then(|id| state.calls.get(id));
                if let (Some(rest), Some(call)) = (path.strip_prefix(keys.as_slice()), call) {
                    let found = below(&results(state, call), parts, rest, typed);
                    out.extend(found.into_iter().map(|choice| (choice.name.clone(), choice)));
                }
            }
        }
        if keys == path
            && let Some(call) = seen.iter().find_map(|id| {
                state.observation(*id)?;
                state.calls.get(id)
            })
        {
            let found = below(&results(state, call), parts, &[], typed);
            out.extend(found.into_iter().map(|choice| (choice.name.clone(), choice)));
        }
    }
    out.into_values().collect()
}
