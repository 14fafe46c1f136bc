//! Folds facts about turns and their streams. Must not know: why they were decided.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{At, add_node, index};
use crate::domain::call::{Call, EffectClass, Status};
use crate::domain::event::TurnEvent;
use crate::domain::history::History;
use crate::domain::id::{NodeId, Seq, ThreadId, TurnId};
use crate::domain::node::{Channel, Content, Origin};
use crate::domain::state::{Mode, State};
use crate::domain::turn::{Activity, Producer, Stop, Stream, Turn, Usage};

pub(super) fn apply(state: &mut State, at: At, event: &TurnEvent) {
    match event {
        TurnEvent::Opened {
            turn,
            thread,
            after,
            producer,
        } => {
            place(state, at, *turn, *thread, *after, *producer);
            if *producer == Producer::Model {
                // The model is still to be asked for it.
                state.agenda.open.insert(*turn);
            }
        }
        TurnEvent::Requested { .. } => requested(state, at, event),
        TurnEvent::Prompted { turn, node, text } => {
            add_node(state, at, *turn, *node, spoken(text), operator(state));
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
            origin,
        } => {
            let content = Content::Call {
                tool: tool.clone(),
                args: args.clone(),
            };
            add_node(state, at, *turn, *node, content, origin.clone());
            received(state, *turn, origin);
            propose(state, *turn, *node, provider_id.clone());
            super::edit::hold_new(state, *node);
            if matches!(origin, Origin::Operator { .. }) {
                wake_run(state);
            }
        }
        TurnEvent::Answered { turn, node, text } => {
            add_node(state, at, *turn, *node, spoken(text), Origin::Model);
            received(state, *turn, &Origin::Model);
        }
        TurnEvent::Matched { turn, blocks } => with(state, *turn, |turn| turn.received = *blocks),
        TurnEvent::Partial { turn, text } => {
            with(state, *turn, |turn| turn.partial = Some(text.clone()));
        }
        TurnEvent::Closed { .. }
        | TurnEvent::Broken { .. }
        | TurnEvent::Aborted { .. }
        | TurnEvent::Settled { .. }
        | TurnEvent::Suspended { .. }
        | TurnEvent::Restored { .. }
        | TurnEvent::Drifted { .. }
        | TurnEvent::Revived { .. }
        | TurnEvent::Superseded { .. }
        | TurnEvent::Split { .. } => ended(state, at, event),
    }
}

/// Folds a request; the first one makes the turn.
fn requested(state: &mut State, at: At, event: &TurnEvent) {
    let TurnEvent::Requested {
        turn,
        thread,
        after,
        request,
        context,
        hash,
        ..
    } = event
    else {
        return;
    };

    if !state.turns.contains_key(turn) {
        place(state, at, *turn, *thread, *after, Producer::Model);
    }
    state.requests = state.requests.saturating_add(1);
    state.step = false;
    state.agenda.open.insert(*turn);
    let epoch = state.epoch;
    if let Some(turn) = state.turns.get_mut(turn) {
        turn.remember(epoch);
        turn.stream = Stream::Open;
        turn.settled = false;
        turn.asked = *request;
        turn.asked_at = at.seq;
        turn.received = 0;
        turn.partial = None;
        turn.context = Some(context.clone());
        turn.request = Some(hash.clone());
    }
    let asked = state.agenda.replies.entry(hash.clone()).or_default();
    if asked.last() != Some(turn) {
        asked.push(*turn);
    }
}

