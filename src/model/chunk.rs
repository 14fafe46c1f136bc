//! The pieces of a reply, the same for every provider.
//!
//! Must not know: formats.

use overrule_domain::turn::{Stop, Usage};

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
    /// Bytes of the request as it was sent, where it is made of more than the model was given.
    Sent {
        /// How many.
        bytes: u64,
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
            Self::Learned { .. } | Self::Unknown { .. } | Self::Sent { .. } | Self::Usage(_) => false,
        }
    }
}
