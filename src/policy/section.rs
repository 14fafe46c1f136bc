//! Reads one table of a document, key by key.
//!
//! Must not know: what the keys mean.
//!
//! A key that nothing reads is an error, so a misspelt key never passes silently.

use std::collections::BTreeSet;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::text::visible;

use super::document::{At, Document, Error, Place};

/// One table of a document. Read every known key, then call [`Section::finish`].
#[derive(Debug)]
pub struct Section<'d, 'a> {
    document: &'d Document<'a>,
    path: String,
    table: &'d DeTable<'a>,
    start: usize,
    known: BTreeSet<&'static str>,
}

/// Keys with their texts.
pub type Lists = Vec<(At<String>, Vec<At<String>>)>;

impl<'d, 'a> Section<'d, 'a> {
    pub(super) fn new(
        document: &'d Document<'a>,
        path: String,
        table: &'d DeTable<'a>,
        start: usize,
    ) -> Self {
        Self {
            document,
            path,
            table,
            start,
            known: BTreeSet::new(),
        }
    }

    /// Makes an error about a key of this table.
    pub fn error(&self, key: &str, place: Place, what: String, advice: &str) -> Error {
        Error {
            place,
            key: self.path_of(key),
            what,
            advice: advice.into(),
        }
    }

    /// Returns a key with its enclosing tables.
    pub fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.into()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    /// Returns the place where the table begins.
    pub fn place(&self) -> Place {
        self.document.place(self.start)
    }

    /// Returns the keys of the table, known or not, in the order of the text.
    pub fn keys(&self) -> Vec<(String, Place)> {
        let mut keys: Vec<_> = self
            .table
            .keys()
            .map(|k| (k.span().start, k.get_ref().to_string()))
            .collect();
        keys.sort();
        keys.into_iter()
            .map(|(at, key)| (key, self.document.place(at)))
            .collect()
    }

