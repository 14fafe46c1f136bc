//! Carries messages over a server's standard input and output, one a line.
//!
//! Must not know: what the messages mean, how the server is started.
//!
//! A line that is no message is logged and skipped. A line above 16 MiB, and an answer to a question that was never
//! asked, end the connection: what follows cannot be trusted.

use std::collections::HashSet;
use std::future::Future;
use std::io;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex;

use super::log::ServerLog;
use overrule_base::text::visible_head;

/// Maximum number of bytes of one message.
const FRAME: usize = 16 << 20;
/// Characters of a bad line that are logged.
const SHOWN: usize = 200;

/// A connection by lines.
pub(super) struct Lines<R, W> {
    reader: R,
    /// The line that is being received. It is kept here, so that nothing is lost if a receive is dropped.
    line: Vec<u8>,
    writer: Arc<Mutex<Option<W>>>,
    log: Arc<ServerLog>,
    asked: HashSet<RequestId>,
    answered: HashSet<RequestId>,
    broken: bool,
}

impl<R, W> Lines<R, W> {
    pub(super) fn new(reader: R, writer: W, log: Arc<ServerLog>) -> Self {
        Self {
            reader,
            line: Vec::new(),
            writer: Arc::new(Mutex::new(Some(writer))),
            log,
            asked: HashSet::new(),
            answered: HashSet::new(),
            broken: false,
        }
    }

    /// Returns true if an answer with this id may be passed on.
    fn accepts(&mut self, id: &RequestId) -> bool {
        if self.asked.remove(id) {
            self.answered.insert(id.clone());
            return true;
        }
        if self.answered.contains(id) {
            self.log.note(&format!("skipped a second answer to request {id}"));
        } else {
            self.log.note(&format!(
                "closed: an answer to request {id}, which was never sent"
            ));
            self.broken = true;
        }
        false
    }
}

impl<R: AsyncBufRead + Unpin, W> Lines<R, W> {
    /// Receives one line without its end. `None` at the end of the output, or if the line is too long.
    async fn next_line(&mut self) -> Option<Vec<u8>> {
        loop {
            let received = match self.reader.fill_buf().await {
                Ok(received) if !received.is_empty() => received,
                Ok(_) => return None,
                Err(error) => {
                    self.log.note(&format!("cannot read its output: {error}"));
                    return None;
                }
            };
            let end = received.iter().position(|byte| *byte == b'\n');
            let part = received.get(..end.unwrap_or(received.len())).unwrap_or_default();
            if self.line.len() + part.len() > FRAME {
                self.log
                    .note(&format!("closed: a message longer than {FRAME} bytes"));
                return None;
            }
            self.line.extend_from_slice(part);
            let taken = part.len() + usize::from(end.is_some());
            self.reader.consume(taken);
            if end.is_some() {
                return Some(std::mem::take(&mut self.line));
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
        if let JsonRpcMessage::Request(request) = &message {
            self.asked.insert(request.id.clone());
        }
        let writer = Arc::clone(&self.writer);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut writer = writer.lock().await;
            let writer = writer.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
            writer.write_all(&line).await?;
            writer.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        while !self.broken {
            let line = self.next_line().await?;
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let message: RxJsonRpcMessage<RoleClient> = match serde_json::from_slice(&line) {
                Ok(message) => message,
                Err(error) => {
                    let words = visible_head(&self.log.clean(&String::from_utf8_lossy(&line)), SHOWN);
                    self.log
                        .note(&format!("skipped a line that is no message ({error}): {words}"));
                    continue;
                }
            };
            let answers = match &message {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                _ => None,
            };
            if answers.is_none_or(|id| self.accepts(&id)) {
                return Some(message);
            }
        }
        None
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        // A server ends when its input ends.
        self.writer.lock().await.take();
        Ok(())
    }
}
