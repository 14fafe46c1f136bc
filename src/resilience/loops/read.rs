//! Reads the outcomes of a turn's calls from a state.
//!
//! Must not know: what is concluded from them.

use std::sync::Arc;

use super::action::{Action, Batch, End, symbol};
use super::fingerprint::fingerprint;
use overrule_domain::breaker::EVIDENCE;
use overrule_domain::call::{Call, ErrorClass, Outcome, Status};
use overrule_domain::escape::args_hash;
use overrule_domain::escape::open_step::is_guard;
use overrule_domain::id::{NodeId, Seq, ThreadId};
use overrule_domain::node::{Content, Origin};
use overrule_domain::output_digest::{OutputDigest, recorded_exit};
use overrule_domain::ready;
use overrule_domain::reference::OutPath;
use overrule_domain::state::{EditRecord, EpochOrigin, State};
use overrule_domain::turn::{Producer, Turn};

/// Returns the outcomes of a turn's calls, or `None` if none of them has ended by itself.
pub fn batch(state: &State, turn: &Turn) -> Option<Batch> {
    let counting = |id: &&NodeId| state.nodes.get(id).is_some_and(|node| node.active);
    let calls = turn.nodes.iter().filter(counting);
    let actions: Vec<Action> = calls
        .filter_map(|id| action(state, state.calls.get(id)?))
        .collect();
    (!actions.is_empty()).then(|| Batch::new(turn.id, turn.asked_at, actions))
}

/// Returns the outcome of one call, or `None` if it did not end or the engine itself kept it from running.
fn action(state: &State, call: &Call) -> Option<Action> {
    let (tool, _) = state.nodes.get(&call.id)?.as_call()?;
    let args = args_hash(&ready::resolved_args(state, call)?);
    let because = call.validation.because.as_deref().unwrap_or_default();
    let failed = |looks: String| Some(Arc::from(looks));
    let (end, error, text) = match &call.status {
        Status::Succeeded | Status::Exited(_) | Status::Failed(_) => {
            return observed(state, call, (tool, args));
        }
        Status::Invalid => {
            let faults: Vec<String> = call
                .validation
                .faults
                .iter()
                .map(|fault| format!("{} {}", fault.keyword, fault.path))
                .collect();
            let looks = fingerprint(&format!("invalid {}", faults.join(", ")));
            (End::Failure, failed(looks), "")
        }
        Status::Rejected => match &call.validation.denied_by {
            // A rejection because of repetition says nothing new about the tool.
            Some(rule) if is_guard(rule) => return None,
            Some(rule) => (
                End::Failure,
                failed(fingerprint(&format!("denied {rule} {because}"))),
                "",
            ),
            None => (End::Declined, None, because),
        },
        Status::Abandoned => (End::Declined, None, "left unknown"),
        Status::Expired => (End::Declined, None, "expired"),
        Status::Skipped | Status::Unsatisfiable => (
            End::Failure,
            failed(fingerprint(&format!("{} {because}", call.status.base_label()))),
            "",
        ),
        _ => return None,
    };
    let acts = call.effect.has_effect();
    let called = (tool.clone(), args);
    let text = error.as_deref().unwrap_or(text).to_owned();
    Some(Action::new(call.id, called, (end, acts), error, text.as_bytes()))
}

fn observed(state: &State, call: &Call, (tool, args): (&Arc<str>, Arc<str>)) -> Option<Action> {
    let outcome = state.observation(call.id)?.outcome()?;
    let acts = call.effect.has_effect();
    let called = (tool.clone(), args);
    let (end, error) = match outcome {
        Outcome::Ok { .. } => (End::Value, None),
        Outcome::Err(error) if recorded_exit(error).is_some() => (End::Value, None),
        Outcome::Err(error) if error.class == ErrorClass::Cancelled => (End::Declined, None),
        // A call that never reached its tool shows only that it was made again.
        Outcome::Err(error) if error.evidence == EVIDENCE => {
            return Some(Action::new(
                call.id,
                called,
                (End::Declined, acts),
                None,
                b"breaker",
            ));
        }
        Outcome::Err(error) => {
            let looks = fingerprint(&format!("{}: {}", error.class.label(), error.message));
            (End::Failure, Some(Arc::from(looks)))
        }
        Outcome::Cancelled { .. } => (End::Declined, None),
    };
    let text = digest(state, call, outcome).map(u64::to_le_bytes);
    let text = text.as_ref().map_or(&b"cancelled"[..], |text| text);
    let mut action = Action::new(call.id, called, (end, acts), error, text);
    action.paths = paths(call);
    Some(action)
}

