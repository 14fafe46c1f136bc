//! Starts approved calls within the limits, and retries repeatable ones of unknown outcome.
//!
//! Must not know: how a tool runs.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;

use super::{breaker, delegate};
use crate::advice::{Advice, digest};
use crate::auto_approved;
use crate::breaker::{Phase, Scope};
use crate::call::{Call, Decision, EffectClass};
use crate::draft::Draft;
use crate::event::CallEvent;
use crate::id::{Attempt, NodeId, Seq, ThreadId};
use crate::node::Node;
use crate::ready;
use crate::repeat::dedup_key;
use crate::restrict;
use crate::state::{Mode, State};
use crate::tags;
use crate::thread;

/// Wakes calls of unknown outcome that changed nothing or can be repeated. The ledger keeps the
/// unknown outcome: repeating is harmless, but no one has proven that it did not happen.
pub(super) fn retry_unknown(draft: &mut Draft<'_>, _advice: &dyn Advice) {
    for id in &draft.state.agenda.unknown {
        let call = draft.state.calls.get(id);
        let repeatable = call.is_some_and(|call| call.effect <= EffectClass::Idempotent);
        if repeatable && thread::call_acts(draft.state, *id) {
            draft.call(CallEvent::Woken { call: *id });
        }
    }
}

pub(super) fn launch(draft: &mut Draft<'_>, advice: &dyn Advice) {
    let agenda = &draft.state.agenda;
    let mut free = match draft.state.mode {
        Mode::Running => {
            // An execution that was asked to end occupies a slot until it ends.
            let busy = agenda.running.len() + agenda.ending.len();
            (draft.state.settings.limits.parallel as usize).saturating_sub(busy)
        }
        Mode::Paused(_) if draft.state.settings.step => 1,
        Mode::Paused(_) | Mode::Stopped(_) | Mode::Finished(_) => 0,
    };
    if free > 0 || draft.state.mode == Mode::Running {
        delegate::begin(draft, advice);
    }
    if !draft.events.is_empty() || free == 0 || agenda.queued.is_empty() {
        return;
    }
    // Computed only if a call needs an exclusive resource.
    let mut in_use: Option<BTreeSet<String>> = None;
    let mut taken: BTreeSet<Scope> = BTreeSet::new();
    for id in &agenda.queued {
        if free == 0 {
            break;
        }
        if thread::is_held(draft.state, *id) || !thread::call_acts(draft.state, *id) {
            continue;
        }
        let tool_runs = |call: &&Call| !call.suspect && !call.delegates;
        let Some(call) = draft.state.calls.get(id).filter(tool_runs) else {
            continue;
        };
        // Two executions of one call never overlap.
        let own = (*id, Attempt(0))..=(*id, Attempt(u32::MAX));
        if agenda.ending.range(own).next().is_some() {
            continue;
        }
        if gives_grace(draft, call) {
            continue;
        }
        let guards = breaker::guards(draft.state, advice, call);
        if let Some((scope, shut)) = breaker::shut(draft.state, &guards, &taken) {
            if advice.fails_fast() && shut.phase == Phase::Open {
                breaker::fail_fast(draft, call, &scope, shut);
            }
            continue;
        }
        if let Some(needed) = resource(draft.state, advice, *id)
            && !in_use
                .get_or_insert_with(|| used(draft.state, advice))
                .insert(needed)
        {
            continue;
        }
        taken.extend(guards.iter().cloned());
        if start(draft, advice, call, (None, guards)).is_some() {
            free -= 1;
        }
    }
}

/// True if a call waits because its approval can still be withdrawn.
pub(super) fn gives_grace(draft: &mut Draft<'_>, call: &Call) -> bool {
    let graced = grace(draft.state, call);
    let waits = graced.is_some();
    if let Some(event) = graced {
        draft.call(event);
    }
    waits
}

/// The time to withdraw an approval that a tool sets, once after each decision. A step of a paused
/// run has none: the operator confirmed it twice.
fn grace(state: &State, call: &Call) -> Option<CallEvent> {
    let node = state.nodes.get(&call.id)?;
    let (tool, _) = node.as_call()?;
    let wait_ms = tags::card(state, tool)?.pause_ms;
    let decided = call.decisions.last().map_or(Seq(0), |(_, seq, _)| *seq);
    (wait_ms > 0 && call.approval.graced != decided && state.mode == Mode::Running).then_some(
        CallEvent::Graced {
            call: call.id,
            rev: node.rev(),
            wait_ms,
        },
    )
}

/// The exclusive resources of running executions.
fn used(state: &State, advice: &dyn Advice) -> BTreeSet<String> {
    let running = state.agenda.running.iter();
    let ending = state.agenda.ending.iter();
    running
        .filter_map(|id| resource(state, advice, *id))
        .chain(ending.filter_map(|which| ending_resource(state, advice, *which)))
        .collect()
}

