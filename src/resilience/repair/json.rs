//! Strategy: repair text that is almost JSON.
//!
//! Must not know: other strategies.
//!
//! It handles a code fence around the text, a value as Python writes it, surplus commas, unquoted
//! names and unclosed brackets. It reads as little into the text as it can: what is still not JSON
//! afterwards is left alone.

mod reader;

use serde_json::Value;

use overrule_domain::repair::Certainty;
use reader::{Reader, Slips};

/// Maximum length in bytes of a text that is repaired.
const MOST: usize = 256 * 1024;

/// Returns JSON for a text that is not, and how certain it is; `None` if that is impossible.
pub(super) fn repaired(text: &str) -> Option<(String, Certainty, &'static str)> {
    if text.len() > MOST || is_json(text) {
        return None;
    }
    let inner = fenced(text).unwrap_or(text).trim();
    if is_json(inner) {
        return Some((
            inner.to_owned(),
            Certainty::Exact,
            "the JSON inside of the code fence",
        ));
    }
    let (written, slips) = Reader::over(inner)?;
    let (certainty, why) = match slips {
        // More may be missing than brackets.
        Slips::Cut => (
            Certainty::Changed,
            "what arrived of the JSON, with its brackets closed",
        ),
        Slips::Some => (Certainty::Guess, "the JSON that was meant, without its slips"),
        Slips::None => (Certainty::Exact, "the same value, written as JSON"),
    };
    is_json(&written).then_some((written, certainty, why))
}

/// Returns the value that a text spells out in JSON or in Python, if it has one reading: a list, an
/// object, a quoted text, or a word such as `None`. Bare numbers are left to callers that know the
/// wanted type.
pub(super) fn spelt(text: &str) -> Option<Value> {
    if text.len() > MOST {
        return None;
    }
    let inner = fenced(text).unwrap_or(text).trim();
    let names_one = matches!(inner, "true" | "false" | "null" | "True" | "False" | "None");
    if !(names_one || inner.starts_with(['[', '{', '(', '"', '\''])) {
        return None;
    }
    if is_json(inner) {
        return serde_json::from_str(inner).ok();
    }
    let (written, slips) = Reader::over(inner)?;
    (slips == Slips::None && is_json(&written))
        .then(|| serde_json::from_str(&written).ok())
        .flatten()
}

/// Returns true for JSON without duplicate names or values that parsing would change.
fn is_json(text: &str) -> bool {
    overrule_base::canon::scan(text).is_empty() && serde_json::from_str::<Value>(text).is_ok()
}

fn fenced(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix("```")?.strip_suffix("```")?;
    let (first, rest) = inner.split_once('\n')?;
    first
        .trim()
        .chars()
        .all(char::is_alphanumeric)
        .then_some(rest.trim())
}
