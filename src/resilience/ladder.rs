//! Chooses the step that follows a failure.
//!
//! Must not know: how a step is carried out or shown.
//!
//! The first that fits is taken: the same bytes again if that may help and does no harm, other
//! arguments, the model.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::classify::Classifier;
use super::policy::{Bad, Policy};
use super::repair::{self, RepairContext, Rules};
use super::{breaker, retry};
use overrule_domain::breaker::{Breaker, Turn};
use overrule_domain::call::{Call, ErrorClass, Outcome, Status, ToolError};
use overrule_domain::event::{Event, ResilienceEvent};
use overrule_domain::ladder::Next;
use overrule_domain::node::{Node, Origin};
use overrule_domain::state::State;

/// The settings for failures, compiled.
#[derive(Debug, Clone, Default)]
pub struct Ladder {
    /// The settings in force.
    pub policy: Policy,
    /// The rules of repair, compiled from the settings.
    pub repair: Arc<Rules>,
    /// The classifier of errors, compiled from the settings.
    classifier: Arc<Classifier>,
    /// A random number of this process, so that waits differ between runs.
    pub seed: u64,
}

/// Compiles the rules of repair. Settings are checked before they are adopted, so this cannot fail.
fn rules(policy: &Policy) -> Arc<Rules> {
    Arc::new(policy.repair.compiled().unwrap_or_default())
}

impl Ladder {
    /// Compiles the settings.
    pub fn new(policy: Policy, seed: u64) -> Self {
        Self {
            repair: rules(&policy),
            classifier: Arc::new(Classifier::new(&policy.errors)),
            policy,
            seed,
        }
    }

    /// Returns the step that follows the failure of a call, or the faults that keep it from running. `known`
    /// describes its tool; `None` if there is no such tool.
    pub fn after(&self, state: &State, call: &Call, known: Option<&RepairContext<'_>>) -> Next {
        let retried = match &call.status {
            Status::Failed(_) => match error_of(state, call) {
                Some(error) => retry::after(&self.policy.retry, state, call, error, self.seed),
                None => leave("its error has no details"),
            },
            Status::Invalid => leave("it cannot run as it is: the model sees its faults"),
            Status::Repairing(_) => leave("its repair failed"),
            _ => return leave("it did not fail"),
        };
        let (Next::Leave { why }, Some(known)) = (&retried, known) else {
            return retried;
        };
        match repair::after(&self.repair, state, call, known) {
            Ok(next) => next,
            // Report what was tried together with what was impossible.
            Err(no) => Next::Leave {
                why: format!("{why}; {no}").into(),
            },
        }
    }

    /// Returns true if a call failed and will not succeed by being repeated: its retries are used up, or its error does
    /// not pass by itself.
    pub fn lasts(&self, state: &State, call: &Call) -> bool {
        let ran = state
            .observation(call.id)
            .is_some_and(|node| node.now().origin == Origin::Execution);
        let Some(error) = error_of(state, call).filter(|_| ran) else {
            return false;
        };
        match error.class {
            ErrorClass::Transient => {
                call.failure.retries > 0 || retry::persists(&self.policy.retry, state, call, error)
            }
            ErrorClass::Auth | ErrorClass::Internal => matches!(call.status, Status::Failed(_)),
            _ => false,
        }
    }

    /// Returns the change of a breaker that its recent executions call for, if any.
    pub fn breaker(&self, breaker: &Breaker) -> Option<Turn> {
        breaker::turn(&self.policy.breaker, breaker)
    }

    /// Returns the text of the settings with one value replaced.
    /// The value is JSON, a list, table or quoted text of TOML, or else a text as it is written, such as `10s`.
    pub fn configured(&self, key: &str, value: &str) -> Result<Arc<str>, Bad> {
        if let Ok(json) = serde_json::from_str(value) {
            return Ok(Arc::from(self.policy.with(key, json)?.to_text()));
        }
        let wrong = match of_toml(value) {
            Some(Ok(value)) => return Ok(Arc::from(self.policy.with(key, value)?.to_text())),
            Some(Err(wrong)) => Some(wrong),
            None => None,
        };
        let policy = self.policy.with(key, Value::from(value)).map_err(|bad| Bad {
            why: wrong.unwrap_or(bad.why),
            ..bad
        })?;
        Ok(Arc::from(policy.to_text()))
    }

