//! Decides edits that insert something into the graph.
//!
//! Must not know: how it is typed or shown.

use std::sync::Arc;

use super::begin::begin_after;
use super::of_agent::OF_AGENTS_USER;
use super::revise::{base, check_args, close_after};
use crate::advice::Advice;
use crate::command::InsertAfter;
use crate::decide::checks::over;
use crate::draft::Draft;
use crate::event::TurnEvent;
use crate::graph;
use crate::id::{NodeId, NodeKind, TurnId};
use crate::invalidation::supersede_after;
use crate::node::{Channel, Node, Origin};
use crate::pending_retry;
use crate::refusal::{Refusal, RefusalKind};
use crate::regenerate;
use crate::retry_wait;
use crate::state::Mode;
use crate::thread;
use crate::turn::{Activity, Producer, Stream};

type Reason<'a> = Option<&'a Arc<str>>;

/// The turn before an insertion: the named one, or the last one.
pub(super) fn place(draft: &Draft<'_>, after: Option<TurnId>) -> Result<Option<TurnId>, Refusal> {
    if let Mode::Stopped(_) = draft.state.mode {
        return Err(over(&draft.state.mode));
    }
    let tip = || draft.state.turns_of(thread::ROOT).next_back().map(|turn| turn.id);
    let Some(id) = after.or_else(tip) else {
        return Ok(None);
    };
    let Some(turn) = draft.state.turns.get(&id) else {
        return Err(Refusal::new(RefusalKind::Unknown, format!("there is no {id}")));
    };
    // Earlier insertions of this commit come first.
    let (thread, pos) = (turn.thread, turn.pos);
    let later = draft.state.turns_of(thread).filter(|one| one.pos > pos);
    let own = later.take_while(|one| one.id >= draft.first_turn).last();
    let (id, turn) = own.map_or((id, turn), |own| (own.id, own));
    match thread::activity(draft.state, turn) {
        Activity::Superseded(_) => Err(Refusal::new(
            RefusalKind::Superseded,
            format!("{id} is superseded"),
        )),
        Activity::Suspended(_) => Err(Refusal::new(
            RefusalKind::Status,
            format!("{id} is suspended until an edit before it takes effect; hint: wait"),
        )),
        Activity::Active => regenerate::not_pinned_above(draft.state, turn.thread).map(|()| Some(id)),
    }
}

pub(super) fn open(draft: &mut Draft<'_>, after: Option<TurnId>) -> TurnId {
    // Insertions after a broken turn keep what has arrived of it.
    if let Some(id) = after
        && let Some(turn) = draft.state.turns.get(&id)
        && matches!(turn.stream, Stream::Broken(_))
    {
        draft.turn_event(TurnEvent::Aborted {
            turn: id,
            reason: Arc::from("the operator continued from what had arrived"),
        });
    }
    open_after(draft, after)
}

/// Makes a new turn of the operator.
fn open_after(draft: &mut Draft<'_>, after: Option<TurnId>) -> TurnId {
    let before = after.and_then(|id| draft.state.turns.get(&id));
    let thread = before.map_or(thread::ROOT, |turn| turn.thread);
    let turn = draft.turn();
    draft.turn_event(TurnEvent::Opened {
        turn,
        thread,
        after,
        producer: Producer::Operator,
    });
    turn
}

/// Makes a turn of the operator with a prompt.
pub(super) fn operator_prompt(draft: &mut Draft<'_>, after: Option<TurnId>, text: &Arc<str>) {
    let turn = open(draft, after);
    let node = draft.node(NodeKind::Prompt);
    draft.turn_event(TurnEvent::Prompted {
        turn,
        node,
        text: text.clone(),
    });
}

pub(super) fn prompt(
    draft: &mut Draft<'_>,
    after: Option<TurnId>,
    text: &Arc<str>,
    reason: Reason<'_>,
) -> Result<(), Refusal> {
    let after = place(draft, after)?;
    if text.trim().is_empty() {
        return Err(Refusal::new(RefusalKind::Invalid, "a prompt cannot be empty"));
    }
    let (what, reason) = match reason {
        Some(reason) if **reason == *OF_AGENTS_USER => (OF_AGENTS_USER, None),
        reason => ("add guidance", reason),
    };
    if let Some(before) = after.and_then(|turn| before_unanswered(draft, turn)) {
        let unanswered = after.into_iter().collect();
        begin_after(draft, before, what, reason);
        operator_prompt(draft, Some(before), text);
        // Its request before lacked the guidance.
        draft.turn_event(TurnEvent::Drifted { turns: unanswered });
        return Ok(());
    }
    // The first prompt of the run is no intervention.
    if let Some(turn) = after {
        begin_after(draft, turn, what, reason);
        supersede_after(draft, turn);
    }
    operator_prompt(draft, after, text);
    Ok(())
}

