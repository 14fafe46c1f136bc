//! The model of an agent's conversation: to ask it is to answer the agent's pending request.
//!
//! Must not know: sessions, who decides.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::events::{Cutter, Form, RawEvent};
use super::run::{AgentRun, Pending};
use super::upstream::chain;
use super::{headers, overlay};
use crate::domain::transcript::Message;
use crate::domain::turn::{StreamFault, StreamFaultKind};
use crate::model::http::body::Body;
use crate::model::{Chunk, Model, Request, Way};

/// Maximum bytes of an error's body that are read for its reason.
const MAX_ERROR: usize = 1 << 20;
/// Maximum bytes of a reply.
const MAX_REPLY: usize = 64 << 20;

/// The model of one conversation.
pub struct AgentModel {
    run: Arc<AgentRun>,
    name: String,
}

impl AgentModel {
    /// Makes the model of a conversation, with its name for people.
    pub fn new(run: Arc<AgentRun>, name: String) -> Self {
        Self { run, name }
    }

    async fn converse(
        &self,
        request: Request,
        chunks: &mpsc::Sender<Chunk>,
        cancel: &CancellationToken,
    ) -> Result<(), StreamFault> {
        let pending = tokio::select! {
            pending = self.run.next_request() => pending,
            () = cancel.cancelled() => return Err(cancelled()),
        };
        let turn = self.run.turn(request.turn).await;
        let notes = notes(&request.messages);
        let body = self
            .run
            .with_state(|state| overlay::applied(state, &pending.request, &notes));
        request.tap.note(Way::Sent, body.as_bytes());
        let sent = self.run.upstream().send(
            pending.method.clone(),
            &pending.path,
            headers::for_model(&pending.headers),
            Bytes::from(body),
        );
        let response = tokio::select! {
            response = sent => response,
            () = cancel.cancelled() => return Err(cancelled()),
        };
        let mut response = match response {
            Ok(response) => response,
            Err(error) => {
                let fault = fault(StreamFaultKind::Network, error.to_string());
                pending.refuse(502, &fault.message);
                return Err(fault);
            }
        };
        let status = response.status();
        let form = form(&pending);
        let head = headers::for_agent(response.headers());
        if !status.is_success() {
            let bytes = read_error(&mut response).await;
            request.tap.note(Way::Received, &bytes);
            let fault = refused(status.as_u16(), &bytes);
            pending.answer(status, head, bytes);
            return Err(fault);
        }
        let mut reader = Reader {
            run: self.run.clone(),
            cutter: Cutter::new(form),
            body: Body::of_agent(pending.wire),
            texts: Texts::default(),
            known: 0,
            is_whole: false,
            out: Vec::new(),
            chunks,
        };
        self.run.begin_reply(turn, form, status, head, pending);
        let result = reader.read(&mut response, &request, cancel).await;
        self.run.end_reply(turn, result.is_ok());
        result
    }
}

/// How the reply to a request is divided.
fn form(pending: &Pending) -> Form {
    match (pending.streamed, pending.wire.is_lines()) {
        (false, _) => Form::Whole,
        (true, true) => Form::Lines,
        (true, false) => Form::Stream,
    }
}

/// The words of the console for this request alone.
fn notes(messages: &[Message]) -> Vec<Arc<str>> {
    let mut notes: Vec<Arc<str>> = messages
        .iter()
        .rev()
        .map_while(|message| match message {
            Message::Note { text, .. } => Some(text.clone()),
            _ => None,
        })
        .collect();
    notes.reverse();
    notes
}

/// Reads one reply.
struct Reader<'c> {
    run: Arc<AgentRun>,
    cutter: Cutter,
    body: Body,
    texts: Texts,
    /// Calls so far.
    known: usize,
    /// True once a reply in one piece was read.
    is_whole: bool,
    out: Vec<Chunk>,
    chunks: &'c mpsc::Sender<Chunk>,
}

