//! The model of an agent's conversation: to ask it is to answer the agent's pending request.
//!
//! Must not know: sessions, who decides.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use hyper::StatusCode;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::conversation;
use super::reading::{ReadEvent, ReplyReader};
use super::rejection::Rejection;
use super::run::{self, AgentRun, Asked, FAILED, Head};
use super::secrets::{Received, Secrets};
use super::upstream::chain;
use super::{body_calls, headers, overlay, unread};
use overrule_domain::transcript::Message;
use overrule_domain::turn::{StreamFault, StreamFaultKind};
use overrule_model::http::compression::{self, Decompressor, MAX_REPLY};
use overrule_model::http::unpacker;
use overrule_model::wire::agent::AgentRequest;
use overrule_model::wire::openai_responses::is_text_call;
use overrule_model::{Chunk, Model, Request, Way};

/// Maximum bytes of an error's body that are read for its reason.
const MAX_ERROR: usize = 1 << 20;

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
        // Withdrawn once it is dropped.
        let question = self.run.question().await.ok_or_else(ended)?;
        let next = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(cancelled()),
            next = self.run.next_request(&question, request.id) => next,
        };
        let asked = next.ok_or_else(ended)?;
        let secrets = Secrets::of(&asked.incoming.headers, &asked.incoming.path);
        let result = self.relay(asked, &request, (chunks, cancel)).await;
        let result = result.map_err(|fault| StreamFault {
            message: secrets.hidden_in(&fault.message),
            ..fault
        });
        if let Err(fault) = &result {
            // Nothing where the reply has begun.
            self.run.refuse(StatusCode::BAD_GATEWAY, &fault.message).await;
        }
        result
    }

    /// Asks the model with a request of the agent, and gives the agent its reply.
    async fn relay(
        &self,
        asked: Asked,
        request: &Request,
        (chunks, cancel): (&mpsc::Sender<Chunk>, &CancellationToken),
    ) -> Result<(), StreamFault> {
        let Asked {
            incoming,
            begun,
            changes_nothing,
        } = asked;
        let secrets = Secrets::of(&incoming.headers, &incoming.path);
        let notes = notes(&request.messages);
        let own = Some((&*self.run, changes_nothing));
        let overlays = run::overlays(own, &incoming.others, &incoming.history).await;
        let overlays = overlays.ok_or_else(|| fault(StreamFaultKind::Request, FAILED.to_owned()))?;
        let hides = incoming.rejection == Rejection::Continuation;
        let restored = hides
            .then(|| overlay::put_back(&overlays, &incoming.request))
            .flatten();
        let body = overlay::applied(&overlays, restored.as_ref().unwrap_or(&incoming.request), &notes);
        let body = body.map_err(|error| fault(StreamFaultKind::Request, error.to_string()))?;
        request.tap.note(Way::Sent, body.bytes());
        let bytes = body.bytes().len() as u64;
        chunks
            .send(Chunk::Sent { bytes })
            .await
            .map_err(|_| cancelled())?;
        let is_begun = begun.is_some();
        let sent = async {
            if let Some(response) = begun {
                return Ok(response);
            }
            let head = headers::for_model(&incoming.headers);
            let (upstream, method) = (self.run.upstream(), incoming.method.clone());
            upstream
                .send(method, &incoming.path, head, body.bytes().clone())
                .await
        };
        let response = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(cancelled()),
            response = sent => response,
        };
        let mut response = response.map_err(|error| fault(StreamFaultKind::Network, error.to_string()))?;
        let status = response.status();
        let form = incoming.form();
        let mut head = headers::for_agent(response.headers());
        let unpacker = unpacker(&response, MAX_REPLY);
        if !status.is_success() {
            let mut bytes = read_error(&mut response).await;
            match unpacker.and_then(|unpacker| whole(unpacker, &bytes)) {
                Ok(unpacked) => {
                    head.remove(CONTENT_ENCODING);
                    bytes = unpacked;
                }
                Err(error @ (compression::Error::TooLarge(_) | compression::Error::TooMany(_))) => {
                    head.remove(CONTENT_ENCODING);
                    head.remove(CONTENT_TYPE);
                    bytes = error.to_string().into_bytes();
                }
                // What else cannot be unpacked passes as it is.
                Err(_) => {}
            }
            secrets.received(request.tap.clone()).note(&bytes);
            let leads_past = status.is_redirection() && head.contains_key(LOCATION);
            if leads_past || body_calls::may_be_in(&bytes) {
                let why = if leads_past {
                    unread::LEADS_PAST
                } else {
                    unread::HAS_CALL
                };
                return Err(fault(StreamFaultKind::Request, format!("HTTP {status}: {why}")));
            }
            let fault = refused(
                status.as_u16(),
                &secrets.hidden_in(&String::from_utf8_lossy(&bytes)),
            );
            self.run.answer(status, head, bytes).await;
            return Err(fault);
        }
        let mut unpacker = unpacker.map_err(|error| packed(&error))?;
        head.remove(CONTENT_ENCODING);
        let mut reader = Reader {
            run: self.run.clone(),
            reply: ReplyReader::new(incoming.wire, form),
            has_stored_tools: is_begun || conversation::has_stored_tools(&incoming.request),
            received: secrets.received(request.tap.clone()),
            texts: Texts::of(&incoming.request),
            chunks,
        };
        let (turn, headers) = (request.id, head);
        let head = Head { status, headers };
        self.run.begin_reply(turn, (incoming.wire, form), head).await;
        let result = reader.read((&mut response, &mut unpacker), cancel).await;
        self.run.end_reply(turn, result.is_ok()).await;
        result
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
    /// True where the model may call tools that are not in the request.
    has_stored_tools: bool,
    received: Received<'c>,
    reply: ReplyReader,
    texts: Texts,
    chunks: &'c mpsc::Sender<Chunk>,
}

