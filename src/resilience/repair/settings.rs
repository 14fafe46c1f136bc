//! Reads and compiles the settings of repair, and reports the place of a fault.
//!
//! Must not know: files, how a rule is weighed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::entry::{Entry, RawRule};
use super::rules::{EXECUTIONS, Exhausted, Guesses, Rules, ToolRules};
use crate::policy::Bad;

/// Maximum setting for the executions with distinct arguments.
const MOST_EXECUTIONS: u32 = 10;

/// How arguments are repaired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Whether they are repaired at all.
    pub on: bool,
    /// Whether the model may be asked.
    pub model: bool,
    /// Which guesses are applied without a question.
    pub guesses: Guesses,
    /// How many executions with distinct arguments one call may cost.
    pub executions: u32,
    /// True if a choice waits for the operator's commands even without a screen.
    pub wait: bool,
    /// Who decides on a call that no repair is left for.
    pub exhausted: Exhausted,
    /// Whether strategies that succeeded more often for a tool are tried first.
    pub learn: bool,
    /// Whether another call may be proposed once no arguments help.
    pub propose: bool,
    /// Whether the model is asked for another call where it would not be asked about the arguments.
    pub ask_for_call: bool,
    /// Rules for errors of all tools, which come before the built-in ones.
    pub rules: Vec<RawRule>,
    /// Settings of single tools, by name.
    pub tools: BTreeMap<String, ToolSettings>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            on: true,
            model: true,
            guesses: Guesses::default(),
            executions: EXECUTIONS,
            wait: false,
            exhausted: Exhausted::default(),
            learn: true,
            propose: true,
            ask_for_call: false,
            rules: Vec::new(),
            tools: BTreeMap::new(),
        }
    }
}

/// Settings of one tool; what is absent follows the general ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolSettings {
    /// Whether its arguments are repaired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
    /// Whether the model may be asked about them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<bool>,
    /// Which guesses are applied without a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guesses: Option<Guesses>,
    /// Parameters whose values may be moved into bounds without a question.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clamp: Vec<String>,
    /// Its own rules, which come first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RawRule>,
}

impl Settings {
    /// Refuses invalid settings.
    pub fn check(&self) -> Result<(), Bad> {
        let bounds = (1..=MOST_EXECUTIONS).contains(&self.executions);
        Bad::unless("repair.executions", bounds, "write 1 to 10")?;
        self.compiled().map(|_| ())
    }

    /// Compiles the rules.
    pub fn compiled(&self) -> Result<Rules, Bad> {
        let mut tools = BTreeMap::new();
        for (name, tool) in &self.tools {
            let rules = ToolRules {
                entries: entries(&format!("repair.tools.{name}.rules"), &tool.rules)?,
                clamp: tool.clamp.clone(),
                guesses: tool.guesses,
                model: tool.model,
                on: tool.on,
            };
            tools.insert(name.clone(), rules);
        }
        Ok(Rules {
            on: self.on,
            model: self.model,
            guesses: self.guesses,
            executions: self.executions,
            exhausted: self.exhausted,
            learn: self.learn,
            propose: self.propose,
            ask_for_call: self.ask_for_call,
            own: entries("repair.rules", &self.rules)?,
            tools,
        })
    }
}

fn entries(key: &str, rules: &[RawRule]) -> Result<Vec<Entry>, Bad> {
    let compiled = rules.iter().enumerate().map(|(at, rule)| {
        Entry::new(rule).map_err(|error| Bad {
            key: format!("{key}[{}]", at + 1),
            why: error.to_string(),
        })
    });
    compiled.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::policy::Policy;

    #[test]
    fn rules_are_read_compiled_and_written_again() {
        let policy = Policy::default();
        let rule =
            json!([{"codes": ["409"], "message": "'([^']+)' is taken", "strategies": ["date_adjustment"]}]);
        let policy = policy.with("repair.rules", rule).unwrap();
        let policy = policy
            .with("repair.tools.set_temperature.clamp", json!(["temp"]))
            .unwrap();
        let policy = policy.with("repair.guesses", json!("never")).unwrap();
        assert_eq!(Policy::parse(&policy.to_text()).unwrap(), policy);
        let rules = policy.repair.compiled().unwrap();
        assert_eq!((rules.own.len(), rules.guesses), (1, Guesses::Never));
        assert!(rules.clamps("set_temperature", "/temp") && !rules.clamps("other", "/temp"));
    }

    #[test]
    fn what_cannot_work_is_refused_with_its_place() {
        for (key, value, text) in [
            (
                "repair.rules",
                json!([{"codes": ["400"], "strategies": ["clamp_to_min"]}]),
                "repair.rules[1]",
            ),
            (
                "repair.rules",
                json!([{"message": "(", "strategies": ["none"]}]),
                "does not compile",
            ),
            ("repair.rules", json!([{"code": "400"}]), "unknown field"),
            (
                "repair.tools.t.rules",
                json!([{"strategies": ["none"]}]),
                "repair.tools.t.rules[1]",
            ),
            ("repair.tools.t.clmap", json!(["x"]), "unknown field"),
            ("repair.executions", json!(0), "1 to 10"),
            (
                "repair.rules",
                json!([{"codes": ["400"], "strategies": ["none"], "description": "x".repeat(201)}]),
                "at most 200",
            ),
            ("repair.guesses", json!("some"), "unknown variant"),
            ("repair.exhausted", json!("stop"), "unknown variant"),
            ("repair.modle", json!(true), "there is"),
        ] {
            let bad = Policy::default().with(key, value).unwrap_err();
            assert!(bad.to_string().contains(text), "{key}: {bad}");
        }
    }
}
