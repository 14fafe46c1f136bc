//! The one way in which an event becomes part of the run: folded into the state, and into what is known beside it.
//!
//! Must not know: panes, who asks for it.

use super::run::RunPart;
use crate::domain::apply::apply;
use crate::domain::envelope::Envelope;
use crate::domain::event::{Event, RunEvent};
use crate::domain::state::State;
use crate::domain::turn::{Stream, Turn};

impl RunPart {
    /// Folds one event; an event that was folded already changes nothing.
    pub fn take(&mut self, envelope: &Envelope) -> bool {
        if envelope.seq <= self.state.seq {
            return false;
        }
        let expected = self.state.seq.next();
        if envelope.seq != expected && self.arrived {
            self.gap = Some((expected.0, envelope.seq.0));
        }
        apply(&mut self.state, envelope);
        let streams = !self.cuts_streams() && open_streams(&self.state).next().is_some();
        let at_work = !self.state.agenda.running.is_empty() || streams;
        self.worked.note(envelope, at_work);
        self.last_activity.take(envelope);
        self.watch.take(&self.state, envelope);
        self.arrived = true;
        self.prune();
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
pub(super) struct WorkTime {
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

impl WorkTime {
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
