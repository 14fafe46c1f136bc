//! Describes single values of a run as text: outcomes, decisions, contents, counts.
//!
//! Must not know: where the words go, how they are cut.

use overrule_base::text::visible;
use overrule_domain::call::{Decision, ErrorClass, Outcome, ToolError};
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::node::Content;
use overrule_domain::rule;
use overrule_domain::state::{LedgerOutcome, Mode, State};
use overrule_domain::turn::Usage;

/// A count with its unit, in the plural where it is not 1.
pub fn many(count: usize, one: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {one}s"),
    }
}

/// How an execution ended.
pub fn outcome(outcome: &LedgerOutcome) -> String {
    match outcome {
        LedgerOutcome::Running => "running".to_owned(),
        LedgerOutcome::Unknown => "outcome unknown".to_owned(),
        LedgerOutcome::DidNot => "did not happen".to_owned(),
        LedgerOutcome::Known(Outcome::Ok { exit: Some(code), .. }) => format!("exit {code}"),
        LedgerOutcome::Known(Outcome::Ok { .. }) => "succeeded".to_owned(),
        LedgerOutcome::Known(Outcome::Err(error)) => match error.class {
            class @ (ErrorClass::Business | ErrorClass::Transient) => class.ending().to_owned(),
            class => format!("failed: {}", class.label()),
        },
        LedgerOutcome::Known(Outcome::Cancelled { .. }) => "cancelled".to_owned(),
    }
}

/// A node with its revision, which is shown from the second on: `c8`, `c8 revision 2`.
pub fn revised(node: NodeId, rev: Rev) -> String {
    match rev.0 {
        0 | 1 => node.to_string(),
        no => format!("{node} revision {no}"),
    }
}

/// How a call failed, with the message: `failed: MESSAGE`. Contains untrusted text.
pub fn failed(error: &ToolError) -> String {
    format!("{}: {}", failing(error.class), error.message)
}

/// How a call failed, without the message.
pub fn failing(class: ErrorClass) -> String {
    match class {
        ErrorClass::Business | ErrorClass::Transient => class.ending().to_owned(),
        class => format!("failed ({})", class.label()),
    }
}

fn because(words: &str, reason: &str) -> String {
    match reason {
        "" => words.to_owned(),
        _ => format!("{words}: {reason}"),
    }
}

/// A decision, with its reason. Contains untrusted text.
pub fn decision(decision: &Decision) -> String {
    match decision {
        Decision::Approve { unread: 0, .. } => "approved by the operator".to_owned(),
        Decision::Approve { unread, .. } => format!("approved by the operator with {unread} bytes unread"),
        Decision::Auto { rule } => format!("allowed by {}", rule::describe(rule)),
        Decision::Allowed { by, reason } => because(&format!("approved by approver {by}"), reason),
        Decision::LeftToOperator { by, reason } => {
            because(&format!("left to the operator by approver {by}"), reason)
        }
        Decision::Edited => "edited by the operator, which approved it".to_owned(),
        Decision::Reject { reason } => because("rejected by the operator", reason),
        Decision::Deny { rule, reason } => format!("denied by {}", rule::describe_with_reason(rule, reason)),
        Decision::Expire { consequence } => format!("not answered in time: {consequence:?}").to_lowercase(),
        Decision::Answer => "answered by the operator".to_owned(),
        Decision::Reuse { from } => format!("result of {from} reused"),
        Decision::Carry { from, .. } => {
            format!("operator's result of {from} used")
        }
        Decision::RunAgain { .. } => "run again with consent".to_owned(),
        Decision::Abandon { reason } => because("abandoned by the operator, not to run again", reason),
        Decision::DidNotFinish => "did not finish, reported by the operator".to_owned(),
        Decision::Withdrawn { reason } => format!("withdrawn before it started: {reason}"),
    }
}

/// The content of a node as one exact text; the exit code of a command is on a line before its output.
pub fn content_text(content: &Content) -> String {
    match content {
        Content::Text { text, .. } => text.to_string(),
        Content::Call { tool, args } => format!("{tool} {args}"),
        Content::Observation { outcome, .. } => match outcome {
            Outcome::Ok {
                value,
                exit: Some(code),
                ..
            } => format!("exit {code}\n{value}"),
            Outcome::Ok { value, .. } => value.to_string(),
            Outcome::Err(error) => format!("{}: {}", error.class.ending(), error.message),
            Outcome::Cancelled { .. } => "cancelled".to_owned(),
        },
        Content::Deleted => "deleted".to_owned(),
    }
}

/// The state of a run, as a short text.
pub fn mode(state: &State) -> String {
    match &state.mode {
        Mode::Running if state.queue().next().is_some() => "waits for the operator".into(),
        Mode::Running => "can continue".into(),
        Mode::Paused(reason) => format!("paused: {}", visible(reason)),
        Mode::Stopped(reason) => format!("stopped: {}", visible(reason)),
        Mode::Finished(answer) => format!("finished with {answer}"),
    }
}

/// Formats tokens; unknown counts are not shown as 0, and estimates are called `about`.
pub fn tokens(usage: Usage) -> String {
    let count = |tokens: Option<u64>, what: &str| {
        let tokens = tokens.map_or_else(|| "unknown".to_owned(), |tokens| tokens.to_string());
        format!("{tokens} {what}")
    };
    format!(
        "{}{}{}, {}",
        usage.about(),
        count(usage.input, "sent"),
        in_cache(usage, "of them cached"),
        count(usage.output, "received")
    )
}

/// Formats the parts of the sent tokens that came from the provider's cache and went into it: ` (400 cached, 100 written
/// into the cache)`. Empty without any.
pub fn in_cache(usage: Usage, cached: &str) -> String {
    let counts = [
        (usage.cached, cached),
        (
            usage.cache_write.filter(|count| *count > 0),
            "written into the cache",
        ),
        (
            usage.cache_write_1h.filter(|count| *count > 0),
            "written into the cache for an hour",
        ),
    ];
    let parts = counts
        .into_iter()
        .filter_map(|(count, what)| Some(format!("{} {what}", count?)));
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() {
        return String::new();
    }
    format!(" ({})", parts.join(", "))
}
