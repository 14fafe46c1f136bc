//! Texts with `{placeholders}` that arguments fill.
//!
//! Must not know: what the text is for.

use std::fmt;

use serde_json::{Map, Value};

/// A text with placeholders. `{{` and `}}` stand for braces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    parts: Vec<Part>,
    written: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Argument(String),
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl Pattern {
    /// Reads a text. The error says what is wrong with it.
    pub fn parse(written: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut chars = written.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '{' | '}' if chars.peek() == Some(&c) => {
                    chars.next();
                    text.push(c);
                }
                '}' => return Err("a `}` without a `{`; write `}}` for the character".to_owned()),
                '{' => {
                    let mut name = String::new();
                    loop {
                        match chars.next() {
                            Some('}') => break,
                            Some(c) if c.is_ascii_alphanumeric() || c == '_' || c == '-' => name.push(c),
                            Some(c) => {
                                return Err(format!(
                                    "`{c}` in a placeholder; write {{name}}, or `{{{{` for the character"
                                ));
                            }
                            None => {
                                return Err("a `{` without a `}`; write `{{` for the character".to_owned());
                            }
                        }
                    }
                    if name.is_empty() {
                        return Err("an empty placeholder; name an argument in it".to_owned());
                    }
                    if !text.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut text)));
                    }
                    parts.push(Part::Argument(name));
                }
                c => text.push(c),
            }
        }
        if !text.is_empty() {
            parts.push(Part::Text(text));
        }
        let written = written.to_owned();
        Ok(Self { parts, written })
    }

    /// Iterates over the names of its placeholders.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Argument(name) => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// Returns the text before the first placeholder.
    pub fn head(&self) -> &str {
        match self.parts.first() {
            Some(Part::Text(text)) => text,
            _ => "",
        }
    }

    /// Returns the name, if the text is one placeholder and nothing else.
    pub fn only(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Argument(name)] => Some(name),
            _ => None,
        }
    }

    /// Fills every placeholder with `encode` of its value. `None` if an argument is absent.
    pub fn fill(&self, args: &Map<String, Value>, encode: impl Fn(String) -> String) -> Option<String> {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Text(part) => text.push_str(part),
                Part::Argument(name) => text.push_str(&encode(plain(args.get(name)?))),
            }
        }
        Some(text)
    }
}

/// Returns a value as text: a string as it is, everything else as compact JSON.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Fills the strings of a JSON value. A string that is one placeholder becomes the value; a member whose argument is
/// absent is left out.
pub(super) fn json(of: &Value, args: &Map<String, Value>) -> Option<Value> {
    Some(match of {
        Value::String(text) => {
            let pattern = Pattern::parse(text).ok()?;
            match pattern.only() {
                Some(name) => args.get(name)?.clone(),
                None => Value::String(pattern.fill(args, |value| value)?),
            }
        }
        Value::Array(items) => items.iter().filter_map(|item| json(item, args)).collect(),
        Value::Object(members) => members
            .iter()
            .filter_map(|(key, value)| Some((key.clone(), json(value, args)?)))
            .collect(),
        other => other.clone(),
    })
}

/// Percent-encodes everything but unreserved characters, so that a value stays one part of an address.
pub(super) fn percent(value: String) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'~' | b'.') {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// Returns true if a segment of the path of an address is `.` or `..`, percent-encoded or not: it leads to another path.
pub fn has_dot_segment(url: &str) -> bool {
    // These are left out where an address is read.
    let plain: String = url.chars().filter(|c| !"\t\r\n".contains(*c)).collect();
    let rest = plain.split_once("://").map_or(&*plain, |(_, rest)| rest);
    let path = rest.split(['?', '#']).next().unwrap_or_default();
    path.split(['/', '\\']).skip(1).any(|segment| {
        let decoded = segment.to_ascii_lowercase().replace("%2e", ".");
        decoded == "." || decoded == ".."
    })
}
