//! The log of a server: its standard error, and what it did wrong.
//!
//! Must not know: the protocol, screens.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::regular_file;
use crate::text::visible_head;

/// Maximum number of bytes written to a file.
const FILE: u64 = 4 << 20;
/// Bytes kept until there is a place for the file.
const EARLY: usize = 64 * 1024;
/// Lines kept in memory.
const LINES: usize = 50;
/// Characters kept of a line.
const LINE: usize = 400;

/// Where a server's words go.
#[derive(Debug, Default)]
pub(super) struct ServerLog {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    path: Option<PathBuf>,
    file: Option<File>,
    bytes: u64,
    /// What was said before there was a place for the file.
    early: Vec<u8>,
    last: VecDeque<String>,
    open: Vec<u8>,
}

impl ServerLog {
    /// Creates a log that also goes to a file.
    pub(super) fn new(path: Option<PathBuf>) -> Self {
        let kept = Kept {
            path,
            ..Kept::default()
        };
        Self {
            kept: Mutex::new(kept),
        }
    }

    /// Adds a line of the program's own.
    pub(super) fn note(&self, line: &str) {
        self.push(format!("overrule: {line}\n").as_bytes());
    }

    /// Adds bytes of the server.
    pub(super) fn push(&self, bytes: &[u8]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.write(bytes);
        kept.remember(bytes);
    }

    /// Returns the last lines, fit to be shown.
    pub(super) fn last(&self) -> Vec<String> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.last.iter().cloned().collect()
    }

    /// Returns the file, once something was written.
    pub(super) fn path(&self) -> Option<PathBuf> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.file.as_ref().and(kept.path.clone())
    }
}

impl Kept {
    fn write(&mut self, bytes: &[u8]) {
        if self.bytes >= FILE {
            return;
        }
        self.bytes += bytes.len() as u64;
        if self.file.is_none()
            && let Some(path) = &self.path
        {
            // A server may speak before its session exists.
            let dir = path.parent().filter(|dir| dir.parent().is_some_and(Path::is_dir));
            let Some(dir) = dir else {
                if self.early.len() < EARLY {
                    self.early.extend_from_slice(bytes);
                }
                return;
            };
            let made = std::fs::create_dir_all(dir).is_ok();
            self.file = made.then(|| regular_file::append(path).ok()).flatten();
            match &mut self.file {
                Some(file) => _ = file.write_all(&std::mem::take(&mut self.early)),
                None => self.path = None,
            }
        }
        if let Some(file) = &mut self.file {
            // A log that cannot be written must not end the server.
            let _ = file.write_all(bytes);
            if self.bytes >= FILE {
                let _ = file.write_all(b"\noverrule: the log is full, the rest is left out\n");
            }
        }
    }

    fn remember(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if *byte != b'\n' {
                if self.open.len() < LINE * 4 {
                    self.open.push(*byte);
                }
                continue;
            }
            let line = std::mem::take(&mut self.open);
            if self.last.len() == LINES {
                self.last.pop_front();
            }
            let line = String::from_utf8_lossy(&line);
            self.last.push_back(visible_head(line.trim_end(), LINE));
        }
    }
}

/// Copies an output to the log until it ends.
pub(super) async fn copy(pipe: Option<impl AsyncRead + Unpin>, log: &ServerLog) {
    let Some(mut pipe) = pipe else { return };
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
        log.push(buffer.get(..count).unwrap_or_default());
    }
}
