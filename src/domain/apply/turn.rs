//! Applies events about turns and their streams.
//!
//! Must not know: why they were decided.

use std::collections::BTreeSet;
use std::sync::Arc;

mod block;
mod place;

use self::block::spoken;
use self::place::place;
use super::at::At;
use super::index;
use super::new_node::add_node;
use crate::breaker::of_run;
use crate::breaker::{Scope, Source};
use crate::event::TurnEvent;
use crate::id::{Seq, ThreadId, TurnId};
use crate::ladder::Delay;
use crate::node::Origin;
use crate::output::InvalidAnswer;
use crate::pending_retry::by_itself;
use crate::state::{Mode, State};
use crate::thread::{self, Child};
use crate::turn::{Activity, OpenText, Outage, Producer, Stream, StreamFaultKind, Turn, Usage};

pub(super) fn apply(state: &mut State, at: At, event: &TurnEvent) {
    match event {
        TurnEvent::Delegated { .. } => delegated(state, at, event),
        TurnEvent::Opened {
            turn,
            thread,
            after,
            producer,
        } => {
            place(state, at, *turn, *thread, *after, *producer);
            if *producer == Producer::Model {
                // The model is not asked for it yet.
                state.agenda.open.insert(*turn);
            }
        }
        TurnEvent::Requested { .. } => requested(state, at, event),
        TurnEvent::Prompted { .. }
        | TurnEvent::Thought { .. }
        | TurnEvent::Proposed { .. }
        | TurnEvent::Answered { .. } => block::apply(state, at, event),
        TurnEvent::AnswerInvalid { .. } => unfit(state, event),
        TurnEvent::Matched { turn, blocks } => with(state, *turn, |turn| turn.received = *blocks),
        TurnEvent::Partial {
            turn,
            prefix_len: stored,
            spoken,
            text,
        } => with(state, *turn, |turn| {
            let text = opened(turn.more.open_text(), *stored, text);
            let spoken = *spoken;
            turn.more.open = Some(OpenText { text, spoken });
        }),
        TurnEvent::RetryScheduled { .. } | TurnEvent::RetryDue { .. } => retried(state, at, event),
        TurnEvent::Closed { .. }
        | TurnEvent::Broken { .. }
        | TurnEvent::Aborted { .. }
        | TurnEvent::Settled { .. }
        | TurnEvent::Suspended { .. }
        | TurnEvent::Restored { .. }
        | TurnEvent::Drifted { .. }
        | TurnEvent::Diverged { .. }
        | TurnEvent::Revived { .. }
        | TurnEvent::Superseded { .. }
        | TurnEvent::Split { .. } => ended(state, at, event),
    }
}

/// An open text: the new part, appended to the stored part.
fn opened(before: &str, stored: u64, new: &Arc<str>) -> Arc<str> {
    let active = usize::try_from(stored)
        .ok()
        .and_then(|stored| before.get(..stored));
    match active {
        Some(active) if !active.is_empty() => Arc::from([active, new].concat()),
        _ => new.clone(),
    }
}

/// Applies a request; the first one makes the turn.
fn requested(state: &mut State, at: At, event: &TurnEvent) {
    let TurnEvent::Requested {
        turn,
        thread,
        after,
        request,
        context,
        hash,
        last,
        notices: message,
        ..
    } = event
    else {
        return;
    };
    if !state.turns.contains_key(turn) {
        place(state, at, *turn, *thread, *after, Producer::Model);
    }
    state.tally.requests = state.tally.requests.saturating_add(1);
    state.settings.step = false;
    state.agenda.open.insert(*turn);
    // What the operator asks again is waited for as long as the first time.
    let goes_on = state.turns.get(turn).is_some_and(|turn| by_itself(state, turn));
    let epoch = state.epoch;
    let scopes: Vec<Scope> = of_run::endpoint(state).into_iter().collect();
    let guard = super::breaker::admit(state, &scopes, Source::Request(*turn, *request)).pop();
    if let Some(turn) = state.turns.get_mut(turn) {
        turn.remember(epoch);
        turn.stream = Stream::Open;
        turn.settled = false;
        turn.asked = *request;
        turn.asked_at = at.seq;
        turn.ended_at = Seq(0);
        turn.received = 0;
        turn.last = *last;
        turn.more.guard = guard;
        turn.more.open = None;
        turn.more.notices.clone_from(message);
        turn.more.held = None;
        if !goes_on {
            turn.more.outage = None;
        }
        // A new request uses the current context: the turn is no longer drifted.
        turn.drifted = false;
        turn.context = Some(context.clone());
        turn.request = Some(hash.clone());
    }
    let replies = &mut state.agenda.replies;
    replies.entry(hash.clone()).or_default().insert(*turn);
}

