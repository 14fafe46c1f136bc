//! A model that streams all calls in one turn and answers with the last result.
//!
//! Must not know: what the calls mean.

use futures_util::future::BoxFuture;
use overrule::domain::transcript::Message;
use overrule::domain::turn::{Stop, StreamFault};
use overrule::model::{Chunk, Model, Request};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The calls of one turn, each with the name of its tool.
pub struct OneTurn {
    /// What the run says of its model.
    pub name: String,
    /// In this order.
    pub calls: Vec<(&'static str, Value)>,
}

type Sent = Result<(), mpsc::error::SendError<Chunk>>;

impl OneTurn {
    async fn propose(&self, chunks: &mpsc::Sender<Chunk>) -> Sent {
        let delta = "Everything at once.".to_owned();
        chunks.send(Chunk::Text { part: 0, delta }).await?;
        for (part, (tool, args)) in (1..).zip(&self.calls) {
            call(chunks, part, tool, args).await?;
        }
        chunks.send(Chunk::Finish(Stop::Calls)).await
    }

    async fn answer(&self, chunks: &mpsc::Sender<Chunk>, result: &str) -> Sent {
        let value = result.lines().last().unwrap_or_default();
        let delta = format!("It comes to {value}.");
        chunks.send(Chunk::Text { part: 0, delta }).await?;
        chunks.send(Chunk::Finish(Stop::End)).await
    }
}

/// Streams one whole call.
async fn call(chunks: &mpsc::Sender<Chunk>, part: u32, tool: &str, args: &Value) -> Sent {
    let name = tool.to_owned();
    let delta = args.to_string();
    chunks.send(Chunk::Call { part, id: None, name }).await?;
    chunks.send(Chunk::Args { part, delta }).await?;
    chunks.send(Chunk::Sealed { part, opaque: None }).await
}

impl Model for OneTurn {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn ask(
        &self,
        request: Request,
        chunks: mpsc::Sender<Chunk>,
        _cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<(), StreamFault>> {
        Box::pin(async move {
            let last = request.messages.iter().rev().find_map(|message| match message {
                Message::Result { text, .. } => Some(text),
                _ => None,
            });
            let sent = match last {
                None => self.propose(&chunks).await,
                Some(text) => self.answer(&chunks, text).await,
            };
            // A closed channel means that the request was cancelled.
            sent.unwrap_or_default();
            Ok(())
        })
    }
}
