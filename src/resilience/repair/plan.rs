//! Plans one round of repair: first by rules, then by a question to the model, then by the
//! operator.
//!
//! Must not know: how any single strategy works.
//!
//! A round covers everything that is wrong with a call.

mod faults;
mod order;
mod report;
mod round;

use jiff::civil::Date;
use serde_json::Value;

use super::model::{About, Background, ParameterRequest, Question};
use super::progress::Past;
use super::rules::Rules;
use overrule_domain::call::{EffectClass, ErrorClass, ToolError};
use overrule_domain::repair::{Change, Choice, Diagnosis};
use overrule_domain::repair_stats::RepairStats;
use overrule_schema::Checker;
use round::Round;

/// A call whose arguments may be at fault.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// Name of the tool.
    pub tool: &'a str,
    /// Its effect class.
    pub effect: EffectClass,
    /// Its compiled schema.
    pub checker: &'a Checker,
    /// The rules.
    pub rules: &'a Rules,
    /// What the model sees in addition to the call.
    pub background: Background<'a>,
    /// The arguments that failed, with references as written.
    pub base: &'a str,
    /// The same with the repairs so far.
    pub args: &'a str,
    /// How the tool failed; `None` if it never ran.
    pub error: Option<&'a ToolError>,
    /// What was tried before.
    pub past: &'a Past,
    /// The success of the strategies so far; none if nothing is learned from it.
    pub stats: Option<&'a RepairStats>,
    /// Earlier findings of this repair: the order of their strategies stays.
    pub found: &'a [Diagnosis],
    /// The date of the failure.
    pub today: Option<Date>,
    /// True if an operator is there to choose.
    pub attended: bool,
    /// True once the model was asked in this repair; it is asked only once.
    pub asked: bool,
}

/// The result of a round.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The diagnoses.
    pub diagnoses: Vec<Diagnosis>,
    /// The changes by rules, one entry per value.
    pub changes: Vec<Change>,
    /// The arguments with these changes.
    pub args: String,
    /// Choices for the operator.
    pub choices: Vec<Choice>,
    /// The errors as text.
    pub errors: Vec<String>,
    /// The next step.
    pub next: Next,
}

/// What follows a round.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// Nothing, as far as the schema and the error show.
    Nothing,
    /// A new revision with these arguments.
    Apply,
    /// Ask the model a question.
    AskModel(Box<Question>),
    /// Let the operator choose.
    AskOperator,
    /// Not a matter of arguments: make the same call later.
    Retry,
    /// Do not repair.
    Stop {
        /// The reason.
        why: String,
        /// True if the failure must be reported immediately, whatever else might be tried.
        critical: bool,
    },
}

/// Examines a failed call and plans what to do about its arguments. Total: every input gives a plan.
pub fn plan(case: &Case<'_>) -> Plan {
    let abandon = |why: String, critical: bool| Plan {
        diagnoses: Vec::new(),
        changes: Vec::new(),
        args: case.args.to_owned(),
        choices: Vec::new(),
        errors: case.error.iter().map(|error| error.text()).collect(),
        next: Next::Stop { why, critical },
    };
    if !case.rules.is_enabled_for(case.tool) {
        return abandon("arguments of this tool are not repaired".to_owned(), false);
    }
    if let Some(error) = case.error {
        match error.class {
            ErrorClass::Transient => {
                return Plan {
                    next: Next::Retry,
                    ..abandon(String::new(), false)
                };
            }
            ErrorClass::Auth => {
                return abandon("it is not permitted; no arguments change that".to_owned(), true);
            }
            ErrorClass::Cancelled | ErrorClass::Lost => return abandon("it was stopped".to_owned(), true),
            ErrorClass::Internal => {
                return abandon("the tool is at fault, not its arguments".to_owned(), false);
            }
            _ => {}
        }
    }
    // Checked before anything that costs.
    if let Some(why) = case.past.spent(case.rules.executions) {
        return abandon(why, false);
    }
    let mut round = Round::new(case);
    let over = round.examine();
    finish(case, round, over)
}

fn finish(case: &Case<'_>, round: Round<'_>, over: Option<Next>) -> Plan {
    let args = round.text();
    let next = over.unwrap_or_else(|| next(case, &round, &args));
    Plan {
        next,
        args,
        diagnoses: round.diagnoses,
        changes: merged(round.changes),
        choices: round.choices,
        errors: round.errors,
    }
}

fn next(case: &Case<'_>, round: &Round<'_>, args: &str) -> Next {
    let abandon = |why: String| Next::Stop { why, critical: false };
    if let Some(why) = round.hopeless.first() {
        return abandon(why.clone());
    }
    if !round.choices.is_empty() && !case.attended {
        let asked: Vec<&str> = round.choices.iter().map(|choice| &*choice.question).collect();
        return abandon(format!("only the operator can decide: {}", asked.join("; ")));
    }
    if !round.requests.is_empty() {
        return match question(case, round, args) {
            Some(question) => Next::AskModel(Box::new(question)),
            None => abandon("no question about the parameter can be put to the model".to_owned()),
        };
    }
    if !round.choices.is_empty() {
        return Next::AskOperator;
    }
    if same(case.base, args) {
        return match case.error {
            None => Next::Nothing,
            Some(_) => abandon("nothing is known that would help against this error".to_owned()),
        };
    }
    if case.past.has_tried(args) {
        return abandon("the repaired arguments were tried before".to_owned());
    }
    Next::Apply
}

fn question(case: &Case<'_>, round: &Round<'_>, args: &str) -> Option<Question> {
    let requested: Vec<ParameterRequest> = round.requests.clone();
    let about = About {
        tool: case.tool,
        background: case.background,
        args,
        errors: &round.errors,
    };
    Question::new(case.checker.schema(), requested, about)
}

fn same(one: &str, other: &str) -> bool {
    let canonical =
        |text: &str| overrule_base::canon::canonical_text(text).unwrap_or_else(|_| text.to_owned());
    one == other || canonical(one) == canonical(other)
}

/// Merges changes to one per value, from its first state to its last.
pub(super) fn merged(changes: Vec<Change>) -> Vec<Change> {
    let mut all: Vec<Change> = Vec::new();
    for change in changes {
        match all.iter_mut().find(|one| one.path == change.path) {
            Some(first) => {
                first.to = change.to;
                first.strategy = change.strategy;
                first.certainty = first.certainty.max(change.certainty);
                first.why = change.why;
            }
            None => all.push(change),
        }
    }
    all.retain(|change| change.from != change.to);
    all
}

/// Parses arguments; blank text is an empty object.
fn value_of(text: &str) -> Option<Value> {
    if text.trim().is_empty() {
        return Some(Value::Object(serde_json::Map::new()));
    }
    serde_json::from_str(text).ok()
}
