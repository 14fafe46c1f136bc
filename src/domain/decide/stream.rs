//! Decides what follows from a stream.
//!
//! Must not know: wire formats.
//!
//! A repeated stream is compared block by block with the recorded one: equal blocks keep their
//! nodes and results, and the first difference supersedes the rest.

use std::sync::Arc;

use crate::branch;
use crate::draft::Draft;
use crate::event::TurnEvent;
use crate::id::{NodeId, NodeKind, TurnId};
use crate::input::Block;
use crate::invalidation;
use crate::node::{Channel, Content, Origin};
use crate::state::State;
use crate::turn::{Stop, Stream, StreamFault, StreamFaultKind, Turn, Usage};

/// Pauses of a provider in a row that are continued.
const PAUSES: usize = 8;

/// The turn, if a report on this request is still current.
fn current<'s>(draft: &Draft<'s>, (turn, request): (TurnId, u32)) -> Option<&'s Turn> {
    let turn = draft.state.turns.get(&turn)?;
    let counts = turn.asked == request
        && turn.stream == Stream::Open
        && !matches!(turn.activity, crate::turn::Activity::Superseded(_));
    counts.then_some(turn)
}

/// The next block that the model had streamed before this request, if the stream is equal up to
/// here.
fn expected(state: &State, turn: &Turn) -> Option<NodeId> {
    let line = branch::line(state, state.epoch);
    let mut matched = 0;
    for id in &turn.nodes {
        let Some(node) = state.nodes.get(id) else { continue };
        if node
            .revisions
            .first()
            .is_none_or(|first| first.origin != Origin::Model)
        {
            continue;
        }
        // The stream differed already: the later blocks are no measure.
        if node.born() > turn.asked_at {
            return None;
        }
        if !node.active && !node.is_deleted_on(&line) {
            continue;
        }
        if matched == turn.received {
            return Some(*id);
        }
        matched += 1;
    }
    None
}

pub(super) fn block(draft: &mut Draft<'_>, which: (TurnId, u32), block: &Block) {
    let Some(turn) = current(draft, which) else { return };
    if let Some(expected) = expected(draft.state, turn) {
        if equals(draft.state, expected, block) {
            draft.turn_event(TurnEvent::Matched {
                turn: turn.id,
                blocks: turn.received.saturating_add(1),
            });
            return;
        }
        supersede_from(draft, turn, expected);
    }
    match block {
        Block::Thought {
            text,
            channel,
            opaque,
        } => {
            let node = draft.node(NodeKind::Thought);
            draft.turn_event(TurnEvent::Thought {
                turn: turn.id,
                node,
                text: text.clone(),
                channel: *channel,
                opaque: opaque.clone(),
                origin: Origin::Model,
            });
        }
        Block::Call {
            id,
            tool,
            args,
            opaque,
        } => {
            if !has_thought(draft.state, turn) {
                empty_thought(draft, turn.id);
            }
            let node = draft.node(NodeKind::Call);
            draft.turn_event(TurnEvent::Proposed {
                turn: turn.id,
                node,
                provider_id: id.clone(),
                tool: tool.clone(),
                args: args.clone(),
                opaque: opaque.clone(),
                origin: Origin::Model,
            });
        }
        Block::Answer { text, opaque } => {
            let node = draft.node(NodeKind::Answer);
            draft.turn_event(TurnEvent::Answered {
                turn: turn.id,
                node,
                text: text.clone(),
                opaque: opaque.clone(),
            });
        }
    }
}

fn has_thought(state: &State, turn: &Turn) -> bool {
    turn.nodes
        .iter()
        .any(|id| id.kind == NodeKind::Thought && state.nodes.get(id).is_some_and(|node| node.active))
}

/// Gives a turn without reasoning an empty thought, as a place for one.
fn empty_thought(draft: &mut Draft<'_>, turn: TurnId) {
    let node = draft.node(NodeKind::Thought);
    draft.turn_event(TurnEvent::Thought {
        turn,
        node,
        text: Arc::from(""),
        channel: Channel::Spoken,
        opaque: None,
        origin: Origin::Engine {
            rule: Arc::from("no reasoning was given"),
        },
    });
}

/// True if a recorded block equals a repeated one as the model first wrote it, whatever was edited
/// since.
fn equals(state: &State, id: NodeId, block: &Block) -> bool {
    let Some(first) = state.nodes.get(&id).and_then(|node| node.revisions.first()) else {
        return false;
    };
    match (&first.content, block) {
        (
            Content::Text { text, channel, .. },
            Block::Thought {
                text: now,
                channel: now_channel,
                ..
            },
        ) => id.kind == NodeKind::Thought && text == now && channel == now_channel,
        (
            Content::Call { tool, args },
            Block::Call {
                tool: now_tool,
                args: now_args,
                ..
            },
        ) => tool == now_tool && args == now_args,
        (Content::Text { text, .. }, Block::Answer { text: now, .. }) => {
            id.kind == NodeKind::Answer && text == now
        }
        _ => false,
    }
}

