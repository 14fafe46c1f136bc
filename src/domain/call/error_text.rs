//! Returns the text of a failure: what was reported and what the tool printed, in one text.
//!
//! Must not know: what is concluded from it.
//!
//! Diagnosis, rules of repair, patterns of errors, questions to the model and references read this text.

use std::borrow::Cow;

use serde_json::Value;

use super::ToolError;
use overrule_base::text::{redact_certain, visible_head};

/// Maximum bytes of the text.
const MOST: usize = 4096;
/// Bytes of each end of an output that are examined for secrets. It exceeds `MOST` by more than the longest key, so that
/// no part of a key is left that is not recognized.
const EXAMINED: usize = 32 * 1024;
/// Characters of an output that are compared with the message.
const COMPARED: usize = 400;
/// Bytes of the line that stands for the middle of a text that is too long.
const NOTE: usize = 64;

impl ToolError {
    /// Returns the text of the failure: its message and what the tool printed, without secrets, at most 4 KiB. Of a
    /// longer text the beginning and the end are kept.
    pub fn text(&self) -> String {
        let printed = self.partial.as_deref().map(printed).unwrap_or_default();
        let printed = redacted(printed.trim());
        let message = redacted(self.message.trim());
        if printed.is_empty() {
            return cut(message);
        }
        // The message of some tools is the beginning of what they printed.
        let begun = message.strip_suffix('…').unwrap_or(&message);
        if visible_head(&printed, COMPARED).starts_with(begun) {
            return cut(printed);
        }
        cut(format!("{message}\n{printed}"))
    }
}

/// Returns the text of an output that is stored as JSON.
fn printed(partial: &str) -> Cow<'_, str> {
    match serde_json::from_str(partial) {
        Ok(Value::String(text)) => text.into(),
        _ => partial.into(),
    }
}

fn redacted(text: &str) -> String {
    if text.len() <= 2 * EXAMINED {
        return redact_certain(text);
    }
    let (head, tail) = ends(text, EXAMINED);
    let left = text.len() - head.len() - tail.len();
    joined(&redact_certain(head), left, &redact_certain(tail))
}

fn cut(text: String) -> String {
    if text.len() <= MOST {
        return text;
    }
    let (head, tail) = ends(&text, (MOST - NOTE) / 2);
    joined(head, text.len() - head.len() - tail.len(), tail)
}

fn joined(head: &str, left: usize, tail: &str) -> String {
    format!("{head}\n[… {left} bytes left out …]\n{tail}")
}

/// Returns at most this many bytes of each end of a text, in whole characters.
fn ends(text: &str, most: usize) -> (&str, &str) {
    let head = (0..=most).rev().find_map(|end| text.get(..end));
    let from = text.len().saturating_sub(most);
    let tail = (from..=text.len()).find_map(|start| text.get(start..));
    (head.unwrap_or_default(), tail.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::ErrorClass;
    use overrule_base::text::visible;

    fn words(message: &str, partial: Option<&Value>) -> String {
        let error = ToolError {
            class: ErrorClass::Param,
            message: message.into(),
            evidence: "HTTP 400".into(),
            hint: None,
            partial: partial.map(|partial| partial.to_string().into()),
            executed: true,
            retry_after_ms: None,
        };
        error.text()
    }

    #[test]
    fn words_are_the_message_and_what_was_printed() {
        let body = Value::from("{\"error\":\"no\"}\n");
        for (message, partial, expected) in [
            ("answered 400", Some(&body), "answered 400\n{\"error\":\"no\"}"),
            ("answered 400", None, "answered 400"),
            ("answered 400", Some(&Value::from(" \n")), "answered 400"),
            // A text that the message begins with is not repeated.
            (
                visible("one\nt…").as_str(),
                Some(&Value::from("one\ntwo")),
                "one\ntwo",
            ),
            ("one", Some(&Value::from("one")), "one"),
            (
                "bad",
                Some(&serde_json::json!({"errors": ["x"]})),
                "bad\n{\"errors\":[\"x\"]}",
            ),
        ] {
            assert_eq!(words(message, partial), expected, "{message} {partial:?}");
        }
    }

    #[test]
    fn long_words_keep_their_beginning_and_their_end_in_whole_characters() {
        for length in [10_000, 300_000] {
            let text = format!("begin {} end", "é".repeat(length));
            let words = words("failed", Some(&Value::from(text)));
            assert!(words.len() <= MOST, "{}", words.len());
            assert!(words.starts_with("failed\nbegin é") && words.ends_with("é end"));
            assert!(words.contains(" bytes left out …]\n"));
        }
    }

    #[test]
    fn secrets_are_left_out_before_the_text_is_cut() {
        let key = "sk-abcdefghijklmnopqrstuvwxyz012345";
        for at in [0, 1990, 2040, 2048, 2060, 4000, 40_000] {
            let text = format!("{} {key} {}", "x".repeat(at), "y".repeat(70_000));
            let words = words("failed", Some(&Value::from(text)));
            assert!(!words.contains("abcdefghij"), "{at}");
        }
        let block = format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n", "QUJD".repeat(900));
        let text = format!("{}{block}", "z".repeat(100_000));
        let words = words(key, Some(&Value::from(text)));
        assert!(!words.contains("QUJD") && !words.contains(key), "{words}");
    }
}
