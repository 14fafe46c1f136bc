//! Makes untrusted text in messages visible and short. Must not know: where it came from.

pub use crate::text::visible;
use crate::text::visible_head;

/// Maximum number of characters of foreign text in a message.
const EXCERPT: usize = 400;

/// Returns the beginning of a foreign text, safe to show, on one line.
pub fn excerpt(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    visible_head(&line, EXCERPT)
}
