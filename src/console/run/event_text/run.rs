//! Describes the events of a run as a whole.
//!
//! Must not know: styles, who caused an event.

use super::list;
use overrule_domain::agent::{LinkRole, LinkedSession, Rewriting, SideRequest};
use overrule_domain::event::RunEvent;
use overrule_domain::ladder::span;
use overrule_domain::rule::{self, RuleSpec};

/// Describes what an agent changed of its history, and which edits do not reach the model any more.
pub fn rewritten(rewriting: &Rewriting) -> String {
    let from = rewriting.from.map(|node| format!(" from {node} on"));
    let mut words = format!("the agent rewrote its history{}", from.unwrap_or_default());
    if !rewriting.lost.is_empty() {
        words = format!("{words}; edits that no longer apply: {}", list(&rewriting.lost));
    }
    words
}

/// Describes a session that belongs to this one.
fn linked(LinkedSession { session, role, call }: &LinkedSession) -> String {
    let of = call.map(|call| format!(" of {call}"));
    match (role, of) {
        (LinkRole::SubAgent, of) => format!("a sub-agent{} began session {session}", of.unwrap_or_default()),
        (LinkRole::Parent, Some(of)) => format!("this is the sub-agent{of} in session {session}"),
        (LinkRole::Parent, None) => format!("this is a sub-agent of the agent in session {session}"),
    }
}

/// Describes a request without tools, and its tokens if the reply says them.
fn side_request(one: &SideRequest) -> String {
    let counts = [(one.usage.input, "sent"), (one.usage.output, "received")];
    let counts: Vec<String> = counts
        .into_iter()
        .filter_map(|(count, what)| Some(format!("{} {what}", count?)))
        .collect();
    let tokens = match &counts[..] {
        [] => String::new(),
        counts => format!(" ({} tokens)", counts.join(", ")),
    };
    format!("a request without tools passed{tokens}: {}", one.words)
}

/// An event of a run, without its number and its author.
pub(crate) fn describe(event: &RunEvent) -> String {
    match event {
        RunEvent::Started(started) => format!("run started with {} in {}", started.model, started.workspace),
        RunEvent::Reopened { interrupted, .. } => {
            format!("reopened; {} executions were interrupted", interrupted.len())
        }
        RunEvent::Paused { reason } => format!("paused: {reason}"),
        RunEvent::Resumed {} => "resumed".to_owned(),
        RunEvent::Stepped {} => "one step".to_owned(),
        RunEvent::Restricted { reason } => format!("restricted to reading calls: {reason}"),
        RunEvent::RestrictionLifted {} => "restriction to reading calls lifted".to_owned(),
        RunEvent::Stopped { reason } => format!("stopped: {reason}"),
        RunEvent::Finished { answer, .. } => format!("answered: {answer}"),
        RunEvent::PolicyChanged { policy } => format!("policy is {policy} now"),
        RunEvent::Refitted { .. } => "tools, limits or model differ from before".to_owned(),
        RunEvent::LimitReached { which, message } => format!("limit of {which} reached: {message}"),
        RunEvent::LimitsRaised { .. } => "limits changed".to_owned(),
        RunEvent::Refused { command, reason } => format!("{command} refused: {reason}"),
        RunEvent::AgentAsked { wait_ms: Some(ms) } => format!("the agent waits {} for its reply", span(*ms)),
        RunEvent::AgentAsked { wait_ms: None } => "the agent asked".to_owned(),
        RunEvent::HistoryRewritten(rewriting) => rewritten(rewriting),
        RunEvent::SideRequest(one) => side_request(one),
        RunEvent::Linked(link) => linked(link),
        RunEvent::Titled { title } => format!("named {title}"),
        RunEvent::QuirkLearned { server, quirk, words } => {
            format!("{server} gets adapted requests from now on ({quirk}): {words}")
        }
        RunEvent::Forked { session, at } => format!("fork of {session} at event {}", at.0),
        RunEvent::HappenedElsewhere(one) => format!(
            "happened in {} after the fork point, and is not undone: {} {}",
            one.session, one.call, one.tool
        ),
        RunEvent::RuleAdded { no, rule } => match rule {
            RuleSpec::Exact { call, tool, .. } => {
                format!("{}: allow exactly {call} of {tool}", rule::name(*no))
            }
            RuleSpec::Text { text } => format!("{}: {text}", rule::name(*no)),
        },
        RunEvent::RuleDropped { no } => format!("{} removed", rule::name(*no)),
    }
}
