//! Applies an event to the run: to its state, and to the data that the console derives.
//!
//! Must not know: panes, who calls it.

use crate::run::part::RunPart;
use overrule_domain::apply::apply;
use overrule_domain::envelope::Envelope;
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::state::State;
use overrule_domain::turn::{Stream, Turn};

impl RunPart {
    /// Applies an event. An event that was applied already changes nothing.
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

/// The turns with an open request, whose response is incomplete.
pub(crate) fn open_streams(state: &State) -> impl Iterator<Item = &Turn> {
    let open = state.agenda.open.iter();
    open.filter_map(|id| state.turns.get(id))
        .filter(|turn| turn.asked > 0 && turn.stream == Stream::Open)
}

/// Working time of a process on the run, by its own clock, without waits for the operator.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WorkTime {
    /// Working time in milliseconds.
    pub ms: u64,
    /// Time of the last event; none if no process was seen to start.
    pub seen: Option<u64>,
    /// True if that process resumed earlier work.
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
            // Restarts the count, as the limit does.
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

    /// Milliseconds of work since the newest event.
    pub fn since(&self, now: Option<i64>) -> u64 {
        let now = now.filter(|_| self.busy);
        now.map_or(0, |now| u64::try_from(now.saturating_sub(self.at)).unwrap_or(0))
    }
}
