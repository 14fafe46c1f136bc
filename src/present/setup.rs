//! Builds the views of what is set up: models, checks of the set-up, files that wait for trust.
//!
//! Must not know: settings files, how a server is asked.

use std::path::Path;

use serde::{Serialize, Serializer};

use overrule_domain::price::Price;

/// A model that is configured or was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelView<'a> {
    /// The name for `--model`, or where it was found.
    pub name: &'a str,
    /// The name at its server; none for a provider without a named model.
    pub model: Option<&'a str>,
    /// The wire format.
    pub wire: &'a str,
    /// The address of its server, without a log-in.
    pub server: String,
    /// Tokens of its window, if they are known.
    pub window: Option<u64>,
    /// What it costs; none if it has no price.
    pub price: Option<&'a Price>,
    /// What its server answered.
    pub answer: &'a str,
}

/// One check of the set-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckView<'a> {
    /// What was checked.
    pub check: &'a str,
    /// How it went, in a word.
    pub status: &'static str,
    /// What was found, and what to do.
    pub detail: &'a str,
}

/// A file of the workspace that can do more than tighten once it is trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrustView<'a> {
    /// The file.
    #[serde(serialize_with = "path")]
    pub file: &'a Path,
    /// Hash of its text.
    pub hash: &'a str,
    /// True if exactly this text is trusted.
    pub trusted: bool,
    /// What it does then, line by line.
    pub does: &'a [String],
}

/// Writes a path in its visible form.
fn path<S: Serializer>(path: &&Path, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&overrule_base::text::visible(&path.to_string_lossy()))
}
