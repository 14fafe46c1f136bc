//! Finds the run of a request: that of its conversation, or a new one.
//!
//! Must not know: formats, how a reply is decided.

use std::sync::{Arc, PoisonError};

use super::answers::{Sent, plain, respond, stream};
use super::{HANG_UP, Lookup, Opening, Server};
use crate::client::Client;
use crate::conversation::Key;
use crate::placement::{Compared, Place, Runs, compared, continuable, free, is_known, place_of};
use crate::resumed::Belongs;
use crate::run::{self, AgentRun, Answer, Arriving, Reservation};
use crate::sub_agent;
use crate::upstreams::NoUpstream;
use hyper::StatusCode;
use tokio::sync::MutexGuard;

/// The conversation of a request.
struct Found {
    run: Arc<AgentRun>,
    /// What is reported if it is new.
    opening: Option<Opening>,
    /// If it continues in a run that another one had.
    reservation: Option<Reservation>,
}

impl Found {
    const fn known(run: Arc<AgentRun>, reservation: Option<Reservation>) -> Self {
        Self {
            run,
            opening: None,
            reservation,
        }
    }
}

impl Server {
    /// Every conversation once.
    pub(super) async fn all(&self) -> Vec<Arc<AgentRun>> {
        let runs = self.runs.lock().await;
        let mut all: Vec<Arc<AgentRun>> = Vec::new();
        for run in runs.values() {
            if !all.iter().any(|known| Arc::ptr_eq(known, run)) {
                all.push(run.clone());
            }
        }
        all
    }

    /// Every conversation but this one.
    pub(super) async fn others(&self, run: &Arc<AgentRun>) -> Vec<Arc<AgentRun>> {
        let mut others = self.all().await;
        others.retain(|other| !Arc::ptr_eq(other, run));
        others
    }

    pub(super) async fn converse(
        &self,
        key: Key,
        is_sub_agent: bool,
        (mut incoming, lookup): (run::Incoming, Lookup),
    ) -> Sent {
        let client = incoming.client();
        self.note_client(&client);
        let request = (incoming.request.clone(), incoming.history.clone());
        let arriving = Arc::new(Arriving::new((client, key), is_sub_agent, request));
        let Found {
            run,
            opening,
            reservation,
        } = match self.run_of(&arriving, &incoming).await {
            Ok(found) => found,
            Err(error) => return plain(StatusCode::BAD_REQUEST, &error.to_string()),
        };
        incoming.reservation = reservation;
        if let Some(opening) = opening
            && self.setup.openings.send(opening).await.is_err()
        {
            return plain(StatusCode::SERVICE_UNAVAILABLE, "the supervisor has ended");
        }
        incoming.others = self.others(&run).await;
        // Its session was begun meanwhile.
        lookup.wait().await;
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
    async fn run_of(&self, arriving: &Arc<Arriving>, incoming: &run::Incoming) -> Result<Found, NoUpstream> {
        let Arriving {
            client,
            key,
            is_sub_agent,
            request,
            ..
        } = &**arriving;
        let upstream = self
            .setup
            .upstreams
            .of_request(Some(incoming.wire), &incoming.headers)?;
        let (mut runs, compared) = self.placed(arriving).await;
        let resumes = self.is_resumed(&compared, arriving);
        let new = match place_of(&compared, arriving) {
            Place::Known(run) if !resumes => {
                if key.is_named() {
                    runs.entry(key.clone()).or_insert_with(|| run.clone());
                }
                return Ok(Found::known(run, None));
            }
            // Next to those that took the key before.
            Place::Known(_) => free(&runs, key),
            Place::New { key, .. } => key,
        };
        // An agent that names its conversations marks its sub-agents, too.
        let may_be = *is_sub_agent || !key.is_named() && !resumes;
        let parent = if may_be {
            sub_agent::parent(&runs, client, request, *is_sub_agent).await
        } else {
            None
        };
        let is_sub_agent = *is_sub_agent || parent.is_some();
        if !resumes && !is_sub_agent {
            for run in continuable(&compared, arriving) {
                if let Some(reservation) = run.reserve_if_idle().await {
                    runs.insert(new, run.clone());
                    return Ok(Found::known(run, Some(reservation)));
                }
            }
        }
        let is_beside = !runs.is_empty() || is_sub_agent;
        let run = (self.setup.begin)(client.clone(), upstream.clone(), is_sub_agent);
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
        Ok(Found {
            run,
            opening: Some(opening),
            reservation: None,
        })
    }

    /// Compares a request with all conversations. They are locked from then on: no other request takes the same place. Where the
    /// agent may have hung up on the request before, this is waited for first.
    async fn placed(&self, arriving: &Arc<Arriving>) -> (MutexGuard<'_, Runs>, Compared) {
        let runs = self.runs.lock().await;
        let first = compared(&runs, arriving).await;
        let Place::New {
            unless_hung_up: Some(run),
            ..
        } = place_of(&first, arriving)
        else {
            return (runs, first);
        };
        drop(runs);
        // Where it has not, its time is over.
        let _ = tokio::time::timeout(HANG_UP, run.continues_with(arriving)).await;
        let runs = self.runs.lock().await;
        let again = compared(&runs, arriving).await;
        (runs, again)
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
    fn is_resumed(&self, runs: &Compared, arriving: &Arriving) -> bool {
        let mut resumed = self.resumed.lock().unwrap_or_else(PoisonError::into_inner);
        let belongs =
            |belongs: &mut Belongs| belongs(&arriving.client, &arriving.request) && !is_known(runs, arriving);
        resumed.take_if(belongs).is_some()
    }
}
