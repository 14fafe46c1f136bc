//! What went over the wire for each request, in files beside the journal: kept only where the operator
//! asks for it, for reading alone. No fold ever needs it. Must not know: providers, what the bytes mean.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::files;
use crate::domain::id::TurnId;

/// Most bytes of one direction of one request that are kept.
const KEPT: u64 = 64 * 1024 * 1024;
/// Most bytes of them that are read back.
const READ: u64 = 4 * 1024 * 1024;

/// The bytes of one request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frames {
    /// The body that was sent.
    pub sent: Vec<u8>,
    /// The body that came back.
    pub received: Vec<u8>,
    /// True where there is more in the files.
    pub more: bool,
}

/// Files by their paths, each with the bytes that went into it.
type Open = BTreeMap<PathBuf, Option<(File, u64)>>;

/// The directory of a session's wire files.
#[derive(Debug, Clone)]
pub struct Wire {
    dir: PathBuf,
    /// Files that are being written, with what went into them; none for one that cannot be written.
    open: Arc<Mutex<Open>>,
}

impl Wire {
    /// The wire files in a session's directory.
    pub fn in_session(session: &Path) -> Self {
        Self {
            dir: session.join("wire"),
            open: Arc::default(),
        }
    }

    fn path(&self, turn: TurnId, request: u32, sent: bool) -> PathBuf {
        let way = if sent { "sent" } else { "received" };
        self.dir.join(format!("turn-{}-request-{request}.{way}", turn.0))
    }

    /// Keeps bytes. What cannot be kept is left out: the run goes on without it.
    pub fn keep(&self, (turn, request): (TurnId, u32), sent: bool, bytes: &[u8]) {
        let path = self.path(turn, request, sent);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // One request of a turn is under way at a time: what belongs to others is done.
        open.retain(|other, _| {
            let name = |path: &Path| path.file_stem().map(std::ffi::OsStr::to_owned);
            name(other) == name(&path)
        });
        let slot = open.entry(path.clone()).or_insert_with(|| {
            let made = match files::make_dirs(&self.dir) {
                Ok(()) => files::rewrite(&path),
                Err(error) => Err(error),
            };
            made.map(|file| (file, 0))
                .inspect_err(|error| tracing::warn!(path = %path.display(), %error, "the wire is not kept"))
                .ok()
        });
        if let Some((file, written)) = slot {
            let room = usize::try_from(KEPT - *written).unwrap_or(usize::MAX);
            let part = bytes.get(..bytes.len().min(room)).unwrap_or_default();
            if file.write_all(part).is_err() {
                *slot = None;
            } else {
                *written += part.len() as u64;
            }
        }
    }

    /// What was kept of a request; none where nothing was.
    pub fn read(&self, turn: TurnId, request: u32) -> Result<Option<Frames>, String> {
        let mut frames = Frames::default();
        let mut any = false;
        for sent in [true, false] {
            let path = self.path(turn, request, sent);
            let fail = |error: std::io::Error| format!("failed to read {}: {error}", path.display());
            let file = match files::regular(&path, false) {
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
        wire.keep(one, true, b"{\"model\":\"m\"}");
        wire.keep(one, false, b"data: \xff");
        wire.keep(one, false, b"\n\n");
        wire.keep((TurnId(2), 2), true, b"again");
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
        Wire::in_session(dir.path()).keep((TurnId(1), 1), true, b"first");
        let wire = Wire::in_session(dir.path());
        wire.keep((TurnId(1), 1), true, b"2nd");
        assert_eq!(wire.read(TurnId(1), 1).unwrap().unwrap().sent, b"2nd");
    }

    #[test]
    fn where_nothing_can_be_written_nothing_breaks() {
        let wire = Wire::in_session(Path::new("/proc/nowhere"));
        wire.keep((TurnId(1), 1), true, b"x");
        wire.keep((TurnId(1), 1), true, b"y");
        assert_eq!(wire.read(TurnId(1), 1), Ok(None));
    }
}
