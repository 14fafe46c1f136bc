//! Makes untrusted text in messages visible and short.
//!
//! Must not know: where it came from.

pub use overrule_base::text::visible;
use overrule_base::text::visible_head;

/// Maximum number of characters of foreign text in a message.
const EXCERPT: usize = 400;

/// Maximum number of characters of a foreign text that are searched for a key: longer than any key.
const SAMPLE: usize = 16 * 1024;

/// Returns the beginning of a foreign text, safe to show, on one line. The key must be removed from
/// it before [`cut`] shortens the message. In the other order the beginning of a key could remain.
pub fn sample(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    visible_head(&line, SAMPLE)
}

/// Shortens a message that contains a sample. Its content is already safe to show.
pub fn cut(mut message: String) -> String {
    // The program's own text comes first.
    if let Some((end, _)) = message.char_indices().nth(EXCERPT + 100) {
        message.truncate(end);
        message.push('…');
    }
    message
}

/// The beginning of a foreign text, safe to show, on one line.
pub fn excerpt(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    visible_head(&line, EXCERPT)
}
