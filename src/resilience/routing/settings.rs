//! Settings of routing feedback and their bounds.
//!
//! Must not know: files, where a value came from.

use serde::{Deserialize, Serialize};

use super::kind::Kinds;

/// How weights are computed and used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How much of a weight remains after an execution that counts in full: 0.85 to 0.95.
    pub decay: f64,
    /// Whether tools that keep failing are offered last, with a note.
    pub order: bool,
    /// The weight below which a call asks the operator, whatever the policy allows; 0, the default, for never.
    pub ask_below: f64,
    /// The weight below which a tool is not offered; 0, the default, for never.
    pub hide_below: f64,
    /// A change of this size within ten executions is reported.
    pub alert: f64,
    /// Words that identify a kind of task, besides the built-in ones.
    pub kinds: Kinds,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            decay: 0.9,
            order: true,
            ask_below: 0.0,
            hide_below: 0.0,
            alert: 0.2,
            kinds: Kinds::default(),
        }
    }
}

/// A value out of bounds.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("routing.{key} is {value}, and it must be {least} to {most}")]
pub struct BadSetting {
    /// The key of the setting.
    pub key: &'static str,
    /// The given value.
    pub value: f64,
    /// The lower bound.
    pub least: f64,
    /// The upper bound.
    pub most: f64,
}

impl Settings {
    /// Refuses values out of bounds.
    pub fn check(&self) -> Result<(), BadSetting> {
        let bounds = [
            ("decay", self.decay, 0.85, 0.95),
            ("ask_below", self.ask_below, 0.0, 1.0),
            ("hide_below", self.hide_below, 0.0, 1.0),
            ("alert", self.alert, 0.05, 1.0),
        ];
        for (key, value, least, most) in bounds {
            // Written so that NaN is refused too.
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
