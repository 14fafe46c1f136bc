//! Reads JSON text tolerantly into a tree, and names everything that was not JSON.
//!
//! Must not know: who wrote the text, what the values mean.
//!
//! A tree keeps the digits of numbers and the order of members. The text that [`Tree`] displays is JSON, whatever was
//! read. Well-formed JSON without duplicate names is read as what it is.

mod read;

use std::fmt;

use super::canonical::quote;
use super::number::is_same_number;
pub use read::{Fault, Reading, Slip, SlipKind};

/// A JSON value with its numbers as written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Tree {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as written. It may be too large for every type of number.
    Number(String),
    /// A string, decoded.
    Text(String),
    /// An array.
    List(Vec<Tree>),
    /// An object; each name occurs once.
    Object(Vec<(String, Tree)>),
}

/// Returns members in the order of their names.
fn sorted(members: &[(String, Tree)]) -> Vec<&(String, Tree)> {
    let mut members: Vec<_> = members.iter().collect();
    members.sort_by(|(one, _), (other, _)| one.cmp(other));
    members
}

impl Tree {
    /// Reads a text that is one value.
    pub fn read(text: &str) -> Result<Reading, Fault> {
        read::whole(text)
    }

    /// Reads one value at the beginning of a text. The reading says where it ends.
    pub fn read_first(text: &str) -> Result<Reading, Fault> {
        read::first(text)
    }

    /// Returns true for the same value: numbers are compared by value, members in any order.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => is_same_number(one, other),
            (Self::List(one), Self::List(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_same(other))
            }
            (Self::Object(one), Self::Object(other)) => {
                let mut pairs = sorted(one).into_iter().zip(sorted(other));
                one.len() == other.len()
                    && pairs
                        .all(|((name, one), (other_name, other))| name == other_name && one.is_same(other))
            }
            _ => self == other,
        }
    }

    /// Returns a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Returns an object of these members.
    pub fn object(members: impl IntoIterator<Item = (&'static str, Self)>) -> Self {
        let members = members.into_iter();
        Self::Object(members.map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Returns the member of an object; `None` for no object too.
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        let found = members.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    /// Returns the member of an object; `None` for no object too.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Self> {
        let Self::Object(members) = self else { return None };
        let found = members.iter_mut().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    /// Takes a member out of an object; `None` for no object too.
    pub fn remove(&mut self, name: &str) -> Option<Self> {
        let Self::Object(members) = self else { return None };
        let at = members.iter().position(|(known, _)| known == name)?;
        Some(members.remove(at).1)
    }

    /// Sets a member of an object, in its place if there is one. Does nothing to other values.
    pub fn set(&mut self, name: &str, value: Self) {
        if let Some(known) = self.get_mut(name) {
            *known = value;
        } else if let Self::Object(members) = self {
            members.push((name.to_owned(), value));
        }
    }

    /// Returns the text; `None` for other values.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns true for `null`.
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Names the kind of value, for a message.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        write(&mut out, self);
        f.write_str(&out)
    }
}

/// Writes a value. It is nested at most as deep as it was read.
fn write(out: &mut String, tree: &Tree) {
    match tree {
        Tree::Null => out.push_str("null"),
        Tree::Bool(true) => out.push_str("true"),
        Tree::Bool(false) => out.push_str("false"),
        Tree::Number(number) => out.push_str(number),
        Tree::Text(text) => quote(out, text),
        Tree::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(out, item);
            }
            out.push(']');
        }
        Tree::Object(members) => {
            out.push('{');
            for (at, (name, value)) in members.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                quote(out, name);
                out.push(':');
                write(out, value);
            }
            out.push('}');
        }
    }
}

#[cfg(test)]
mod tests;
