//! The log of a server: its standard error, and what it did wrong.
//!
//! Must not know: the protocol, screens.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::redaction::Redaction;
use overrule_base::text::{visible, visible_head};
use overrule_regular_file as regular_file;

/// Maximum number of bytes written to a file.
const FILE: u64 = 4 << 20;
/// Bytes kept until there is a place for the file.
const EARLY: usize = 64 * 1024;
/// Lines kept in memory.
const LINES: usize = 50;
/// Characters kept of a line in memory.
const LINE: usize = 400;
/// Bytes after which a line is broken.
const BREAK: usize = 4096;

/// Where a server's words go.
#[derive(Debug, Default)]
pub(super) struct ServerLog {
    kept: Mutex<Kept>,
    redaction: Arc<Redaction>,
}

#[derive(Debug, Default)]
struct Kept {
    path: Option<PathBuf>,
    file: Option<File>,
    bytes: u64,
    /// What was said before there was a place for the file.
    early: String,
    last: VecDeque<String>,
    /// A line that has not ended yet.
    open: Vec<u8>,
}

impl ServerLog {
    /// Creates a log that also goes to a file.
    pub(super) fn new(path: Option<PathBuf>, redaction: Arc<Redaction>) -> Self {
        let kept = Kept {
            path,
            ..Kept::default()
        };
        Self {
            kept: Mutex::new(kept),
            redaction,
        }
    }

    /// Returns a text without the keys of the server.
    pub(super) fn clean<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.redaction.apply(text)
    }

    /// Adds a line of the program's own.
    pub(super) fn note(&self, line: &str) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.line(&format!("overrule: {}", self.clean(line)));
    }

    /// Adds bytes of the server, in the visible form.
    pub(super) fn push(&self, bytes: &[u8]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        for byte in bytes {
            if *byte != b'\n' {
                kept.open.push(*byte);
            }
            if *byte == b'\n' {
                kept.end_line(&self.redaction);
            } else if !kept.open.is_empty() && kept.open.len().is_multiple_of(BREAK) {
                kept.break_line(&self.redaction);
            }
        }
    }

    /// Ends a line that the server did not end.
    fn end(&self) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if !kept.open.is_empty() {
            kept.end_line(&self.redaction);
        }
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
    /// Breaks a long line, but not within a key: the line continues while all of it may be one.
    fn break_line(&mut self, redaction: &Redaction) {
        let at = redaction.cut(&self.open);
        if at > 0 {
            let rest = self.open.split_off(at);
            self.end_line(redaction);
            self.open = rest;
        }
    }

    fn end_line(&mut self, redaction: &Redaction) {
        let line = std::mem::take(&mut self.open);
        self.line(&redaction.apply(String::from_utf8_lossy(&line).trim_end()));
    }

    fn line(&mut self, line: &str) {
        self.write(&format!("{}\n", visible(line)));
        if self.last.len() == LINES {
            self.last.pop_front();
        }
        self.last.push_back(visible_head(line, LINE));
    }

    fn write(&mut self, line: &str) {
        if self.bytes >= FILE {
            return;
        }
        self.bytes += line.len() as u64;
        if self.file.is_none()
            && let Some(path) = &self.path
        {
            // A server may speak before its session exists.
            let dir = path.parent().filter(|dir| dir.parent().is_some_and(Path::is_dir));
            let Some(dir) = dir else {
                if self.early.len() < EARLY {
                    self.early.push_str(line);
                }
                return;
            };
            let made = std::fs::create_dir_all(dir).is_ok();
            self.file = made.then(|| regular_file::append(path).ok()).flatten();
            match &mut self.file {
                Some(file) => _ = file.write_all(std::mem::take(&mut self.early).as_bytes()),
                None => self.path = None,
            }
        }
        if let Some(file) = &mut self.file {
            // A log that cannot be written must not end the server.
            let _ = file.write_all(line.as_bytes());
            if self.bytes >= FILE {
                let _ = file.write_all(b"overrule: the log is full, the rest is left out\n");
            }
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
    log.end();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_server_are_written_in_the_visible_form() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("servers/a.log");
        let log = ServerLog::new(Some(path.clone()), Arc::default());
        log.push(b"red \x1b[31m\xff te");
        log.note("between");
        log.push(b"xt\n\nnew");
        log.push(&[b'x'; BREAK]);
        log.end();
        let text = std::fs::read_to_string(path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..3],
            ["overrule: between", "red ⟨U+001B⟩[31m\u{fffd} text", ""]
        );
        assert_eq!(lines.len(), 5, "a line without an end is broken: {lines:?}");
        assert_eq!(log.last()[1], lines[1]);
    }

    #[test]
    fn a_key_at_the_break_of_a_long_line_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("servers/a.log");
        let redaction = Arc::new(Redaction::default());
        redaction.add("canary-of-the-server");
        for before in BREAK - 19..BREAK {
            let log = ServerLog::new(Some(path.clone()), Arc::clone(&redaction));
            log.push("x".repeat(before).as_bytes());
            log.push(b"canary-of-the-server and more\n");
            let text: String = log.last().concat();
            assert!(text.contains("[redacted 20 bytes] and more"), "{before}: {text}");
        }
        let text = std::fs::read_to_string(path).unwrap();
        assert!(
            !text.contains("canary") && !text.contains("server"),
            "no part of it"
        );
    }

    #[test]
    fn a_key_of_several_lines_or_longer_than_a_line_is_removed() {
        let line = |at: usize| format!("canary{at:02}{}", "k".repeat(56));
        let lines: Vec<String> = (0..30).map(line).collect();
        let block = format!(
            "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
            lines.join("\n")
        );
        let words: Vec<String> = (0..2_000).map(|at| format!("canary{at:04}")).collect();
        let long = words.concat();
        for (secret, printed) in [
            (block.clone(), block.clone()),
            (block.replace('\n', "\r\n"), block.clone()),
            (block.clone(), format!("key: {}", block.replace('\n', "\r\n"))),
            (block.clone(), lines[3].clone()),
            (long.clone(), long.clone()),
            (long.clone(), format!("key: {long} and more")),
            (long.clone(), format!("{}{long}", "x".repeat(BREAK - 1))),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("servers/a.log");
            std::fs::create_dir(path.parent().unwrap()).unwrap();
            let redaction = Arc::new(Redaction::default());
            redaction.add(&secret);
            let log = ServerLog::new(Some(path.clone()), redaction);
            log.push(format!("{printed}\nthe end\n").as_bytes());
            log.end();
            let text = std::fs::read_to_string(path).unwrap() + &log.last().concat();
            assert!(!text.contains("canary"), "{text}");
            assert!(text.contains("redacted") && text.contains("the end"), "{text}");
        }
    }
}
