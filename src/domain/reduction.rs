//! Shortens old results in requests that grow beyond a share of the model's window.
//!
//! Must not know: wire formats, how a server counts tokens, who asks for it.
//!
//! Only what the model is shown is shortened: references, the inspector and the journal keep the whole results. A
//! reduction counts from one turn on, so that the requests before it stay what they were.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::branch;
use super::draft::Draft;
use super::event::EditEvent;
use super::event::run::ContextLimit;
use super::id::{NodeId, NodeKind, ThreadId, TurnId};
use super::state::{EpochOrigin, State};
use super::thread;
use super::transcript::Message;
use super::transcript::build;
use super::transcript::result::ends_of;
use super::turn::Turn;

/// The rule of the engine that shortens by itself.
pub const RULE: &str = "reduce";
/// The name of the limit at which a run stops before a request that is too long.
pub const LIMIT: &str = "context";
/// Bytes of a shortened result: half from its head and half from its tail.
const KEPT: usize = 1024;
/// Bytes of a result from which on it is long.
const LONG: usize = 2 * KEPT;
/// Bytes that are taken for one token.
const BYTES: u64 = 4;

/// What a reduction would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReductionPlan {
    /// The calls whose results would be shortened, oldest first.
    pub calls: Vec<NodeId>,
    /// Estimated tokens of the next request as it is.
    pub before: u64,
    /// Estimated tokens after the reduction.
    pub after: u64,
}

impl ReductionPlan {
    /// Describes the plan: `shorten 3 results (c2 c4 c5) for the model: about 90000 instead of 120000 tokens`.
    pub fn describe(&self) -> String {
        let calls: Vec<String> = self.calls.iter().map(NodeId::to_string).collect();
        let results = if calls.len() == 1 { "result" } else { "results" };
        format!(
            "shorten {} {results} ({}) for the model: about {} instead of {} tokens",
            calls.len(),
            calls.join(" "),
            self.after,
            self.before
        )
    }
}

/// Returns the calls whose results are shortened in requests of a thread: in that for a turn, or in the next one.
pub fn shortened(state: &State, thread: ThreadId, before: Option<TurnId>) -> BTreeSet<NodeId> {
    let mut here = state
        .edits
        .iter()
        .filter(|edit| edit.thread == thread && !edit.shortened.is_empty())
        .peekable();
    if here.peek().is_none() {
        return BTreeSet::new();
    }
    let line = branch::line(state, state.epoch);
    let at = before
        .and_then(|turn| state.turns.get(&turn))
        .map_or(u32::MAX, |turn| turn.pos);
    // Places change when a turn is inserted before them: the turn itself tells where it is now.
    let place = |turn: &TurnId| state.turns.get(turn).map(|turn| turn.pos);
    here.filter(|edit| edit.after.as_ref().and_then(place).is_none_or(|after| at > after))
        .filter(|edit| line.holds(edit.epoch))
        .flat_map(|edit| edit.shortened.iter().copied())
        .collect()
}

/// Returns a result in its short form, or as it is where it is not long.
pub fn short_form(body: &str, id: NodeId) -> String {
    if body.len() < LONG {
        return body.to_owned();
    }
    ends_of(body, KEPT, |left_out| {
        format!(
            "\u{2026} {left_out} bytes left out to keep the request short; whole value at \u{2020}call.{id} \u{2026}"
        )
    })
}

/// Estimates the tokens of the next request of a thread.
pub fn tokens(state: &State, thread: ThreadId) -> u64 {
    bytes(state, thread, &build::messages(state, thread, None)) / BYTES
}

/// Plans which results to shorten so that the next request is about three quarters of `most` tokens: the oldest long
/// ones, but none of the newest request.
pub fn plan(state: &State, thread: ThreadId, most: u64) -> ReductionPlan {
    let messages = build::messages(state, thread, None);
    let mut left = bytes(state, thread, &messages);
    let before = left / BYTES;
    let target = (most / 4).saturating_mul(3).saturating_mul(BYTES);
    let newest = messages
        .iter()
        .rposition(|message| matches!(message, Message::Assistant { .. }))
        .unwrap_or(0);
    let mut calls = Vec::new();
    for message in messages.iter().take(newest) {
        let Message::Result { call, text, .. } = message else {
            continue;
        };
        let gain = text.len().saturating_sub(short_form(text, *call).len()) as u64;
        if left <= target || gain == 0 {
            continue;
        }
        left = left.saturating_sub(gain);
        calls.push(*call);
    }
    ReductionPlan {
        calls,
        before,
        after: left / BYTES,
    }
}

/// True if the engine may shorten by itself: not where the operator has just undone something.
pub fn may_reduce(state: &State, limit: &ContextLimit) -> bool {
    let undone = state
        .epochs
        .last()
        .is_some_and(|epoch| epoch.began == EpochOrigin::Undo);
    limit.auto && !undone
}

/// Adds the events of a reduction, which is one edit with one epoch. It counts for the turns after `after`.
pub fn commit(draft: &mut Draft<'_>, after: Option<TurnId>, plan: &ReductionPlan, by: Option<&str>) {
    let intervention = draft.node(NodeKind::Intervention);
    draft.edit(EditEvent::Committed {
        epoch: draft.epoch,
        intervention,
        target: None,
        after,
        what: Arc::from(plan.describe()),
        reason: None,
        by: by.map(Arc::from),
    });
    draft.edit(EditEvent::Shortened {
        calls: plan.calls.clone(),
    });
}

/// The last turn of a thread that counts, before a turn or at the end.
pub fn last_before(state: &State, thread: ThreadId, turn: Option<&Turn>) -> Option<TurnId> {
    let end = turn.map_or(u32::MAX, |turn| turn.pos);
    let mut before = state.turns_of(thread);
    before
        .rfind(|one| one.pos < end && one.is_active())
        .map(|one| one.id)
}

/// Bytes of a request with these messages.
fn bytes(state: &State, thread: ThreadId, messages: &[Message]) -> u64 {
    let tools = thread::tools(state, thread);
    let tools = tools
        .iter()
        .map(|tool| tool.schema.len() + tool.description.len());
    let system = thread::system(state, thread).len();
    let all: usize = messages.iter().map(size).sum::<usize>() + tools.sum::<usize>() + system;
    all as u64
}

fn size(message: &Message) -> usize {
    match message {
        Message::User { text, .. } | Message::Result { text, .. } | Message::Note { text, .. } => text.len(),
        Message::Assistant { texts, calls } => {
            let texts = texts
                .iter()
                .map(|one| one.text.len() + one.opaque.as_deref().map_or(0, str::len));
            let calls = calls.iter().map(|one| one.tool.len() + one.args.len());
            texts.sum::<usize>() + calls.sum::<usize>()
        }
    }
}
