//! Which generation of the protocol a server speaks, remembered for its command line or address.
//!
//! Must not know: how a server is reached.
//!
//! It is remembered only if the question costs something: of a server that ends at it, or leaves it unanswered.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use overrule_regular_file as regular_file;

use super::setup::ServerConfig;

/// Longest file in bytes.
const MOST: u64 = 64;

/// A generation of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Generation {
    /// It is asked by `server/discover`, then by `initialize`.
    Unknown,
    /// 2025-11-25 and before: `initialize`.
    Old,
    /// 2026-07-28: `server/discover`.
    New,
}

impl Generation {
    const fn label(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Old => "initialize",
            Self::New => "server/discover",
        }
    }
}

/// What a server speaks.
pub(super) struct Spoken {
    /// With whether it was read from the file.
    now: Mutex<(Generation, bool)>,
    file: Option<PathBuf>,
}

impl Spoken {
    /// Reads what is remembered of a server; `dir` is the directory of the accepted definitions.
    pub(super) fn new(dir: Option<&Path>, server: &ServerConfig) -> Self {
        let file = dir.map(|dir| dir.join(format!("{}.protocol", server.identity())));
        let text = file
            .as_deref()
            .and_then(|file| regular_file::read(file, MOST).ok());
        let text = text.unwrap_or_default();
        let known = [Generation::Old, Generation::New].into_iter();
        let mut known = known.filter(|one| text.trim_ascii() == one.label().as_bytes());
        Self {
            now: Mutex::new((known.next().unwrap_or(Generation::Unknown), true)),
            file,
        }
    }

    pub(super) fn get(&self) -> Generation {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    /// True while it is what an earlier process remembered.
    pub(super) fn is_read(&self) -> bool {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).1
    }

    /// Sets how it is asked the next time.
    pub(super) fn set(&self, now: Generation) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = (now, false);
    }

    /// Remembers what it speaks for later processes. The error says why it is not remembered.
    pub(super) fn remember(&self, now: Generation) -> Result<(), String> {
        self.set(now);
        let Some(file) = &self.file else { return Ok(()) };
        let dir = file.parent().map_or(Ok(()), std::fs::create_dir_all);
        let written = dir.and_then(|()| regular_file::replace(file, now.label().as_bytes()));
        written.map_err(|error| format!("cannot remember which protocol it speaks: {error}"))
    }
}
