//! Streams the text of a playbook in small pieces, at its own pace if there is an operator.
//!
//! Must not know: rules, templates.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::choose::{Block, NoScript, script};
use super::playbook::{Failure, Playbook};
use super::view::View;
use crate::show::{excerpt, visible};
use crate::{Chunk, Model, Request};
use overrule_domain::transcript::Message;
use overrule_domain::turn::{Stop, StreamFault, StreamFaultKind, Usage};

/// A model that follows a playbook.
#[derive(Debug, Clone)]
pub struct Scripted {
    playbook: Arc<Playbook>,
    pause: Option<Duration>,
}

impl Scripted {
    /// Creates a model that follows this playbook; `paced` if a person watches.
    pub fn new(playbook: Playbook, paced: bool) -> Self {
        let pause = paced.then(|| Duration::from_secs_f64((1.0 / playbook.tokens_per_s).min(10.0)));
        Self {
            playbook: Arc::new(playbook),
            pause,
        }
    }

    fn nothing(&self, view: &View, why: NoScript) -> StreamFault {
        let name = excerpt(&self.playbook.name);
        // The run counts insertions of the operator as turns too, and names the turn before this.
        let request = view.turn;
        let message = match why {
            NoScript::NoRule => format!(
                "the playbook `{name}` has no rule for request {request}: {}; add a `[[rule]]` whose `when` holds here",
                situation(view)
            ),
            NoScript::Fault(fault) => format!(
                "the playbook `{name}` cannot answer request {request} ({}): {}",
                situation(view),
                visible(&fault.to_string())
            ),
        };
        StreamFault {
            kind: StreamFaultKind::Script,
            message,
            retry_after_ms: None,
        }
    }

    async fn stream(&self, request: Request, chunks: &mpsc::Sender<Chunk>) -> Result<(), StreamFault> {
        let view = Arc::new(View::of(&request));
        let script = script(&self.playbook, &view).map_err(|why| self.nothing(&view, why))?;
        let mut out = Out {
            chunks,
            pause: self.pause,
            pieces: 0,
        };
        out.blocks(&script.blocks).await?;
        match script.fail {
            None => {}
            Some(Failure::Hang) => std::future::pending().await,
            Some(Failure::Fault(kind)) => {
                return Err(StreamFault {
                    kind,
                    message: format!(
                        "the playbook `{}` breaks the stream here",
                        excerpt(&self.playbook.name)
                    ),
                    retry_after_ms: None,
                });
            }
        }
        let usage = Usage {
            input: Some(estimate(&request)),
            output: Some(out.pieces),
            ..Usage::default()
        };
        out.send(Chunk::Usage(usage)).await?;
        let stop = if script.calls { Stop::Calls } else { Stop::End };
        out.send(Chunk::Finish(stop)).await
    }
}

impl Model for Scripted {
    fn name(&self) -> String {
        format!("scripted: {}", excerpt(&self.playbook.name))
    }

    fn ask(
        &self,
        request: Request,
        chunks: mpsc::Sender<Chunk>,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<(), StreamFault>> {
        Box::pin(async move {
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(stopped()),
                result = self.stream(request, &chunks) => result,
            }
        })
    }
}

/// Sends chunks, pausing after each piece of text.
pub(super) struct Out<'a> {
    chunks: &'a mpsc::Sender<Chunk>,
    pause: Option<Duration>,
    pieces: u64,
}

impl Out<'_> {
    pub(super) async fn blocks(&mut self, blocks: &[Block]) -> Result<(), StreamFault> {
        for (part, block) in blocks.iter().enumerate() {
            let part = part as u32;
            match block {
                Block::Reasoning(text) => {
                    self.pieces(text, |delta| Chunk::Reasoning { part, delta })
                        .await?;
                }
                Block::Text(text) => {
                    self.pieces(text, |delta| Chunk::Text { part, delta }).await?;
                }
                Block::Call { tool, args } => {
                    self.send(Chunk::Call {
                        part,
                        id: None,
                        name: tool.clone(),
                    })
                    .await?;
                    self.pieces(args, |delta| Chunk::Args { part, delta }).await?;
                }
            }
            self.send(Chunk::Sealed { part, opaque: None }).await?;
        }
        Ok(())
    }

    async fn pieces(&mut self, text: &str, chunk: impl Fn(String) -> Chunk) -> Result<(), StreamFault> {
        for piece in pieces(text) {
            self.send(chunk(piece.to_owned())).await?;
            self.pieces += 1;
            if let Some(pause) = self.pause {
                tokio::time::sleep(pause).await;
            }
        }
        Ok(())
    }

    pub(super) async fn send(&self, chunk: Chunk) -> Result<(), StreamFault> {
        self.chunks.send(chunk).await.map_err(|_| stopped())
    }
}

/// Splits a text into pieces about as long as tokens: a short word with the blank before it, or a part of a
/// long word.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    const LONGEST: usize = 6;
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut chars = rest.char_indices();
        chars.next()?;
        let end = chars
            .enumerate()
            .find(|(count, (_, c))| count + 1 >= LONGEST || c.is_whitespace())
            .map_or(rest.len(), |(_, (at, _))| at);
        let (piece, later) = rest.split_at(end);
        rest = later;
        Some(piece)
    })
}

/// Estimates the tokens of a request at four bytes each.
fn estimate(request: &Request) -> u64 {
    let bytes: usize = request
        .messages
        .iter()
        .map(|message| match message {
            Message::User { text, .. } | Message::Result { text, .. } | Message::Note { text, .. } => {
                text.len()
            }
            Message::Assistant {
                texts: content,
                calls,
            } => {
                content.iter().map(|content| content.text.len()).sum::<usize>()
                    + calls
                        .iter()
                        .map(|call| call.tool.len() + call.args.len())
                        .sum::<usize>()
            }
        })
        .sum();
    ((request.system.len() + bytes) / 4) as u64
}

/// Describes in a few words what a rule would have to match.
fn situation(view: &View) -> String {
    let newest: Vec<String> = view
        .newest()
        .map(|call| {
            let word = if call.is_ok() { "ok" } else { "error" };
            format!("{} {word}", call.label)
        })
        .collect();
    let results = if newest.is_empty() {
        "none".to_owned()
    } else {
        newest.join(", ")
    };
    let content = view.operator.as_deref().unwrap_or(&view.thought);
    excerpt(&format!("newest results {results}; newest words “{content}”"))
}

pub(super) fn stopped() -> StreamFault {
    StreamFault {
        kind: StreamFaultKind::Truncated,
        message: "the request was stopped here".to_owned(),
        retry_after_ms: None,
    }
}
