//! Reads `[notify]`: how the operator is notified, on this terminal and outside it.
//!
//! Must not know: when they are needed, how a notification is sent.

use crate::policy::document::{self, At};
use crate::policy::expiry::duration_ms;
use crate::policy::{Place, Section};
use crate::resilience::notify::{LONGEST_AFTER, LONGEST_LIMIT, Webhook};
use crate::resilience::policy::Ms;

use super::layers::{last, some, user, workspace};
use super::settings::{Setting, Why};

/// Default time limit of the program and the URL.
const LIMIT_MS: u64 = 10_000;
/// Default delay before a notification.
const AFTER_MS: u64 = 10_000;

/// How the operator is notified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notify {
    /// Ring the bell.
    pub bell: Setting<bool>,
    /// Show it in the title of the terminal.
    pub title: Setting<bool>,
    /// Show a desktop notification.
    pub desktop: Setting<bool>,
    /// A program of the operator, with its arguments; empty for none.
    pub command: Setting<Vec<String>>,
    /// A URL of the operator.
    pub webhook: Setting<Option<Webhook>>,
    /// Time limit of the program and the URL, in milliseconds.
    pub limit_ms: Setting<u64>,
    /// How long the run waits before they are used, in milliseconds.
    pub after_ms: Setting<u64>,
}

/// The contents of `[notify]` in a file.
#[derive(Debug, Clone, Default)]
pub struct RawNotify {
    bell: Option<At<bool>>,
    title: Option<At<bool>>,
    desktop: Option<At<bool>>,
    command: Option<At<Vec<String>>>,
    webhook: Option<At<Webhook>>,
    limit_ms: Option<At<u64>>,
    after_ms: Option<At<u64>>,
}

/// Reads `[notify]`.
pub(super) fn section(mut section: Section<'_, '_>) -> Result<RawNotify, document::Error> {
    let limit = "write a duration from 1ms to 2m, such as \"10s\"";
    let after = "write a duration of at most 24h, such as \"10s\", or \"0ms\"";
    let written = RawNotify {
        bell: section.flag("bell")?,
        title: section.flag("title")?,
        desktop: section.flag("desktop")?,
        command: command(&mut section)?,
        webhook: webhook(&mut section)?,
        limit_ms: duration(&mut section, "timeout", (1, LONGEST_LIMIT.0), limit)?,
        after_ms: duration(&mut section, "after", (0, LONGEST_AFTER.0), after)?,
    };
    section.finish()?;
    Ok(written)
}

/// Reads a command: a list is a program with its arguments, a string is a line for the shell.
pub(super) fn command(section: &mut Section<'_, '_>) -> Result<Option<At<Vec<String>>>, document::Error> {
    const KEY: &str = "command";
    let Some(At { value, place }) = section.value(KEY)? else {
        return Ok(None);
    };
    let fault = |place: Place, what: &str| {
        let advice = "write a program with its arguments, such as [\"notify-send\", \"overrule\"], or a line for the shell";
        Err(section.error(KEY, place, what.to_owned(), advice))
    };
    let words = match &value {
        serde_json::Value::String(line) => vec!["sh".to_owned(), "-c".to_owned(), line.clone()],
        serde_json::Value::Array(list) => {
            let words: Option<Vec<String>> = list.iter().map(|one| one.as_str().map(str::to_owned)).collect();
            match words {
                Some(words) => words,
                None => return fault(place, "expected texts alone"),
            }
        }
        _ => return fault(place, "expected a list of texts, or a text"),
    };
    if words.iter().any(|word| word.contains('\0')) {
        return fault(place, "holds a character that no program can be given");
    }
    if words
        .last()
        .is_none_or(|last| words.len() == 3 && last.trim().is_empty())
        || words.first().is_none_or(|program| program.trim().is_empty())
    {
        return fault(place, "names no program");
    }
    Ok(Some(At { value: words, place }))
}

fn webhook(section: &mut Section<'_, '_>) -> Result<Option<At<Webhook>>, document::Error> {
    let Some(At { value, place }) = section.text("webhook")? else {
        return Ok(None);
    };
    match Webhook::new(&value) {
        Ok(value) => Ok(Some(At { value, place })),
        Err(why) => {
            let advice = "write it such as \"https://ntfy.example/topic\"; http:// is for this machine alone";
            Err(section.error("webhook", place, why.to_owned(), advice))
        }
    }
}

/// Reads a duration in milliseconds within bounds.
pub(super) fn duration(
    section: &mut Section<'_, '_>,
    key: &'static str,
    (least, most): (u64, u64),
    advice: &str,
) -> Result<Option<At<u64>>, document::Error> {
    let Some(At { value, place }) = section.text(key)? else {
        return Ok(None);
    };
    if let Some(value) = duration_ms(&value).filter(|ms| (least..=most).contains(ms)) {
        return Ok(Some(At { value, place }));
    }
    let what = format!("`{}` is no such duration", crate::text::visible(&value));
    Err(section.error(key, place, what, advice))
}

/// Resolves the settings. An untrusted workspace provides none.
pub(super) fn weigh(mine: RawNotify, theirs: RawNotify) -> Notify {
    Notify {
        bell: last(true, [user(mine.bell), workspace(theirs.bell)]),
        title: last(true, [user(mine.title), workspace(theirs.title)]),
        desktop: last(false, [user(mine.desktop), workspace(theirs.desktop)]),
        command: last(Vec::new(), [user(mine.command), workspace(theirs.command)]),
        webhook: last(None, [some(user(mine.webhook)), some(workspace(theirs.webhook))]),
        limit_ms: last(LIMIT_MS, [user(mine.limit_ms), workspace(theirs.limit_ms)]),
        after_ms: last(AFTER_MS, [user(mine.after_ms), workspace(theirs.after_ms)]),
    }
}

impl Notify {
    /// Explains each setting with its value and origin; of a URL only the host is shown.
    pub(super) fn why(&self) -> Vec<Why> {
        fn line<T>(key: &'static str, setting: &Setting<T>, show: impl Fn(&T) -> String) -> Why {
            Why {
                key: key.into(),
                value: show(&setting.value),
                origin: setting.origin.to_string(),
            }
        }
        let ms = |ms: &u64| Ms(*ms).to_string();
        vec![
            line("notify.bell", &self.bell, bool::to_string),
            line("notify.title", &self.title, bool::to_string),
            line("notify.desktop", &self.desktop, bool::to_string),
            line("notify.command", &self.command, |words| match words.first() {
                // Its arguments may contain secrets.
                Some(program) => format!("`{}`, arguments not shown", crate::text::visible(program)),
                None => "none".to_owned(),
            }),
            line("notify.webhook", &self.webhook, |address| match address {
                Some(address) => format!("{}, path not shown", crate::text::visible(address.host())),
                None => "none".to_owned(),
            }),
            line("notify.timeout", &self.limit_ms, ms),
            line("notify.after", &self.after_ms, ms),
        ]
    }
}
