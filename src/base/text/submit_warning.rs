//! Warns the operator of secrets or invisible characters in a text before it is submitted.
//!
//! Must not know: who writes it, where it goes.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::redact::redact_certain;
use super::script::WarningKind;
use super::survey::survey;

/// Returns a warning about a text meant for the model and the record, or `None` if there is none.
pub fn submit_warning(text: &str) -> Option<String> {
    let mut found: Vec<String> = Vec::new();
    if redact_certain(text) != text {
        found.push("a possible secret: it is sent to the model and recorded".to_owned());
    }
    // Only JSON has escapes: in other texts `\b` is two letters, such as those of a regular expression.
    let is_json = serde_json::from_str::<IgnoredAny>(text).is_ok();
    let json = if is_json {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(Value::from(text).to_string())
    };
    let unseen = [WarningKind::Direction, WarningKind::Control, WarningKind::Unseen];
    let counts = survey(&json).counts.into_iter();
    found.extend(
        counts
            .filter(|(kind, _)| unseen.contains(kind))
            .map(|(kind, count)| kind.counted(count)),
    );
    (!found.is_empty()).then(|| format!("warning: it contains {}", found.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_secrets_and_invisible_characters_are_warned_about() {
        for plain in [
            "continue with b.txt",
            "a\nb\tc",
            "price 10 €, naïve café, 東京",
            "{\"a\":1}",
            r"Look for `\bunsafe\b`, \f, \u001b and \\.",
            r"a \b",
        ] {
            assert_eq!(submit_warning(plain), None, "{plain:?}");
        }
        let words = submit_warning("use AKIAIOSFODNN7EXAMPLE for it").unwrap();
        assert!(words.contains("a possible secret"), "{words}");
        let words = submit_warning("go \u{1b}[2J on \u{202e}now\u{200b}").unwrap();
        assert_eq!(
            words,
            "warning: it contains 1 control character; 1 mark that turns the direction of the text; 1 character that \
             cannot be seen"
        );
        let words = submit_warning("go \u{1b}[2J on\u{7}").unwrap();
        assert_eq!(words, "warning: it contains 2 control characters");
        assert!(!words.contains("secret"), "{words}");
        for (json, is_warned) in [
            (r#"{"a":"go \u001b[2J"}"#, true),
            (r#""\b""#, true),
            (r#"{"a":"\\b"}"#, false),
        ] {
            assert_eq!(submit_warning(json).is_some(), is_warned, "{json}");
        }
    }
}
