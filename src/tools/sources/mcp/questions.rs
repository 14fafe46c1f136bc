//! Questions of a server to the operator while a call runs.
//!
//! Must not know: the transport, how the operator is asked, what a question says.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::form::{Answer, Form};
use super::redaction::Redaction;
use crate::tool::AskOperator;
use overrule_domain::id::NodeId;

/// How often a question is repeated if its answer does not fit.
const ROUNDS: usize = 3;
/// The most questions of one execution.
const MOST: usize = 10;

/// The running calls of a server, and how many questions are open.
pub(super) struct Questions {
    server: Arc<str>,
    redaction: Arc<Redaction>,
    running: Mutex<Running>,
    open: watch::Sender<usize>,
}

#[derive(Default)]
struct Running {
    begun: usize,
    /// Oldest first.
    calls: Vec<RunningCall>,
}

/// An execution that may ask.
#[derive(Clone)]
struct RunningCall {
    no: usize,
    call: NodeId,
    ask: AskOperator,
    asked: usize,
    is_asking: bool,
}

impl RunningCall {
    const fn may_ask(&self) -> bool {
        !self.is_asking && self.asked < MOST
    }
}

/// The right of an execution to ask. Dropping it ends the right.
pub(super) struct MayAsk<'q> {
    questions: &'q Questions,
    no: usize,
}

impl MayAsk<'_> {
    /// Asks the operator for this call. The error says why nobody is asked.
    pub(super) async fn ask(
        &self,
        request: &ElicitRequestParams,
        withdrawn: &CancellationToken,
    ) -> Result<ElicitResult, String> {
        let (open, _) = self.questions.take(Some(self.no))?;
        let answer = self.questions.put(&open, request, withdrawn, None).await?;
        Ok(answer.unwrap_or_else(declined))
    }
}

impl Drop for MayAsk<'_> {
    fn drop(&mut self) {
        self.questions.running().calls.retain(|one| one.no != self.no);
    }
}

/// An open question of an execution.
struct Open<'q> {
    questions: &'q Questions,
    no: usize,
    ask: AskOperator,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let mut running = self.questions.running();
        if let Some(call) = running.calls.iter_mut().find(|one| one.no == self.no) {
            call.is_asking = false;
        }
        self.questions.open.send_modify(|open| *open -= 1);
    }
}

fn declined() -> ElicitResult {
    ElicitResult::new(ElicitationAction::Decline)
}

impl Questions {
    pub(super) fn new(server: &str, redaction: Arc<Redaction>) -> Self {
        Self {
            server: server.into(),
            redaction,
            running: Mutex::default(),
            open: watch::Sender::new(0),
        }
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets an execution of a call ask while it runs.
    pub(super) fn begin(&self, call: NodeId, ask: AskOperator) -> MayAsk<'_> {
        let mut running = self.running();
        running.begun += 1;
        let no = running.begun;
        running.calls.push(RunningCall {
            no,
            call,
            ask,
            asked: 0,
            is_asking: false,
        });
        MayAsk { questions: self, no }
    }

    /// Waits for the time limit of a call. The time in which a question is open does not count.
    pub(super) async fn limit(&self, limit: Duration) {
        let (mut open, mut left) = (self.open.subscribe(), limit);
        loop {
            // The sender lives as long as this.
            let _ = open.wait_for(|open| *open == 0).await;
            let began = Instant::now();
            tokio::select! {
                () = tokio::time::sleep(left) => return,
                _ = open.wait_for(|open| *open > 0) => left = left.saturating_sub(began.elapsed()),
            }
        }
    }

    /// Begins a question of an execution: of this one, or of the newest that may ask. Returns the running calls, too.
    fn take(&self, no: Option<usize>) -> Result<(Open<'_>, Vec<NodeId>), String> {
        let mut running = self.running();
        let calls = running.calls.iter().map(|one| one.call).collect();
        let is_meant = |one: &&mut RunningCall| no.is_none_or(|no| one.no == no);
        let mut meant = running.calls.iter_mut().filter(is_meant).rev().peekable();
        if meant.peek().is_none() {
            return Err("it asks for input although no call runs".to_owned());
        }
        let Some(call) = meant.find(|one| one.may_ask()) else {
            return Err(format!(
                "it asks for input while a question of its call is open, or more than {MOST} times in one call"
            ));
        };
        call.is_asking = true;
        call.asked += 1;
        let (no, ask) = (call.no, Arc::clone(&call.ask));
        self.open.send_modify(|open| *open += 1);
        let open = Open {
            questions: self,
            no,
            ask,
        };
        Ok((open, calls))
    }

    /// Asks the operator where the protocol does not say which call asks: for the newest that may. If that ends while
    /// others run, it is asked for another of them. The error says why nobody is asked.
    pub(super) async fn ask(
        &self,
        request: &ElicitRequestParams,
        withdrawn: &CancellationToken,
    ) -> Result<ElicitResult, String> {
        loop {
            let (open, calls) = self.take(None)?;
            let names: Vec<String> = calls.iter().map(ToString::to_string).collect();
            let note = format!(
                "It runs {} and does not say which of them asks.",
                names.join(", ")
            );
            let note = (calls.len() > 1).then_some(&*note);
            if let Some(answer) = self.put(&open, request, withdrawn, note).await? {
                return Ok(answer);
            }
            let has_ended = {
                let running = self.running();
                running.calls.iter().all(|one| one.no != open.no) && !running.calls.is_empty()
            };
            if withdrawn.is_cancelled() || !has_ended {
                return Ok(declined());
            }
        }
    }

    /// Puts a question to the operator until the answer fits. Without an answer there is no result.
    async fn put(
        &self,
        open: &Open<'_>,
        request: &ElicitRequestParams,
        withdrawn: &CancellationToken,
        note: Option<&str>,
    ) -> Result<Option<ElicitResult>, String> {
        let Some(form) = Form::of(request) else {
            return Err("it asks for input in a way that is not known".to_owned());
        };
        let mut why: Option<String> = None;
        for _ in 0..ROUNDS {
            let fault = why.take().map(|why| format!("Your answer does not fit: {why}"));
            let notes: Vec<&str> = note.into_iter().chain(fault.as_deref()).collect();
            let args = form.question(&self.server, &self.redaction, &notes)?;
            let answer = (open.ask)(Arc::clone(&self.server), args.into(), withdrawn.clone()).await;
            let Some(answer) = answer else {
                return Ok(None);
            };
            match form.answer(&answer) {
                Ok(Answer::Decline) => return Ok(Some(declined())),
                Ok(Answer::Accept(content)) => {
                    let accepted = ElicitResult::new(ElicitationAction::Accept);
                    return Ok(Some(match content {
                        Some(content) => accepted.with_content(content),
                        None => accepted,
                    }));
                }
                Err(fault) => why = Some(fault),
            }
        }
        Ok(Some(declined()))
    }
}

#[cfg(test)]
mod tests;
