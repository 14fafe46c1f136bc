//! Removes the keys of a server from what the server says.
//!
//! Must not know: where a key was set, what is said.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use overrule_base::canon::{Lexer, Token, TokenKind};
use secrecy::ExposeSecret as _;
use serde_json::Value;

use super::setup::ServerConfig;
use crate::output::json_text;

/// Bytes of the shortest key that is removed: a shorter one is part of ordinary words.
const LEAST: usize = 6;
/// Bytes of the shortest line of a key that is removed by itself.
const LEAST_OF_LINE: usize = 16;

/// The keys of a server.
#[derive(Default)]
pub(super) struct Redaction(Mutex<Vec<String>>);

impl Redaction {
    /// Returns the keys of the settings of a server.
    pub(super) fn new(config: &ServerConfig) -> Self {
        let all = Self::default();
        for secret in &config.secrets {
            all.add(secret.expose_secret());
        }
        all
    }

    /// Adds a key. In JSON it may be written in another way, and a log shows it line by line.
    pub(super) fn add(&self, secret: &str) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let quoted = json_text(secret);
        let escaped = quoted.get(1..quoted.len() - 1).unwrap_or_default();
        let several = secret.trim().contains('\n');
        let lines = secret.lines().map(str::trim);
        let lines = lines.filter(|line| several && line.len() >= LEAST_OF_LINE);
        for form in [secret, escaped].into_iter().chain(lines) {
            if form.len() >= LEAST && !all.iter().any(|known| known == form) {
                all.push(form.to_owned());
            }
        }
        // One may contain another.
        all.sort_by_key(|form| std::cmp::Reverse(form.len()));
    }

    /// Returns a text with a note of its length instead of each key.
    pub(super) fn apply<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = Cow::Borrowed(text);
        for secret in all.iter() {
            if text.contains(secret.as_str()) {
                let note = format!("[redacted {} bytes]", secret.len());
                text = Cow::Owned(text.replace(secret.as_str(), &note));
            }
        }
        text
    }
}

impl Redaction {
    /// Returns a value with its texts and names cleaned. It stays the same JSON: numbers are no keys.
    pub(super) fn json(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.apply(&text).into_owned()),
            Value::Array(items) => items.into_iter().map(|item| self.json(item)).collect(),
            Value::Object(members) => {
                let members = members.into_iter();
                let clean = members.map(|(name, value)| (self.apply(&name).into_owned(), self.json(value)));
                Value::Object(clean.collect())
            }
            other => other,
        }
    }

    /// Returns a JSON text with its texts and names cleaned. Everything else stays as it is written.
    pub(super) fn json_text(&self, text: &str) -> String {
        let token = |token: Token<'_>| {
            let decoded = token.decode().unwrap_or_default();
            match self.apply(&decoded) {
                Cow::Owned(clean) if token.kind == TokenKind::String => json_text(&clean),
                _ => token.text.to_owned(),
            }
        };
        Lexer::new(text).map(token).collect()
    }

    /// Returns where a text that has not ended can be cut so that no key is cut: before the beginning of one at its end.
    pub(super) fn cut(&self, text: &[u8]) -> usize {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = |secret: &String| {
            let longest = secret.len().min(text.len() + 1) - 1;
            (1..=longest)
                .rev()
                .find(|part| text.ends_with(&secret.as_bytes()[..*part]))
        };
        text.len() - all.iter().filter_map(begun).max().unwrap_or(0)
    }
}

impl fmt::Debug for Redaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redaction")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_removed_in_text_and_in_json_and_short_ones_are_no_keys() {
        let all = Redaction::default();
        for secret in ["canary", "canary-and-more", "with \"quotes\"", "abc"] {
            all.add(secret);
        }
        assert_eq!(all.apply("a canary-and-more b"), "a [redacted 15 bytes] b");
        assert_eq!(all.apply("canary"), "[redacted 6 bytes]");
        assert_eq!(
            all.apply(r#"{"k":"with \"quotes\""}"#),
            r#"{"k":"[redacted 15 bytes]"}"#
        );
        assert_eq!(all.apply("abc stays"), "abc stays");
        assert_eq!(format!("{all:?}"), "Redaction");
    }

    #[test]
    fn json_stays_json_and_only_its_texts_are_cleaned() {
        let all = Redaction::default();
        all.add("12345678");
        let value = serde_json::json!({"n": 12_345_678, "t": ["a 12345678"], "12345678": true});
        assert_eq!(
            all.json(value).to_string(),
            r#"{"n":12345678,"t":["a [redacted 8 bytes]"],"[redacted 8 bytes]":true}"#
        );
        let text = r#"{"n": 12345678901234567890123,"t":"a\n12345678"}"#;
        assert_eq!(
            all.json_text(text),
            r#"{"n": 12345678901234567890123,"t":"a\n[redacted 8 bytes]"}"#
        );
    }

    #[test]
    fn a_text_is_not_cut_within_a_key() {
        let all = Redaction::default();
        assert_eq!(all.cut(b"canar"), 5, "there is no key");
        all.add("canary");
        for (text, at) in [
            ("my canar", 3),
            ("my canary", 9),
            ("canar", 0),
            ("my c", 3),
            ("my x", 4),
            ("", 0),
        ] {
            assert_eq!(all.cut(text.as_bytes()), at, "{text}");
        }
    }
}
