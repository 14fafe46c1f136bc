//! Reads which arguments the words of a failure complain about, and of what.
//!
//! Must not know: what is done about a complaint.
//!
//! Words are read as validators write them: JSON bodies (RFC 9457, FastAPI, zod, ajv, Rails, Django, Google), and lines of
//! text (pydantic, JSON Schema, argparse, Jackson, Go, serde). A complaint needs both: a name where an argument is named,
//! and words that say what is wrong with it. A name that is only mentioned is none.

mod body;
mod known;
mod line;
mod wrong;

use serde_json::Value;

pub(super) use wrong::Wrong;

use super::arg_path;
use known::Known;

/// Maximum number of complaints of one text.
const MOST: usize = 16;

/// What a text says is wrong with an argument.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Complaint {
    /// JSON pointer to the argument.
    pub path: String,
    /// What is wrong.
    pub wrong: Wrong,
    /// The words that say it.
    pub words: String,
}

/// Returns the complaints of a text about arguments of a tool, in the order of the text, one for each argument.
pub(super) fn complaints(words: &str, schema: &Value, args: &Value) -> Vec<Complaint> {
    let known = Known::new(schema, args);
    let (mut found, text) = body::read(words, &known);
    line::read(&text, "", &known, &mut found);
    if found.is_empty() {
        line::read_values(&text, &known, &mut found);
    }
    let mut all: Vec<Complaint> = Vec::new();
    for one in found {
        match all.iter_mut().find(|other| other.path == one.path) {
            // What is wrong is said better elsewhere.
            Some(other) if other.wrong == Wrong::Invalid => *other = one,
            Some(_) => {}
            None => all.push(one),
        }
    }
    all.truncate(MOST);
    all
}

/// Returns the first argument that a text complains about, as `legs.0.date`; none if it complains about none.
pub fn argument_at_fault(words: &str, schema: &Value, args: &str) -> Option<String> {
    let args = serde_json::from_str(args).ok()?;
    let first = complaints(words, schema, &args).into_iter().next()?;
    Some(arg_path::shown(&first.path))
}

#[cfg(test)]
mod tests;
