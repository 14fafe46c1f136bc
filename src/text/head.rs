//! Shows the beginning of a text that is too long. Must not know: how long is too long.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_says_so_and_nothing_else_does() {
        assert_eq!(visible_head("añb", 3), "añb");
        assert_eq!(visible_head("añb", 2), "añ…");
        assert_eq!(visible_head("a\u{202e}b", 2), "a⟨U+202E⟩…");
        assert_eq!(head("", 0), ("", false));
    }
}
