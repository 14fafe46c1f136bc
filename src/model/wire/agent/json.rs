//! Reads the values of a JSON body with their places, and changes single values of a JSON text.
//!
//! Must not know: formats.
//!
//! An object whose members are read may name each of them once: readers do not agree on which of two counts.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use serde_json::Value;

use super::RequestError;
use crate::frame::{self, Object};
use crate::show::excerpt;
use overrule_base::canon::pointer::escaped;
use overrule_base::canon::{OddityKind, scan};

/// A value in a body.
#[derive(Debug, Clone)]
pub struct Json<'b> {
    body: &'b str,
    raw: &'b str,
    path: String,
}

/// The members of an object in a body.
#[derive(Debug)]
pub struct Fields<'b> {
    of: Json<'b>,
    entries: Vec<(Cow<'b, str>, &'b str)>,
}

impl<'b> Json<'b> {
    /// Returns the value that is a whole body.
    pub fn root(body: &'b str) -> Result<Self, RequestError> {
        let wrong = |kind: &OddityKind| matches!(kind, OddityKind::Syntax(_) | OddityKind::TooDeep);
        // Where a text is not JSON, nothing after that is examined.
        if let Some(odd) = scan(body).pop().filter(|odd| wrong(&odd.kind)) {
            return Err(RequestError::NoJson(odd));
        }
        let (raw, path) = (body.trim_ascii(), String::new());
        Ok(Self { body, raw, path })
    }

    /// Returns the JSON text of the value.
    pub fn raw(&self) -> &'b str {
        self.raw
    }

    /// Returns the byte range of the value in the body.
    pub fn span(&self) -> Range<usize> {
        let at = self.raw.as_ptr().addr() - self.body.as_ptr().addr();
        at..at + self.raw.len()
    }

    /// Returns an error at the value.
    pub fn wrong(&self, reason: impl Into<String>) -> RequestError {
        RequestError::shape(&self.path, self.span().start, reason)
    }

    /// Returns true for an array.
    pub fn is_list(&self) -> bool {
        self.raw.starts_with('[')
    }

    /// Returns true for a string.
    pub fn is_text(&self) -> bool {
        self.raw.starts_with('"')
    }

    /// Returns the members of an object.
    pub fn fields(&self) -> Result<Fields<'b>, RequestError> {
        if !self.raw.starts_with('{') {
            return Err(self.wrong("this must be an object"));
        }
        let object = Object::read(self.raw).ok_or_else(|| self.wrong("a name of this object is no text"))?;
        let entries = object.into_entries().into_iter();
        let entries: Vec<_> = entries.map(|(key, value)| (key, value.get())).collect();
        let mut seen = HashSet::new();
        if let Some((key, _)) = entries.iter().find(|(key, _)| !seen.insert(key.as_ref())) {
            return Err(self.wrong(format!("the name `{}` occurs twice in this object", excerpt(key))));
        }
        let of = self.clone();
        Ok(Fields { of, entries })
    }

    /// Returns the elements of an array.
    pub fn list(&self) -> Result<Vec<Self>, RequestError> {
        if !self.is_list() {
            return Err(self.wrong("this must be a list"));
        }
        let elements = frame::array(self.raw).into_iter().enumerate();
        Ok(elements
            .map(|(index, raw)| self.inner(raw, &index.to_string()))
            .collect())
    }

    /// Returns the elements of an array, or the object that stands for its only element.
    pub fn one_or_more(&self) -> Result<Vec<Self>, RequestError> {
        if self.raw.starts_with('{') {
            return Ok(vec![self.clone()]);
        }
        self.list()
    }

    /// Returns the JSON text of an object whose members are not read.
    pub fn object(&self) -> Result<&'b str, RequestError> {
        let is_object = self.raw.starts_with('{');
        is_object
            .then_some(self.raw)
            .ok_or_else(|| self.wrong("this must be an object"))
    }

    /// Returns a string.
    pub fn text(&self) -> Result<String, RequestError> {
        let text = frame::string(self.raw).map(Cow::into_owned);
        text.ok_or_else(|| self.wrong("this must be a text"))
    }

    fn inner(&self, raw: &'b str, name: &str) -> Self {
        let path = format!("{}/{}", self.path, escaped(name));
        Self {
            body: self.body,
            raw,
            path,
        }
    }
}

impl<'b> Fields<'b> {
    /// Returns a member; none where it is absent or null.
    pub fn get(&self, key: &str) -> Option<Json<'b>> {
        let (_, raw) = self.entries.iter().find(|(name, _)| name == key)?;
        (*raw != "null").then(|| self.of.inner(raw, key))
    }

    /// Returns a member that must be there.
    pub fn need(&self, key: &str) -> Result<Json<'b>, RequestError> {
        self.get(key)
            .ok_or_else(|| self.of.wrong(format!("`{key}` is missing")))
    }

    /// Returns a text; none where it is absent or null.
    pub fn text(&self, key: &str) -> Result<Option<String>, RequestError> {
        self.get(key).map(|value| value.text()).transpose()
    }

    /// Returns a text; empty where it is absent, null or something else.
    pub fn word(&self, key: &str) -> String {
        self.text(key).ok().flatten().unwrap_or_default()
    }

    /// Returns the elements of an array; empty where it is absent or null.
    pub fn list(&self, key: &str) -> Result<Vec<Json<'b>>, RequestError> {
        self.get(key).map_or(Ok(Vec::new()), |value| value.list())
    }

    /// Returns the elements of an array, or the object that stands for its only element; empty where it is absent or null.
    pub fn one_or_more(&self, key: &str) -> Result<Vec<Json<'b>>, RequestError> {
        self.get(key).map_or(Ok(Vec::new()), |value| value.one_or_more())
    }

    /// Returns the object itself.
    pub fn value(&self) -> &Json<'b> {
        &self.of
    }

    /// Returns names and JSON texts of the other members.
    pub fn others(&self, known: &[&str]) -> Vec<(String, String)> {
        let others = self
            .entries
            .iter()
            .filter(|(key, _)| !known.contains(&key.as_ref()));
        others
            .map(|(key, raw)| (key.clone().into_owned(), (*raw).to_owned()))
            .collect()
    }
}

