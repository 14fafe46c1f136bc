//! Finds what a JSON text contains that a JSON value cannot hold.
//!
//! Must not know: what the text is for.
//!
//! One pass, with limits on nesting, the number of findings and the length of a path.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use super::grammar::{Element, MAX_DEPTH, Reader, Stop};
use super::number::number_change;
use super::pointer;

/// Maximum number of findings in one text; a reader learns nothing from a thousand more.
const MOST: usize = 100;

/// Maximum number of characters of a name or a number in a finding.
const SHOWN: usize = 300;

/// Number of keys up to which they are compared one by one.
const FEW: usize = 16;

/// Something in a JSON text that would be lost or changed by reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Oddity {
    /// Byte offset in the text.
    pub at: usize,
    /// JSON pointer of the value concerned, shortened. Untrusted text, like the rest.
    pub path: String,
    /// The kind of oddity.
    pub kind: OddityKind,
}

/// Kinds of oddities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OddityKind {
    /// The text is not JSON from here on.
    Syntax(&'static str),
    /// Nested more deeply than this program reads.
    TooDeep,
    /// A duplicate name in one object: some readers take the first, some the last.
    DuplicateKey(String),
    /// A number that would become a different one.
    Number {
        /// As written.
        written: String,
        /// As it would become.
        becomes: String,
    },
    /// Half a surrogate pair, which is not a character.
    LoneSurrogate,
}

impl fmt::Display for Oddity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            OddityKind::Syntax(what) => write!(f, "not JSON: {what}")?,
            OddityKind::TooDeep => write!(f, "nested deeper than {MAX_DEPTH} levels")?,
            OddityKind::DuplicateKey(key) => {
                write!(f, "the name `{key}` occurs twice in one object: keep one of them")?;
            }
            OddityKind::Number { written, becomes } => {
                write!(
                    f,
                    "the number {written} would become {becomes}: write it as a string or shorter"
                )?;
            }
            OddityKind::LoneSurrogate => write!(f, "half of a surrogate pair, which is no character")?,
        }
        write!(f, " (byte {}", self.at)?;
        if !self.path.is_empty() {
            write!(f, ", at {}", self.path)?;
        }
        f.write_str(")")
    }
}

/// Returns the oddities of a JSON text in order; empty if reading it as a value loses nothing.
pub fn scan(text: &str) -> Vec<Oddity> {
    scan_up_to(text, MOST)
}

/// Returns the first oddities of a JSON text, at most a number of them.
pub fn scan_up_to(text: &str, most: usize) -> Vec<Oddity> {
    let mut scan = Scan {
        most,
        found: Vec::new(),
        stack: Vec::new(),
    };
    let mut reader = Reader::new(text);
    loop {
        match reader.next() {
            Ok(Some((at, element))) => scan.take(at, element),
            Ok(None) => return scan.found,
            Err((at, stop)) => {
                let kind = match stop {
                    Stop::Syntax(what) => OddityKind::Syntax(what),
                    Stop::TooDeep => OddityKind::TooDeep,
                };
                // The reason why the rest was not examined is never left out.
                scan.found.truncate(most.saturating_sub(1));
                scan.add(at, kind);
                return scan.found;
            }
        }
    }
}

/// The keys of an object so far.
#[derive(Default)]
struct Keys<'a> {
    few: Vec<Cow<'a, str>>,
    more: HashSet<Cow<'a, str>>,
}

impl<'a> Keys<'a> {
    /// Adds a key; returns false for a duplicate.
    fn insert(&mut self, key: Cow<'a, str>) -> bool {
        if self.few.contains(&key) || self.more.contains(&key) {
            return false;
        }
        if self.few.len() < FEW {
            self.few.push(key);
        } else {
            self.more.insert(key);
        }
        true
    }
}

struct Scan<'a> {
    most: usize,
    found: Vec<Oddity>,
    stack: Vec<Frame<'a>>,
}

/// An open array or object.
enum Frame<'a> {
    Array { index: usize },
    Object { seen: Keys<'a>, key: Cow<'a, str> },
}

impl<'a> Scan<'a> {
    fn take(&mut self, at: usize, element: Element<'a>) {
        if !matches!(element, Element::Key(_) | Element::Close)
            && let Some(Frame::Array { index }) = self.stack.last_mut()
        {
            *index += 1;
        }
        match element {
            Element::Open { object: false } => self.stack.push(Frame::Array { index: 0 }),
            Element::Open { object: true } => self.stack.push(Frame::Object {
                seen: Keys::default(),
                key: Cow::Borrowed(""),
            }),
            Element::Close => {
                self.stack.pop();
            }
            Element::Key(text) => {
                let name = text.decode();
                let mut doubled = false;
                if let Some(Frame::Object { seen, key }) = self.stack.last_mut() {
                    doubled = !seen.insert(name.clone());
                    key.clone_from(&name);
                }
                if text.lone {
                    self.add(at, OddityKind::LoneSurrogate);
                }
                if doubled {
                    self.add(at, OddityKind::DuplicateKey(shortened(&name)));
                }
            }
            Element::String(text) if text.lone => self.add(at, OddityKind::LoneSurrogate),
            Element::Number(written) if self.found.len() < self.most => {
                if let Some(becomes) = number_change(written) {
                    let written = shortened(written);
                    self.add(at, OddityKind::Number { written, becomes });
                }
            }
            Element::String(_) | Element::Number(_) | Element::Word(_) => {}
        }
    }

    fn add(&mut self, at: usize, kind: OddityKind) {
        if self.found.len() < self.most {
            let path = self.path();
            self.found.push(Oddity { at, path, kind });
        }
    }

    fn path(&self) -> String {
        let mut path = String::new();
        for frame in &self.stack {
            path.push('/');
            match frame {
                Frame::Array { index } => path.push_str(&index.saturating_sub(1).to_string()),
                Frame::Object { key, .. } => path.push_str(&pointer::escaped(key)),
            }
            if path.len() > pointer::LONGEST {
                break;
            }
        }
        pointer::shortened(path)
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
