//! Appends records to a session.
//!
//! Must not know: what events mean, when a sync is due.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::codec::Parts;
use super::dirs;
use super::error::{Error, shown};
use super::line::{self, Link};
use super::lock::Lock;
use super::payload::{self, BOUNDS, Payloads};
use super::reader::{self, Loaded, MAX_BYTES, MAX_RECORDS, Report, Torn};
use super::store::{FORK, Place, TITLE, WORKSPACE};
use overrule_domain::envelope::Envelope;
use overrule_domain::id::Seq;
use overrule_regular_file as regular_file;

/// Number of buffered bytes that are handed to the system without being asked.
const ENOUGH: usize = 256 << 10;

/// Type of the event that names a session.
const TITLED: (&str, &str) = ("run", "titled");

/// Type of the event that a run continues with other settings, maybe in another directory.
const REFITTED: (&str, &str) = ("run", "refitted");

/// Type of the event that names the session from which this one was forked.
const FORKED: (&str, &str) = ("run", "forked");

/// What records are written to.
pub(super) trait Sink: Send {
    /// Hands bytes to the system.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Blocks until they are on disk.
    fn sync(&mut self) -> io::Result<()>;
}

impl Sink for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// The only writer of a session.
pub struct Writer {
    sink: Box<dyn Sink>,
    dir: PathBuf,
    run: Uuid,
    next: Seq,
    head: Link,
    /// Length of the journal with everything that was appended.
    bytes: u64,
    /// Records that the system does not have yet.
    waiting: Vec<u8>,
    /// True if the system has records that may not be on disk.
    unsynced: bool,
    /// True until the names of a new session are on disk: a power failure must leave them just like the records.
    is_new: bool,
    /// Texts that are repeated for lists and not in their own files yet, with the names of the
    /// files.
    repeated: Vec<(&'static str, String)>,
    /// The first failure of the system; everything fails with it from then on.
    failed: Option<Error>,
    /// Held as long as the writer exists.
    _lock: Lock,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer")
            .field("dir", &self.dir)
            .field("next", &self.next)
            .field("waiting", &self.waiting.len())
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}

impl Writer {
    /// Opens a session in order to continue it. The remains of an unfinished write are moved aside first and
    /// reported in [`Loaded::torn`]. A damaged session is refused and stays unchanged.
    pub fn open(place: &Place) -> Result<(Self, Loaded), Error> {
        let mut envelopes = Vec::new();
        let (writer, report) = Self::open_each(place, |envelope| envelopes.push(envelope))?;
        let loaded = Loaded {
            run: report.run,
            envelopes,
            torn: report.torn,
            damage: report.damage,
            head: report.head,
            bytes: report.bytes,
        };
        Ok((writer, loaded))
    }

    /// Does the same as [`Writer::open`], but passes on the records one at a time. Of a damaged session, it passes on
    /// those before the gap.
    pub fn open_each(place: &Place, mut each: impl FnMut(Envelope)) -> Result<(Self, Report), Error> {
        let Place::Dir { id, path: dir } = place else {
            return Err(Error::ReadOnly {
                path: shown(&place.journal()),
            });
        };
        let path = place.journal();
        let fail = |error| Error::io("open the session", &path, error);
        // Open the journal first: asking for the lock must not create a session that does not exist.
        let mut file = regular_file::appendable(&path).map_err(fail)?;
        let lock = Lock::take(dir)?;
        let mut loaded = reader::pass(place, reader::open(place)?, |envelope, _| each(envelope))?;
        if let Some(damage) = loaded.damage.take() {
            let path = shown(&path);
            return Err(Error::Damaged { path, damage });
        }
        if let Some(torn) = &mut loaded.torn {
            move_torn_tail(dir, &mut file, torn)
                .map_err(|error| Error::io("repair the session", &path, error))?;
        }
        let writer = Self {
            sink: Box::new(file),
            dir: dir.clone(),
            run: loaded.run.unwrap_or(*id),
            next: Seq(loaded.records + 1),
            head: loaded.head,
            bytes: loaded.bytes,
            waiting: Vec::new(),
            unsynced: false,
            is_new: false,
            repeated: Vec::new(),
            failed: None,
            _lock: lock,
        };
        Ok((writer, loaded))
    }

