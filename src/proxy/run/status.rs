//! What the agent of a conversation does, as its connections show it.
//!
//! Must not know: formats, who shows it.

use std::sync::Arc;

use tokio::sync::watch;

use super::{AgentRun, Inner};
use overrule_domain::live::AgentStatus;

impl Inner {
    fn status(&self) -> AgentStatus {
        let waiting = self.pending.as_ref().or(self.asked.as_ref());
        let waiting = waiting.map(|one| !one.connection.is_closed());
        let reply = self.reply.as_ref().filter(|reply| reply.is_open());
        match waiting.or(reply.map(super::reply::Reply::is_connected)) {
            _ if self.has_agent_ended => AgentStatus::Ended,
            Some(true) if self.is_interrupted => AgentStatus::Interrupted,
            Some(true) => AgentStatus::Connected,
            Some(false) => AgentStatus::HungUp,
            None if !self.with_agent.is_empty() => AgentStatus::Works,
            None => AgentStatus::WaitsForUser,
        }
    }
}

impl AgentRun {
    /// Follows what the agent does.
    pub fn status(&self) -> watch::Receiver<AgentStatus> {
        self.status.subscribe()
    }

    /// The process of the agent ended. A request shows that there is another one.
    pub fn note_agent_ended(&self) {
        self.lock().has_agent_ended = true;
        self.changed.notify_waiters();
    }

    /// Keeps the status until the run has ended.
    pub(super) async fn keep_status(self: Arc<Self>) {
        loop {
            let changed = self.changed.notified();
            let mut changed = std::pin::pin!(changed);
            // Registered before the look, so that no change is missed.
            changed.as_mut().enable();
            let (status, has_ended) = {
                let inner = self.lock();
                (inner.status(), inner.has_ended)
            };
            self.status
                .send_if_modified(|now| std::mem::replace(now, status) != status);
            if has_ended {
                return;
            }
            changed.await;
        }
    }
}
