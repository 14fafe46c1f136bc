//! Applies one event to the state.
//!
//! Must not know: why an event was decided.
//!
//! Total: never fails, whatever the order of events. The only place that changes a [`State`]. An
//! event about something that does not exist changes only the sequence number.

mod at;
mod breaker;
mod call;
mod context;
mod edit;
mod escape;
mod files;
mod index;
mod new_node;
mod outcome;
mod recall;
mod repair;
mod resilience;
mod run;
mod sandbox;
mod summary;
mod turn;
mod weight;

use super::envelope::{Actor, Envelope};
use super::event::{CallEvent, EditEvent, Event, FilesEvent, RunEvent};
use super::id::NodeId;
use super::state::State;
use super::turn::Stream;
use at::At;

/// Applies one event to the state.
pub fn apply(state: &mut State, envelope: &Envelope) {
    let at = At {
        seq: envelope.seq,
        utc_ms: envelope.at,
        by_person: matches!(envelope.actor, Actor::Operator(_)),
        via: envelope.actor.via(),
    };
    note_via(state, at, &envelope.event);
    state.seq = envelope.seq;
    if state.tally.times.last().is_none_or(|(last, _)| *last < at.seq) {
        state.tally.times.push((at.seq, at.utc_ms));
    }
    if let Event::Run(RunEvent::Reopened { .. } | RunEvent::Forked { .. }) = envelope.event {
        state.tally.active.lost();
        files::interrupt(state);
    }
    state.tally.active.until(at.utc_ms);
    let subject = subject(&envelope.event).map(|id| (id, index::shown(state, id)));
    match &envelope.event {
        Event::Run(event) => run::apply(state, at, event),
        Event::Turn(event) => turn::apply(state, at, event),
        Event::Call(event) => call::apply(state, at, event),
        Event::Edit(event) => edit::apply(state, at, event),
        Event::Escape(event) => escape::apply(state, at, event),
        Event::Resilience(event) => resilience::apply(state, at, event),
        Event::Weight(event) => weight::apply(state, at, event),
        Event::Sandbox(event) => sandbox::apply(state, event),
        Event::Files(event) => files::apply(state, at, event),
    }
    if let Some((id, before)) = subject
        && index::shown(state, id) != before
    {
        index::look_again(state, id);
        index::wake_readers(state, id);
    }
    context::follow(state, &envelope.event);
    let busy = under_way(state);
    state.tally.active.from(at.utc_ms, busy);
}

/// Records which interface a decision or an edit came from.
fn note_via(state: &mut State, at: At, event: &Event) {
    let is_word = matches!(
        event,
        Event::Call(CallEvent::Decided { .. } | CallEvent::Resolved { .. })
            | Event::Edit(EditEvent::Committed { .. })
            | Event::Files(FilesEvent::RestoreStarted(_))
    );
    if let Some(via) = at.via.filter(|_| is_word) {
        state.operator.via.insert(at.seq, via);
    }
}

/// True while a call runs or a reply streams.
fn under_way(state: &State) -> bool {
    let mut open = state.agenda.open.iter().filter_map(|id| state.turns.get(id));
    !state.agenda.running.is_empty() || open.any(|turn| turn.stream == Stream::Open)
}

/// The call that an event is about: its readers are woken in one place, whatever changed. Events
/// about many calls wake readers where they are applied.
fn subject(event: &Event) -> Option<NodeId> {
    match event {
        Event::Call(event) => Some(event.call()),
        Event::Resilience(event) => event.call(),
        Event::Sandbox(event) => event.call(),
        Event::Files(event) => event.call(),
        Event::Edit(EditEvent::Revised { node, .. }) => Some(node.call()),
        Event::Edit(_) | Event::Run(_) | Event::Turn(_) | Event::Escape(_) | Event::Weight(_) => None,
    }
}

/// Applies a list of events.
pub fn fold<'a>(envelopes: impl IntoIterator<Item = &'a Envelope>) -> State {
    let mut state = State::default();
    for envelope in envelopes {
        apply(&mut state, envelope);
    }
    state
}