    /// Creates a session in a directory that does not exist yet. The first [`Writer::sync`] makes its names durable.
    pub(super) fn create(id: Uuid, dir: &Path) -> Result<Self, Error> {
        let place = Place::Dir {
            id,
            path: dir.to_owned(),
        };
        let fail = |error: io::Error| {
            if error.kind() == io::ErrorKind::AlreadyExists {
                return Error::Exists { path: shown(dir) };
            }
            Error::io("make the session", dir, error)
        };
        regular_file::make_directory(dir).map_err(fail)?;
        let lock = Lock::take(dir)?;
        let file = regular_file::create(&place.journal()).map_err(fail)?;
        regular_file::make_directory(&place.payloads().unwrap_or_default()).map_err(fail)?;
        Ok(Self {
            sink: Box::new(file),
            dir: dir.to_owned(),
            run: id,
            next: Seq(1),
            head: Link::FIRST,
            bytes: 0,
            waiting: Vec::new(),
            unsynced: false,
            is_new: true,
            repeated: Vec::new(),
            failed: None,
            _lock: lock,
        })
    }

    /// Returns the run that every record names.
    pub const fn run(&self) -> Uuid {
        self.run
    }

    /// Returns the sequence number that the next event must have.
    pub const fn next(&self) -> Seq {
        self.next
    }

    /// Returns the link of the last record.
    pub const fn head(&self) -> Link {
        self.head
    }

    /// Returns the session's directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Appends an event. It stays in memory until [`Writer::flush`] or [`Writer::sync`]; its long strings are
    /// on disk when this returns.
    pub fn append(&mut self, envelope: &Envelope) -> Result<(), Error> {
        self.check()?;
        if envelope.seq != self.next {
            return Err(Error::Order {
                expected: self.next.0,
                got: envelope.seq.0,
            });
        }
        if envelope.seq.0 > MAX_RECORDS {
            return Err(Error::Unwritable {
                why: format!("a journal has at most {MAX_RECORDS} records; start a new session"),
            });
        }
        let parts = Parts::of(&envelope.event)?;
        let dir = self.dir.join(super::store::PAYLOAD);
        let body = payload::external(parts.body(), &BOUNDS, &mut |text| Payloads::keep(&dir, text));
        let body = body.map_err(|error| self.remember(error))?;
        let kind = (parts.family(), parts.name());
        let line = line::compose(self.run, envelope, self.head, kind, &body)?;
        let bytes = self.bytes + line.len() as u64 + 1;
        if bytes > MAX_BYTES {
            return Err(Error::Unwritable {
                why: format!("a journal has at most {MAX_BYTES} bytes; start a new session"),
            });
        }
        let repeated = match kind {
            TITLED => title_of(&body).map(|title| (TITLE, title)),
            REFITTED => workspace_of(&body).map(|workspace| (WORKSPACE, workspace)),
            FORKED => fork_of(&body).map(|fork| (FORK, fork)),
            _ => None,
        };
        self.repeated.extend(repeated);
        self.head = Link::of(line.as_bytes());
        self.bytes = bytes;
        self.next = self.next.next();
        self.waiting.extend_from_slice(line.as_bytes());
        self.waiting.push(b'\n');
        if self.waiting.len() >= ENOUGH {
            self.flush()?;
        }
        Ok(())
    }

    /// Hands everything in memory to the system: it survives the end of this process, but not a power
    /// failure.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.check()?;
        if self.waiting.is_empty() {
            return Ok(());
        }
        let done = self.sink.write(&self.waiting);
        // Clear it after a failure too: part of it may have been written, and nothing is written twice.
        self.waiting.clear();
        done.map_err(|error| self.fail("write the journal", error))?;
        self.unsynced = true;
        Ok(())
    }

