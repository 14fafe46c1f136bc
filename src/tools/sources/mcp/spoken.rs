//! Which generation of the protocol a server speaks, remembered for its command line or address.
//!
//! Must not know: how a server is reached.
//!
//! It is remembered only if the question costs something: of a server that ends at it, or leaves it unanswered.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::task::spawn_blocking;

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
    /// With whether it was read from the file; `None` until it is looked for.
    now: Mutex<Option<(Generation, bool)>>,
    file: Option<PathBuf>,
}

impl Spoken {
    /// Knows where a server is remembered; `dir` is the directory of the accepted definitions.
    pub(super) fn new(dir: Option<&Path>, server: &ServerConfig) -> Self {
        let file = dir.map(|dir| dir.join(format!("{}.protocol", server.identity())));
        Self {
            now: Mutex::default(),
            file,
        }
    }

    fn now(&self) -> MutexGuard<'_, Option<(Generation, bool)>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what it speaks. Reads what is remembered the first time.
    pub(super) async fn get(&self) -> Generation {
        let now = *self.now();
        if let Some((now, _)) = now {
            return now;
        }
        let file = self.file.clone();
        let read = spawn_blocking(move || regular_file::read(&file?, MOST).ok());
        let text = read.await.ok().flatten().unwrap_or_default();
        let known = [Generation::Old, Generation::New].into_iter();
        let mut known = known.filter(|one| text.trim_ascii() == one.label().as_bytes());
        let read = (known.next().unwrap_or(Generation::Unknown), true);
        self.now().get_or_insert(read).0
    }

    /// True while it is what an earlier process remembered.
    pub(super) fn is_read(&self) -> bool {
        self.now().is_some_and(|(_, is_read)| is_read)
    }

    /// Sets how it is asked the next time.
    pub(super) fn set(&self, now: Generation) {
        *self.now() = Some((now, false));
    }

    /// Remembers what it speaks for later processes. The error says why it is not remembered.
    pub(super) async fn remember(&self, now: Generation) -> Result<(), String> {
        self.set(now);
        let Some(file) = self.file.clone() else {
            return Ok(());
        };
        let written = spawn_blocking(move || {
            let dir = file.parent().map_or(Ok(()), std::fs::create_dir_all);
            dir.and_then(|()| regular_file::replace(&file, now.label().as_bytes()))
        });
        let written = written.await.map_err(std::io::Error::other).flatten();
        written.map_err(|error| format!("cannot remember which protocol it speaks: {error}"))
    }
}
