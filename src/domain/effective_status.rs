//! Combines a call's status with whether the call is active, suspended or superseded.
//!
//! Must not know: how a call got its status, how anything is shown.
//!
//! A superseded call keeps its last status. A suspended call cannot be decided.

use super::call::{Call, Status};
use super::id::{Epoch, NodeId, Seq};
use super::state::{EditRecord, EpochOrigin, EpochRecord, State};
use super::thread;
use super::turn::Activity;

/// Status of a call together with the state of its branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectiveStatus<'a> {
    /// Superseded, with the status that it had then. Nothing waits and nothing can be decided.
    Superseded(&'a Status),
    /// Waits for the outcome of an earlier edit. Nothing can be decided until then.
    Suspended(&'a Status),
    /// Active.
    Active(&'a Status),
}

impl<'a> EffectiveStatus<'a> {
    /// Returns the effective status of a node; `None` if it is not a call.
    pub fn of(state: &'a State, id: NodeId) -> Option<Self> {
        let call = state.calls.get(&id)?;
        Some(Self::of_call(state, call))
    }

    /// Returns the effective status of a call.
    pub fn of_call(state: &State, call: &'a Call) -> Self {
        let counts = state.nodes.get(&call.id).is_some_and(|node| node.active);
        let activity = state.turn_of(call.id).map(|turn| thread::activity(state, turn));
        match activity.filter(|_| counts) {
            Some(Activity::Active) => Self::Active(&call.status),
            Some(Activity::Suspended(_)) => Self::Suspended(&call.status),
            Some(Activity::Superseded(_)) | None => Self::Superseded(&call.status),
        }
    }

    /// Returns the status of an active or suspended call; `None` for a superseded one.
    pub const fn status(self) -> Option<&'a Status> {
        match self {
            Self::Active(status) | Self::Suspended(status) => Some(status),
            Self::Superseded(_) => None,
        }
    }

    /// Returns true if the operator can decide it now.
    pub const fn asks(self) -> bool {
        matches!(self, Self::Active(status) if status.needs_operator())
    }

    /// Describes it in a few lower-case words.
    pub fn describe(self) -> String {
        match self {
            Self::Superseded(_) if self.was_left() => "superseded".to_owned(),
            Self::Superseded(status) => format!("{}, superseded", status.label()),
            Self::Suspended(status) => format!("{}, suspended", status.label()),
            Self::Active(status) => status.label().into_owned(),
        }
    }

    /// Returns true for a superseded call that never ended.
    pub const fn was_left(self) -> bool {
        match self {
            Self::Superseded(status) => {
                !status.is_settled() && !matches!(status, Status::Running(_) | Status::OutcomeUnknown(_))
            }
            Self::Suspended(_) | Self::Active(_) => false,
        }
    }

    /// Returns true for a call that failed, is invalid or unsatisfiable, or expired, unless it is
    /// superseded: the one meaning of "failed".
    pub const fn failed(self) -> bool {
        matches!(
            self.status(),
            Some(Status::Failed(_) | Status::Invalid | Status::Unsatisfiable | Status::Expired)
        )
    }
}

/// Describes what suspends a call: `suspended by your edit of c9`. `None` if nothing does.
pub fn suspended_by(state: &State, call: &Call) -> Option<String> {
    let mut editing = state.operator.editing.iter();
    if let Some((node, _)) = editing.find(|(_, calls)| calls.contains(&call.id)) {
        return Some(format!("suspended by your open edit of {node}"));
    }
    let Activity::Suspended(at) = thread::activity(state, state.turn_of(call.id)?) else {
        return None;
    };
    // The edit is recorded before what it suspends.
    let edit = state.operator.edits.iter().rev().find(|edit| edit.seq <= at);
    Some(match edit.map(|edit| (edit.target, &edit.by)) {
        Some((Some(target), None)) => format!("suspended by your edit of {target}"),
        Some((Some(target), Some(_))) => format!("suspended by an edit of {target}"),
        Some((None, _)) | None => "suspended by an edit".to_owned(),
    })
}

/// Returns the epoch in which a node was superseded; `None` for an active node.
pub fn replaced_in(state: &State, id: NodeId) -> Option<Epoch> {
    let node = state.nodes.get(&id).filter(|node| !node.active)?;
    Some(node.history.since())
}

/// Returns the event that began that epoch; `None` if no edit, undo, redo or switch began it.
pub fn replaced_at(state: &State, id: NodeId) -> Option<Seq> {
    began(state, replaced_in(state, id)?).map(|record| record.seq)
}

/// Added to the number of an epoch if another reply of the model superseded the node.
const ANOTHER_REPLY: u64 = 1 << 32;

/// Start of the description of an edit that asks the model for a turn again.
pub(super) const ASKS_AGAIN: &str = "ask the model again for";

/// Returns a number for the cause that superseded a node, equal for all nodes with this cause;
/// `None` for an active node.
pub fn replaced_with(state: &State, id: NodeId) -> Option<u64> {
    let epoch = u64::from(replaced_in(state, id)?.0);
    Some(if diverged(state, id) {
        epoch | ANOTHER_REPLY
    } else {
        epoch
    })
}

/// Describes the cause with such a number; `None` before the first edit.
pub fn replaced_under(state: &State, number: u64) -> Option<String> {
    if number & ANOTHER_REPLY != 0 {
        return Some("another reply of the model".to_owned());
    }
    replaced_by(state, Epoch(u32::try_from(number).ok()?))
}

/// Describes an edit of the operator as the cause.
const REPLACED: &str = "an edit replaced it";

/// Describes in a few words what superseded a node.
pub fn replaced_words(state: &State, id: NodeId) -> &'static str {
    if diverged(state, id) {
        return "the model was asked again and said something else";
    }
    let Some(record) = replaced_in(state, id).and_then(|epoch| began(state, epoch)) else {
        return REPLACED;
    };
    let asks = |edit: &EditRecord| edit.epoch == record.epoch && edit.what.starts_with(ASKS_AGAIN);
    match record.began {
        EpochOrigin::Edit if state.operator.edits.iter().any(asks) => {
            "the model was asked again for its turn"
        }
        EpochOrigin::Edit => REPLACED,
        EpochOrigin::Undo => "an undo replaced it",
        EpochOrigin::Redo => "a redo replaced it",
        EpochOrigin::Switch => "a switch of branches replaced it",
    }
}

