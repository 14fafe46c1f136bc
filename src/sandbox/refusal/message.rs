//! Finds messages about a refused access in an output, and the paths that they name.
//!
//! Must not know: which paths are allowed, what is on the disk.

use std::borrow::Cow;
use std::ops::Range;

/// Bytes of an output that are searched, from each end.
const MOST_OUTPUT: usize = 256 << 10;
/// Bytes of a line that are searched, on each side of the words.
const MOST_LINE: usize = 4096;
/// Lines between the words and the path, where they are not in one line.
const NEAR: usize = 5;

/// Why an access failed, as a message says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// The file system is read-only.
    ReadOnly,
    /// It is denied or not permitted.
    Denied,
    /// The path is in use: something is mounted there.
    Busy,
    /// There is nothing of that name: what is hidden reads so where its directory is covered.
    Missing,
}

/// The words of the C library, Go and Node.js, and the names of the errors.
const WORDS: [(&str, Reason); 10] = [
    ("read-only file system", Reason::ReadOnly),
    ("erofs", Reason::ReadOnly),
    ("permission denied", Reason::Denied),
    ("operation not permitted", Reason::Denied),
    ("eacces", Reason::Denied),
    ("eperm", Reason::Denied),
    ("device or resource busy", Reason::Busy),
    ("ebusy", Reason::Busy),
    ("no such file or directory", Reason::Missing),
    ("enoent", Reason::Missing),
];
/// Starts of lines that quote something: comments, differences, quotations, source in a message of a compiler.
const QUOTING: [&str; 8] = ["//", "#", "*", "+", "-", ">", "|", "<"];
/// Words of a line that says what failed, before the line that says why.
const FAILURES: [&str; 6] = ["error", "fail", "cannot", "could not", "couldn't", "unable"];
/// How a message of npm begins.
const NPM: [&str; 2] = ["npm err! ", "npm error "];
/// Quotation marks: the opening and the closing one.
const QUOTES: [(char, char); 5] = [('\'', '\''), ('"', '"'), ('`', '`'), ('‘', '’'), ('“', '”')];

/// A message about a refused access.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message<'a> {
    pub line: &'a str,
    pub reason: Reason,
    /// What may be the paths, as written.
    pub paths: Vec<&'a str>,
}

/// Calls for each message of an output, until it says that this is enough.
pub(super) fn each(output: &str, visit: &mut dyn FnMut(&Message) -> bool) {
    for part in ends(output) {
        let part = without_colours(part);
        let lines: Vec<&str> = part.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            if let Some(message) = read(&lines, at, line.trim_end())
                && !visit(&message)
            {
                return;
            }
        }
    }
}

/// The parts of an output that are searched.
fn ends(output: &str) -> Vec<&str> {
    if output.len() <= 2 * MOST_OUTPUT {
        return vec![output];
    }
    let start = boundary(output, MOST_OUTPUT);
    let end = boundary(output, output.len() - MOST_OUTPUT);
    vec![
        output.get(..start).unwrap_or_default(),
        output.get(end..).unwrap_or_default(),
    ]
}

/// The last place between two characters that is not after `at`.
fn boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Leaves out the sequences of a terminal: `ESC [ … letter`.
fn without_colours(text: &str) -> Cow<'_, str> {
    if !text.contains('\x1b') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\x1b[") {
        plain.push_str(before);
        let end = after.find(|c: char| !c.is_ascii_digit() && c != ';');
        rest = end.and_then(|end| after.get(end + 1..)).unwrap_or_default();
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

fn read<'a>(lines: &[&'a str], at: usize, line: &'a str) -> Option<Message<'a>> {
    let (words, reason) = words(line)?;
    let line = window(line, &words);
    // Its place in the window.
    let (words, _) = self::words(line)?;
    let (before, after) = (line.get(..words.start)?, line.get(words.end..)?);
    if is_quoting(line) || is_enclosed(before, after) {
        return None;
    }
    let mut paths = in_line(before, after);
    if paths.is_empty() {
        paths = in_other_lines(lines, at, before);
    }
    if paths.is_empty() && reason == Reason::ReadOnly {
        paths.extend(bare_name(before));
    }
    let is_any = !paths.is_empty();
    is_any.then_some(Message { line, reason, paths })
}

