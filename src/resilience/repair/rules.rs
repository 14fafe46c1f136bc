//! The set of rules: built-in rules, the operator's own, and those of one tool.
//!
//! Must not know: how a rule is weighed, where rules are written.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::entry::{Entry, RawRule};

/// Default number of executions with distinct arguments that one call may cost.
pub(super) const EXECUTIONS: u32 = 3;

/// The built-in rules.
static BUILT_IN: LazyLock<Vec<Entry>> =
    LazyLock::new(|| builtin().iter().filter_map(|row| Entry::new(row).ok()).collect());

/// Which guesses are applied without a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Guesses {
    /// No guesses.
    Never,
    /// Guesses for calls that change nothing.
    #[default]
    Reads,
    /// All guesses.
    Always,
}

/// Who decides on a call that no repair is left for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exhausted {
    /// A person, if one is attending; the model otherwise.
    #[default]
    Ask,
    /// The model sees the failure as it is.
    Model,
}

/// What applies to one tool in addition to the general rules.
#[derive(Debug, Clone, Default)]
pub struct ToolRules {
    /// Its own rules, which come before the others.
    pub entries: Vec<Entry>,
    /// Parameters whose values may be moved into bounds without a question.
    pub clamp: Vec<String>,
    /// Which guesses are applied; `None` for the general setting.
    pub guesses: Option<Guesses>,
    /// Whether a model may be asked; `None` for the general setting.
    pub model: Option<bool>,
    /// Whether its arguments are repaired at all; `None` for the general setting.
    pub on: Option<bool>,
}

/// All rules of a run.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Whether arguments are repaired at all.
    pub on: bool,
    /// Whether a model may be asked.
    pub model: bool,
    /// Which guesses are applied without a question.
    pub guesses: Guesses,
    /// How many executions with distinct arguments one call may cost.
    pub executions: u32,
    /// Who decides when no repair is left.
    pub exhausted: Exhausted,
    /// Whether strategies that succeeded more often for a tool are tried first.
    pub learn: bool,
    /// Whether another call may be proposed once no arguments help.
    pub propose: bool,
    /// Whether the model is asked for another call where it would not be asked about the arguments.
    pub ask_for_call: bool,
    /// The operator's own rules for all tools.
    pub own: Vec<Entry>,
    /// Rules by tool.
    pub tools: BTreeMap<String, ToolRules>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            on: true,
            model: true,
            guesses: Guesses::default(),
            executions: EXECUTIONS,
            exhausted: Exhausted::default(),
            learn: true,
            propose: true,
            ask_for_call: false,
            own: Vec::new(),
            tools: BTreeMap::new(),
        }
    }
}

impl Rules {
    /// Iterates over the rules that may apply to a tool's errors, its own first.
    pub(super) fn of<'r>(&'r self, tool: &str) -> impl Iterator<Item = &'r Entry> {
        let own = self.tools.get(tool).map_or(&[][..], |rules| &rules.entries);
        own.iter().chain(&self.own).chain(BUILT_IN.iter())
    }

    /// Returns true if the arguments of a tool are repaired.
    pub fn is_enabled_for(&self, tool: &str) -> bool {
        self.tools.get(tool).and_then(|rules| rules.on).unwrap_or(self.on)
    }

    /// Returns true if a model may be asked about the arguments of a tool.
    pub fn asks_model(&self, tool: &str) -> bool {
        self.tools
            .get(tool)
            .and_then(|rules| rules.model)
            .unwrap_or(self.model)
    }

    /// Returns which guesses are applied for a tool.
    pub fn guesses(&self, tool: &str) -> Guesses {
        let own = self.tools.get(tool).and_then(|rules| rules.guesses);
        own.unwrap_or(self.guesses)
    }

    /// Returns true if a parameter of a tool may be moved into bounds.
    pub(super) fn clamps(&self, tool: &str, path: &str) -> bool {
        let allowed = self.tools.get(tool).map_or(&[][..], |rules| &rules.clamp);
        allowed.iter().any(|name| super::arg_path::named(name) == path)
    }
}

/// Expression, codes, strategies, priority, description.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

/// Failures that no arguments can repair. What a text says of an argument is read by `complaint`.
const TABLE: [Row; 3] = [
    (
        "",
        "401 403 407",
        "report_unrecoverable",
        "critical",
        "the caller is not permitted",
    ),
    (
        r"\b(?:invalid api key|unauthori[sz]ed|invalid credentials|authentication failed)\b",
        "",
        "report_unrecoverable",
        "critical",
        "the caller is not permitted",
    ),
    (
        "",
        "5xx 408 425 429",
        "retry_with_backoff",
        "medium",
        "the service is busy or down",
    ),
];

fn builtin() -> Vec<RawRule> {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    TABLE
        .iter()
        .map(|(message, codes, strategies, priority, description)| RawRule {
            codes: words(codes),
            message: (!message.is_empty()).then(|| (*message).to_owned()),
            strategies: words(strategies),
            params: Vec::new(),
            priority: Some((*priority).to_owned()),
            description: Some((*description).to_owned()),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_rule_compiles() {
        for row in builtin() {
            Entry::new(&row).unwrap();
        }
        assert_eq!(Rules::default().of("any").count(), TABLE.len());
    }
}
