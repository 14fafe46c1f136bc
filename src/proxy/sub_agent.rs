//! Finds the call of an agent that a new conversation works for.
//!
//! Must not know: formats, sessions, how a conversation is decided about.
//!
//! No agent names the call. But all of them give the task of a sub-agent as an argument of the call.

use std::sync::Arc;

use super::client::Client;
use super::placement::Runs;
use super::run::AgentRun;
use super::sub_agent_task::SubAgentTask;
use overrule_domain::agent::{LinkRole, LinkedSession};
use overrule_domain::id::NodeId;
use overrule_model::wire::agent::AgentRequest;

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
pub(super) async fn parent(
    runs: &Runs,
    client: &Client,
    request: &AgentRequest,
    is_marked: bool,
) -> Option<Parent> {
    let task = Arc::new(SubAgentTask::of(request, is_marked));
    let own = || runs.values().filter(|run| run.client() == client);
    let mut best = None;
    for run in own() {
        if let Some(found) = run.call_of(&task).await
            && best.as_ref().is_none_or(|(best, _)| *best <= found)
        {
            best = Some((found, run));
        }
    }
    if let Some((found, run)) = best {
        let (run, call) = (run.clone(), Some(found.call));
        return Some(Parent { run, call });
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
