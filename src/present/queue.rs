//! Builds the view of the queue: calls, broken streams, and why the run needs attention.
//!
//! Must not know: which verbs there are, how it is printed.

use serde::Serialize;

use super::call::{CallView, Surroundings};
use overrule_domain::bulk;
use overrule_domain::call::{Call, EffectClass, Status};
use overrule_domain::id::{NodeId, TurnId};
use overrule_domain::pending_retry;
use overrule_domain::state::State;
use overrule_domain::turn::{StreamFault, Turn};
use overrule_resilience::attention::{Attention, AttentionReason};

/// Calls that wait for a decision, oldest first. `around` tells what the machine knows about each. An interrupted
/// call that is safe to repeat runs again on resume, and does not wait.
pub fn calls(state: &State, around: impl Fn(&Call) -> Surroundings) -> impl Iterator<Item = CallView<'_>> {
    let waits = |call: &&Call| {
        !matches!(call.status, Status::OutcomeUnknown(_)) || call.effect > EffectClass::Idempotent
    };
    let waiting = state.queue().filter(waits);
    waiting.map(move |call| CallView::of(state, call, around(call)))
}

/// A turn whose stream broke and that is not requested again by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BrokenStreamView<'s> {
    /// The turn.
    pub turn: TurnId,
    /// How it broke, in a few words.
    pub broke: &'static str,
    /// What failed, on what, why.
    pub reason: &'s str,
    /// The verbs about it.
    pub verbs: &'static [&'static str],
    /// The same in one sentence.
    #[serde(skip)]
    pub sentence: String,
}

impl<'s> BrokenStreamView<'s> {
    /// Lists broken streams, but not one that is the reason why the run needs attention.
    pub fn all(
        state: &'s State,
        reported: Option<&'s AttentionReason>,
        verbs: &'static [&'static str],
    ) -> impl Iterator<Item = Self> {
        let left = pending_retry::left(state);
        let left = left.filter(move |(turn, _)| reported != Some(&AttentionReason::Stream(turn.id)));
        left.map(move |(turn, fault): (&Turn, &'s StreamFault)| Self {
            turn: turn.id,
            broke: fault.kind.label(),
            reason: &fault.message,
            verbs,
            sentence: fault.describe(),
        })
    }
}

/// The restriction of a run to reading calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RestrictedView<'s> {
    /// The restriction.
    pub restricted: RestrictionView<'s>,
}

/// Why a run is restricted, and how to lift that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RestrictionView<'s> {
    /// The reason.
    pub reason: &'s str,
    /// The verbs that lift it, with their arguments.
    pub verbs: Vec<String>,
}

/// A run that does not continue without the operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AttentionView<'a> {
    /// Why.
    pub needs_attention: AttentionReasonView<'a>,
}

/// Why a run does not continue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AttentionReasonView<'a> {
    /// The kind of reason, for programs.
    pub cause: &'static str,
    /// The reason, as a sentence.
    pub reason: &'a str,
    /// The verbs that continue it; empty if only the process that has it open can.
    pub verbs: &'static [&'static str],
}

impl<'a> AttentionView<'a> {
    /// Builds the view.
    pub fn of(need: &'a Attention, verbs: &'static [&'static str]) -> Self {
        Self {
            needs_attention: AttentionReasonView {
                cause: need.cause.name(),
                reason: &need.reason,
                verbs,
            },
        }
    }
}

/// Calls that can be approved together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TogetherView {
    /// The calls.
    pub together: Vec<NodeId>,
    /// Hash of all that would run; confirms the approval.
    pub digest: String,
}

impl TogetherView {
    /// Builds the view; `None` for fewer than two calls.
    pub fn of(state: &State) -> Option<Self> {
        let together = bulk::together(state);
        (together.len() > 1).then(|| Self {
            together: together.iter().map(|item| item.call).collect(),
            digest: bulk::digest(&together),
        })
    }
}
