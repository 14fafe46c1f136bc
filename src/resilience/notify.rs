//! Settings of notifications that were changed in a run.
//!
//! Must not know: files, how notifications are sent.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::policy::{Bad, Ms, Policy};
use overrule_domain::state::State;

/// Maximum time limit of the program and the URL.
pub const LONGEST_LIMIT: Ms = Ms(120_000);
/// Maximum wait of a run before a notification.
pub const LONGEST_AFTER: Ms = Ms(24 * 60 * 60 * 1_000);

/// Changed values; `None` means the value of the operator's files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Ring the bell.
    pub bell: Option<bool>,
    /// Show a desktop notification.
    pub desktop: Option<bool>,
    /// A program with its arguments, or a line for the shell; empty for none.
    pub command: Option<Command>,
    /// A URL to post to; empty for none.
    pub webhook: Option<String>,
    /// Time limit of the program and the URL.
    pub timeout: Option<Ms>,
    /// How long the run waits before they are used.
    pub after: Option<Ms>,
}

/// A program to start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Command {
    /// A line for the shell.
    Line(String),
    /// A program with its arguments.
    Words(Vec<String>),
}

impl Command {
    /// Returns the program with its arguments; empty for none.
    pub fn argv(&self) -> Vec<String> {
        match self {
            Self::Line(line) if line.trim().is_empty() => Vec::new(),
            Self::Line(line) => vec!["sh".to_owned(), "-c".to_owned(), line.clone()],
            Self::Words(words) => words.clone(),
        }
    }
}

impl Settings {
    /// Returns the values that were changed in a run.
    pub fn of(state: &State) -> Self {
        let recorded = state.settings.resilience.as_ref();
        let policy = recorded.and_then(|one| Policy::recorded(&one.policy));
        policy.map(|policy| policy.notify).unwrap_or_default()
    }

    /// Refuses values out of bounds.
    pub(super) fn check(&self) -> Result<(), Bad> {
        let words = self.command.as_ref().map(Command::argv).unwrap_or_default();
        let is_program = words.first().is_none_or(|program| !program.trim().is_empty());
        let can_be_given = words.iter().all(|word| !word.contains('\0'));
        Bad::unless(
            "notify.command",
            is_program && can_be_given,
            "names no program: write a list such as [\"notify-send\", \"overrule\"], or [] for none",
        )?;
        if let Some(text) = self.webhook.as_deref().filter(|text| !text.is_empty()) {
            let fault = Webhook::new(text).err();
            Bad::unless("notify.webhook", fault.is_none(), fault.unwrap_or_default())?;
        }
        Bad::unless(
            "notify.timeout",
            self.timeout
                .is_none_or(|ms| (Ms(1)..=LONGEST_LIMIT).contains(&ms)),
            "write a duration from 1ms to 2m",
        )?;
        Bad::unless(
            "notify.after",
            self.after.is_none_or(|ms| ms <= LONGEST_AFTER),
            "write a duration of at most 24h",
        )
    }
}

/// A URL to post to. Such URLs usually contain a secret, so only the host is shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Webhook(String);

impl Webhook {
    /// Accepts a URL that begins with https://, or with http:// on this machine; otherwise returns
    /// its fault.
    pub fn new(text: &str) -> Result<Self, &'static str> {
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err("holds a space or a control character");
        }
        let address = Self(text.to_owned());
        let here = matches!(address.host(), "127.0.0.1" | "localhost" | "[::1]");
        if address.host().is_empty() {
            return Err("names no host");
        }
        match text.split_once("://") {
            Some(("https", _)) => Ok(address),
            Some(("http", _)) if here => Ok(address),
            Some(("http", _)) => Err("is sent to another machine unencrypted"),
            _ => Err("does not begin with https://"),
        }
    }

    /// Returns the whole URL, to post to.
    pub fn address(&self) -> &str {
        &self.0
    }

    /// Returns the host, which may be shown.
    pub fn host(&self) -> &str {
        let rest = self.0.split_once("://").map_or("", |(_, rest)| rest);
        let place = rest.split(['/', '?', '#']).next().unwrap_or("");
        let place = place.rsplit('@').next().unwrap_or("");
        // Drop the port, unless the whole is one address in brackets.
        match place.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
            _ => place,
        }
    }
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Webhook({})", self.host())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use overrule_domain::setting_change;

    fn with(key: &str, value: Value) -> Result<Policy, Bad> {
        Policy::default().with(key, value)
    }

    #[test]
    fn each_way_can_be_set_turned_off_and_taken_back() {
        for (key, values) in [
            ("bell", vec![json!(true), json!(false)]),
            ("desktop", vec![json!(true)]),
            (
                "command",
                vec![json!([]), json!(""), json!("mail me"), json!(["a", ""])],
            ),
            (
                "webhook",
                vec![
                    json!(""),
                    json!("https://a.example/x"),
                    json!("http://localhost:9/x"),
                ],
            ),
            ("timeout", vec![json!("1ms"), json!("2m")]),
            ("after", vec![json!("0s"), json!("24h")]),
        ] {
            for value in values.into_iter().chain([Value::Null]) {
                let set = with(&format!("notify.{key}"), value.clone());
                let policy = set.unwrap_or_else(|bad| panic!("{key} = {value}: {bad}"));
                assert_eq!(Policy::recorded(&policy.to_text()).as_ref(), Some(&policy));
            }
        }
    }

    #[test]
    fn what_no_way_can_be_is_refused() {
        for (key, value) in [
            ("bell", json!("yes")),
            ("command", json!([""])),
            ("command", json!(["a\u{0}"])),
            ("command", json!(1)),
            ("webhook", json!("http://a.example/x")),
            ("webhook", json!("https://")),
            ("timeout", json!("0ms")),
            ("timeout", json!("3m")),
            ("after", json!("25h")),
            ("title", json!(true)),
            ("mail", json!("me")),
        ] {
            let bad = with(&format!("notify.{key}"), value.clone());
            assert!(bad.is_err(), "{key} = {value}");
        }
    }

    #[test]
    fn a_secret_is_on_no_screen() {
        let before = Policy::default();
        let policy = with("notify.webhook", json!("https://a.example/s3cret")).unwrap();
        let policy = policy
            .with("notify.command", json!(["x", "--key=s3cret"]))
            .unwrap();
        let words = format!("{:?}", policy.entries());
        assert!(
            !words.contains("s3cret") && words.contains("notify.webhook"),
            "{words}"
        );
        assert!(
            !format!("{:?}", before.entries()).contains("notify."),
            "nothing was changed"
        );
        for one in setting_change::between(&before.to_text(), &policy.to_text()) {
            assert!(!one.describe().contains("s3cret"), "{}", one.describe());
        }
    }
}
