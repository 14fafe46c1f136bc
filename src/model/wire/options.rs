//! Defines what the settings ask of a model beyond its name: thinking, calls, schemas, further members.
//!
//! Must not know: how a format writes it.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::frame::Object;
use crate::{Quirk, Quirks};

/// Tokens of thought that a level stands for, where a format counts tokens.
const BUDGETS: [(Thinking, u32); 3] = [
    (Thinking::Low, 2_048),
    (Thinking::Medium, 8_192),
    (Thinking::High, 24_576),
];

/// What the settings ask of a model. Nothing that is not set is sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// Maximum tokens of a reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output: Option<u32>,
    /// How much the model thinks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Thinking>,
    /// True if a reply may have several calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel_calls: Option<bool>,
    /// Whether the model may, must or must not call a tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// True for strict schemas.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// True if the provider holds the answer to the output schema of the run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub structured: bool,
    /// Further members of the body, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, Value>,
}

impl Options {
    /// Options that ask for nothing.
    pub const NONE: Self = Self {
        max_output: None,
        thinking: None,
        parallel_calls: None,
        tool_choice: None,
        strict: false,
        structured: false,
        extra: BTreeMap::new(),
    };

    /// Returns true if nothing is asked for.
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }

    /// Returns the special forms that the settings ask for.
    pub fn quirks(&self) -> Quirks {
        self.strict.then_some(Quirk::StrictSchemas).into_iter().collect()
    }

    /// Returns the choice of tools for a request, unless no tool is offered or the default is meant.
    pub fn choice(&self, has_tools: bool) -> Option<ToolChoice> {
        self.tool_choice.filter(|_| has_tools)
    }

    /// Adds the further members to a body. An object is added member by member. What a request already says comes
    /// last, because it grows.
    pub fn add_to(&self, body: String) -> String {
        if self.extra.is_empty() {
            return body;
        }
        let Some(object) = Object::read(&body) else {
            return body;
        };
        let mut members = Vec::new();
        for (key, value) in &self.extra {
            if object.get(key).is_none() {
                members.push((key.as_str(), value.to_string()));
            }
        }
        for (key, raw) in object.entries() {
            let text = match self.extra.get(key) {
                Some(extra) => merged(raw, extra),
                None => raw.to_owned(),
            };
            members.push((key, text));
        }
        let members = members
            .iter()
            .map(|(key, text)| format!("{}:{text}", Value::from(*key)));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }
}

/// Returns a value of a body with the members that are added to it, or the value in its place.
fn merged(raw: &str, extra: &Value) -> String {
    fn merge(into: &mut Value, extra: &Value) {
        match (into, extra) {
            (Value::Object(into), Value::Object(extra)) => {
                for (key, value) in extra {
                    merge(into.entry(key.as_str()).or_insert(Value::Null), value);
                }
            }
            (into, extra) => *into = extra.clone(),
        }
    }
    let mut value = if extra.is_object() {
        serde_json::from_str(raw).unwrap_or(Value::Null)
    } else {
        Value::Null
    };
    merge(&mut value, extra);
    value.to_string()
}

/// How much a model thinks before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thinking {
    /// Not at all.
    Off,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// A lot.
    High,
    /// At most this number of tokens.
    Budget(u32),
}

impl Thinking {
    /// Returns the level of a name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Off, Self::Low, Self::Medium, Self::High]
            .into_iter()
            .find(|level| level.label() == name)
    }

    /// Returns the level in a word; of a budget, the level that comes next to it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Off | Self::Budget(0) => "off",
            Self::Low | Self::Budget(1..4_096) => "low",
            Self::Medium | Self::Budget(4_096..16_384) => "medium",
            Self::High | Self::Budget(_) => "high",
        }
    }

    /// Returns the tokens of thought; zero for none.
    pub fn budget(self) -> u32 {
        match self {
            Self::Budget(tokens) => tokens,
            level => BUDGETS
                .iter()
                .find(|(known, _)| *known == level)
                .map_or(0, |(_, tokens)| *tokens),
        }
    }

    /// Returns true if the model should not think.
    pub const fn is_off(self) -> bool {
        matches!(self, Self::Off | Self::Budget(0))
    }
}

impl fmt::Display for Thinking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Budget(tokens) => write!(f, "{tokens} tokens"),
            level => f.write_str(level.label()),
        }
    }
}

/// Whether a model may, must or must not call a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// It may.
    Auto,
    /// It must.
    Required,
    /// It must not.
    None,
}

impl ToolChoice {
    /// Returns its name in settings and in the formats of OpenAI.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Required => "required",
            Self::None => "none",
        }
    }

    /// Returns the choice of a name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Auto, Self::Required, Self::None]
            .into_iter()
            .find(|choice| choice.label() == name)
    }
}
