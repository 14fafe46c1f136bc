//! Makes requests shorter that grow beyond a share of the model's window.
//!
//! Must not know: wire formats, how a server counts tokens, who asks for it.
//!
//! Only what the model is shown changes: references, the inspector and the journal keep the whole results. A
//! reduction counts from one turn on, so that the requests before it stay what they were.

pub mod left_out;
pub mod summary;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::branch;
use super::draft::Draft;
use super::event::EditEvent;
use super::event::run::{ContextLimit, Reduction, ToolCard};
use super::id::{NodeId, NodeKind, ThreadId, TurnId};
use super::state::{EditRecord, EpochOrigin, State};
use super::thread;
use super::transcript::Message;
use super::transcript::build;
use super::transcript::result::ends_of;
use super::turn::{BYTES_PER_TOKEN, Producer, Stop, Stream, StreamFaultKind, Turn};

/// The rule of the engine that shortens by itself.
pub const RULE: &str = "reduce";
/// The name of the limit at which a run stops before a request that is too long.
pub const LIMIT: &str = "context";
/// Bytes of a shortened result: half from its head and half from its tail.
const KEPT: usize = 1024;
/// Bytes of a result from which on it is long.
const LONG: usize = 2 * KEPT;

/// What a reduction would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReductionPlan {
    /// Its kind.
    pub by: Reduction,
    /// The calls whose results would be shortened, oldest first.
    pub calls: Vec<NodeId>,
    /// The turns that would be left out or replaced with a summary, oldest first.
    pub turns: Vec<TurnId>,
    /// Estimated tokens of the next request as it is.
    pub before: u64,
    /// Estimated tokens after the reduction.
    pub after: u64,
}

impl ReductionPlan {
    /// True if there is nothing to reduce.
    pub const fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.turns.is_empty()
    }

    /// Describes the plan: `shorten 3 results (c2 c4 c5) for the model: about 90000 instead of 120000 tokens`.
    pub fn describe(&self) -> String {
        let calls: Vec<String> = self.calls.iter().map(NodeId::to_string).collect();
        let turns: Vec<String> = self.turns.iter().map(|turn| turn.0.to_string()).collect();
        let one_of = |few: &[String], one, more| if few.len() == 1 { one } else { more };
        let what = match self.by {
            Reduction::Shorten => {
                let results = one_of(&calls, "result", "results");
                format!("shorten {} {results} ({})", calls.len(), calls.join(" "))
            }
            Reduction::Summarize => {
                let turns_of = one_of(&turns, "turn", "turns");
                format!("replace {turns_of} {} with a summary", turns.join(" "))
            }
            Reduction::DropTurns => {
                let turns_of = one_of(&turns, "turn", "turns");
                format!("leave out {turns_of} {}", turns.join(" "))
            }
        };
        format!(
            "{what} for the model: about {} instead of {} tokens",
            self.after, self.before
        )
    }

    /// Explains why there is nothing to reduce.
    pub const fn why_empty(&self) -> &'static str {
        match self.by {
            Reduction::Shorten => "no old result is long enough to be shortened",
            Reduction::Summarize | Reduction::DropTurns => "no turn before the newest one can be left out",
        }
    }
}

/// The reductions that count for the request of a turn, or for the next one of the thread, oldest first.
fn counting(state: &State, thread: ThreadId, before: Option<TurnId>) -> impl Iterator<Item = &EditRecord> {
    let line = branch::line(state, state.epoch);
    let at = before
        .and_then(|turn| state.turns.get(&turn))
        .map_or(u32::MAX, |turn| turn.pos);
    // Places change when a turn is inserted before them: the turn itself tells where it is now.
    let place = |turn: &TurnId| state.turns.get(turn).map(|turn| turn.pos);
    let of = state.operator.edits.iter();
    of.filter(move |edit| edit.thread == thread && (!edit.shortened.is_empty() || !edit.left_out.is_empty()))
        .filter(move |edit| edit.after.as_ref().and_then(place).is_none_or(|after| at > after))
        .filter(move |edit| line.holds(edit.epoch))
}

/// Returns true if a request may have been reduced: requests of a thread can differ in what is before them then.
pub(crate) fn is_any(state: &State) -> bool {
    let mut edits = state.operator.edits.iter();
    edits.any(|edit| !edit.shortened.is_empty() || !edit.left_out.is_empty())
}

/// Returns the calls whose results are shortened in requests of a thread: in that for a turn, or in the next one.
pub fn shortened(state: &State, thread: ThreadId, before: Option<TurnId>) -> BTreeSet<NodeId> {
    if state.operator.edits.iter().all(|edit| edit.shortened.is_empty()) {
        return BTreeSet::new();
    }
    let here = counting(state, thread, before);
    here.flat_map(|edit| edit.shortened.iter().copied()).collect()
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
    bytes(state, thread, &build::messages(state, thread, None)) / BYTES_PER_TOKEN
}

