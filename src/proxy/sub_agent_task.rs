//! Finds the call whose task a sub-agent works on.
//!
//! Must not know: formats, sessions, which conversations there are.
//!
//! An agent sends the task as a text of the sub-agent's user before its first call.

use serde_json::Value;

use super::conversation;
use overrule_domain::call::Status;
use overrule_domain::id::NodeId;
use overrule_domain::node::Node;
use overrule_domain::state::State;
use overrule_model::wire::agent::{AgentRequest, PartKind, Role};

/// The fewest bytes of a task. A shorter argument may be in other words by chance.
const TASK: usize = 12;
/// The most bytes that an agent puts around a short task.
const AROUND: usize = 100;

/// What the conversation of a sub-agent begins with.
pub struct SubAgentTask {
    texts: Vec<String>,
    /// True if the agent says that it is of a sub-agent.
    is_marked: bool,
}

/// A call that a sub-agent may work for. The greatest fits best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallOfTask {
    /// The length of the task in bytes.
    length: usize,
    /// True if no other sub-agent belongs to it.
    is_free: bool,
    /// The call.
    pub call: NodeId,
}

impl SubAgentTask {
    /// Reads a request. `is_marked` is true if the agent says that it is of a sub-agent.
    pub fn of(request: &AgentRequest, is_marked: bool) -> Self {
        let texts = texts_before_calls(request);
        Self { texts, is_marked }
    }

    /// The call whose arguments have the longest text that is in these. The sub-agent of a call that has ended works in the
    /// background: either the agent marks it, or a text is exactly that of the call.
    pub fn call_in(&self, state: &State) -> Option<CallOfTask> {
        let calls = state.calls.values().filter(|call| !call.attempts.is_empty());
        let found = calls.filter_map(|call| {
            let (_, args) = state.nodes.get(&call.id).and_then(Node::as_call)?;
            let args: Value = serde_json::from_str(args).ok()?;
            let may_be_part = self.is_marked || matches!(call.status, Status::Running(_));
            let is_task = |task: &str| {
                // An agent puts few words around a task. In a long text the words may be by chance.
                let is_in = |text: &String| {
                    text == task || may_be_part && text.contains(task) && text.len() < 2 * task.len() + AROUND
                };
                task.len() >= TASK && self.texts.iter().any(is_in)
            };
            let is_free = state.origin.agent.sub_agents_of(call.id).next().is_none();
            let (length, call) = (longest(&args, &is_task)?, call.id);
            Some(CallOfTask {
                length,
                is_free,
                call,
            })
        });
        found.max()
    }
}

/// The texts of the user in a conversation without a call; none in another one. Some agents begin with an exchange of their
/// own.
fn texts_before_calls(request: &AgentRequest) -> Vec<String> {
    let mut parts = request.messages.iter().flat_map(|message| &message.parts);
    if parts.any(|part| matches!(part.kind, PartKind::Call { .. } | PartKind::Result { .. })) {
        return Vec::new();
    }
    let users = request
        .messages
        .iter()
        .filter(|message| message.role == Role::User);
    let texts = users.flat_map(|message| message.texts());
    texts
        .filter(|text| !conversation::is_by_agent(text))
        .map(|text| text.trim().to_owned())
        .collect()
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
