//! Finds the run of a request: that of its conversation, or a new one.
//!
//! Must not know: formats, how a reply is decided.

use std::sync::{Arc, PoisonError};

use super::answers::{Sent, plain, respond, stream};
use super::{HANG_UP, Opening, Server};
use crate::client::Client;
use crate::conversation::Key;
use crate::placement::{Arriving, Place, Runs, continuable, free, of_client, place_of, renamed};
use crate::resumed::Belongs;
use crate::run::{self, AgentRun, Answer};
use crate::sub_agent;
use crate::upstreams::NoUpstream;
use hyper::StatusCode;

/// The conversation of a request, and its opening if it is new.
type Found = (Arc<AgentRun>, Option<Opening>);

impl Server {
    /// Every conversation once.
    pub(super) fn all(&self) -> Vec<Arc<AgentRun>> {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Arc<AgentRun>> = Vec::new();
        for run in runs.values() {
            if !all.iter().any(|known| Arc::ptr_eq(known, run)) {
                all.push(run.clone());
            }
        }
        all
    }

    pub(super) async fn converse(&self, key: Key, is_sub_agent: bool, mut incoming: run::Incoming) -> Sent {
        let client = incoming.client();
        let history = incoming.request.canonical();
        let arriving = Arriving {
            client: &client,
            key: &key,
            is_sub_agent,
            request: &incoming.request,
            history: &history,
        };
        self.note_client(&client);
        let is_fork = {
            let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
            place_of(&runs, arriving).is_fork()
        };
        if is_fork {
            tokio::time::sleep(HANG_UP).await;
        }
        let (run, opening) = match self.run_of(arriving, &incoming) {
            Ok(found) => found,
            Err(error) => return plain(StatusCode::BAD_REQUEST, &error.to_string()),
        };
        if let Some(opening) = opening
            && self.setup.openings.send(opening).await.is_err()
        {
            return plain(StatusCode::SERVICE_UNAVAILABLE, "the supervisor has ended");
        }
        let mut others = self.all();
        others.retain(|other| !Arc::ptr_eq(other, &run));
        incoming.others = others;
        match run.request(incoming).await {
            Some(Answer { head, body }) => respond(head.status, head.headers, stream(body)),
            None => plain(StatusCode::SERVICE_UNAVAILABLE, "the request was withdrawn"),
        }
    }

    /// Notes a program that has a conversation.
    fn note_client(&self, client: &Client) {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if !clients.contains(client) {
            clients.push(client.clone());
        }
    }

    /// The conversation of a request, and its opening if it is new.
    fn run_of(&self, arriving: Arriving<'_>, incoming: &run::Incoming) -> Result<Found, NoUpstream> {
        let Arriving {
            client,
            key,
            is_sub_agent,
            request,
            ..
        } = arriving;
        let upstream = self
            .setup
            .upstreams
            .of_request(Some(incoming.wire), &incoming.headers)?;
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let resumes = self.is_resumed(&runs, arriving);
        let new = match place_of(&runs, arriving) {
            Place::Known(run) if !resumes => {
                if key.is_named() {
                    runs.entry(key.clone()).or_insert_with(|| run.clone());
                }
                return Ok((run, None));
            }
            // Next to those that took the key before.
            Place::Known(_) => free(&runs, key),
            Place::New { key, .. } => key,
        };
        // An agent that names its conversations marks its sub-agents, too.
        let may_be = is_sub_agent || !key.is_named() && !resumes;
        let parent = may_be
            .then(|| sub_agent::parent(&runs, client, request, is_sub_agent))
            .flatten();
        let is_sub_agent = is_sub_agent || parent.is_some();
        let others = if resumes || is_sub_agent {
            Vec::new()
        } else {
            continuable(&runs, arriving)
        };
        if let Some(run) = others.into_iter().find(|run| run.reserve_if_idle()) {
            runs.insert(new, run.clone());
            return Ok((run, None));
        }
        let is_beside = !runs.is_empty() || is_sub_agent;
        let run = (self.setup.begin)(client.clone(), upstream.clone());
        run.set_sub_agent(is_sub_agent);
        runs.insert(new, run.clone());
        self.report_early(&run);
        let opening = Opening {
            run: run.clone(),
            request: request.clone(),
            wire: incoming.wire,
            is_beside,
            resumes,
            parent,
        };
        Ok((run, Some(opening)))
    }

    /// Gives a conversation the requests of its program that came before it.
    fn report_early(&self, run: &Arc<AgentRun>) {
        let early = self.nameless().begin(run);
        let run = run.clone();
        tokio::spawn(async move {
            for one in early {
                run.report_side_request(one).await;
            }
        });
    }

    /// True once, for the conversation of the session that is resumed. A conversation that has a run already is another.
    fn is_resumed(&self, runs: &Runs, arriving: Arriving<'_>) -> bool {
        let mut resumed = self.resumed.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = || {
            let mut own = of_client(runs, arriving.client);
            own.any(|run| run.known(arriving.history) > 0) || renamed(runs, arriving).is_some()
        };
        let belongs = |belongs: &mut Belongs| belongs(arriving.client, arriving.request) && !is_known();
        resumed.take_if(belongs).is_some()
    }
}
