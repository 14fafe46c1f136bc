//! Reads JSON text by tokens, writes canonical JSON, and makes domain-tagged hashes.
//!
//! Must not know: what is hashed.
//!
//! - [`canonical`] and [`canonical_text`]: one spelling for equal JSON values.
//! - [`hash`]: BLAKE3 over a tag and a list of parts, each preceded by its length, so that
//!   different lists never give the same bytes to hash.
//! - [`digest`]: the same as bytes. [`short_hash`]: its beginning, to distinguish many things.
//! - [`Lexer`]: the tokens of any text with their positions; every reader of JSON text uses it.
//! - [`mod@pointer`]: changes values by JSON pointer.
//! - [`scan`]: what in a JSON text would be lost or changed by reading it as a value.
//! - [`Tree`]: a value that keeps the digits of its numbers, read from text that is almost JSON too.

mod canonical;
mod grammar;
mod hash;
mod lex;
mod number;
pub mod pointer;
mod scan;
mod tree;

#[cfg(test)]
mod tests;

pub use canonical::{Error, canonical, canonical_text};
pub use grammar::MAX_DEPTH;
pub use hash::{Digest, digest, hash, short_hash};
pub use lex::{Inside, Lexer, Token, TokenKind, depths};
pub use scan::{Oddity, OddityKind, scan, scan_up_to};
pub use tree::{Fault, Reading, Slip, SlipKind, Tree};