/// Returns a string as JSON text.
pub fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Returns JSON text on one line. A line break in JSON text is always between its values.
pub fn one_line(raw: &str) -> String {
    raw.replace(['\r', '\n'], " ")
}

/// Returns a text with pieces replaced. The pieces are in order and do not overlap.
pub fn spliced(text: &str, pieces: &[(Range<usize>, String)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (span, new) in pieces {
        out += text.get(at..span.start).unwrap_or_default();
        out += new;
        at = span.end;
    }
    out + text.get(at..).unwrap_or_default()
}

/// Returns the place of a text inside of another.
pub fn place(whole: &str, inner: &str) -> Range<usize> {
    let at = inner.as_ptr().addr() - whole.as_ptr().addr();
    at..at + inner.len()
}

/// Returns an object with another value of a member, which is added at the end if it is not there. Every other byte
/// stays. Any other JSON text is returned unchanged.
pub fn with_member(raw: &str, key: &str, value: &str) -> String {
    let Some(object) = Object::read(raw) else {
        return raw.to_owned();
    };
    let entries = object.into_entries();
    let found = entries.iter().rev().find(|(name, _)| name == key);
    let (span, new) = match (found, entries.last()) {
        (Some((_, old)), _) => (place(raw, old.get()), value.to_owned()),
        (None, Some((_, last))) => {
            let end = place(raw, last.get()).end;
            (end..end, format!(",{}:{value}", quoted(key)))
        }
        (None, None) => (0..raw.len(), format!("{{{}:{value}}}", quoted(key))),
    };
    spliced(raw, &[(span, new)])
}

/// Returns an object with another value of a member of a member.
pub fn with_inner(raw: &str, outer: &str, key: &str, value: &str) -> String {
    let inner = frame::member(raw, outer).unwrap_or("{}");
    with_member(raw, outer, &with_member(inner, key, value))
}

/// Returns an object without a member. Every other byte stays.
pub fn without_member(raw: &str, key: &str) -> String {
    let Some(object) = Object::read(raw) else {
        return raw.to_owned();
    };
    let entries = object.into_entries();
    let ends: Vec<usize> = entries
        .iter()
        .map(|(_, value)| place(raw, value.get()).end)
        .collect();
    let Some(index) = entries.iter().position(|(name, _)| name == key) else {
        return raw.to_owned();
    };
    let end = ends.get(index).copied().unwrap_or_default();
    let before = index.checked_sub(1).and_then(|before| ends.get(before));
    let cut = if let Some(before) = before {
        *before..end
    } else {
        let begin = raw.find('{').map_or(0, |at| at + 1);
        // The comma after the first member is removed with it.
        let rest = raw.get(end..).unwrap_or_default().trim_ascii_start();
        let comma = if rest.starts_with(',') {
            raw.len() - rest.len() + 1
        } else {
            end
        };
        begin..comma
    };
    spliced(raw, &[(cut, String::new())])
}

/// What becomes of one element of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Element {
    /// The element at this place stays as it is.
    Old(usize),
    /// This JSON text takes the place of the element there.
    Changed(usize, String),
    /// This JSON text is new.
    New(String),
}

/// Returns a list of these elements. What is between two old elements stays as it is.
pub fn with_elements(raw: &str, elements: &[Element]) -> String {
    let spans: Vec<Range<usize>> = frame::array(raw).iter().map(|one| place(raw, one)).collect();
    let (Some(first), Some(last)) = (spans.first(), spans.last()) else {
        let all: Vec<&str> = elements
            .iter()
            .filter_map(|element| match element {
                Element::Old(_) => None,
                Element::Changed(_, new) | Element::New(new) => Some(new.as_str()),
            })
            .collect();
        return if all.is_empty() {
            raw.to_owned()
        } else {
            format!("[{}]", all.join(","))
        };
    };
    let mut out = raw.get(..first.start).unwrap_or_default().to_owned();
    for (number, element) in elements.iter().enumerate() {
        let at = match element {
            Element::Old(at) | Element::Changed(at, _) => Some(*at),
            Element::New(_) => None,
        };
        if number > 0 {
            let gap = at.filter(|at| *at > 0).and_then(|at| {
                let from = spans.get(at - 1)?.end;
                raw.get(from..spans.get(at)?.start)
            });
            out += gap.unwrap_or(",");
        }
        out += match element {
            Element::Old(at) => spans
                .get(*at)
                .and_then(|span| raw.get(span.clone()))
                .unwrap_or_default(),
            Element::Changed(_, new) | Element::New(new) => new,
        };
    }
    out + raw.get(last.end..).unwrap_or_default()
}
