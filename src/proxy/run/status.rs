//! What the agent of a conversation does, as its connections show it.
//!
//! Must not know: formats, who shows it.

use super::reply::Reply;
use super::state::RunState;
use overrule_domain::live::AgentStatus;

impl RunState {
    pub(super) fn status(&self) -> AgentStatus {
        let waiting = self.pending.as_ref().or(self.asked.as_ref());
        let waiting = waiting.map(|one| !one.connection.is_closed());
        let reply = self.reply.as_ref().filter(|reply| reply.is_open());
        match waiting.or(reply.map(Reply::is_connected)) {
            _ if self.has_agent_ended => AgentStatus::Ended,
            Some(true) if self.is_interrupted => AgentStatus::Interrupted,
            Some(true) => AgentStatus::Connected,
            Some(false) => AgentStatus::HungUp,
            None if !self.with_agent.is_empty() => AgentStatus::Works,
            None => AgentStatus::WaitsForUser,
        }
    }
}
