//! Test kit: tools that fail, and a case for each.
//!
//! Must not know: what is tested.

use jiff::civil::{Date, date};
use serde_json::{Value, json};

use crate::repair::{Background, Case, Entry, Guesses, Next, Past, Plan, Question, RawRule, Rules, plan};
use overrule_domain::call::{EffectClass, ErrorClass, ToolError};
use overrule_domain::repair_stats::RepairStats;
use overrule_schema::Checker;

/// A tool with its rules, and the state of a call of it.
pub struct Bench {
    pub tool: &'static str,
    pub checker: Checker,
    pub effect: EffectClass,
    pub rules: Rules,
    pub past: Past,
    pub request: &'static str,
    pub attended: bool,
    pub asked: bool,
    pub stats: Option<RepairStats>,
}

impl Bench {
    pub fn new(tool: &'static str, schema: &Value) -> Self {
        Self {
            tool,
            checker: Checker::new(&schema.to_string()).unwrap(),
            effect: EffectClass::Write,
            rules: Rules::default(),
            past: Past::default(),
            request: "",
            attended: true,
            asked: false,
            stats: None,
        }
    }

    /// One optional property `x`.
    pub fn of(property: &Value) -> Self {
        Self::new("t", &json!({"type": "object", "properties": {"x": property}}))
    }

    pub fn reading(mut self) -> Self {
        self.effect = EffectClass::Read;
        self
    }

    pub fn plan(&self, args: &str) -> Plan {
        self.look(args, args, None)
    }

    pub fn after(&self, args: &str, error: &ToolError) -> Plan {
        self.look(args, args, Some(error))
    }

    pub fn look(&self, base: &str, args: &str, error: Option<&ToolError>) -> Plan {
        plan(&Case {
            tool: self.tool,
            effect: self.effect,
            checker: &self.checker,
            rules: &self.rules,
            background: Background {
                request: self.request,
                ..Background::default()
            },
            base,
            args,
            error,
            past: &self.past,
            stats: self.stats.as_ref(),
            found: &[],
            today: Some(today()),
            attended: self.attended,
            asked: self.asked,
        })
    }

    /// Returns what a value of the property `x` is repaired to.
    pub fn repaired(&self, value: &Value) -> Option<Value> {
        let plan = self.plan(&json!({"x": value}).to_string());
        applied(&plan).map(|args| args["x"].clone())
    }

    /// Returns the values that the operator may choose from for the property `x`.
    pub fn offered(&self, value: &Value) -> Vec<Value> {
        offered(&self.plan(&json!({"x": value}).to_string()))
    }
}

pub fn today() -> Date {
    date(2024, 10, 20)
}

pub fn applied(plan: &Plan) -> Option<Value> {
    (plan.next == Next::Apply).then(|| serde_json::from_str(&plan.args).unwrap())
}

pub fn offered(plan: &Plan) -> Vec<Value> {
    if plan.next != Next::AskOperator {
        return Vec::new();
    }
    let options = plan.choices.iter().flat_map(|choice| &choice.options);
    options
        .map(|offer| {
            let to = offer.changes.last().and_then(|change| change.to.as_deref());
            to.map_or(Value::Null, |to| serde_json::from_str(to).unwrap())
        })
        .collect()
}

pub fn asked(plan: &Plan) -> Option<&Question> {
    match &plan.next {
        Next::AskModel(question) => Some(question),
        _ => None,
    }
}

pub fn given_up(plan: &Plan) -> Option<(&str, bool)> {
    match &plan.next {
        Next::Stop { why, critical } => Some((why, *critical)),
        _ => None,
    }
}

pub fn failed(class: ErrorClass, evidence: &str, message: &str) -> ToolError {
    ToolError {
        class,
        message: message.to_owned(),
        evidence: evidence.to_owned(),
        hint: None,
        partial: None,
        executed: true,
        retry_after_ms: None,
    }
}

pub fn refused(message: &str) -> ToolError {
    failed(ErrorClass::Param, "HTTP 400", message)
}

/// `book_flight`, as strict as its schema can make it.
pub fn flight() -> Bench {
    Bench::new(
        "book_flight",
        &json!({
            "type": "object",
            "properties": {
                "origin": {"type": "string", "pattern": "^[A-Z]{3}$"},
                "destination": {"type": "string", "pattern": "^[A-Z]{3}$"},
                "departure_date": {"type": "string", "format": "date"},
                "return_date": {"type": "string", "format": "date"},
                "passengers": {"type": "integer", "minimum": 1, "maximum": 9},
                "class": {"enum": ["economy", "business", "first"]}
            },
            "required": ["origin", "destination", "departure_date"],
            "additionalProperties": false
        }),
    )
}

/// The same with a lax schema: the tool itself complains.
pub fn loose_flight() -> Bench {
    let mut bench = Bench::new(
        "book_flight",
        &json!({
            "type": "object",
            "properties": {
                "origin": {"type": "string"},
                "destination": {"type": "string"},
                "departure_date": {"type": "string"},
                "passengers": {"type": "integer"},
                "class": {"type": "string"}
            }
        }),
    );
    bench.rules = Rules::default();
    bench
}

/// A rule of one tool.
pub fn rule(codes: &[&str], message: &str, strategies: &[&str], params: &[&str], priority: &str) -> Entry {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    Entry::new(&RawRule {
        codes: owned(codes),
        message: (!message.is_empty()).then(|| message.to_owned()),
        strategies: owned(strategies),
        params: owned(params),
        priority: Some(priority.to_owned()),
        description: None,
    })
    .unwrap()
}

pub fn guessing(mut bench: Bench) -> Bench {
    bench.rules.guesses = Guesses::Always;
    bench
}
