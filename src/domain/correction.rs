//! Finds the correction of an equal call when the model is asked again for its turn.
//!
//! Must not know: when a call is checked, how a correction is shown.
//!
//! A correction is a result that the operator wrote. Two calls are counterparts if they have one place: the
//! same reply of their thread, written the same way, and the same position among calls written so. Only
//! events of the current branch count.

use std::collections::BTreeMap;

use super::branch;
use super::call::{Call, Outcome};
use super::history::{History, Line, Then};
use super::id::{Epoch, NodeId, NodeKind, Rev, ThreadId, TurnId};
use super::node::{Content, Node, Origin};
use super::ready;
use super::reference::rewrite;
use super::repeat::dedup_key;
use super::state::State;
use super::thread;
use super::turn::{Activity, Turn};

/// An operator's result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The call.
    pub call: NodeId,
    /// The revision of its observation.
    pub rev: Rev,
    /// The result.
    pub outcome: Outcome,
    /// Who wrote it.
    pub origin: Origin,
}

/// The place of a call, preceded by those of the `delegate` calls above it, outermost first.
type Place = Vec<Level>;

/// Position of a call in its thread.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Level {
    /// Number of the reply that made it; 0 for a call that no reply made, which has no counterpart.
    reply: u32,
    /// How the model wrote it.
    written: String,
    /// Number of calls written the same way earlier in the reply; its own number for a call that no reply made.
    nth: u32,
}

/// Hashes of tool and arguments, for each level of a place.
type Same = Vec<String>;

/// When a call was last active, for each level of its place. The newest counterpart is the active one, or the one that was
/// active last.
type Age = (Vec<Epoch>, bool, NodeId);

/// Returns the correction that a call takes from its counterpart; none if the operator corrected or edited the call itself.
pub fn due(state: &State, call: NodeId) -> Option<Correction> {
    if state.agenda.pinned.is_empty() {
        return None;
    }
    let line = branch::line(state, state.epoch);
    // The operator edited it to see it run.
    let edited = matches!(state.nodes.get(&call)?.now().origin, Origin::Operator { .. });
    if edited || was_corrected(state, call, &line) {
        return None;
    }
    newest_of(state, call, (&line, &line)).filter(|found| !counts(state, found.call))
}

/// True if a call may take a correction instead of running: a corrected call has its place. Their arguments need not be
/// known yet.
pub fn may_be_due(state: &State, call: NodeId) -> bool {
    let mut corrected = ever_corrected(state).filter(|one| *one != call).peekable();
    if corrected.peek().is_none() {
        return false;
    }
    let own = place(state, call);
    corrected.any(|one| place(state, one) == own)
}

/// True if a superseded turn, as it was at the end of a line, has exactly the corrections of the current branch.
pub fn comes_back_as_here(state: &State, turn: &Turn, there: &Line) -> bool {
    if state.agenda.pinned.is_empty() {
        return true;
    }
    let here = branch::line(state, state.epoch);
    let agrees = |call: NodeId| {
        let now = newest_of(state, call, (there, &here));
        let then = correction_at(state, call, there);
        now.map(|now| now.outcome) == then.map(|then| then.outcome)
    };
    calls_in(state, turn).into_iter().all(agrees)
}

/// Returns the superseded calls of the current branch whose corrections no active counterpart has. `in_reply` limits them
/// to replies of a thread up to a number.
pub fn without_call(state: &State, in_reply: Option<(ThreadId, u32)>) -> Vec<NodeId> {
    let line = branch::line(state, state.epoch);
    let mut newest: BTreeMap<(Place, Same), (Age, NodeId)> = BTreeMap::new();
    for call in corrected(state, &line) {
        let Some(same) = same(state, call, &line) else {
            continue;
        };
        let found = (age(state, call, &line), call);
        let entry = newest
            .entry((place(state, call), same))
            .or_insert_with(|| found.clone());
        *entry = found.max(entry.clone());
    }
    let asked = |place: &Place, call: NodeId| match in_reply {
        None => true,
        Some((thread, reply)) => {
            thread::of(state, call) == thread && place.last().is_some_and(|own| own.reply <= reply)
        }
    };
    let left = newest.into_iter().filter(|((place, _), (_, call))| {
        asked(place, *call) && !counts(state, *call) && correction_at(state, *call, &line).is_some()
    });
    let mut left: Vec<NodeId> = left.map(|(_, (_, call))| call).collect();
    left.sort_unstable();
    left
}

/// Returns the correction of an active call.
pub fn of(state: &State, call: NodeId) -> Option<Correction> {
    let node = state.observation(call).filter(|node| node.pinned)?;
    written(node, node.rev(), call)
}

/// Returns the active calls that have a correction, in journal order.
pub fn active(state: &State) -> impl Iterator<Item = NodeId> + '_ {
    ever_corrected(state).filter(|call| counts(state, *call) && of(state, *call).is_some())
}

