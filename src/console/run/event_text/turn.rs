//! Describes the events of a turn.
//!
//! Must not know: styles, who caused an event.

use super::list;
use overrule_domain::event::TurnEvent;
use overrule_domain::ladder::{span, tries};
use overrule_domain::node::Origin;
use overrule_domain::why;

/// An event of a turn, without its number and its author.
pub(crate) fn describe(event: &TurnEvent) -> String {
    match event {
        TurnEvent::Delegated { call, thread, .. } => format!("{call} handed to a sub-agent ({thread})"),
        TurnEvent::Opened { turn, .. } => format!("{turn} opened"),
        TurnEvent::Requested {
            turn,
            request,
            notices: reported,
            ..
        } => {
            let reported: Vec<String> = reported.iter().map(|text| format!("; notice: {text}")).collect();
            format!("{turn}: model asked (request {request}){}", reported.concat())
        }
        TurnEvent::RetryScheduled {
            turn,
            no,
            of,
            wait_ms,
            why,
        } => format!(
            "{turn} is asked again in {} ({}): {why}",
            span(*wait_ms),
            tries(*no, *of)
        ),
        TurnEvent::RetryDue { turn } => format!("{turn} may be asked again"),
        TurnEvent::Prompted { node, .. } => format!("{node} prompt"),
        TurnEvent::Thought { node, .. } => format!("{node} thought"),
        TurnEvent::Proposed {
            node,
            tool,
            args,
            origin,
            ..
        } => {
            let why = why::in_args(args).filter(|_| *origin == Origin::Model);
            let why = why
                .map(|why| format!("; the agent says: {why}"))
                .unwrap_or_default();
            format!("{node} call of {tool}{why}")
        }
        TurnEvent::Answered { node, .. } => format!("{node} answer"),
        TurnEvent::AnswerInvalid { node, faults, .. } => {
            format!(
                "{node} breaks the output schema ({} faults): the model answers again",
                faults.len()
            )
        }
        TurnEvent::Matched { turn, blocks } => format!("{turn}: {blocks} blocks came again as before"),
        TurnEvent::Partial {
            turn,
            prefix_len: stored,
            text,
            ..
        } => {
            format!(
                "{turn}: {} bytes of an open block",
                stored.saturating_add(text.len() as u64)
            )
        }
        TurnEvent::Closed { turn, stop, .. } => format!("{turn}: stream ended ({})", stop.label()),
        TurnEvent::Broken { turn, fault, .. } => {
            format!("{turn}: stream broke ({}): {}", fault.kind.label(), fault.message)
        }
        TurnEvent::Aborted { turn, reason } => format!("{turn}: stream aborted: {reason}"),
        TurnEvent::Settled { turn, errors } => match errors.len() {
            0 => format!("{turn} ended"),
            count => format!("{turn} ended, {} failed", overrule_present::many(count, "call")),
        },
        TurnEvent::Suspended { turns } => format!("{} turns suspended by an edit", turns.len()),
        TurnEvent::Restored { turns } => format!("{} turns active again", turns.len()),
        TurnEvent::Superseded { turns } => format!("{} turns superseded", turns.len()),
        TurnEvent::Drifted { turns } => {
            format!("{} turns kept although what they saw changed", turns.len())
        }
        TurnEvent::Diverged { turn, nodes } => {
            format!(
                "{turn} was asked again with another reply: superseded: {}",
                list(nodes)
            )
        }
        TurnEvent::Revived { turn, .. } => format!("{turn} active again: the request is the same"),
        TurnEvent::Split { turn } => format!("{turn} split by a rewritten thought"),
    }
}
