//! A TOML text with the place of each item, and errors that name such a place.
//!
//! Must not know: what the keys mean, where the text comes from.

use std::fmt;
use std::sync::Arc;

use toml::Spanned;
use toml::de::DeTable;

use crate::text::{excerpt, visible};

use super::section::Section;

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

/// A fault in a file, with its place and advice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {}{}; {}", keyed(.key), excerpt(.what, LONG), excerpt(.advice, LONG))]
pub struct Error {
    /// Where.
    pub place: Place,
    /// The key with its enclosing tables; empty if the text is not TOML at all.
    pub key: String,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub advice: String,
}

/// Characters of a part of a message beyond which it is cut: a value can be long.
const LONG: usize = 500;

fn keyed(key: &str) -> String {
    if key.is_empty() {
        String::new()
    } else {
        format!("`{}`: ", excerpt(&visible(key), LONG))
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

/// A parsed text.
#[derive(Debug)]
pub struct Document<'a> {
    file: Arc<str>,
    text: &'a str,
    root: Spanned<DeTable<'a>>,
}

impl<'a> Document<'a> {
    /// Parses a text; `file` is its name in messages.
    pub fn parse(file: &str, text: &'a str) -> Result<Self, Error> {
        let file: Arc<str> = Arc::from(file);
        match DeTable::parse(text) {
            Ok(root) => Ok(Self { file, text, root }),
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                Err(Error {
                    place: place(&file, text, at),
                    key: String::new(),
                    what: format!("not valid TOML: {}", visible(error.message())),
                    advice: "correct this line".into(),
                })
            }
        }
    }

    /// Returns the root table.
    pub fn root(&self) -> Section<'_, 'a> {
        Section::new(self, String::new(), self.root.get_ref(), 0)
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    pub(super) fn place(&self, at: usize) -> Place {
        place(&self.file, self.text, at)
    }
}

fn place(file: &Arc<str>, text: &str, at: usize) -> Place {
    let at = (0..=at.min(text.len()))
        .rev()
        .find(|&i| text.is_char_boundary(i))
        .unwrap_or(0);
    let before = text.get(..at).unwrap_or("");
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    Place {
        file: Arc::clone(file),
        line: before.matches('\n').count() + 1,
        column: before.get(line_start..).unwrap_or("").chars().count() + 1,
    }
}
