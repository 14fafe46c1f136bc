//! The difference between two texts, line by line, for the screen.
//!
//! Must not know: what the texts are, colours.

use std::sync::Arc;
use std::time::Duration;

use similar::{ChangeTag, TextDiff};

/// Maximum size of texts that are compared line by line, in bytes.
const LIMIT: usize = 512 * 1024;
/// Maximum time to search the shortest difference. After it, a longer difference is used.
const PATIENCE: Duration = Duration::from_millis(200);
/// Unchanged lines shown around a change.
const AROUND: usize = 2;

/// Kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// In both.
    Same,
    /// Only in the old text.
    Removed,
    /// Only in the new text.
    Added,
    /// Unchanged lines left out, or a remark.
    Note,
}

/// A line of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its kind.
    pub change: Change,
    /// The line, not in its visible form.
    pub text: Arc<str>,
}

/// The line ending of a text; none for a single line.
fn ends(text: &str) -> Option<&'static str> {
    let all = text.bytes().filter(|byte| *byte == b'\n').count();
    match text.matches("\r\n").count() {
        _ if all == 0 => None,
        0 => Some("LF"),
        some if some == all => Some("CRLF"),
        _ => Some("CRLF and LF"),
    }
}

/// The difference between two texts.
pub fn lines(old: &str, new: &str) -> Vec<Line> {
    if old == new {
        return vec![note("no difference".to_owned())];
    }
    if old.len().max(new.len()) > LIMIT {
        let same = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
        return vec![note(format!(
            "too long to compare by line: {} bytes before, {} bytes now, equal up to byte {same}",
            old.len(),
            new.len()
        ))];
    }
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    let mut out = Vec::new();
    if let (Some(before), Some(now)) = (ends(old), ends(new))
        && before != now
    {
        out.push(note(format!("line ends: {before} before, {now} now")));
    }
    let mut last = 0;
    for group in diff.grouped_ops(AROUND) {
        if let Some(first) = group.first() {
            let start = first.old_range().start;
            if start > last {
                out.push(note(unchanged(start - last)));
            }
        }
        for op in &group {
            last = op.old_range().end;
            for change in diff.iter_changes(op) {
                let kind = match change.tag() {
                    ChangeTag::Equal => Change::Same,
                    ChangeTag::Delete => Change::Removed,
                    ChangeTag::Insert => Change::Added,
                };
                let text = change.value();
                out.push(Line {
                    change: kind,
                    text: text.strip_suffix('\n').unwrap_or(text).into(),
                });
                if change.missing_newline() && (old.ends_with('\n') != new.ends_with('\n')) {
                    out.push(note("no line break at the end".to_owned()));
                }
            }
        }
    }
    out
}

fn note(text: String) -> Line {
    Line {
        change: Change::Note,
        text: text.into(),
    }
}

fn unchanged(lines: usize) -> String {
    match lines {
        1 => "1 line unchanged".to_owned(),
        lines => format!("{lines} lines unchanged"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(old: &str, new: &str) -> String {
        let mut out = String::new();
        for line in lines(old, new) {
            out.push(match line.change {
                Change::Same => ' ',
                Change::Removed => '-',
                Change::Added => '+',
                Change::Note => '~',
            });
            out.push_str(&line.text);
            out.push('\n');
        }
        out
    }

    #[test]
    fn changed_lines_are_shown_with_context() {
        assert_eq!(
            marks("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\nfive\n6\n"),
            "~2 lines unchanged\n 3\n 4\n-5\n+five\n 6\n"
        );
        let one = marks("1\n2\n3\n4\n", "1\n2\n3\nfour\n");
        assert!(one.starts_with("~1 line unchanged\n"), "{one}");
    }

    #[test]
    fn different_line_endings_are_reported() {
        assert!(marks("a\nb\n", "a\r\nb\r\n").starts_with("~line ends: LF before, CRLF now\n"));
        assert!(marks("a\r\nb\r\n", "a\r\nb\n").starts_with("~line ends: CRLF before, CRLF and LF now\n"));
        assert!(!marks("a\r\nb\r\n", "a\r\nc\r\n").contains("line ends"));
        assert!(
            !marks("one", "two\r\n").contains("line ends"),
            "there was no end to compare with"
        );
    }

    #[test]
    fn a_missing_final_newline_is_reported() {
        assert!(marks("a\n", "a").contains("~no line break at the end"));
    }

    #[test]
    fn huge_texts_get_a_remark_instead() {
        let old = "a".repeat(LIMIT + 1);
        let text = marks(&old, &format!("{old}b"));
        assert!(text.contains("equal up to byte 524289"), "{text}");
    }
}
