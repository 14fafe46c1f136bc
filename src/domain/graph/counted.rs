//! What counted when a turn did: what counts now, or for history what counted before the turn became history. Must not
//! know: edges.

use crate::domain::history::{History, Then};
use crate::domain::id::{Epoch, Seq, ThreadId};
use crate::domain::node::Node;
use crate::domain::state::State;
use crate::domain::turn::{Activity, Turn};

/// What counted at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PointInTime {
    /// What counts now.
    #[default]
    Now,
    /// When an epoch ended, the last in which the turn was no history yet.
    Ended(Epoch),
    /// Right before an event that made history without an edit: a reply that came otherwise the second time.
    Before(Seq),
}

impl PointInTime {
    /// At the time of a turn.
    pub fn around(turn: &Turn) -> Self {
        let Activity::Superseded(at) = turn.activity else {
            return Self::Now;
        };
        let mut spans = turn.history.spans();
        let last = spans.find(|(_, was)| is_active(was.activity));
        last.map_or(Self::Before(at), |(epoch, _)| Self::Ended(epoch))
    }

    /// True for a turn that counted, or was held by an edit.
    pub fn turn(self, turn: &Turn) -> bool {
        match (self, turn.activity) {
            // What fell together with it, or later, had counted.
            (Self::Before(at), Activity::Superseded(fell)) => fell >= at,
            (_, now) => self.was(&turn.history, is_active(now), |was| is_active(was.activity)),
        }
    }

    /// True for a node of a turn that counted, where it counted itself.
    pub fn node(self, node: &Node) -> bool {
        // Without an edit nothing falls but with its turn.
        matches!(self, Self::Before(_)) || self.was(&node.history, node.active, |was| was.active)
    }

    /// The turns of a thread that counted, in its order.
    pub fn turns_of(self, state: &State, thread: ThreadId) -> impl Iterator<Item = &Turn> {
        let turns = state.threads.get(&thread).into_iter().flatten();
        turns
            .filter_map(|id| state.turns.get(id))
            .filter(move |turn| self.turn(turn))
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
