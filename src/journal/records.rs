//! Finds the records of a session by their offsets and decodes them on demand.
//!
//! Must not know: what events mean.
//!
//! A long session takes many times more memory than disk space; a reader that looks at one record
//! at a time keeps only the offset at which each ends.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use super::error::Error;
use super::line;
use super::payload::{self, BOUNDS, Payloads};
use super::reader::{self, Report};
use super::store::Place;
use overrule_domain::envelope::Envelope;

/// Number of bytes per read.
const PIECE: u64 = 1 << 18;

/// The intact records that a session had when it was read.
#[derive(Debug)]
pub struct Records {
    place: Place,
    file: File,
    /// The offset of the byte after each record.
    ends: Vec<u64>,
}

impl Records {
    /// Reads a session, passes on each record, and notes where the records are.
    pub fn read(place: &Place, mut each: impl FnMut(Envelope)) -> Result<(Self, Report), Error> {
        let file = reader::open(place)?;
        let again = file
            .try_clone()
            .map_err(|error| Error::io("read the session", &place.journal(), error))?;
        let mut ends = Vec::new();
        let report = reader::pass(place, again, |envelope, end| {
            ends.push(end);
            each(envelope);
        })?;
        let place = place.clone();
        Ok((Self { place, file, ends }, report))
    }

    /// Returns the number of records.
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there are no records.
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns one record, counted from 0, or `None` beyond the last.
    pub fn get(&self, index: usize) -> Result<Option<Envelope>, Error> {
        let mut found = None;
        self.range(index, index.saturating_add(1), |envelope| found = Some(envelope))?;
        Ok(found)
    }

    /// Passes on the records `from..to`, counted from 0.
    pub fn range(&self, from: usize, to: usize, mut each: impl FnMut(Envelope)) -> Result<(), Error> {
        let mut payloads = Payloads::new(self.place.payloads());
        let mut bytes = Vec::new();
        let mut begin = match from.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or_default(),
            None => 0,
        };
        let ends = self.ends.get(from..to.min(self.ends.len())).unwrap_or_default();
        let mut ends = ends.iter().copied().peekable();
        let (mut next, mut piece) = (from, Vec::new());
        while let Some(first) = ends.next() {
            piece.clear();
            piece.push(first);
            let last = begin + PIECE;
            piece.extend(std::iter::from_fn(|| ends.next_if(|end| *end <= last)));
            let end = piece.last().copied().unwrap_or(first);
            bytes.resize(usize::try_from(end - begin).unwrap_or(usize::MAX), 0);
            self.file
                .read_exact_at(&mut bytes, begin)
                .map_err(|error| Error::io("read the session again", &self.place.journal(), error))?;
            let mut left = bytes.as_slice();
            for end in &piece {
                let (line, following) = left.split_at(usize::try_from(end - begin).unwrap_or_default());
                each(record(line, next, &mut payloads)?);
                (left, begin, next) = (following, *end, next + 1);
            }
        }
        Ok(())
    }
}

/// Decodes a line that was intact when it was found. If the file was changed since, the line is not trusted.
fn record(line: &[u8], index: usize, payloads: &mut Payloads) -> Result<Envelope, Error> {
    let changed = || Error::Line {
        why: format!(
            "record {} of the session was changed since it was opened",
            index + 1
        ),
    };
    let line = line.strip_suffix(b"\n").filter(|line| line::is_intact(line));
    let head = line::head(line.ok_or_else(changed)?)?;
    if head.seq.0 != index as u64 + 1 {
        return Err(changed());
    }
    let body = payload::resolve(head.body.get(), &BOUNDS, payloads)?;
    line::envelope(&head, &body)
}