/// Folds the end of streams and turns, and whether turns count.
fn ended(state: &mut State, at: At, event: &TurnEvent) {
    match event {
        TurnEvent::Closed { turn, stop, usage } => {
            end_stream(state, *turn, Stream::Closed(stop.clone()), *usage);
        }
        TurnEvent::Broken { turn, fault, usage } => {
            end_stream(state, *turn, Stream::Broken(fault.clone()), *usage);
        }
        TurnEvent::Aborted { turn, reason } => {
            end_stream(state, *turn, Stream::Aborted(reason.clone()), Usage::default());
        }
        TurnEvent::Settled { turn, .. } => {
            state.agenda.open.remove(turn);
            with(state, *turn, |turn| turn.settled = true);
        }
        TurnEvent::Suspended { turns } => {
            for turn in turns {
                with(state, *turn, |turn| turn.activity = Activity::Suspended(at.seq));
            }
            index::look_at_turns(state, turns);
        }
        TurnEvent::Restored { turns } => {
            for turn in turns {
                with(state, *turn, |turn| turn.activity = Activity::Active);
            }
            index::look_at_turns(state, turns);
        }
        TurnEvent::Drifted { turns } => {
            for turn in turns {
                with(state, *turn, |turn| turn.drifted = true);
            }
        }
        TurnEvent::Revived { turn, of } => super::recall::revive(state, at, *turn, *of),
        TurnEvent::Superseded { turns } => supersede(state, at, turns),
        TurnEvent::Split { turn } => with(state, *turn, |turn| turn.split = true),
        TurnEvent::Opened { .. }
        | TurnEvent::Requested { .. }
        | TurnEvent::Prompted { .. }
        | TurnEvent::Thought { .. }
        | TurnEvent::Proposed { .. }
        | TurnEvent::Answered { .. }
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

fn spoken(text: &Arc<str>) -> Content {
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

/// Something new to do for a run that had ended with an answer.
fn wake_run(state: &mut State) {
    if matches!(state.mode, Mode::Finished(_)) {
        state.mode = Mode::Running;
    }
}

fn place(state: &mut State, at: At, id: TurnId, thread: ThreadId, after: Option<TurnId>, producer: Producer) {
    state.last_turn = state.last_turn.max(id.0);
    if state.turns.contains_key(&id) {
        return;
    }
    let line = state.threads.entry(thread).or_default();
    let index = after
        .and_then(|after| state.turns.get(&after))
        .filter(|after| after.thread == thread)
        .map_or(0, |after| after.pos as usize + 1)
        .min(line.len());
    line.insert(index, id);
    let by_operator = producer != Producer::Model;
    let turn = Turn {
        id,
        thread,
        pos: 0,
        producer,
        activity: Activity::Active,
        stream: if by_operator {
            Stream::Closed(Stop::End)
        } else {
            Stream::Open
        },
        context: None,
        request: None,
        asked: 0,
        nodes: Vec::new(),
        received: 0,
        partial: None,
        slots: 0,
        settled: by_operator,
        split: false,
        drifted: false,
        usage: Usage::default(),
        asked_at: at.seq,
        revived: Seq(0),
        history: History::begun(state.epoch),
    };
    state.turns.insert(id, turn);
    let moved: Vec<TurnId> = state
        .threads
        .get(&thread)
        .map(|line| line[index..].to_vec())
        .unwrap_or_default();
    for (offset, id) in moved.into_iter().enumerate() {
        with(state, id, |turn| turn.pos = (index + offset) as u32);
    }
}

/// Counts a block of the stream; blocks that the engine or the operator put in are none.
fn received(state: &mut State, turn: TurnId, origin: &Origin) {
    if *origin == Origin::Model {
        with(state, turn, |turn| {
            turn.received += 1;
            turn.partial = None;
        });
    }
}

fn propose(state: &mut State, turn: TurnId, id: NodeId, provider_id: Option<Arc<str>>) {
    let call = Call {
        id,
        provider_id,
        label: Arc::from(id.to_string()),
        out: None,
        status: Status::Proposed,
        suspect: false,
        faults: Vec::new(),
        references: Vec::new(),
        bindings: Vec::new(),
        resolved: None,
        digest: None,
        verdict: None,
        effect: EffectClass::Unknown,
        decisions: Vec::new(),
        attempts: Vec::new(),
        slot: None,
        ready: None,
        edit_approves: None,
        approved: None,
        because: None,
        denied_by: None,
        asked_about: Vec::new(),
        consented: BTreeSet::new(),
        revived: Seq(0),
        history: History::begun(state.epoch),
    };
    state.calls.insert(id, call);
    state.agenda.unchecked.insert(id);
    index::reopen_turn(state, turn);
}

fn end_stream(state: &mut State, turn: TurnId, stream: Stream, usage: Usage) {
    let open = |turn: &Turn| turn.stream == Stream::Open && turn.asked > 0;
    // What is said of a request that has ended before costs nothing more.
    if usage != Usage::default() || state.turns.get(&turn).is_some_and(open) {
        spend(state, usage);
    }
    state.usage = state.usage.plus(usage);
    with(state, turn, |turn| {
        turn.stream = stream;
        turn.usage = turn.usage.plus(usage);
    });
}

/// A request has ended: what it cost, or that nobody knows.
pub(super) fn spend(state: &mut State, usage: Usage) {
    let price = state.started.as_ref().and_then(|started| started.price.as_ref());
    state.spent.add(price, usage);
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
}
