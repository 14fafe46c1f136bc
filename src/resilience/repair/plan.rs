//! One round of repair: all that is wrong with a call at once, by rules first; then what the model may
//! be asked, then what only the operator can tell. Must not know: any single strategy's ways.

mod round;

use jiff::civil::Date;
use serde_json::Value;

use super::model::{About, Question, Wanted};
use super::progress::Past;
use super::rules::Rules;
use crate::domain::call::{EffectClass, ErrorClass, ToolError};
use crate::domain::repair::{Change, Choice, Diagnosis};
use crate::schema::Checker;
use round::Round;

/// A call whose arguments may be to blame.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// Name of the tool.
    pub tool: &'a str,
    /// What the tool says of itself.
    pub described: &'a str,
    /// What it can do to the world.
    pub effect: EffectClass,
    /// Its compiled schema.
    pub checker: &'a Checker,
    /// The rules.
    pub rules: &'a Rules,
    /// What the person asked for in the first place.
    pub request: &'a str,
    /// The arguments that failed, with references as they were written.
    pub base: &'a str,
    /// The same with what was mended so far.
    pub args: &'a str,
    /// How the tool failed; none where it never ran.
    pub error: Option<&'a ToolError>,
    /// What was tried before.
    pub past: &'a Past,
    /// The day of the failure.
    pub today: Option<Date>,
    /// True where an operator is there to choose.
    pub attended: bool,
    /// True once the model was asked in this repair: it is asked once.
    pub asked: bool,
}

/// What a round came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What was found to be wrong.
    pub diagnoses: Vec<Diagnosis>,
    /// What rules changed, one entry for each value.
    pub changes: Vec<Change>,
    /// The arguments with these changes.
    pub args: String,
    /// What only the operator can tell.
    pub choices: Vec<Choice>,
    /// What comes next.
    pub next: Next,
}

/// What comes after a round.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// Nothing is wrong, as far as the schema and the error tell.
    Nothing,
    /// A new revision with these arguments.
    Apply,
    /// A question to the model.
    AskModel(Box<Question>),
    /// The operator chooses.
    AskOperator,
    /// No matter of arguments: the same call later.
    Retry,
    /// No repair.
    GiveUp {
        /// Why.
        why: String,
        /// True where it must be told at once, whatever else might be tried.
        critical: bool,
    },
}

/// Looks at a failed call and says what to do about its arguments. Total: any input gives a plan.
pub fn plan(case: &Case<'_>) -> Plan {
    let give_up = |why: String, critical: bool| Plan {
        diagnoses: Vec::new(),
        changes: Vec::new(),
        args: case.args.to_owned(),
        choices: Vec::new(),
        next: Next::GiveUp { why, critical },
    };
    if !case.rules.mends(case.tool) {
        return give_up("arguments of this tool are not mended".to_owned(), false);
    }
    if let Some(error) = case.error {
        match error.class {
            ErrorClass::Transient => {
                return Plan {
                    next: Next::Retry,
                    ..give_up(String::new(), false)
                };
            }
            ErrorClass::Auth => {
                return give_up("it is not permitted; no arguments change that".to_owned(), true);
            }
            ErrorClass::Cancelled => return give_up("it was stopped".to_owned(), true),
            ErrorClass::Internal => {
                return give_up("the tool is at fault, not its arguments".to_owned(), false);
            }
            _ => {}
        }
    }
    // Before anything that costs.
    if let Some(why) = case.past.spent(case.rules.executions) {
        return give_up(why, false);
    }
    let mut round = Round::new(case);
    let over = round.understand().or_else(|| {
        round.mend();
        None
    });
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
    }
}

fn next(case: &Case<'_>, round: &Round<'_>, args: &str) -> Next {
    let give_up = |why: String| Next::GiveUp { why, critical: false };
    if let Some(why) = round.hopeless.first() {
        return give_up(why.clone());
    }
    if !round.choices.is_empty() && !case.attended {
        let asked: Vec<&str> = round.choices.iter().map(|choice| &*choice.question).collect();
        return give_up(format!("only the operator can tell: {}", asked.join("; ")));
    }
    if !round.wanted.is_empty() {
        return match question(case, round, args) {
            Some(question) => Next::AskModel(Box::new(question)),
            None => give_up("no question about the parameter can be put to the model".to_owned()),
        };
    }
    if !round.choices.is_empty() {
        return Next::AskOperator;
    }
    if same(case.base, args) {
        return match case.error {
            None => Next::Nothing,
            Some(_) => give_up("nothing is known that would help against this error".to_owned()),
        };
    }
    if case.past.has_tried(args) {
        return give_up("the mended arguments were tried before".to_owned());
    }
    Next::Apply
}

fn question(case: &Case<'_>, round: &Round<'_>, args: &str) -> Option<Question> {
    let wanted: Vec<Wanted> = round.wanted.clone();
    let about = About {
        tool: case.tool,
        described: case.described,
        request: case.request,
        args,
        errors: &round.errors,
    };
    Question::new(case.checker.schema(), wanted, about)
}

fn same(one: &str, other: &str) -> bool {
    let canonical = |text: &str| crate::canon::canonical_text(text).unwrap_or_else(|_| text.to_owned());
    one == other || canonical(one) == canonical(other)
}

/// One change for each value: from what it was at first to what it is at last.
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

/// Arguments as a value; a blank text is an empty object.
fn value_of(text: &str) -> Option<Value> {
    if text.trim().is_empty() {
        return Some(Value::Object(serde_json::Map::new()));
    }
    serde_json::from_str(text).ok()
}
