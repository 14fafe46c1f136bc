//! Continues a run whose record is damaged in a new session, from the last intact record.
//!
//! Nobody knows all that happened after it: the effects that began there are listed as unknown, and the new session
//! begins paused. Must not know: how a run goes on.

use std::sync::Arc;

use super::exit::{Code, Failure};
use crate::console::rows::many;
use crate::domain::apply::apply;
use crate::domain::envelope::{Actor, Envelope};
use crate::domain::event::{Event, RunEvent};
use crate::domain::fork::{Elsewhere, Reading, Ready};
use crate::domain::id::Seq;
use crate::domain::salvage;
use crate::domain::state::{Mode, State};
use crate::engine::{clock::Clock, ids};
use crate::journal::{self, Damage, Place, Store};

/// What the lines behind the damage still tell.
pub struct DamagedTail {
    /// The effects that began there, oldest first; the outcome of each is unknown.
    pub effects: Vec<Arc<Elsewhere>>,
    /// Lines that cannot be read.
    pub unreadable: usize,
}

/// Reads what stands behind the damage; `before` is the fold of what stands before it.
pub fn read_tail(place: &Place, damage: &Damage, before: &State) -> Result<DamagedTail, Failure> {
    let beyond = journal::beyond(place, damage)?;
    Ok(DamagedTail {
        effects: salvage::effects(before, &place.id().into(), &beyond.envelopes),
        unreadable: beyond.unreadable,
    })
}

/// Writes the new session, durable when this returns; with what the operator has to know. The damaged one is left as
/// it is.
pub fn write_continuation(
    store: &Store,
    place: &Place,
    damage: &Damage,
    by: &Actor,
) -> Result<(Place, String), Failure> {
    let session: Arc<str> = place.id().into();
    let intact = journal::read(place)?.envelopes;
    let mut reading = Reading::up_to(None);
    for envelope in &intact {
        reading.take(envelope.clone());
    }
    let DamagedTail { effects, unreadable } = read_tail(place, damage, reading.folded())?;
    let Some(mut ready) = reading.finish(&session) else {
        return Err(Failure::new(
            Code::Session,
            format!(
                "session {session} is damaged: {damage}. Nothing of it is intact that a run could go on from"
            ),
        ));
    };
    let count = match effects.len() {
        0 => "no effect on the world".to_owned(),
        count => many(count, "effect"),
    };
    ready.preview.effects = effects;
    let at = Clock::start().utc_ms();
    let (facts, asks) = facts(
        &ready,
        by,
        at,
        &format!(
            "the record of session {session} is damaged from line {}: see what it did before you go on",
            damage.line
        ),
    );
    let new = store.create_whole(ids::session(), |writer| {
        intact
            .iter()
            .chain(&facts)
            .try_for_each(|fact| writer.append(fact))
    })?;
    let notice = format!(
        "session {session} is damaged: {damage}. The run goes on as session {} from the last intact record, paused; the \
         damaged one was left as it is. {} of it cannot be read, and what happened there is not known. The others tell of \
         {}: `overrule effects` lists what began, and no equal call repeats one without your consent.{}",
        new.id(),
        many(unreadable, "line"),
        count,
        again(asks)
    );
    Ok((new, notice))
}

/// What the new session records of the damage, and how many calls ask again. Nothing starts before somebody has looked:
/// what the unreadable lines did cannot be asked about.
fn facts(ready: &Ready, by: &Actor, at: i64, why: &str) -> (Vec<Envelope>, usize) {
    let mut facts = ready.preview.facts(by, at);
    let mut state = ready.point.clone();
    for fact in &facts {
        apply(&mut state, fact);
    }
    let again: Vec<Event> = salvage::withdrawn(&state).into_iter().map(Event::Call).collect();
    let asks = again.len();
    let paused = (ready.point.mode == Mode::Running).then(|| RunEvent::Paused {
        reason: why.to_owned(),
    });
    let Some(forked) = facts.last().cloned() else {
        return (facts, 0);
    };
    let more: Vec<Event> = again.into_iter().chain(paused.map(Event::Run)).collect();
    let count = more.len() as u64;
    facts.extend(more.into_iter().zip(1..).map(|(event, no)| Envelope {
        seq: Seq(forked.seq.0 + no),
        actor: Actor::Engine,
        cause: forked.seq,
        more: no < count,
        event,
        ..forked.clone()
    }));
    (facts, asks)
}

/// What was let run before the damage, in a sentence.
fn again(asks: usize) -> String {
    match asks {
        0 => String::new(),
        1 => " 1 call that was let run asks again: it may have run already.".into(),
        count => format!(" {count} calls that were let run ask again: they may have run already."),
    }
}