/// Supersedes the recorded rest of a turn: the repeated stream differs.
fn supersede_from(draft: &mut Draft<'_>, turn: &Turn, from: NodeId) {
    let nodes: Vec<NodeId> = turn
        .nodes
        .iter()
        .skip_while(|id| **id != from)
        .filter(|id| draft.state.nodes.get(id).is_some_and(|node| node.active))
        .copied()
        .collect();
    invalidation::cancel_running(draft, &nodes, "the model gave another answer");
    invalidation::orphan(draft, &nodes);
    invalidation::suspect_readers_of_gone(draft, &nodes);
    draft.turn_event(TurnEvent::Diverged { turn: turn.id, nodes });
}

pub(super) fn partial(draft: &mut Draft<'_>, which: (TurnId, u32), text: &Arc<str>, spoken: u64) {
    let Some(turn) = current(draft, which) else { return };
    let before = turn.more.open_text();
    if before == &**text {
        return;
    }
    let stored = common_prefix_len(before, text);
    draft.turn_event(TurnEvent::Partial {
        turn: turn.id,
        prefix_len: stored as u64,
        spoken: Some(spoken),
        text: match stored {
            0 => text.clone(),
            _ => Arc::from(text.get(stored..).unwrap_or_default()),
        },
    });
}

/// Bytes of whole characters with which both begin. Usually the newer text is the older one and
/// more.
fn common_prefix_len(before: &str, now: &str) -> usize {
    if now.starts_with(before) {
        return before.len();
    }
    let chars = before.chars().zip(now.chars());
    chars
        .take_while(|(one, other)| one == other)
        .map(|(one, _)| one.len_utf8())
        .sum()
}

pub(super) fn ended(draft: &mut Draft<'_>, which: (TurnId, u32), stop: &Stop, usage: Usage) {
    let Some(turn) = current(draft, which) else { return };
    if let Some(unmatched) = expected(draft.state, turn) {
        supersede_from(draft, turn, unmatched);
    }
    let fault = |kind, message: &str| StreamFault {
        kind,
        message: message.into(),
        retry_after_ms: None,
    };
    let fault = match stop {
        Stop::Length => Some(fault(
            StreamFaultKind::Length,
            "the model ran into its token limit: what arrived may be cut. Ask again, keep what arrived, or stop",
        )),
        Stop::Filter => Some(fault(
            StreamFaultKind::Filter,
            "the provider filtered the answer. Ask again, change the prompt, or stop",
        )),
        Stop::Refusal => Some(fault(
            StreamFaultKind::Refusal,
            "the model refused. Rewrite the prompt, ask again, or stop",
        )),
        Stop::OwnWork if may_continue(draft.state, turn) => None,
        Stop::Pause | Stop::OwnWork => Some(fault(
            StreamFaultKind::Pause,
            "the provider paused in the middle of the answer. Ask again, keep what arrived, or stop",
        )),
        Stop::BadCall(why) => Some(fault(
            StreamFaultKind::BadCall,
            &format!("{why}: nothing of it was run. Ask again, keep what arrived, or stop"),
        )),
        // It is unknown whether another request would help: the operator decides.
        Stop::Other(word) => Some(fault(
            StreamFaultKind::Garbage,
            &format!(
                "the server stopped for a reason that is not known (`{word}`): what arrived may be cut. Ask again, keep \
                what arrived, or stop"
            ),
        )),
        Stop::End | Stop::Calls | Stop::Accepted if is_empty_reply(draft.state, turn) => {
            Some(fault(StreamFaultKind::Empty, "the model said nothing at all"))
        }
        Stop::End | Stop::Calls | Stop::Accepted => None,
    };
    match fault {
        Some(fault) => draft.turn_event(TurnEvent::Broken {
            turn: turn.id,
            fault,
            usage,
        }),
        None => draft.turn_event(TurnEvent::Closed {
            turn: turn.id,
            stop: stop.clone(),
            usage,
        }),
    }
}

/// True if a message in which the provider paused may be sent back by itself. After several pauses in a row the operator
/// decides.
fn may_continue(state: &State, turn: &Turn) -> bool {
    let earlier = state.turns_of(turn.thread).rev();
    let paused = earlier
        .filter(|one| one.pos < turn.pos && one.is_active())
        .take_while(|one| one.stream == Stream::Closed(Stop::OwnWork));
    paused.count() < PAUSES
}

/// True if no block of the current request is a call or an answer: reasoning alone is no reply.
fn is_empty_reply(state: &State, turn: &Turn) -> bool {
    let line = branch::line(state, state.epoch);
    let mut matched = 0;
    !turn.nodes.iter().any(|id| {
        let Some(node) = state.nodes.get(id) else {
            return false;
        };
        let by_model = node
            .revisions
            .first()
            .is_some_and(|first| first.origin == Origin::Model);
        if !by_model || !(node.active || node.is_deleted_on(&line) || node.born() > turn.asked_at) {
            return false;
        }
        matched += 1;
        matched <= turn.received && matches!(id.kind, NodeKind::Call | NodeKind::Answer)
    })
}

pub(super) fn broke(draft: &mut Draft<'_>, which: (TurnId, u32), fault: &StreamFault, usage: Usage) {
    if let Some(turn) = current(draft, which) {
        draft.turn_event(TurnEvent::Broken {
            turn: turn.id,
            fault: fault.clone(),
            usage,
        });
    }
}
