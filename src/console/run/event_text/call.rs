//! Describes the events of a call.
//!
//! Must not know: styles, who caused an event.

use std::borrow::Cow;

use overrule_domain::call::Gate;
use overrule_domain::event::CallEvent;
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::ladder::span;
use overrule_domain::rule;
use overrule_present::question;

/// An event of a call, without its number and its author.
pub(crate) fn describe(event: &CallEvent) -> String {
    match event {
        CallEvent::Checked { call, faults, .. } if faults.is_empty() => format!("{call} checked"),
        CallEvent::Checked { call, faults, .. } => format!("{call} checked, {} faults", faults.len()),
        CallEvent::Ready {
            call, rev, verdict, ..
        } => {
            let call = revised(*call, *rev);
            match verdict.gate {
                Gate::Allow => format!("{call} may run: {}", rule::describe(&verdict.rule)),
                Gate::Deny => format!("{call} is denied: {}", rule::describe(&verdict.rule)),
                Gate::Ask => format!("{call} awaits approval: {}", question::asks_by(verdict)),
            }
        }
        CallEvent::Invalid { call, faults, .. } => {
            format!("{call}: {} faults after references were filled in", faults.len())
        }
        CallEvent::Asked {
            call,
            approver: Some(name),
            ..
        } => format!("{call} awaits approval; approver {name} is asked too"),
        CallEvent::Asked { call, .. } => format!("{call} waits for the operator"),
        CallEvent::ConsentAsked { call, .. } => format!("{call}: an equal effect may have happened already"),
        CallEvent::Decided {
            call, rev, decision, ..
        } => format!(
            "{} {}",
            revised(*call, *rev),
            overrule_present::decision(decision)
        ),
        CallEvent::Graced { call, wait_ms, .. } => {
            format!(
                "{call} runs in {}: until then it can be cancelled",
                span(*wait_ms)
            )
        }
        CallEvent::GraceEnded {
            call, skipped: true, ..
        } => format!("{call}: the operator skipped the delay"),
        CallEvent::GraceEnded { call, .. } => format!("{call}: the delay is over"),
        CallEvent::Started {
            call, rev, attempt, ..
        } => format!("{} started ({attempt})", revised(*call, *rev)),
        CallEvent::Spawned { call, pid, .. } => format!("{call} is process {pid}"),
        CallEvent::Finished {
            call, outcome, ms, ..
        } => {
            let how = match outcome.exit() {
                Some(code) => Cow::Owned(format!("ended with exit {code}")),
                None if outcome.is_ok() => Cow::Borrowed("succeeded"),
                None => Cow::Borrowed("did not succeed"),
            };
            format!("{call} {how} after {ms} ms")
        }
        CallEvent::CancelAsked { call, reason, .. } => format!("{call} to be cancelled: {reason}"),
        CallEvent::Given { call, .. } => format!("{call} has a result without an execution"),
        CallEvent::Skipped { call, because } => format!("{call} skipped: {because}"),
        CallEvent::Unsatisfiable { call, because } => format!("{call} can never run: {because}"),
        CallEvent::Retained {
            call,
            pinned_args: None,
            ..
        } => format!("{call} keeps its result: its inputs are the same"),
        CallEvent::Retained { call, .. } => {
            format!("{call} keeps the operator's result: its inputs changed")
        }
        CallEvent::Woken { call } => format!("{call} is checked again"),
        CallEvent::Continued { call, .. } => format!("{call} continues: its sub-agent works again"),
        CallEvent::Undetermined { call, .. } => format!("{call}: outcome unknown"),
        CallEvent::Resolved {
            call,
            happened,
            evidence,
            ..
        } => {
            format!(
                "{call} {}: {evidence}",
                if *happened { "happened" } else { "did not happen" }
            )
        }
    }
}

/// A call, with its revision where the operator changed it.
fn revised(call: NodeId, rev: Rev) -> String {
    match rev.0 {
        0 | 1 => call.to_string(),
        no => format!("{call}, revision {no},"),
    }
}
