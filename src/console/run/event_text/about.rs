//! Finds the node that an event is about.
//!
//! Must not know: how an event is described.

use overrule_domain::agent::LinkRole;
use overrule_domain::event::{EditEvent, EscapeEvent, Event, RunEvent, TurnEvent};
use overrule_domain::id::{NodeId, TurnId};
use overrule_domain::state::State;

/// The node of an event, if it is about one.
pub fn about(state: &State, event: &Event) -> Option<NodeId> {
    let first = |turn: TurnId| state.turns.get(&turn)?.nodes.first().copied();
    match event {
        Event::Call(event) => Some(event.call()),
        Event::Resilience(event) => event.call(),
        Event::Escape(event) => match event {
            EscapeEvent::Proposed { node, .. }
            | EscapeEvent::Applied { node, .. }
            | EscapeEvent::StepEnded { node, .. } => Some(*node),
            EscapeEvent::Warned { finding, .. } | EscapeEvent::Found { finding, .. } => {
                finding.nodes.last().copied()
            }
            EscapeEvent::Ended { .. } | EscapeEvent::Allowed { .. } | EscapeEvent::Muted { .. } => None,
        },
        Event::Edit(event) => match event {
            EditEvent::Committed { intervention, .. } => Some(*intervention),
            EditEvent::Revised { node, .. } | EditEvent::Pinned { node } | EditEvent::Unpinned { node } => {
                Some(*node)
            }
            EditEvent::MarkedStale { calls }
            | EditEvent::Suspended { calls, .. }
            | EditEvent::Shortened { calls, .. } => calls.first().copied(),
            EditEvent::Superseded { nodes } | EditEvent::CorrectionsLost { nodes } => nodes.first().copied(),
            EditEvent::Released { node } => *node,
            EditEvent::LeftOut { turns, .. } | EditEvent::SummaryAsked { turns, .. } => {
                turns.first().copied().and_then(first)
            }
            EditEvent::SummaryBroke { .. }
            | EditEvent::SummaryAnswered { .. }
            | EditEvent::Orphaned { .. }
            | EditEvent::Recalled { .. }
            | EditEvent::Named { .. } => None,
        },
        Event::Run(RunEvent::Finished { answer, .. }) => Some(*answer),
        Event::Run(RunEvent::HistoryRewritten(rewriting)) => rewriting.from,
        Event::Run(RunEvent::Linked(link)) if link.role == LinkRole::SubAgent => link.call,
        Event::Run(_) | Event::Weight(_) => None,
        Event::Sandbox(event) => event.call(),
        Event::Files(event) => event.node(),
        Event::Turn(event) => match event {
            TurnEvent::Prompted { node, .. }
            | TurnEvent::Thought { node, .. }
            | TurnEvent::Proposed { node, .. }
            | TurnEvent::Answered { node, .. }
            | TurnEvent::AnswerInvalid { node, .. } => Some(*node),
            TurnEvent::Delegated { call, .. } => Some(*call),
            TurnEvent::Opened { turn, .. }
            | TurnEvent::Requested { turn, .. }
            | TurnEvent::RetryScheduled { turn, .. }
            | TurnEvent::RetryDue { turn }
            | TurnEvent::Matched { turn, .. }
            | TurnEvent::Partial { turn, .. }
            | TurnEvent::Closed { turn, .. }
            | TurnEvent::Broken { turn, .. }
            | TurnEvent::Aborted { turn, .. }
            | TurnEvent::Settled { turn, .. }
            | TurnEvent::Diverged { turn, .. }
            | TurnEvent::Revived { turn, .. }
            | TurnEvent::Split { turn } => first(*turn),
            TurnEvent::Suspended { turns }
            | TurnEvent::Restored { turns }
            | TurnEvent::Superseded { turns }
            | TurnEvent::Drifted { turns } => turns.first().copied().and_then(first),
        },
    }
}
