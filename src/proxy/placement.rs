//! Finds the conversation of a request among those of the agent.
//!
//! Must not know: sockets, how a conversation begins, sessions.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::client::Client;
use super::conversation::Key;
use super::run::{AgentRun, Arriving, Comparison};

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
        /// The conversation that continues with the request if the agent has hung up there.
        unless_hung_up: Option<Arc<AgentRun>>,
    },
}

/// The conversations by key, each with what a request has in common with it: nothing if they are of different programs.
pub type Compared = BTreeMap<Key, (Arc<AgentRun>, Comparison)>;

/// Compares a request with all conversations.
pub async fn compared(runs: &Runs, arriving: &Arc<Arriving>) -> Compared {
    let mut compared = Compared::new();
    for (key, run) in runs {
        let comparison = if run.client().may_share(&arriving.client) {
            run.compare(arriving).await
        } else {
            Comparison::default()
        };
        compared.insert(key.clone(), (run.clone(), comparison));
    }
    compared
}

/// The conversations that may be of one program in one format. A request of it belongs to no other.
fn of_client<'r>(
    runs: &'r Compared,
    client: &Client,
) -> impl Iterator<Item = &'r (Arc<AgentRun>, Comparison)> {
    runs.values()
        .filter(move |(run, _)| run.client().may_share(client))
}

/// Where a request belongs: of the conversations of its program and key, the one that knows most of it, unless that one waits
/// for something else. A new key may be a new name of a conversation.
pub fn place_of(runs: &Compared, arriving: &Arriving) -> Place {
    let Arriving { client, key, .. } = arriving;
    if let Some((run, _)) = of_client(runs, client).find(|(_, one)| one.gave_reply) {
        return Place::Known(run.clone());
    }
    let forks = forks(runs, key).filter(|(run, _)| run.client().may_share(client));
    let forks: Vec<&(Arc<AgentRun>, Comparison)> = forks.collect();
    // Of equal ones the first.
    let nearest = forks.iter().rev().max_by_key(|(_, one)| one.known).copied();
    let nearest = nearest.or_else(|| renamed(runs, arriving).filter(|_| !arriving.is_sub_agent));
    match nearest {
        Some((run, one)) if !one.is_fork => Place::Known(run.clone()),
        nearest => Place::New {
            key: free(runs, key),
            unless_hung_up: nearest
                .filter(|(_, one)| one.may_continue)
                .map(|(run, _)| run.clone()),
        },
    }
}

/// The runs that a new conversation may continue, if no request waits there. One with a name has a run of its own, unless
/// another one of that name is idle; one without a name must have a tool of the run.
pub fn continuable(runs: &Compared, arriving: &Arriving) -> Vec<Arc<AgentRun>> {
    let main = |run: &AgentRun| run.client() == &arriving.client && !run.is_sub_agent();
    let all: Vec<&(Arc<AgentRun>, Comparison)> = if arriving.key.is_named() {
        forks(runs, &arriving.key).collect()
    } else {
        runs.values().filter(|(_, one)| one.shares_tools).collect()
    };
    let all = all.into_iter().filter(|(run, _)| main(run));
    all.map(|(run, _)| run.clone()).collect()
}

/// The conversation that an agent continues under a new name: of those whose history the request has, the longest one.
fn renamed<'r>(runs: &'r Compared, arriving: &Arriving) -> Option<&'r (Arc<AgentRun>, Comparison)> {
    let main = of_client(runs, &arriving.client).filter(|(run, _)| !run.is_sub_agent());
    let extended = main.filter(|(_, one)| one.extended.is_some());
    extended.max_by_key(|(_, one)| one.extended)
}

/// True if a conversation of its program has a part of a request already.
pub fn is_known(runs: &Compared, arriving: &Arriving) -> bool {
    let mut own = of_client(runs, &arriving.client);
    own.any(|(_, one)| one.known > 0) || renamed(runs, arriving).is_some()
}

/// The conversations of a key.
pub fn forks<'r, T>(runs: &'r BTreeMap<Key, T>, key: &Key) -> impl Iterator<Item = &'r T> {
    (0..).map_while(move |number| runs.get(&key.fork(number)))
}

/// A key of the same name that no conversation has.
pub fn free<T>(runs: &BTreeMap<Key, T>, key: &Key) -> Key {
    key.fork(forks(runs, key).count())
}
