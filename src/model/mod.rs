//! Talks to one provider and turns its stream into chunks. Must not know: the graph, the journal,
//! approvals, when to try again.

pub mod decode;
pub mod discover;
pub mod openai_chat;
pub mod scripted;
mod show;
pub mod sse;
pub mod tap;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::domain::event::run::ToolCard;
use crate::domain::transcript::Message;
use crate::domain::turn::{Stop, StreamFault, Usage};

pub use tap::{Tap, Way};

/// Parts of one message: what has more is no answer to wait for, and each costs some bookkeeping.
pub const MAX_PARTS: usize = 1 << 14;

/// One request to a model.
#[derive(Debug, Clone)]
pub struct Request {
    /// System text.
    pub system: Arc<str>,
    /// The context.
    pub messages: Vec<Message>,
    /// Tools offered, in order; empty to allow only an answer.
    pub tools: Vec<ToolCard>,
    /// Counts the model turns of the thread, from 1.
    pub turn: u32,
    /// Who listens to what goes over the wire.
    pub tap: Tap,
}

/// A piece of a stream, the same for every provider. A part is one block of the message (a text, a
/// reasoning, a call), numbered from 0 in the order in which it began, whatever the provider calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    /// More text of a part.
    Text {
        /// The part.
        part: u32,
        /// What came.
        delta: String,
    },
    /// More reasoning of a part.
    Reasoning {
        /// The part.
        part: u32,
        /// What came.
        delta: String,
    },
    /// A call began.
    Call {
        /// The part.
        part: u32,
        /// The provider's id, if it gave one.
        id: Option<String>,
        /// Name of the tool.
        name: String,
    },
    /// More argument text of a call.
    Args {
        /// The part.
        part: u32,
        /// What came.
        delta: String,
    },
    /// A part is complete; nothing more of it will come.
    Sealed {
        /// The part.
        part: u32,
        /// Provider's opaque block that goes with it, as JSON text.
        opaque: Option<String>,
    },
    /// Something that this program does not know; shown, never dropped silently.
    Unknown {
        /// The raw data.
        raw: String,
    },
    /// Token counts; the last one counts.
    Usage(Usage),
    /// The end mark of the provider.
    Finish(Stop),
}

/// A provider.
pub trait Model: Send + Sync {
    /// Name for the header (`scripted: audit`, `gpt-4.1-mini at 127.0.0.1:11434`).
    fn name(&self) -> String;

    /// Asks, and sends chunks until the stream ends.
    ///
    /// Returns once: `Ok` after the end mark was sent, `Err` for a stream that broke, never came or
    /// was cut. Dropping the future or cancelling the token closes the connection.
    fn ask(
        &self,
        request: Request,
        chunks: mpsc::Sender<Chunk>,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<(), StreamFault>>;
}