/// True if another active call with the same tool and arguments has a correction.
pub fn has_equal_correction(state: &State, of: &Call) -> bool {
    let same = |call: NodeId| {
        let (tool, _) = state.nodes.get(&call)?.as_call()?;
        Some(dedup_key(
            tool,
            &ready::resolved_args(state, state.calls.get(&call)?)?,
        ))
    };
    let own = same(of.id);
    ever_corrected(state)
        .filter(|call| *call != of.id && counts(state, *call) && self::of(state, *call).is_some())
        .any(|call| same(call) == own)
}

/// Calls that were corrected on any branch.
fn ever_corrected(state: &State) -> impl Iterator<Item = NodeId> + '_ {
    state.agenda.pinned.iter().copied()
}

/// Calls that were corrected on a line, also if the correction was dropped since.
fn corrected<'s>(state: &'s State, line: &'s Line) -> impl Iterator<Item = NodeId> + 's {
    ever_corrected(state).filter(|call| was_corrected(state, *call, line))
}

fn was_corrected(state: &State, call: NodeId, line: &Line) -> bool {
    let Some(node) = state.nodes.get(&call.observation()) else {
        return false;
    };
    let now = line.holds(node.history.since()) && node.pinned;
    now || node.history.was_ever(line, |was| was.pinned)
}

/// Returns the correction of the newest counterpart. `there` is the line of the call, `here` that of the corrections. A
/// counterpart that was edited is matched by its earlier arguments too: the edit dropped their correction.
fn newest_of(state: &State, call: NodeId, (there, here): (&Line, &Line)) -> Option<Correction> {
    let requested = same(state, call, there)?;
    let had = |one: &NodeId| {
        let Some(node) = state.nodes.get(one) else {
            return false;
        };
        let mut ends = node.history.ends_on(here);
        ends.any(|end| same(state, *one, &end).as_ref() == Some(&requested))
    };
    let newest = corrected(state, here)
        .filter(|one| are_counterparts(state, *one, call))
        .filter(had)
        .max_by_key(|one| age(state, *one, here))?;
    correction_at(state, newest, here).filter(|_| same(state, newest, here).as_ref() == Some(&requested))
}

/// Returns the correction of a call at the end of a line.
fn correction_at(state: &State, call: NodeId, line: &Line) -> Option<Correction> {
    let node = state.nodes.get(&call.observation())?;
    let status = at(&node.history, node.state(), line).filter(|then| then.pinned)?;
    written(node, status.rev, call)
}

fn written(node: &Node, rev: Rev, call: NodeId) -> Option<Correction> {
    let revision = node.revision(rev)?;
    match (&revision.content, &revision.origin) {
        (Content::Observation { outcome, .. }, origin @ Origin::Operator { .. }) => Some(Correction {
            call,
            rev,
            outcome: outcome.clone(),
            origin: origin.clone(),
        }),
        _ => None,
    }
}

/// True if a call is active, with every call above it.
fn counts(state: &State, call: NodeId) -> bool {
    let turn = state.turn_of(call).map(|turn| thread::activity(state, turn));
    let active = state.nodes.get(&call).is_some_and(|node| node.active);
    active && !matches!(turn, None | Some(Activity::Superseded(_)))
}

fn place(state: &State, call: NodeId) -> Place {
    let mut path = thread::path(state, call);
    path.push(call);
    path.iter().map(|id| level(state, *id)).collect()
}

fn level(state: &State, id: NodeId) -> Level {
    let found = reply_of(state, id).and_then(|turn| Some((turn, first_written(state.nodes.get(&id)?)?)));
    match found {
        Some((turn, written)) => Level {
            reply: turn.reply,
            nth: nth(state, turn, id, &written),
            written,
        },
        None => Level {
            reply: 0,
            written: String::new(),
            nth: id.no,
        },
    }
}

/// True if two calls have one place. Compares the cheap parts first: most calls have no counterpart.
fn are_counterparts(state: &State, one: NodeId, other: NodeId) -> bool {
    let (above_one, above_other) = (thread::path(state, one), thread::path(state, other));
    let levels = || {
        above_one
            .iter()
            .chain([&one])
            .zip(above_other.iter().chain([&other]))
    };
    let similar = |(one, other): (&NodeId, &NodeId)| {
        let (Some(turn_one), Some(turn_other)) = (reply_of(state, *one), reply_of(state, *other)) else {
            return false;
        };
        let written = |id: &NodeId| state.nodes.get(id).and_then(first_written);
        let Some(first) = written(one).filter(|_| turn_one.reply == turn_other.reply) else {
            return false;
        };
        written(other).as_ref() == Some(&first)
            && nth(state, turn_one, *one, &first) == nth(state, turn_other, *other, &first)
    };
    above_one.len() == above_other.len() && levels().all(similar)
}

