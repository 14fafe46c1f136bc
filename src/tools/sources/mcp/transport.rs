//! Carries messages over a server's standard input and output, one a line.
//!
//! Must not know: what the messages mean, how the server is started.
//!
//! A line that is no message is logged and skipped. A line above 16 MiB, and an answer to a question that was never
//! asked, end the connection: what follows cannot be trusted.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::frames::Frames;
use super::reader::{Reader, Received};
use super::sending;

/// Maximum number of bytes of one message.
pub(super) const FRAME: usize = 16 << 20;
/// How long the rest of a message may take that has begun. A message without the end of its line is read after it, too.
const QUIET: Duration = Duration::from_secs(1);

/// Why a connection was closed by this side.
pub(super) type Closed = Arc<OnceLock<String>>;

/// A connection by lines.
pub(super) struct Lines<R, W> {
    output: R,
    /// The line that is being received. It is kept here, so that nothing is lost if a receive is dropped.
    line: Vec<u8>,
    frames: Frames,
    ready: VecDeque<RxJsonRpcMessage<RoleClient>>,
    writer: Arc<Mutex<Option<W>>>,
    reader: Arc<Reader>,
    closed: Closed,
    ended: bool,
}

impl<R, W> Lines<R, W> {
    pub(super) fn new(output: R, writer: W, reader: Arc<Reader>, closed: Closed) -> Self {
        Self {
            output,
            line: Vec::new(),
            frames: Frames::default(),
            ready: VecDeque::new(),
            writer: Arc::new(Mutex::new(Some(writer))),
            reader,
            closed,
            ended: false,
        }
    }

    fn close_because(&mut self, why: String) {
        self.ended = true;
        // The first reason counts.
        let _ = self.closed.set(why);
    }

    fn take_line(&mut self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        for text in self.frames.take(&text, FRAME, Reader::stands_alone) {
            self.read(text.as_bytes());
        }
    }

    fn read(&mut self, bytes: &[u8]) {
        for received in self.reader.read(bytes) {
            match received {
                Received::Message(message) => self.ready.push_back(*message),
                Received::NeverSent(id) => {
                    self.close_because(format!("an answer to request {id}, which was never sent"));
                }
            }
        }
    }

    /// Reads what there is after a time without output.
    fn settle(&mut self) {
        if self.frames.is_waiting() {
            let text = self.frames.end();
            self.read(text.as_bytes());
        } else if std::str::from_utf8(&self.line).is_ok_and(Reader::stands_alone) {
            let line = std::mem::take(&mut self.line);
            self.take_line(&line);
        }
    }
}

impl<R: AsyncBufRead + Unpin, W> Lines<R, W> {
    /// Receives one line without its end. `None` at the end of the output, or if the line is too long.
    async fn next_line(&mut self) -> Option<Vec<u8>> {
        loop {
            let received = match self.output.fill_buf().await {
                Ok(received) if !received.is_empty() => received,
                Ok(_) => return None,
                Err(error) => {
                    self.close_because(format!("its output cannot be read: {error}"));
                    return None;
                }
            };
            let end = received.iter().position(|byte| *byte == b'\n');
            let part = received.get(..end.unwrap_or(received.len())).unwrap_or_default();
            if self.line.len() + part.len() > FRAME {
                self.line.clear();
                self.close_because(format!("a message longer than {} MiB", FRAME >> 20));
                return None;
            }
            self.line.extend_from_slice(part);
            let taken = part.len() + usize::from(end.is_some());
            self.output.consume(taken);
            if end.is_some() {
                return Some(std::mem::take(&mut self.line));
            }
        }
    }

    /// Receives a line, the end of the output, or nothing for a time.
    async fn step(&mut self) {
        let waits = self.frames.is_waiting() || !self.line.is_empty();
        let probe = self.reader.probe_ends();
        let line = tokio::select! {
            line = self.next_line() => line,
            () = tokio::time::sleep(QUIET), if waits => {
                self.settle();
                return;
            }
            () = tokio::time::sleep_until(probe.unwrap_or_else(Instant::now)), if probe.is_some() => {
                self.ready.extend(self.reader.give_up_probe());
                return;
            }
        };
        if let Some(line) = line {
            self.take_line(&line);
            return;
        }
        let rest = std::mem::take(&mut self.line);
        self.take_line(&rest);
        self.settle();
        self.ended = true;
    }
}

impl<R, W> Transport<RoleClient> for Lines<R, W>
where
    R: AsyncBufRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.reader.sent(&message);
        let writer = Arc::clone(&self.writer);
        async move {
            let mut line = sending::text(&message)?;
            line.push('\n');
            let mut writer = writer.lock().await;
            let writer = writer.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
            writer.write_all(line.as_bytes()).await?;
            writer.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            if self.ended {
                return None;
            }
            self.step().await;
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        // A server ends when its input ends.
        self.writer.lock().await.take();
        Ok(())
    }
}