    /// Reads every key as a string or a list of strings, each with its place, in the order of the text.
    pub fn lists(&self) -> Result<Lists, Error> {
        let requested = "a string in quotes, or a list of them";
        let mut found = Vec::new();
        for (key, value) in self.table {
            let name = key.get_ref().to_string();
            let text = |value: &toml::Spanned<DeValue<'_>>| match value.get_ref().as_str() {
                Some(text) => Ok(At {
                    value: text.to_owned(),
                    place: self.document.place(value.span().start),
                }),
                None => Err(self.wrong(&name, value.get_ref(), &value.span(), requested)),
            };
            let texts = match value.get_ref().as_array() {
                Some(values) => values.iter().map(text).collect::<Result<_, _>>()?,
                None => vec![text(value)?],
            };
            let at = key.span().start;
            let name = At {
                value: name.clone(),
                place: self.document.place(at),
            };
            found.push((at, (name, texts)));
        }
        found.sort_by_key(|(at, _)| *at);
        Ok(found.into_iter().map(|(_, one)| one).collect())
    }

    /// Returns the keys and values of the table as written, on one line.
    pub fn describe(&self) -> String {
        let mut parts: Vec<(usize, String)> = self
            .table
            .iter()
            .map(|(key, value)| {
                let written = self.document.text().get(value.span()).unwrap_or("…");
                (
                    key.span().start,
                    format!("{} = {}", key.get_ref(), on_one_line(written)),
                )
            })
            .collect();
        parts.sort();
        let parts: Vec<String> = parts.into_iter().map(|(_, part)| part).collect();
        format!("{{ {} }}", visible(&parts.join(", ")))
    }

    /// Marks a key as known without reading it.
    pub fn skip(&mut self, key: &'static str) {
        self.known.insert(key);
    }

    fn get(&mut self, key: &'static str) -> Option<(&'d DeValue<'a>, Range<usize>)> {
        self.known.insert(key);
        let (_, value) = self.table.iter().find(|(k, _)| k.get_ref() == key)?;
        Some((value.get_ref(), value.span()))
    }

    fn wrong(&self, key: &str, found: &DeValue<'_>, span: &Range<usize>, requested: &str) -> Error {
        self.error(
            key,
            self.document.place(span.start),
            format!("expected {requested}, found {}", kind(found)),
            &format!("write {requested}"),
        )
    }

    /// Reads a string.
    pub fn text(&mut self, key: &'static str) -> Result<Option<At<String>>, Error> {
        let Some((value, span)) = self.get(key) else {
            return Ok(None);
        };
        let Some(text) = value.as_str() else {
            return Err(self.wrong(key, value, &span, "a string in quotes"));
        };
        Ok(Some(At {
            value: text.into(),
            place: self.document.place(span.start),
        }))
    }

    /// Reads a string or a non-empty list of strings.
    pub fn texts(&mut self, key: &'static str) -> Result<Option<At<Vec<String>>>, Error> {
        let Some((value, span)) = self.get(key) else {
            return Ok(None);
        };
        let place = self.document.place(span.start);
        if let Some(text) = value.as_str() {
            return Ok(Some(At {
                value: vec![text.into()],
                place,
            }));
        }
        let requested = "a string or a list of strings";
        let Some(list) = value.as_array() else {
            return Err(self.wrong(key, value, &span, requested));
        };
        let mut texts = Vec::new();
        for item in list {
            match item.get_ref().as_str() {
                Some(text) => texts.push(text.to_owned()),
                None => return Err(self.wrong(key, item.get_ref(), &item.span(), requested)),
            }
        }
        if texts.is_empty() {
            return Err(self.error(
                key,
                place,
                "the list is empty".into(),
                "name at least one, or leave the key out",
            ));
        }
        Ok(Some(At { value: texts, place }))
    }

    /// Reads a whole number within inclusive bounds.
    pub fn number(&mut self, key: &'static str, min: u64, max: u64) -> Result<Option<At<u64>>, Error> {
        let Some((value, span)) = self.get(key) else {
            return Ok(None);
        };
        let requested = if max == u64::MAX {
            format!("a whole number of at least {min}")
        } else {
            format!("a whole number from {min} to {max}")
        };
        let number = value
            .as_integer()
            .and_then(|n| u64::from_str_radix(n.as_str(), n.radix()).ok())
            .filter(|n| (min..=max).contains(n));
        match number {
            Some(value) => Ok(Some(At {
                value,
                place: self.document.place(span.start),
            })),
            None if value.is_integer() => Err(self.error(
                key,
                self.document.place(span.start),
                format!(
                    "{} is out of range",
                    self.document.text().get(span).unwrap_or("this number")
                ),
                &format!("write {requested}"),
            )),
            None => Err(self.wrong(key, value, &span, &requested)),
        }
    }

    /// Reads a number as written: digits with or without a decimal point.
    pub fn decimal(&mut self, key: &'static str) -> Result<Option<At<String>>, Error> {
        let Some((value, span)) = self.get(key) else {
            return Ok(None);
        };
        let place = self.document.place(span.start);
        let written = self.document.text().get(span.clone()).unwrap_or_default();
        if !matches!(value, DeValue::Integer(_) | DeValue::Float(_)) {
            return Err(self.wrong(key, value, &span, "a number"));
        }
        Ok(Some(At {
            value: written.replace('_', ""),
            place,
        }))
    }

    /// Reads every key as a table.
    pub fn each(&self) -> Result<Vec<(String, Section<'d, 'a>)>, Error> {
        let mut found = Vec::new();
        for (key, value) in self.table {
            let (name, span) = (key.get_ref().to_string(), value.span());
            let Some(table) = value.get_ref().as_table() else {
                return Err(self.wrong(&name, value.get_ref(), &span, "a table"));
            };
            let path = self.path_of(&name);
            found.push((
                key.span().start,
                name,
                Section::new(self.document, path, table, key.span().start),
            ));
        }
        found.sort_by_key(|(start, _, _)| *start);
        Ok(found
            .into_iter()
            .map(|(_, name, section)| (name, section))
            .collect())
    }

    /// Reads a boolean.
    pub fn flag(&mut self, key: &'static str) -> Result<Option<At<bool>>, Error> {
        let Some((value, span)) = self.get(key) else {
            return Ok(None);
        };
        match value.as_bool() {
            Some(value) => Ok(Some(At {
                value,
                place: self.document.place(span.start),
            })),
            None => Err(self.wrong(key, value, &span, "true or false")),
        }
    }

    /// Reads a point in time with its UTC offset, as written.
    pub fn time(&mut self, key: &'static str) -> Result<Option<At<String>>, Error> {
        let Some((value, span)) = self.get(key) else {
            return Ok(None);
        };
        let place = self.document.place(span.start);
        if let Some(time) = value.as_datetime() {
            return Ok(Some(At {
                value: time.to_string(),
                place,
            }));
        }
        match value.as_str() {
            Some(text) => Ok(Some(At {
                value: text.into(),
                place,
            })),
            None => Err(self.wrong(key, value, &span, "a time such as 2030-01-31T12:00:00Z")),
        }
    }

    /// Reads any value, as JSON.
    pub fn value(&mut self, key: &'static str) -> Result<Option<At<serde_json::Value>>, Error> {
        let Some((value, span)) = self.get(key) else {
            return Ok(None);
        };
        let place = self.document.place(span.start);
        match json(value) {
            Some(value) => Ok(Some(At { value, place })),
            None => Err(self.wrong(key, value, &span, "a value that JSON has too")),
        }
    }

    /// Reads every value of the table and of the tables within it, each with its path from this table. All of
    /// them count as known.
    pub fn leaves(&self) -> Vec<(String, At<serde_json::Value>)> {
        let mut found = Vec::new();
        self.collect(self.table, "", &mut found);
        found.sort_by_key(|(at, ..)| *at);
        found.into_iter().map(|(_, key, value)| (key, value)).collect()
    }

    fn collect(
        &self,
        table: &DeTable<'a>,
        path: &str,
        found: &mut Vec<(usize, String, At<serde_json::Value>)>,
    ) {
        for (key, value) in table {
            let name = key.get_ref();
            let path = if path.is_empty() {
                name.to_string()
            } else {
                format!("{path}.{name}")
            };
            match value.get_ref() {
                DeValue::Table(inner) => self.collect(inner, &path, found),
                other => {
                    let at = value.span().start;
                    let value = At {
                        value: json(other).unwrap_or_default(),
                        place: self.document.place(at),
                    };
                    found.push((at, path, value));
                }
            }
        }
    }

    /// Reads a table.
    pub fn table(&mut self, key: &'static str) -> Result<Option<Section<'d, 'a>>, Error> {
        let Some((value, span)) = self.get(key) else {
            return Ok(None);
        };
        match value.as_table() {
            Some(table) => Ok(Some(Section::new(
                self.document,
                self.path_of(key),
                table,
                span.start,
            ))),
            None => Err(self.wrong(key, value, &span, "a table")),
        }
    }

    /// Reads a list of tables, empty if the key is absent.
    pub fn tables(&mut self, key: &'static str) -> Result<Vec<Section<'d, 'a>>, Error> {
        let Some((value, span)) = self.get(key) else {
            return Ok(Vec::new());
        };
        let requested = "a list of tables";
        let Some(list) = value.as_array() else {
            return Err(self.wrong(key, value, &span, requested));
        };
        let mut sections = Vec::new();
        for (i, item) in list.iter().enumerate() {
            match item.get_ref().as_table() {
                Some(table) => {
                    let path = format!("{}[{i}]", self.path_of(key));
                    sections.push(Section::new(self.document, path, table, item.span().start));
                }
                None => return Err(self.wrong(key, item.get_ref(), &item.span(), requested)),
            }
        }
        Ok(sections)
    }

    /// Refuses keys that nothing has read.
    pub fn finish(&self) -> Result<(), Error> {
        for (key, place) in self.keys() {
            if !self.known.contains(key.as_str()) {
                let advice = match near(&key, &self.known) {
                    Some(known) => format!("did you mean `{known}`?"),
                    None => format!(
                        "known here: {}",
                        self.known.iter().copied().collect::<Vec<_>>().join(", ")
                    ),
                };
                return Err(self.error(&key, place, "unknown key".into(), &advice));
            }
        }
        Ok(())
    }
}

fn near<'k>(key: &str, known: &BTreeSet<&'k str>) -> Option<&'k str> {
    known
        .iter()
        .map(|k| (strsim::damerau_levenshtein(key, k), *k))
        .filter(|(distance, k)| *distance <= 1 + k.len() / 4)
        .min()
        .map(|(_, k)| k)
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

fn json(value: &DeValue<'_>) -> Option<serde_json::Value> {
    use serde_json::Value;
    Some(match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Integer(n) => Value::Number(i64::from_str_radix(n.as_str(), n.radix()).ok()?.into()),
        DeValue::Float(n) => Value::Number(serde_json::Number::from_f64(n.as_str().parse().ok()?)?),
        DeValue::Datetime(time) => Value::String(time.to_string()),
        DeValue::Array(list) => Value::Array(list.iter().map(|v| json(v.get_ref())).collect::<Option<_>>()?),
        DeValue::Table(table) => Value::Object(
            table
                .iter()
                .map(|(k, v)| Some((k.get_ref().to_string(), json(v.get_ref())?)))
                .collect::<Option<_>>()?,
        ),
    })
}

fn on_one_line(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}
