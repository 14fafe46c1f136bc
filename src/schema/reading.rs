//! Reads an argument text strictly: syntax, nesting, duplicate keys, numbers that would change.
//!
//! Must not know: schemas.
//!
//! The text itself is executed; the value read here only serves the check. So it is a fault if the
//! value would differ from the text.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;

use super::checker::MAX_FAULTS;
use super::sentence::shown_text;
use crate::domain::call::Fault;

/// Maximum nesting of arrays and objects, which is the limit of the JSON reader itself.
pub const MAX_DEPTH: usize = 127;

/// The value of a text as far as it can be read, and the faults.
pub(super) struct Reading {
    pub(super) value: Option<Value>,
    pub(super) faults: Vec<Fault>,
}

/// Reads a text. Blank text is an empty object, because some models send nothing for "no arguments".
pub(super) fn read(text: &str) -> Reading {
    if text.trim_ascii().is_empty() {
        return Reading {
            value: Some(Value::Object(serde_json::Map::new())),
            faults: Vec::new(),
        };
    }
    if let Some(offset) = too_deep(text) {
        let (line, column) = place(text, offset);
        return broken(format!(
            "nested deeper than {MAX_DEPTH} levels at line {line}, column {column}; flatten the arguments"
        ));
    }
    match serde_json::from_str::<Value>(text) {
        Ok(value) => {
            let mut walk = Walk {
                text,
                at: 0,
                path: String::new(),
                faults: Vec::new(),
            };
            walk.value();
            Reading {
                value: Some(value),
                faults: walk.faults,
            }
        }
        Err(error) => broken(syntax(text, &error)),
    }
}

fn broken(message: String) -> Reading {
    Reading {
        value: None,
        faults: vec![fault(String::new(), message)],
    }
}

fn fault(path: String, message: String) -> Fault {
    Fault {
        path,
        keyword: "json".to_owned(),
        message,
    }
}

fn syntax(text: &str, error: &serde_json::Error) -> String {
    let full = error.to_string();
    let what = full
        .rsplit_once(" at line ")
        .map_or(full.as_str(), |(what, _)| what);
    let line = error.line();
    let column = chars_up_to(text, line, error.column());
    if error.is_eof() {
        return format!("the JSON ends too early at line {line}, column {column}: {what}");
    }
    format!("not valid JSON at line {line}, column {column}: {what}")
}

/// Converts a column from bytes, as the reader counts, to characters.
fn chars_up_to(text: &str, line: usize, column: usize) -> usize {
    let Some(row) = text.split('\n').nth(line.saturating_sub(1)) else {
        return column;
    };
    row.char_indices()
        .take_while(|(at, _)| *at < column)
        .count()
        .max(1)
}

fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

fn too_deep(text: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Some(at);
                }
            }
            b']' | b'}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Shortens a JSON pointer for a message.
pub(super) fn shorten_path(path: &str) -> String {
    if path.len() <= LONGEST_PATH {
        return path.to_owned();
    }
    let end = (0..=LONGEST_PATH).rev().find_map(|end| path.get(..end));
    format!("{}…", end.unwrap_or_default())
}

/// Maximum length in bytes of a JSON pointer that is reported, and of one that is repaired.
pub const LONGEST_PATH: usize = 4 * 1024;
/// Maximum number of digits of a whole number that is surely exact.
const EXACT: usize = 15;
/// Number of keys up to which they are compared one by one.
const FEW: usize = 16;

/// The keys of an object so far.
#[derive(Default)]
struct Keys<'a> {
    few: Vec<Cow<'a, str>>,
    more: HashSet<Cow<'a, str>>,
}

impl<'a> Keys<'a> {
    /// Notes a key; returns it if it is a duplicate.
    fn again(&mut self, key: Cow<'a, str>) -> Option<Cow<'a, str>> {
        if self.few.contains(&key) || self.more.contains(&key) {
            return Some(key);
        }
        if self.few.len() < FEW {
            self.few.push(key);
        } else {
            self.more.insert(key);
        }
        None
    }
}

/// Decodes a string of a valid text.
fn decoded(raw: &str) -> Cow<'_, str> {
    let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
    if inner.contains('\\') {
        Cow::Owned(serde_json::from_str(raw).unwrap_or_default())
    } else {
        Cow::Borrowed(inner)
    }
}

