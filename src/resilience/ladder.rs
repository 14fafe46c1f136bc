//! Chooses the step that follows a failure.
//!
//! Must not know: how a step is carried out or shown.
//!
//! The first that fits is taken: the same bytes again if that may help and does no harm, other
//! arguments, the model.

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
    pub fn configured(&self, key: &str, value: &str) -> Result<Arc<str>, Bad> {
        // A value that is not JSON, such as `10s`, is taken as a string.
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        Ok(Arc::from(self.policy.with(key, value)?.to_text()))
    }

    /// Sets the class of a failure whose kind follows only from its text.
    pub fn classify(&self, tool: &str, outcome: &mut Outcome) {
        self.classifier.refine(tool, outcome);
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
