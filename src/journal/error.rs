//! The errors of sessions on disk.
//!
//! Must not know: exit codes.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::reader::Damage;
use overrule_base::text::visible;

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
        "cannot open session {path}: it is open in {}; hint: wait until it ends there, or run `overrule replay`",
        holder(*pid)
    )]
    Locked {
        /// The session.
        path: String,
        /// The process that holds the lock, if its id could be read.
        pid: Option<u32>,
    },
    /// There is no such session.
    #[error("cannot find session `{what}` in {place}; hint: run `overrule sessions`")]
    NotFound {
        /// The name that was searched for.
        what: String,
        /// The directory that was searched.
        place: String,
    },
    /// There is no session that could be the newest one.
    #[error(
        "no run was recorded in {place} yet; hint: start one with `overrule run TASK` or `overrule demo`, or name \
         another directory with --sessions DIR"
    )]
    NoSessions {
        /// The directory that was searched.
        place: String,
    },
    /// No session works in the directory, but in others.
    #[error(
        "cannot find the last session of {here}: it has none. The newest session {session} is of {workspace}; hint: name \
         it instead of `last`, or run `overrule sessions`"
    )]
    NotHere {
        /// The directory that was meant.
        here: String,
        /// The newest session.
        session: String,
        /// The directory of the newest session.
        workspace: String,
    },
    /// Several sessions begin with this prefix.
    #[error("cannot open session `{prefix}`: ambiguous ({}); hint: add characters", matches.join(", "))]
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
        "{path} is damaged: {damage}; it can be replayed up to there, and a new session can continue from there"
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
    /// Returns the short reason, and the rest (remedy, operation, path) to append.
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

/// Returns what helps. Records that were acknowledged are on disk, and a failed later write does
/// not damage them. A failing disk may still return anything.
fn advice(error: &io::Error) -> &'static str {
    // The standard library has no error kind for a failing device.
    if error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error()) {
        return "the disk or its connection fails: look at the system's log, copy the sessions to another disk, check \
                them with `overrule sessions verify`, then resume there";
    }
    match error.kind() {
        io::ErrorKind::StorageFull => {
            "make room on the disk (bytes, or files: `df`, `df -i`), then resume: everything acknowledged is there"
        }
        io::ErrorKind::QuotaExceeded => {
            "the quota of this user or group is used up, regardless of free disk space: delete files or have it \
             raised (`quota`), then resume: everything acknowledged is there"
        }
        io::ErrorKind::FileTooLarge => {
            "no file may grow further here, regardless of free disk space: raise the limit (`ulimit -f`), or move the \
             session to a file system with larger files, then resume: everything acknowledged is there"
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            "the file system is read-only, as some become after an error: look at the system's log and mount it for \
             writing, or name another place with --sessions DIR"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            "check the permissions or name another place with --sessions DIR"
        }
        io::ErrorKind::InvalidInput => "name the directory of a session or its file",
        io::ErrorKind::NotFound => "check the path or name another place with --sessions DIR",
        _ => "check the disk, then resume: everything acknowledged is there",
    }
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::*;

    /// The message if the system refuses a write with this number.
    fn write_error(number: Errno) -> String {
        let source = io::Error::from_raw_os_error(number.raw_os_error());
        Error::io("write the journal", Path::new("/s/journal.jsonl"), source).to_string()
    }

    #[test]
    fn each_reason_why_nothing_can_be_written_has_the_advice_that_helps() {
        let all = [
            (Errno::NOSPC, "make room on the disk"),
            (Errno::DQUOT, "quota of this user or group"),
            (Errno::FBIG, "`ulimit -f`"),
            (Errno::ROFS, "mount it for writing"),
            (Errno::IO, "copy the sessions to another disk"),
        ];
        for (number, helps) in all {
            let words = write_error(number);
            for (_, other) in all {
                assert_eq!(words.contains(other), other == helps, "{number:?}: {words}");
            }
            // Only where more than room is wanted is room no help.
            assert_eq!(words.contains("make room"), number == Errno::NOSPC, "{words}");
            let stored = words.contains("everything acknowledged is there");
            assert_eq!(stored, !matches!(number, Errno::ROFS | Errno::IO), "{words}");
            assert!(
                words.ends_with(|last: char| !last.is_whitespace()) && !words.contains("  "),
                "{words}"
            );
        }
        assert!(
            write_error(Errno::NODEV).contains("check the disk"),
            "what is not known better"
        );
    }
}
