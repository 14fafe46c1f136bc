//! Talks to one provider and converts its stream to chunks.
//!
//! Must not know: the graph, the journal, approvals, when to retry.

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
use overrule_domain::transcript::Message;
use overrule_domain::turn::{Stop, StreamFault, Usage};

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
    /// Number of the model turn in the thread, counted from 1.
    pub turn: u32,
    /// Observes the bytes that are sent and received.
    pub tap: Tap,
}

/// A piece of a stream, the same for every provider. A part is one block of the message: text,
/// reasoning or a call. Parts are numbered from 0 in the order in which they began, whatever the
/// provider calls them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    /// More text of a part.
    Text {
        /// The part.
        part: u32,
        /// The new text.
        delta: String,
    },
    /// More reasoning of a part.
    Reasoning {
        /// The part.
        part: u32,
        /// The new text.
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
        /// The new text.
        delta: String,
    },
    /// All text of a part so far was reasoning, and so is what is added to it: its opening mark was missing.
    WasReasoning {
        /// The part.
        part: u32,
    },
    /// The server refused the form of the request. It was sent in another form before any part of
    /// the reply arrived.
    Learned {
        /// Name of the form.
        quirk: String,
        /// The server's words.
        words: String,
    },
    /// The model refused, with this text.
    Refused {
        /// Its words.
        words: String,
    },
    /// A part is complete; nothing more will be added to it.
    Sealed {
        /// The part.
        part: u32,
        /// What the provider added to it, as JSON text: a list of opaque blocks, of a call one object of members.
        opaque: Option<String>,
    },
    /// Something unknown to this program; shown, never dropped silently.
    Unknown {
        /// The raw data.
        raw: String,
    },
    /// Token counts; the last chunk wins.
    Usage(Usage),
    /// The end mark of the provider.
    Finish(Stop),
}

impl Chunk {
    /// True for a piece of the reply itself. What only keeps the connection open, counts or is unknown is none.
    pub fn is_content(&self) -> bool {
        match self {
            Self::Text { delta, .. } | Self::Reasoning { delta, .. } | Self::Args { delta, .. } => {
                !delta.is_empty()
            }
            Self::Call { .. }
            | Self::WasReasoning { .. }
            | Self::Refused { .. }
            | Self::Sealed { .. }
            | Self::Finish(_) => true,
            Self::Learned { .. } | Self::Unknown { .. } | Self::Usage(_) => false,
        }
    }
}

/// A model provider.
pub trait Model: Send + Sync {
    /// Returns the name for the header (`scripted: audit`, `gpt-4.1-mini at 127.0.0.1:11434`).
    fn name(&self) -> String;

    /// Returns the special forms of requests that the settings ask for.
    fn quirks(&self) -> Quirks {
        Quirks::new()
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
