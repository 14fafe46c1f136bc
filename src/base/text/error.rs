//! Errors of text that should be a visible form.
//!
//! Must not know: who wrote it.
//!
//! The messages contain characters as they are. Every display makes them visible like any other
//! text.

/// Text in the visible form that cannot be read back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An unknown mark.
    #[error(
        "`{mark}` between brackets is no mark: for a bracket itself write `⟨` or `⟩`, for others `\t`, `\n`, `\r`, \
         `\u{202e}`, `            `"
    )]
    UnknownMark {
        /// Its byte offset.
        at: usize,
        /// The text between the brackets, shortened.
        mark: String,
    },
    /// A bracket without its partner.
    #[error("this bracket has no partner: for the bracket itself write `{bracket}`")]
    Bracket {
        /// Its byte offset.
        at: usize,
        /// The bracket.
        bracket: char,
    },
    /// The mark of a byte in something that must be text.
    #[error("the mark of the byte 0x{byte:02x}, which is not UTF-8, cannot occur in text")]
    Byte {
        /// Its byte offset.
        at: usize,
        /// The byte.
        byte: u8,
    },
    /// An unreasonable number of blanks.
    #[error("the blanks counted here would make the text longer than {limit} bytes")]
    TooLong {
        /// Byte offset of the count.
        at: usize,
        /// The limit in bytes.
        limit: usize,
    },
}

impl Error {
    /// Returns the byte offset in the visible form.
    pub const fn at(&self) -> usize {
        match self {
            Self::UnknownMark { at, .. }
            | Self::Bracket { at, .. }
            | Self::Byte { at, .. }
            | Self::TooLong { at, .. } => *at,
        }
    }
}