impl Reader<'_> {
    async fn read(
        &mut self,
        (response, unpacker): (&mut reqwest::Response, &mut Decompressor),
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
            let is_end = piece.is_none();
            let piece = match piece {
                Some(piece) if unpacker.is_plain() => piece,
                Some(piece) => unpacker.feed(&piece).map_err(|error| packed(&error))?.into(),
                None => std::mem::take(unpacker)
                    .end()
                    .map_err(|error| packed(&error))?
                    .into(),
            };
            length += piece.len();
            if length > MAX_REPLY {
                self.received.note(&piece);
                return Err(fault(
                    StreamFaultKind::Truncated,
                    format!("the reply is longer than {MAX_REPLY} bytes"),
                ));
            }
            let mut events = Vec::new();
            let read = self.reply.feed(&piece, &mut events);
            let taken = self.take(events).await;
            // The agent does not wait for a file.
            self.received.note(&piece);
            taken?;
            read?;
            if is_end {
                break;
            }
        }
        let mut events = Vec::new();
        let read = self.reply.end(&mut events);
        self.take(events).await?;
        read
    }

    /// Hands events to the agent, as far as it may have them, and their chunks to the engine.
    async fn take(&mut self, events: Vec<ReadEvent>) -> Result<(), StreamFault> {
        for event in events {
            let chunks = event.chunks.iter().cloned();
            let chunks: Vec<Chunk> = chunks.flat_map(|chunk| self.texts.taken(chunk)).collect();
            let is_of_call = |chunk: &&Chunk| matches!(chunk, Chunk::Call { .. } | Chunk::Args { .. });
            let calls = chunks.iter().filter(is_of_call).cloned().collect();
            self.run.push(event, calls).await;
            for chunk in chunks {
                if let Chunk::Call { name, .. } = &chunk
                    && self.has_stored_tools
                {
                    self.run.meet_tool(name).await;
                }
                self.chunks.send(chunk).await.map_err(|_| cancelled())?;
            }
        }
        Ok(())
    }
}

/// The input of calls that take any text, until it is complete: a run knows arguments as JSON.
struct Texts {
    /// Tools whose calls take any text.
    tools: BTreeSet<String>,
    /// The calls that are not complete, by part.
    open: Vec<(u32, String)>,
}

impl Texts {
    fn of(request: &AgentRequest) -> Self {
        Self {
            tools: run::text_tools(request),
            open: Vec::new(),
        }
    }

    /// The chunks that the run gets for one of the reply.
    fn taken(&mut self, chunk: Chunk) -> Vec<Chunk> {
        match &chunk {
            Chunk::Call { part, name, .. } if self.tools.contains(name) => {
                self.open.push((*part, String::new()));
            }
            Chunk::Args { part, delta } => {
                if let Some((_, text)) = self.open.iter_mut().find(|(of, _)| of == part) {
                    text.push_str(delta);
                    return Vec::new();
                }
            }
            Chunk::Sealed { part, opaque } => {
                if let Some(at) = self.open.iter().position(|(of, _)| of == part) {
                    let (part, text) = self.open.swap_remove(at);
                    // Some servers make a call of a function of it: its arguments are JSON already.
                    let delta = if is_text_call(opaque.as_deref()) {
                        serde_json::json!({ "input": text }).to_string()
                    } else {
                        text
                    };
                    return vec![Chunk::Args { part, delta }, chunk];
                }
            }
            _ => {}
        }
        vec![chunk]
    }
}

impl Model for AgentModel {
    fn name(&self) -> String {
        self.name.clone()
    }

    /// The agent sends it.
    fn reads_history(&self) -> bool {
        false
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

/// Nothing is asked again: the conversation has ended.
fn ended() -> StreamFault {
    fault(
        StreamFaultKind::Request,
        "the conversation has ended in the proxy".to_owned(),
    )
}

/// Unpacks a whole body.
fn whole(mut unpacker: Decompressor, bytes: &[u8]) -> Result<Vec<u8>, compression::Error> {
    let mut all = unpacker.feed(bytes)?;
    all.extend(unpacker.end()?);
    Ok(all)
}

/// A compressed reply that cannot be unpacked.
fn packed(error: &compression::Error) -> StreamFault {
    fault(StreamFaultKind::Garbage, error.to_string())
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

/// What a refusal with this body is, which has no secrets: a cut could leave a part of one.
fn refused(status: u16, body: &str) -> StreamFault {
    let kind = match status {
        401 | 403 => StreamFaultKind::Auth,
        429 => StreamFaultKind::RateLimit,
        503 | 529 => StreamFaultKind::Overload,
        500.. => StreamFaultKind::Server,
        _ => StreamFaultKind::Request,
    };
    let said = overrule_base::text::visible_head(&overrule_base::text::redact(body), 300);
    fault(kind, format!("HTTP {status}: {said}"))
}
