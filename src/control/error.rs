//! Errors between two processes.
//!
//! Must not know: exit codes.

use std::io;
use std::path::Path;

use overrule_base::text::visible;

/// Why a socket could not be created, or a command not be handed over.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no directory for a socket.
    #[error("there is no directory for the control socket: set XDG_RUNTIME_DIR to a directory of yours")]
    NoPlace,
    /// Another user could have put this directory or socket there.
    #[error("{path} is not used for control: {why}; remove it, or set XDG_RUNTIME_DIR to another directory")]
    Unsafe {
        /// The path.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// The operating system refused.
    #[error("failed to {doing} {path}: {source}; set XDG_RUNTIME_DIR to a directory of yours")]
    Io {
        /// What was attempted.
        doing: &'static str,
        /// The path it was attempted on.
        path: String,
        /// The underlying error.
        source: io::Error,
    },
    /// The process that holds the session takes no commands.
    #[error("it takes no commands from other processes")]
    NoSocket,
    /// A different process listens on the socket.
    #[error(
        "the socket {path} is not that of the process that has the session open: {why}; nothing was sent"
    )]
    Stranger {
        /// The path of the socket.
        path: String,
        /// What was expected, and what was found.
        why: String,
    },
    /// The command is longer than a message may be.
    #[error("the command has {bytes} bytes and {most} are allowed; nothing was sent")]
    TooLong {
        /// Its length in bytes.
        bytes: usize,
        /// The maximum.
        most: usize,
    },
    /// The holder took the connection and refused the message.
    #[error("the process that has the session open did not take the command: {why}")]
    NotTaken {
        /// The reason, in its words.
        why: String,
    },
    /// It is unknown whether the command arrived.
    #[error(
        "the process that has the session open gave no answer ({why}): it is unknown whether the command took effect; \
         hint: check with `overrule queue` or `overrule graph` before you repeat it"
    )]
    NoAnswer {
        /// What happened instead of an answer.
        why: String,
    },
}

impl Error {
    pub(super) fn io(doing: &'static str, path: &Path, source: io::Error) -> Self {
        let path = shown(path);
        Self::Io { doing, path, source }
    }

    pub(super) fn unsafe_place(path: &Path, why: impl Into<String>) -> Self {
        Self::Unsafe {
            path: shown(path),
            why: why.into(),
        }
    }
}

/// Formats a path for a message.
pub(super) fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy())
}
