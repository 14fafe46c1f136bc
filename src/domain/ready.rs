//! Whether a call has what it reads, and what that is.
//!
//! Inside a turn a reference waits for calls that stand before it; across turns it sees what is
//! there. A value is there when its call ended well and nothing upstream is in question. Must not
//! know: who asks, what happens next.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::call::{Binding, Call, Outcome, Status};
use super::id::NodeId;
use super::node::Node;
use super::reference::rewrite;
use super::reference::{Expr, OutPath, Root, Target};
use super::state::State;

/// What a look at a call finds.
#[derive(Debug, Clone, PartialEq)]
pub enum Look {
    /// Something that it reads is not there yet.
    Wait,
    /// Everything is there.
    Bound {
        /// What was read.
        bindings: Vec<Binding>,
        /// The bytes that run, where they differ from the argument text.
        resolved: Option<String>,
    },
    /// Something that it reads will never be there.
    Dead {
        /// What, and why.
        because: String,
    },
}

/// What one expression gives.
enum Found {
    Value(Vec<Binding>, Read),
    Pending,
    Never(String),
}

/// A value that was read; taken apart only where somebody needs more than to know that it is there.
enum Read {
    Whole(Arc<str>),
    Part(Value),
}

impl Read {
    /// As compact JSON.
    fn text(&self) -> String {
        match self {
            Self::Whole(text) => serde_json::from_str(text).unwrap_or(Value::Null).to_string(),
            Self::Part(value) => value.to_string(),
        }
    }
}

/// Looks at what a call reads.
pub fn look(state: &State, call: &Call) -> Look {
    match state.nodes.get(&call.id).and_then(Node::as_call) {
        Some((_, args)) => look_with(state, call, args),
        None => Look::Wait,
    }
}

/// Looks at what a call would read with other arguments; its references are those of the call given.
pub fn look_with(state: &State, call: &Call, args: &str) -> Look {
    let mut bindings = Vec::new();
    let mut values = std::collections::BTreeMap::new();
    let mut pending = false;
    for reference in &call.references {
        match evaluate(state, call, &reference.expr) {
            Found::Value(bound, value) => {
                bindings.extend(bound);
                values.insert(reference.at.as_str(), value);
            }
            Found::Pending => pending = true,
            Found::Never(because) => return Look::Dead { because },
        }
    }
    if pending {
        return Look::Wait;
    }
    let resolved = match rewrite::resolve(args, |at| values.get(at).map(Read::text)) {
        std::borrow::Cow::Borrowed(_) => None,
        std::borrow::Cow::Owned(text) => Some(text),
    };
    Look::Bound { bindings, resolved }
}

/// One of the references that a call still waits for, by its place in the list; none where
/// everything is there or something will never be: where [`look`] gives more than a wait.
///
/// Of several it is any: a wide call would otherwise be looked at whole at the end of each call
/// that it reads, if these end in the order in which it names them.
pub fn waits_for(state: &State, call: &Call) -> Option<u32> {
    let mut pending: u64 = 0;
    let mut chosen = None;
    for (place, reference) in (0..).zip(&call.references) {
        match evaluate(state, call, &reference.expr) {
            Found::Value(..) => {}
            Found::Never(_) => return None,
            Found::Pending => {
                pending += 1;
                // The golden ratio in fixed point: a sequence without pattern, the same in every fold.
                let draw = (state.seq.0 + pending).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
                if draw % pending == 0 {
                    chosen = Some(place);
                }
            }
        }
    }
    chosen
}

/// Whether a call still waits for a reference (as [`waits_for`] gave it), when another call has
/// ended or lost its value. False where it cannot be told without looking at all of them.
pub fn still_waits(state: &State, reader: &Call, place: u32, source: &Call) -> bool {
    let writes = source.out.as_ref().map(OutPath::heads).unwrap_or_default();
    let mut there = false;
    for (at, reference) in (0..).zip(&reader.references) {
        there |= at == place;
        let mut is_read = false;
        reference.expr.each(&mut |target| {
            is_read |= match target.root {
                Root::Call => target.head == *source.label,
                Root::State => writes.contains(&target.head.as_str()),
                Root::Input => false,
            };
        });
        if !is_read {
            continue;
        }
        match evaluate(state, reader, &reference.expr) {
            Found::Pending => {}
            Found::Value(..) if at != place => {}
            Found::Value(..) | Found::Never(_) => return false,
        }
    }
    there
}

