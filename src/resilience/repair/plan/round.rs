//! Carries out one round: examines each fault and collects the ideas of strategies.
//!
//! Must not know: what happens to questions.
//!
//! An idea is used only if it satisfies the schema.

use std::collections::BTreeSet;

use serde_json::Value;

use super::faults::{by_reference, ideas, in_order, is_elsewhere, no_slip, readable, shown, spot};
use super::order::learnt;
use super::{Case, value_of};
use crate::repair::diagnose::of_violation;
use crate::repair::model::ParameterRequest;
use crate::repair::rules::Guesses;
use crate::repair::strategy::{Idea, Spot};
use crate::repair::{arg_path, json};
use overrule_domain::repair::{Certainty, Change, Choice, Diagnosis, Offer, Strategy};
use overrule_schema::Violation;

/// Maximum number of passes over the schema; each strategy has one attempt at each parameter in any case.
const MOST_PASSES: usize = 64;
/// Maximum number of answers to one question.
const MOST_OPTIONS: usize = 9;
/// Visits that all checks of a round may take.
const MOST_VISITS: u64 = 200_000;

/// Why a repair is given up.
const TOO_MUCH: &str = "too many things are wrong with the arguments";

pub(super) struct Round<'a> {
    pub(super) case: &'a Case<'a>,
    pub(super) args: Option<Value>,
    raw: String,
    pub diagnoses: Vec<Diagnosis>,
    pub changes: Vec<Change>,
    pub choices: Vec<Choice>,
    /// What to ask the model for.
    pub requests: Vec<ParameterRequest>,
    /// Faults that nothing helps against.
    pub hopeless: Vec<String>,
    /// The errors as text.
    pub errors: Vec<String>,
    /// True while no one may be asked: only what rules repair is added.
    pub(super) is_rules_only: bool,
    used: BTreeSet<(String, Strategy)>,
    /// Visits that checks may still take.
    left: u64,
}

/// The result of one strategy's ideas.
pub(super) enum Outcome {
    Repaired,
    Asked,
    Nothing,
}

impl<'a> Round<'a> {
    pub fn new(case: &'a Case<'a>) -> Self {
        Self {
            case,
            args: readable(case).then(|| value_of(case.args)).flatten(),
            raw: case.args.to_owned(),
            diagnoses: Vec::new(),
            changes: Vec::new(),
            choices: Vec::new(),
            requests: Vec::new(),
            hopeless: Vec::new(),
            errors: Vec::new(),
            is_rules_only: false,
            used: BTreeSet::new(),
            left: MOST_VISITS,
        }
    }

    /// Returns the arguments as they are now.
    pub fn text(&self) -> String {
        match &self.args {
            // Unchanged arguments stay byte for byte the same.
            Some(args) if !self.changes.is_empty() => args.to_string(),
            _ => self.raw.clone(),
        }
    }

    /// Repairs violations of the schema until none is left that can be repaired.
    pub fn repair(&mut self) {
        if self.args.is_none() && !self.read() {
            return;
        }
        for _ in 0..MOST_PASSES {
            let before = self.changes.len();
            let text = self.text();
            if !self.may_check(&text, 1) {
                self.hopeless.push(TOO_MUCH.to_owned());
                return;
            }
            let Ok(violations) = self.case.checker.violations(&text) else {
                self.hopeless.push("the arguments cannot be read".to_owned());
                return;
            };
            if let Some(why) = no_slip(&violations) {
                self.hopeless.push(why);
                return;
            }
            // Exact repairs come first: they may fix another fault as well.
            let exact = violations.iter().any(|violation| self.exact(violation));
            for violation in violations.iter().filter(|_| !exact) {
                if self.changes.len() == before {
                    self.one(violation);
                }
            }
            if self.changes.len() == before {
                return;
            }
            // Remarks on values that have changed since are outdated.
            self.hopeless.clear();
        }
        self.hopeless.push(TOO_MUCH.to_owned());
    }

    /// Repairs a violation if exactly one way keeps the meaning.
    fn exact(&mut self, violation: &Violation) -> bool {
        let Some(args) = self.args.clone() else {
            return false;
        };
        let diagnosis = of_violation(violation);
        let raw = self.raw.clone();
        let spot = spot(self.case, &args, &raw, violation);
        if is_elsewhere(&spot) {
            return false;
        }
        // A default applies only if the value is not given under another name.
        let rules =
            |strategy: &&Strategy| !strategy.asks_model() && **strategy != Strategy::DefaultValueAssignment;
        for strategy in diagnosis.strategies.iter().filter(rules) {
            if self.used.contains(&(spot.path.to_owned(), *strategy)) {
                continue;
            }
            let mut ideas = ideas(*strategy, &spot);
            ideas.retain(|idea| idea.certainty == Certainty::Exact);
            let ideas = self.fitting(ideas, &spot);
            if let [idea] = ideas.as_slice() {
                self.note(violation, &diagnosis);
                self.used.insert((spot.path.to_owned(), *strategy));
                return self.apply(idea, &spot, *strategy);
            }
        }
        false
    }

