//! Ends a turn: nothing streams, nothing runs, nothing waits.
//!
//! Must not know: what the next turn is.
//!
//! A call that is still blocked then waits for an input that will never exist.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::value::RawValue;

use super::{correction, look};
use crate::advice::Advice;
use crate::call::{Call, Status};
use crate::draft::Draft;
use crate::event::{CallEvent, EditEvent, TurnEvent};
use crate::id::{NodeId, NodeKind, TurnId};
use crate::invalidation;
use crate::node::Content;
use crate::ready::{self, Readiness};
use crate::state::State;
use crate::thread;
use crate::transcript::result;
use crate::turn::{Stream, Turn};

pub(super) fn settle(draft: &mut Draft<'_>, advice: &dyn Advice) {
    let open: Vec<TurnId> = draft.state.agenda.open.iter().copied().collect();
    for id in open {
        let Some(turn) = draft.state.turns.get(&id) else {
            continue;
        };
        let ended = matches!(turn.stream, Stream::Closed(_) | Stream::Aborted(_));
        if ended && thread::acts(draft.state, turn) {
            one(draft, advice, turn);
        }
        if !draft.events.is_empty() {
            return;
        }
    }
}

fn one(draft: &mut Draft<'_>, advice: &dyn Advice, turn: &Turn) {
    if moves(draft.state, turn.id) {
        return;
    }
    let calls: Vec<&Call> = turn
        .nodes
        .iter()
        .filter(|id| draft.state.nodes.get(id).is_some_and(|node| node.active))
        .filter_map(|id| draft.state.calls.get(id))
        .collect();
    let stuck: Vec<&Call> = calls
        .iter()
        .filter(|call| call.status == Status::Blocked || call.suspect)
        .copied()
        .collect();
    if !stuck.is_empty() {
        // An earlier unfinished turn may still write its inputs.
        if thread::open_before(draft.state, turn).is_none() {
            unblock(draft, advice, &stuck);
        }
        return;
    }
    answer_by_tool(draft, advice, turn, &calls);
    let errors = result::errors(draft.state, &turn.nodes);
    draft.turn_event(TurnEvent::Settled {
        turn: turn.id,
        errors,
    });
    // A turn split at a rewritten thought is continued by the next one.
    if turn.reply > 0 && !turn.split {
        correction::report_lost(draft, Some((turn.thread, turn.reply)));
    }
}

/// True while the world, the operator or a rule may still change a call of the turn. Reads the
/// agenda: this runs after every end of a call, and a turn may hold thousands.
fn moves(state: &State, turn: TurnId) -> bool {
    let agenda = &state.agenda;
    let open = agenda
        .running
        .iter()
        .chain(&agenda.delegates)
        .chain(&agenda.unchecked)
        .chain(&agenda.queued)
        .chain(&agenda.delayed)
        .chain(&agenda.repairing)
        .chain(&agenda.ungated)
        .chain(agenda.waiting.values());
    let mut here = open.filter(|id| state.nodes.get(id).is_some_and(|node| node.turn == turn));
    here.any(|id| {
        state.calls.get(id).is_some_and(|call| match call.status {
            Status::Running(_) | Status::OutcomeUnknown(_) | Status::Proposed => true,
            // A stale call cannot be decided.
            _ => !call.suspect,
        })
    })
}

/// Decides about the blocked calls of a turn in which nothing else runs: missing inputs will never
/// exist. A fallback takes its next choice; the others end, calls in a cycle last.
fn unblock(draft: &mut Draft<'_>, advice: &dyn Advice, stuck: &[&Call]) {
    for call in stuck {
        match ready::look_at_rest(draft.state, call) {
            Readiness::Wait => {}
            Readiness::Bound { bindings, resolved } if call.suspect => {
                look::reconsider(draft, call, Some((bindings, resolved.as_deref())));
            }
            Readiness::Bound { bindings, resolved } => {
                look::become_ready(draft, advice, call, bindings, resolved);
            }
            Readiness::Dead { .. } if call.suspect => look::reconsider(draft, call, None),
            Readiness::Dead { because } => skip_call(draft, call, &because),
        }
    }
    if !draft.events.is_empty() {
        return;
    }
    let waiting: BTreeSet<NodeId> = stuck.iter().map(|call| call.id).collect();
    for call in stuck {
        if !in_cycle(draft.state, call.id, &waiting) || correction::carry(draft, call.id) {
            continue;
        }
        let because = format!("it waits for itself: {} leads back to {}", reads(call), call.id);
        invalidation::orphan(draft, &[call.id]);
        draft.call(CallEvent::Unsatisfiable {
            call: call.id,
            because: Arc::from(because),
        });
    }
}

