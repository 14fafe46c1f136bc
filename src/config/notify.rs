//! Reads `[notify]`: how the operator is notified, on this terminal and outside it.
//!
//! Must not know: when they are needed, how a notification is sent.

use serde::{Deserialize, Deserializer};
use toml::Value;

use super::layers::Files;
use super::settings::{Setting, Why};
use overrule_base::document::{Field, parsed, strings};
use overrule_policy::expiry::duration_ms;
use overrule_resilience::notify::{LONGEST_AFTER, LONGEST_LIMIT, Webhook};
use overrule_resilience::policy::Ms;

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
    /// What they get to know of a call.
    pub include: Setting<Include>,
}

/// What a notification says of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Include {
    /// Title, tool, class and reason.
    Call,
    /// The arguments too, and the newest events.
    Arguments,
}

impl Include {
    const fn label(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Arguments => "arguments",
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        let known = [Self::Call, Self::Arguments]
            .into_iter()
            .find(|one| one.label() == text);
        known.ok_or_else(|| format!("unknown value `{}`", overrule_base::text::visible(text)))
    }
}

/// The contents of `[notify]` in a file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawNotify {
    bell: Field<bool>,
    title: Field<bool>,
    desktop: Field<bool>,
    #[serde(deserialize_with = "command")]
    command: Field<Vec<String>>,
    #[serde(deserialize_with = "webhook")]
    webhook: Field<Webhook>,
    #[serde(deserialize_with = "timeout")]
    timeout: Field<u64>,
    #[serde(deserialize_with = "after")]
    after: Field<u64>,
    #[serde(deserialize_with = "include")]
    include: Field<Include>,
}

/// Reads a command: a list is a program with its arguments, a string is a line for the shell.
pub(super) fn command<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<Vec<String>>, D::Error> {
    parsed(deserializer, |value| {
        argv(value).map_err(|why| {
            format!("{why}; write a program with its arguments, such as [\"notify-send\", \"overrule\"], or a line for the shell")
        })
    })
}

fn argv(value: &Value) -> Result<Vec<String>, &'static str> {
    let words: Vec<String> = match value {
        Value::String(line) => vec!["sh".to_owned(), "-c".to_owned(), line.clone()],
        Value::Array(list) => list
            .iter()
            .map(|one| one.as_str().map(str::to_owned).ok_or("expected texts alone"))
            .collect::<Result<_, _>>()?,
        _ => return Err("expected a list of texts, or a text"),
    };
    if words.iter().any(|word| word.contains('\0')) {
        return Err("holds a character that no program can be given");
    }
    let is_blank = |word: &String| word.trim().is_empty();
    if words.first().is_none_or(is_blank) || (words.len() == 3 && words.last().is_none_or(is_blank)) {
        return Err("names no program");
    }
    Ok(words)
}

strings! {
    webhook: Webhook = Webhook::new,
        "write it such as \"https://ntfy.example/topic\"; http:// is for this machine alone";
    timeout: u64 = |text| duration(text, 1, LONGEST_LIMIT.0), "write a duration from 1ms to 2m, such as \"10s\"";
    include: Include = Include::parse, "write \"call\" or \"arguments\"";
    after: u64 = |text| duration(text, 0, LONGEST_AFTER.0),
        "write a duration of at most 24h, such as \"10s\", or \"0ms\"";
}

/// The words of a command, as it is shown. Its arguments may contain secrets.
pub(super) fn command_shown(words: &[String]) -> String {
    match words.first() {
        Some(program) => format!("`{}`, arguments not shown", overrule_base::text::visible(program)),
        None => "none".to_owned(),
    }
}

/// Parses a duration in milliseconds within bounds.
pub(super) fn duration(text: &str, least: u64, most: u64) -> Result<u64, String> {
    let ms = duration_ms(text).filter(|ms| (least..=most).contains(ms));
    ms.ok_or_else(|| format!("`{text}` is no such duration"))
}

/// Resolves the settings. An untrusted workspace provides none.
pub(super) fn weigh(files: &Files, mine: RawNotify, theirs: RawNotify) -> Notify {
    Notify {
        bell: files.last(true, mine.bell, theirs.bell),
        title: files.last(true, mine.title, theirs.title),
        desktop: files.last(false, mine.desktop, theirs.desktop),
        command: files.last(Vec::new(), mine.command, theirs.command),
        webhook: files.optional(mine.webhook, theirs.webhook),
        limit_ms: files.last(LIMIT_MS, mine.timeout, theirs.timeout),
        after_ms: files.last(AFTER_MS, mine.after, theirs.after),
        include: files.last(Include::Call, mine.include, theirs.include),
    }
}

impl Notify {
    /// Explains each setting with its value and origin; of a URL only the host is shown.
    pub(super) fn why(&self) -> Vec<Why> {
        let ms = |ms: &u64| Ms(*ms).to_string();
        vec![
            Why::of("notify.bell", &self.bell, bool::to_string),
            Why::of("notify.title", &self.title, bool::to_string),
            Why::of("notify.desktop", &self.desktop, bool::to_string),
            Why::of("notify.command", &self.command, |words| command_shown(words)),
            Why::of("notify.webhook", &self.webhook, |address| match address {
                Some(address) => format!("{}, path not shown", overrule_base::text::visible(address.host())),
                None => "none".to_owned(),
            }),
            Why::of("notify.timeout", &self.limit_ms, ms),
            Why::of("notify.after", &self.after_ms, ms),
            Why::of("notify.include", &self.include, |one| one.label().to_owned()),
        ]
    }
}
