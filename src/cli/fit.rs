//! Fits lines to the width of a terminal; output to a file or pipe stays whole.
//!
//! Must not know: what the lines say.

use std::io::IsTerminal as _;

use unicode_segmentation::UnicodeSegmentation as _;

use overrule_console::ground::columns::Columns as _;

/// Columns below which nothing is fitted.
const LEAST: usize = 20;

/// Columns of the terminal on standard output; `None` for a file or pipe, or below [`LEAST`].
pub fn width() -> Option<usize> {
    let stdout = std::io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(&stdout).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns >= LEAST)
}

/// Cuts a line to a number of columns, with `…` if it is cut. A mark such as ⟨TAB⟩ is not cut in
/// two.
pub fn cut(line: &str, columns: usize) -> String {
    if line.columns() <= columns {
        return line.to_owned();
    }
    let mut stored = beginning(line, columns.saturating_sub(1)).to_owned();
    if let Some(open) = stored
        .rfind('⟨')
        .filter(|open| !stored.split_at(*open).1.contains('⟩'))
    {
        stored.truncate(open);
    }
    stored.truncate(stored.trim_end().len());
    stored.push('…');
    stored
}

/// The beginning of a text that fits into a number of columns.
fn beginning(text: &str, columns: usize) -> &str {
    let (mut used, mut end) = (0, 0);
    for (at, grapheme) in text.grapheme_indices(true) {
        used += grapheme.columns();
        if used > columns {
            break;
        }
        end = at + grapheme.len();
    }
    text.get(..end).unwrap_or_default()
}

/// Formats a name and a text after it, broken between words, with a hanging indent.
pub fn hanging(name: &str, words: &str, columns: usize) -> Vec<String> {
    let indent = name.columns();
    let room = columns.saturating_sub(indent).max(1);
    let mut lines: Vec<String> = Vec::new();
    for word in words.split(' ') {
        match lines.last_mut() {
            Some(line) if line.columns() + 1 + word.columns() <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    let blank = " ".repeat(indent);
    let lines = lines.into_iter().enumerate();
    lines
        .map(|(at, line)| format!("{}{line}", if at == 0 { name } else { &blank }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_at_columns_and_never_within_a_mark() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdef", 5), "abcd…");
        assert_eq!(cut("ab def", 4), "ab…");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!(cut("ab⟨U+202E⟩cd", 8), "ab…");
        assert_eq!(cut("ab⟨TAB⟩cdef", 9), "ab⟨TAB⟩c…");
    }

    #[test]
    fn words_are_broken_below_the_first_one() {
        assert_eq!(hanging("ab  ", "one two three", 11), ["ab  one two", "    three"]);
        assert_eq!(hanging("ab  ", "one two three", 80), ["ab  one two three"]);
        assert_eq!(
            hanging("ab  ", "extraordinary x", 8),
            ["ab  extraordinary", "    x"]
        );
    }
}
