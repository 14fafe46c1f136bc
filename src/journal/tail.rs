//! Finds the newest records of a session from the end of its file: something to look at while the rest is
//! read.
//!
//! Each is checked like any other record and has to follow the one before it; only what precedes the first of
//! them is still unknown. Must not know: what events mean, who looks.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use super::error::Error;
use super::line::{self, Link};
use super::payload::{self, BOUNDS, Payloads};
use super::reader;
use super::store::Place;
use crate::domain::envelope::Envelope;

/// Number of bytes at the end of the file that are searched first.
const FIRST: u64 = 1 << 18;

/// Maximum number of bytes that are searched.
const MOST: u64 = 1 << 22;

/// Returns up to `count` of the newest records, oldest first, stopping before the first that is not intact.
/// Returns none if there are none or if they are too long to be found quickly.
pub fn tail(place: &Place, count: usize) -> Result<Vec<Envelope>, Error> {
    let fail = |error| Error::io("read the end of the session", &place.journal(), error);
    let file = reader::open(place)?;
    let whole = file.metadata().map_err(fail)?.len();
    let mut window = FIRST;
    loop {
        let from = whole.saturating_sub(window);
        let bytes = read(&file, from, whole).map_err(fail)?;
        let mut found = records(&bytes, from == 0, place);
        if found.len() >= count || from == 0 || window >= MOST {
            found.drain(..found.len().saturating_sub(count));
            return Ok(found);
        }
        window *= 4;
    }
}

fn read(file: &File, from: u64, to: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(to - from).unwrap_or_default()];
    file.read_exact_at(&mut bytes, from)?;
    Ok(bytes)
}

/// Decodes the records in `bytes`. Unless the bytes begin the file, the first line is incomplete.
fn records(bytes: &[u8], begins: bool, place: &Place) -> Vec<Envelope> {
    let mut payloads = Payloads::new(place.payloads());
    let mut found: Vec<Envelope> = Vec::new();
    let mut before: Option<(Link, String)> = None;
    let lines = bytes
        .split_inclusive(|byte| *byte == b'\n')
        .skip(usize::from(!begins));
    for line in lines {
        let Some(line) = line.strip_suffix(b"\n").filter(|line| line::is_intact(line)) else {
            break;
        };
        let Ok(head) = line::head(line) else { break };
        let fits = match (&before, found.last()) {
            (Some((link, run)), Some(last)) => {
                head.seq == last.seq.next() && head.prev.as_bytes() == link.hex() && head.run == run
            }
            _ => line::run_of(&head).is_ok(),
        };
        let envelope = payload::resolve(head.body.get(), &BOUNDS, &mut payloads)
            .and_then(|body| line::envelope(&head, &body))
            .ok()
            .filter(|_| fits);
        let Some(envelope) = envelope else { break };
        before = Some((Link::of(line), head.run.to_owned()));
        found.push(envelope);
    }
    // An incomplete decision does not count.
    while found.last().is_some_and(|last| last.more) {
        found.pop();
    }
    found
}
