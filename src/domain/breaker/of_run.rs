//! Tells what the breakers of a run protect, which evidence opened them, and what can replace a target.
//!
//! Must not know: thresholds, when a breaker changes.

use std::sync::Arc;

use super::{Breaker, Phase, Scope, Source};
use crate::id::{Rev, ThreadId};
use crate::ladder::span;
use crate::node::{Node, Origin};
use crate::state::State;
use crate::thread;
use crate::turn::{Activity, Turn};

/// The breaker of the endpoint of the run's model; none for a model without a network.
pub fn endpoint(state: &State) -> Option<Scope> {
    let started = state.started.as_ref()?;
    (started.wire != "scripted").then(|| Scope::Model(Arc::from(started.model.as_str())))
}

/// True for an open breaker if every execution or request that opened it is superseded.
pub fn is_outdated(state: &State, breaker: &Breaker) -> bool {
    let mut all = breaker.opened_by.iter();
    breaker.phase == Phase::Open && !breaker.opened_by.is_empty() && all.all(|of| is_superseded(state, *of))
}

/// True for a source that is not part of the current branch. A call that only the engine changed (a repair, a substitute) still is.
fn is_superseded(state: &State, source: Source) -> bool {
    let gone = |turn: &Turn| matches!(thread::activity(state, turn), Activity::Superseded(_));
    match source {
        Source::Request(turn, _) => state.turns.get(&turn).is_none_or(gone),
        Source::Call(id, attempt) => {
            let (Some(node), Some(call)) = (state.nodes.get(&id), state.calls.get(&id)) else {
                return true;
            };
            let record = call.attempts.iter().find(|one| one.no == attempt);
            let edited = record.is_none_or(|record| is_edited_since(node, record.rev));
            !node.active || edited || state.turn_of(id).is_none_or(gone)
        }
    }
}

/// True if an operator changed a node after a revision, or an undo returned to an earlier one.
fn is_edited_since(node: &Node, rev: Rev) -> bool {
    let mut later = node
        .revisions
        .iter()
        .filter(|one| one.no > rev && one.no <= node.rev());
    node.rev() < rev || later.any(|one| matches!(one.origin, Origin::Operator { .. }))
}

/// Names what a breaker protects, as part of a sentence.
pub(crate) fn named(scope: &Scope) -> String {
    match scope {
        Scope::Tool(name) => format!("the tool {name}"),
        Scope::Server(name) => format!("the server {name}"),
        Scope::Model(name) => format!("the model at {name}"),
    }
}

/// Says when an open breaker admits the next call, as part of a sentence.
pub(crate) fn next_probe(state: &State, breaker: &Breaker) -> String {
    let now = state.recorded_at(state.seq).unwrap_or_default();
    match u64::try_from(breaker.until.saturating_sub(now)) {
        Ok(left) if left > 0 => format!("it can be tried again in {}", span(left)),
        _ => "it can be tried again now".to_owned(),
    }
}

/// The tools offered to a thread that can replace the target of a breaker.
pub(crate) fn instead(state: &State, thread: ThreadId, breaker: &Breaker) -> Vec<Arc<str>> {
    let offered = thread::tools(state, thread);
    let is_open = |name: &Arc<str>| {
        let own = state.learned.breakers.get(&Scope::Tool(Arc::clone(name)));
        own.is_some_and(|own| !own.admits())
    };
    let serves = |name: &&Arc<str>| offered.iter().any(|card| card.name == **name) && !is_open(name);
    breaker.instead.iter().filter(serves).cloned().collect()
}
