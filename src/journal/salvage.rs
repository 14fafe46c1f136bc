//! Reads the intact records after damage in a journal.
//!
//! Must not know: what the events mean, what is done with them.
//!
//! Each of these records is intact in itself, but nothing proves that none between them is missing.

use std::fs::File;
use std::io::{BufReader, Seek as _, SeekFrom};

use uuid::Uuid;

use super::error::Error;
use super::line;
use super::lines::{LineEnd, Lines};
use super::payload::{self, BOUNDS, Payloads};
use super::reader::{Damage, open};
use super::store::Place;
use overrule_domain::envelope::Envelope;

/// Records after the intact beginning of a session.
#[derive(Debug, Clone, Default)]
pub struct Salvaged {
    /// Records that are intact in themselves and of this run, in the order of the file.
    pub envelopes: Vec<Envelope>,
    /// Lines that are not, the damaged one among them.
    pub unreadable: usize,
}

/// Reads the lines from the damage on. No link between them is checked, only that they are of this run.
pub fn salvage(place: &Place, damage: &Damage) -> Result<Salvaged, Error> {
    let path = place.journal();
    let fail = |error| Error::io("read the session", &path, error);
    let mut file = open(place)?;
    let run = first_run(&mut file).map_err(fail)?;
    file.seek(SeekFrom::Start(damage.offset)).map_err(fail)?;
    let mut lines = Lines::new(BufReader::new(file));
    let mut payloads = Payloads::new(place.payloads());
    let mut found = Salvaged::default();
    let mut bytes = Vec::new();
    while let Some(seen) = lines.next(&mut bytes).map_err(fail)? {
        match record(&bytes, seen, run, &mut payloads) {
            Some(envelope) => found.envelopes.push(envelope),
            None => found.unreadable += 1,
        }
        bytes.clear();
    }
    Ok(found)
}

/// The run of the first record, where that can be read.
fn first_run(file: &mut File) -> std::io::Result<Option<Uuid>> {
    let (mut lines, mut bytes) = (Lines::new(BufReader::new(file)), Vec::new());
    let first = lines.next(&mut bytes)?;
    let is_whole = first.is_some_and(|seen| !seen.long && seen.ended) && line::is_intact(&bytes);
    let head = is_whole.then(|| line::head(&bytes).ok()).flatten();
    Ok(head.and_then(|head| line::run_of(&head).ok()))
}

/// A record that is intact in itself and belongs to this run. Damage may put lines of another run
/// into a file.
fn record(bytes: &[u8], seen: LineEnd, run: Option<Uuid>, payloads: &mut Payloads) -> Option<Envelope> {
    if seen.long || !seen.ended || !line::is_intact(bytes) {
        return None;
    }
    let head = line::head(bytes).ok()?;
    if run.is_some_and(|run| line::run_of(&head).ok() != Some(run)) {
        return None;
    }
    let body = payload::resolve(head.body.get(), &BOUNDS, payloads).ok()?;
    line::envelope(&head, &body).ok()
}
