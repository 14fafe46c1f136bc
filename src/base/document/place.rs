//! Places in a text, and errors that name one.
//!
//! Must not know: TOML, what the keys mean.

use std::fmt;
use std::sync::Arc;

use toml::Spanned;

use crate::text::{excerpt, visible};

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The name of the file, as given.
    pub file: Arc<str>,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", visible(&self.file), self.line, self.column)
    }
}

/// A value and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub place: Place,
}

/// A fault in a file, with its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {}{}", keyed(.key), excerpt(.what, LONG))]
pub struct Error {
    /// Where.
    pub place: Place,
    /// The key with its enclosing tables; empty if the text is not TOML at all.
    pub key: String,
    /// What is wrong and what to do, safe to show.
    pub what: String,
}

/// Characters of a part of a message beyond which it is cut: a value can be long.
const LONG: usize = 1_000;

fn keyed(key: &str) -> String {
    if key.is_empty() {
        String::new()
    } else {
        format!("`{}`: ", excerpt(&visible(key), LONG))
    }
}

/// A text with its name. Converts byte offsets to places.
#[derive(Clone)]
pub struct Source {
    file: Arc<str>,
    text: Arc<str>,
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The text may hold an API key.
        write!(f, "Source({:?})", self.file)
    }
}

impl Default for Source {
    fn default() -> Self {
        Self::new("", "")
    }
}

impl Source {
    /// Creates a source; `file` is its name in messages.
    pub fn new(file: &str, text: &str) -> Self {
        Self {
            file: file.into(),
            text: text.into(),
        }
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the place of a byte offset.
    pub fn place(&self, at: usize) -> Place {
        let before = self.text.get(..at).unwrap_or(&self.text);
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        Place {
            file: Arc::clone(&self.file),
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or("").chars().count() + 1,
        }
    }

    /// Returns a value with its place.
    pub fn at<T>(&self, value: Spanned<T>) -> At<T> {
        At {
            place: self.place(value.span().start),
            value: value.into_inner(),
        }
    }
}
