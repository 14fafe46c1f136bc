//! Finds the conversation of a request among those of the agent.
//!
//! Must not know: sockets, how a conversation begins, sessions.

use std::collections::BTreeMap;
use std::sync::Arc;

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

/// Where a request belongs: of the conversations of its key, the one that knows most of it, unless that one waits for
/// something else. A new key may be a new name of a conversation.
pub fn place_of(
    runs: &Runs,
    key: &Key,
    is_sub_agent: bool,
    request: &AgentRequest,
    history: &[String],
) -> Place {
    let continued = conversation::continued_reply(request);
    if let Some(run) = continued.and_then(|reply| runs.values().find(|run| run.gave(&reply))) {
        return Place::Known(run.clone());
    }
    let forks: Vec<&Arc<AgentRun>> = forks(runs, key).collect();
    // Of equal ones the first.
    let nearest = forks.iter().rev().max_by_key(|run| run.known(history)).copied();
    let nearest = nearest.or_else(|| renamed(runs, key, request).filter(|_| !is_sub_agent));
    match nearest {
        Some(run) if !run.is_fork(request, history) => Place::Known(run.clone()),
        nearest => Place::New {
            key: free(runs, key),
            is_fork: nearest.is_some(),
        },
    }
}

/// The conversation that an agent continues under a new name: of those whose history the request has, the longest one.
pub fn renamed<'r>(runs: &'r Runs, key: &Key, request: &AgentRequest) -> Option<&'r Arc<AgentRun>> {
    if !key.is_named() || conversation::continued_reply(request).is_some() {
        return None;
    }
    let history = History::of(request);
    let has_reply = request.messages.iter().any(|one| one.role == Role::Assistant);
    let main = runs.values().filter(|run| !run.is_sub_agent());
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
