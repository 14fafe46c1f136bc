//! Searches a JSON text for deceptive parts: mixed scripts, foreign hosts, invisible characters.
//!
//! Must not know: who decides about the text, how it is drawn.
//!
//! It also finds characters that change the direction. Escapes (`\\u202e`) are decoded.

use std::borrow::Cow;

use super::class::{Class, FRAME, class, is_bracket};
use super::emoji::joined;
use super::script::{WarningKind, find};
use super::visible::visible;

/// A suspicious place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// What is wrong with it.
    pub kind: WarningKind,
    /// The word or the characters, shortened; not safe to show as they are.
    pub word: String,
    /// Byte offset at which it begins.
    pub at: usize,
}

/// All findings in a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// The first findings, each word once.
    pub first: Vec<Hit>,
    /// The number of findings of each kind, counting repeated words.
    pub counts: Vec<(WarningKind, usize)>,
}

/// Maximum number of different words that are listed.
const MAX_WORDS: usize = 4;
/// Maximum number of characters of a word that are listed.
const SHOWN: usize = 60;

impl Survey {
    /// Returns the total number of findings.
    pub fn total(&self) -> usize {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// Returns a line for each listed finding, safe to show, and one for all of them if there are
    /// more.
    pub fn lines(&self) -> Vec<String> {
        let line = |hit: &Hit| format!("byte {}: {}: {}", hit.at, hit.kind.label(), visible(&hit.word));
        let mut lines: Vec<String> = self.first.iter().map(line).collect();
        let total = self.total();
        if total > self.first.len() {
            let kinds = self.counts.iter().map(|(kind, count)| kind.counted(*count));
            let kinds: Vec<String> = kinds.collect();
            lines.push(format!("{total} places in all: {}", kinds.join(", ")));
        }
        lines
    }

    fn add(&mut self, kind: WarningKind, word: &str, at: usize) {
        match self.counts.iter_mut().find(|(one, _)| *one == kind) {
            Some((_, count)) => *count += 1,
            None => self.counts.push((kind, 1)),
        }
        if self.first.len() < MAX_WORDS {
            let word: String = word.chars().take(SHOWN).collect();
            if !self.first.iter().any(|hit| hit.kind == kind && hit.word == word) {
                self.first.push(Hit { kind, word, at });
            }
        }
    }
}

/// Searches a text from end to end. Takes time in proportion to its length, so call it once per text.
pub fn survey(json: &str) -> Survey {
    let mut found = Survey::default();
    let mut begin = 0;
    // Neither a word nor a host continues past whitespace or the end of a string.
    for token in json.split([' ', '\t', '\n', '\r', '"']) {
        if !is_plain(token) {
            let (text, places) = unescaped(token);
            let place = |at: usize| {
                let last = places.partition_point(|(shown, _)| *shown <= at);
                let (shown, source) = last
                    .checked_sub(1)
                    .and_then(|last| places.get(last))
                    .copied()
                    .unwrap_or_default();
                begin + source + (at - shown)
            };
            find(&text, |kind, word, at| found.add(kind, word, place(at)));
            unseen(&text, |kind, word, at| found.add(kind, word, place(at)));
        }
        begin += token.len() + 1;
    }
    found
}

/// Returns true for a word in which nothing can be found: plain ASCII, also after decoding. Most words are
/// like this, so the time depends on this test.
fn is_plain(token: &str) -> bool {
    let encoded = |token: &str| {
        let mut fours = token.as_bytes().windows(4);
        token.contains("--") && fours.any(|four| four.eq_ignore_ascii_case(b"xn--"))
    };
    let escapes = ["\\u", "\\b", "\\f"].iter().any(|escape| token.contains(escape));
    token.bytes().all(|byte| byte.is_ascii_graphic()) && !escapes && !encoded(token)
}

/// Decodes the escapes of a string, with pairs of offsets in the result and in the source at which each piece
/// begins.
fn unescaped(token: &str) -> (Cow<'_, str>, Vec<(usize, usize)>) {
    if !token.contains('\\') {
        return (token.into(), Vec::new());
    }
    let (mut text, mut places) = (String::with_capacity(token.len()), vec![(0, 0)]);
    let mut rest = token;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        text.push_str(before);
        let start = token.len() - escape.len();
        let (c, length) = escaped(escape);
        places.push((text.len(), start));
        text.push(c);
        places.push((text.len(), start + length));
        rest = escape.get(length..).unwrap_or_default();
    }
    text.push_str(rest);
    (text.into(), places)
}

/// Decodes the escape at the start of a text to a character and its length.
fn escaped(text: &str) -> (char, usize) {
    let unit = |text: &str| -> Option<u16> {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        digits
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit())
            .then_some(())?;
        u16::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(text) else {
        return match text.as_bytes().get(1) {
            Some(b'n' | b't' | b'r' | b'"') => (' ', 2),
            Some(b'b') => ('\u{8}', 2),
            Some(b'f') => ('\u{c}', 2),
            Some(byte) if byte.is_ascii() => (char::from(*byte), 2),
            _ => (' ', 1),
        };
    };
    let second = text.get(6..).and_then(unit);
    let pair = second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
    match (char::from_u32(first.into()), pair) {
        (Some(c), _) => (c, 6),
        (None, Some(c)) => (c, 12),
        (None, None) => (char::REPLACEMENT_CHARACTER, 6),
    }
}

/// Reports runs of characters that are invisible or look like this program's own.
fn unseen<'t>(text: &'t str, mut add: impl FnMut(WarningKind, &'t str, usize)) {
    let mut run: Option<(WarningKind, usize)> = None;
    let mut emoji = 0;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if at >= emoji {
            emoji = at + text.get(at..).map_or(0, joined);
        }
        let kind = if at < emoji { None } else { kind_of(c) };
        if run.map(|(kind, _)| kind) == kind {
            continue;
        }
        if let Some((kind, from)) = run.take() {
            add(kind, text.get(from..at).unwrap_or_default(), from);
        }
        run = kind.map(|kind| (kind, at));
    }
}

fn kind_of(c: char) -> Option<WarningKind> {
    if matches!(c, ' '..='~' | '\n' | '\r' | '\t') || class(c) != Class::Hidden {
        return None;
    }
    Some(match c {
        '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
            WarningKind::Direction
        }
        c if c.is_control() => WarningKind::Control,
        c if FRAME.contains(&c) || is_bracket(c) => WarningKind::Imitates,
        _ => WarningKind::Unseen,
    })
}
