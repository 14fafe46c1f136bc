//! Finds the conversation of a request among those of the agent.
//!
//! Must not know: sockets, how a conversation begins, sessions.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::client::Client;
use super::conversation::{self, Key};
use super::history::History;
use super::run::AgentRun;
use overrule_model::wire::agent::{AgentRequest, Role};

/// The conversations by key. Several keys may lead to one.
pub type Runs = BTreeMap<Key, Arc<AgentRun>>;

/// Where a request belongs.
pub enum Place {
    /// In this conversation.
    Known(Arc<AgentRun>),
    /// In a new one.
    New {
        /// Its key.
        key: Key,
        /// True if the agent asks next to a conversation that continues.
        is_fork: bool,
    },
}

impl Place {
    /// True for a request next to a conversation that continues.
    pub const fn is_fork(&self) -> bool {
        matches!(self, Self::New { is_fork: true, .. })
    }
}

/// A request that looks for its conversation.
#[derive(Clone, Copy)]
pub struct Arriving<'r> {
    /// Who sends it.
    pub client: &'r Client,
    /// Its key.
    pub key: &'r Key,
    /// True if its agent says that it is of a sub-agent.
    pub is_sub_agent: bool,
    /// What it says.
    pub request: &'r AgentRequest,
    /// Its messages in one spelling.
    pub history: &'r [String],
}

/// The conversations that may be of one program in one format. A request of it belongs to no other.
pub fn of_client<'r>(runs: &'r Runs, client: &Client) -> impl Iterator<Item = &'r Arc<AgentRun>> {
    runs.values().filter(move |run| run.client().may_share(client))
}

/// Where a request belongs: of the conversations of its program and key, the one that knows most of it, unless that one waits
/// for something else. A new key may be a new name of a conversation.
pub fn place_of(runs: &Runs, arriving: Arriving<'_>) -> Place {
    let Arriving {
        client,
        key,
        is_sub_agent,
        request,
        history,
    } = arriving;
    let continued = conversation::continued_reply(request);
    let gave = |reply: String| of_client(runs, client).find(|run| run.gave(&reply));
    if let Some(run) = continued.and_then(gave) {
        return Place::Known(run.clone());
    }
    let forks = forks(runs, key).filter(|run| run.client().may_share(client));
    let forks: Vec<&Arc<AgentRun>> = forks.collect();
    // Of equal ones the first.
    let nearest = forks.iter().rev().max_by_key(|run| run.known(history)).copied();
    let nearest = nearest.or_else(|| renamed(runs, arriving).filter(|_| !is_sub_agent));
    match nearest {
        Some(run) if !run.is_fork(request, history) => Place::Known(run.clone()),
        nearest => Place::New {
            key: free(runs, key),
            is_fork: nearest.is_some(),
        },
    }
}

/// The runs that a new conversation may continue, if no request waits there. One with a name has a run of its own, unless
/// another one of that name is idle; one without a name must have a tool of the run.
pub fn continuable(runs: &Runs, arriving: Arriving<'_>) -> Vec<Arc<AgentRun>> {
    let Arriving {
        client, key, request, ..
    } = arriving;
    let main = |run: &&Arc<AgentRun>| run.client() == client && !run.is_sub_agent();
    if key.is_named() {
        return forks(runs, key).filter(main).cloned().collect();
    }
    let all = runs.values().filter(main);
    all.filter(|run| run.shares_tools(request)).cloned().collect()
}

/// The conversation that an agent continues under a new name: of those whose history the request has, the longest one.
pub fn renamed<'r>(runs: &'r Runs, arriving: Arriving<'_>) -> Option<&'r Arc<AgentRun>> {
    let (client, key, request) = (arriving.client, arriving.key, arriving.request);
    if !key.is_named() || conversation::continued_reply(request).is_some() {
        return None;
    }
    let history = History::of(request);
    let has_reply = request.messages.iter().any(|one| one.role == Role::Assistant);
    let main = of_client(runs, client).filter(|run| !run.is_sub_agent());
    let extended = main.filter_map(|run| Some((run.extended_by(&history, has_reply)?, run)));
    extended.max_by_key(|(length, _)| *length).map(|(_, run)| run)
}

/// The conversations of a key.
pub fn forks<'r>(runs: &'r Runs, key: &Key) -> impl Iterator<Item = &'r Arc<AgentRun>> {
    (0..).map_while(move |number| runs.get(&key.fork(number)))
}

/// A key of the same name that no conversation has.
pub fn free(runs: &Runs, key: &Key) -> Key {
    key.fork(forks(runs, key).count())
}