/// Plans a reduction after which the next request is about three quarters of `most` tokens. It takes the oldest first,
/// and nothing of the newest turn.
pub fn plan(state: &State, thread: ThreadId, most: u64, by: Reduction) -> ReductionPlan {
    let messages = build::messages(state, thread, None);
    let left = bytes(state, thread, &messages);
    let target = (most / 4).saturating_mul(3).saturating_mul(BYTES_PER_TOKEN);
    let mut plan = ReductionPlan {
        by,
        before: left / BYTES_PER_TOKEN,
        ..ReductionPlan::default()
    };
    let after = match by {
        Reduction::Shorten => plan_results(&messages, (left, target), &mut plan),
        Reduction::Summarize | Reduction::DropTurns => plan_turns(state, thread, (left, target), &mut plan),
    };
    plan.after = after / BYTES_PER_TOKEN;
    plan
}

/// Chooses the oldest long results. Returns the bytes that remain.
fn plan_results(messages: &[Message], (mut left, target): (u64, u64), plan: &mut ReductionPlan) -> u64 {
    let newest = messages
        .iter()
        .rposition(|message| matches!(message, Message::Assistant { .. }))
        .unwrap_or(0);
    for message in messages.iter().take(newest) {
        let Message::Result { call, text, .. } = message else {
            continue;
        };
        let gain = text.len().saturating_sub(short_form(text, *call).len()) as u64;
        if left <= target || gain == 0 {
            continue;
        }
        left = left.saturating_sub(gain);
        plan.calls.push(*call);
    }
    left
}

/// Chooses the oldest turns of the model. A summary replaces the earlier ones as well. Returns the bytes that remain.
fn plan_turns(state: &State, thread: ThreadId, sizes: (u64, u64), plan: &mut ReductionPlan) -> u64 {
    let (mut left, target) = sizes;
    let shortened = shortened(state, thread, None);
    let absent = left_out::turns(state, thread, None);
    let turns = state.turns_of(thread);
    let mut units: Vec<(Vec<TurnId>, u64)> = Vec::new();
    let mut continues = false;
    for turn in turns.filter(|turn| turn.is_active() && turn.producer == Producer::Model) {
        let messages = build::messages_in(state, turn, &shortened);
        let size = messages.iter().map(size).sum::<usize>() as u64;
        match units.last_mut().filter(|_| continues) {
            // A provider refuses the rest of its own work without the beginning.
            Some((turns, all)) => {
                turns.push(turn.id);
                *all += size;
            }
            None => units.push((vec![turn.id], size)),
        }
        continues = turn.stream == Stream::Closed(Stop::OwnWork);
    }
    units.retain(|(_, size)| *size > 0);
    units.pop();
    let mut gained = false;
    for (turns, size) in units {
        let is_absent = turns.iter().all(|turn| absent.contains_key(turn));
        if is_absent && plan.by == Reduction::DropTurns {
            continue;
        }
        if !is_absent {
            if left <= target {
                break;
            }
            left = left.saturating_sub(size);
            gained = true;
        }
        plan.turns.extend(turns);
    }
    if !gained {
        plan.turns.clear();
    } else if plan.by == Reduction::Summarize {
        left = left.saturating_add(summary::EXPECTED);
    }
    left
}

/// True if the engine may shorten by itself: not where the operator has just undone something.
pub fn may_reduce(state: &State, limit: &ContextLimit) -> bool {
    let undone = state
        .operator
        .epochs
        .last()
        .is_some_and(|epoch| epoch.began == EpochOrigin::Undo);
    limit.auto && !undone
}

/// Adds the events of a reduction, which is one edit with one epoch. It counts for the turns after `after`.
pub fn commit(draft: &mut Draft<'_>, after: Option<TurnId>, plan: &ReductionPlan, by: Option<&str>) {
    let what = Arc::from(plan.describe());
    committed(draft, after, what, by);
    match plan.by {
        Reduction::Shorten => draft.edit(EditEvent::Shortened {
            calls: plan.calls.clone(),
        }),
        Reduction::DropTurns => draft.edit(EditEvent::LeftOut {
            turns: plan.turns.clone(),
            summary: None,
        }),
        // The turns stay until the model has answered.
        Reduction::Summarize => {}
    }
}

fn committed(draft: &mut Draft<'_>, after: Option<TurnId>, what: Arc<str>, by: Option<&str>) {
    let intervention = draft.node(NodeKind::Intervention);
    draft.edit(EditEvent::Committed {
        epoch: draft.epoch,
        intervention,
        target: None,
        after,
        what,
        reason: None,
        by: by.map(Arc::from),
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

/// The active turn whose request a server called too long.
pub fn refused(state: &State) -> Option<&Turn> {
    let mut open = state.agenda.open.iter().filter_map(|id| state.turns.get(id));
    open.find(|turn| turn.is_active() && overflowed(turn))
}

/// True for a turn whose request was too long for its server.
pub fn overflowed(turn: &Turn) -> bool {
    matches!(&turn.stream, Stream::Broken(fault) if fault.kind == StreamFaultKind::Overflow)
}

/// Bytes of a request with these messages.
fn bytes(state: &State, thread: ThreadId, messages: &[Message]) -> u64 {
    let system = thread::system(state, thread);
    request_bytes(&system, messages, &thread::tools(state, thread))
}

/// Bytes of the texts of a request.
pub fn request_bytes(system: &str, messages: &[Message], tools: &[ToolCard]) -> u64 {
    let tools = tools
        .iter()
        .map(|tool| tool.schema.len() + tool.description.len());
    let all: usize = messages.iter().map(size).sum::<usize>() + tools.sum::<usize>() + system.len();
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
