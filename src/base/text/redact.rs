//! Removes secrets from text that leaves the machine or goes into a log.
//!
//! Must not know: which.
//!
//! A removed secret is replaced by a note of its length, so that the rest is not mistaken for the
//! whole. Never used for approvals: there every byte is shown.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// The beginning of a replacement; a value that begins like this was redacted before.
const DONE: &str = "[redacted ";

/// Patterns that capture the secret in the group `s`. All are linear in the length of the text.
static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        // Private keys, even without their end.
        r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?<s>.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
        // Headers that contain only a secret.
        r#"(?i)\b(?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:[a-z][a-z0-9-]*\s+)?(?<s>[^\s"',;]+)"#,
        r#"(?i)\b(?:x-api-key|api-key|x-goog-api-key|x-auth-token|x-amz-security-token)["']?\s*[:=]\s*["']?(?<s>[^\s"',;]+)"#,
        r"(?im)\b(?:set-)?cookie:[ \t]*(?<s>[^\r\n]+)",
        r"(?i)\bbearer\s+(?<s>[A-Za-z0-9._~+/=-]{8,})",
        // Keys with a telltale prefix.
        r"(?<s>\b(?:sk|rk|pk)[-_][A-Za-z0-9_-]{16,})",
        r"(?<s>\b(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}\b)",
        r"(?<s>\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}))",
        r"(?<s>\b(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|AIza[0-9A-Za-z_-]{30,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}))",
        r"(?<s>\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)",
        // A password inside a URL.
        r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@]*:(?<s>[^\s/@]+)@",
        // Assignments by name. Must be last, because ordinary words can look like one.
        r#"(?i)(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret)\\?["']?\s*[:=]\s*\\?["']?(?<s>[^\s"',;&\\]{6,})"#,
    ]
    .iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

/// Replaces everything that looks like a secret by `[redacted 51 bytes]`.
pub fn redact(text: &str) -> String {
    without(&PATTERNS, text)
}

/// Redacts a text that a person has to work with: only what is a secret by its form or place. A
/// value that merely follows a telltale name stays, because `unexpected token: identifier` is not a
/// secret.
pub fn redact_certain(text: &str) -> String {
    let certain = PATTERNS.len().saturating_sub(1);
    without(PATTERNS.get(..certain).unwrap_or_default(), text)
}

/// Redacts a text that says what would run. Only a literal is removed: a variable, a path, and what a shell could read as a
/// command stay, so that no name hides them.
pub fn redact_literals(text: &str) -> String {
    without_if(&PATTERNS, text, is_literal)
}

fn is_literal(secret: &str) -> bool {
    let is_cookie = |pair: &str| {
        pair.split_once('=')
            .is_some_and(|(name, value)| is_word(name) && is_word(value))
    };
    let is_path = ["/", "./", "../", "~"]
        .iter()
        .any(|start| secret.starts_with(start));
    let is_key = |line: &str| {
        line.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
    };
    !is_path
        && (is_word(secret) || secret.split("; ").all(is_cookie) || secret.split(['\r', '\n']).all(is_key))
}

/// Returns true for a text in which a shell finds one word and nothing to replace.
fn is_word(text: &str) -> bool {
    let is_special = |c: char| c.is_whitespace() || c.is_control() || "$`(){}[]<>|;&*?\"'\\".contains(c);
    !text.is_empty() && !text.contains(is_special)
}

fn without(patterns: &[Regex], text: &str) -> String {
    without_if(patterns, text, |_| true)
}

fn without_if(patterns: &[Regex], text: &str, is_removed: impl Fn(&str) -> bool) -> String {
    let mut text = Cow::Borrowed(text);
    for pattern in patterns {
        let clean = pattern.replace_all(&text, |found: &Captures<'_>| {
            let whole = found.get(0).map_or("", |m| m.as_str());
            let start = found.get(0).map_or(0, |m| m.start());
            match found.name("s") {
                Some(secret)
                    if !secret.as_str().trim_start().starts_with(DONE.trim_end())
                        && is_removed(secret.as_str()) =>
                {
                    let before = whole.get(..secret.start() - start).unwrap_or_default();
                    let after = whole.get(secret.end() - start..).unwrap_or_default();
                    format!("{before}{}{after}", notice(secret.len()))
                }
                _ => whole.to_owned(),
            }
        });
        if let Cow::Owned(clean) = clean {
            text = Cow::Owned(clean);
        }
    }
    text.into_owned()
}

fn notice(bytes: usize) -> String {
    format!("{DONE}{bytes} bytes]")
}
