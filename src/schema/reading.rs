//! Reads an argument text strictly: syntax, nesting, duplicate keys, numbers that would change.
//!
//! Must not know: schemas.
//!
//! The text itself is executed; the value read here only serves the check. So it is a fault if the
//! value would differ from the text.

use serde_json::Value;

use super::checker::MAX_FAULTS;
use super::sentence::shown_text;
use overrule_base::canon::{self, MAX_DEPTH, Oddity, OddityKind};
use overrule_domain::call::Fault;

/// The value of a text as far as it can be read, and the faults.
pub(super) struct Reading {
    pub(super) value: Option<Value>,
    pub(super) faults: Vec<Fault>,
}

/// Reads a text; `keeps_digits` if numbers are passed on as they are written. Blank text is an empty object, because some models send nothing for "no arguments".
pub(super) fn read(text: &str, keeps_digits: bool) -> Reading {
    if text.trim_ascii().is_empty() {
        return Reading {
            value: Some(Value::Object(serde_json::Map::new())),
            faults: Vec::new(),
        };
    }
    if let Some((offset, _)) = canon::depths(text).find(|(_, depth)| *depth > MAX_DEPTH) {
        let (line, column) = place(text, offset);
        return broken(format!(
            "nested deeper than {MAX_DEPTH} levels at line {line}, column {column}; flatten the arguments"
        ));
    }
    match serde_json::from_str::<Value>(text) {
        Ok(value) => Reading {
            value: Some(value),
            // One more shows that some are left out.
            faults: canon::scan_up_to(text, MAX_FAULTS + 1)
                .into_iter()
                .filter(|odd| !(keeps_digits && matches!(odd.kind, OddityKind::Number { .. })))
                .map(lost)
                .collect(),
        },
        Err(error) => broken(syntax(text, &error)),
    }
}

fn broken(message: String) -> Reading {
    Reading {
        value: None,
        faults: vec![fault(String::new(), message)],
    }
}

fn fault(path: String, message: String) -> Fault {
    Fault {
        path,
        keyword: "json".to_owned(),
        message,
    }
}

fn syntax(text: &str, error: &serde_json::Error) -> String {
    let full = error.to_string();
    let what = full
        .rsplit_once(" at line ")
        .map_or(full.as_str(), |(what, _)| what);
    let line = error.line();
    let column = chars_up_to(text, line, error.column());
    if error.is_eof() {
        return format!("the JSON ends too early at line {line}, column {column}: {what}");
    }
    format!("not valid JSON at line {line}, column {column}: {what}")
}

/// Converts a column from bytes, as the reader counts, to characters.
fn chars_up_to(text: &str, line: usize, column: usize) -> usize {
    let Some(row) = text.split('\n').nth(line.saturating_sub(1)) else {
        return column;
    };
    row.char_indices()
        .take_while(|(at, _)| *at < column)
        .count()
        .max(1)
}

fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

/// Converts what the value does not hold to a fault.
fn lost(odd: Oddity) -> Fault {
    let message = match &odd.kind {
        OddityKind::DuplicateKey(key) => format!(
            "the key `{}` occurs more than once in one object; keep one of them",
            shown_text(key)
        ),
        OddityKind::Number { written, becomes } => format!(
            "the number {} cannot be kept exactly (it would become {becomes}); \
             write fewer digits, or a string where one is accepted",
            shown_text(written)
        ),
        // The JSON reader has refused the others.
        _ => odd.to_string(),
    };
    fault(odd.path, message)
}