/// The active calls whose results a call's references name, whether they have ended or not.
pub fn sources(state: &State, call: &Call) -> BTreeSet<NodeId> {
    let mut found = BTreeSet::new();
    for reference in &call.references {
        reference.expr.each(&mut |target| match target.root {
            Root::Call => found.extend(holder(state, call, &target.head)),
            Root::State => found.extend(writers(state, call, target)),
            Root::Input => {}
        });
    }
    found
}

fn evaluate(state: &State, call: &Call, expr: &Expr) -> Found {
    match expr {
        Expr::Read(target) => read(state, call, target),
        Expr::Fallback(parts) => {
            let mut last = String::from("an empty fallback");
            for part in parts {
                match evaluate(state, call, part) {
                    Found::Never(because) => last = because,
                    found => return found,
                }
            }
            Found::Never(last)
        }
        Expr::All(parts) => {
            let mut bindings = Vec::new();
            let mut value = Read::Part(Value::Null);
            let mut pending = false;
            for part in parts {
                match evaluate(state, call, part) {
                    Found::Value(bound, read) => {
                        bindings.extend(bound);
                        value = read;
                    }
                    Found::Pending => pending = true,
                    Found::Never(because) => return Found::Never(because),
                }
            }
            if pending {
                Found::Pending
            } else {
                Found::Value(bindings, value)
            }
        }
    }
}

fn read(state: &State, call: &Call, target: &Target) -> Found {
    match target.root {
        Root::Input => read_input(state, target),
        Root::Call => match holder(state, call, &target.head) {
            Some(source) => read_call(state, target, source),
            None => Found::Pending,
        },
        Root::State => read_state(state, call, target),
    }
}

fn read_input(state: &State, target: &Target) -> Found {
    let text = state.started.as_ref().map_or("null", |started| &*started.input);
    let input: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    let path = std::iter::once(&target.head)
        .filter(|head| !head.is_empty())
        .chain(&target.path);
    match descend(&input, path) {
        Some(value) if !value.is_null() => {
            let bound = Binding {
                reference: target.to_string(),
                source: None,
                rev: super::id::Rev(0),
            };
            Found::Value(vec![bound], Read::Part(value.clone()))
        }
        _ => Found::Never(format!("the session's input has no `{target}`")),
    }
}

/// The call that a label means for a reader: in its own turn first, then the newest before.
fn holder(state: &State, reader: &Call, label: &str) -> Option<NodeId> {
    let own = state.turn_of(reader.id)?;
    let holders = state.agenda.labels.get(label)?;
    let mut best: Option<(u32, NodeId)> = None;
    for id in holders.iter().rev() {
        if *id == reader.id || !counts(state, *id, label) {
            continue;
        }
        let Some(turn) = state.turn_of(*id) else { continue };
        if turn.id == own.id {
            return Some(*id);
        }
        if turn.thread == own.thread && turn.pos < own.pos && best.is_none_or(|(pos, _)| turn.pos > pos) {
            best = Some((turn.pos, *id));
        }
    }
    best.map(|(_, id)| id)
}

fn counts(state: &State, id: NodeId, label: &str) -> bool {
    state.calls.get(&id).is_some_and(|call| &*call.label == label)
        && state.nodes.get(&id).is_some_and(|node| node.active)
        && state.turn_of(id).is_some_and(super::turn::Turn::is_active)
}

/// How far a source has come, for somebody who wants its value.
enum Progress<'a> {
    Value(&'a Node),
    Pending,
    Never(String),
}

fn progress(state: &State, source: NodeId) -> Progress<'_> {
    let Some(call) = state.calls.get(&source) else {
        return Progress::Pending;
    };
    if call.suspect {
        return Progress::Pending;
    }
    match call.status {
        Status::Succeeded => match state.observation(source) {
            Some(node) => Progress::Value(node),
            None => Progress::Pending,
        },
        Status::Failed(_) | Status::Rejected | Status::Expired | Status::Skipped | Status::Unsatisfiable => {
            Progress::Never(format!("{} {}", name_of(call), call.status.word()))
        }
        Status::Proposed
        | Status::Invalid
        | Status::Blocked
        | Status::Ready
        | Status::Awaiting
        | Status::Consent(_)
        | Status::Queued
        | Status::Running(_)
        | Status::InDoubt(_) => Progress::Pending,
    }
}

