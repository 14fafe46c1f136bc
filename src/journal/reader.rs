//! Reads a journal in one pass: every record up to the first that is not intact, and what follows.
//!
//! Must not know: what events mean.
//!
//! It describes the rest of the file and changes nothing.

use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use uuid::Uuid;

use super::error::{Error, shown};
use super::line::{self, Link, MAX_LINE};
use super::lines::{LineEnd, Lines};
use super::payload::{self, BOUNDS, Payloads};
use super::store::Place;
use overrule_domain::envelope::{Envelope, FORMAT};
use overrule_regular_file as regular_file;

/// Maximum number of records read from one journal, far beyond any real run.
pub const MAX_RECORDS: u64 = 1 << 22;

/// Maximum length of a journal in bytes, far beyond any real run.
pub(super) const MAX_BYTES: u64 = 16 << 30;

/// The beginnings of first records, by format version.
const BEGINNINGS: [&[u8]; FORMAT as usize] = [
    b"{\"v\":1,\"seq\":1,",
    b"{\"v\":2,\"seq\":1,",
    b"{\"v\":3,\"seq\":1,",
];

/// A session that was read.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The run that the records name; `None` for an empty journal.
    pub run: Option<Uuid>,
    /// Every intact record, from the first.
    pub envelopes: Vec<Envelope>,
    /// What follows the records, if it is only the remains of an unfinished write.
    pub torn: Option<Torn>,
    /// What follows the records, if it is anything else.
    pub damage: Option<Damage>,
    /// Link of the last intact record.
    pub head: Link,
    /// Total bytes of the intact records.
    pub bytes: u64,
}

/// The remains of a write that did not finish. Nothing in them was ever acknowledged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torn {
    /// Line at which they begin, counted from 1.
    pub line: u64,
    /// Byte offset at which they begin.
    pub offset: u64,
    /// Length in bytes.
    pub bytes: u64,
    /// What is wrong with them.
    pub why: String,
    /// Where they were moved; `None` until the session is opened for writing.
    pub moved_to: Option<PathBuf>,
}

impl fmt::Display for Torn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the last write is incomplete ({} bytes from line {} on: {})",
            self.bytes, self.line, self.why
        )?;
        match &self.moved_to {
            Some(path) => write!(f, "; they were moved to {}", shown(path)),
            None => f.write_str("; they are left where they are"),
        }
    }
}

/// A record that is not intact, with more records after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Its line, counted from 1.
    pub line: u64,
    /// Byte offset at which it begins.
    pub offset: u64,
    /// Bytes from there to the end of the file.
    pub bytes: u64,
    /// Number of later records that are intact in themselves.
    pub intact_after: u64,
    /// What is wrong with it.
    pub why: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {} (byte {}): {}; {} records before it are intact, {} bytes from there on are left as they are",
            self.line,
            self.offset,
            self.why,
            self.line.saturating_sub(1),
            self.bytes
        )
    }
}

/// The result of checking a session.
#[derive(Debug, Clone)]
pub struct Report {
    /// The run that the records name.
    pub run: Option<Uuid>,
    /// Number of consecutive intact records, from the first.
    pub records: u64,
    /// Total bytes of these records.
    pub bytes: u64,
    /// Link of the last record; equal links mean equal journals up to that record.
    pub head: Link,
    /// The remains of an unfinished write.
    pub torn: Option<Torn>,
    /// The first record that is not intact, if more follows it.
    pub damage: Option<Damage>,
}

impl Report {
    /// Returns true if every byte belongs to an intact record.
    pub const fn is_whole(&self) -> bool {
        self.torn.is_none() && self.damage.is_none()
    }
}

/// Reads a whole session into memory.
pub fn read(place: &Place) -> Result<Loaded, Error> {
    let mut envelopes = Vec::new();
    let found = each(place, |envelope| envelopes.push(envelope))?;
    Ok(Loaded {
        run: found.run,
        envelopes,
        torn: found.torn,
        damage: found.damage,
        head: found.head,
        bytes: found.bytes,
    })
}

/// Reads a session and passes on its records one at a time, so that no caller has to hold them all.
pub fn each(place: &Place, mut each: impl FnMut(Envelope)) -> Result<Report, Error> {
    pass(place, open(place)?, |envelope, _| each(envelope))
}

/// Opens the file of records for reading.
pub(super) fn open(place: &Place) -> Result<File, Error> {
    let path = place.journal();
    regular_file::open_bounded(&path, place.links(), MAX_BYTES)
        .map_err(|error| Error::io("read the session", &path, error))
}

/// Returns the first record if it and the rest of its decision are intact, so that [`read`] is certain to return
/// something. Reads no further than that decision.
pub fn first(place: &Place) -> Result<Option<Envelope>, Error> {
    let path = place.journal();
    let fail = |error| Error::io("read the session", &path, error);
    let mut lines = Lines::new(BufReader::new(open(place)?));
    let mut line = Vec::new();
    let mut check = Check::new(place);
    let mut first = None;
    while let Some(seen) = lines.next(&mut line).map_err(fail)? {
        let Ok(envelope) = check.record(&line, seen) else {
            return Ok(None);
        };
        let more = envelope.more;
        let first = first.get_or_insert(envelope);
        if !more {
            return Ok(Some(first.clone()));
        }
        line.clear();
    }
    Ok(None)
}

/// Checks a session, including its payloads, without keeping it in memory.
pub fn verify(place: &Place) -> Result<Report, Error> {
    each(place, drop)
}

