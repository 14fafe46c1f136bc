//! Applies events about the blocks of a turn: prompts, thoughts, calls, answers.
//!
//! Must not know: why they were decided.

use std::sync::Arc;

use super::with;
use crate::apply::at::At;
use crate::apply::index;
use crate::apply::new_node::add_node;
use crate::call::Call;
use crate::event::TurnEvent;
use crate::event::run::{Started, ToolCard};
use crate::history::History;
use crate::id::{NodeId, TurnId};
use crate::node::{Channel, Content, Origin};
use crate::state::{Mode, State};

pub(super) fn apply(state: &mut State, at: At, event: &TurnEvent) {
    match event {
        TurnEvent::Prompted { turn, node, text } => {
            // The words of the user of another program come with its requests.
            // It may have no tools but those that the provider runs.
            let may_be_agents = |started: &Started| started.tools.first().is_none_or(ToolCard::is_of_agent);
            let is_agents = !at.by_person && state.started.as_deref().is_some_and(may_be_agents);
            let origin = if is_agents {
                Origin::Import
            } else {
                operator(state)
            };
            add_node(state, at, *turn, *node, spoken(text), origin);
            wake_run(state);
        }
        TurnEvent::Thought {
            turn,
            node,
            text,
            channel,
            opaque,
            origin,
        } => {
            let content = Content::Text {
                text: text.clone(),
                channel: *channel,
                opaque: opaque.clone(),
            };
            add_node(state, at, *turn, *node, content, origin.clone());
            received(state, *turn, origin);
            if matches!(origin, Origin::Operator { .. }) {
                wake_run(state);
            }
        }
        TurnEvent::Proposed {
            turn,
            node,
            provider_id,
            tool,
            args,
            opaque,
            origin,
        } => {
            let content = Content::Call {
                tool: offered(state, tool),
                args: args.clone(),
            };
            add_node(state, at, *turn, *node, content, origin.clone());
            received(state, *turn, origin);
            propose(state, *turn, *node, provider_id.clone());
            if let Some(opaque) = opaque {
                with(state, *turn, |turn| {
                    turn.more.opaque.push((*node, opaque.clone()));
                });
            }
            crate::apply::edit::hold_new(state, *node);
            if matches!(origin, Origin::Operator { .. }) {
                wake_run(state);
            }
        }
        TurnEvent::Answered {
            turn,
            node,
            text,
            opaque,
        } => {
            let content = Content::Text {
                text: text.clone(),
                channel: Channel::Spoken,
                opaque: opaque.clone(),
            };
            add_node(state, at, *turn, *node, content, Origin::Model);
            received(state, *turn, &Origin::Model);
        }
        TurnEvent::Delegated { .. }
        | TurnEvent::Opened { .. }
        | TurnEvent::Requested { .. }
        | TurnEvent::AnswerInvalid { .. }
        | TurnEvent::Matched { .. }
        | TurnEvent::Partial { .. }
        | TurnEvent::RetryScheduled { .. }
        | TurnEvent::RetryDue { .. }
        | TurnEvent::Closed { .. }
        | TurnEvent::Broken { .. }
        | TurnEvent::Aborted { .. }
        | TurnEvent::Settled { .. }
        | TurnEvent::Suspended { .. }
        | TurnEvent::Restored { .. }
        | TurnEvent::Drifted { .. }
        | TurnEvent::Diverged { .. }
        | TurnEvent::Revived { .. }
        | TurnEvent::Superseded { .. }
        | TurnEvent::Split { .. } => {}
    }
}

/// The name of a tool as the start of the run has it, so that all calls share the text.
fn offered(state: &State, tool: &Arc<str>) -> Arc<str> {
    let cards = state.started.iter().flat_map(|started| &started.tools);
    let mut names = cards.map(|card| &card.name);
    Arc::clone(names.find(|name| *name == tool).unwrap_or(tool))
}

pub(super) fn spoken(text: &Arc<str>) -> Content {
    Content::Text {
        text: text.clone(),
        channel: Channel::Spoken,
        opaque: None,
    }
}

fn operator(state: &State) -> Origin {
    let user = state
        .started
        .as_ref()
        .map_or_else(|| Arc::from("operator"), |started| started.user.clone());
    Origin::Operator { user }
}

/// Resumes a run that had finished with an answer.
fn wake_run(state: &mut State) {
    if matches!(state.mode, Mode::Finished(_)) {
        state.mode = Mode::Running;
    }
}

/// Counts a block of the stream; blocks inserted by the engine or the operator are none.
fn received(state: &mut State, turn: TurnId, origin: &Origin) {
    if *origin == Origin::Model {
        with(state, turn, |turn| {
            turn.received = turn.received.saturating_add(1);
            turn.more.open = None;
        });
    }
}

fn propose(state: &mut State, turn: TurnId, id: NodeId, provider_id: Option<Arc<str>>) {
    let call = Call {
        provider_id,
        history: History::begun(state.epoch),
        ..Call::new(id)
    };
    state.calls.insert(id, call);
    state.agenda.unchecked.insert(id);
    index::reopen_turn(state, turn);
}