    /// Lets a diagnosis have the order of strategies that is known to help: the one that this repair began with.
    pub(super) fn learn(&mut self, diagnosis: &mut Diagnosis, spots: &[Spot<'_>]) {
        let case = self.case;
        if let Some(known) = case.found.iter().find(|known| known.is_same(diagnosis)) {
            diagnosis.strategies.clone_from(&known.strategies);
            diagnosis.learnt.clone_from(&known.learnt);
            return;
        }
        let Some(stats) = case.stats else { return };
        let is_exact = |strategy| spots.iter().any(|spot| self.is_exact(strategy, spot));
        if let Some(learnt) = learnt(stats, case.tool, &diagnosis.strategies, is_exact) {
            diagnosis.strategies = learnt.order;
            diagnosis.learnt = Some(learnt.why.into());
        }
    }

    /// Returns true if a strategy repairs a parameter without a change of the meaning.
    fn is_exact(&mut self, strategy: Strategy, spot: &Spot<'_>) -> bool {
        let mut ideas = ideas(strategy, spot);
        ideas.retain(|idea| idea.certainty == Certainty::Exact);
        !self.fitting(ideas, spot).is_empty()
    }

    /// Notes a violation and its diagnosis.
    fn note(&mut self, violation: &Violation, diagnosis: &Diagnosis) {
        if !self.diagnoses.contains(diagnosis) {
            self.diagnoses.push(diagnosis.clone());
            self.errors.push(violation.message.clone());
        }
    }

    fn apply(&mut self, idea: &Idea, spot: &Spot<'_>, strategy: Strategy) -> bool {
        let Some(after) = idea.applied(spot.args) else {
            return false;
        };
        self.changes.extend(idea.changes(spot.args, strategy));
        self.args = Some(after);
        true
    }

    /// Repairs text that is almost JSON.
    fn read(&mut self) -> bool {
        let faults = self.case.checker.violations(&self.raw).err().unwrap_or_default();
        let output = faults
            .first()
            .map_or("the arguments cannot be read", |fault| &fault.message);
        self.errors.push(output.to_owned());
        self.diagnoses.push(Diagnosis {
            kind: overrule_domain::repair::ErrorKind::FormatError,
            strategies: vec![Strategy::JsonCorrection],
            params: vec!["".into()],
            captures: Vec::new(),
            evidence: "schema: json".into(),
            description: None,
            learnt: None,
        });
        let Some((text, certainty, why)) = json::repaired(&self.raw) else {
            self.hopeless.push(output.to_owned());
            return false;
        };
        let change = Change {
            path: "".into(),
            from: Some(Value::from(self.raw.as_str()).to_string().into()),
            to: Some(text.as_str().into()),
            strategy: Strategy::JsonCorrection,
            certainty,
            why: why.into(),
        };
        if !self.may(certainty, Strategy::JsonCorrection, "") {
            self.choices.push(Choice {
                path: "".into(),
                question: format!("is this what the arguments should say? {output}").into(),
                options: vec![Offer {
                    changes: vec![change],
                }],
            });
            return false;
        }
        self.args = value_of(&text);
        self.raw = text;
        self.changes.push(change);
        self.args.is_some()
    }

    fn one(&mut self, violation: &Violation) {
        let open = |path: &str| arg_path::within(&violation.path, path) && !path.is_empty();
        let asked = self.choices.iter().any(|choice| open(&choice.path));
        if asked || self.requests.iter().any(|one| open(&one.path)) {
            return;
        }
        let Some(args) = self.args.clone() else { return };
        let mut diagnosis = of_violation(violation);
        let raw = self.raw.clone();
        let spot = spot(self.case, &args, &raw, violation);
        self.learn(&mut diagnosis, std::slice::from_ref(&spot));
        self.note(violation, &diagnosis);
        if is_elsewhere(&spot) {
            self.hopeless.push(by_reference(&violation.path));
            return;
        }
        for strategy in in_order(&diagnosis) {
            if !matches!(self.attempt(strategy, &spot), Outcome::Nothing) {
                return;
            }
        }
        self.hopeless.push(format!(
            "`{}`: {}",
            arg_path::shown(&violation.path),
            violation.message
        ));
    }

    /// Lets one strategy attempt one parameter.
    pub(super) fn attempt(&mut self, strategy: Strategy, spot: &Spot<'_>) -> Outcome {
        if strategy.asks_model() {
            return if self.want(spot.path, spot.place, strategy) {
                Outcome::Asked
            } else {
                Outcome::Nothing
            };
        }
        if !self.used.insert((spot.path.to_owned(), strategy)) {
            return Outcome::Nothing;
        }
        let ideas = self.fitting(ideas(strategy, spot), spot);
        let sure: Vec<&Idea> = ideas
            .iter()
            .filter(|idea| idea.certainty == Certainty::Exact)
            .collect();
        let best: Vec<&Idea> = if sure.is_empty() {
            ideas.iter().collect()
        } else {
            sure
        };
        let guesses: Vec<&&Idea> = best
            .iter()
            .filter(|idea| idea.certainty != Certainty::Changed)
            .collect();
        let alone = match (best.as_slice(), guesses.as_slice()) {
            ([one], _) => Some(*one),
            // A likely idea takes precedence over one that would change the meaning.
            (_, [one]) => Some(**one),
            _ => None,
        };
        if let Some(idea) = alone.filter(|idea| self.may(idea.certainty, strategy, spot.path)) {
            return if self.apply(idea, spot, strategy) {
                Outcome::Repaired
            } else {
                Outcome::Nothing
            };
        }
        // Without an operator, the model may choose, provided a rule names it for that.
        let is_left = !self.case.attended && self.model_may_follow(strategy);
        if best.is_empty() || self.is_rules_only || is_left {
            return Outcome::Nothing;
        }
        let options = best.into_iter().take(MOST_OPTIONS);
        let path = arg_path::shown(spot.path);
        let given = spot.value().map_or_else(|| "nothing".to_owned(), shown);
        self.choices.push(Choice {
            path: spot.path.into(),
            question: format!("what should `{path}` be, where {given} was given?").into(),
            options: options
                .map(|idea| Offer {
                    changes: idea.changes(spot.args, strategy),
                })
                .collect(),
        });
        Outcome::Asked
    }

    /// Returns the ideas that help, as long as tries are left.
    fn fitting(&mut self, mut ideas: Vec<Idea>, spot: &Spot<'_>) -> Vec<Idea> {
        if ideas.is_empty() {
            return ideas;
        }
        let before = spot.args.to_string();
        // Each is tried, and so is what precedes it.
        if !self.may_check(&before, ideas.len() as u64 + 1) {
            return Vec::new();
        }
        let before = self.case.checker.violations(&before).unwrap_or_default();
        ideas.retain(|idea| self.fits(idea, spot, &before));
        ideas
    }

    /// Takes the visits of checks of such a text from those that are left; false if they are not enough.
    fn may_check(&mut self, text: &str, times: u64) -> bool {
        let visits = self
            .case
            .checker
            .cost(text)
            .map(|cost| cost.saturating_mul(times));
        let left = visits.and_then(|visits| self.left.checked_sub(visits));
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }

    /// Returns true if a model is asked next about what this strategy leaves open.
    fn model_may_follow(&self, strategy: Strategy) -> bool {
        let followed = matches!(
            strategy,
            Strategy::EnumValueCorrection | Strategy::DateFormatCorrection
        );
        followed && !self.case.asked && self.case.rules.asks_model(self.case.tool)
    }

    /// Notes what to ask the model for; returns false if it may not be asked.
    pub(super) fn want(&mut self, path: &str, place: &Value, strategy: Strategy) -> bool {
        if self.is_rules_only || self.case.asked || !self.case.rules.asks_model(self.case.tool) {
            return false;
        }
        // Do not pay for a proposal that no operator can accept.
        if strategy == Strategy::AlternativeRouteSuggestion && !self.case.attended {
            return false;
        }
        self.requests.push(ParameterRequest {
            path: path.to_owned(),
            place: place.clone(),
            strategy,
        });
        true
    }

    /// Returns true if a change may be made without a question.
    fn may(&self, certainty: Certainty, strategy: Strategy, path: &str) -> bool {
        let rules = self.case.rules;
        match certainty {
            Certainty::Exact => true,
            Certainty::Guess => match rules.guesses(self.case.tool) {
                Guesses::Never => false,
                Guesses::Reads => !self.case.effect.has_effect(),
                Guesses::Always => true,
            },
            Certainty::Changed => {
                let clamp = matches!(strategy, Strategy::ClampValueToMin | Strategy::ClampValueToMax);
                clamp && rules.clamps(self.case.tool, path)
            }
        }
    }

    /// True if an idea helps: its fault is fixed, and nothing else is worse than before.
    fn fits(&self, idea: &Idea, spot: &Spot<'_>, before: &[Violation]) -> bool {
        let Some(after) = idea.applied(spot.args) else {
            return false;
        };
        let Ok(after) = self.case.checker.violations(&after.to_string()) else {
            return false;
        };
        let touched = |path: &str| {
            idea.edits
                .iter()
                .any(|(edited, _)| arg_path::within(path, edited))
        };
        let known = |one: &Violation| {
            before
                .iter()
                .any(|other| (&other.path, &other.keyword) == (&one.path, &one.keyword))
        };
        let fixed = spot.keyword.is_empty()
            || !after
                .iter()
                .any(|one| one.path == spot.path && one.keyword == spot.keyword);
        let sound = after
            .iter()
            .all(|one| known(one) || (touched(&one.path) && !spot.keyword.is_empty()));
        fixed && sound
    }
}
