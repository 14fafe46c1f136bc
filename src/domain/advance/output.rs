//! Checks an answer against the output schema of the session.
//!
//! Must not know: what a schema says.
//!
//! A wrong answer goes back to the model, and then to the operator.

use crate::advice::Advice;
use crate::draft::Draft;
use crate::event::TurnEvent;
use crate::id::NodeId;
use crate::node::Origin;
use crate::output;
use crate::turn::{Stop, Stream, StreamFault, StreamFaultKind, Turn, Usage};

/// What follows from an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerCheck {
    /// The answer is valid.
    Accepted,
    /// The model must answer again.
    Back,
    /// An event about it was added.
    Noted,
}

/// Checks the answer of a settled turn.
pub(super) fn check_answer(
    draft: &mut Draft<'_>,
    advice: &dyn Advice,
    turn: &Turn,
    id: NodeId,
) -> AnswerCheck {
    // The operator accepted it.
    if turn.stream == Stream::Closed(Stop::Accepted) {
        return AnswerCheck::Accepted;
    }
    if output::of(draft.state, turn).is_some() {
        return AnswerCheck::Back;
    }
    let Some(node) = draft.state.nodes.get(&id) else {
        return AnswerCheck::Accepted;
    };
    let faults = advice.answer(node.text()).unwrap_or_default();
    if faults.is_empty() {
        return AnswerCheck::Accepted;
    }
    let by_model = !matches!(node.now().origin, Origin::Operator { .. });
    if by_model && output::sent_back(draft.state, turn.thread) < output::BACK {
        draft.turn_event(TurnEvent::AnswerInvalid {
            turn: turn.id,
            node: id,
            rev: node.rev(),
            faults,
        });
        return AnswerCheck::Noted;
    }
    draft.turn_event(TurnEvent::Broken {
        turn: turn.id,
        fault: StreamFault {
            kind: StreamFaultKind::Invalid,
            message: output::left(id, &faults),
            retry_after_ms: None,
        },
        usage: Usage::default(),
    });
    AnswerCheck::Noted
}

/// True if the operator wrote another answer for a turn that waited for it. The turn continues
/// then.
pub(super) fn rewritten(draft: &mut Draft<'_>, turn: &Turn) -> bool {
    let Stream::Broken(fault) = &turn.stream else {
        return false;
    };
    let newer = |id: &NodeId| {
        let node = draft.state.nodes.get(id);
        node.is_some_and(|node| node.active && node.is_edited() && node.now().event > turn.ended_at)
    };
    if fault.kind != StreamFaultKind::Invalid || !turn.nodes.iter().any(newer) {
        return false;
    }
    draft.turn_event(TurnEvent::Closed {
        turn: turn.id,
        stop: Stop::End,
        usage: Usage::default(),
    });
    true
}