/// `c5`, or `c5 (readme)` where the call was given a name.
pub fn name_of(call: &Call) -> String {
    let id = call.id.to_string();
    if *call.label == *id {
        id
    } else {
        format!("{id} ({})", call.label)
    }
}

fn read_call(state: &State, target: &Target, source: NodeId) -> Found {
    let node = match progress(state, source) {
        Progress::Value(node) => node,
        Progress::Pending => return Found::Pending,
        Progress::Never(because) => return Found::Never(because),
    };
    let Some(Outcome::Ok {
        value,
        meta,
        discarded,
    }) = node.outcome()
    else {
        return Found::Pending;
    };
    if *discarded > 0 {
        return Found::Never(format!(
            "the result of {source} was cut ({discarded} bytes were not kept), so it cannot be passed on whole"
        ));
    }
    let bound = || {
        vec![Binding {
            reference: target.to_string(),
            source: Some(source),
            rev: node.rev(),
        }]
    };
    if target.path.is_empty() {
        return Found::Value(bound(), Read::Whole(value.clone()));
    }
    let parsed: Value = serde_json::from_str(value).unwrap_or(Value::Null);
    if let Some(found) = descend(&parsed, target.path.iter()) {
        return Found::Value(bound(), Read::Part(found.clone()));
    }
    if target.path.first().is_some_and(|first| first == "meta")
        && let Some(meta) = meta
    {
        let meta: Value = serde_json::from_str(meta).unwrap_or(Value::Null);
        if let Some(found) = descend(&meta, target.path.iter().skip(1)) {
            return Found::Value(bound(), Read::Part(found.clone()));
        }
    }
    Found::Never(format!(
        "the result of {source} has no `{}`",
        target.path.join(".")
    ))
}

