//! A regular expression of a condition, compiled when it is first matched.
//!
//! Must not know: conditions, what is matched.

use std::sync::OnceLock;

use regex::{Captures, Regex};

use super::filters::last_line;

/// A regular expression.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    /// None if it is not valid.
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Makes a pattern that matches anywhere in a text, or the whole of it.
    pub fn new(written: &str, whole: bool) -> Self {
        let text = if whole {
            format!("^(?:{written})$")
        } else {
            written.to_owned()
        };
        let compiled = OnceLock::new();
        Self { text, compiled }
    }

    /// Compiles the pattern. An error says why it is not valid.
    pub fn check(&self) -> Result<(), String> {
        match Regex::new(&self.text) {
            Ok(regex) => {
                self.compiled.get_or_init(|| Some(regex));
                Ok(())
            }
            Err(error) => Err(last_line(&error)),
        }
    }

    /// The compiled pattern; none if it is not valid: it matches nothing then.
    pub fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| Regex::new(&self.text).ok()).as_ref()
    }

    /// Returns true if it matches a text.
    pub fn is_match(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    /// Returns the groups of its first match in a text.
    pub fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.regex()?.captures(text)
    }
}
