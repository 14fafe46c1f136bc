//! Keeps the bytes that went over the wire for each request, in files beside the journal: only if the
//! operator asks for it, and only to be read. No fold ever needs them. Must not know: providers, what the
//! bytes mean.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::dirs;
use crate::domain::id::TurnId;
use crate::regular_file::{self, Links};

/// Maximum number of bytes kept per direction of a request.
const KEPT: u64 = 64 * 1024 * 1024;
/// Maximum number of these bytes that are read back.
const READ: u64 = 4 * 1024 * 1024;

/// The bytes of one request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frames {
    /// The request body.
    pub sent: Vec<u8>,
    /// The response body.
    pub received: Vec<u8>,
    /// True if the files hold more than this.
    pub more: bool,
}

/// The directory of a session's wire files.
#[derive(Debug, Clone)]
pub struct Wire {
    dir: PathBuf,
}

/// The files of one request, open until dropped. Requests of several threads are under way at the same time,
/// and none touches the files of another.
#[derive(Debug)]
pub struct Kept {
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
    /// The file and the number of bytes written to it.
    Open(File, u64),
    /// The file cannot be written.
    Lost,
}

impl Half {
    fn keep(&mut self, bytes: &[u8], begin: impl FnOnce() -> Option<File>) {
        if matches!(self, Self::None) {
            *self = begin().map_or(Self::Lost, |file| Self::Open(file, 0));
        }
        if let Self::Open(file, written) = self {
            let room = usize::try_from(KEPT - *written).unwrap_or(usize::MAX);
            let part = bytes.get(..bytes.len().min(room)).unwrap_or_default();
            if file.write_all(part).is_ok() {
                *written += part.len() as u64;
            } else {
                *self = Self::Lost;
            }
        }
    }
}

impl Kept {
    /// Keeps bytes. A failure is ignored: the run continues without them.
    pub fn keep(&self, sent: bool, bytes: &[u8]) {
        let half = if sent { &self.sent } else { &self.received };
        let mut half = half.lock().unwrap_or_else(PoisonError::into_inner);
        half.keep(bytes, || self.begin(sent));
    }

    fn begin(&self, sent: bool) -> Option<File> {
        let Self { wire, request, .. } = self;
        let path = wire.path(request.0, request.1, sent);
        let made = dirs::make_dirs(&wire.dir).and_then(|()| {
            if sent {
                // The request is made again: the earlier response was no answer to this one.
                std::fs::remove_file(wire.path(request.0, request.1, false)).unwrap_or_default();
            }
            regular_file::rewrite(&path)
        });
        made.inspect_err(|error| tracing::warn!(path = %path.display(), %error, "the wire is not kept"))
            .ok()
    }
}

impl Wire {
    /// Returns the directory of wire files in a session's directory.
    pub fn in_session(session: &Path) -> Self {
        Self {
            dir: session.join("wire"),
        }
    }

    /// Prepares the files of a new request.
    pub fn of_request(&self, turn: TurnId, request: u32) -> Kept {
        Kept {
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

    /// Reads what was kept of a request; `None` if nothing was.
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
        let kept = wire.of_request(one.0, one.1);
        kept.keep(true, b"{\"model\":\"m\"}");
        kept.keep(false, b"data: \xff");
        kept.keep(false, b"\n\n");
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
    fn a_request_that_is_made_anew_begins_its_files_anew() {
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
            for ((turn, request), kept) in &all {
                kept.keep(piece == "a", format!("{piece}{turn}{request}").as_bytes());
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
    fn where_nothing_can_be_written_nothing_breaks() {
        let wire = Wire::in_session(Path::new("/proc/nowhere"));
        let kept = wire.of_request(TurnId(1), 1);
        kept.keep(true, b"x");
        kept.keep(true, b"y");
        assert_eq!(wire.read(TurnId(1), 1), Ok(None));
    }
}
