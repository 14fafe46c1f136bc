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
/// How long the next line of a message may take.
const QUIET: Duration = Duration::from_secs(1);
/// How long the end of a line may take behind a whole message.
const SOON: Duration = Duration::from_millis(50);

/// Why a connection was closed by this side.
pub(super) type Closed = Arc<OnceLock<String>>;

/// A connection by lines.
pub(super) struct Lines<R, W> {
    output: R,
    /// The line that is being received. It is kept here, so that nothing is lost if a receive is dropped.
    line: Vec<u8>,
    /// Length of the line when it was found not to be whole.
    looked: usize,
    frames: Frames,
    /// True if the rest of a message in several lines is waited for, however long its server pauses.
    is_patient: bool,
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
            looked: 0,
            frames: Frames::default(),
            is_patient: false,
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

    /// Reads what there is after a time without output. A message that is only cut is waited for: the time limit of the call
    /// is its limit.
    fn pause(&mut self) {
        self.is_patient = self.frames.is_cut();
        if !self.is_patient {
            self.settle();
        }
    }

    /// Reads what there is.
    fn settle(&mut self) {
        if self.frames.is_waiting() {
            let text = self.frames.end();
            self.read(text.as_bytes());
        } else if Reader::stands_alone(&String::from_utf8_lossy(&self.line)) {
            let line = std::mem::take(&mut self.line);
            self.take_line(&line);
        }
        self.looked = self.line.len();
    }
}

/// What was received.
enum Part {
    /// A line without its end.
    Line(Vec<u8>),
    /// A part of a line, which is kept.
    Begun,
    /// The end of the output.
    End,
}

impl<R: AsyncBufRead + Unpin, W> Lines<R, W> {
    /// Receives a part of the output. A line that is too long ends it.
    async fn next_part(&mut self) -> Part {
        let received = match self.output.fill_buf().await {
            Ok(received) if !received.is_empty() => received,
            Ok(_) => return Part::End,
            Err(error) => {
                self.close_because(format!("its output cannot be read: {error}"));
                return Part::End;
            }
        };
        let end = received.iter().position(|byte| *byte == b'\n');
        let part = received.get(..end.unwrap_or(received.len())).unwrap_or_default();
        if self.line.len() + part.len() > FRAME {
            self.line.clear();
            self.close_because(format!("a message longer than {} MiB", FRAME >> 20));
            return Part::End;
        }
        self.line.extend_from_slice(part);
        let taken = part.len() + usize::from(end.is_some());
        self.output.consume(taken);
        match end {
            Some(_) => Part::Line(std::mem::take(&mut self.line)),
            None => Part::Begun,
        }
    }

    /// Receives a part of the output, or waits until a message has no further part.
    async fn step(&mut self) {
        let quiet = if self.frames.is_waiting() { QUIET } else { SOON };
        let may_be_whole = matches!(self.line.trim_ascii_end().last(), Some(b'}' | b']'));
        let waits = (self.frames.is_waiting() && !self.is_patient)
            || (may_be_whole && self.line.len() != self.looked);
        let probe = self.reader.probe_ends();
        let part = tokio::select! {
            part = self.next_part() => part,
            () = tokio::time::sleep(quiet), if waits => {
                self.pause();
                return;
            }
            () = tokio::time::sleep_until(probe.unwrap_or_else(Instant::now)), if probe.is_some() => {
                self.ready.extend(self.reader.give_up_probe());
                return;
            }
        };
        self.is_patient = false;
        match part {
            Part::Line(line) => self.take_line(&line),
            Part::Begun => {}
            Part::End => {
                let rest = std::mem::take(&mut self.line);
                self.take_line(&rest);
                self.settle();
                self.ended = true;
            }
        }
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

#[cfg(test)]
mod tests {
    use tokio::io::{BufReader, duplex, sink};

    use super::super::log::ServerLog;
    use super::super::told::Told;
    use super::*;

    /// Feeds parts with a long pause behind each, and returns how many messages were received after each of them.
    async fn received(parts: &[&str]) -> (Vec<usize>, Vec<String>) {
        let log = Arc::new(ServerLog::default());
        let told = Arc::new(Told::new(Arc::clone(&log)));
        let reader = Arc::new(Reader::new(Arc::clone(&log), told, false));
        let (mut server, output) = duplex(1 << 16);
        let mut lines = Lines::new(BufReader::new(output), sink(), reader, Closed::default());
        let mut counts = Vec::new();
        for part in parts {
            server.write_all(part.as_bytes()).await.unwrap();
            let mut count = 0;
            while let Ok(Some(_)) = tokio::time::timeout(QUIET * 60, lines.receive()).await {
                count += 1;
            }
            counts.push(count);
        }
        (counts, log.last())
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_in_several_lines_is_waited_for_while_it_is_cut() {
        let note = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n";
        for (parts, expected, skipped) in [
            (
                &[
                    "{\n\"jsonrpc\": \"2.0\",\n",
                    "\"method\":\n",
                    "\"notifications/tools/list_changed\"\n}\n",
                ][..],
                &[0, 0, 1][..],
                0,
            ),
            // Another message ends the wait.
            (&["{\n\"jsonrpc\": \"2.0\",\n", note], &[0, 1], 1),
            // What no text can complete is given up.
            (&["{\n oops: [}\n", note], &[0, 1], 1),
            (&["{\"a\": oops oops\n", note], &[0, 1], 1),
            (&[note, note], &[1, 1], 0),
        ] {
            let (counts, log) = received(parts).await;
            assert_eq!(counts, expected, "{parts:?}");
            let is_skipped = |line: &&String| line.contains("skipped what is no message");
            assert_eq!(
                log.iter().filter(is_skipped).count(),
                skipped,
                "{parts:?}: {log:?}"
            );
        }
    }
}
