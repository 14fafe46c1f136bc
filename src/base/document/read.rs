//! A parsed TOML text that is read into types.
//!
//! Must not know: what the keys mean, how an error is worded.

use std::ops::Range;

use serde::Deserialize as _;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer, ValueDeserializer};

use super::explain::explain;
use super::place::{At, Error, Source};
use super::values::Json;
use crate::text::visible;

/// A parsed text.
pub struct Document<'a> {
    source: Source,
    root: DeTable<'a>,
}

/// An item of the text: its key with the enclosing tables, and its value.
pub(super) struct Item<'d, 'a> {
    pub key: String,
    pub value: &'d DeValue<'a>,
    /// True if the key was looked for, not the value.
    pub is_key: bool,
}

impl<'a> Document<'a> {
    /// Parses a text; `file` is its name in messages.
    pub fn parse(file: &str, text: &'a str) -> Result<Self, Error> {
        let source = Source::new(file, text);
        match DeTable::parse(text) {
            Ok(root) => Ok(Self {
                source,
                root: root.into_inner(),
            }),
            Err(error) => Err(Error {
                place: source.place(error.span().map_or(0, |span| span.start)),
                key: String::new(),
                what: format!("not valid TOML: {}; correct this line", visible(error.message())),
            }),
        }
    }

    /// Reads the text as a value of this type. `missing` is the advice for required keys, by name.
    pub fn read<T: DeserializeOwned>(&self, missing: &[(&str, &str)]) -> Result<T, Error> {
        let root = Spanned::new(0..0, self.root.clone());
        T::deserialize(Deserializer::from(root)).map_err(|error| explain(self, &error, missing))
    }

    /// Returns the text, which knows the place of every span.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Returns the root table.
    pub fn root(&self) -> &DeTable<'a> {
        &self.root
    }

    /// Returns the root table, to leave keys out before the text is read.
    pub fn root_mut(&mut self) -> &mut DeTable<'a> {
        &mut self.root
    }

    /// Makes an error about the item of this span.
    pub fn error(&self, span: Range<usize>, what: &str) -> Error {
        Error {
            place: self.source.place(span.start),
            key: self.key(&span),
            what: visible(what),
        }
    }

    /// Returns the key of the item of this span with its enclosing tables; empty for none.
    pub fn key(&self, span: &Range<usize>) -> String {
        self.find(span, false).map_or(String::new(), |item| item.key)
    }

    /// Returns the keys and values of the table of this span as written, on one line.
    pub fn describe(&self, span: &Range<usize>) -> String {
        let item = self.find(span, false);
        let table = item.and_then(|item| item.value.as_table());
        let mut parts: Vec<(usize, String)> = table
            .into_iter()
            .flatten()
            .map(|(key, value)| {
                let written = self.source.text().get(value.span()).unwrap_or("…");
                let lines: Vec<&str> = written.lines().map(str::trim).collect();
                (
                    key.span().start,
                    format!("{} = {}", key.get_ref(), lines.join(" ")),
                )
            })
            .collect();
        parts.sort();
        let parts: Vec<String> = parts.into_iter().map(|(_, part)| part).collect();
        format!("{{ {} }}", visible(&parts.join(", ")))
    }

    /// Returns every value below a key of the root, with its path from there, in the order of the text.
    pub fn leaves(&self, key: &str) -> Vec<(String, At<serde_json::Value>)> {
        let mut found = Vec::new();
        if let Some(table) = self.root.get(key).and_then(|value| value.get_ref().as_table()) {
            leaves(table, "", &mut found);
        }
        found.sort_by_key(|(_, value)| value.span().start);
        found
            .into_iter()
            .map(|(key, value)| (key, self.source.at(value)))
            .collect()
    }

    /// Returns every value, with its path, in the order of the text.
    pub fn all_leaves(&self) -> Vec<(String, At<serde_json::Value>)> {
        let mut found = Vec::new();
        leaves(&self.root, "", &mut found);
        found.sort_by_key(|(_, value)| value.span().start);
        let placed = |(key, value)| (key, self.source.at(value));
        found.into_iter().map(placed).collect()
    }

    /// Finds the item of this span: of several that begin at the same header the innermost, or the outermost.
    pub(super) fn find(&self, span: &Range<usize>, outermost: bool) -> Option<Item<'_, 'a>> {
        (!span.is_empty())
            .then(|| in_table(&self.root, "", span, outermost))
            .flatten()
    }
}

/// Returns a key with its enclosing tables.
pub(super) fn join(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

fn in_table<'d, 'a>(
    table: &'d DeTable<'a>,
    path: &str,
    span: &Range<usize>,
    outermost: bool,
) -> Option<Item<'d, 'a>> {
    table.iter().find_map(|(name, value)| {
        let key = join(path, name.get_ref());
        if name.span() == *span && value.span() != *span {
            let value = value.get_ref();
            let is_key = true;
            return Some(Item { key, value, is_key });
        }
        in_value(value, key, span, outermost)
    })
}

fn in_value<'d, 'a>(
    value: &'d Spanned<DeValue<'a>>,
    key: String,
    span: &Range<usize>,
    outermost: bool,
) -> Option<Item<'d, 'a>> {
    let here = value.span() == *span;
    let inner = match value.get_ref() {
        _ if here && outermost => None,
        DeValue::Table(table) => in_table(table, &key, span, outermost),
        DeValue::Array(items) => items.iter().enumerate().find_map(|(i, item)| {
            let key = match item.get_ref() {
                DeValue::Table(_) => format!("{key}[{i}]"),
                _ => key.clone(),
            };
            in_value(item, key, span, outermost)
        }),
        _ => None,
    };
    let value = value.get_ref();
    let is_key = false;
    inner.or_else(|| here.then_some(Item { key, value, is_key }))
}

fn leaves(table: &DeTable<'_>, path: &str, found: &mut Vec<(String, Spanned<serde_json::Value>)>) {
    for (name, value) in table {
        let path = join(path, name.get_ref());
        if let DeValue::Table(inner) = value.get_ref() {
            leaves(inner, &path, found);
            continue;
        }
        let json = Json::deserialize(ValueDeserializer::from(value.clone()));
        found.push((
            path,
            Spanned::new(value.span(), json.map_or(serde_json::Value::Null, |json| json.0)),
        ));
    }
}
