//! What of the feedback can be set, and within which bounds. Must not know: files, where a value came
//! from.

use serde::{Deserialize, Serialize};

use super::kind::Kinds;

/// How weights are made and used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How much of a weight stays after an execution that counts fully: 0.85 to 0.95.
    pub decay: f64,
    /// Whether tools that keep failing are offered last, with a note.
    pub order: bool,
    /// Below this weight a call is put to the operator whatever the policy allows; 0 for never.
    pub ask_below: f64,
    /// Below this weight a tool is not offered; 0 for never, which is what holds unless somebody wants it.
    pub hide_below: f64,
    /// A weight that moves as far within ten executions is told.
    pub alert: f64,
    /// Words by which the kind of a task is known, besides the built-in ones.
    pub kinds: Kinds,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            decay: 0.9,
            order: true,
            ask_below: 0.25,
            hide_below: 0.0,
            alert: 0.2,
            kinds: Kinds::default(),
        }
    }
}

/// A value out of its bounds.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("routing.{key} is {value}, and it must be {least} to {most}")]
pub struct BadSetting {
    /// Which.
    pub key: &'static str,
    /// What was said.
    pub value: f64,
    /// The least that it may be.
    pub least: f64,
    /// The most that it may be.
    pub most: f64,
}

impl Settings {
    /// Refuses values out of their bounds.
    pub fn check(&self) -> Result<(), BadSetting> {
        let bounds = [
            ("decay", self.decay, 0.85, 0.95),
            ("ask_below", self.ask_below, 0.0, 1.0),
            ("hide_below", self.hide_below, 0.0, 1.0),
            ("alert", self.alert, 0.05, 1.0),
        ];
        for (key, value, least, most) in bounds {
            // Written so that what is no number is refused too.
            if !(least..=most).contains(&value) {
                return Err(BadSetting {
                    key,
                    value,
                    least,
                    most,
                });
            }
        }
        Ok(())
    }
}
