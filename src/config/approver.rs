//! Reads `[approver]`: the program that decides calls that await approval.
//!
//! Must not know: how it is asked.

use crate::policy::Section;
use crate::policy::document::{self, At};
use crate::resilience::policy::Ms;

use super::layers::{last, some, user, workspace};
use super::notify::{command, duration};
use super::settings::{Setting, Why};

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
#[derive(Debug, Clone, Default)]
pub struct RawApprover {
    command: Option<At<Vec<String>>>,
    name: Option<At<String>>,
    limit_ms: Option<At<u64>>,
}

/// Reads `[approver]`.
pub(super) fn section(mut section: Section<'_, '_>) -> Result<RawApprover, document::Error> {
    let limit = "write a duration from 1ms to 1h, such as \"10s\"";
    let written = RawApprover {
        command: command(&mut section)?,
        name: name(&mut section)?,
        limit_ms: duration(&mut section, "timeout", (1, LONGEST_LIMIT_MS), limit)?,
    };
    section.finish()?;
    Ok(written)
}

fn name(section: &mut Section<'_, '_>) -> Result<Option<At<String>>, document::Error> {
    const KEY: &str = "name";
    let Some(At { value, place }) = section.text(KEY)? else {
        return Ok(None);
    };
    let is_plain = value.chars().all(|c| c.is_ascii_graphic());
    if is_plain && (1..=LONGEST_NAME).contains(&value.len()) {
        return Ok(Some(At { value, place }));
    }
    let what = format!("`{}` is no such name", crate::text::visible(&value));
    let advice = "write at most 40 letters, digits and signs without spaces, such as \"on-call\"";
    Err(section.error(KEY, place, what, advice))
}

/// Resolves the settings. An untrusted workspace provides none.
pub(super) fn weigh(mine: RawApprover, theirs: RawApprover) -> ApproverSettings {
    ApproverSettings {
        command: last(Vec::new(), [user(mine.command), workspace(theirs.command)]),
        name: last(None, [some(user(mine.name)), some(workspace(theirs.name))]),
        limit_ms: last(LIMIT_MS, [user(mine.limit_ms), workspace(theirs.limit_ms)]),
    }
}

impl ApproverSettings {
    /// Explains each setting with its value and origin.
    pub(super) fn why(&self) -> Vec<Why> {
        fn line<T>(key: &'static str, setting: &Setting<T>, value: String) -> Why {
            Why {
                key: key.into(),
                value,
                origin: setting.origin.to_string(),
            }
        }
        let command = match self.command.value.first() {
            // Its arguments may contain secrets.
            Some(program) => format!("`{}`, arguments not shown", crate::text::visible(program)),
            None => "none".to_owned(),
        };
        let name = self.name.value.clone().unwrap_or_else(|| "approver".to_owned());
        vec![
            line("approver.command", &self.command, command),
            line("approver.name", &self.name, name),
            line(
                "approver.timeout",
                &self.limit_ms,
                Ms(self.limit_ms.value).to_string(),
            ),
        ]
    }
}