fn descend<'a, 'p>(value: &'a Value, path: impl IntoIterator<Item = &'p String>) -> Option<&'a Value> {
    let mut here = value;
    for key in path {
        here = match here {
            Value::Object(map) => map.get(key)?,
            Value::Array(list) => list.get(key.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(here)
}

/// Writers of a state path that a reader can see, in the order of their writes.
fn writers(state: &State, reader: &Call, target: &Target) -> Vec<NodeId> {
    let Some(own) = state.turn_of(reader.id) else {
        return Vec::new();
    };
    let mut found: Vec<(u32, u32, NodeId)> = Vec::new();
    for id in state
        .agenda
        .writers
        .get(target.head.as_str())
        .into_iter()
        .flatten()
    {
        let Some(call) = state.calls.get(id) else { continue };
        let active = state.nodes.get(id).is_some_and(|node| node.active);
        let Some(turn) = state.turn_of(*id).filter(|turn| turn.is_active()) else {
            continue;
        };
        let sees = turn.thread == own.thread && turn.pos <= own.pos && *id != reader.id;
        if active && sees && written(call).iter().any(|place| overlaps(place, target)) {
            found.push((turn.pos, call.slot.unwrap_or(u32::MAX), *id));
        }
    }
    found.sort_unstable();
    found.into_iter().map(|(_, _, id)| id).collect()
}

fn overlaps(place: &Target, read: &Target) -> bool {
    place.head == read.head && place.path.iter().zip(&read.path).all(|(a, b)| a == b)
}

/// The state paths that a call writes, or will, by how it ended.
fn written(call: &Call) -> Vec<&Target> {
    let failed = call.status.is_settled() && call.status != Status::Succeeded;
    match &call.out {
        None => Vec::new(),
        Some(OutPath::To(target)) => vec![target],
        Some(OutPath::Fan(all)) => all.iter().collect(),
        Some(OutPath::Branch(ok, err)) => match call.status {
            Status::Succeeded => vec![ok],
            _ if failed => vec![err],
            _ => vec![ok, err],
        },
    }
}

/// Calls before the reader in its own turn must have ended; then the newest writes are put together.
fn read_state(state: &State, reader: &Call, target: &Target) -> Found {
    let Some(own) = state.turn_of(reader.id) else {
        return Found::Pending;
    };
    let mut whole = Value::Null;
    let mut bindings = Vec::new();
    let mut later_pending = false;
    let mut refused = None;
    let mut later = Vec::new();
    for id in writers(state, reader, target) {
        let in_turn = state.nodes.get(&id).is_some_and(|node| node.turn == own.id);
        if in_turn && id > reader.id {
            later.push(id);
            continue;
        }
        match write_of(state, id, target, &mut whole) {
            Write::Done(binding) => bindings.push(binding),
            Write::Pending if in_turn => return Found::Pending,
            Write::Pending => {}
            Write::None(because) => refused = Some(because),
        }
    }
    if bindings.is_empty() {
        for id in later {
            match write_of(state, id, target, &mut whole) {
                Write::Done(binding) => bindings.push(binding),
                Write::Pending => later_pending = true,
                Write::None(because) => refused = Some(because),
            }
        }
    }
    if bindings.is_empty() {
        return match refused {
            Some(because) if !later_pending => Found::Never(because),
            _ => Found::Pending,
        };
    }
    match descend(&whole, std::iter::once(&target.head).chain(&target.path)) {
        Some(value) => Found::Value(bindings, Read::Part(value.clone())),
        None => Found::Never(format!("what was written has no `{target}`")),
    }
}

enum Write {
    Done(Binding),
    Pending,
    None(String),
}

fn write_of(state: &State, id: NodeId, target: &Target, whole: &mut Value) -> Write {
    let Some(call) = state.calls.get(&id) else {
        return Write::Pending;
    };
    let branch_err = match (&call.out, &call.status) {
        (Some(OutPath::Branch(_, err)), Status::Failed(_)) => Some(err.clone()),
        _ => None,
    };
    let (node, value) = match (progress(state, id), branch_err.as_ref()) {
        (Progress::Value(node), _) => match node.outcome() {
            Some(Outcome::Ok {
                value, discarded: 0, ..
            }) => (node, serde_json::from_str(value).unwrap_or(Value::Null)),
            Some(Outcome::Ok { .. }) => return Write::None(format!("the result of {id} was cut")),
            _ => return Write::Pending,
        },
        (Progress::Never(_), Some(_)) => match state.observation(id) {
            Some(node) => match node.outcome() {
                Some(Outcome::Err(error)) => (
                    node,
                    serde_json::json!({"class": error.class, "message": error.message}),
                ),
                _ => return Write::Pending,
            },
            None => return Write::Pending,
        },
        (Progress::Pending, _) => return Write::Pending,
        (Progress::Never(because), None) => return Write::None(because),
    };
    for place in written(call) {
        if overlaps(place, target) {
            put(
                whole,
                std::iter::once(&place.head).chain(&place.path),
                value.clone(),
            );
        }
    }
    let reference = target.to_string();
    Write::Done(Binding {
        reference,
        source: Some(id),
        rev: node.rev(),
    })
}

fn put<'p>(whole: &mut Value, path: impl IntoIterator<Item = &'p String>, value: Value) {
    let mut here = whole;
    for key in path {
        if !here.is_object() {
            *here = Value::Object(serde_json::Map::new());
        }
        let Value::Object(map) = here else { return };
        here = map.entry(key.clone()).or_insert(Value::Null);
    }
    *here = value;
}

/// Two active calls of one turn that wrote the same state path: the one that ended last stands.
pub fn write_conflicts(state: &State, id: NodeId) -> Vec<NodeId> {
    let (Some(call), Some(turn)) = (state.calls.get(&id), state.turn_of(id)) else {
        return Vec::new();
    };
    let mine: Vec<Target> = written(call).into_iter().cloned().collect();
    turn.nodes
        .iter()
        .filter(|other| **other != id)
        .filter(|other| state.nodes.get(other).is_some_and(|node| node.active))
        .filter(|other| {
            state
                .calls
                .get(other)
                .is_some_and(|call| written(call).iter().any(|place| mine.contains(place)))
        })
        .copied()
        .collect()
}

/// The exact bytes that a ready call would run.
pub fn resolved_args(state: &State, call: &Call) -> Option<Arc<str>> {
    call.resolved.clone().or_else(|| {
        state
            .nodes
            .get(&call.id)
            .and_then(Node::as_call)
            .map(|(_, args)| args.clone())
    })
}
