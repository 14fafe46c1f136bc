//! Builds the views of sessions: a row of the list, one in detail, the result of a check.
//!
//! Must not know: where sessions are stored, how a journal is read.

use serde::Serialize;

use super::{mode, rule};
use overrule_domain::state::State;

/// A session of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionView<'a> {
    /// Its id.
    pub session: &'a str,
    /// UTC time of its first event in milliseconds since 1970.
    pub started: Option<i64>,
    /// Its state, in a word.
    pub state: &'static str,
    /// Why it cannot be read, or not to its end.
    pub problem: Option<&'a str>,
    /// Number of its events.
    pub events: u64,
    /// The model that it was started with.
    pub model: Option<&'a str>,
    /// The directory that its tools work in.
    pub workspace: Option<&'a str>,
    /// Its name, or the beginning of the first prompt.
    pub name: Option<&'a str>,
    /// Size of its journal in bytes.
    pub bytes: u64,
    /// What it is a fork of.
    pub fork_of: Option<ForkPointView<'a>>,
    /// The session of the agent that began this sub-agent.
    pub sub_agent_of: Option<&'a str>,
}

/// The point in another session that a fork starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ForkPointView<'a> {
    /// The other session.
    pub session: &'a str,
    /// The last of its events that was copied.
    pub at: u64,
}

/// A session in detail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionDetailView<'a> {
    /// What it is a fork of, oldest first: a fork of a fork has two.
    pub fork_of: Vec<ForkPointView<'a>>,
    /// The session of the agent that began this sub-agent.
    pub sub_agent_of: Option<&'a str>,
    /// The sessions of its sub-agents, in the order in which they began.
    pub sub_agents: Vec<&'a str>,
    /// Its id.
    pub session: &'a str,
    /// What it was started with.
    #[serde(flatten)]
    pub start: SessionStartView<'a>,
    /// The extent of its journal.
    #[serde(flatten)]
    pub journal: JournalView,
    /// The state of the run, as a short text.
    pub state: String,
    /// Why only reading calls start; none if all do.
    pub restricted: Option<&'a str>,
    /// What it did and used.
    #[serde(flatten)]
    pub counts: SessionCountsView,
    /// Its rules, a line each.
    pub rules: Vec<String>,
}

/// What a session was started with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SessionStartView<'a> {
    /// Its name.
    pub name: Option<&'a str>,
    /// The model.
    pub model: Option<&'a str>,
    /// The directory that its tools work in.
    pub workspace: Option<&'a str>,
    /// The policy preset in force.
    pub policy: &'a str,
}

/// The extent of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct JournalView {
    /// UTC time of the first event in milliseconds since 1970.
    pub started: Option<i64>,
    /// UTC time of the last event in milliseconds since 1970.
    pub last_event: Option<i64>,
    /// Number of intact events.
    pub events: usize,
    /// The remains of an unfinished write, described.
    pub torn: Option<String>,
    /// The damage, described.
    pub damaged: Option<String>,
}

/// What a session did and used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionCountsView {
    /// Requests to the model.
    pub requests: u32,
    /// Tokens sent; none if no request reported them.
    pub tokens_in: Option<u64>,
    /// Tokens of these that the provider had cached; none if no request reported them.
    pub tokens_cached: Option<u64>,
    /// Tokens of these that went into the provider's cache for five minutes; none if no request reported them.
    pub tokens_cache_write: Option<u64>,
    /// Tokens of these that went into the provider's cache for an hour; none if no request reported them.
    pub tokens_cache_write_1h: Option<u64>,
    /// True if the program estimated tokens that the provider did not report.
    pub tokens_estimated: bool,
    /// Tokens received; none if no request reported them.
    pub tokens_out: Option<u64>,
    /// What the requests cost, with the currency; none without a price.
    pub cost: Option<String>,
    /// Calls.
    pub calls: usize,
    /// Executions.
    pub executions: usize,
    /// Edits.
    pub edits: usize,
    /// Calls that wait for a decision.
    pub waiting: usize,
}

impl<'a> SessionDetailView<'a> {
    /// Builds the view of a session from its state and the extent of its journal.
    pub fn of(session: &'a str, state: &'a State, journal: JournalView) -> Self {
        let started = state.started.as_deref();
        let forks = state.origin.forks.iter().map(|fork| ForkPointView {
            session: &fork.session,
            at: fork.at.0,
        });
        Self {
            fork_of: forks.collect(),
            sub_agent_of: state.origin.agent.begun_by().map(|link| &*link.session),
            sub_agents: state
                .origin
                .agent
                .sub_agents()
                .map(|link| &*link.session)
                .collect(),
            session,
            start: SessionStartView {
                name: state.settings.title.as_deref(),
                model: started.map(|started| &*started.model),
                workspace: started.map(|started| &*started.workspace),
                policy: &state.settings.policy,
            },
            journal,
            state: mode(state),
            restricted: state.settings.restricted.as_deref(),
            counts: SessionCountsView {
                requests: state.tally.requests,
                tokens_in: state.tally.usage.input,
                tokens_cached: state.tally.usage.cached,
                tokens_cache_write: state.tally.usage.cache_write,
                tokens_cache_write_1h: state.tally.usage.cache_write_1h,
                tokens_estimated: state.tally.usage.is_estimated,
                tokens_out: state.tally.usage.output,
                cost: state.tally.spent.describe(),
                calls: state.calls.len(),
                executions: state.ledger.len(),
                edits: state.operator.edits.len(),
                waiting: state.queue().count(),
            },
            rules: rule::lines(state),
        }
    }
}

/// The result of a check of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerifyView<'a> {
    /// The session.
    pub session: &'a str,
    /// Number of intact records from the first on.
    pub records: u64,
    /// Link of the last of them, in hexadecimal digits.
    pub chain: String,
    /// The remains of an unfinished write, described.
    pub torn: Option<String>,
    /// The damage, described.
    pub damaged: Option<String>,
    /// True if nothing is damaged or torn.
    pub whole: bool,
}

/// A deleted session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DeletedView<'a> {
    /// Its id.
    pub deleted: &'a str,
}

/// The directory of the sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PathView<'a> {
    /// Its path.
    pub path: &'a str,
}
