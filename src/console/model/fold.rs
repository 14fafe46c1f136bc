//! What the events of a run are folded into, on whatever thread: the state, and what is known beside it.
//!
//! Must not know: panes, who asks for it.

use super::silence::Heard;
use crate::domain::apply::apply;
use crate::domain::envelope::Envelope;
use crate::domain::event::{Event, RunEvent};
use crate::domain::state::State;
use crate::domain::turn::{Stream, Turn};
use crate::resilience::watch::Watch;

/// What events are folded into.
#[derive(Debug, Clone)]
pub struct Fold {
    /// The state.
    pub state: State,
    /// How the tools do.
    pub watch: Watch,
    /// When something came last of what is asked.
    pub heard: Heard,
    /// Time at work in the process that was heard last.
    pub(super) worked: Worked,
    /// True once the first snapshot or event came.
    pub arrived: bool,
    /// Last event received out of order, if any: `(expected, got)`.
    pub gap: Option<(u64, u64)>,
    /// True where the open streams were ended and no event says so.
    pub cut: bool,
}

impl Fold {
    /// Folds one event; an event that was folded already changes nothing.
    pub fn take(&mut self, envelope: &Envelope) -> bool {
        let parts = Parts {
            state: &mut self.state,
            watch: &mut self.watch,
            heard: &mut self.heard,
            worked: &mut self.worked,
            arrived: &mut self.arrived,
            gap: &mut self.gap,
            cut: self.cut,
        };
        parts.take(envelope)
    }
}

/// The same where it lies: an event is folded in its place.
pub(super) struct Parts<'f> {
    pub state: &'f mut State,
    pub watch: &'f mut Watch,
    pub heard: &'f mut Heard,
    pub worked: &'f mut Worked,
    pub arrived: &'f mut bool,
    pub gap: &'f mut Option<(u64, u64)>,
    pub cut: bool,
}

impl Parts<'_> {
    /// Folds one event; an event that was folded already changes nothing.
    pub fn take(self, envelope: &Envelope) -> bool {
        if envelope.seq <= self.state.seq {
            return false;
        }
        let expected = self.state.seq.next();
        if envelope.seq != expected && *self.arrived {
            *self.gap = Some((expected.0, envelope.seq.0));
        }
        apply(self.state, envelope);
        let streams = !self.cut && open_streams(self.state).next().is_some();
        let at_work = !self.state.agenda.running.is_empty() || streams;
        self.worked.note(envelope, at_work);
        self.heard.take(envelope);
        self.watch.take(self.state, envelope);
        *self.arrived = true;
        self.heard.prune(self.state);
        true
    }
}

/// The turns of which the model is asked, and whose answer is not whole.
pub(super) fn open_streams(state: &State) -> impl Iterator<Item = &Turn> {
    let open = state.agenda.open.iter();
    open.filter_map(|id| state.turns.get(id))
        .filter(|turn| turn.asked > 0 && turn.stream == Stream::Open)
}

/// Time that a process has worked on the run, by its own clock: waits for the operator are not part of it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Worked {
    /// For how long, in milliseconds.
    pub ms: u64,
    /// When something happened last; none as long as no process was seen to begin.
    pub seen: Option<u64>,
    /// True where that process went on with what others had begun.
    pub later: bool,
    busy: bool,
    /// UTC milliseconds of the newest event.
    at: i64,
}

impl Worked {
    fn note(&mut self, envelope: &Envelope, busy: bool) {
        let begins = matches!(
            envelope.event,
            Event::Run(RunEvent::Started(_) | RunEvent::Reopened { .. })
        );
        if begins {
            // It counts anew, as its limit does.
            (self.ms, self.seen) = (0, Some(envelope.mono));
            self.later = matches!(envelope.event, Event::Run(RunEvent::Reopened { .. }));
        } else if let Some(seen) = &mut self.seen {
            self.ms += if self.busy {
                envelope.mono.saturating_sub(*seen)
            } else {
                0
            };
            *seen = envelope.mono;
        }
        (self.busy, self.at) = (busy, envelope.at);
    }

    /// Milliseconds since the newest event that are work, at a moment.
    pub fn since(&self, now: Option<i64>) -> u64 {
        let now = now.filter(|_| self.busy);
        now.map_or(0, |now| u64::try_from(now.saturating_sub(self.at)).unwrap_or(0))
    }
}
