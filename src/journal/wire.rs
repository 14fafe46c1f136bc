//! Stores the bytes sent and received for each request in files next to the journal.
//!
//! Must not know: providers, what the bytes mean.
//!
//! No fold needs them: they only serve inspection.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::dirs;
use overrule_domain::id::TurnId;
use overrule_regular_file::{self as regular_file, Links};

/// Maximum number of bytes stored for a session: the oldest files are dropped first.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Maximum number of these bytes that are read back.
const READ: u64 = 4 * 1024 * 1024;

/// The bytes of one request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frames {
    /// The request body.
    pub sent: Vec<u8>,
    /// The response body.
    pub received: Vec<u8>,
    /// True if the files contain more than this.
    pub more: bool,
}

/// The directory of a session's wire files.
#[derive(Debug, Clone)]
pub struct Wire {
    dir: PathBuf,
    most: u64,
    room: Arc<Mutex<Room>>,
}

/// The disk space of the files, as far as this process knows.
#[derive(Debug, Default)]
struct Room {
    /// Bytes in the directory; counted when the first file is begun.
    used: Option<u64>,
    /// Files that are being written.
    open: BTreeSet<PathBuf>,
}

/// The files of one request, open until dropped. Requests of several threads are under way at the same time,
/// and none touches the files of another.
#[derive(Debug)]
pub struct RequestFiles {
    wire: Wire,
    request: (TurnId, u32),
    sent: Mutex<Half>,
    received: Mutex<Half>,
}

/// One direction of a request.
#[derive(Debug, Default)]
enum Half {
    /// Nothing has arrived yet.
    #[default]
    None,
    /// The file.
    Open(File),
    /// Nothing more can be written.
    Lost,
}

impl Half {
    fn keep(&mut self, bytes: &[u8], wire: &Wire, begin: impl FnOnce() -> Option<File>) {
        if matches!(self, Self::None) {
            *self = begin().map_or(Self::Lost, Self::Open);
        }
        if let Self::Open(file) = self {
            let part = bytes.get(..wire.grant(bytes.len())).unwrap_or_default();
            // What follows a gap would be read as if there were none.
            if file.write_all(part).is_err() || part.len() < bytes.len() {
                *self = Self::Lost;
            }
        }
    }
}

impl RequestFiles {
    /// Stores bytes. A failure is ignored: the run continues without them.
    pub fn keep(&self, sent: bool, bytes: &[u8]) {
        let half = if sent { &self.sent } else { &self.received };
        let mut half = half.lock().unwrap_or_else(PoisonError::into_inner);
        half.keep(bytes, &self.wire, || self.begin(sent));
    }

    /// Begins a request whose body is not stored: an earlier reply did not answer this one.
    pub fn begin_reply(&self) {
        let mut half = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        *half = Half::None;
        self.wire
            .forget(&self.wire.path(self.request.0, self.request.1, false));
    }

    fn begin(&self, sent: bool) -> Option<File> {
        let Self { wire, request, .. } = self;
        let path = wire.path(request.0, request.1, sent);
        let made = dirs::make_dirs(&wire.dir).and_then(|()| {
            if sent {
                // The request is made again: the earlier response was no answer to this one.
                wire.forget(&wire.path(request.0, request.1, false));
            }
            wire.forget(&path);
            wire.room().open.insert(path.clone());
            regular_file::rewrite(&path)
        });
        made.inspect_err(|error| tracing::warn!(path = %path.display(), %error, "the raw request and response are not stored"))
            .ok()
    }
}

impl Drop for RequestFiles {
    fn drop(&mut self) {
        let mut room = self.wire.room();
        for sent in [true, false] {
            room.open
                .remove(&self.wire.path(self.request.0, self.request.1, sent));
        }
    }
}

impl Wire {
    /// Returns the directory of wire files in a session's directory.
    pub fn in_session(session: &Path) -> Self {
        Self {
            dir: session.join("wire"),
            most: MAX_BYTES,
            room: Arc::default(),
        }
    }

    fn room(&self) -> MutexGuard<'_, Room> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how many of the requested bytes may be written, after dropping the oldest files that
    /// are in the way.
    fn grant(&self, requested: usize) -> usize {
        let mut room = self.room();
        let mut used = room
            .used
            .unwrap_or_else(|| self.files().iter().map(|one| one.1).sum());
        if used.saturating_add(requested as u64) > self.most {
            for (path, bytes) in self.files() {
                if used.saturating_add(requested as u64) <= self.most {
                    break;
                }
                if !room.open.contains(&path) && std::fs::remove_file(&path).is_ok() {
                    used = used.saturating_sub(bytes);
                }
            }
        }
        let left = usize::try_from(self.most.saturating_sub(used)).unwrap_or(usize::MAX);
        let granted = requested.min(left);
        room.used = Some(used + granted as u64);
        granted
    }

    /// Removes a file.
    fn forget(&self, path: &Path) {
        let mut room = self.room();
        let bytes = std::fs::symlink_metadata(path).map(|meta| meta.len());
        if let (Ok(bytes), Ok(())) = (bytes, std::fs::remove_file(path)) {
            room.used = room.used.map(|used| used.saturating_sub(bytes));
        }
    }

    /// Returns the files with their lengths, the oldest first.
    fn files(&self) -> Vec<(PathBuf, u64)> {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let mut files: Vec<_> = entries
            .filter_map(|entry| {
                let meta = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
                Some((meta.modified().ok()?, entry.path(), meta.len()))
            })
            .collect();
        files.sort();
        files.into_iter().map(|(_, path, bytes)| (path, bytes)).collect()
    }

