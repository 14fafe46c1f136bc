//! A model that says what another one said, turn by turn, whatever happens to its calls. Must not know: whose
//! words they are.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::choose::Block;
use super::model::{Out, stopped};
use crate::domain::turn::{Stop, StreamFault};
use crate::model::{Chunk, Model, Request};

/// A model that plays back a recording.
#[derive(Debug, Clone)]
pub struct Played {
    name: String,
    turns: Arc<[Vec<Block>]>,
}

impl Played {
    /// Creates a model that says these turns, and repeats the last one if more are requested.
    pub fn new(name: String, turns: Vec<Vec<Block>>) -> Self {
        Self {
            name,
            turns: turns.into(),
        }
    }
}

impl Model for Played {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn ask(
        &self,
        request: Request,
        chunks: mpsc::Sender<Chunk>,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<(), StreamFault>> {
        Box::pin(async move {
            let at = (request.turn as usize).checked_sub(1);
            let turn = at.and_then(|at| self.turns.get(at)).or(self.turns.last());
            let blocks = turn.map_or(&[][..], Vec::as_slice);
            let calls = blocks.iter().any(|block| matches!(block, Block::Call { .. }));
            let mut out = Out::at_once(&chunks);
            let play = async {
                out.blocks(blocks).await?;
                out.send(Chunk::Finish(if calls { Stop::Calls } else { Stop::End }))
                    .await
            };
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(stopped()),
                done = play => done,
            }
        })
    }
}