/// Skips a call whose input will never exist, with the reason.
fn skip_call(draft: &mut Draft<'_>, call: &Call, because: &str) {
    if correction::carry(draft, call.id) {
        return;
    }
    let because = Arc::from(because);
    let after_invalid = ready::sources(draft.state, call)
        .iter()
        .filter_map(|id| draft.state.calls.get(id))
        .any(|source| source.status == Status::Invalid);
    draft.call(if after_invalid {
        CallEvent::Skipped {
            call: call.id,
            because,
        }
    } else {
        CallEvent::Unsatisfiable {
            call: call.id,
            because,
        }
    });
}

/// The references of a call as text.
fn reads(call: &Call) -> String {
    let names: Vec<String> = call
        .refs
        .references
        .iter()
        .map(|reference| {
            let mut read = Vec::new();
            reference.expr.each(&mut |target| read.push(format!("†{target}")));
            read.join(" or ")
        })
        .collect();
    names.join(", ")
}

/// True if a call waits for itself through other waiting calls.
fn in_cycle(state: &State, start: NodeId, waiting: &BTreeSet<NodeId>) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![start];
    while let Some(id) = open.pop() {
        let Some(call) = state.calls.get(&id) else {
            continue;
        };
        for source in ready::sources(state, call) {
            if source == start {
                return true;
            }
            if waiting.contains(&source) && seen.insert(source) {
                open.push(source);
            }
        }
    }
    false
}

/// Makes a structured answer among the calls of a turn the answer of the turn, once all else has
/// ended. The answer follows an edit that changed or deleted the call.
fn answer_by_tool(draft: &mut Draft<'_>, advice: &dyn Advice, turn: &Turn, calls: &[&Call]) {
    let is_answer = |call: &Call, revisions: bool| {
        draft.state.nodes.get(&call.id).is_some_and(|node| {
            let gives = |content: &Content| match content {
                Content::Call { tool, .. } => advice.tool(tool).is_some_and(|facts| facts.is_answer()),
                _ => false,
            };
            if revisions {
                node.revisions.iter().any(|one| gives(&one.content))
            } else {
                gives(&node.now().content)
            }
        })
    };
    let output = calls
        .iter()
        .rev()
        .find(|call| call.status == Status::Succeeded && is_answer(call, false))
        .and_then(|call| {
            Some((
                answer_text(draft.state, advice, call)?,
                draft.state.observation(call.id)?,
            ))
        });
    let old = turn
        .nodes
        .iter()
        .rev()
        .filter(|id| id.kind == NodeKind::Answer)
        .filter_map(|id| draft.state.nodes.get(id))
        .find(|node| node.active);
    let by_tool = turn
        .nodes
        .iter()
        .filter_map(|id| draft.state.calls.get(id))
        .any(|call| is_answer(call, true));
    if let Some(old) = old {
        let is_active = match &output {
            // A result that the operator wrote after the call ended is the answer.
            Some((text, given)) => old.text() == text || old.now().event > given.now().event,
            None => !by_tool,
        };
        if is_active {
            return;
        }
        draft.edit(EditEvent::Superseded { nodes: vec![old.id] });
    }
    if let Some((text, _)) = output {
        let node = draft.node(NodeKind::Answer);
        draft.turn_event(TurnEvent::Answered {
            turn: turn.id,
            node,
            text: Arc::from(text),
            opaque: None,
        });
    }
}

/// The answer that a call gives: its text, or the JSON text as written.
fn answer_text(state: &State, advice: &dyn Advice, call: &Call) -> Option<String> {
    let bytes = ready::resolved_args(state, call)?;
    let args: BTreeMap<String, &RawValue> = serde_json::from_str(&bytes).ok()?;
    let Some(answer) = args.get("answer") else {
        let args: serde_json::Value = serde_json::from_str(&bytes).ok()?;
        return Some(args.to_string());
    };
    let json = answer.get();
    let words = serde_json::from_str::<String>(json).ok();
    Some(match (words, advice.answer(json)) {
        (Some(words), None) => words,
        // If the schema wants a string, the string itself is the JSON. Otherwise a string may
        // contain the JSON.
        (Some(words), Some(faults)) if !faults.is_empty() => words,
        (_, Some(_)) => json.to_owned(),
        (None, None) => serde_json::from_str::<serde_json::Value>(json).ok()?.to_string(),
    })
}
