//! Reads `[approver]`: the program that decides calls that await approval.
//!
//! Must not know: how it is asked.

use serde::Deserialize;

use super::layers::Files;
use super::notify::{command, command_shown, duration};
use super::settings::{Setting, Why};
use overrule_base::document::{Field, strings};
use overrule_resilience::policy::Ms;

/// Default time limit.
const LIMIT_MS: u64 = 10_000;
/// Maximum time limit.
const LONGEST_LIMIT_MS: u64 = 60 * 60 * 1_000;
/// Maximum length of a name in characters.
const LONGEST_NAME: usize = 40;

/// The program that is asked about calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApproverSettings {
    /// The program with its arguments; empty for none.
    pub command: Setting<Vec<String>>,
    /// Its name in records and on screens.
    pub name: Setting<Option<String>>,
    /// Time limit for an answer, in milliseconds.
    pub limit_ms: Setting<u64>,
}

/// The contents of `[approver]` in a file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawApprover {
    #[serde(deserialize_with = "command")]
    command: Field<Vec<String>>,
    #[serde(deserialize_with = "name")]
    name: Field<String>,
    #[serde(deserialize_with = "timeout")]
    timeout: Field<u64>,
}

strings! {
    name: String = plain, "write at most 40 letters, digits and signs without spaces, such as \"on-call\"";
    timeout: u64 = |text| duration(text, 1, LONGEST_LIMIT_MS), "write a duration from 1ms to 1h, such as \"10s\"";
}

fn plain(text: &str) -> Result<String, String> {
    if text.chars().all(|c| c.is_ascii_graphic()) && (1..=LONGEST_NAME).contains(&text.len()) {
        Ok(text.to_owned())
    } else {
        Err(format!("`{text}` is no such name"))
    }
}

/// Resolves the settings. An untrusted workspace provides none.
pub(super) fn weigh(files: &Files, mine: RawApprover, theirs: RawApprover) -> ApproverSettings {
    ApproverSettings {
        command: files.last(Vec::new(), mine.command, theirs.command),
        name: files.optional(mine.name, theirs.name),
        limit_ms: files.last(LIMIT_MS, mine.timeout, theirs.timeout),
    }
}

impl ApproverSettings {
    /// Explains each setting with its value and origin.
    pub(super) fn why(&self) -> Vec<Why> {
        vec![
            Why::of("approver.command", &self.command, |words| command_shown(words)),
            Why::of("approver.name", &self.name, |name| {
                name.clone().unwrap_or_else(|| "approver".to_owned())
            }),
            Why::of("approver.timeout", &self.limit_ms, |ms| Ms(*ms).to_string()),
        ]
    }
}
