//! Marks data that belongs to the format it came in, so that no other format sends it back.
//!
//! Must not know: what is in it.

use super::Wire;
use crate::frame::{self, Object};

/// Returns the data with the name of its format: `{"NAME": DATA}`.
pub fn mark(format: &str, raw: &str) -> String {
    format!("{{\"{format}\":{raw}}}")
}

/// Returns the data of a format in the list that a text has.
pub fn of_text<'a>(format: &str, list: Option<&'a str>) -> Vec<&'a str> {
    let all = list.map(frame::array).unwrap_or_default();
    all.into_iter()
        .filter_map(|raw| frame::member(raw, format))
        .collect()
}

/// Returns the members that a format added to a call.
pub fn of_call<'a>(format: &str, object: Option<&'a str>) -> Option<Object<'a>> {
    Object::read(frame::member(object?, format)?)
}

/// Returns true for a member that is the mark of a format.
pub fn is_mark(key: &str) -> bool {
    Wire::named(key).is_some()
}

/// Members of an object in order, each value as JSON text.
#[derive(Debug, Default)]
pub struct Members(Vec<(String, String)>);

impl Members {
    /// Reads the members of an object, except null ones.
    pub fn read(object: &Object<'_>) -> Self {
        let entries = object.entries().filter(|(_, value)| *value != "null");
        Self(
            entries
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect(),
        )
    }

    /// Returns the value of a member.
    pub fn get(&self, key: &str) -> Option<&str> {
        let (_, value) = self.0.iter().find(|(name, _)| name == key)?;
        Some(value)
    }

    /// Sets a member.
    pub fn set(&mut self, key: &str, value: String) {
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    /// Adds a piece to a member: to a text a text, each as it was escaped. Other values are replaced.
    pub fn add(&mut self, key: &str, value: &str) {
        let Some((_, old)) = self.0.iter_mut().find(|(name, _)| name == key) else {
            return self.0.push((key.to_owned(), value.to_owned()));
        };
        *old = match (old.strip_suffix('"'), value.strip_prefix('"')) {
            (Some(before), Some(more)) => format!("{before}{more}"),
            _ => value.to_owned(),
        };
    }

    /// Iterates over the names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.as_str())
    }

    /// Removes members.
    pub fn without(mut self, keys: &[&str]) -> Self {
        self.0.retain(|(key, _)| !keys.contains(&key.as_str()));
        self
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the object as JSON text.
    pub fn text(&self) -> String {
        let members = self.0.iter().map(|(key, value)| {
            let key = serde_json::Value::from(key.as_str());
            format!("{key}:{value}")
        });
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }
}
