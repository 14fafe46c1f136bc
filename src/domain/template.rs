//! Templates: calls made from a recorded execution, to probe it or to revert it.
//!
//! Must not know: where a template was written, how a call is offered.
//!
//! Such a call is offered and never runs by itself: it is inserted like any other call.
//!
//! A string of a template may hold placeholders, which are JSON pointers into recorded data:
//! `{/path}` into the arguments that ran, `{result/…}` and `{meta/…}` into the outcome,
//! `{before/…}` into the state of the world before. Pointers go into a text result if it is JSON. A
//! string that is one placeholder becomes the value itself; within other text a value is text, and
//! with `|sh` one word of a shell command. `{{/` is a literal `{/`.

mod fill;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::id::NodeId;

pub use fill::{compensate_of, probe_entry, probe_of};

/// A call with placeholders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    /// The tool.
    pub tool: Arc<str>,
    /// JSON text of its arguments, with placeholders in strings.
    pub args: Arc<str>,
}

/// A template with everything filled in: a call to be inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    /// The tool.
    pub tool: Arc<str>,
    /// JSON text of its arguments; what looks like a reference in them is escaped.
    pub args: Arc<str>,
}

/// What is wrong with a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Arguments are an object.
    #[error("the arguments are no table")]
    NoTable,
    /// A placeholder without an end.
    #[error("`{0}` is not closed; end the placeholder with `}}`, or write `{{{{` for a brace")]
    Open(String),
    /// What stands in it is no pointer.
    #[error("`{{{0}}}` holds no JSON pointer; write it such as {{/path}} or {{result/id}}")]
    Pointer(String),
    /// A probe has no result.
    #[error("`{{{0}}}` needs a result, and a probe has none")]
    NoResult(String),
    /// A value that is not one word of the command line.
    #[error("`{{{0}}}` stands in a command line and could be read as more than one word; write {{{0}|sh}}")]
    Unquoted(String),
}

/// Why no call is offered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotOffered {
    /// No such execution.
    #[error("there is no execution {0}: `overrule effects` lists them")]
    Unknown(String),
    /// A call that never ran.
    #[error("{0} never ran")]
    NeverRan(NodeId),
    /// The tool has none.
    #[error("the tool `{0}` has no {1} template; add [tool.{0}] {1} to your configuration file")]
    NoTemplate(String, &'static str),
    /// Nothing to revert.
    #[error("nothing to revert: it did not happen")]
    DidNot,
    /// Not yet.
    #[error("it is still running: wait for it, or cancel it")]
    Running,
    /// A placeholder without a value.
    #[error("{0}: nothing was recorded there{1}")]
    Missing(String, String),
    /// A template that cannot be read; only a foreign journal has one.
    #[error("its template is broken: {0}")]
    Broken(#[from] Error),
}

/// What a template is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To find out whether it happened.
    Probe,
    /// To revert it.
    Compensate,
}

impl Purpose {
    /// The purpose as it is written in settings.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Probe => "probe",
            Self::Compensate => "compensate",
        }
    }
}

impl Template {
    /// A template with arguments that were checked.
    pub fn new(purpose: Purpose, tool: &str, args: &Value) -> Result<Self, Error> {
        if !args.is_object() {
            return Err(Error::NoTable);
        }
        check(purpose, tool, args, false)?;
        Ok(Self {
            tool: Arc::from(tool),
            args: Arc::from(args.to_string()),
        })
    }
}

/// Key in `before` under which a tool says why it saved nothing.
pub const NOT_SAVED: &str = "not_kept";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    Args,
    Result,
    Meta,
    Before,
}

/// A placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place<'t> {
    /// As it was written, without its braces.
    text: &'t str,
    root: Root,
    pointer: &'t str,
    /// To be one word of a shell command.
    shell: bool,
}

/// A piece of a template's string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'t> {
    Text(&'t str),
    Place(Place<'t>),
}

const ROOTS: [(&str, Root); 4] = [
    ("result", Root::Result),
    ("meta", Root::Meta),
    ("before", Root::Before),
    ("", Root::Args),
];

/// Returns true if the text after a brace begins a placeholder.
fn begins(text: &str) -> bool {
    ROOTS.iter().any(|(name, root)| {
        text.strip_prefix(name).is_some_and(|rest| {
            let whole = *root != Root::Args && (rest.starts_with('}') || rest.starts_with('|'));
            rest.starts_with('/') || whole
        })
    })
}

fn pieces(text: &str) -> Result<Vec<Piece<'_>>, Error> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut plain = 0;
    while let Some(at) = rest.get(plain..).and_then(|tail| tail.find('{')) {
        let at = plain + at;
        let after = rest.get(at + 1..).unwrap_or_default();
        if let Some(escaped) = after.strip_prefix('{')
            && begins(escaped)
        {
            found.push(Piece::Text(rest.get(..=at).unwrap_or_default()));
            rest = escaped;
            plain = 0;
        } else if begins(after) {
            found.push(Piece::Text(rest.get(..at).unwrap_or_default()));
            let Some(end) = after.find('}') else {
                return Err(Error::Open(format!("{{{after}")));
            };
            found.push(Piece::Place(place(after.get(..end).unwrap_or_default())?));
            rest = after.get(end + 1..).unwrap_or_default();
            plain = 0;
        } else {
            plain = at + 1;
        }
    }
    found.push(Piece::Text(rest));
    found.retain(|piece| *piece != Piece::Text(""));
    Ok(found)
}

fn place(text: &str) -> Result<Place<'_>, Error> {
    let (path, shell) = match text.strip_suffix("|sh") {
        Some(path) => (path, true),
        None => (text, false),
    };
    let wrong = || Error::Pointer(text.to_owned());
    let (pointer, root) = ROOTS
        .iter()
        .find_map(|(name, root)| Some((path.strip_prefix(name)?, *root)))
        .ok_or_else(wrong)?;
    let mut signs = pointer.chars().peekable();
    let mut is_pointer = pointer.is_empty() || pointer.starts_with('/');
    while let Some(sign) = signs.next() {
        is_pointer &= sign != '~' || matches!(signs.peek(), Some('0' | '1'));
    }
    if !is_pointer || pointer.contains('|') {
        return Err(wrong());
    }
    Ok(Place {
        text,
        root,
        pointer,
        shell,
    })
}

/// Checks every string of a template.
fn check(purpose: Purpose, tool: &str, value: &Value, command: bool) -> Result<(), Error> {
    match value {
        Value::String(text) => {
            for piece in pieces(text)? {
                let Piece::Place(place) = piece else { continue };
                let needs_result = matches!(place.root, Root::Result | Root::Meta);
                if needs_result && purpose == Purpose::Probe {
                    return Err(Error::NoResult(place.text.to_owned()));
                }
                if command && !place.shell && place.text.len() + 2 != text.len() {
                    return Err(Error::Unquoted(place.text.to_owned()));
                }
            }
            Ok(())
        }
        Value::Array(list) => list.iter().try_for_each(|one| check(purpose, tool, one, command)),
        Value::Object(map) => map
            .iter()
            .try_for_each(|(key, one)| check(purpose, tool, one, tool == "shell" && key == "command")),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}
