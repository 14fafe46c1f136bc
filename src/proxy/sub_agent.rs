//! Finds the call of an agent that a new conversation works for.
//!
//! Must not know: formats, sessions, how a conversation is decided about.
//!
//! No agent names the call. But all of them give the task of a sub-agent as an argument of the call, and send it as the
//! first words of the sub-agent's user.

use std::sync::Arc;

use serde_json::Value;

use super::conversation;
use super::placement::Runs;
use super::run::AgentRun;
use crate::domain::call::Status;
use crate::domain::id::NodeId;
use crate::domain::node::Node;
use crate::domain::state::State;
use crate::model::wire::agent::{AgentMessage, AgentRequest, PartKind, Role};

/// The fewest bytes of a task. A shorter argument may be in other words by chance.
const TASK: usize = 12;

/// The conversation that a sub-agent belongs to.
#[derive(Clone)]
pub struct Parent {
    /// Its run.
    pub run: Arc<AgentRun>,
    /// The call that the sub-agent works for; none if that is not known.
    pub call: Option<NodeId>,
}

/// The conversation that a new one works for. `is_named` is true if the agent itself says that it is a sub-agent.
pub(super) fn parent(runs: &Runs, request: &AgentRequest, is_named: bool) -> Option<Parent> {
    let texts = first_texts(request)?;
    let found = runs.values().filter_map(|run| {
        let (length, call) = run.with_state(|state| call_with(state, &texts, is_named))?;
        Some((length, run, call))
    });
    if let Some((_, run, call)) = found.max_by_key(|(length, _, call)| (*length, *call)) {
        let run = run.clone();
        return Some(Parent {
            run,
            call: Some(call),
        });
    }
    // The only one that it can belong to.
    let mut others = runs.values().filter(|run| !run.is_sub_agent());
    let run = others.next().filter(|_| is_named)?.clone();
    others
        .all(|other| Arc::ptr_eq(other, &run))
        .then_some(Parent { run, call: None })
}

/// The texts of the user in a conversation without a call. Some agents begin each one with an exchange of their own.
fn first_texts(request: &AgentRequest) -> Option<Vec<&str>> {
    let parts = || request.messages.iter().flat_map(|message| &message.parts);
    if parts().any(|part| matches!(part.kind, PartKind::Call { .. } | PartKind::Result { .. })) {
        return None;
    }
    let users = request
        .messages
        .iter()
        .filter(|message| message.role == Role::User);
    let texts = users.flat_map(AgentMessage::texts);
    Some(
        texts
            .filter(|text| !conversation::is_by_agent(text))
            .map(str::trim)
            .collect(),
    )
}

/// The call whose arguments have the longest text that is in these. The sub-agent of a call that has ended works in the
/// background: either the agent names it, or a text is exactly that of the call.
fn call_with(state: &State, texts: &[&str], is_named: bool) -> Option<(usize, NodeId)> {
    let calls = state.calls.values().filter(|call| !call.attempts.is_empty());
    let found = calls.filter_map(|call| {
        let (_, args) = state.nodes.get(&call.id).and_then(Node::as_call)?;
        let args: Value = serde_json::from_str(args).ok()?;
        let may_be_part = is_named || matches!(call.status, Status::Running(_));
        let is_task = |task: &str| {
            let is_in = |text: &&str| *text == task || may_be_part && text.contains(task);
            task.len() >= TASK && texts.iter().any(is_in)
        };
        Some((longest(&args, &is_task)?, call.id))
    });
    found.max()
}

/// The length of the longest text in a value that is the task.
fn longest(value: &Value, is_task: &dyn Fn(&str) -> bool) -> Option<usize> {
    match value {
        Value::String(text) => Some(text.trim()).filter(|text| is_task(text)).map(str::len),
        Value::Array(list) => list.iter().filter_map(|value| longest(value, is_task)).max(),
        Value::Object(members) => members.values().filter_map(|value| longest(value, is_task)).max(),
        _ => None,
    }
}
