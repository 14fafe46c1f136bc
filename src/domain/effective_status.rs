//! How a call stands now. Its status alone does not tell: a call that an edit replaced keeps the status that it
//! had then, and one behind an edit that is worked in cannot be decided.
//!
//! Must not know: how a call came to stand so, how anything is shown.

use super::call::{Call, Status};
use super::id::{Epoch, NodeId, Seq};
use super::state::{EditRecord, EpochOrigin, EpochRecord, State};
use super::thread;
use super::turn::Activity;

/// How a call stands now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectiveStatus<'a> {
    /// It is history, with the status that it had when an edit replaced it: nothing waits, nothing can be decided.
    Superseded(&'a Status),
    /// An edit before it is worked in: it stands or falls with that, and nothing can be decided until then.
    Suspended(&'a Status),
    /// It counts.
    Active(&'a Status),
}

impl<'a> EffectiveStatus<'a> {
    /// How a call of a run stands; none where the node is no call.
    pub fn of(state: &'a State, id: NodeId) -> Option<Self> {
        let call = state.calls.get(&id)?;
        Some(Self::of_call(state, call))
    }

    /// How a call stands.
    pub fn of_call(state: &State, call: &'a Call) -> Self {
        let counts = state.nodes.get(&call.id).is_some_and(|node| node.active);
        let activity = state.turn_of(call.id).map(|turn| thread::activity(state, turn));
        match activity.filter(|_| counts) {
            Some(Activity::Active) => Self::Active(&call.status),
            Some(Activity::Suspended(_)) => Self::Suspended(&call.status),
            Some(Activity::Superseded(_)) | None => Self::Superseded(&call.status),
        }
    }

    /// The status of a call that counts or is held; none for history.
    pub const fn status(self) -> Option<&'a Status> {
        match self {
            Self::Active(status) | Self::Suspended(status) => Some(status),
            Self::Superseded(_) => None,
        }
    }

    /// True where a person can decide it now.
    pub const fn asks(self) -> bool {
        matches!(self, Self::Active(status) if status.needs_operator())
    }

    /// How it stands, in a few lower-case words.
    pub fn describe(self) -> String {
        match self {
            Self::Superseded(_) if self.was_left() => "history".to_owned(),
            Self::Superseded(status) => format!("{}, history", status.label()),
            Self::Suspended(status) => format!("{}, held", status.label()),
            Self::Active(status) => status.label().into_owned(),
        }
    }

    /// True for history that came to no end: what was left of it will never be done.
    pub const fn was_left(self) -> bool {
        match self {
            Self::Superseded(status) => {
                !status.is_settled() && !matches!(status, Status::Running(_) | Status::OutcomeUnknown(_))
            }
            Self::Suspended(_) | Self::Active(_) => false,
        }
    }

    /// True for a call that counts and came to nothing, though nobody refused it: the one meaning of "failed".
    pub const fn failed(self) -> bool {
        matches!(
            self.status(),
            Some(Status::Failed(_) | Status::Invalid | Status::Unsatisfiable | Status::Expired)
        )
    }
}

/// The epoch in which a node became history; none for one that counts.
pub fn replaced_in(state: &State, id: NodeId) -> Option<Epoch> {
    let node = state.nodes.get(&id).filter(|node| !node.active)?;
    Some(node.history.since())
}

/// The event with which that epoch began; none where no edit and no undo began it.
pub fn replaced_at(state: &State, id: NodeId) -> Option<Seq> {
    began(state, replaced_in(state, id)?).map(|record| record.seq)
}

/// Put before the number of an epoch for what became history in it because the model said something else.
const ANOTHER_REPLY: u64 = 1 << 32;

/// What an edit says of itself that lets the model be asked for a turn again.
pub(super) const ASKS_AGAIN: &str = "ask the model again for";

/// A number for by what a node became history, the same for all that did so by it; none for one that counts.
pub fn replaced_with(state: &State, id: NodeId) -> Option<u64> {
    let epoch = u64::from(replaced_in(state, id)?.0);
    Some(if diverged(state, id) {
        epoch | ANOTHER_REPLY
    } else {
        epoch
    })
}

/// By what all did that have such a number, in words of its own; none before the first edit.
pub fn replaced_under(state: &State, number: u64) -> Option<String> {
    if number & ANOTHER_REPLY != 0 {
        return Some("another reply of the model".to_owned());
    }
    replaced_by(state, Epoch(u32::try_from(number).ok()?))
}

/// What replaced a node that is history, in a few words.
pub fn replaced_words(state: &State, id: NodeId) -> &'static str {
    if diverged(state, id) {
        return "the model was asked again and said something else";
    }
    let Some(record) = replaced_in(state, id).and_then(|epoch| began(state, epoch)) else {
        return "an edit replaced it";
    };
    let asks = |edit: &EditRecord| edit.epoch == record.epoch && edit.what.starts_with(ASKS_AGAIN);
    match record.began {
        EpochOrigin::Edit if state.edits.iter().any(asks) => "the model was asked again for its turn",
        EpochOrigin::Edit => "an edit replaced it",
        EpochOrigin::Undo => "an undo replaced it",
        EpochOrigin::Redo => "a redo replaced it",
        EpochOrigin::Switch => "a switch of branches replaced it",
    }
}

/// The same, with the names of the edits where it was edits.
pub fn describe_replaced(state: &State, id: NodeId) -> String {
    let words = replaced_words(state, id);
    let epoch = replaced_in(state, id).filter(|_| !diverged(state, id));
    match epoch.and_then(|epoch| edits_of(state, epoch)) {
        Some(edits) => format!("{words} ({edits})"),
        None => words.to_owned(),
    }
}

/// Who began an epoch, as the subject of a sentence: an edit by its name, or an undo. None before the first of them.
pub fn began_by(state: &State, epoch: Epoch) -> Option<String> {
    match edits_of(state, epoch) {
        Some(edits) => Some(format!("an edit ({edits})")),
        None => replaced_by(state, epoch),
    }
}

/// True for what the model had said and did not say when it was asked again.
fn diverged(state: &State, id: NodeId) -> bool {
    let node = state.nodes.get(&id.call());
    node.is_some_and(|node| !node.active && node.replaced.is_some())
}

fn began(state: &State, epoch: Epoch) -> Option<&EpochRecord> {
    let at = state.epochs.partition_point(|record| record.epoch < epoch);
    state.epochs.get(at).filter(|record| record.epoch == epoch)
}

/// By what nodes became history in an epoch, in words of its own: the edits with which it began, whoever made them,
/// or an undo. None before the first of them.
pub fn replaced_by(state: &State, epoch: Epoch) -> Option<String> {
    match began(state, epoch)?.began {
        EpochOrigin::Edit => edits_of(state, epoch),
        EpochOrigin::Undo => Some("an undo".to_owned()),
        EpochOrigin::Redo => Some("a redo".to_owned()),
        EpochOrigin::Switch => Some("a switch of branches".to_owned()),
    }
}

/// The edits with which an epoch began, by the first one's name; none where something else began it.
fn edits_of(state: &State, epoch: Epoch) -> Option<String> {
    began(state, epoch).filter(|record| record.began == EpochOrigin::Edit)?;
    let from = state.edits.partition_point(|edit| edit.epoch < epoch);
    let edits = state.edits.iter().skip(from);
    let here = || edits.clone().take_while(|edit| edit.epoch == epoch);
    let first = here().next()?.intervention;
    Some(match here().count() {
        1 => first.to_string(),
        some => format!("{first} and {} more", some - 1),
    })
}
