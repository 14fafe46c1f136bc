//! A run whose record is damaged goes on in a session of its own, from the last intact record. Nobody knows all that
//! happened after it: what can be read of that is carried over, and the new session begins paused. Must not know: how a
//! run goes on.

use std::sync::Arc;

use super::exit::{Code, Failure};
use crate::console::rows::many;
use crate::domain::envelope::{Actor, Envelope, FORMAT};
use crate::domain::event::{Event, RunEvent};
use crate::domain::fork::{Elsewhere, Reading};
use crate::domain::salvage;
use crate::domain::state::{Mode, State};
use crate::engine::{clock::Clock, ids};
use crate::journal::{self, Damage, Place, Store};

/// What the lines behind the damage still tell.
pub struct Behind {
    /// The effects that were begun there, oldest first.
    pub effects: Vec<Arc<Elsewhere>>,
    /// Lines that cannot be read.
    pub unreadable: usize,
}

/// Reads what stands behind the damage; `before` is the fold of what stands before it.
pub fn behind(place: &Place, damage: &Damage, before: &State) -> Result<Behind, Failure> {
    let beyond = journal::beyond(place, damage)?;
    Ok(Behind {
        effects: salvage::effects(before, &place.id().into(), &beyond.envelopes),
        unreadable: beyond.unreadable,
    })
}

/// Writes the new session, durable when this returns; with what the operator has to know. The damaged one is left as
/// it is.
pub fn goes_on(
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
    let Some(mut ready) = reading.finish(&session) else {
        return Err(Failure::new(
            Code::Session,
            format!(
                "session {session} is damaged: {damage}. Nothing of it is intact that a run could go on from"
            ),
        ));
    };
    let Behind { effects, unreadable } = behind(place, damage, &ready.point)?;
    let count = match effects.len() {
        0 => "no effect on the world".to_owned(),
        count => many(count, "effect"),
    };
    ready.foreseen.effects = effects;
    let at = Clock::start().utc_ms();
    let mut facts = ready.foreseen.facts(by, at);
    if ready.point.mode == Mode::Running {
        facts.extend(facts.last().map(|last| paused(last, &session, damage)));
    }
    let new = store.create_whole(ids::session(), |writer| {
        intact
            .iter()
            .chain(&facts)
            .try_for_each(|fact| writer.append(fact))
    })?;
    let notice = format!(
        "session {session} is damaged: {damage}. The run goes on as session {} from the last intact record, paused; the \
         damaged one was left as it is. {} of it cannot be read, and what happened there is not known. The others tell of \
         {}: `overrule effects` lists what happened, and no equal call repeats one without your consent.",
        new.id(),
        many(unreadable, "line"),
        count
    );
    Ok((new, notice))
}

/// Nothing starts before somebody has looked: what the unreadable lines did cannot be asked about.
fn paused(last: &Envelope, session: &str, damage: &Damage) -> Envelope {
    let line = damage.line;
    Envelope {
        v: FORMAT,
        seq: last.seq.next(),
        at: last.at,
        mono: last.mono,
        actor: Actor::Engine,
        cause: last.seq,
        more: false,
        event: Event::Run(RunEvent::Paused {
            reason: format!(
                "the record of session {session} is damaged from line {line} on: see what it did before you go on"
            ),
        }),
    }
}
