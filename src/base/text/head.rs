//! Shows the beginning of a text that is too long.
//!
//! Must not know: how long is too long.

use std::borrow::Cow;

use super::visible;

/// Returns the first characters of a text, and whether anything was cut.
pub fn head(raw: &str, most: usize) -> (&str, bool) {
    match raw.char_indices().nth(most) {
        Some((at, _)) => (raw.get(..at).unwrap_or(raw), true),
        None => (raw, false),
    }
}

/// Returns at most `most` characters of a text in the visible form; a cut text ends with `…`.
pub fn visible_head(raw: &str, most: usize) -> String {
    match head(raw, most) {
        (head, true) => visible(&format!("{head}…")),
        (all, false) => visible(all),
    }
}

/// Shortens a long text for a message. If it has more than `most` characters, returns its beginning
/// and the number of omitted ones.
pub fn excerpt(text: &str, most: usize) -> Cow<'_, str> {
    match head(text, most) {
        (all, false) => Cow::Borrowed(all),
        (head, true) => {
            let more = text.chars().count() - head.chars().count();
            Cow::Owned(format!("{head}… ({more} more characters)"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_shortened_to_its_beginning() {
        assert_eq!(excerpt("añb", 3), "añb");
        assert_eq!(excerpt("añbcd", 2), "añ… (3 more characters)");
    }

    #[test]
    fn only_truncated_text_has_an_ellipsis() {
        assert_eq!(visible_head("añb", 3), "añb");
        assert_eq!(visible_head("añb", 2), "añ…");
        assert_eq!(visible_head("a\u{202e}b", 2), "a⟨U+202E⟩…");
        assert_eq!(head("", 0), ("", false));
    }
}
