//! Finds the call of an agent that a new conversation works for.
//!
//! Must not know: formats, sessions, how a conversation is decided about.
//!
//! No agent names the call. But all of them give the task of a sub-agent as an argument of the call, and send it as a text of
//! the sub-agent's user before its first call.

use std::sync::Arc;

use serde_json::Value;

use super::client::Client;
use super::conversation;
use super::placement::Runs;
use super::run::AgentRun;
use overrule_domain::agent::{LinkRole, LinkedSession};
use overrule_domain::call::Status;
use overrule_domain::id::NodeId;
use overrule_domain::node::Node;
use overrule_domain::state::State;
use overrule_model::wire::agent::{AgentMessage, AgentRequest, PartKind, Role};

/// The fewest bytes of a task. A shorter argument may be in other words by chance.
const TASK: usize = 12;
/// The most bytes that an agent puts around a short task.
const AROUND: usize = 100;

/// The conversation that a sub-agent belongs to.
#[derive(Clone)]
pub struct Parent {
    /// Its run.
    pub run: Arc<AgentRun>,
    /// The call that the sub-agent works for; none if that is not known.
    pub call: Option<NodeId>,
}

/// The conversation that a new one works for: one of the same program. `is_marked` is true if the agent itself says that it is
/// a sub-agent.
pub(super) fn parent(
    runs: &Runs,
    client: &Client,
    request: &AgentRequest,
    is_marked: bool,
) -> Option<Parent> {
    let texts = texts_before_calls(request);
    let own = || runs.values().filter(|run| run.client() == client);
    let found = own().filter_map(|run| {
        let (fit, call) = run.with_state(|state| call_with(state, &texts, is_marked))?;
        Some((fit, run, call))
    });
    if let Some((_, run, call)) = found.max_by_key(|(fit, _, call)| (*fit, *call)) {
        let run = run.clone();
        return Some(Parent {
            run,
            call: Some(call),
        });
    }
    // The only one that it can belong to.
    let mut others = own().filter(|run| !run.is_sub_agent());
    let run = others.next().filter(|_| is_marked)?.clone();
    others
        .all(|other| Arc::ptr_eq(other, &run))
        .then_some(Parent { run, call: None })
}

/// Records in both sessions which one belongs to the other, once both have a run.
pub async fn link(parent: Parent, run: Arc<AgentRun>) {
    let Parent { run: above, call } = parent;
    let (Some(session), Some(session_above)) = (run.session().await, above.session().await) else {
        return;
    };
    for (to, session, role) in [
        (above, session, LinkRole::SubAgent),
        (run, session_above, LinkRole::Parent),
    ] {
        to.report_link(LinkedSession { session, role, call }).await;
    }
}

/// The texts of the user in a conversation without a call; none in another one. Some agents begin with an exchange of their
/// own.
fn texts_before_calls(request: &AgentRequest) -> Vec<&str> {
    let mut parts = request.messages.iter().flat_map(|message| &message.parts);
    if parts.any(|part| matches!(part.kind, PartKind::Call { .. } | PartKind::Result { .. })) {
        return Vec::new();
    }
    let users = request
        .messages
        .iter()
        .filter(|message| message.role == Role::User);
    let texts = users.flat_map(AgentMessage::texts);
    texts
        .filter(|text| !conversation::is_by_agent(text))
        .map(str::trim)
        .collect()
}

/// How well a call fits: the length of the task, and true if no other sub-agent belongs to it.
type Fit = (usize, bool);

/// The call whose arguments have the longest text that is in these. The sub-agent of a call that has ended works in the
/// background: either the agent marks it, or a text is exactly that of the call.
fn call_with(state: &State, texts: &[&str], is_marked: bool) -> Option<(Fit, NodeId)> {
    let calls = state.calls.values().filter(|call| !call.attempts.is_empty());
    let found = calls.filter_map(|call| {
        let (_, args) = state.nodes.get(&call.id).and_then(Node::as_call)?;
        let args: Value = serde_json::from_str(args).ok()?;
        let may_be_part = is_marked || matches!(call.status, Status::Running(_));
        let is_task = |task: &str| {
            // An agent puts few words around a task. In a long text the words may be by chance.
            let is_in = |text: &&str| {
                *text == task || may_be_part && text.contains(task) && text.len() < 2 * task.len() + AROUND
            };
            task.len() >= TASK && texts.iter().any(is_in)
        };
        let is_free = state.origin.agent.sub_agents_of(call.id).next().is_none();
        Some(((longest(&args, &is_task)?, is_free), call.id))
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