/// Where the words about the failure begin and end. One line may have them twice: `EROFS: read-only file system`.
fn words(line: &str) -> Option<(Range<usize>, Reason)> {
    let lower = line.to_ascii_lowercase();
    let mut found: Option<(Range<usize>, Reason)> = None;
    for (word, reason) in WORDS {
        let Some(start) = lower.find(word) else { continue };
        let end = start + word.len();
        let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let before = lower.get(..start).and_then(|text| text.chars().next_back());
        let after = lower.get(end..).and_then(|text| text.chars().next());
        if is_part(before) || is_part(after) {
            continue;
        }
        found = Some(match found {
            Some((range, first)) => (range.start.min(start)..range.end.max(end), first),
            None => (start..end, reason),
        });
    }
    found
}

/// Cuts a long line around the words.
fn window<'a>(line: &'a str, words: &Range<usize>) -> &'a str {
    let start = boundary(line, words.start.saturating_sub(MOST_LINE));
    let end = boundary(line, words.end.saturating_add(MOST_LINE));
    line.get(start..end).unwrap_or_default()
}

/// True for a line of source or of a difference: `12 | let x`, `+ text`.
fn is_quoting(line: &str) -> bool {
    let line = line.trim_start();
    let after = line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    QUOTING.iter().any(|start| line.starts_with(start)) || after.starts_with('|')
}

/// True if the words lie between quotation marks: they are a text that a program shows.
fn is_enclosed(before: &str, after: &str) -> bool {
    let is_odd = |mark: char| before.matches(mark).count() % 2 == 1 && after.contains(mark);
    is_odd('"') || is_odd('`') || is_open(before) && after.contains('\'')
}

/// True if a single quotation mark is opened and not closed.
fn is_open(text: &str) -> bool {
    let mut is_open = false;
    let mut last = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied().unwrap_or(' ');
        if c == '\'' && !(last.is_alphanumeric() && next.is_alphanumeric()) {
            is_open = !is_open;
        }
        last = c;
    }
    is_open
}

/// The texts between quotation marks. One inside of a word (`can't`) opens none.
fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut last = ' ';
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let before = std::mem::replace(&mut last, c);
        let Some((_, close)) = QUOTES.iter().find(|(open, _)| *open == c) else {
            continue;
        };
        if at < end || before.is_alphanumeric() {
            continue;
        }
        let start = at + c.len_utf8();
        let Some(rest) = text.get(start..) else { continue };
        let is_end = |(at, _): &(usize, &str)| {
            let after = rest
                .get(at + close.len_utf8()..)
                .and_then(|rest| rest.chars().next());
            !after.is_some_and(char::is_alphanumeric)
        };
        if let Some((length, _)) = rest.match_indices(*close).find(is_end) {
            found.extend(rest.get(..length));
            end = start + length + close.len_utf8();
        }
    }
    found
}

/// The paths that a line names: in quotation marks, or just before the words, or after them.
fn in_line<'a>(before: &'a str, after: &'a str) -> Vec<&'a str> {
    // After the words, it follows at once, or as the argument of a call: `: '/x'`, `, open '/x'`.
    let after_words = if after.starts_with([':', ',']) { after } else { "" };
    for part in [before, after_words] {
        let quoted: Vec<&str> = quoted(part).into_iter().filter(|text| !text.is_empty()).collect();
        if !quoted.is_empty() {
            return quoted;
        }
    }
    let parts: Vec<&str> = before
        .split(": ")
        .map(trimmed)
        .filter(|part| !part.is_empty())
        .collect();
    let parts_of_message = match parts.as_slice() {
        // The name of the program.
        [_, rest @ ..] if !rest.is_empty() => rest,
        all => all,
    };
    // A program may have said what it tried: `tar: /x: Cannot open: …`.
    let path = parts_of_message.iter().rev().find_map(|part| path_at_end(part));
    path.or_else(|| path_after(before, after)).into_iter().collect()
}

