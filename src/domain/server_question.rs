//! Questions of a tool's server to the operator while a call of it runs.
//!
//! Must not know: protocols, how the operator is asked.
//!
//! Such a question is a call of the tool that asks the operator. It has a turn of its own, which no model is shown. Its
//! result is the answer for the server. It lives as long as the execution that asks, whatever is edited around it.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::advice::Advice;
use super::call::{Call, Decision, Outcome, Status};
use super::command::Edit;
use super::draft::Draft;
use super::effect::Effect;
use super::envelope::Envelope;
use super::event::{CallEvent, Event, TurnEvent};
use super::id::{Attempt, NodeId, NodeKind};
use super::node::{Node, Origin};
use super::node_set::NodeSet;
use super::reference::rewrite::{self, Scanned};
use super::refusal::{Refusal, RefusalKind};
use super::state::{Mode, State};
use super::tags;
use super::turn::{Producer, Turn};

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

/// True for a node of such a question.
pub fn is_part(state: &State, node: NodeId) -> bool {
    let turn = state.turn_of(node.call());
    turn.is_some_and(|turn| turn.producer == Producer::Server)
}

/// The active turns of the questions that belong to these calls.
pub(super) fn asked_by<'s>(state: &'s State, calls: &NodeSet) -> Vec<&'s Turn> {
    let asked = state
        .turns
        .values()
        .filter(|turn| turn.producer == Producer::Server && turn.is_active());
    let belongs = |turn: &&Turn| {
        let mut questions = turn.nodes.iter().filter_map(|id| state.calls.get(id));
        questions.any(|call| of(state, call).is_some_and(|question| calls.contains(question.call)))
    };
    asked.filter(belongs).collect()
}

/// True for the active turn of a question whose execution is under way.
pub(super) fn is_of_running(state: &State, turn: &Turn) -> bool {
    let mut calls = turn.nodes.iter().filter_map(|id| state.calls.get(id));
    turn.producer == Producer::Server
        && turn.is_active()
        && calls.any(|call| of(state, call).is_some_and(|question| is_open(state, question)))
}

/// Refuses what would change a question: its answer has gone to the server.
pub(super) fn refuse(state: &State, node: NodeId, verb: &str, more: &str) -> Result<(), Refusal> {
    if !is_part(state, node) {
        return Ok(());
    }
    let what = format!("{verb} {node} {more}");
    Err(Refusal::new(
        RefusalKind::Status,
        format!(
            "cannot {}: it is a question of a server; hint: answer or reject it while its call runs",
            what.trim_end()
        ),
    ))
}

/// Refuses an edit of a question.
pub(super) fn refuse_edit(state: &State, edit: &Edit) -> Result<(), Refusal> {
    match edit {
        Edit::Call { node, .. }
        | Edit::Text { node, .. }
        | Edit::Observation { node, .. }
        | Edit::Copy { node, .. }
        | Edit::RejectAnswer { node, .. }
        | Edit::Delete { node, .. } => refuse(state, *node, "edit", ""),
        Edit::InsertPrompt { .. } | Edit::InsertThought { .. } | Edit::InsertCall { .. } => Ok(()),
    }
}

/// True while the execution that asks is under way.
fn is_open(state: &State, question: QuestionId) -> bool {
    let call = state.calls.get(&question.call);
    let is_active = state.nodes.get(&question.call).is_some_and(|node| node.active);
    is_active && call.is_some_and(|call| call.status == Status::Running(question.attempt))
}

/// True if a question got its reply, an answer or none.
fn is_over(call: &Call) -> bool {
    call.status.is_settled() || call.status == Status::Invalid
}

/// Refuses an answer that would come after the reply.
pub(super) fn refuse_late_answer(state: &State, call: &Call) -> Result<(), Refusal> {
    if is_over(call) {
        refuse(state, call.id, "answer", "")
    } else {
        Ok(())
    }
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
    // Its words are data: they refer to nothing.
    if rewrite::scan(args) != Scanned::default() {
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

/// The calls of questions that wait for a person. Only the turns that are not settled have some.
fn waiting(state: &State) -> impl Iterator<Item = &Call> {
    let open = state.agenda.open.iter().filter_map(|id| state.turns.get(id));
    let asked = open.filter(|turn| turn.producer == Producer::Server);
    let calls = asked
        .flat_map(|turn| &turn.nodes)
        .filter_map(|id| state.calls.get(id));
    calls.filter(|call| call.status.needs_operator())
}

/// Ends the questions whose execution ended.
pub(super) fn end_left(draft: &mut Draft<'_>, _: &dyn Advice) {
    let state = draft.state;
    for call in waiting(state) {
        if let Some(question) = of(state, call).filter(|question| !is_open(state, *question)) {
            end(draft, call, format!("{} has ended", question.call));
        }
    }
}

/// Ends a question that its server no longer asks.
pub(super) fn withdraw(draft: &mut Draft<'_>, question: QuestionId) {
    let state = draft.state;
    if let Some(call) = waiting(state).find(|call| of(state, call) == Some(question)) {
        end(draft, call, "the server no longer asks".to_owned());
    }
}

fn end(draft: &mut Draft<'_>, call: &Call, reason: String) {
    draft.call(CallEvent::Decided {
        call: call.id,
        rev: draft.state.nodes.get(&call.id).map(Node::rev).unwrap_or_default(),
        digest: call.digest.clone(),
        decision: Decision::Deny {
            rule: RULE.to_owned(),
            reason,
        },
    });
}

/// Returns the reply to the server that follows from an event.
pub(super) fn reply(state: &State, envelope: &Envelope) -> Option<Effect> {
    let Event::Call(event) = &envelope.event else {
        return None;
    };
    let call = state.calls.get(&event.call())?;
    let question = of(state, call).filter(|_| is_over(call))?;
    let outcome = state.observation(call.id).and_then(Node::outcome);
    let answer = match outcome {
        Some(Outcome::Ok { value, .. }) => Some(Arc::clone(value)),
        _ => None,
    };
    Some(Effect::ReplyToServer { question, answer })
}