    /// Prepares the files of a new request.
    pub fn of_request(&self, turn: TurnId, request: u32) -> RequestFiles {
        RequestFiles {
            wire: self.clone(),
            request: (turn, request),
            sent: Mutex::default(),
            received: Mutex::default(),
        }
    }

    fn path(&self, turn: TurnId, request: u32, sent: bool) -> PathBuf {
        let way = if sent { "sent" } else { "received" };
        self.dir.join(format!("turn-{}-request-{request}.{way}", turn.0))
    }

    /// Reads the stored bytes of a request; `None` if there are none.
    pub fn read(&self, turn: TurnId, request: u32) -> Result<Option<Frames>, String> {
        let mut frames = Frames::default();
        let mut any = false;
        for sent in [true, false] {
            let path = self.path(turn, request, sent);
            let fail = |error: std::io::Error| format!("failed to read {}: {error}", path.display());
            let file = match regular_file::open(&path, Links::Refuse) {
                Ok(file) => file,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(fail(error)),
            };
            any = true;
            let mut bytes = Vec::new();
            file.take(READ + 1).read_to_end(&mut bytes).map_err(fail)?;
            frames.more |= bytes.len() as u64 > READ;
            bytes.truncate(READ as usize);
            if sent {
                frames.sent = bytes;
            } else {
                frames.received = bytes;
            }
        }
        Ok(any.then_some(frames))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn what_went_over_the_wire_comes_back_byte_by_byte() {
        let dir = tempfile::tempdir().unwrap();
        let wire = Wire::in_session(dir.path());
        let one = (TurnId(2), 1);
        assert_eq!(wire.read(one.0, one.1), Ok(None), "nothing was kept");
        let stored = wire.of_request(one.0, one.1);
        stored.keep(true, b"{\"model\":\"m\"}");
        stored.keep(false, b"data: \xff");
        stored.keep(false, b"\n\n");
        wire.of_request(TurnId(2), 2).keep(true, b"again");
        let found = wire.read(one.0, one.1).unwrap().unwrap();
        assert_eq!(found.sent, b"{\"model\":\"m\"}");
        assert_eq!(found.received, b"data: \xff\n\n");
        assert!(!found.more);
        let again = Wire::in_session(dir.path()).read(TurnId(2), 2).unwrap().unwrap();
        assert_eq!(
            (again.sent.as_slice(), again.received.as_slice()),
            (&b"again"[..], &b""[..])
        );
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&dir.path().join("wire")), 0o700);
        assert_eq!(mode(&wire.path(one.0, one.1, true)), 0o600);
    }

    #[test]
    fn a_repeated_request_overwrites_its_wire_files() {
        let dir = tempfile::tempdir().unwrap();
        let wire = Wire::in_session(dir.path());
        let before = wire.of_request(TurnId(1), 1);
        before.keep(true, b"first");
        before.keep(false, b"answer");
        drop(before);
        let again = wire.of_request(TurnId(1), 1);
        again.keep(true, b"2nd");
        let found = wire.read(TurnId(1), 1).unwrap().unwrap();
        assert_eq!(
            (found.sent.as_slice(), found.received.as_slice()),
            (&b"2nd"[..], &b""[..]),
            "nothing of the answer to another request"
        );
        again.keep(false, b"other");
        assert_eq!(wire.read(TurnId(1), 1).unwrap().unwrap().received, b"other");
    }

    #[test]
    fn requests_that_are_under_way_at_one_time_lose_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let wire = Wire::in_session(dir.path());
        let all: Vec<_> = [(2, 1), (3, 1), (3, 2)]
            .into_iter()
            .map(|(turn, request)| (TurnId(turn), request))
            .map(|one| (one, wire.of_request(one.0, one.1)))
            .collect();
        for piece in ["a", "b", "c"] {
            for ((turn, request), stored) in &all {
                stored.keep(piece == "a", format!("{piece}{turn}{request}").as_bytes());
            }
        }
        for ((turn, request), _) in &all {
            let found = wire.read(*turn, *request).unwrap().unwrap();
            let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
            assert_eq!(text(found.sent), format!("a{turn}{request}"));
            assert_eq!(text(found.received), format!("b{turn}{request}c{turn}{request}"));
        }
    }

    #[test]
    fn the_oldest_files_make_room_and_nothing_that_is_being_written_is_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let wire = Wire {
            most: 25,
            ..Wire::in_session(dir.path())
        };
        let read = |turn: u32| {
            wire.read(TurnId(turn), 1)
                .unwrap()
                .map(|frames| frames.received.len())
        };
        for turn in 1..=3 {
            wire.of_request(TurnId(turn), 1).keep(false, &[b'x'; 10]);
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert_eq!([read(1), read(2), read(3)], [None, Some(10), Some(10)]);
        // Files of another process count as well.
        let later = Wire {
            most: 25,
            ..Wire::in_session(dir.path())
        };
        let (one, other) = (later.of_request(TurnId(4), 1), later.of_request(TurnId(5), 1));
        one.keep(false, &[b'y'; 10]);
        other.keep(false, &[b'z'; 10]);
        assert_eq!(
            [read(2), read(3), read(4), read(5)],
            [None, None, Some(10), Some(10)]
        );
        one.keep(false, &[b'y'; 10]);
        assert_eq!(read(4), Some(15), "no more than there is room for");
        one.keep(false, b"z");
        assert_eq!(read(4), Some(15), "and nothing after a gap");
        assert_eq!(read(5), Some(10));
    }

    #[test]
    fn where_nothing_can_be_written_nothing_breaks() {
        let wire = Wire::in_session(Path::new("/proc/nowhere"));
        let stored = wire.of_request(TurnId(1), 1);
        stored.keep(true, b"x");
        stored.keep(true, b"y");
        assert_eq!(wire.read(TurnId(1), 1), Ok(None));
    }
}
