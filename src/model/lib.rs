//! Talks to one provider and converts its stream to chunks.
//!
//! Must not know: the graph, the journal, approvals, when to retry.

mod chunk;
pub mod decode;
pub mod discover;
mod fault;
pub mod frame;
pub mod http;
pub mod quirk;
pub mod scripted;
mod show;
pub mod sse;
pub mod strict;
pub mod tap;
mod think;
mod torn;
mod usage;
pub mod wire;
pub mod written_call;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use overrule_domain::event::run::ToolCard;
use overrule_domain::id::TurnId;
use overrule_domain::transcript::Message;
use overrule_domain::turn::StreamFault;

pub use chunk::Chunk;
pub use quirk::{Quirk, Quirks};
pub use tap::{Tap, Way};

/// Parts of one message: what has more is no answer to wait for, and each costs some bookkeeping.
pub const MAX_PARTS: usize = 1 << 14;

/// One request to a model.
#[derive(Debug, Clone)]
pub struct Request {
    /// The system text.
    pub system: Arc<str>,
    /// The context.
    pub messages: Vec<Message>,
    /// The tools on offer, in order; empty to allow only an answer.
    pub tools: Vec<ToolCard>,
    /// The special forms that the server needs.
    pub quirks: Quirks,
    /// The JSON Schema that the final answer must fit, if this request may be answered with it.
    pub output_schema: Option<Arc<str>>,
    /// The turn of the reply.
    pub id: TurnId,
    /// Number of the model turn in the thread, counted from 1; 0 for a model that does not read the context.
    pub turn: u32,
    /// Observes the bytes that are sent and received.
    pub tap: Tap,
}

/// A model provider.
pub trait Model: Send + Sync {
    /// Returns the name for the header (`scripted: audit`, `gpt-4.1-mini at 127.0.0.1:11434`).
    fn name(&self) -> String;

    /// Returns the special forms of requests that the settings ask for.
    fn quirks(&self) -> Quirks {
        Quirks::new()
    }

    /// Returns true if a request needs the whole context. Otherwise it gets only the notes at the end of it, and the
    /// model reports [the bytes](Chunk::Sent) that it sent.
    fn reads_history(&self) -> bool {
        true
    }

    /// Sends a request and passes on chunks until the stream ends.
    ///
    /// Returns `Ok` after the end mark was sent, and `Err` for a stream that broke, never started or was cut
    /// off. Dropping the future or cancelling the token closes the connection.
    fn ask(
        &self,
        request: Request,
        chunks: mpsc::Sender<Chunk>,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<(), StreamFault>>;
}
