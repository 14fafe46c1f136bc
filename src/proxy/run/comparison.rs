//! Compares a request with a conversation: whether it belongs there.
//!
//! Must not know: which conversations there are, sockets.

use std::sync::Arc;

use super::state::RunState;
use crate::client::Client;
use crate::conversation::{self, Key};
use crate::history::History;
use overrule_domain::state::Mode;
use overrule_model::wire::agent::{AgentRequest, Role};

/// A request that looks for its conversation.
pub struct Arriving {
    /// Who sends it.
    pub client: Client,
    /// Its key.
    pub key: Key,
    /// True if its agent says that it is of a sub-agent.
    pub is_sub_agent: bool,
    /// What it says.
    pub request: Arc<AgentRequest>,
    /// What its history says.
    history: Arc<History>,
    /// The name of the reply that it continues, where the model's server keeps the history.
    continued: Option<String>,
}

impl Arriving {
    /// Takes a request with its history.
    pub fn new(
        (client, key): (Client, Key),
        is_sub_agent: bool,
        (request, history): (Arc<AgentRequest>, Arc<History>),
    ) -> Self {
        let continued = conversation::continued_reply(&request);
        Self {
            client,
            key,
            is_sub_agent,
            request,
            history,
            continued,
        }
    }
}

/// What a request has in common with a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// True if the model's server named one of the replies as the one that the request continues.
    pub gave_reply: bool,
    /// How many messages of the request the conversation has already; 0 if they differ.
    pub known: usize,
    /// True if the agent makes the request next to the conversation: it waits for a reply to another one, or executes calls
    /// of which the request knows nothing.
    pub is_fork: bool,
    /// True if it is made next to the conversation only as long as the agent waits for a reply there: one that has hung up
    /// would continue with this request.
    pub may_continue: bool,
    /// True if the request offers a tool of the conversation, or if one of them names none. False before its first request.
    pub shares_tools: bool,
    /// The length of the conversation, if the request continues it under a new name.
    pub extended: Option<usize>,
}

impl RunState {
    pub(super) fn compare(&mut self, arriving: &Arriving) -> Comparison {
        let history = &self.history;
        let is_known = arriving.history.continues(&history.messages);
        let gave = |reply: &String| history.replies.contains(reply);
        let (beside_open, beside_calls) = self.forks(&arriving.request, &arriving.history);
        let shares_tools = self.shares_tools(&arriving.request);
        Comparison {
            gave_reply: arriving.continued.as_ref().is_some_and(gave),
            known: if is_known { history.messages.messages() } else { 0 },
            is_fork: beside_open.is_some() || beside_calls,
            may_continue: beside_open.is_some_and(|open| arriving.history.may_replace(open))
                && !beside_calls
                && shares_tools,
            shares_tools,
            extended: self.extended_by(arriving),
        }
    }

    /// Returns the length of this conversation if a history is its own or extends it. Without a reply of the model, the same
    /// words may begin another conversation: they are of this one only while it owes the agent a reply.
    fn extended_by(&mut self, arriving: &Arriving) -> Option<usize> {
        let may_be_renamed = arriving.key.is_named() && arriving.continued.is_none();
        let history = may_be_renamed.then_some(&arriving.history)?;
        let mut messages = arriving.request.messages.iter();
        let has_reply = messages.any(|one| one.role == Role::Assistant);
        self.note_delivered();
        let mut calls = self.with_agent.keys();
        let has_it = calls.any(|call| self.delivered.contains(call));
        let owes_reply = !has_it && !matches!(self.state.mode, Mode::Finished(_));
        let own = &self.history.items;
        let is_own = own.items() > 0 && history.extends(own);
        (is_own && (has_reply || owes_reply)).then(|| own.items())
    }

    /// The history of the request that the agent waits for, if this one is made next to that; and true if it is made next
    /// to the calls that the agent executes.
    fn forks(&self, request: &AgentRequest, history: &History) -> (Option<&History>, bool) {
        let continues = |asked: &History| conversation::continues(asked, history, request);
        let reply = self.reply.as_ref();
        let reply = reply.filter(|reply| reply.is_open() && reply.is_connected());
        let pending = self.pending.as_ref().or(self.asked.as_ref());
        let pending = pending.filter(|pending| !pending.connection.is_closed());
        let open = match (reply, pending) {
            (Some(reply), _) => Some(reply.history()),
            (None, pending) => pending.map(|pending| &**pending.history()),
        };
        let calls = self.with_agent.keys().map(|id| {
            let call = self.state.calls.get(id)?;
            call.provider_id.as_deref()
        });
        // Without ids the two cannot be distinguished.
        let ids: Option<Vec<&str>> = calls.collect();
        let beside_calls = || {
            ids.is_some_and(|ids| !ids.is_empty() && !conversation::has_any(request, &ids))
                && !continues(&self.history.messages)
        };
        match open {
            // While the agent waits, the same request is another one.
            Some(asked) if asked.repeats(history) || !continues(asked) => (Some(asked), beside_calls()),
            Some(_) => (None, false),
            None => (None, beside_calls()),
        }
    }

    fn shares_tools(&self, request: &AgentRequest) -> bool {
        let Some(own) = &self.history.tools else {
            return false;
        };
        let offered = |name: &str| request.tools.iter().any(|tool| tool.name == name);
        own.is_empty() || request.tools.is_empty() || own.iter().any(|tool| offered(&tool.name))
    }
}
