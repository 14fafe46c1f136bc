//! Reads a session whose first record is not intact from its second on.
//!
//! Must not know: what is done with it.
//!
//! Nothing proves that the second record follows the first one; from there on, every link is checked.

use std::fs::File;
use std::io::BufReader;

use super::error::Error;
use super::lines::Lines;
use super::reader::{Check, Damage, open};
use super::store::Place;
use overrule_domain::envelope::{Actor, Envelope, stamp};
use overrule_domain::event::run::Started;
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::id::Seq;

/// Why such a run is paused.
const PAUSED: &str =
    "its first record, which says how it was set up, is lost: it can be read, and not continue";

/// Returns the records after a first one that is not intact, up to the next damage. An event that stands for the lost one
/// comes first, and a pause last. None for other damage.
pub fn after_lost_first(place: &Place, damage: &Damage) -> Result<Option<Vec<Envelope>>, Error> {
    if damage.line != 1 {
        return Ok(None);
    }
    let path = place.journal();
    let fail = |error| Error::io("read the session", &path, error);
    let mut lines: Lines<BufReader<File>> = Lines::new(BufReader::new(open(place)?));
    let mut bytes = Vec::new();
    // The lost one.
    lines.next(&mut bytes).map_err(fail)?;
    bytes.clear();
    let mut check = Check::after_lost_first(place);
    let (mut whole, mut open) = (Vec::new(), Vec::new());
    while let Some(seen) = lines.next(&mut bytes).map_err(fail)? {
        let Ok(envelope) = check.record(&bytes, seen) else {
            break;
        };
        let more = envelope.more;
        open.push(envelope);
        if !more {
            whole.append(&mut open);
        }
        bytes.clear();
    }
    let (Some(first), Some(last)) = (whole.first(), whole.last()) else {
        return Ok(None);
    };
    let by_program = |after, like: &Envelope, event| {
        stamp(after, like.moment(), Seq(0), [(Actor::Engine, Event::Run(event))])
    };
    let lost = by_program(Seq(0), first, RunEvent::Started(Box::new(Started::lost())));
    let reason = PAUSED.to_owned();
    let paused = by_program(last.seq, last, RunEvent::Paused { reason });
    Ok(Some([lost, whole, paused].concat()))
}
