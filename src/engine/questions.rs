//! The open questions of servers: each waits for the operator's answer.
//!
//! Must not know: what is asked, how it is decided.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::handle::{Handle, Message};
use overrule_domain::id::{Attempt, NodeId};
use overrule_domain::input::Input;
use overrule_domain::server_question::QuestionId;
use overrule_tools::AskOperator;

type Answer = oneshot::Sender<Option<Arc<str>>>;

/// The open questions.
#[derive(Debug, Default, Clone)]
pub struct Questions(Arc<Mutex<BTreeMap<QuestionId, Answer>>>);

impl Questions {
    fn open(&self) -> MutexGuard<'_, BTreeMap<QuestionId, Answer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The way in which an execution asks.
    pub fn of(&self, (call, attempt): (NodeId, Attempt), inbox: Handle) -> AskOperator {
        let (questions, count) = (self.clone(), AtomicU32::new(0));
        Arc::new(move |server, args, withdrawn| {
            let no = count.fetch_add(1, Ordering::Relaxed).saturating_add(1);
            let question = QuestionId { call, attempt, no };
            let (answer, answered) = oneshot::channel();
            questions.open().insert(question, answer);
            let (questions, inbox) = (questions.clone(), inbox.clone());
            Box::pin(async move {
                let asked = Input::ServerAsked {
                    question,
                    server,
                    args,
                };
                inbox.send(Message::Input(asked)).await;
                tokio::select! {
                    biased;
                    // An error means that the execution or the run has ended.
                    answer = answered => answer.ok().flatten(),
                    () = withdrawn.cancelled() => {
                        questions.open().remove(&question);
                        inbox.send(Message::Input(Input::ServerWithdrew { question })).await;
                        None
                    }
                }
            })
        })
    }

    /// Answers a question. Does nothing if it is not open.
    pub fn reply(&self, question: QuestionId, answer: Option<Arc<str>>) {
        if let Some(waits) = self.open().remove(&question) {
            // Its execution may have ended.
            waits.send(answer).unwrap_or_default();
        }
    }

    /// Drops the questions of an execution that ended.
    pub fn end(&self, (call, attempt): (NodeId, Attempt)) {
        self.open()
            .retain(|question, _| (question.call, question.attempt) != (call, attempt));
    }
}