/// Like [`replaced_words`], with the names of the edits.
pub fn describe_replaced(state: &State, id: NodeId) -> String {
    let words = replaced_words(state, id);
    let epoch = replaced_in(state, id).filter(|_| !diverged(state, id));
    match epoch.and_then(|epoch| edits_of(state, epoch)) {
        Some(edits) if words == REPLACED => format!("edit {edits} replaced it"),
        Some(edits) => format!("{words} ({edits})"),
        None => words.to_owned(),
    }
}

/// Names what began an epoch, as the subject of a sentence: an edit by its name, or an undo. `None`
/// before the first.
pub fn began_by(state: &State, epoch: Epoch) -> Option<String> {
    match edits_of(state, epoch) {
        Some(edits) => Some(format!("an edit ({edits})")),
        None => replaced_by(state, epoch),
    }
}

/// Returns true if the model, asked again, gave another reply instead of this node.
fn diverged(state: &State, id: NodeId) -> bool {
    let node = state.nodes.get(&id.call());
    node.is_some_and(|node| !node.active && node.replaced.is_some())
}

fn began(state: &State, epoch: Epoch) -> Option<&EpochRecord> {
    let at = state
        .operator
        .epochs
        .partition_point(|record| record.epoch < epoch);
    state
        .operator
        .epochs
        .get(at)
        .filter(|record| record.epoch == epoch)
}

/// Names what superseded nodes in an epoch: the edits that began it, or an undo. `None` before the
/// first.
pub fn replaced_by(state: &State, epoch: Epoch) -> Option<String> {
    match began(state, epoch)?.began {
        EpochOrigin::Edit => edits_of(state, epoch),
        EpochOrigin::Undo => Some("an undo".to_owned()),
        EpochOrigin::Redo => Some("a redo".to_owned()),
        EpochOrigin::Switch => Some("a switch of branches".to_owned()),
    }
}

/// Names the edits that began an epoch by the first one; `None` if something else began it.
fn edits_of(state: &State, epoch: Epoch) -> Option<String> {
    began(state, epoch).filter(|record| record.began == EpochOrigin::Edit)?;
    let from = state.operator.edits.partition_point(|edit| edit.epoch < epoch);
    let edits = state.operator.edits.iter().skip(from);
    let here = || edits.clone().take_while(|edit| edit.epoch == epoch);
    let first = here().next()?.intervention;
    Some(match here().count() {
        1 => first.to_string(),
        some => format!("{first} and {} more", some - 1),
    })
}
