//! Makes untrusted text in messages visible and short. Must not know: where it came from.

pub use crate::text::visible;
use crate::text::visible_head;

/// Maximum number of characters of foreign text in a message.
const EXCERPT: usize = 400;

/// Most characters of a foreign text out of which a key may still have to be taken: longer than any key is.
const SAMPLE: usize = 16 * 1024;

/// The beginning of a foreign text, safe to show, on one line. Before it goes into a message, the key is to be taken
/// out of it and the rest cut by [`cut`]: the other way round the beginning of a key could be left.
pub fn sample(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    visible_head(&line, SAMPLE)
}

/// A message that holds a sample, in the length of a message. What is in it is safe to show already.
pub fn cut(mut message: String) -> String {
    // The program's own words come first.
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