/// Applies the wait before the retry of a request.
fn retried(state: &mut State, at: At, event: &TurnEvent) {
    let (turn, wait) = match event {
        TurnEvent::RetryScheduled {
            turn,
            no,
            of,
            wait_ms,
            why,
        } => {
            let delay = Delay {
                tries: (*of > 0).then_some((*no, *of)),
                left_ms: *wait_ms,
                // A wait that a server asks for passes while the run is paused, too.
                since: Some(at.utc_ms),
                set: at.seq,
                why: why.clone(),
            };
            (*turn, Some(delay))
        }
        TurnEvent::RetryDue { turn } => {
            let held = state.turns.get(turn).and_then(|turn| turn.more.held.clone());
            let over = held.map(|held| Delay {
                left_ms: 0,
                since: None,
                ..held
            });
            (*turn, over)
        }
        _ => return,
    };
    with(state, turn, |turn| {
        if let (TurnEvent::RetryScheduled { wait_ms, .. }, Some(outage)) = (event, &mut turn.more.outage) {
            outage.waited_ms = outage.waited_ms.saturating_add(*wait_ms);
        }
        turn.more.held = wait;
    });
}

/// Applies that an answer went back to the model.
fn unfit(state: &mut State, event: &TurnEvent) {
    let TurnEvent::AnswerInvalid {
        turn,
        node,
        rev,
        faults,
    } = event
    else {
        return;
    };
    let unfit = InvalidAnswer {
        node: *node,
        rev: *rev,
        faults: faults.clone(),
    };
    with(state, *turn, |turn| turn.more.invalid_answer = Some(unfit));
}

/// Applies the end of streams and turns, and their activity.
fn ended(state: &mut State, at: At, event: &TurnEvent) {
    match event {
        TurnEvent::Closed { turn, stop, usage } => {
            super::breaker::answered(state, *turn, Some(false));
            end_stream(state, at, *turn, Stream::Closed(stop.clone()), *usage);
        }
        TurnEvent::Broken { turn, fault, usage } => {
            let kind = fault.kind;
            let speaks =
                kind.is_transient() || matches!(kind, StreamFaultKind::Auth | StreamFaultKind::Quota);
            super::breaker::answered(state, *turn, speaks.then_some(true));
            end_stream(state, at, *turn, Stream::Broken(fault.clone()), *usage);
            if kind == StreamFaultKind::Invalid {
                // Everything in it had ended before its answer was checked.
                index::reopen_turn(state, *turn);
            }
        }
        TurnEvent::Aborted { turn, reason } => {
            super::breaker::answered(state, *turn, None);
            end_stream(
                state,
                at,
                *turn,
                Stream::Aborted(reason.clone()),
                Usage::default(),
            );
        }
        TurnEvent::Settled { turn, .. } => {
            state.agenda.open.remove(turn);
            with(state, *turn, |turn| turn.settled = true);
            // The model sees the failures of the current branch.
            let message = state.turns.get(turn).map(|turn| turn.nodes.clone());
            for id in message.iter().flatten() {
                state.agenda.failures.remove(id);
            }
        }
        TurnEvent::Suspended { turns } => {
            for turn in turns {
                with(state, *turn, |turn| {
                    turn.activity = Activity::Suspended(at.seq);
                    turn.stop_waiting();
                });
            }
            index::look_at_turns(state, turns);
        }
        TurnEvent::Restored { turns } => {
            for turn in turns {
                with(state, *turn, |turn| turn.activity = Activity::Active);
            }
            index::look_at_turns(state, turns);
            super::call::restart_deadlines(state, at);
        }
        TurnEvent::Drifted { turns } => {
            for turn in turns {
                with(state, *turn, |turn| turn.drifted = true);
            }
        }
        TurnEvent::Diverged { turn, nodes } => {
            index::retire(state, nodes);
            let request = state.turns.get(turn).and_then(|turn| turn.request.clone());
            for id in nodes {
                if let Some(node) = state.nodes.get_mut(id) {
                    node.replaced.clone_from(&request);
                }
            }
        }
        TurnEvent::Revived { turn, of } => super::recall::revive(state, at, *turn, *of),
        TurnEvent::Superseded { turns } => supersede(state, at, turns),
        TurnEvent::Split { turn } => with(state, *turn, |turn| turn.split = true),
        TurnEvent::Delegated { .. }
        | TurnEvent::Opened { .. }
        | TurnEvent::Requested { .. }
        | TurnEvent::RetryScheduled { .. }
        | TurnEvent::RetryDue { .. }
        | TurnEvent::Prompted { .. }
        | TurnEvent::Thought { .. }
        | TurnEvent::Proposed { .. }
        | TurnEvent::Answered { .. }
        | TurnEvent::AnswerInvalid { .. }
        | TurnEvent::Matched { .. }
        | TurnEvent::Partial { .. } => {}
    }
}

