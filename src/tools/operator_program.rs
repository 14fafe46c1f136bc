//! Runs a program of the operator outside any call: gives it a text, returns its output.
//!
//! Must not know: what the text says, what the output means.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};

use super::child::{self, Environment, Mark, Start, Started};
use super::errors::shown;

/// Number of bytes kept of a program's error output, to say why it failed.
const WORDS: usize = 2_000;
/// How long to wait for its outputs once it has ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A program of the operator.
#[derive(Debug, Clone)]
pub struct Program {
    /// The program with its arguments; empty for none.
    pub command: Vec<String>,
    /// Time limit.
    pub limit: Duration,
    /// Working directory.
    pub cwd: PathBuf,
    /// Environment variables.
    pub environment: Environment,
    /// Marks the process as a program of the operator, for as long as it is waited for.
    pub mark: Mark,
}

impl Program {
    /// Runs it to its end with a text on standard input, and returns at most `most` bytes of its output. The error is the
    /// reason as text. The program and its descendants are ended if the future is dropped.
    pub async fn run(&self, text: &str, most: usize) -> Result<String, String> {
        let Some((program, args)) = self.command.split_first() else {
            return Ok(String::new());
        };
        let name = shown(program);
        let what = Start {
            program: OsStr::new(program),
            args,
            cwd: &self.cwd,
            environment: &self.environment,
            confinement: None,
        };
        let started = child::start_marked(what, self.mark).await;
        let (mut started, mark) = started.map_err(|error| format!("cannot start `{name}`: {error}"))?;
        let (input, output, words) = {
            let child = &mut started.child;
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        };
        let text = text.to_owned();
        // A program that does not read its input has not failed.
        let give = tokio::spawn(async move {
            if let Some(mut input) = input {
                let _ = input.write_all(text.as_bytes()).await;
            }
        });
        let received = (tokio::spawn(hear(output, most)), tokio::spawn(hear(words, WORDS)));
        let Started {
            mut child, mut tree, ..
        } = started;
        let source = tokio::time::timeout(self.limit, child.wait()).await;
        // What it leaves behind is not the operator's.
        drop(mark);
        // Also end processes that it left running, which may hold the outputs open.
        let (_, _) = tokio::join!(tree.end(), child.wait());
        give.abort();
        let (ends, words) = (received.0.abort_handle(), received.1.abort_handle());
        let last = |received| async move { tokio::time::timeout(LAST_WORDS, received).await };
        let (output, content) = tokio::join!(last(received.0), last(received.1));
        ends.abort();
        words.abort();
        let limit = self.limit.as_millis();
        let status = source
            .map_err(|_| format!("`{name}` did not end within {limit} ms"))?
            .map_err(|error| format!("the end of `{name}` was not seen: {error}"))?;
        if status.success() {
            return Ok(output.ok().and_then(Result::ok).unwrap_or_default());
        }
        let words = content.ok().and_then(Result::ok).unwrap_or_default();
        let words = match words.trim() {
            "" => String::new(),
            words => format!(", and says: {}", shown(words)),
        };
        Err(format!("`{name}` ended with {status}{words}"))
    }
}

/// Reads an output to its end and keeps its beginning.
async fn hear(pipe: Option<impl AsyncRead + Unpin>, most: usize) -> String {
    let mut stored = Vec::new();
    let Some(mut pipe) = pipe else {
        return String::new();
    };
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
        let room = most.saturating_sub(stored.len());
        stored.extend(buffer.iter().take(count.min(room)));
    }
    String::from_utf8_lossy(&stored).into_owned()
}
