//! Supersedes and marks as stale what an edit invalidates.
//!
//! Must not know: what was edited, who edits.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::call::Status;
use super::correction;
use super::draft::Draft;
use super::event::{CallEvent, EditEvent, TurnEvent};
use super::graph;
use super::id::{NodeId, NodeKind, ThreadId, TurnId};
use super::ledger;
use super::node_set::NodeSet;
use super::server_question;
use super::state::State;
use super::thread::{self, Child};
use super::turn::{Stream, Turn};

/// The value of a call changed: marks its readers as stale, supersedes later turns.
pub(crate) fn invalidate_after_value(draft: &mut Draft<'_>, call: NodeId) {
    suspect_readers(draft, call);
    if let Some(turn) = draft.state.turn_of(call).map(|turn| turn.id) {
        supersede_after(draft, turn);
    }
}

/// Marks the direct and indirect readers of a call as stale.
pub(crate) fn suspect_readers(draft: &mut Draft<'_>, call: NodeId) {
    let readers = graph::readers_of(draft.state, call);
    suspect(draft, readers);
}

/// Marks readers of superseded calls as stale if they stay active: a call may read one that follows
/// it in its turn.
pub(crate) fn suspect_readers_of_gone(draft: &mut Draft<'_>, gone: &[NodeId]) {
    let mut readers = BTreeSet::new();
    for id in gone.iter().filter(|id| id.kind == NodeKind::Call) {
        readers.extend(graph::readers_of(draft.state, *id));
    }
    if readers.is_empty() {
        return;
    }
    let gone: BTreeSet<&NodeId> = gone.iter().collect();
    readers.retain(|id| !gone.contains(id));
    suspect(draft, readers);
}

/// Marks calls as stale, without those that have not read their inputs yet.
pub(crate) fn suspect(draft: &mut Draft<'_>, calls: BTreeSet<NodeId>) {
    let calls: Vec<NodeId> = calls
        .into_iter()
        .filter(|id| {
            draft
                .state
                .calls
                .get(id)
                .is_some_and(|reader| !matches!(reader.status, Status::Proposed | Status::Blocked))
        })
        .collect();
    if !calls.is_empty() {
        draft.edit(EditEvent::MarkedStale { calls });
    }
}

/// Suspends later turns until it is known whether their context changed.
pub(crate) fn suspend_later(draft: &mut Draft<'_>, call: NodeId) {
    let Some(turn) = draft.state.turn_of(call) else {
        return;
    };
    let turns: Vec<TurnId> = draft
        .state
        .turns_of(turn.thread)
        .filter(|later| later.pos > turn.pos && later.is_active() && !draft.state.has_words_of_agent(later))
        .map(|later| later.id)
        .collect();
    if !turns.is_empty() {
        draft.turn_event(TurnEvent::Suspended { turns });
    }
}

/// What is superseded if the model is asked again for a turn: this one and all later ones. Also the last turn that stays, after which
/// the new one comes. The words of another program's user stay: its agent sends them again.
pub(crate) fn from_turn(state: &State, turn: &Turn) -> (Vec<TurnId>, Option<TurnId>) {
    let falls = |one: &&Turn| one.pos >= turn.pos && !state.has_words_of_agent(one);
    let turns = state.turns_of(turn.thread).filter(falls).map(|one| one.id);
    let mut stays = state
        .turns_of(turn.thread)
        .filter(|one| one.is_active() && !falls(one));
    (turns.collect(), stays.next_back().map(|one| one.id))
}

/// Supersedes later turns: closes streams, cancels running calls, lists effects. The words of another program's user stay:
/// its agent sends them again.
pub(crate) fn supersede_after(draft: &mut Draft<'_>, turn: TurnId) {
    let Some(turn) = draft.state.turns.get(&turn) else {
        return;
    };
    let later: Vec<TurnId> = draft
        .state
        .turns_of(turn.thread)
        .filter(|later| later.pos > turn.pos && !draft.state.has_words_of_agent(later))
        .map(|later| later.id)
        .collect();
    if draft.keep_later {
        // Inserted turns read nothing.
        let turns: Vec<TurnId> = later
            .into_iter()
            .filter(|id| {
                draft
                    .state
                    .turns
                    .get(id)
                    .is_some_and(|turn| turn.context.is_some())
            })
            .collect();
        if !turns.is_empty() {
            draft.turn_event(TurnEvent::Drifted { turns });
        }
        return;
    }
    supersede_turns(draft, later);
}