/// Makes one pass over the records, each with the offset of the byte after its line.
pub(super) fn pass(place: &Place, file: File, mut each: impl FnMut(Envelope, u64)) -> Result<Report, Error> {
    let path = place.journal();
    let fail = |error| Error::io("read the session", &path, error);
    let mut lines = Lines::new(BufReader::with_capacity(1 << 16, file));
    let mut check = Check::new(place);
    // An incomplete decision is ignored: its records are passed on once the last of them is there.
    let mut whole = check.report.clone();
    let mut open = Vec::new();
    let mut end = 0;
    let mut bytes = Vec::new();
    while let Some(seen) = lines.next(&mut bytes).map_err(fail)? {
        end = seen.end;
        match check.record(&bytes, seen) {
            Ok(envelope) if envelope.more => open.push((envelope, seen.end)),
            Ok(envelope) => {
                for (earlier, end) in open.drain(..) {
                    each(earlier, end);
                }
                each(envelope, seen.end);
                whole.clone_from(&check.report);
            }
            Err(why) => return after_gap(whole, lines, (bytes, seen), why, place),
        }
        bytes.clear();
    }
    if !open.is_empty() {
        whole.torn = Some(Torn {
            line: whole.records + 1,
            offset: whole.bytes,
            bytes: end - whole.bytes,
            why: "their decision is incomplete".to_owned(),
            moved_to: None,
        });
    }
    Ok(whole)
}

/// Examines what follows the first record that is not intact.
fn after_gap(
    mut report: Report,
    mut lines: Lines<BufReader<File>>,
    (beginning, first): (Vec<u8>, LineEnd),
    why: String,
    place: &Place,
) -> Result<Report, Error> {
    let path = place.journal();
    let mut seen = first;
    let is_record = |bytes: &[u8], seen: LineEnd| seen.ended && !seen.long && line::is_intact(bytes);
    let mut intact = u64::from(is_record(&beginning, first));
    let mut count = 1;
    let mut bytes = Vec::new();
    while let Some(next) = lines
        .next(&mut bytes)
        .map_err(|error| Error::io("read the session", &path, error))?
    {
        count += 1;
        intact += u64::from(is_record(&bytes, next));
        seen = next;
        bytes.clear();
    }
    let (line, offset) = (report.records + 1, report.bytes);
    let bytes = seen.end - offset;
    if report.records == 0 {
        if let Some(version) = line::claimed_version(&beginning).filter(|version| *version > FORMAT) {
            let (path, known) = (shown(&path), FORMAT);
            return Err(Error::Newer { path, version, known });
        }
        let begun = count == 1 && !first.ended && is_beginning(&beginning);
        if intact == 0 && !begun {
            let path = shown(&path);
            return Err(Error::NotAJournal { path, why });
        }
    }
    if intact == 0 {
        report.torn = Some(Torn {
            line,
            offset,
            bytes,
            why,
            moved_to: None,
        });
    } else {
        report.damage = Some(Damage {
            line,
            offset,
            bytes,
            intact_after: intact,
            why,
        });
    }
    Ok(report)
}

/// Returns true if a line begins as a first record does, as far as it goes.
pub(super) fn is_beginning(line: &[u8]) -> bool {
    BEGINNINGS.iter().any(|beginning| {
        let cut = beginning.len().min(line.len());
        beginning.get(..cut) == line.get(..cut)
    })
}

/// What the next record has to match.
pub(super) struct Check {
    report: Report,
    payloads: Payloads,
    /// True if the record before is lost, so that the link to it is not known.
    any_link: bool,
}

impl Check {
    fn new(place: &Place) -> Self {
        Self {
            report: Report {
                run: None,
                records: 0,
                bytes: 0,
                head: Link::FIRST,
                torn: None,
                damage: None,
            },
            payloads: Payloads::new(place.payloads()),
            any_link: false,
        }
    }

    /// Expects the second record, whatever its link names.
    pub(super) fn after_lost_first(place: &Place) -> Self {
        let mut check = Self::new(place);
        check.report.records = 1;
        check.any_link = true;
        check
    }

    /// Returns the envelope of a line if it is intact and the next in order.
    pub(super) fn record(&mut self, bytes: &[u8], seen: LineEnd) -> Result<Envelope, String> {
        if seen.long {
            return Err(format!("it has more than {MAX_LINE} bytes"));
        }
        if !seen.ended {
            return Err("it is incomplete".to_owned());
        }
        if !line::is_intact(bytes) {
            return Err("its checksum does not match".to_owned());
        }
        self.fit(bytes, seen.end).map_err(|error| match error {
            Error::Line { why } => why,
            other => other.to_string(),
        })
    }

    fn fit(&mut self, bytes: &[u8], end: u64) -> Result<Envelope, Error> {
        let bad = |why: String| Error::Line { why };
        let head = line::head(bytes)?;
        let run = line::run_of(&head)?;
        let expected = self.report.records + 1;
        if head.seq.0 != expected {
            return Err(bad(format!(
                "it has number {} where {expected} is next",
                head.seq.0
            )));
        }
        if expected > MAX_RECORDS {
            return Err(bad(format!("a journal has at most {MAX_RECORDS} records")));
        }
        if !self.any_link && head.prev.as_bytes() != self.report.head.hex() {
            return Err(bad(
                "it does not follow the record before it: its link names another".to_owned(),
            ));
        }
        if self.report.run.is_some_and(|before| before != run) {
            return Err(bad("it belongs to another run".to_owned()));
        }
        let body = payload::resolve(head.body.get(), &BOUNDS, &mut self.payloads)?;
        let envelope = line::envelope(&head, &body)?;
        self.any_link = false;
        self.report.run = Some(run);
        self.report.records = expected;
        self.report.head = Link::of(bytes);
        self.report.bytes = end;
        Ok(envelope)
    }
}
