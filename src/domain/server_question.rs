//! Questions of a tool's server to the operator while a call of it runs.
//!
//! Must not know: protocols, how the operator is asked.
//!
//! Such a question is a call of the tool that asks the operator. It has a turn of its own, which no model is shown. Its
//! result is the answer for the server.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::advice::Advice;
use super::call::{Call, Decision, Outcome, Status};
use super::draft::Draft;
use super::effect::Effect;
use super::envelope::Envelope;
use super::event::{CallEvent, Event, TurnEvent};
use super::id::{Attempt, NodeId, NodeKind};
use super::node::{Node, Origin};
use super::state::{Mode, State};
use super::tags;
use super::turn::Producer;

/// The rule that ends a question whose call ended.
const RULE: &str = "server question";

/// What a question belongs to: an execution, and its number in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct QuestionId {
    /// The call.
    pub call: NodeId,
    /// The execution.
    pub attempt: Attempt,
    /// From 1.
    pub no: u32,
}

impl fmt::Display for QuestionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.call, self.attempt.0, self.no)
    }
}

impl FromStr for QuestionId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.split('/');
        let mut next = || parts.next().ok_or(());
        let call = next()?.parse().map_err(|_| ())?;
        let attempt = Attempt(next()?.parse().map_err(|_| ())?);
        let no = next()?.parse().map_err(|_| ())?;
        Ok(Self { call, attempt, no })
    }
}

/// Returns the question that a call stands for; none for a call of the model or the operator.
pub fn of(state: &State, call: &Call) -> Option<QuestionId> {
    let turn = state.turn_of(call.id)?;
    if turn.producer != Producer::Server {
        return None;
    }
    call.provider_id.as_deref()?.parse().ok()
}

/// True while the execution that asks is under way.
fn is_open(state: &State, question: QuestionId) -> bool {
    let call = state.calls.get(&question.call);
    let is_active = state.nodes.get(&question.call).is_some_and(|node| node.active);
    is_active && call.is_some_and(|call| call.status == Status::Running(question.attempt))
}

/// True if the question was put to the operator.
pub fn is_asked(state: &State, question: QuestionId) -> bool {
    let name = question.to_string();
    let mut questions = state.calls.values().rev();
    questions.any(|call| call.provider_id.as_deref() == Some(&*name) && of(state, call).is_some())
}

/// Puts a question to the operator, if its execution is under way and the run has a tool for that. `args` is the text of
/// that tool's arguments.
pub(super) fn ask(draft: &mut Draft<'_>, question: QuestionId, server: &Arc<str>, args: &Arc<str>) {
    let state = draft.state;
    let cards = state.started.iter().flat_map(|started| &started.tools);
    let mut asking = cards.filter(|card| card.tags.iter().any(|tag| tag == tags::ASKS_OPERATOR));
    let (Some(tool), Some(asker)) = (asking.next(), state.turn_of(question.call)) else {
        return;
    };
    if !is_open(state, question) || matches!(state.mode, Mode::Stopped(_)) {
        return;
    }
    let after = state.turns_of(asker.thread).next_back().map(|turn| turn.id);
    let turn = draft.turn();
    draft.turn_event(TurnEvent::Opened {
        turn,
        thread: asker.thread,
        after,
        producer: Producer::Server,
    });
    let node = draft.node(NodeKind::Call);
    draft.turn_event(TurnEvent::Proposed {
        turn,
        node,
        provider_id: Some(question.to_string().into()),
        tool: Arc::clone(&tool.name),
        args: Arc::clone(args),
        opaque: None,
        origin: Origin::Engine {
            rule: Arc::clone(server),
        },
    });
}

/// Ends the questions whose execution ended.
pub(super) fn end_left(draft: &mut Draft<'_>, _: &dyn Advice) {
    let state = draft.state;
    for call in state.queue() {
        let Some(question) = of(state, call).filter(|question| !is_open(state, *question)) else {
            continue;
        };
        draft.call(CallEvent::Decided {
            call: call.id,
            rev: state.nodes.get(&call.id).map(Node::rev).unwrap_or_default(),
            digest: call.digest.clone(),
            decision: Decision::Deny {
                rule: RULE.to_owned(),
                reason: format!("{} has ended", question.call),
            },
        });
    }
}

/// Returns the reply to the server that follows from an event.
pub(super) fn reply(state: &State, envelope: &Envelope) -> Option<Effect> {
    let Event::Call(event) = &envelope.event else {
        return None;
    };
    let call = state.calls.get(&event.call())?;
    let question = of(state, call).filter(|_| call.status.is_settled())?;
    let outcome = state.observation(call.id).and_then(Node::outcome);
    let answer = match outcome {
        Some(Outcome::Ok { value, .. }) => Some(Arc::clone(value)),
        _ => None,
    };
    Some(Effect::ReplyToServer { question, answer })
}