/// Walks over a text that is known to be valid JSON.
struct Walk<'a> {
    text: &'a str,
    at: usize,
    path: String,
    faults: Vec<Fault>,
}

impl Walk<'_> {
    /// Notes a fault at this place. A text can hold as many as it has bytes, each at a path as long
    /// as itself. Faults that are not reported are not stored.
    fn note(&mut self, message: impl FnOnce() -> String) {
        if self.faults.len() <= MAX_FAULTS {
            self.faults.push(fault(shorten_path(&self.path), message()));
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip(&mut self, unwanted: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&unwanted) {
            self.at += 1;
        }
    }

    fn value(&mut self) {
        self.skip(|b| b.is_ascii_whitespace());
        match self.peek() {
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.skip(|b| b.is_ascii_alphabetic()),
        }
        self.skip(|b| b.is_ascii_whitespace());
    }

    fn object(&mut self) {
        self.at += 1;
        let mut seen = Keys::default();
        let base = self.path.len();
        loop {
            self.skip(|b| b.is_ascii_whitespace() || b == b',');
            if self.peek() != Some(b'"') {
                break;
            }
            let start = self.at;
            self.string();
            let key = decoded(self.text.get(start..self.at).unwrap_or_default());
            self.path.push('/');
            for c in key.chars() {
                match c {
                    '~' => self.path.push_str("~0"),
                    '/' => self.path.push_str("~1"),
                    c => self.path.push(c),
                }
            }
            if let Some(key) = seen.again(key) {
                self.note(|| {
                    let key = shown_text(&key);
                    format!("the key `{key}` occurs more than once in one object; keep one of them")
                });
            }
            self.skip(|b| b.is_ascii_whitespace() || b == b':');
            self.value();
            self.path.truncate(base);
        }
        self.at += 1;
    }

    fn array(&mut self) {
        self.at += 1;
        let base = self.path.len();
        let mut index = 0_usize;
        loop {
            self.skip(|b| b.is_ascii_whitespace() || b == b',');
            if matches!(self.peek(), None | Some(b']')) {
                break;
            }
            self.path.push('/');
            self.path.push_str(&index.to_string());
            self.value();
            self.path.truncate(base);
            index += 1;
        }
        self.at += 1;
    }

    fn string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.peek() {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                break;
            }
        }
    }

    fn number(&mut self) {
        let start = self.at;
        self.skip(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E'));
        let raw = self.text.get(start..self.at).unwrap_or_default();
        // A few digits are a whole number that does not change.
        if raw.len() <= EXACT && raw.bytes().all(|b| b.is_ascii_digit()) {
            return;
        }
        let Ok(number) = serde_json::from_str::<serde_json::Number>(raw) else {
            return;
        };
        let stored = number.to_string();
        if decimal(raw) != decimal(&stored) {
            self.note(|| {
                let raw = shown_text(raw);
                format!(
                    "the number {raw} cannot be kept exactly (it would become {stored}); \
                     write fewer digits, or a string where one is accepted"
                )
            });
        }
    }
}

/// Splits a number into sign, digits without outer zeros, and the exponent of the last digit: equal exactly
/// for equal numbers.
fn decimal(raw: &str) -> (bool, String, i64) {
    let (mantissa, exponent) = raw.split_once(['e', 'E']).unwrap_or((raw, "0"));
    let exponent: i64 = exponent.trim_start_matches('+').parse().unwrap_or_else(|_| {
        if exponent.starts_with('-') {
            i64::MIN / 2
        } else {
            i64::MAX / 2
        }
    });
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let negative = whole.starts_with('-');
    let digits = format!("{}{fraction}", whole.trim_start_matches('-'));
    let saved = digits.trim_end_matches('0');
    let dropped = i64::try_from(digits.len() - saved.len()).unwrap_or(i64::MAX);
    let saved = saved.trim_start_matches('0');
    if saved.is_empty() {
        return (false, String::new(), 0);
    }
    let scale = i64::try_from(fraction.len()).unwrap_or(i64::MAX);
    let exponent = exponent.saturating_sub(scale).saturating_add(dropped);
    (negative, saved.to_owned(), exponent)
}
