//! Checks single values, with the same rules for files, variables and flags.
//!
//! Must not know: where a value came from.

use std::path::{Path, PathBuf};

use super::settings::{Ambiguous, Glyphs};

/// Returns a base URL without its trailing slash, or what is wrong with it.
pub fn base_url(text: &str) -> Result<String, &'static str> {
    let Some(rest) = text
        .strip_prefix("http://")
        .or_else(|| text.strip_prefix("https://"))
    else {
        return Err("does not begin with http:// or https://");
    };
    let host = rest.split('/').next().unwrap_or("");
    if host.is_empty() || host.starts_with(':') {
        return Err("names no host");
    }
    if host.contains('@') {
        return Err("holds a user name or password; use api_key for secrets");
    }
    if text.contains(['?', '#']) {
        return Err("holds a query or a fragment");
    }
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("holds a space or a control character");
    }
    Ok(text.trim_end_matches('/').into())
}

/// Advice on how to write a base URL.
pub const BASE_URL: &str = "write it such as \"http://127.0.0.1:11434/v1\"";

/// Checks a name that is used in a header and a request.
pub fn name(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() {
        Err("is empty")
    } else if text.chars().any(char::is_control) {
        Err("holds a control character")
    } else {
        Ok(text.into())
    }
}

/// Parses the name of a set of characters.
pub fn glyphs(text: &str) -> Option<Glyphs> {
    [Glyphs::Unicode, Glyphs::Ascii]
        .into_iter()
        .find(|glyphs| glyphs.label() == text)
}

/// Parses the name of a width.
pub fn ambiguous(text: &str) -> Option<Ambiguous> {
    [Ambiguous::Narrow, Ambiguous::Wide]
        .into_iter()
        .find(|width| width.label() == text)
}

/// Resolves a path from a file: `~/` is the home directory, and a relative path starts at the file's own
/// directory.
pub fn path(text: &str, file: &Path, home: Option<&Path>) -> Result<PathBuf, &'static str> {
    if text.is_empty() {
        return Err("is empty");
    }
    if text == "~" || text.starts_with("~/") {
        let home = home.ok_or("there is no home directory for ~")?;
        return Ok(home.join(text.trim_start_matches('~').trim_start_matches('/')));
    }
    if text.starts_with('~') {
        return Err("begins with ~ and a name, which is not understood");
    }
    Ok(file.parent().unwrap_or(Path::new("")).join(text))
}

/// Returns the variable by which the environment rules out characters beyond ASCII, if any does.
pub fn ascii_by(term: Option<&str>, locale: Option<&str>) -> Option<&'static str> {
    if term.is_some_and(|term| matches!(term, "dumb" | "linux") || term.starts_with("vt")) {
        return Some("TERM");
    }
    // `de_DE.ISO-8859-1` rules them out; a bare `C` says nothing about the terminal.
    let charset = locale.and_then(|locale| locale.split_once('.'))?.1;
    let charset = charset.split('@').next().unwrap_or("").to_ascii_lowercase();
    (!matches!(charset.as_str(), "utf-8" | "utf8")).then_some("LC_ALL, LC_CTYPE or LANG")
}
