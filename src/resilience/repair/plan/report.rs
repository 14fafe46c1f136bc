//! Follows the tool's own error: what it says of arguments that the schema has nothing against.
//!
//! Must not know: how a text is read.
//!
//! The schema comes first. A text of the server adds repairs, and never removes one.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::faults::{by_reference, in_order, spot_of_words};
use super::round::{Outcome, Round};
use super::{Case, Next, Plan, plan};
use crate::repair::arg_path;
use crate::repair::diagnose::of_error;
use crate::repair::entry::Priority;
use crate::repair::progress::fingerprint;
use crate::repair::strategy::Spot;
use overrule_base::canon::pointer;
use overrule_domain::repair::{self, Change, Choice, Diagnosis, Offer, Strategy};
use overrule_schema::Checker;

impl Round<'_> {
    /// Examines the tool's error and the arguments. Returns an end of repair if the error requires one.
    pub fn examine(&mut self) -> Option<Next> {
        let found = self.diagnosed();
        if let Some((priority, diagnosis)) = found.first()
            && let Some(end) = end(*priority, diagnosis)
        {
            self.diagnoses.push(diagnosis.clone());
            return Some(end);
        }
        self.repair();
        self.follow(found)
    }

    /// Returns the diagnoses of the tool's error. After a repair in this round, the error was about other arguments.
    fn diagnosed(&mut self) -> Vec<(Priority, Diagnosis)> {
        let Some(error) = self.case.error else {
            return Vec::new();
        };
        self.errors.push(error.text());
        match &self.args {
            Some(args) if super::same(self.case.base, self.case.args) => {
                let schema = self.case.checker.schema();
                of_error(self.case.rules, self.case.tool, error, (schema, args))
            }
            _ => Vec::new(),
        }
    }

    /// Tries what an error says of arguments that the schema does not repair.
    fn follow(&mut self, found: Vec<(Priority, Diagnosis)>) -> Option<Next> {
        let (error, args) = (self.case.error?, self.args.clone()?);
        let error = fingerprint(&error.text());
        let mut about = self.touched();
        // What the schema shows is run before anyone is asked about other words.
        self.is_rules_only = !about.is_empty();
        let names_none = found.iter().all(|(_, diagnosis)| diagnosis.params.is_empty());
        if about.is_empty() && names_none && self.by_inner_words(&args, &error) {
            return None;
        }
        for (priority, mut diagnosis) in found {
            // Once something is being repaired, only errors of other parameters are included.
            let is_other =
                !diagnosis.params.is_empty() && diagnosis.params.iter().all(|path| is_apart(path, &about));
            let end = end(priority, &diagnosis);
            if !about.is_empty() && (!is_other || end.is_some()) {
                continue;
            }
            if end.is_none() {
                self.learn_of_words(&mut diagnosis, &args);
            }
            let noted = self.diagnoses.len();
            self.diagnoses.push(diagnosis.clone());
            if end.is_some() {
                return end;
            }
            match self.by_words(&diagnosis, &error) {
                Ok(true) if diagnosis.params.is_empty() => return None,
                Ok(true) => about.extend(diagnosis.params.iter().cloned()),
                Ok(false) if self.is_rules_only => self.diagnoses.truncate(noted),
                Ok(false) => {}
                Err(_) if !about.is_empty() => {}
                Err(why) => return Some(Next::Stop { why, critical: false }),
            }
        }
        None
    }

    /// Repairs an argument that is a text of JSON, such as the body of a request, by what the error says of its members.
    /// Returns true if it is repaired or put to the operator.
    fn by_inner_words(&mut self, args: &Value, error: &str) -> bool {
        let members = args.as_object().into_iter().flatten();
        let texts = members.filter_map(|(name, value)| Some((arg_path::below("", name), value.as_str()?)));
        let mut plans = Vec::new();
        for (path, text) in texts.filter(|(_, text)| text.trim_start().starts_with('{')) {
            let is_open = !self.case.past.recurred(error, &path);
            if let Some(plan) = self.inner(text).filter(|_| is_open) {
                plans.push((path, text, plan));
            }
        }
        // Where two texts have such a member, neither is meant.
        let [(path, text, plan)] = plans.as_slice() else {
            return false;
        };
        let whole = |made: &[Change], to: &str| {
            made.first().map(|first| Change {
                path: path.as_str().into(),
                from: Some(Value::from(*text).to_string().into()),
                to: Some(Value::from(to).to_string().into()),
                certainty: made
                    .iter()
                    .map(|one| one.certainty)
                    .max()
                    .unwrap_or(first.certainty),
                ..first.clone()
            })
        };
        let Some(mut after) = self.args.clone() else {
            return false;
        };
        if plan.next == Next::Apply
            && let Some(change) = whole(&plan.changes, &plan.args)
            && pointer::set(&mut after, path, Value::from(plan.args.as_str())).is_some()
        {
            self.changes.push(change);
            self.args = Some(after);
            self.diagnoses.extend(plan.diagnoses.iter().cloned());
            return true;
        }
        let [choice] = plan.choices.as_slice() else {
            return false;
        };
        let options = choice.options.iter().filter_map(|option| {
            let to = repair::changed(text, &option.changes)?;
            Some(Offer {
                changes: vec![whole(&option.changes, &to)?],
            })
        });
        let options: Vec<Offer> = options.collect();
        let is_offered = plan.next == Next::AskOperator && !options.is_empty();
        if is_offered {
            self.diagnoses.extend(plan.diagnoses.iter().cloned());
            self.choices.push(Choice {
                path: path.as_str().into(),
                question: choice.question.clone(),
                options,
            });
        }
        is_offered
    }

    /// Plans the repair of a text of JSON by rules alone; none if the error says nothing of it.
    fn inner(&self, text: &str) -> Option<Plan> {
        let checker = Checker::new("{}").ok()?;
        let plan = plan(&Case {
            checker: &checker,
            base: text,
            args: text,
            stats: None,
            found: &[],
            asked: true,
            ..*self.case
        });
        let is_named = plan.diagnoses.iter().any(|one| !one.params.is_empty());
        (is_named && matches!(plan.next, Next::Apply | Next::AskOperator)).then_some(plan)
    }

    /// Returns the places that the repair by the schema is about.
    fn touched(&self) -> BTreeSet<Arc<str>> {
        let changed = self.changes.iter().map(|change| change.path.clone());
        let chosen = self.choices.iter().map(|choice| choice.path.clone());
        let requested = self
            .requests
            .iter()
            .map(|request| Arc::from(request.path.as_str()));
        changed.chain(chosen).chain(requested).collect()
    }

    /// Tries a diagnosis of a tool's error text; returns true if it had a result.
    fn by_words(&mut self, diagnosis: &Diagnosis, error: &str) -> Result<bool, String> {
        let returned = |path: &&Arc<str>| self.case.past.recurred(error, path);
        if let Some(path) = diagnosis.params.iter().find(returned) {
            return Err(format!(
                "the same error came back after `{}` was repaired",
                arg_path::shown(path)
            ));
        }
        if diagnosis.params.is_empty() && self.case.past.recurred(error, "") {
            return Err("the same error came back after the arguments were repaired".to_owned());
        }
        let captures: Vec<String> = diagnosis.captures.iter().map(ToString::to_string).collect();
        for strategy in in_order(diagnosis) {
            let mut produced = false;
            if strategy == Strategy::LlmInferMissingParam && diagnosis.params.is_empty() {
                produced = self.want("", &Value::Null, strategy);
            }
            for path in &diagnosis.params {
                let Some(args) = self.args.clone() else { continue };
                if args.pointer(path).is_some_and(arg_path::holds_reference) {
                    return Err(by_reference(path));
                }
                let spot = spot_of_words(self.case, &args, path, &captures);
                produced |= !matches!(self.attempt(strategy, &spot), Outcome::Nothing);
            }
            if produced {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Gives a diagnosis of a tool's error text the order of strategies that is known to help.
    fn learn_of_words(&mut self, diagnosis: &mut Diagnosis, args: &Value) {
        let case = self.case;
        let captures: Vec<String> = diagnosis.captures.iter().map(ToString::to_string).collect();
        let params = diagnosis.params.clone();
        let spots: Vec<Spot<'_>> = params
            .iter()
            .map(|path| spot_of_words(case, args, path, &captures))
            .collect();
        self.learn(diagnosis, &spots);
    }
}

/// Returns the end of repair that a diagnosis stands for, if it repairs nothing.
fn end(priority: Priority, diagnosis: &Diagnosis) -> Option<Next> {
    let reported = |why: &str| Next::Stop {
        why: why.to_owned(),
        critical: true,
    };
    if priority == Priority::Critical {
        return Some(reported("reported immediately: no arguments can fix it"));
    }
    match diagnosis.strategies.first() {
        Some(Strategy::RetryWithBackoff) => Some(Next::Retry),
        Some(Strategy::ReportUnrecoverable | Strategy::None) => {
            Some(reported("the rules report it without a repair"))
        }
        _ => None,
    }
}

/// Returns true if a place neither contains one of the others nor is in one.
fn is_apart(path: &str, others: &BTreeSet<Arc<str>>) -> bool {
    !others
        .iter()
        .any(|other| arg_path::within(path, other) || arg_path::within(other, path))
}
