//! Runs a tool once, in its own task, with a time limit, cancellation and panics caught.
//!
//! Must not know: which tool, what follows from the outcome.

use std::time::Duration;

use std::sync::Arc;

use super::tool::{Job, LONGEST, Tool};
use overrule_base::text::panic_message;
use overrule_domain::call::{EffectClass, ErrorClass, Outcome, ToolError};

/// Limits of one execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time limit, longer than what any tool allows itself.
    pub time: Duration,
    /// How long a tool may take to end once it is asked to.
    pub grace: Duration,
}

impl Limits {
    /// The limits of an execution of a tool.
    pub fn of(tool: &dyn Tool) -> Self {
        Self {
            time: tool.longest(),
            ..Self::default()
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: LONGEST,
            // Longer than the time between the two signals that end a child.
            grace: Duration::from_secs(5),
        }
    }
}

enum End {
    Cancelled,
    TooLong,
}

/// Runs a tool once. Whatever it does, there is an outcome.
pub async fn run(tool: Arc<dyn Tool>, mut job: Job, limits: Limits) -> Outcome {
    let effect = tool.spec().card.effect_of(&job.text);
    if job.cancel.is_cancelled() {
        return Outcome::Cancelled { executed: false };
    }
    let asked = job.cancel.clone();
    // A token of its own, so that the time limit ends this execution and no other.
    let own = job.cancel.child_token();
    job.cancel = own.clone();
    let mut task = tokio::spawn(async move { tool.run(job).await });
    let end = tokio::select! {
        biased;
        done = &mut task => return finished(done, effect),
        () = asked.cancelled() => End::Cancelled,
        () = tokio::time::sleep(limits.time) => End::TooLong,
    };
    own.cancel();
    let last = if let Ok(done) = tokio::time::timeout(limits.grace, &mut task).await {
        finished(done, effect)
    } else {
        task.abort();
        Outcome::Cancelled {
            executed: may_have(effect),
        }
    };
    match (end, last) {
        (End::TooLong, Outcome::Cancelled { executed }) => Outcome::err(ToolError {
            class: ErrorClass::Transient,
            message: format!("took longer than {} s and was ended", limits.time.as_secs_f32()),
            evidence: "time limit of an execution".to_owned(),
            hint: Some("do less in one call, or ask the operator to raise the limit".to_owned()),
            partial: None,
            executed,
            retry_after_ms: None,
        }),
        (_, last) => last,
    }
}

/// Returns true if the tool can have an effect: without proof, it may have had one.
fn may_have(effect: EffectClass) -> bool {
    effect.has_effect()
}

fn finished(done: Result<Outcome, tokio::task::JoinError>, effect: EffectClass) -> Outcome {
    let error = match done {
        Ok(outcome) => return outcome,
        Err(error) => error,
    };
    if !error.is_panic() {
        return Outcome::Cancelled {
            executed: may_have(effect),
        };
    }
    Outcome::err(panicked(&*error.into_panic(), may_have(effect)))
}

/// Converts a panic to a failure of the tool.
pub(super) fn panicked(payload: &(dyn std::any::Any + Send), executed: bool) -> ToolError {
    ToolError {
        class: ErrorClass::Internal,
        message: format!("the tool failed because of a defect: {}", panic_message(payload)),
        evidence: "panic of the tool's task".to_owned(),
        hint: Some("use another tool, and report the defect".to_owned()),
        partial: None,
        executed,
        retry_after_ms: None,
    }
}

#[cfg(test)]
mod tests;