/// Returns the turn of a call that a reply of the model made.
fn reply_of(state: &State, call: NodeId) -> Option<&Turn> {
    state.turn_of(call).filter(|turn| turn.reply > 0)
}

/// Counts the calls before one in its reply that are written the same way.
fn nth(state: &State, turn: &Turn, id: NodeId, written: &str) -> u32 {
    let own = turn.nodes.iter().take_while(|one| **one != id);
    let own = own
        .filter_map(|one| state.nodes.get(one))
        // A repeated request replaced these.
        .filter(|one| one.replaced.is_none());
    let equal = own.chain(earlier_parts(state, turn, id));
    let equal = equal.filter(|one| first_written(one).as_deref() == Some(written));
    u32::try_from(equal.count()).unwrap_or(u32::MAX)
}

/// Nodes of the same reply in earlier turns that were active when the call was made: a rewritten thought splits a reply.
fn earlier_parts<'s>(state: &'s State, turn: &'s Turn, call: NodeId) -> impl Iterator<Item = &'s Node> {
    let born = state.nodes.get(&call).and_then(|node| node.revisions.first());
    let line = branch::line(state, born.map_or(Epoch(0), |first| first.epoch));
    let thread = state.threads.turns.get(&turn.thread).into_iter().flatten();
    let parts = thread
        .filter_map(|id| state.turns.get(id))
        .filter(|one| one.reply == turn.reply && one.pos < turn.pos);
    let nodes = parts
        .flat_map(|one| &one.nodes)
        .filter_map(|id| state.nodes.get(id));
    nodes.filter(move |node| at(&node.history, node.state(), &line).is_some_and(|then| then.active))
}

/// Returns the first revision of a call without label and output path. Ids in references change each time, so their
/// numbers are left out.
fn first_written(node: &Node) -> Option<String> {
    let Content::Call { tool, args } = &node.revisions.first()?.content else {
        return None;
    };
    let plain = rewrite::resolve(args, |_| None);
    let text = overrule_base::canon::canonical_text(&plain).unwrap_or_else(|_| plain.into_owned());
    let mut parts = text.split("†call.c");
    let mut written = format!("{tool} {}", parts.next().unwrap_or_default());
    for part in parts {
        written.push_str("†call.c");
        written.push_str(part.trim_start_matches(|sign: char| sign.is_ascii_digit()));
    }
    Some(written)
}

/// Returns the hashes of tool and arguments at the end of a line; none if the call did not exist or was deleted there.
fn same(state: &State, call: NodeId, line: &Line) -> Option<Same> {
    let mut path = thread::path(state, call);
    path.push(call);
    let level = |id: NodeId| {
        let (node, call) = (state.nodes.get(&id)?, state.calls.get(&id)?);
        let rev = at(&node.history, node.state(), line)?.rev;
        let Content::Call { tool, args } = &node.revision(rev)?.content else {
            return None;
        };
        let way = at(&call.history, call.way(), line)?;
        let bytes = way.refs.pinned_args.as_ref().or(way.resolved.as_ref());
        Some(dedup_key(tool, bytes.unwrap_or(args)))
    };
    path.into_iter().map(level).collect()
}

fn age(state: &State, call: NodeId, line: &Line) -> Age {
    let mut path = thread::path(state, call);
    path.push(call);
    let since = |id: &NodeId| {
        let node = state.nodes.get(id);
        node.and_then(|node| node.history.since_on(line))
            .unwrap_or_default()
    };
    (path.iter().map(since).collect(), counts(state, call), call)
}

/// Returns the calls of a turn and of all their sub-agents.
fn calls_in(state: &State, turn: &Turn) -> Vec<NodeId> {
    let is_call = |id: &&NodeId| id.kind == NodeKind::Call;
    let mut open: Vec<NodeId> = turn.nodes.iter().filter(is_call).copied().collect();
    let mut all = Vec::new();
    while let Some(id) = open.pop() {
        all.push(id);
        let attempts = state.calls.get(&id).into_iter().flat_map(|call| &call.attempts);
        let threads: Vec<ThreadId> = attempts.filter_map(|attempt| attempt.thread).collect();
        let turns: Vec<TurnId> = threads
            .iter()
            .filter_map(|thread| state.threads.turns.get(thread))
            .flatten()
            .copied()
            .collect();
        for turn in turns.iter().filter_map(|id| state.turns.get(id)) {
            open.extend(turn.nodes.iter().filter(is_call));
        }
    }
    all
}

/// Returns the state of a thing at the end of a line.
fn at<T: Clone>(history: &History<T>, now: T, line: &Line) -> Option<T> {
    match history.at(line) {
        Then::Now => Some(now),
        Then::Was(was) => Some(was.clone()),
        Then::Absent => None,
    }
}
