//! The labelled sets of wrong calls, and the result of the repair for each.
//!
//! Must not know: strategies.

use std::collections::BTreeMap;

use overrule::domain::call::EffectClass;
use overrule::resilience::repair::{Background, Case, Next, Past, Rules, plan};
use overrule::schema::Checker;
use serde::Deserialize;
use serde_json::Value;

/// The sets, with their names. Both are labelled by hand, not by the result of the repair. The authors of the repair
/// rules labelled the first, a person who had not read them labelled the second.
pub const SETS: [(&str, &str); 2] = [
    (
        "wrong calls, labelled by the authors of the rules",
        include_str!("calls.json"),
    ),
    (
        "wrong calls, labelled without knowledge of the rules",
        include_str!("unseen.json"),
    ),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    #[serde(rename = "about")]
    _about: String,
    today: jiff::civil::Date,
    tools: BTreeMap<String, Tool>,
    calls: Vec<Call>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tool {
    effect: EffectClass,
    schema: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    tool: String,
    args: Value,
    /// What the caller means, where the call alone tells.
    means: Option<Value>,
    why: String,
}

/// What became of the calls.
#[derive(Debug, Default)]
pub struct Figures {
    /// Repaired correctly.
    pub right: usize,
    /// Repaired to something else.
    pub wrong: Vec<String>,
    /// Put to the operator.
    pub operator: usize,
    /// Put to the model.
    pub model: usize,
    /// Left as they are.
    pub left: usize,
    /// Not repaired although their meaning is clear.
    pub missed: Vec<String>,
}

impl Figures {
    /// Calls.
    pub fn all(&self) -> usize {
        self.right + self.wrong.len() + self.operator + self.model + self.left
    }
}

/// Goes through a set.
pub fn measure(set: &str) -> Result<Figures, String> {
    let set: Set = serde_json::from_str(set).map_err(|error| error.to_string())?;
    let rules = Rules::default();
    let mut figures = Figures::default();
    for call in &set.calls {
        let tool = set
            .tools
            .get(&call.tool)
            .ok_or_else(|| format!("no tool {}", call.tool))?;
        let checker = Checker::new(&tool.schema.to_string()).map_err(|error| error.to_string())?;
        let args = call.args.to_string();
        if checker.check(&args).is_empty() {
            return Err(format!("nothing is wrong with {} {args}", call.tool));
        }
        let made = plan(&Case {
            tool: &call.tool,
            effect: tool.effect,
            checker: &checker,
            rules: &rules,
            background: Background::default(),
            base: &args,
            args: &args,
            error: None,
            past: &Past::default(),
            stats: None,
            found: &[],
            today: Some(set.today),
            attended: true,
            asked: false,
        });
        let shown = format!("{} {args}: {}", call.tool, call.why);
        match made.next {
            Next::Apply => {
                let repaired: Value = serde_json::from_str(&made.args).map_err(|error| error.to_string())?;
                if Some(&repaired) == call.means.as_ref() {
                    figures.right += 1;
                } else {
                    figures.wrong.push(format!("{shown}; became {repaired}"));
                }
                continue;
            }
            Next::AskOperator => figures.operator += 1,
            Next::AskModel(_) => figures.model += 1,
            Next::Nothing | Next::Retry | Next::Stop { .. } => figures.left += 1,
        }
        if call.means.is_some() {
            figures.missed.push(shown);
        }
    }
    Ok(figures)
}