/// Resumes the callers of an edited sub-agent thread, upwards: each call continues with the same
/// execution. Readers of its result become stale, and later turns of its thread are suspended until
/// it is known whether their context changed.
pub(crate) fn resume_callers(draft: &mut Draft<'_>, thread: ThreadId) {
    let state = draft.state;
    for child in thread::above(state, thread) {
        let Some(call) = state.calls.get(&child.call) else {
            return;
        };
        if !matches!(
            call.status,
            Status::Succeeded | Status::Exited(_) | Status::Failed(_)
        ) {
            return;
        }
        draft.call(CallEvent::Continued {
            call: child.call,
            attempt: child.attempt,
        });
        suspect_readers(draft, child.call);
        suspend_later(draft, child.call);
    }
}

/// Ends a sub-agent and all its work.
pub(crate) fn end_child(draft: &mut Draft<'_>, child: &Child) {
    let turns = draft.state.turns_of(child.thread).map(|turn| turn.id).collect();
    supersede_turns(draft, turns);
}

/// Supersedes turns.
pub(crate) fn supersede_turns(draft: &mut Draft<'_>, mut turns: Vec<TurnId>) {
    if turns.is_empty() {
        return;
    }
    let of_turn = |id: &TurnId| draft.state.turns.get(id).map(|turn| turn.nodes.iter().copied());
    let asking: NodeSet = turns.iter().filter_map(of_turn).flatten().collect();
    // What the servers of their calls asked falls with them.
    turns.extend(
        server_question::asked_by(draft.state, &asking)
            .iter()
            .map(|turn| turn.id),
    );
    let mut nodes = Vec::new();
    for id in &turns {
        let Some(turn) = draft.state.turns.get(id) else {
            continue;
        };
        if turn.stream == Stream::Open {
            draft.turn_event(TurnEvent::Aborted {
                turn: *id,
                reason: Arc::from("an edit before it"),
            });
        }
        nodes.extend(turn.nodes.iter().copied());
    }
    cancel_running(draft, &nodes, "an edit before it replaced it");
    orphan(draft, &nodes);
    // No request makes these calls again.
    let no_reply = |id: &&NodeId| draft.state.turn_of(**id).is_some_and(|turn| turn.reply == 0);
    let inserted: Vec<NodeId> = nodes.iter().filter(no_reply).copied().collect();
    lose_corrections(draft, &inserted);
    draft.turn_event(TurnEvent::Superseded { turns });
}

/// Reports the corrections of these calls as lost.
pub(crate) fn lose_corrections(draft: &mut Draft<'_>, calls: &[NodeId]) {
    let corrected = calls
        .iter()
        .filter(|id| correction::of(draft.state, **id).is_some());
    let nodes: Vec<NodeId> = corrected.map(|id| id.observation()).collect();
    if !nodes.is_empty() {
        draft.edit(EditEvent::CorrectionsLost { nodes });
    }
}

/// Cancels every running execution of these nodes.
pub(crate) fn cancel_running(draft: &mut Draft<'_>, nodes: &[NodeId], reason: &str) {
    for id in nodes {
        if let Some(Status::Running(attempt)) = draft.state.calls.get(id).map(|call| call.status.clone()) {
            draft.call(CallEvent::CancelAsked {
                call: *id,
                attempt,
                reason: reason.to_owned(),
            });
        }
    }
}

/// Lists the effects of these nodes that happened or may have.
pub(crate) fn orphan(draft: &mut Draft<'_>, nodes: &[NodeId]) {
    let entries = ledger::not_orphaned(draft.state, &nodes.iter().copied().collect());
    if !entries.is_empty() {
        draft.edit(EditEvent::Orphaned { entries });
    }
}
