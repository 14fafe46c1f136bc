//! Shares the base of sample tools: an answer from the arguments and the number of equal calls.
//!
//! Must not know: any one service.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::builtin::common;
use crate::errors::{refused, untouched};
use crate::tool::{Job, Spec, Tool, Writes};
use overrule_domain::call::{EffectClass, ErrorClass, Outcome, ToolError};

/// Answers arguments that were sent for the nth time.
pub(super) type Answer = fn(&Value, u32) -> Result<Value, ToolError>;
/// An [`Answer`] that captures something.
type AnyAnswer = Arc<dyn Fn(&Value, u32) -> Result<Value, ToolError> + Send + Sync>;

/// One service.
pub(super) struct Service {
    spec: Spec,
    answer: AnyAnswer,
    delay: Duration,
    asked: Arc<Mutex<HashMap<String, u32>>>,
}

impl Service {
    /// Creates a service that answers after a short delay, like a real one.
    pub(super) fn new(
        name: &str,
        description: &str,
        schema: &Value,
        effect: EffectClass,
        answer: impl Fn(&Value, u32) -> Result<Value, ToolError> + Send + Sync + 'static,
    ) -> Self {
        let description =
            format!("{description} (A sample service: it runs in this program and has no real effect.)");
        Self {
            spec: common::spec(name, &description, schema, effect),
            answer: Arc::new(answer),
            delay: Duration::from_millis(40),
            asked: Arc::default(),
        }
    }

    /// Sets the time that it takes to answer.
    pub(super) fn taking(mut self, ms: u64) -> Self {
        self.delay = Duration::from_millis(ms);
        self
    }

    /// Changes its spec.
    pub(super) fn with(mut self, change: impl FnOnce(&mut Spec)) -> Self {
        change(&mut self.spec);
        self
    }
}

impl Tool for Service {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn writes(&self, _args: &Value) -> Writes {
        Writes::Nothing
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let (answer, asked, delay) = (self.answer.clone(), self.asked.clone(), self.delay);
        Box::pin(async move {
            tokio::select! {
                biased;
                () = job.cancel.cancelled() => return untouched(),
                () = tokio::time::sleep(delay) => {}
            }
            let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
            let times = asked.entry(job.text.to_string()).or_insert(0);
            *times = times.saturating_add(1);
            match answer(&job.args, *times) {
                Ok(value) => Outcome::ok(value.to_string()),
                Err(error) => Outcome::err(error),
            }
        })
    }
}

/// Returns an argument as text, empty if it is absent.
pub(super) fn text<'a>(args: &'a Value, name: &str) -> &'a str {
    args.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Builds a refusal in a service's words, by the HTTP status that it would send.
pub(super) fn status(status: u16, message: impl Into<String>, hint: &str) -> ToolError {
    let class = match status {
        400 | 422 => ErrorClass::Param,
        401 | 403 => ErrorClass::Auth,
        404 | 410 => ErrorClass::NotFound,
        409 => ErrorClass::Conflict,
        429 | 500..=599 => ErrorClass::Transient,
        _ => ErrorClass::Business,
    };
    refused(class, message, &format!("HTTP {status}"), hint)
}

/// Builds a refusal because of a rule of the service.
pub(super) fn rule(message: impl Into<String>, hint: &str) -> ToolError {
    refused(ErrorClass::Business, message, "declared by the tool", hint)
}
