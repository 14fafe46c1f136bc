//! Describes the events of failures: retries, breakers, repairs.
//!
//! Must not know: styles, who caused an event.

use overrule_domain::event::ResilienceEvent;
use overrule_domain::ladder::span;
use overrule_domain::repair::{Diagnosis, Reply};
use overrule_domain::setting_change::SettingChange;

/// An event of the handling of failures, without its number and its author.
pub(crate) fn describe(event: &ResilienceEvent) -> String {
    match event {
        ResilienceEvent::GaveUp { call, why, .. } => format!("{call}: the failure is final: {why}"),
        ResilienceEvent::RetryScheduled {
            call,
            no,
            of,
            wait_ms,
            why,
            ..
        } => format!("{call} again in {} ({no} of {of}): {why}", span(*wait_ms)),
        ResilienceEvent::RetryDue {
            call, skipped: true, ..
        } => format!("{call} runs now: the delay was skipped"),
        ResilienceEvent::RetryDue { call, .. } => format!("{call} runs again after its delay"),
        ResilienceEvent::BreakerChanged { scope, to, why, .. } => {
            format!("breaker of {scope} is {} now: {why}", to.label())
        }
        ResilienceEvent::PolicySet {
            version,
            live,
            changed,
            ..
        } => {
            let by = if *live { "changed" } else { "set" };
            let changed: Vec<String> = changed.iter().map(SettingChange::describe).collect();
            let what = if changed.is_empty() {
                String::new()
            } else {
                format!(": {}", changed.join("; "))
            };
            format!("failure handling was {by} (version {version}){what}")
        }
        ResilienceEvent::RepairStarted { call, round, of, .. } => {
            format!("{call} is being repaired ({round} of {of})")
        }
        ResilienceEvent::RepairDiagnosed { call, diagnoses, .. } if diagnoses.is_empty() => {
            format!("{call}: found nothing to repair")
        }
        ResilienceEvent::RepairDiagnosed { call, diagnoses, .. } => {
            let found: Vec<String> = diagnoses.iter().map(Diagnosis::grounds).collect();
            format!("{call}: found {}", found.join("; "))
        }
        ResilienceEvent::RepairAsked { call, question, .. } => {
            let about: Vec<&str> = question.params.iter().map(|one| &**one).collect();
            format!("{call}: the model is asked about {}", about.join(", "))
        }
        ResilienceEvent::RepairBroke {
            call,
            no,
            of,
            wait_ms,
            why,
            ..
        } => format!(
            "{call}: the request about its arguments broke ({why}), it is made again in {} ({no} of {of})",
            span(*wait_ms)
        ),
        ResilienceEvent::RepairAnswered { call, reply, .. } => match reply {
            Reply::Answered { text } => format!("{call}: the model says {text}"),
            Reply::Failed { why } => format!("{call}: no answer from the model: {why}"),
        },
        ResilienceEvent::RepairOffered {
            call, options, why, ..
        } => match options.len() {
            0 => format!("{call}: you decide: {why}"),
            count => format!("{call}: {count} repairs are possible, you choose: {why}"),
        },
        ResilienceEvent::RepairApplied { call, changes, .. } => {
            let made: Vec<String> = changes
                .iter()
                .map(|one| format!("{} ({})", one.path, one.why))
                .collect();
            format!("{call} repaired: {}", made.join("; "))
        }
    }
}