/// The exclusive resource of a call with effects.
fn resource(state: &State, advice: &dyn Advice, id: NodeId) -> Option<String> {
    let call = state.calls.get(&id)?;
    if !call.effect.has_effect() {
        return None;
    }
    let (tool, _) = state.nodes.get(&id)?.as_call()?;
    advice.resource(tool, &ready::resolved_args(state, call)?)
}

/// The exclusive resource of an execution that was asked to end.
fn ending_resource(state: &State, advice: &dyn Advice, (id, no): (NodeId, Attempt)) -> Option<String> {
    let record = state.calls.get(&id)?.attempts.iter().find(|one| one.no == no)?;
    let entry = state.ledger.get(&record.intent)?;
    if !entry.effect.has_effect() {
        return None;
    }
    advice.resource(&entry.tool, &record.args)
}

/// Records the start of a call; nothing if it is no longer what was approved. `thread` belongs to
/// the sub-agent that does its work; `guards` are the breakers that admitted it.
pub(super) fn start(
    draft: &mut Draft<'_>,
    advice: &dyn Advice,
    call: &Call,
    (thread, guards): (Option<ThreadId>, Vec<Scope>),
) -> Option<()> {
    let node = draft.state.nodes.get(&call.id)?;
    let (tool, _) = node.as_call()?;
    let bytes = ready::resolved_args(draft.state, call)?;
    if restrict::forbids(draft.state, call) {
        draft.call(restrict::denial(draft.state, call));
        return None;
    }
    // The policy approved it in another situation: it waited since, or it runs again after a
    // failure.
    if auto_approved::no_more(draft, advice, call) {
        auto_approved::take_back(draft, call, "the policy no longer allows it");
        return None;
    }
    // A file that it may run, or the place that a link leads to, changed since it was approved: it goes through the gate
    // again.
    let operands = advice.operands(tool, &bytes);
    let rev = draft.state.node(call.id)?.rev();
    let is_same = || {
        let verdict = call.verdict.as_deref();
        let now = digest(advice, (call.id, rev), (tool, &bytes), &operands, verdict);
        call.digest.as_ref() == Some(&now)
    };
    if operands != call.operands() || !is_same() {
        draft.call(CallEvent::Woken { call: call.id });
        return None;
    }
    let attempt = call.last_attempt().map_or(Attempt(1), |last| last.no.next());
    let shown_base = auto_approved::shown_base(draft.state, call);
    let before = if call.effect.has_effect() || shown_base.is_some() {
        advice.before(tool, &bytes)
    } else {
        None
    };
    // The operator approved a difference from a file that is another one now.
    if shown_base.is_some_and(|base| is_other(before.as_deref(), base)) {
        auto_approved::take_back(draft, call, "the file changed since its difference was shown");
        return None;
    }
    let same = dedup_key(tool, &bytes);
    draft.call(CallEvent::Started {
        call: call.id,
        rev: node.rev(),
        attempt,
        key: key(draft.state, call, node, &same),
        same: Arc::from(same),
        effect: call.effect,
        task: thread::task(draft.state, advice, node),
        before: before.map(Arc::from),
        thread,
        guards,
    });
    Some(())
}

/// True if the record made before a launch is not about the file with this hash; empty for no file.
fn is_other(before: Option<&str>, base: &str) -> bool {
    let before = before.and_then(|before| serde_json::from_str::<Before>(before).ok());
    before.is_none_or(|before| before.before.unwrap_or_default() != base)
}

/// The hash of a file in the record made before a launch; none if there is no file.
#[derive(Deserialize)]
struct Before {
    before: Option<String>,
}

/// The idempotency key of an execution. Repetitions of the same bytes by the engine share a key,
/// also in another process with another model. A run that the operator requested again gets a new
/// key. A fork starts its own keys and continues the executions that it copied.
fn key(state: &State, call: &Call, node: &Node, same: &str) -> Arc<str> {
    let requested = call
        .decisions
        .iter()
        .filter(|(_, _, decision)| matches!(**decision, Decision::RunAgain { .. }))
        .map(|(_, seq, _)| *seq);
    let again = (requested.clone().count() as u64).to_le_bytes();
    let since = requested.max().unwrap_or_default();
    let tries = call.attempts.iter().filter(|one| one.rev == node.rev());
    let first = tries.map(|one| one.intent).find(|intent| *intent > since);
    let fork = state
        .origin
        .forks
        .iter()
        .rev()
        .find(|fork| first.is_none_or(|first| fork.seq < first));
    let made = fork.map(|fork| fork.made.to_le_bytes());
    let id = call.id.to_string();
    let (begun, rev) = (state.origin.begun_at.to_le_bytes(), node.rev().0.to_le_bytes());
    let mut parts: Vec<&[u8]> = vec![
        state.origin.genesis.as_bytes(),
        &begun,
        id.as_bytes(),
        &rev,
        same.as_bytes(),
        &again,
    ];
    parts.extend(made.iter().map(|made| &made[..]));
    Arc::from(overrule_base::canon::hash("overrule idempotency v2", &parts))
}