/// The turn before one without a block that will be retried. Guidance inserted there is part of the
/// retry, and the wait before it stays.
fn before_unanswered(draft: &Draft<'_>, turn: TurnId) -> Option<TurnId> {
    let state = draft.state;
    let turn = state.turns.get(&turn)?;
    if !pending_retry::by_itself(state, turn) || retry_wait::blocks(state, turn).next().is_some() {
        return None;
    }
    let mut line = state.turns_of(turn.thread);
    line.rfind(|one| one.is_active() && one.pos < turn.pos)
        .map(|one| one.id)
}

pub(super) fn thought(
    draft: &mut Draft<'_>,
    after: Option<InsertAfter>,
    text: &Arc<str>,
    reason: Reason<'_>,
) -> Result<(), Refusal> {
    let (after, cut) = spot(draft, after)?;
    if text.trim().is_empty() {
        return Err(Refusal::new(RefusalKind::Invalid, "a thought cannot be empty"));
    }
    let turn = if let Some(node) = cut {
        begin_after(draft, after, &format!("insert a thought after {node}"), reason);
        close_after(draft, node, "a thought was inserted before it");
        open_after(draft, Some(after))
    } else {
        begin_after(draft, after, "insert a thought", reason);
        supersede_after(draft, after);
        open(draft, Some(after))
    };
    let node = draft.node(NodeKind::Thought);
    let origin = Origin::Operator { user: draft.user() };
    draft.turn_event(TurnEvent::Thought {
        turn,
        node,
        text: text.clone(),
        channel: Channel::Spoken,
        opaque: None,
        origin,
    });
    draft.turn_event(TurnEvent::Split { turn });
    Ok(())
}

/// The turn before a thought, and the node in it after which everything is superseded, if there is
/// anything. A thought after the last node of a turn comes after the turn.
fn spot(draft: &Draft<'_>, after: Option<InsertAfter>) -> Result<(TurnId, Option<NodeId>), Refusal> {
    let state = draft.state;
    let (turn, node) = match after {
        None => (None, None),
        Some(InsertAfter::Turn(turn)) => (Some(turn), None),
        Some(InsertAfter::Node(id)) => {
            // A result belongs to its call.
            let id = if id.kind == NodeKind::Observation {
                id.call()
            } else {
                id
            };
            if matches!(id.kind, NodeKind::Repair | NodeKind::Intervention) {
                return Err(Refusal::new(
                    RefusalKind::Status,
                    format!("cannot insert after {id}: it is a record; hint: name another node, or its turn"),
                ));
            }
            let rev = state.nodes.get(&id).map(Node::rev).unwrap_or_default();
            let node = base(state, id, rev)?;
            (Some(node.turn), Some(id))
        }
    };
    let Some(turn) = place(draft, turn)? else {
        return Err(Refusal::new(RefusalKind::Status, "start the run with a prompt"));
    };
    let cut = node.filter(|id| graph::cuts_turn_after(state, *id));
    Ok((turn, cut))
}

pub(super) fn call(
    draft: &mut Draft<'_>,
    advice: &dyn Advice,
    after: Option<TurnId>,
    (tool, args): (&Arc<str>, &Arc<str>),
    reason: Reason<'_>,
) -> Result<(), Refusal> {
    let after = place(draft, after)?;
    let Some(place) = after else {
        return Err(Refusal::new(RefusalKind::Status, "start the run with a prompt"));
    };
    check_args(
        draft.state,
        advice,
        NodeId::new(NodeKind::Call, draft.state.tally.last_no + 2),
        tool,
        args,
    )?;
    begin_after(draft, place, &format!("insert a call of {tool}"), reason);
    supersede_after(draft, place);
    let turn = open(draft, after);
    let node = draft.node(NodeKind::Call);
    let origin = Origin::Operator { user: draft.user() };
    draft.turn_event(TurnEvent::Proposed {
        turn,
        node,
        provider_id: None,
        opaque: None,
        tool: tool.clone(),
        args: args.clone(),
        origin,
    });
    Ok(())
}
