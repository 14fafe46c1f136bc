//! What can be wrong with text that somebody typed in the visible form. Must not know: who typed it.

/// Text in the visible form that cannot be read back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A mark that means nothing.
    #[error(
        "`⟨{mark}⟩` at byte {at} is not a mark: write ⟨TAB⟩, ⟨LF⟩, ⟨CR⟩, ⟨U+202E⟩ or ⟨12 spaces⟩; \
         the bracket itself is ⟨U+27E8⟩"
    )]
    UnknownMark {
        /// Where it stands.
        at: usize,
        /// What stands between the brackets, shortened, in the visible form.
        mark: String,
    },
    /// A bracket without its partner.
    #[error("the bracket at byte {at} has no partner: write ⟨U+27E8⟩ or ⟨U+27E9⟩ for the bracket itself")]
    Bracket {
        /// Where it stands.
        at: usize,
    },
    /// A byte mark in something that must be text.
    #[error("`⟨0x{byte:02x}⟩` at byte {at} is a single byte that is not UTF-8, and this has to be text")]
    Byte {
        /// Where it stands.
        at: usize,
        /// Which byte.
        byte: u8,
    },
    /// A count of blanks beyond all reason.
    #[error("the blanks counted at byte {at} would make the text longer than {limit} bytes")]
    TooLong {
        /// Where the count stands.
        at: usize,
        /// The limit.
        limit: usize,
    },
}
