//! Summarizes what came of a call: a word for the end of its row, and the text that it gave.
//!
//! Must not know: styles, where a row ends.

use serde_json::Value;

use super::arguments::text;
use super::object::written_lines;
use super::{Summary, text_of};
use crate::ground::json;
use overrule_base::known_tool::{self, Kind};
use overrule_domain::call::{ErrorClass, Outcome};
use overrule_present::many;

/// Longest value whose lines or members are counted, in bytes.
const COUNTED: usize = 256 * 1024;
/// Bytes of the end of a text from which its last lines are read.
const END: usize = 4 * 1024;
/// The most columns of a value at the end of a row.
const SHORT: usize = 16;

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResultLine {
    /// A word or a number, for the end of the row.
    pub word: String,
    /// What it printed last, or why it failed. Untrusted.
    pub text: Summary,
}

impl ResultLine {
    fn word(word: impl Into<String>) -> Self {
        Self {
            word: word.into(),
            text: Summary::default(),
        }
    }
}

/// What came of a call of a tool with these arguments.
pub fn result_line(tool: &str, args: &str, outcome: &Outcome) -> ResultLine {
    match outcome {
        Outcome::Ok {
            value, meta, exit, ..
        } => {
            let meta: Value = meta
                .as_deref()
                .and_then(|meta| serde_json::from_str(meta).ok())
                .unwrap_or_default();
            match (known_tool::kind(tool), exit) {
                (_, Some(code)) => ResultLine {
                    word: format!("exit {code}"),
                    text: last_line(value),
                },
                (Some(Kind::Shell), None) => {
                    let code = meta.get("exit").and_then(Value::as_i64);
                    ResultLine {
                        word: code.map_or_else(String::new, |code| format!("exit {code}")),
                        text: last_line(value),
                    }
                }
                (Some(Kind::Edit), None) => ResultLine::word("changed"),
                (Some(Kind::Write), None) => {
                    let is_new = meta.get("created").and_then(Value::as_bool) == Some(true);
                    let lines = written_lines(args).map(|count| many(count, "line"));
                    let lines = lines.unwrap_or_else(|| "written".to_owned());
                    ResultLine::word(if is_new { format!("new, {lines}") } else { lines })
                }
                (kind, None) => found(tool, kind, value, &meta),
            }
        }
        Outcome::Err(error) if error.class == ErrorClass::Cancelled => ResultLine {
            word: "cancelled".to_owned(),
            text: text_of(&error.message),
        },
        Outcome::Err(error) => ResultLine {
            word: "failed".to_owned(),
            text: text_of(&error.message),
        },
        Outcome::Cancelled { executed } => ResultLine {
            word: "cancelled".to_owned(),
            text: Summary::default().own(if *executed {
                "it may have had an effect"
            } else {
                "nothing happened"
            }),
        },
    }
}

/// The last lines of what a call gave that are not blank, the newest last; none where it gave no text. Untrusted.
pub fn ends(outcome: &Outcome, count: usize) -> Vec<String> {
    let text = match outcome {
        Outcome::Ok { value, .. } => json::text_end(value, END).unwrap_or_default(),
        Outcome::Err(error) => error.message.clone(),
        Outcome::Cancelled { .. } => String::new(),
    };
    let lines = text.lines().rev().map(str::trim_end);
    let mut lines: Vec<String> = lines
        .filter(|line| !line.is_empty())
        .take(count)
        .map(str::to_owned)
        .collect();
    lines.reverse();
    lines
}

