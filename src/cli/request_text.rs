//! Reads the text of a model request from a session.
//!
//! Must not know: who asks for it.

use std::sync::Arc;

use super::run;
use overrule_console::run::link::{SentBody, Update};
use overrule_domain::envelope::Envelope;
use overrule_domain::event::{Event, RunEvent, TurnEvent};
use overrule_domain::id::TurnId;
use overrule_domain::state::State;
use overrule_domain::thread::ROOT;
use overrule_domain::transcript::sent::{Finder, Lookup, SentRequest};
use overrule_engine::setup::{ModelSetup, Setup};
use overrule_journal::{self as journal, Place};
use overrule_model::wire::Target;
use overrule_model::{Quirk, Quirks, Request, Tap};

/// Reads the text of a request for the console. Reads the whole session, so do not call it on the console's thread.
pub fn update(place: &Place, turn: TurnId, request: u32) -> Update {
    let (found, body) = match find(place, turn, request) {
        Ok((sent, body)) => (Ok(Arc::new(sent)), body),
        Err(why) => (Err(why), None),
    };
    Update::Sent {
        turn,
        request,
        found,
        body,
    }
}

/// The request with its body.
type FoundRequest = (SentRequest, Option<SentBody>);

fn find(place: &Place, turn: TurnId, request: u32) -> Result<FoundRequest, String> {
    let mut finder = Finder::new(turn, request);
    let mut learned = LearnedForms::new(turn, request);
    journal::each(place, |envelope| {
        learned.take(&envelope);
        finder.take(&envelope);
    })
    .map_err(|error| error.to_string())?;
    match finder.found() {
        Some(Lookup::Sent(sent)) => {
            let body = body(place, (turn, request), finder.state(), &sent, learned.quirks);
            Ok((sent, body))
        }
        Some(Lookup::Otherwise) => Err(format!(
            "cannot show request {request} of {turn}: this version builds another request from the record than \
             the version that sent it"
        )),
        None => Err(format!("the session has no request {request} of {turn}")),
    }
}

/// The special forms that were learned while a request was under way.
struct LearnedForms {
    turn: TurnId,
    request: u32,
    is_open: bool,
    quirks: Quirks,
}

impl LearnedForms {
    fn new(turn: TurnId, request: u32) -> Self {
        Self {
            turn,
            request,
            is_open: false,
            quirks: Quirks::new(),
        }
    }

    fn take(&mut self, envelope: &Envelope) {
        match &envelope.event {
            Event::Turn(TurnEvent::Requested { turn, request, .. }) => {
                self.is_open |= (*turn, *request) == (self.turn, self.request);
            }
            Event::Turn(
                TurnEvent::Closed { turn, .. }
                | TurnEvent::Broken { turn, .. }
                | TurnEvent::Aborted { turn, .. },
            ) if *turn == self.turn => {
                self.is_open = false;
            }
            Event::Run(RunEvent::QuirkLearned { quirk, .. }) if self.is_open => {
                self.quirks.extend(Quirk::named(quirk));
            }
            _ => {}
        }
    }
}

/// The body of a request: the stored bytes, else what this version writes from the record.
fn body(
    place: &Place,
    (turn, request): (TurnId, u32),
    state: &State,
    sent: &SentRequest,
    learned: Quirks,
) -> Option<SentBody> {
    let started = state.started.as_ref()?;
    let setup = Setup::parse(&started.setup).ok()?;
    let wire = match &setup.model {
        ModelSetup::Server { wire, .. } | ModelSetup::Agent { wire, .. } => wire,
        ModelSetup::Scripted { .. } => return None,
    };
    let kept = run::wire_of(place).read(turn, request).ok().flatten();
    let kept = kept.filter(|frames| !frames.sent.is_empty() && !frames.more);
    if let Some(frames) = kept {
        return Some(SentBody {
            wire: Arc::from(wire.name()),
            text: String::from_utf8_lossy(&frames.sent).into(),
            is_kept: true,
        });
    }
    let ModelSetup::Server { model, options, .. } = &setup.model else {
        return None;
    };
    let known = state.learned.quirks.get(&*started.model).into_iter().flatten();
    let mut quirks: Quirks = known.filter_map(|name| Quirk::named(name)).collect();
    quirks.extend(options.quirks());
    quirks.extend(learned);
    let is_root = state.turns.get(&turn).is_some_and(|turn| turn.thread == ROOT);
    let made = Request {
        system: Arc::clone(&sent.system),
        messages: sent.messages.clone(),
        tools: sent.tools.clone(),
        quirks: quirks.clone(),
        output_schema: setup.output_schema.filter(|_| is_root).map(Arc::from),
        id: turn,
        turn: 0,
        tap: Tap::default(),
    };
    Some(SentBody {
        wire: Arc::from(wire.name()),
        text: wire.body(Target { model, options }, &made, &quirks).into(),
        is_kept: false,
    })
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    /// The recorded sessions that come with the program.
    fn samples() -> Vec<PathBuf> {
        let dir = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("sessions");
        let dirs = [dir.clone(), dir.join("demos")];
        let files = dirs.iter().flat_map(|dir| std::fs::read_dir(dir).unwrap());
        let files = files.map(|entry| entry.unwrap().path());
        files
            .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
            .collect()
    }

    #[test]
    fn every_request_of_the_recorded_sessions_is_found_as_it_was_sent() {
        let mut requests = 0;
        for path in samples() {
            let place = Place::at(&path).unwrap();
            for fact in journal::read(&place).unwrap().envelopes {
                let Event::Turn(TurnEvent::Requested { turn, request, .. }) = &fact.event else {
                    continue;
                };
                let found = find(&place, *turn, *request);
                assert!(found.is_ok(), "{} {turn} {request}: {found:?}", path.display());
                requests += 1;
            }
        }
        assert!(requests > 50, "{requests}");
    }

    #[test]
    fn what_was_sent_from_something_else_than_the_record_is_not_shown() {
        let path = samples().into_iter().min().unwrap();
        let mut facts = journal::read(&Place::at(&path).unwrap()).unwrap().envelopes;
        let of = |facts: &[overrule_domain::envelope::Envelope]| {
            let mut finder = Finder::new(TurnId(2), 1);
            for fact in facts {
                finder.take(fact);
            }
            finder.found()
        };
        assert!(matches!(of(&facts), Some(Lookup::Sent(_))));
        let mut other = 0;
        for fact in &mut facts {
            if let Event::Turn(TurnEvent::Requested { context, .. }) = &mut fact.event {
                *context = "made by another program".into();
                other += 1;
            }
        }
        assert!(other > 0);
        assert_eq!(of(&facts), Some(Lookup::Otherwise));
    }
}