impl Reader<'_> {
    async fn read(
        &mut self,
        response: &mut reqwest::Response,
        request: &Request,
        cancel: &CancellationToken,
    ) -> Result<(), StreamFault> {
        let mut length = 0;
        loop {
            let piece = tokio::select! {
                piece = response.chunk() => piece,
                () = cancel.cancelled() => return Err(cancelled()),
            };
            let piece =
                piece.map_err(|error| fault(StreamFaultKind::Network, chain(&error.without_url())))?;
            let Some(piece) = piece else { break };
            length += piece.len();
            request.tap.note(Way::Received, &piece);
            if length > MAX_REPLY {
                return Err(fault(
                    StreamFaultKind::Truncated,
                    format!("the reply is longer than {MAX_REPLY} bytes"),
                ));
            }
            let events = self.cutter.feed(&piece);
            let events = events.map_err(|error| fault(StreamFaultKind::Garbage, error.to_string()))?;
            for event in events {
                self.take(event).await?;
            }
        }
        if let Some(rest) = self.cutter.end_of_body() {
            self.take(rest).await?;
        }
        if self.is_whole {
            return Ok(());
        }
        let ended = self.body.end(&mut self.out);
        self.pass_on().await?;
        ended
    }

    async fn take(&mut self, event: RawEvent) -> Result<(), StreamFault> {
        let read = self.body.feed(&event.bytes, &mut self.out);
        if event.form == Form::Whole {
            // Read now, so that the calls are known before the event is.
            self.body.end(&mut self.out)?;
            self.is_whole = true;
        }
        let new = self
            .out
            .iter()
            .filter(|chunk| matches!(chunk, Chunk::Call { .. }));
        self.known += new.count();
        self.run.push(event, self.known);
        self.pass_on().await?;
        read
    }

    /// Hands the chunks to the engine.
    async fn pass_on(&mut self) -> Result<(), StreamFault> {
        for chunk in self.out.drain(..) {
            for chunk in self.texts.taken(&self.run, chunk) {
                self.chunks.send(chunk).await.map_err(|_| cancelled())?;
            }
        }
        Ok(())
    }
}

/// The input of calls that take any text, until it is complete: a run knows arguments as JSON.
#[derive(Default)]
struct Texts(Vec<(u32, String)>);

impl Texts {
    fn taken(&mut self, run: &AgentRun, chunk: Chunk) -> Vec<Chunk> {
        match chunk {
            Chunk::Call { part, id, name } => {
                if run.takes_text(&name) {
                    self.0.push((part, String::new()));
                }
                run.note_call(part, id.as_deref());
                vec![Chunk::Call { part, id, name }]
            }
            Chunk::Args { part, delta } => {
                if let Some((_, text)) = self.0.iter_mut().find(|(of, _)| *of == part) {
                    text.push_str(&delta);
                    return Vec::new();
                }
                run.note_args(part, &delta);
                vec![Chunk::Args { part, delta }]
            }
            Chunk::Sealed { part, opaque } => {
                let mut out = Vec::new();
                if let Some(at) = self.0.iter().position(|(of, _)| *of == part) {
                    let (_, text) = self.0.swap_remove(at);
                    let delta = serde_json::json!({ "input": text }).to_string();
                    run.note_args(part, &delta);
                    out.push(Chunk::Args { part, delta });
                }
                out.push(Chunk::Sealed { part, opaque });
                out
            }
            other => vec![other],
        }
    }
}

impl Model for AgentModel {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn ask(
        &self,
        request: Request,
        chunks: mpsc::Sender<Chunk>,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<(), StreamFault>> {
        Box::pin(async move { self.converse(request, &chunks, &cancel).await })
    }
}

fn fault(kind: StreamFaultKind, message: String) -> StreamFault {
    StreamFault {
        kind,
        message,
        retry_after_ms: None,
    }
}

fn cancelled() -> StreamFault {
    fault(StreamFaultKind::Truncated, "the request was withdrawn".to_owned())
}

async fn read_error(response: &mut reqwest::Response) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Ok(Some(piece)) = response.chunk().await {
        bytes.extend_from_slice(&piece);
        if bytes.len() > MAX_ERROR {
            break;
        }
    }
    bytes
}

fn refused(status: u16, body: &[u8]) -> StreamFault {
    let kind = match status {
        401 | 403 => StreamFaultKind::Auth,
        429 => StreamFaultKind::RateLimit,
        503 | 529 => StreamFaultKind::Overload,
        500.. => StreamFaultKind::Server,
        _ => StreamFaultKind::Request,
    };
    let body = String::from_utf8_lossy(body);
    let said = crate::text::redact(&crate::text::visible_head(&body, 300));
    fault(kind, format!("HTTP {status}: {said}"))
}
