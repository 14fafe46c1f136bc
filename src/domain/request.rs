//! Builds the event of a request to the model from the current branch.
//!
//! Must not know: when a request is made, wire formats.

mod notices;

use std::sync::Arc;

use super::context_prefix::ContextPrefix;
use super::event::{Event, TurnEvent};
use super::id::{NodeId, Rev, Seq, ThreadId, TurnId};
use super::state::State;
use super::thread;
use super::transcript::build::{self, Piece};
use super::transcript::hash::{self, context_hash, request_hash};
use super::turn::Activity;

/// Returns the events of a new request for a turn.
pub fn request_again(state: &State, id: TurnId) -> Vec<Event> {
    let Some(turn) = state.turns.get(&id) else {
        return Vec::new();
    };
    let before = state
        .threads
        .turns
        .get(&turn.thread)
        .and_then(|line| line.get(..turn.pos as usize));
    let counts = |id: &&TurnId| {
        let turn = state.turns.get(id);
        turn.is_some_and(|turn| !matches!(turn.activity, Activity::Superseded(_)))
    };
    let after = before
        .and_then(|before| before.iter().rev().find(counts))
        .copied();
    vec![Event::Turn(requested(
        state,
        (id, turn.thread, after),
        turn.asked.saturating_add(1),
    ))]
}

/// Returns the event of a request made from the current branch.
pub fn requested(
    state: &State,
    (turn, thread, after): (TurnId, ThreadId, Option<TurnId>),
    request: u32,
) -> TurnEvent {
    let known = state.turns.contains_key(&turn).then_some(turn);
    let context = context_hash(state, thread, known);
    requested_with(state, (turn, thread, after), request, context)
}

pub(crate) fn requested_with(
    state: &State,
    (turn, thread, after): (TurnId, ThreadId, Option<TurnId>),
    request: u32,
    context: Arc<str>,
) -> TurnEvent {
    let known = state.turns.contains_key(&turn).then_some(turn);
    let last = is_last(state, thread, known.is_none());
    let hash = request_hash(state, thread, &context, last);
    TurnEvent::Requested {
        turn,
        thread,
        after,
        request,
        last,
        new: new_since(state, thread, known),
        context,
        hash,
        // The last request carries only its own instruction: answer without tools.
        notices: if last {
            Vec::new()
        } else {
            notices::all(state, thread)
        },
    }
}

/// True if a request of a thread would be the last one allowed for the run or the sub-agent.
pub(crate) fn is_last(state: &State, thread: ThreadId, is_new: bool) -> bool {
    let of_run = state
        .settings
        .limits
        .turns
        .is_some_and(|most| state.tally.requests.saturating_add(1) >= most);
    let used = || thread::turns_used(state, thread) + u32::from(is_new);
    let child = state.threads.children.get(&thread);
    of_run || child.is_some_and(|child| used() >= child.max_turns)
}

/// Nodes of the context that the request before this one did not have, with their revisions.
fn new_since(state: &State, thread: ThreadId, before: Option<TurnId>) -> Vec<(NodeId, Rev)> {
    let end = before
        .and_then(|id| state.turns.get(&id))
        .map_or(u32::MAX, |turn| turn.pos);
    // What a turn before this one was asked with is not new, as long as that prefix is known.
    let known = hash::known_prefix(state, thread, end).filter(|known| known.end() < end);
    let first = known.map_or(0, ContextPrefix::end);
    let newest = state.turns_of(thread).rev().take_while(|turn| turn.pos >= first);
    let since = newest
        .filter(|turn| turn.pos < end && turn.asked > 0)
        .map(|turn| turn.asked_at)
        .max()
        .unwrap_or(Seq(0));
    let mut ids: Vec<NodeId> = Vec::new();
    for piece in build::outline_in(state, thread, (before, first..end), build::TurnScope::Active) {
        match piece {
            Piece::User(node) => ids.push(node.id),
            Piece::Assistant(text, calls) => {
                ids.extend(text.iter().map(|text| text.node));
                ids.extend(calls.iter().map(|call| call.id));
            }
            Piece::Result(call) => ids.push(call.id.observation()),
            Piece::Note(..) => {}
        }
    }
    ids.into_iter()
        .filter_map(|id| state.nodes.get(&id))
        .filter(|node| node.now().event > since)
        .map(|node| (node.id, node.rev()))
        .collect()
}
