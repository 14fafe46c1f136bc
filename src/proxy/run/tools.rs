//! The tools of a conversation: those that its requests offer, and those that the model's server has for it.
//!
//! Must not know: what a tool does.

use std::sync::Arc;

use super::state::RunState;
use super::{AgentRun, Attached};
use crate::{conversation, tool};
use overrule_engine::advise::Adviser;
use overrule_engine::handle::Toolbox;
use overrule_model::wire::agent::{AgentRequest, AgentTool};

impl Attached {
    /// The tools of an agent with what the settings say of them.
    pub(super) fn toolbox(&self, tools: &[AgentTool], run: &Arc<AgentRun>) -> Toolbox {
        let registry = (self.fit)(tool::registry(tools, run));
        let cards = Adviser::cards_of(&registry);
        let registry = Arc::new(registry);
        Toolbox { registry, cards }
    }
}

impl RunState {
    /// Takes the tools of a request. Returns all of them if they differ from those before.
    pub(super) fn offer(&mut self, request: &AgentRequest) -> Option<Vec<AgentTool>> {
        if self.history.tools.as_ref() == Some(&request.tools) {
            return None;
        }
        let mut tools = request.tools.clone();
        if conversation::has_stored_tools(request) {
            // Those that the model called so far are among them.
            let more = self.history.tools.iter().flatten();
            let more = more.filter(|tool| !offers(&request.tools, &tool.name));
            tools.extend(more.cloned());
        }
        let before = self.history.tools.replace(tools.clone());
        // The first ones are those that the run began with.
        before.is_some_and(|before| before != tools).then_some(tools)
    }

    /// True if the agent offers a tool of this name.
    pub(super) fn offers(&self, name: &str) -> bool {
        self.history
            .tools
            .as_ref()
            .is_some_and(|tools| offers(tools, name))
    }

    /// Takes a tool that the model called. Returns all tools if none was of this name.
    pub(super) fn meet_tool(&mut self, name: String) -> Option<Vec<AgentTool>> {
        let known = self.history.tools.get_or_insert_default();
        if offers(known, &name) {
            return None;
        }
        known.push(AgentTool {
            name,
            description: String::new(),
            schema: Some("{}".to_owned()),
            is_providers: false,
            namespace: None,
        });
        Some(known.clone())
    }
}

fn offers(tools: &[AgentTool], name: &str) -> bool {
    tools.iter().any(|tool| tool.name == name && !tool.is_providers)
}
