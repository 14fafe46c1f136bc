//! Reads the output schema of a run from its file, and prints the answer that fits it.
//!
//! Must not know: how an answer is validated.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::args::{Common, Task};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::models;
use overrule_base::canon::Lexer;
use overrule_base::text::visible;
use overrule_domain::output::json_text;
use overrule_domain::state::State;
use overrule_engine::setup::{ModelSetup, Setup};
use overrule_regular_file as regular_file;
use overrule_schema::Checker;

/// Longest schema in bytes.
const LONGEST: u64 = 256 * 1024;

/// Reads the schema that the flag, the settings or the playbook name, in this order.
pub fn schema(
    task: &Task,
    common: &Common,
    context: &AppContext,
    model: &ModelSetup,
) -> Result<Option<String>, Failure> {
    let settings = &context.settings.output_schema;
    let named = match (&task.output_schema, &settings.value) {
        (Some(file), _) => Some((file.clone(), "--output-schema".to_owned(), Code::Usage)),
        (None, Some(file)) => Some((file.clone(), settings.origin.to_string(), Code::Config)),
        (None, None) => models::output_schema(model)?.map(|file| {
            let book = common.playbook.as_deref().unwrap_or(Path::new(""));
            let file: PathBuf = book.parent().unwrap_or(Path::new("")).join(file);
            (file, "the playbook".to_owned(), Code::Config)
        }),
    };
    let Some((file, whose, code)) = named else {
        return Ok(None);
    };
    let fail = |why: String| {
        Failure::new(
            code,
            format!(
                "cannot use the output schema {} ({whose}): {}",
                visible(&file.to_string_lossy()),
                visible(&why)
            ),
        )
    };
    let text = regular_file::read_text(&file, LONGEST).map_err(|error| fail(error.to_string()))?;
    let wrong = |why: String| fail(format!("{why}; it must be a JSON Schema"));
    Checker::new(&text).map_err(|error| {
        let why = error.to_string();
        wrong(
            why.trim_end_matches("; correct it where the tool is defined")
                .to_owned(),
        )
    })?;
    Ok(Some(text))
}

/// Returns the JSON of an answer that fits the schema of its run; `None` if the run has no schema, or the operator
/// accepted another answer.
pub fn fitting<'a>(state: &State, answer: &'a str) -> Option<&'a str> {
    let setup = Setup::parse(&state.started.as_deref()?.setup).ok()?;
    let checker = Checker::new(&setup.output_schema?).ok()?;
    let json = json_text(answer);
    checker.check_value(json).is_empty().then_some(json)
}

/// Returns true for a run whose answer must fit a schema.
pub fn is_set(state: &State) -> bool {
    let setup = state
        .started
        .as_deref()
        .map(|started| Setup::parse(&started.setup));
    setup.is_some_and(|setup| setup.is_ok_and(|setup| setup.output_schema.is_some()))
}

/// Returns the same JSON for a terminal, with control and invisible characters as JSON escapes.
pub fn safe(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for token in Lexer::new(json) {
        if token.is_blank() {
            out.push_str(&token.text.replace(['\t', '\r'], " "));
            continue;
        }
        for c in token.text.chars() {
            if matches!(c, ' '..='~') || visible(c.encode_utf8(&mut [0; 4])) == c.to_string() {
                out.push(c);
                continue;
            }
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::safe;

    #[test]
    fn the_json_for_a_terminal_has_the_same_value_and_nothing_hidden() {
        let json = "{\"a\":\t\"x\u{202e}y\u{1f600}\u{e0041} \\\" ä\",\r\n \"b\": 12345678901234567890123}";
        let safe = safe(json);
        assert!(safe.contains("x\\u202ey"), "{safe}");
        assert!(safe.contains("\\udb40\\udc41"), "{safe}");
        assert!(
            safe.contains('ä') && safe.contains("12345678901234567890123"),
            "{safe}"
        );
        assert!(!safe.contains(['\t', '\r', '\u{202e}', '\u{e0041}']), "{safe}");
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&safe), value(json));
    }
}
