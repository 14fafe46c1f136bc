//! A request of an agent, and what it gets for it.
//!
//! Must not know: how a request is taken in, who decides.

use std::sync::Arc;

use hyper::header::HeaderMap;
use hyper::{Method, StatusCode};
use tokio::time::Instant;

use super::AgentRun;
use super::connection::Connection;
use crate::client::Client;
use crate::conversation::Tail;
use crate::events::Form;
use crate::history::History;
use crate::rejection::Rejection;
use crate::response_body::BodyReader;
use overrule_model::wire::Wire;
use overrule_model::wire::agent::AgentRequest;

/// The head of a response.
#[derive(Debug)]
pub struct Head {
    /// Its status.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
}

/// What the agent gets for a request.
pub struct Answer {
    /// Its head.
    pub head: Head,
    /// Its body.
    pub body: BodyReader,
}

/// Keeps a run for the conversation that took it, until the request of that was taken in.
#[derive(Debug)]
pub struct Reservation {
    pub(super) _token: Arc<()>,
}

/// A request of the agent.
pub struct Incoming {
    /// The other conversations: their calls may be in its history.
    pub others: Vec<Arc<AgentRun>>,
    /// Its format.
    pub wire: Wire,
    /// Its method.
    pub method: Method,
    /// Its path and query, without the token.
    pub path: String,
    /// True if it came out of the sandbox of an agent.
    pub is_confined: bool,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub request: Arc<AgentRequest>,
    /// What its history says.
    pub history: Arc<History>,
    /// True where a streamed reply is asked for.
    pub streamed: bool,
    /// What the agent gets of a call that must not run.
    pub rejection: Rejection,
    /// The reply of the model so far, where it was asked already: a call in it must be decided.
    pub begun: Option<reqwest::Response>,
    /// The reservation of the run for it.
    pub reservation: Option<Reservation>,
}

impl Incoming {
    /// Who sends it.
    pub fn client(&self) -> Client {
        Client::of(&self.headers, self.wire).confined(self.is_confined)
    }

    /// How the reply that is asked for is divided.
    pub fn form(&self) -> Form {
        form(self.wire, self.streamed)
    }
}

/// How a reply in a format is divided.
pub fn form(wire: Wire, streamed: bool) -> Form {
    match (streamed, wire.is_lines()) {
        (false, _) => Form::Whole,
        (true, true) => Form::Lines,
        (true, false) => Form::Stream,
    }
}

/// What the model is asked.
pub struct Asked {
    /// The request of the agent.
    pub incoming: Arc<Incoming>,
    /// The reply of the model, where it was asked already.
    pub begun: Option<reqwest::Response>,
    /// True if its run changes nothing of an agent's history.
    pub changes_nothing: bool,
}

/// A request of the agent that has no reply yet.
pub(super) struct Pending {
    pub(super) incoming: Arc<Incoming>,
    pub(super) connection: Connection,
    /// The reply of the model, where it was asked already, until it is asked for.
    pub(super) begun: Option<reqwest::Response>,
    /// Dropped with it, also if the agent gave it up before it was taken in.
    pub(super) _reservation: Option<Reservation>,
    /// True once the run got a command to ask the model, because it would not by itself.
    pub(super) is_nudged: bool,
    /// The question to the model that it became; 0 before.
    pub(super) question: u64,
    /// When the agent gets the next heartbeat.
    pub(super) beat_at: Option<Instant>,
}

impl Pending {
    /// What its history says.
    pub(super) fn history(&self) -> &Arc<History> {
        &self.incoming.history
    }
}

/// What a request adds, and whether it was taken in before.
pub(super) struct New {
    pub(super) tail: Tail,
    pub(super) is_repeated: bool,
    pub(super) rejection: Rejection,
}
