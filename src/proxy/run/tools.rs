//! The tools of a conversation: those that its requests offer, and those that the model's server has for it.
//!
//! Must not know: what a tool does.

use std::sync::Arc;

use super::{AgentRun, Pending};
use crate::{conversation, tool};
use overrule_engine::advise::Adviser;
use overrule_engine::handle::Toolbox;
use overrule_model::wire::agent::{AgentRequest, AgentTool};

impl AgentRun {
    /// Tells the engine of tools that the agent did not have before.
    pub(super) async fn offer(self: &Arc<Self>, pending: &Pending) {
        let request = &pending.incoming.request;
        let mut tools = request.tools.clone();
        let before = {
            let mut inner = self.lock();
            if conversation::has_stored_tools(request) {
                // Those that the model called so far are among them.
                let more = inner.tools.iter().flatten();
                let more = more.filter(|tool| !offers(&request.tools, &tool.name));
                tools.extend(more.cloned());
            }
            inner.tools.replace(tools.clone())
        };
        // The first ones are those that the run began with.
        if before.is_some_and(|before| before != tools) {
            self.equip(&tools).await;
        }
    }

    /// Returns true if the agent offers a tool of this name in this conversation.
    pub fn offers(&self, name: &str) -> bool {
        self.lock()
            .tools
            .as_ref()
            .is_some_and(|tools| offers(tools, name))
    }

    /// Returns true if a request offers a tool of this conversation, or if one of them names none. False before its first
    /// request.
    pub fn shares_tools(&self, request: &AgentRequest) -> bool {
        let inner = self.lock();
        let Some(own) = &inner.tools else {
            return false;
        };
        let offered = |name: &str| request.tools.iter().any(|tool| tool.name == name);
        own.is_empty() || request.tools.is_empty() || own.iter().any(|tool| offered(&tool.name))
    }

    async fn equip(self: &Arc<Self>, tools: &[AgentTool]) {
        let Some(attached) = self.attached.get() else {
            return;
        };
        let registry = (attached.fit)(tool::registry(tools, self));
        let cards = Adviser::cards_of(&registry);
        let registry = Arc::new(registry);
        attached.handle.tools(Toolbox { registry, cards }).await;
    }

    /// Tells the engine of a tool that the model called and that no request has: the model's server knows what it is.
    pub async fn meet_tool(self: &Arc<Self>, name: &str) {
        let tools = {
            let mut inner = self.lock();
            let known = inner.tools.get_or_insert_default();
            if offers(known, name) {
                return;
            }
            known.push(AgentTool {
                name: name.to_owned(),
                description: String::new(),
                schema: Some("{}".to_owned()),
                is_providers: false,
                namespace: None,
            });
            known.clone()
        };
        self.equip(&tools).await;
    }
}

fn offers(tools: &[AgentTool], name: &str) -> bool {
    tools.iter().any(|tool| tool.name == name && !tool.is_providers)
}
