//! Starts what was decided, within the limits; settles executions in doubt that may run again by
//! themselves. Must not know: how a tool runs.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::gate::sameness;
use crate::domain::advice::Advice;
use crate::domain::call::{Call, EffectClass, Status};
use crate::domain::draft::Draft;
use crate::domain::event::CallEvent;
use crate::domain::id::{Attempt, NodeId};
use crate::domain::node::Node;
use crate::domain::ready;
use crate::domain::state::{Mode, State};

/// After a crash, what changed nothing or can be repeated goes its way again.
pub(super) fn settle_doubt(draft: &mut Draft<'_>, _advice: &dyn Advice) {
    for id in draft.state.agenda.waiting.values() {
        let Some(call) = draft.state.calls.get(id) else {
            continue;
        };
        let Status::InDoubt(attempt) = call.status else {
            continue;
        };
        let evidence = match call.effect {
            EffectClass::Pure | EffectClass::Read => "it changes nothing, so it may run again",
            EffectClass::Idempotent => "doing it twice is doing it once, and it has the same key",
            EffectClass::Write | EffectClass::Unknown => continue,
        };
        draft.call(CallEvent::Resolved {
            call: *id,
            attempt,
            happened: false,
            evidence: Arc::from(evidence),
        });
    }
}

pub(super) fn launch(draft: &mut Draft<'_>, advice: &dyn Advice) {
    let mut free = match draft.state.mode {
        Mode::Running => {
            (draft.state.limits.parallel as usize).saturating_sub(draft.state.agenda.running.len())
        }
        Mode::Paused(_) if draft.state.step => 1,
        Mode::Paused(_) | Mode::Stopped(_) | Mode::Finished(_) => 0,
    };
    if free == 0 || draft.state.agenda.queued.is_empty() {
        return;
    }
    // Only asked for by calls that need something for themselves.
    let mut in_use: Option<BTreeSet<String>> = None;
    for id in &draft.state.agenda.queued {
        if free == 0 {
            break;
        }
        if draft.state.held.contains(id) || !super::acts(draft.state, *id) {
            continue;
        }
        let Some(call) = draft.state.calls.get(id).filter(|call| !call.suspect) else {
            continue;
        };
        if let Some(needed) = resource(draft.state, advice, *id)
            && !in_use
                .get_or_insert_with(|| used(draft.state, advice))
                .insert(needed)
        {
            continue;
        }
        if start(draft, advice, call).is_some() {
            free -= 1;
        }
    }
}

/// What running calls have for themselves.
fn used(state: &State, advice: &dyn Advice) -> BTreeSet<String> {
    let running = state.agenda.running.iter();
    running.filter_map(|id| resource(state, advice, *id)).collect()
}

/// What a call with effects needs for itself.
fn resource(state: &State, advice: &dyn Advice, id: NodeId) -> Option<String> {
    let call = state.calls.get(&id)?;
    if !call.effect.has_effect() {
        return None;
    }
    let (tool, _) = state.nodes.get(&id)?.as_call()?;
    advice.resource(tool, &ready::resolved_args(state, call)?)
}

fn start(draft: &mut Draft<'_>, advice: &dyn Advice, call: &Call) -> Option<()> {
    let node = draft.state.nodes.get(&call.id)?;
    let (tool, _) = node.as_call()?;
    let bytes = ready::resolved_args(draft.state, call)?;
    let attempt = Attempt(call.last_attempt().map_or(1, |last| last.no.0 + 1));
    let before = if call.effect.has_effect() {
        advice.before(tool, &bytes)
    } else {
        None
    };
    draft.call(CallEvent::Started {
        call: call.id,
        rev: node.rev(),
        attempt,
        key: key(draft.state, call, node),
        same: Arc::from(sameness(tool, &bytes)),
        effect: call.effect,
        before: before.map(Arc::from),
    });
    Some(())
}

/// Repetitions of one revision by the engine carry one key; a run that a person asked for anew, another.
fn key(state: &State, call: &Call, node: &Node) -> Arc<str> {
    let again = state
        .edits
        .iter()
        .filter(|edit| edit.target == Some(call.id) && edit.what.starts_with("run "))
        .count();
    let session = state.started.as_ref().map_or("", |started| &*started.setup);
    let id = call.id.to_string();
    let parts: [&[u8]; 4] = [
        session.as_bytes(),
        id.as_bytes(),
        &node.rev().0.to_le_bytes(),
        &(again as u64).to_le_bytes(),
    ];
    Arc::from(crate::canon::hash("overrule idempotency v1", &parts))
}