/// The path after the words, as zsh, Python and Ruby write it.
fn path_after<'a>(before: &str, after: &'a str) -> Option<&'a str> {
    let is_message = before.is_empty() || before.trim_end().ends_with([':', ']']);
    let path = match after.strip_prefix(" @ ") {
        Some(function) => function.split_once(" - ")?.1,
        None => after.strip_prefix(": ").filter(|_| is_message)?,
    };
    is_path(path).then(|| trimmed(path))
}

/// A name without a directory just before the words, after the name of the program.
fn bare_name(before: &str) -> Option<&str> {
    let (_, message) = before.trim_end().trim_end_matches(':').split_once(": ")?;
    // What was tried may come between: `tar: x: Cannot open`.
    let mut parts = message.rsplit(": ").map(str::trim);
    let is_name = |part: &&str| {
        !part.is_empty() && !part.contains(' ') && !part.bytes().all(|byte| byte.is_ascii_digit())
    };
    parts
        .find(is_name)
        .or_else(|| message.split_whitespace().next_back())
}

/// The path with which a part of a message ends: the part itself, or what comes after words. It may have blanks.
fn path_at_end(part: &str) -> Option<&str> {
    if is_path(part) {
        return Some(part);
    }
    // What a function was called with: `mkdir(/x)`.
    let starts = part.match_indices([' ', '(', '=']).map(|(at, _)| at + 1);
    let ends = starts.filter_map(|start| part.get(start..));
    let mut ends = ends.filter(|end| is_path(end) || is_relative(end));
    ends.next().map(trimmed)
}

fn is_path(text: &str) -> bool {
    ["/", "~/", "./", "../"]
        .iter()
        .any(|start| text.starts_with(start))
}

/// True for one word with a slash in it, which is no address.
fn is_relative(text: &str) -> bool {
    text.contains('/') && !text.contains("//") && !text.contains(char::is_whitespace)
}

fn trimmed(part: &str) -> &str {
    part.trim_matches(|c: char| c.is_whitespace() || ":;,()[]{}<>\"'`|".contains(c))
}

/// The paths of the lines nearby that belong to words without a path: the failure that they are the cause of, and the
/// fields of npm.
fn in_other_lines<'a>(lines: &[&'a str], at: usize, before: &str) -> Vec<&'a str> {
    let near = |range: Range<usize>| lines.get(range).unwrap_or_default();
    let first = at.saturating_sub(NEAR);
    let lower = before.to_ascii_lowercase();
    if NPM.iter().any(|start| lower.starts_with(start)) {
        let around = near(first..lines.len().min(at + NEAR + 1)).iter();
        return around.filter_map(|line| npm_field(line)).collect();
    }
    // Numbers of causes: `0: Read-only file system`.
    let is_cause = lower
        .chars()
        .all(|c| c.is_ascii_digit() || c.is_whitespace() || c == ':')
        || lower.trim() == "caused by:";
    if !is_cause {
        return Vec::new();
    }
    let earlier = near(first..at).iter().rev();
    let failure = earlier.map(|line| line.trim()).find(|line| {
        let lower = line.to_ascii_lowercase();
        FAILURES.iter().any(|word| lower.contains(word))
    });
    let Some(line) = failure.filter(|line| !is_quoting(line) && words(line).is_none()) else {
        return Vec::new();
    };
    let quoted = quoted(line);
    let end = || path_at_end(line).into_iter().collect();
    if quoted.is_empty() { end() } else { quoted }
}

/// The value of `npm error path /x`.
fn npm_field(line: &str) -> Option<&str> {
    let lower = line.to_ascii_lowercase();
    let start = NPM.iter().find(|start| lower.starts_with(**start))?;
    let rest = line.get(start.len()..)?;
    let value = rest
        .strip_prefix("path ")
        .or_else(|| rest.strip_prefix("dest "))?;
    is_path(value).then_some(value.trim())
}
