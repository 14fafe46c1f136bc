//! Displays untrusted text safely.
//!
//! Must not know: where text comes from.
//!
//! [`visible`] is total (any text), injective ([`parse_visible`] returns the text) and closed: its
//! output contains no control, invisible or direction-changing character, and no whitespace but
//! U+0020; only in an emoji that Unicode joins of several characters, the joiners stay as they are.
//! Everything that is not plain becomes a mark between `⟨` and `⟩`. Untrusted text cannot produce
//! these glyphs, nor those of [`FRAME`], because they are escaped themselves:
//!
//! | in the text | shown as |
//! |---|---|
//! | tab, line feed, carriage return | `⟨TAB⟩`, `⟨LF⟩`, `⟨CR⟩` |
//! | any other character that is not plain | `⟨U+202E⟩` |
//! | a run of 3 or more blanks, or blanks at the end | `⟨240 spaces⟩`, `⟨1 space⟩` |
//!
//! In the multi-line form `\n` ends a line, and up to [`MAX_INDENT`] blanks at the start of a line
//! stay as they are; everything else is the same. It stays injective, because a counted mark is
//! read back as that many blanks wherever it occurs, and nothing else reads as a mark.
//!
//! On an ASCII screen ([`shown_in_ascii`]) marks are between `<` and `>`, and every character
//! beyond ASCII has one. That form is injective too: a `<` that would begin what reads as a mark is
//! itself shown as `<U+003C>`, and every other one stays as it is.

mod address;
mod class;
mod emoji;
mod error;
mod escape;
mod head;
mod panicked;
mod parse;
mod redact;
mod screen;
mod script;
mod submit_warning;
mod survey;
mod visible;

#[cfg(test)]
mod tests;

pub use address::shown_address;
pub use class::FRAME;
pub use error::Error;
pub use escape::escaped;
pub use head::{excerpt, head, visible_head};
pub use panicked::panic_message;
pub use parse::{parse_lines, parse_visible};
pub use redact::{redact, redact_certain, redact_literals};
pub use screen::{FormGuard, in_ascii, shown_in_ascii};
pub use script::WarningKind;
pub use submit_warning::submit_warning;
pub use survey::{Hit, Survey, survey};
pub use visible::{
    Kind, MAX_CLUSTER, MAX_INDENT, MAX_MARKS, Span, line_spans, spans, visible, visible_line, visible_lines,
};
