//! Untrusted text in messages: made visible and kept short. Must not know: where it came from.

pub use crate::text::visible;
use crate::text::visible_head;

/// Most characters of a foreign text that go into a message.
const EXCERPT: usize = 400;

/// The beginning of a foreign text, safe to show, on one line.
pub fn excerpt(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    visible_head(&line, EXCERPT)
}
