//! The end of a turn: nothing streams, nothing runs, nothing waits. What is still blocked then
//! waits for something that nobody will ever write. Must not know: what the next turn is.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::domain::advice::Advice;
use crate::domain::call::{Call, Status};
use crate::domain::draft::Draft;
use crate::domain::event::{CallEvent, TurnEvent};
use crate::domain::id::{NodeId, NodeKind, TurnId};
use crate::domain::ready;
use crate::domain::state::State;
use crate::domain::transcript::result;
use crate::domain::turn::{Stream, Turn};

pub(super) fn settle(draft: &mut Draft<'_>, advice: &dyn Advice) {
    let open: Vec<TurnId> = draft.state.agenda.open.iter().copied().collect();
    for id in open {
        let Some(turn) = draft.state.turns.get(&id) else {
            continue;
        };
        if turn.is_active() && matches!(turn.stream, Stream::Closed(_) | Stream::Aborted(_)) {
            one(draft, advice, turn);
        }
        if !draft.events.is_empty() {
            return;
        }
    }
}

fn one(draft: &mut Draft<'_>, advice: &dyn Advice, turn: &Turn) {
    if in_motion(draft.state, turn.id) {
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
        for call in stuck {
            give_up(draft, call);
        }
        return;
    }
    answer_by_tool(draft, advice, turn, &calls);
    let errors = result::errors(draft.state, &turn.nodes);
    draft.turn_event(TurnEvent::Settled {
        turn: turn.id,
        errors,
    });
}

/// True where a call of the turn waits for the world or for somebody. Read off the agenda: this is
/// asked after every end of a call, and a turn may hold thousands.
fn in_motion(state: &State, turn: TurnId) -> bool {
    let agenda = &state.agenda;
    agenda
        .running
        .iter()
        .chain(&agenda.queued)
        .chain(&agenda.ungated)
        .chain(&agenda.unchecked)
        .chain(agenda.waiting.values())
        .any(|id| state.nodes.get(id).is_some_and(|node| node.turn == turn))
}

/// Nothing moves any more, and the call still waits: say for what.
fn give_up(draft: &mut Draft<'_>, call: &Call) {
    let sources = ready::sources(draft.state, call);
    let invalid = sources
        .iter()
        .filter_map(|id| draft.state.calls.get(id))
        .find(|source| source.status == Status::Invalid);
    if let Some(source) = invalid {
        let because = format!("{} is invalid", ready::name_of(source));
        draft.call(CallEvent::Skipped {
            call: call.id,
            because: Arc::from(because),
        });
        return;
    }
    let names: Vec<String> = call
        .references
        .iter()
        .map(|reference| {
            let mut read = Vec::new();
            reference.expr.each(&mut |target| read.push(format!("†{target}")));
            read.join(" or ")
        })
        .collect();
    let because = if in_cycle(draft.state, call.id) {
        format!(
            "it waits for itself: {} leads back to {}",
            names.join(", "),
            call.id
        )
    } else {
        format!("nothing writes {}", names.join(", "))
    };
    draft.call(CallEvent::Unsatisfiable {
        call: call.id,
        because: Arc::from(because),
    });
}

fn in_cycle(state: &State, start: NodeId) -> bool {
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
            if seen.insert(source) {
                open.push(source);
            }
        }
    }
    false
}

/// A structured answer among the calls of a turn becomes the turn's answer once all else has ended.
fn answer_by_tool(draft: &mut Draft<'_>, advice: &dyn Advice, turn: &Turn, calls: &[&Call]) {
    let has_answer = turn
        .nodes
        .iter()
        .any(|id| id.kind == NodeKind::Answer && draft.state.nodes.get(id).is_some_and(|node| node.active));
    if has_answer {
        return;
    }
    let answer = calls.iter().rev().find_map(|call| {
        let (tool, _) = draft.state.nodes.get(&call.id)?.as_call()?;
        let is_answer = call.status == Status::Succeeded && advice.tool(tool)?.is_answer;
        if !is_answer {
            return None;
        }
        let bytes = ready::resolved_args(draft.state, call)?;
        let args: serde_json::Value = serde_json::from_str(&bytes).ok()?;
        Some(match args.get("answer") {
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => args.to_string(),
        })
    });
    if let Some(text) = answer {
        let node = draft.node(NodeKind::Answer);
        draft.turn_event(TurnEvent::Answered {
            turn: turn.id,
            node,
            text: Arc::from(text),
        });
    }
}