    /// Sets the class of a failure whose kind follows only from its text. `args` are those that ran; without a schema no
    /// argument is at fault.
    pub fn classify(&self, (tool, args): (&str, &str), schema: Option<&Value>, outcome: &mut Outcome) {
        let at_fault = |words: &str| repair::argument_at_fault(words, schema?, args);
        self.classifier.refine(tool, outcome, at_fault);
    }

    /// Folds an event.
    pub fn take(&mut self, event: &Event) {
        if let Event::Resilience(ResilienceEvent::PolicySet { policy, .. }) = event
            && let Ok(policy) = Policy::parse(policy)
        {
            *self = Self::new(policy, self.seed);
        }
    }
}

/// Reads a list, a table or a quoted text of TOML; `None` for any other text. An error says what is wrong with it.
fn of_toml(text: &str) -> Option<Result<Value, String>> {
    if !text.starts_with(['[', '{', '\'', '"']) {
        return None;
    }
    let hint = "write it as in a settings file: ['a', 'b'], { key = 1 } or 'text'";
    let document = format!("value = {text}");
    Some(match toml::from_str::<BTreeMap<String, Value>>(&document) {
        // More than one member: the text has lines of its own.
        Ok(mut members) if members.len() == 1 => members.remove("value").ok_or_else(|| hint.to_owned()),
        Ok(_) => Err(hint.to_owned()),
        Err(error) => Err(format!("{}; {hint}", error.message())),
    })
}

fn leave(why: &str) -> Next {
    Next::Leave { why: why.into() }
}

/// Returns the error that a call ended with.
pub fn error_of<'s>(state: &'s State, call: &Call) -> Option<&'s ToolError> {
    match state.observation(call.id).and_then(Node::outcome)? {
        Outcome::Err(error) => Some(error),
        Outcome::Ok { .. } | Outcome::Cancelled { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use overrule_domain::escape::Detector;

    /// The settings after a change, or why it is refused.
    fn changed(key: &str, value: &str) -> Result<Policy, String> {
        let ladder = Ladder::new(Policy::default(), 0);
        let text = ladder.configured(key, value).map_err(|bad| bad.to_string())?;
        Ok(Policy::parse(&text).unwrap())
    }

    #[test]
    fn a_value_is_written_as_json_as_toml_or_as_it_stands() {
        for list in [
            "[\"visits\",\"exhausted\"]",
            "['visits', 'exhausted']",
            "[ 'visits', \"exhausted\", ]",
        ] {
            let muted = changed("loops.muted", list).unwrap().loops.muted;
            assert_eq!(muted, [Detector::Visits, Detector::Exhausted], "{list}");
        }
        for span in ["10s", "'10s'", "\"10s\""] {
            assert_eq!(
                changed("breaker.open", span).unwrap().breaker.open.0,
                10_000,
                "{span}"
            );
        }
        for table in [r#"{"a":["b"]}"#, "{ a = ['b'] }"] {
            let others = changed("loops.substitutes", table).unwrap().loops.substitutes;
            assert_eq!(others.len(), 1, "{table}");
        }
        assert_eq!(changed("retry.retries", "2").unwrap().retry.retries, 2);
    }

    #[test]
    fn a_list_that_cannot_be_read_is_refused_with_the_form_to_write() {
        for list in ["['visits', ", "[visits]", "['visits']\nmore = 1", "{ a = }"] {
            let why = changed("loops.muted", list).unwrap_err();
            assert!(
                why.starts_with("loops.muted: ") && why.contains("['a', 'b']"),
                "{list}: {why}"
            );
        }
        let why = changed("loops.muted", "['nothing']").unwrap_err();
        assert!(why.contains("nothing") && !why.contains("['a', 'b']"), "{why}");
    }
}
