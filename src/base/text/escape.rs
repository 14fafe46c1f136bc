//! Escapes special characters in the strings of JSON text for a terminal.
//!
//! Must not know: what the JSON says.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::class::{Class, FRAME, class, is_bracket};

/// Replaces characters that control a terminal, change the direction or are invisible by `\u` escapes. Text
/// that was made visible before stays as it is, and so do blanks and line feeds between values, because JSON
/// contains nothing else outside its strings.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_raw) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_raw(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").unwrap_or_default();
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn is_raw(c: char) -> bool {
    let is_ours = matches!(c, ' ' | '\n') || is_bracket(c) || FRAME.contains(&c);
    !is_ours && class(c) == Class::Hidden
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::visible_lines;

    #[test]
    fn what_steers_a_terminal_is_escaped() {
        let value =
            serde_json::json!({ "a": "\u{9b}31m \u{202e}x\u{7f}\u{1f468}\u{200d}\u{1f469}\u{e0001}" });
        let text = value.to_string();
        assert_eq!(
            escaped(&text),
            "{\"a\":\"\\u009b31m \\u202ex\\u007f\u{1f468}\\u200d\u{1f469}\\udb40\\udc01\"}"
        );
        assert!(matches!(escaped("{\"a\":\"日本 é\"}"), Cow::Borrowed(_)));
    }

    proptest! {
        #![proptest_config(overrule_testing::cases(64))]

        #[test]
        fn it_is_the_same_json_and_nothing_in_it_is_raw(text: String, key: String) {
            let value = serde_json::json!({ key: [text] });
            for json in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                let shown = escaped(&json);
                prop_assert_eq!(&serde_json::from_str::<serde_json::Value>(&shown).unwrap(), &value);
                prop_assert!(!shown.contains(is_raw));
            }
        }

        #[test]
        fn what_was_made_visible_stays_as_it_is(text: String) {
            let shown = visible_lines(&text).join("\n");
            prop_assert_eq!(&*escaped(&shown), &shown);
        }
    }
}
