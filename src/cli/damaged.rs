//! Continues a run with a damaged journal in a new session, from the last intact record.
//!
//! Must not know: how a run continues.
//!
//! Events after that record are lost: effects that started there are listed as unknown, and the new session
//! starts paused.

use std::sync::Arc;

use super::exit::{Code, Failure};
use overrule_domain::apply::apply;
use overrule_domain::envelope::{Actor, Envelope, stamp};
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::fork::{Elsewhere, Reading, Ready};
use overrule_domain::salvage;
use overrule_domain::state::{Mode, State};
use overrule_engine::{clock::Clock, ids};
use overrule_journal::{self as journal, Damage, Place, Store};
use overrule_present::many;

/// What can be read after the damage.
pub struct DamagedTail {
    /// The effects that started there, oldest first; the outcome of each is unknown.
    pub effects: Vec<Arc<Elsewhere>>,
    /// Lines that cannot be read.
    pub unreadable: usize,
}

/// Reads the lines after the damage; `before` is the fold of the records before it.
pub fn read_tail(place: &Place, damage: &Damage, before: &State) -> Result<DamagedTail, Failure> {
    let salvaged = journal::salvage(place, damage)?;
    Ok(DamagedTail {
        effects: salvage::effects(before, &place.id().into(), &salvaged.envelopes),
        unreadable: salvaged.unreadable,
    })
}

/// Writes the new session durably, and returns it with a notice for the operator. Does not change the damaged one.
pub fn write_continuation(
    store: &Store,
    place: &Place,
    damage: &Damage,
    by: &Actor,
) -> Result<(Place, String), Failure> {
    let session: Arc<str> = place.id().into();
    if damage.line == 1 {
        return Err(Failure::new(
            Code::Session,
            format!(
                "cannot resume session {session}: {damage}. Its first record, which says how it was set up, is lost; hint: `overrule graph {session}` \
                 shows what followed"
            ),
        ));
    }
    let intact = journal::read(place)?.envelopes;
    let mut reading = Reading::up_to(None);
    for envelope in &intact {
        reading.take(envelope.clone());
    }
    let DamagedTail { effects, unreadable } = read_tail(place, damage, reading.folded())?;
    let Some(mut ready) = reading.finish(&session) else {
        return Err(Failure::new(
            Code::Session,
            format!("cannot resume session {session}: {damage}, and no record before that can start a run"),
        ));
    };
    let count = match effects.len() {
        0 => "no effect".to_owned(),
        count => many(count, "effect"),
    };
    ready.preview.effects = effects;
    let at = Clock::start().utc_ms();
    let (facts, asks) = facts(
        &ready,
        by,
        at,
        &format!(
            "session {session} is damaged from line {}: check what it did before you resume",
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
        "session {session} is damaged: {damage}. The run continues as session {} from the last intact record, paused; the \
         damaged session is unchanged. {} of it cannot be read: what happened there is unknown. The other lines record \
         {}: `overrule effects` lists them, and an equal call asks for your consent.{}",
        new.id(),
        many(unreadable, "line"),
        count,
        again(asks)
    );
    Ok((new, notice))
}

/// The events that record the damage, and the number of calls that ask again. The run starts paused, because the
/// effects of unreadable lines are unknown.
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
    let Some(forked) = facts.last() else {
        return (facts, 0);
    };
    let more = again.into_iter().chain(paused.map(Event::Run));
    let more = more.map(|event| (Actor::Engine, event));
    let more = stamp(forked.seq, forked.moment(), forked.seq, more);
    facts.extend(more);
    (facts, asks)
}

/// Describes the calls that were approved before the damage.
fn again(asks: usize) -> String {
    match asks {
        0 => String::new(),
        1 => " 1 approved call asks again: it may have run already.".into(),
        count => format!(" {count} approved calls ask again: they may have run already."),
    }
}
