//! What can go wrong between two processes. Must not know: exit codes.

use std::io;
use std::path::Path;

use crate::text::visible;

/// Why a socket could not be made, or a command not be handed over.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is nowhere to put a socket.
    #[error("there is no directory for the control socket: set XDG_RUNTIME_DIR to a directory of yours")]
    NoPlace,
    /// A directory or socket that somebody else could have put there.
    #[error("{path} is not used for control: {why}; remove it, or set XDG_RUNTIME_DIR to another directory")]
    Unsafe {
        /// Which.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// The system refused.
    #[error("failed to {doing} {path}: {source}; set XDG_RUNTIME_DIR to a directory of yours")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On what.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// The process that holds the session takes no commands.
    #[error("it takes no commands from other processes")]
    NoSocket,
    /// Somebody else is behind the socket.
    #[error(
        "the socket {path} is not that of the process that has the session open: {why}; nothing was sent"
    )]
    Stranger {
        /// The socket.
        path: String,
        /// What was expected, what was found.
        why: String,
    },
    /// More than one message may hold.
    #[error("the command has {bytes} bytes and {most} are allowed; nothing was sent")]
    TooLong {
        /// Bytes of it.
        bytes: usize,
        /// The most.
        most: usize,
    },
    /// The holder took the connection and refused the message.
    #[error("the process that has the session open did not take the command: {why}")]
    NotTaken {
        /// In its words.
        why: String,
    },
    /// It is not known whether the command arrived.
    #[error(
        "the process that has the session open gave no answer ({why}): whether the command counts is not known; look \
         with `overrule queue` or `overrule graph` before you repeat it"
    )]
    NoAnswer {
        /// What happened instead.
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

/// A path for a message.
pub(super) fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy())
}
