//! Starts and ends sub-agents.
//!
//! Must not know: what a sub-agent does in between.

use std::sync::Arc;

use super::launch;
use crate::advice::Advice;
use crate::call::{ErrorClass, Outcome, Status, ToolError};
use crate::delegate::{self, Work};
use crate::draft::Draft;
use crate::event::{CallEvent, TurnEvent};
use crate::id::{NodeId, NodeKind, TurnId};
use crate::invalidation::supersede_turns;
use crate::node::Node;
use crate::output_digest::OutputDigest;
use crate::state::State;
use crate::thread::{self, Child};

/// Ends sub-agents whose call was edited, superseded, run again or answered by the operator.
pub(super) fn end_left(draft: &mut Draft<'_>, _advice: &dyn Advice) {
    let state = draft.state;
    let mut left: Vec<TurnId> = Vec::new();
    for thread in &state.agenda.children {
        if state
            .threads
            .children
            .get(thread)
            .is_some_and(|child| !thread::is_active(state, child))
        {
            left.extend(state.turns_of(*thread).map(|turn| turn.id));
        }
    }
    supersede_turns(draft, left);
}

/// Starts the sub-agent of the next approved call.
pub(super) fn begin(draft: &mut Draft<'_>, advice: &dyn Advice) {
    let state = draft.state;
    let next = state
        .agenda
        .delegating
        .iter()
        .filter(|id| !thread::is_held(state, **id) && thread::call_acts(state, **id) && is_free(state, **id))
        .filter_map(|id| state.calls.get(id))
        .find(|call| !call.suspect);
    if let Some(call) = next
        && !launch::gives_grace(draft, call)
    {
        let thread = draft.thread();
        launch::start(draft, advice, call, (Some(thread), Vec::new()));
    }
}

/// Starts the thread of a delegated call with its task.
pub(super) fn hand_over(draft: &mut Draft<'_>, advice: &dyn Advice) {
    let state = draft.state;
    for id in &state.agenda.delegates {
        let Some(call) = state.calls.get(id) else { continue };
        let Status::Running(attempt) = call.status else {
            continue;
        };
        let record = call.attempts.iter().find(|one| one.no == attempt);
        let thread = record.and_then(|record| record.thread);
        let args = state.nodes.get(id).and_then(Node::as_call).map(|(_, args)| args);
        if let (Some(record), Some(thread), Some(args)) = (record, thread, args)
            && !state.threads.children.contains_key(&thread)
        {
            let work = Work::of(args, &record.args);
            let event = TurnEvent::Delegated {
                thread,
                call: *id,
                rev: record.rev,
                attempt,
                tools: delegate::tools(state, advice, thread::of(state, *id), &work),
                max_turns: work.max_turns(),
                turn: draft.turn(),
                node: draft.node(NodeKind::Prompt),
                text: Arc::from(work.prompt()),
            };
            draft.turn_event(event);
        }
    }
}

/// True if the limit of parallel sub-agents allows another one in this thread. Sub-agents of
/// different threads wait for each other, so they do not count.
fn is_free(state: &State, call: NodeId) -> bool {
    let own = thread::of(state, call);
    let at_work = state.agenda.delegates.iter();
    at_work.filter(|id| thread::of(state, **id) == own).count() < state.settings.limits.parallel as usize
}

/// Records the answer of a sub-agent as the result of its call.
pub(super) fn answered(draft: &mut Draft<'_>, child: &Child, answer: NodeId) {
    let text = draft.state.nodes.get(&answer).map(Node::text).unwrap_or_default();
    let value = serde_json::Value::from(text).to_string();
    finished(draft, child, Outcome::ok(value));
}

/// True if a sub-agent has no turn left. Its call fails then.
pub(super) fn spent(draft: &mut Draft<'_>, child: &Child) -> bool {
    let used = thread::turns_used(draft.state, child.thread);
    if used < child.max_turns {
        return false;
    }
    let message = format!("the sub-agent used up its {used} turns and gave no answer");
    let hint = "give it a smaller task, or more turns (`max_turns`)";
    failed(draft, child, message, hint);
    true
}

/// Ends a sub-agent that is in a loop: its call fails.
pub(super) fn ended_by_guard(draft: &mut Draft<'_>, child: &Child, what: &str) {
    let message = format!("the sub-agent was in a loop and was ended ({what})");
    failed(draft, child, message, "give it another task, or do it yourself");
}

fn failed(draft: &mut Draft<'_>, child: &Child, message: String, hint: &str) {
    let calls = &draft.state.calls;
    let executed = calls
        .get(&child.call)
        .is_some_and(|call| call.effect.has_effect());
    let error = ToolError {
        class: ErrorClass::Business,
        message,
        evidence: "counted by the engine".into(),
        hint: Some(hint.into()),
        partial: None,
        executed,
        retry_after_ms: None,
    };
    finished(draft, child, Outcome::err(error));
}

fn finished(draft: &mut Draft<'_>, child: &Child, outcome: Outcome) {
    let digest = OutputDigest::of(&outcome);
    draft.call(CallEvent::Finished {
        call: child.call,
        rev: child.rev,
        attempt: child.attempt,
        outcome,
        ms: 0,
        digest,
    });
}