/// The result of a call that reads or computes: how much it found, or a short value itself.
fn found(tool: &str, kind: Option<Kind>, value: &str, meta: &Value) -> ResultLine {
    let count = |key: &str| meta.get(key).and_then(Value::as_u64).map(|count| count as usize);
    let counted = |count: usize, one: &str| match (count, one) {
        (1, "entry") => "1 entry".to_owned(),
        (count, "entry") => format!("{count} entries"),
        (1, "match") => "1 match".to_owned(),
        (count, "match") => format!("{count} matches"),
        (count, one) => many(count, one),
    };
    let named = [("entries", "entry"), ("matches", "match"), ("lines", "line")];
    if let Some((count, one)) = named.into_iter().find_map(|(key, one)| Some((count(key)?, one))) {
        return ResultLine::word(counted(count, one));
    }
    if value.len() > COUNTED {
        return ResultLine::word(format!("{} bytes", value.len()));
    }
    let Some(text) = json::as_text(value) else {
        let parsed: Value = serde_json::from_str(value).unwrap_or_default();
        return match parsed {
            Value::Array(list) => ResultLine::word(counted(list.len(), "entry")),
            Value::Object(members) => ResultLine {
                word: many(members.len(), "field"),
                text: text_of(value),
            },
            other => ResultLine::word(short(&other.to_string())),
        };
    };
    let lines = text.lines().count();
    if is_list(tool) {
        return ResultLine::word(counted(lines, "entry"));
    }
    if kind == Some(Kind::Read) || lines > 1 {
        return ResultLine::word(counted(lines, "line"));
    }
    if text.is_empty() {
        return ResultLine::word("empty");
    }
    ResultLine {
        word: String::new(),
        text: text_of(&text),
    }
}

/// True for a tool whose result has an entry on each line.
fn is_list(tool: &str) -> bool {
    ["LS", "list", "list_dir", "list_directory", "Glob", "glob"].contains(&tool)
}

/// A value that is no text, if it is short.
fn short(value: &str) -> String {
    if value.len() <= SHORT {
        value.to_owned()
    } else {
        "1 value".to_owned()
    }
}

/// The last line of an output that is not blank.
fn last_line(value: &str) -> Summary {
    let Some((printed, _)) = text(value) else {
        return Summary::default();
    };
    // The end of a long output is not decoded for a row.
    let whole = if value.len() <= COUNTED {
        json::as_text(value).unwrap_or(printed)
    } else {
        String::new()
    };
    let mut lines = whole.lines().rev();
    let last = lines.find(|line| !line.trim().is_empty());
    last.map(|line| text_of(line.trim())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(tool: &str, outcome: &Outcome) -> (String, String) {
        let line = result_line(tool, r#"{"content":"a\nb\n"}"#, outcome);
        (line.word, line.text.visible(40))
    }

    fn meta(value: &str, meta: &str, exit: Option<i32>) -> Outcome {
        Outcome::Ok {
            value: value.into(),
            meta: Some(meta.into()),
            discarded: 0,
            exit,
        }
    }

    #[test]
    fn a_result_is_counted_in_what_the_tool_gives() {
        let line = |word: &str, text: &str| (word.to_owned(), text.to_owned());
        let of = |tool: &str, value: &str| shown(tool, &Outcome::ok(value));
        assert_eq!(of("list_dir", r#""a\nb\nc""#), line("3 entries", ""));
        assert_eq!(of("read_file", r#""a\nb""#), line("2 lines", ""));
        assert_eq!(of("edit_file", r#""replaced""#), line("changed", ""));
        assert_eq!(of("ask", r#""yes""#), line("", "yes"));
        assert_eq!(of("ask", "[1,2]"), line("2 entries", ""));
        assert_eq!(of("ask", "17"), line("17", ""));
        let new = meta("\"x\"", r#"{"bytes":4,"created":true}"#, None);
        assert_eq!(shown("write_file", &new), line("new, 2 lines", ""));
        let search = meta("\"x\"", r#"{"matches":1}"#, None);
        assert_eq!(shown("search", &search), line("1 match", ""));
    }

    #[test]
    fn a_command_shows_its_exit_code_and_its_last_line() {
        let ended = meta(r#""one\nFAILED (failures=1)\n\n""#, r#"{"exit":1}"#, Some(1));
        assert_eq!(
            shown("shell", &ended),
            ("exit 1".to_owned(), "FAILED (failures=1)".to_owned())
        );
        let ended = meta(r#""ok""#, r#"{"exit":0}"#, None);
        assert_eq!(shown("shell", &ended), ("exit 0".to_owned(), "ok".to_owned()));
    }
}