/// Returns the digest of a call's output: the recorded one where it was made by the rules of this program.
fn digest(state: &State, call: &Call, outcome: &Outcome) -> Option<u64> {
    recorded(state, call).or_else(|| OutputDigest::of(outcome)?.current())
}

fn recorded(state: &State, call: &Call) -> Option<u64> {
    let text = state.observation(call.id)?.now();
    let Content::Observation { attempt, .. } = &text.content else {
        return None;
    };
    // What a person wrote is not what the execution gave.
    let ran = call
        .attempts
        .iter()
        .find(|one| one.no == *attempt && text.origin == Origin::Execution)?;
    ran.digest?.current()
}

/// Returns true if the outputs of a turn's calls are known by their digests, without reading them.
pub fn is_cheap(state: &State, turn: &Turn) -> bool {
    let active = turn
        .nodes
        .iter()
        .filter(|id| state.nodes.get(id).is_some_and(|node| node.active));
    let mut calls = active.filter_map(|id| state.calls.get(id));
    calls.all(|call| state.observation(call.id).is_none() || recorded(state, call).is_some())
}

/// Returns symbols of the state paths that a call wrote.
fn paths(call: &Call) -> Vec<u64> {
    let out = call.refs.out.iter().flat_map(OutPath::targets);
    out.map(|target| symbol(&[b"path", target.to_string().as_bytes()]))
        .collect()
}

/// Iterates over the turns of a thread that are evidence of repetition, newest first. They are
/// active, settled, requested from the model, and newer than the operator's last intervention.
pub fn evidence(state: &State, thread: ThreadId) -> impl Iterator<Item = &Turn> {
    let since = restarted(state, thread);
    state
        .turns_of(thread)
        .rev()
        // Turns before an older turn, or before a message of the operator, are not examined: a long
        // history costs nothing.
        .take_while(move |turn| turn.producer == Producer::Model && turn.asked_at > since)
        .filter(|turn| turn.is_active() && turn.settled && turn.asked > 0)
}

/// Returns the newest event that determines the outcomes of a turn's calls.
pub fn stamp(state: &State, turn: &Turn) -> Seq {
    let observed = turn.nodes.iter().filter_map(|id| state.observation(*id));
    observed
        .map(|node| node.now().event)
        .fold(turn.asked_at, Seq::max)
}

/// Returns the newest event in which an operator edited a thread or switched branches.
pub fn restarted(state: &State, thread: ThreadId) -> Seq {
    let by_operator = |edit: &&EditRecord| edit.thread == thread && edit.by.is_none();
    let edited = state.operator.edits.iter().rev().find(by_operator);
    let edited = edited.map_or(Seq(0), |edit| edit.seq);
    // A different branch is a change of course for every thread.
    let moved = state
        .operator
        .epochs
        .iter()
        .rev()
        .find(|one| one.began != EpochOrigin::Edit);
    edited.max(moved.map_or(Seq(0), |one| one.seq))
}

/// Returns true if the operator intervened in a thread after an event: by an edit, a different
/// branch or an insertion.
pub fn overtaken(state: &State, thread: ThreadId, since: Seq) -> bool {
    let mut newer = state
        .turns_of(thread)
        .rev()
        .take_while(|turn| turn.asked_at > since);
    restarted(state, thread) > since || newer.any(|turn| turn.producer == Producer::Operator)
}
