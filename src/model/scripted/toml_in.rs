//! Reads TOML value by value, so that every error can name file, line and key.
//!
//! Must not know: what a playbook means.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A fault in a playbook file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}")]
pub struct Error {
    /// The name of the file, as given.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with which key, and what is allowed.
    pub what: String,
}

/// A file that is being read.
pub struct Source<'a> {
    /// Name for messages.
    pub file: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// A table with its name and place.
pub struct Table<'a> {
    source: &'a Source<'a>,
    entries: &'a DeTable<'a>,
    /// Path of the table (`rule.when`), for messages.
    place: String,
    span: Range<usize>,
}

/// A value with its key.
#[derive(Clone)]
pub struct Entry<'a> {
    source: &'a Source<'a>,
    value: &'a DeValue<'a>,
    span: Range<usize>,
    /// Path of the key, for messages.
    pub key: String,
}

/// On which lines of the file the lines of a string are.
#[derive(Debug, Clone, Copy)]
pub struct Lines {
    first: usize,
    /// True if the lines of the string are lines of the file.
    follow: bool,
}

impl Lines {
    /// The line of the file, counted from 1, for a line of the string, also counted from 1.
    pub const fn line(self, line: usize) -> usize {
        if self.follow {
            self.first + line.saturating_sub(1)
        } else {
            self.first
        }
    }
}

impl<'a> Source<'a> {
    /// Makes an error about a place in the file.
    pub fn error(&self, at: usize, what: String) -> Error {
        let before = self.text.as_bytes().iter().take(at);
        Error {
            file: self.file.to_owned(),
            line: 1 + before.filter(|byte| **byte == b'\n').count(),
            what,
        }
    }

    /// Parses the file; the result borrows from it.
    pub fn parse(&'a self) -> Result<Spanned<DeTable<'a>>, Error> {
        DeTable::parse(self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            self.error(at, error.message().to_owned())
        })
    }
}

impl<'a> Table<'a> {
    /// Returns the table of the whole file.
    pub fn root(source: &'a Source<'a>, table: &'a Spanned<DeTable<'a>>) -> Self {
        Self {
            source,
            entries: table.get_ref(),
            place: String::new(),
            span: 0..0,
        }
    }

    /// Refuses keys that are not in the list.
    pub fn known(&self, keys: &[&str]) -> Result<(), Error> {
        for key in self.entries.keys() {
            if !keys.contains(&key.get_ref().as_ref()) {
                let what = format!(
                    "unknown key `{}`; there are {}",
                    self.path(key.get_ref()),
                    keys.join(", ")
                );
                return Err(self.source.error(key.span().start, what));
            }
        }
        Ok(())
    }

    /// Returns the value under a key.
    pub fn get(&self, key: &str) -> Option<Entry<'a>> {
        let value = self.entries.get(key)?;
        Some(Entry {
            source: self.source,
            value: value.get_ref(),
            span: value.span(),
            key: self.path(key),
        })
    }

    /// Returns the keys and values in the order of the file.
    pub fn entries(&self) -> Vec<(&'a str, Entry<'a>)> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        entries
            .into_iter()
            .map(|(key, value)| {
                let entry = Entry {
                    source: self.source,
                    value: value.get_ref(),
                    span: value.span(),
                    key: self.path(key.get_ref()),
                };
                (key.get_ref().as_ref(), entry)
            })
            .collect()
    }

    /// Makes an error about the table as a whole.
    pub fn error(&self, what: impl Into<String>) -> Error {
        self.source.error(self.span.start, what.into())
    }

    fn path(&self, key: &str) -> String {
        if self.place.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.place)
        }
    }
}

impl<'a> Entry<'a> {
    /// Makes an error about the value.
    pub fn error(&self, what: &str) -> Error {
        self.source
            .error(self.span.start, format!("`{}`: {what}", self.key))
    }

    /// Makes an error about a line of the value.
    pub fn error_on(&self, line: usize, what: &str) -> Error {
        Error {
            line,
            ..self.error(what)
        }
    }

    /// Returns where the lines of a string are.
    pub fn lines(&self) -> Lines {
        let written = self.source.text.get(self.span.clone()).unwrap_or_default();
        let first = self.error("").line;
        let inner = written
            .strip_prefix("'''")
            .or_else(|| written.strip_prefix("\"\"\""));
        let broken = inner.is_some_and(|inner| inner.starts_with(['\n', '\r']));
        Lines {
            first: first + usize::from(broken),
            // A line that ends with a backslash is joined with the next one.
            follow: inner.is_some_and(|inner| !(written.starts_with('"') && inner.contains("\\\n"))),
        }
    }

    /// Reads a string.
    pub fn string(&self) -> Result<&'a str, Error> {
        match self.value {
            DeValue::String(text) => Ok(text.as_ref()),
            _ => Err(self.error("must be a string")),
        }
    }

    /// Reads a whole number.
    pub fn number(&self) -> Result<u32, Error> {
        match self.value {
            DeValue::Integer(number) => u32::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        }
        .ok_or_else(|| self.error("must be a whole number, 0 or more"))
    }

    /// Reads a number.
    pub fn float(&self) -> Result<f64, Error> {
        let number = match self.value {
            DeValue::Integer(number) => number.as_str().parse().ok(),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        };
        number.ok_or_else(|| self.error("must be a number"))
    }

    /// Reads a boolean.
    pub fn boolean(&self) -> Result<bool, Error> {
        match self.value {
            DeValue::Boolean(yes) => Ok(*yes),
            _ => Err(self.error("must be true or false")),
        }
    }

    /// Reads a table.
    pub fn table(&self) -> Result<Table<'a>, Error> {
        match self.value {
            DeValue::Table(table) => Ok(Table {
                source: self.source,
                entries: table,
                place: self.key.clone(),
                span: self.span.clone(),
            }),
            _ => Err(self.error("must be a table")),
        }
    }

    /// Returns the elements of an array; a single value counts as an array of one.
    pub fn items(&self) -> Vec<Self> {
        match self.value {
            DeValue::Array(array) => array
                .iter()
                .map(|value| Self {
                    source: self.source,
                    value: value.get_ref(),
                    span: value.span(),
                    key: self.key.clone(),
                })
                .collect(),
            _ => vec![self.clone()],
        }
    }

    /// Returns true for a table.
    pub fn is_table(&self) -> bool {
        matches!(self.value, DeValue::Table(_))
    }

    /// Returns true for an array.
    pub fn is_array(&self) -> bool {
        matches!(self.value, DeValue::Array(_))
    }

    /// Returns true for a string.
    pub fn is_string(&self) -> bool {
        matches!(self.value, DeValue::String(_))
    }

    /// Returns true for a boolean.
    pub fn is_boolean(&self) -> bool {
        matches!(self.value, DeValue::Boolean(_))
    }
}
