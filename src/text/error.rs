//! What can be wrong with text that somebody typed in the visible form. Must not know: who typed it.
//!
//! The words name characters as they are: whoever shows them makes them visible like any other text, and what can be read
//! then is exactly what is to be typed.

/// Text in the visible form that cannot be read back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A mark that means nothing.
    #[error(
        "`{mark}` between brackets is no mark: for a bracket itself write `⟨` or `⟩`, for others `\t`, `\n`, `\r`, \
         `\u{202e}`, `            `"
    )]
    UnknownMark {
        /// Where it stands.
        at: usize,
        /// What stands between the brackets, shortened.
        mark: String,
    },
    /// A bracket without its partner.
    #[error("this bracket has no partner: for the bracket itself write `{bracket}`")]
    Bracket {
        /// Where it stands.
        at: usize,
        /// Which one.
        bracket: char,
    },
    /// A byte mark in something that must be text.
    #[error("the mark of the byte 0x{byte:02x}, which is not UTF-8, cannot stand in what has to be text")]
    Byte {
        /// Where it stands.
        at: usize,
        /// Which byte.
        byte: u8,
    },
    /// A count of blanks beyond all reason.
    #[error("the blanks counted here would make the text longer than {limit} bytes")]
    TooLong {
        /// Where the count stands.
        at: usize,
        /// The limit.
        limit: usize,
    },
}

impl Error {
    /// The byte of the visible form at which it stands.
    pub const fn at(&self) -> usize {
        match self {
            Self::UnknownMark { at, .. }
            | Self::Bracket { at, .. }
            | Self::Byte { at, .. }
            | Self::TooLong { at, .. } => *at,
        }
    }
}
