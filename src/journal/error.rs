//! The errors of sessions on disk. Must not know: exit codes.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::reader::Damage;
use crate::text::visible;

/// Why an operation on a session failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The operating system refused.
    #[error("failed to {doing}: {source}: {path}; {}", advice(source))]
    Io {
        /// What was attempted.
        doing: &'static str,
        /// The path it was attempted on, in visible form.
        path: String,
        /// The underlying error.
        source: Arc<io::Error>,
    },
    /// Another process has the session open for writing.
    #[error(
        "the session {path} is open in {}; wait until it ends there, or look at it with `overrule replay`",
        holder(*pid)
    )]
    Locked {
        /// The session.
        path: String,
        /// The process that holds the lock, if its id could be read.
        pid: Option<u32>,
    },
    /// There is no such session.
    #[error("there is no session `{what}` in {place}; `overrule sessions` lists what there is")]
    NotFound {
        /// The name that was searched for.
        what: String,
        /// The directory that was searched.
        place: String,
    },
    /// Several sessions begin with this prefix.
    #[error("`{prefix}` is the beginning of several sessions ({}); give more of it", matches.join(", "))]
    Ambiguous {
        /// The ambiguous prefix.
        prefix: String,
        /// Some of them.
        matches: Vec<String>,
    },
    /// The file is not a session journal.
    #[error("{path} is not a session journal: {why}; nothing was changed")]
    NotAJournal {
        /// The file.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// The session was written by a newer version of the program.
    #[error(
        "{path} has journal format {version}, and this program reads format {known}: use a newer overrule"
    )]
    Newer {
        /// The file.
        path: String,
        /// Its format.
        version: u32,
        /// The newest format that this version knows.
        known: u32,
    },
    /// A record in the middle is not intact, so nothing may be appended.
    #[error(
        "{path} is damaged: {damage}; it can be replayed up to there, and a new session can go on from there"
    )]
    Damaged {
        /// The file.
        path: String,
        /// Where and how.
        damage: Damage,
    },
    /// A session in a single file is read-only.
    #[error("{path} is a recorded session in a single file, which is never written to; replay it instead")]
    ReadOnly {
        /// The file.
        path: String,
    },
    /// A session of this name exists already.
    #[error("the session {path} exists already; nothing was changed")]
    Exists {
        /// The directory.
        path: String,
    },
    /// An event was handed over with the wrong sequence number: a defect of the program.
    #[error(
        "event {got} was to be written where {expected} is next; this is a defect of overrule, nothing was written"
    )]
    Order {
        /// The expected number.
        expected: u64,
        /// The number that was given.
        got: u64,
    },
    /// The event could not be read back, so it is not written.
    #[error("failed to write an event: {why}; nothing was written")]
    Unwritable {
        /// What is wrong with it.
        why: String,
    },
    /// The line is not an intact record.
    #[error("not an intact record: {why}")]
    Line {
        /// What is wrong with it.
        why: String,
    },
}

impl Error {
    /// Returns the reason in few words, and the rest (what helps, what was attempted, on which path) for after it.
    pub fn reason_first(&self) -> (String, String) {
        match self {
            Self::Io { doing, path, source } => (
                source.to_string(),
                format!("{}; failed to {doing}: {path}", advice(source)),
            ),
            other => (other.to_string(), String::new()),
        }
    }

    pub(super) fn io(doing: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io {
            doing,
            path: shown(path),
            source: Arc::new(source),
        }
    }
}

/// Formats a path for a message.
pub(super) fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy())
}

fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        _ if is_full(error) => "make room on the disk, then go on: everything acknowledged is there",
        io::ErrorKind::PermissionDenied
        | io::ErrorKind::ReadOnlyFilesystem
        | io::ErrorKind::AlreadyExists
        | io::ErrorKind::NotADirectory => "check the permissions or name another place with --sessions DIR",
        io::ErrorKind::InvalidInput => "name the directory of a session or its file",
        io::ErrorKind::NotFound => "check the path or name another place with --sessions DIR",
        _ => "check the disk, then go on: everything acknowledged is there",
    }
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}