fn with(state: &mut State, turn: TurnId, change: impl FnOnce(&mut Turn)) {
    if let Some(turn) = state.turns.get_mut(&turn) {
        turn.remember(state.epoch);
        change(turn);
    }
}

fn end_stream(state: &mut State, at: At, turn: TurnId, stream: Stream, usage: Usage) {
    let open = |turn: &Turn| turn.stream == Stream::Open && turn.asked > 0;
    // A late report on a request that has ended costs nothing more.
    if usage != Usage::default() || state.turns.get(&turn).is_some_and(open) {
        spend(state, turn, usage);
    }
    state.tally.usage = state.tally.usage.plus(usage);
    with(state, turn, |turn| {
        let before = turn.more.outage.take();
        if let Stream::Broken(fault) = &stream
            && fault.kind.is_transient()
        {
            turn.more.outage = Some(Outage::broken_at(before, fault.kind, at.utc_ms));
        }
        turn.stream = stream;
        turn.stop_waiting();
        turn.ended_at = at.seq;
        turn.usage = turn.usage.plus(usage);
    });
}

/// Adds the cost of a request that ended, or that its cost is unknown.
pub(super) fn spend(state: &mut State, turn: TurnId, usage: Usage) {
    let price = state.started.as_ref().and_then(|started| started.price.as_ref());
    state.tally.spent.add(price, usage);
    if let Some(turn) = state.turns.get_mut(&turn) {
        turn.spent.add(price, usage);
    }
}

/// Keeps the list of sub-agents with active turns.
pub(super) fn note_child(state: &mut State, thread: ThreadId) {
    if state.turns_of(thread).next().is_none() {
        state.agenda.children.remove(&thread);
    } else if state.threads.children.contains_key(&thread) {
        state.agenda.children.insert(thread);
    }
}

fn supersede(state: &mut State, at: At, turns: &[TurnId]) {
    let mut nodes = Vec::new();
    for id in turns {
        let Some(turn) = state.turns.get_mut(id) else {
            continue;
        };
        turn.remember(state.epoch);
        turn.activity = Activity::Superseded(at.seq);
        nodes.extend(turn.nodes.iter().copied());
        state.agenda.open.remove(id);
        if let Mode::Finished(answer) = state.mode
            && state.nodes.get(&answer).is_some_and(|node| node.turn == *id)
        {
            state.mode = Mode::Running;
        }
    }
    index::retire(state, &nodes);
    let threads: BTreeSet<ThreadId> = turns
        .iter()
        .filter_map(|id| state.turns.get(id).map(|turn| turn.thread))
        .collect();
    for thread in threads {
        note_child(state, thread);
    }
}

/// Starts the thread of a sub-agent. Threads are numbered in order, so that none depends on itself.
fn delegated(state: &mut State, at: At, event: &TurnEvent) {
    let TurnEvent::Delegated {
        thread,
        call,
        rev,
        attempt,
        tools,
        max_turns,
        turn,
        node,
        text,
    } = event
    else {
        return;
    };
    state.tally.last_thread = state.tally.last_thread.max(thread.0);
    let Some(parent) = state.turn_of(*call).map(|turn| turn.thread) else {
        return;
    };
    if parent >= *thread || state.threads.children.contains_key(thread) {
        return;
    }
    let child = Child {
        thread: *thread,
        parent,
        call: *call,
        rev: *rev,
        attempt: *attempt,
        depth: thread::depth(state, parent) + 1,
        tools: tools.clone(),
        max_turns: *max_turns,
    };
    state.threads.children.insert(*thread, child);
    state.threads.turns.entry(*thread).or_default();
    place(state, at, *turn, *thread, None, Producer::Delegate);
    let origin = Origin::Engine {
        rule: Arc::from("the task of the delegated call"),
    };
    add_node(state, at, *turn, *node, spoken(text), origin);
}
