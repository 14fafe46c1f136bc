//! The difference between two texts, line by line, for the screen.
//!
//! Must not know: what the texts are, colours.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use similar::{ChangeTag, DiffOp, TextDiff};

/// Maximum size of texts that are compared line by line, in bytes.
pub const LIMIT: usize = 512 * 1024;
/// Maximum time to search the shortest difference. After it, a longer difference is used.
const PATIENCE: Duration = Duration::from_millis(200);
/// Unchanged lines shown around a change.
pub const AROUND: usize = 2;
/// Unchanged lines shown around a change that the operator decides about.
pub const AROUND_DECIDED: usize = 3;
/// How a remark about unchanged lines ends.
const UNCHANGED: &str = " unchanged";
/// Longest line whose changed words are marked, in bytes.
const MARKED: usize = 2_000;
/// Lines that share less than this part of their words are marked as a whole: by their sign.
const ALIKE: f32 = 0.5;

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
    /// Its number from 1: in the new text, or in the old one if it is removed. None for a remark.
    pub no: Option<usize>,
    /// The bytes of it that differ from the line that it replaces or is replaced by.
    pub changed: Vec<Range<usize>>,
}

impl Line {
    /// True for the remark about unchanged lines that are left out.
    pub fn is_gap(&self) -> bool {
        self.change == Change::Note && self.text.ends_with(UNCHANGED)
    }

    /// Takes a line of a patch, whose first character says what it does.
    pub fn of_patch(line: &str) -> Self {
        let (change, text) = match (line.strip_prefix('+'), line.strip_prefix('-')) {
            (Some(text), _) => (Change::Added, text),
            (_, Some(text)) => (Change::Removed, text),
            _ => (Change::Same, line.strip_prefix(' ').unwrap_or(line)),
        };
        Self {
            change,
            text: text.into(),
            no: None,
            changed: Vec::new(),
        }
    }
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

/// The number of lines that are only in the old text, and only in the new one.
pub fn counts(old: &str, new: &str) -> (usize, usize) {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    let count = |tag| {
        diff.iter_all_changes()
            .filter(|change| change.tag() == tag)
            .count()
    };
    (count(ChangeTag::Delete), count(ChangeTag::Insert))
}

/// The difference between two texts.
pub fn lines(old: &str, new: &str) -> Vec<Line> {
    lines_around(old, new, AROUND)
}

/// The difference between two texts, with a number of unchanged lines around each change.
pub fn lines_around(old: &str, new: &str, around: usize) -> Vec<Line> {
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
    for group in diff.grouped_ops(around) {
        if let Some(first) = group.first() {
            let start = first.old_range().start;
            if start > last {
                out.push(note(unchanged(start - last)));
            }
        }
        for op in &group {
            last = op.old_range().end;
            let begins = out.len();
            for change in diff.iter_changes(op) {
                let kind = match change.tag() {
                    ChangeTag::Equal => Change::Same,
                    ChangeTag::Delete => Change::Removed,
                    ChangeTag::Insert => Change::Added,
                };
                let text = change.value();
                let index = match kind {
                    Change::Removed => change.old_index(),
                    _ => change.new_index(),
                };
                out.push(Line {
                    change: kind,
                    text: text.strip_suffix('\n').unwrap_or(text).into(),
                    no: index.map(|index| index + 1),
                    changed: Vec::new(),
                });
                if change.missing_newline() && (old.ends_with('\n') != new.ends_with('\n')) {
                    out.push(note("no line break at the end".to_owned()));
                }
            }
            if matches!(op, DiffOp::Replace { .. }) {
                mark_words(out.get_mut(begins..).unwrap_or_default());
            }
        }
    }
    out
}

/// Marks the words that differ in lines that replace as many others, in order.
fn mark_words(lines: &mut [Line]) {
    let places = |kind: Change, lines: &[Line]| -> Vec<usize> {
        let all = lines.iter().enumerate();
        all.filter(|(_, line)| line.change == kind)
            .map(|(at, _)| at)
            .collect()
    };
    let (old, new) = (places(Change::Removed, lines), places(Change::Added, lines));
    if old.len() != new.len() {
        return;
    }
    for (old, new) in old.into_iter().zip(new) {
        let text = |at: usize| lines.get(at).map(|line| Arc::clone(&line.text));
        let (Some(before), Some(after)) = (text(old), text(new)) else {
            continue;
        };
        if before.len().max(after.len()) > MARKED {
            continue;
        }
        let [was, is] = changed_words(&before, &after);
        for (at, changed) in [(old, was), (new, is)] {
            if let Some(line) = lines.get_mut(at) {
                line.changed = changed;
            }
        }
    }
}

/// The bytes that differ in each of two lines; none if the lines have little in common.
fn changed_words(old: &str, new: &str) -> [Vec<Range<usize>>; 2] {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_words(old, new);
    let mut ranges = [Vec::new(), Vec::new()];
    if diff.ratio() < ALIKE {
        return ranges;
    }
    let mut at = [0, 0];
    for change in diff.iter_all_changes() {
        let bytes = change.value().len();
        for (side, tag) in [ChangeTag::Delete, ChangeTag::Insert].into_iter().enumerate() {
            let is_here = change.tag() == ChangeTag::Equal || change.tag() == tag;
            let (Some(at), Some(ranges)) = (at.get_mut(side), ranges.get_mut(side)) else {
                continue;
            };
            if !is_here {
                continue;
            }
            if change.tag() == tag {
                let range: Range<usize> = *at..*at + bytes;
                match ranges.last_mut() {
                    Some(last) if last.end == range.start => last.end = range.end,
                    _ => ranges.push(range),
                }
            }
            *at += bytes;
        }
    }
    ranges
}

fn note(text: String) -> Line {
    Line {
        change: Change::Note,
        text: text.into(),
        no: None,
        changed: Vec::new(),
    }
}

fn unchanged(lines: usize) -> String {
    match lines {
        1 => format!("1 line{UNCHANGED}"),
        lines => format!("{lines} lines{UNCHANGED}"),
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
    fn changed_words_and_line_numbers_are_marked() {
        let found = lines("a\nlet x = 1;\nb\n", "a\nlet x = 27;\nb\n");
        let marked = |line: &Line| -> Vec<String> {
            let words = line
                .changed
                .iter()
                .map(|range| line.text[range.clone()].to_owned());
            words.collect()
        };
        let of = |kind: Change| found.iter().find(|line| line.change == kind).unwrap();
        assert_eq!(
            (of(Change::Removed).no, marked(of(Change::Removed))),
            (Some(2), vec!["1;".to_owned()])
        );
        assert_eq!(
            (of(Change::Added).no, marked(of(Change::Added))),
            (Some(2), vec!["27;".to_owned()])
        );
        assert!(
            found
                .iter()
                .filter(|line| line.change == Change::Same)
                .all(|line| line.changed.is_empty())
        );
        let other = lines("one two three\n", "nothing alike here\n");
        assert!(other.iter().all(|line| line.changed.is_empty()), "{other:?}");
        let more = lines("a b\n", "a c\nd\n");
        assert!(
            more.iter().all(|line| line.changed.is_empty()),
            "one line became two: {more:?}"
        );
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
