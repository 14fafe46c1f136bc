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
use crate::model::wire::agent::{AgentMessage, AgentRequest, Role};

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
    let words = first_words(request)?;
    let found = runs.values().filter_map(|run| {
        let (length, call) = run.with_state(|state| call_with(state, &words, is_named))?;
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

/// What the user of a conversation says first; none in one that has a reply already.
fn first_words(request: &AgentRequest) -> Option<String> {
    let mut messages = request.messages.iter();
    if messages.any(|message| message.role == Role::Assistant) {
        return None;
    }
    let users = request
        .messages
        .iter()
        .filter(|message| message.role == Role::User);
    let texts = users
        .flat_map(AgentMessage::texts)
        .filter(|text| !conversation::is_by_agent(text));
    Some(texts.collect::<Vec<_>>().join("\n\n"))
}

/// The call whose arguments have the longest text that is in these words. The sub-agent of a call that has ended works in
/// the background: either the agent names it, or the words are the text and nothing else.
fn call_with(state: &State, words: &str, is_named: bool) -> Option<(usize, NodeId)> {
    let calls = state.calls.values().filter(|call| !call.attempts.is_empty());
    let found = calls.filter_map(|call| {
        let (_, args) = state.nodes.get(&call.id).and_then(Node::as_call)?;
        let args: Value = serde_json::from_str(args).ok()?;
        let length = longest(&args, words)?;
        let may_be = is_named || matches!(call.status, Status::Running(_)) || length == words.trim().len();
        may_be.then_some((length, call.id))
    });
    found.max()
}

/// The length of the longest text in a value that is in these words.
fn longest(value: &Value, words: &str) -> Option<usize> {
    match value {
        Value::String(text) => {
            let text = text.trim();
            (text.len() >= TASK && words.contains(text)).then_some(text.len())
        }
        Value::Array(list) => list.iter().filter_map(|value| longest(value, words)).max(),
        Value::Object(members) => members.values().filter_map(|value| longest(value, words)).max(),
        _ => None,
    }
}