    /// Makes everything appended so far durable.
    pub fn sync(&mut self) -> Result<(), Error> {
        self.flush()?;
        if std::mem::take(&mut self.is_new) {
            let above = self.dir.parent().map_or(Ok(()), dirs::sync_dir);
            dirs::sync_dir(&self.dir)
                .and(above)
                .map_err(|error| self.fail("write the session's names to disk", error))?;
        }
        if self.unsynced {
            self.sink
                .sync()
                .map_err(|error| self.fail("write the journal to disk", error))?;
            self.unsynced = false;
        }
        for (name, text) in std::mem::take(&mut self.repeated) {
            self.keep(name, &text);
        }
        Ok(())
    }

    fn check(&self) -> Result<(), Error> {
        self.failed.clone().map_or(Ok(()), Err)
    }

    fn fail(&mut self, doing: &'static str, error: io::Error) -> Error {
        let path = self.dir.join(super::store::JOURNAL);
        self.remember(Error::io(doing, &path, error))
    }

    fn remember(&mut self, error: Error) -> Error {
        if matches!(error, Error::Io { .. }) {
            self.failed.get_or_insert(error).clone()
        } else {
            error
        }
    }

    /// Repeats a text in a file of its own, for lists. The journal contains it, so a failure is
    /// ignored.
    fn keep(&self, name: &str, text: &str) {
        let draft = self.dir.join(format!("{name}.part"));
        let written = regular_file::rewrite(&draft).and_then(|mut file| file.write_all(text.as_bytes()));
        let _ = written.and_then(|()| std::fs::rename(&draft, self.dir.join(name)));
    }

    #[cfg(test)]
    pub(super) fn replace_sink(&mut self, sink: Box<dyn Sink>) {
        self.sink = sink;
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // No caller waits for these records any more, but they are worth storing. A failure was
        // reported before or concerns nothing that was acknowledged.
        if self.failed.is_none() {
            let _ = self.flush();
        }
    }
}

fn title_of(body: &str) -> Option<String> {
    let body: serde_json::Value = serde_json::from_str(body).ok()?;
    Some(body.get("title")?.as_str()?.to_owned())
}

/// The directory that the tools work in from here on.
fn workspace_of(body: &str) -> Option<String> {
    let body: serde_json::Value = serde_json::from_str(body).ok()?;
    Some(body.get("started")?.get("workspace")?.as_str()?.to_owned())
}

/// The session and the event, with a blank between them.
fn fork_of(body: &str) -> Option<String> {
    let body: serde_json::Value = serde_json::from_str(body).ok()?;
    let (session, at) = (body.get("session")?.as_str()?, body.get("at")?.as_u64()?);
    Some(format!("{at} {session}"))
}

/// Moves the end of a journal to a file of its own and cuts it off, each step durable before the next.
fn move_torn_tail(dir: &Path, file: &mut File, torn: &mut Torn) -> io::Result<()> {
    let (path, mut backup) = first_free(dir)?;
    let copied = file
        .seek(SeekFrom::Start(torn.offset))
        .and_then(|_| io::copy(&mut (&*file).take(torn.bytes), &mut backup))
        .and_then(|_| backup.sync_all());
    if let Err(error) = copied {
        // Nothing is cut off yet: the next try begins with another file, and these would pile up.
        let _ = std::fs::remove_file(&path);
        return Err(error);
    }
    dirs::sync_dir(dir)?;
    file.set_len(torn.offset)?;
    file.sync_all()?;
    torn.moved_to = Some(path);
    Ok(())
}

fn first_free(dir: &Path) -> io::Result<(PathBuf, File)> {
    for n in 1..=9999 {
        let path = dir.join(format!("journal.torn-{n}"));
        match regular_file::create(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(
        io::ErrorKind::AlreadyExists,
        "there are too many files journal.torn-<n>: move them away",
    ))
}
