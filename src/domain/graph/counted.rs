//! Finds out which nodes and turns were active at the time of a turn.
//!
//! Must not know: edges.

use crate::history::{History, Then};
use crate::id::{Epoch, Seq, ThreadId};
use crate::node::Node;
use crate::state::State;
use crate::turn::{Activity, Producer, Turn};

/// A time at which nodes and turns are active or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PointInTime {
    /// Now.
    #[default]
    Now,
    /// The end of an epoch: the last one in which the turn was not superseded.
    Ended(Epoch),
    /// Right before an event that superseded turns without an edit: the model gave a different
    /// reply.
    Before(Seq),
}

impl PointInTime {
    /// The time of a turn: now, or for a superseded turn right before that.
    pub fn around(turn: &Turn) -> Self {
        let Activity::Superseded(at) = turn.activity else {
            return Self::Now;
        };
        let mut spans = turn.history.spans();
        let last = spans.find(|(_, was)| is_active(was.activity));
        last.map_or(Self::Before(at), |(epoch, _)| Self::Ended(epoch))
    }

    /// Returns true for a turn that was active or suspended.
    pub fn turn(self, turn: &Turn) -> bool {
        match (self, turn.activity) {
            // A turn superseded at the same time or later was active.
            (Self::Before(at), Activity::Superseded(fell)) => fell >= at,
            (_, now) => self.was(&turn.history, is_active(now), |was| is_active(was.activity)),
        }
    }

    /// Returns true for a node of an active turn that was active itself.
    pub fn node(self, node: &Node) -> bool {
        // Without an edit a node is only superseded with its turn.
        matches!(self, Self::Before(_)) || self.was(&node.history, node.active, |was| was.active)
    }

    /// The turns of a thread that were active or suspended, in order.
    pub fn turns_of(self, state: &State, thread: ThreadId) -> impl Iterator<Item = &Turn> {
        let turns = state.threads.turns.get(&thread).into_iter().flatten();
        turns
            .filter_map(|id| state.turns.get(id))
            .filter(move |turn| turn.producer != Producer::Server && self.turn(turn))
    }

    fn was<T>(self, history: &History<T>, now: bool, then: impl Fn(&T) -> bool) -> bool {
        let Self::Ended(ended) = self else { return now };
        match history.when(ended) {
            Then::Now => now,
            Then::Was(was) => then(was),
            Then::Absent => false,
        }
    }
}

const fn is_active(activity: Activity) -> bool {
    !matches!(activity, Activity::Superseded(_))
}
