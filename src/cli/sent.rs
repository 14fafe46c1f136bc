//! Reads the text of a model request from a session.
//!
//! Must not know: who asks for it.

use std::sync::Arc;

use crate::console::link::Update;
use crate::domain::id::TurnId;
use crate::domain::transcript::sent::{Finder, Lookup, SentRequest};
use crate::journal::{self, Place};

/// Reads the text of a request for the console. Reads the whole session, so do not call it on the console's thread.
pub fn update(place: &Place, turn: TurnId, request: u32) -> Update {
    let found = find(place, turn, request).map(Arc::new);
    Update::Sent { turn, request, found }
}

fn find(place: &Place, turn: TurnId, request: u32) -> Result<SentRequest, String> {
    let mut finder = Finder::new(turn, request);
    journal::each(place, |envelope| finder.take(&envelope)).map_err(|error| error.to_string())?;
    match finder.found() {
        Some(Lookup::Sent(sent)) => Ok(sent),
        Some(Lookup::Otherwise) => Err(format!(
            "cannot show request {request} of {turn}: this version builds another request from the record than \
             the version that sent it"
        )),
        None => Err(format!("the session has no request {request} of {turn}")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::domain::event::{Event, TurnEvent};

    /// The recorded sessions that come with the program.
    fn samples() -> Vec<PathBuf> {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("sessions");
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
        let of = |facts: &[crate::domain::envelope::Envelope]| {
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
