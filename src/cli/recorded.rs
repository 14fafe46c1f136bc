//! Adapts a recorded session to the console's interface.
//!
//! Must not know: keys, panes, how a recording is named on the command line.
//!
//! Records stay in their file: one is decoded when it is shown, and a step back folds again from the start.

mod pace;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

use super::fork::{self, Forks};
use super::{live, request_text, run};
use overrule_console::kernel::log::MAX_LINES;
use overrule_console::run::link::{At, Forking, Frames, Link, ReplayControl, Update};
use overrule_console::{run::replay, run::replay::Mark};
use overrule_domain::apply::apply;
use overrule_domain::command::Command;
use overrule_domain::envelope::Envelope;
use overrule_domain::id::TurnId;
use overrule_domain::refusal::{Refusal, RefusalKind};
use overrule_domain::state::State;
use overrule_journal::wire::Wire;
use overrule_journal::{Error, Place, Records};
use pace::Pace;

/// The highest and the lowest speed.
const SPEEDS: (f64, f64) = (64.0, 0.25);

/// Distance of the cached fold before the target of a step back, for fast further steps.
const BACK: usize = 2_048;

/// The fold of the first `at` records.
struct Fold {
    at: usize,
    state: State,
}

/// The state and log at a place in the record.
struct ReplayPosition {
    state: State,
    /// The newest records before it.
    past: Vec<Arc<Envelope>>,
    /// A cached fold shortly before it; none at the end, from where no step back is expected.
    mark: Option<Fold>,
}

impl ReplayPosition {
    /// Folds the first records up to a place, from a fold before it if there is one.
    fn up_to(records: &Records, to: usize, mark: Option<Fold>) -> Result<Self, Error> {
        let none = || Fold {
            at: 0,
            state: State::default(),
        };
        let mut mark = mark.filter(|mark| mark.at <= to).unwrap_or_else(none);
        let near = to.saturating_sub(BACK);
        if mark.at + 2 * BACK < to {
            records.range(mark.at, near, |envelope| apply(&mut mark.state, &envelope))?;
            mark.at = near;
        }
        let from = mark.at;
        let (mut state, mark) = if to < records.len() {
            (mark.state.clone(), Some(mark))
        } else {
            (mark.state, None)
        };
        records.range(from, to, |envelope| apply(&mut state, &envelope))?;
        let mut past = Vec::new();
        records.range(to.saturating_sub(MAX_LINES), to, |envelope| {
            past.push(Arc::new(envelope));
        })?;
        Ok(Self { state, past, mark })
    }
}

/// The console's interface to a recording.
pub struct Recorded {
    records: Records,
    /// Number of events that are shown.
    at: usize,
    /// A cached fold shortly before there; none at the end.
    mark: Option<Fold>,
    playing: bool,
    speed: f64,
    pace: Pace,
    waiting: VecDeque<Update>,
    wake: Arc<tokio::sync::Notify>,
    wire: Wire,
    place: Place,
    forks: Option<Forks>,
    answers: mpsc::Receiver<Update>,
    to_answers: mpsc::Sender<Update>,
}

impl Recorded {
    /// Reads a whole session. With a speed, plays it from the beginning; otherwise, shows its
    /// first event.
    pub fn open(place: &Place, speed: Option<f64>) -> Result<Self, Error> {
        let (mut marks, mut times) = (Vec::new(), Vec::new());
        let (records, report) = Records::read(place, |envelope| {
            times.push(envelope.at);
            let event = times.len();
            marks.extend(replay::kind_of(&envelope).map(|kind| Mark { event, kind }));
        })?;
        let (to_answers, answers) = mpsc::channel(live::ANSWERS);
        let mut recorded = Self {
            at: 0,
            records,
            mark: None,
            playing: speed.is_some(),
            speed: speed.unwrap_or(1.0),
            pace: Pace::of(&times),
            waiting: VecDeque::new(),
            wake: Arc::new(tokio::sync::Notify::new()),
            wire: run::wire_of(place),
            place: place.clone(),
            forks: None,
            answers,
            to_answers,
        };
        recorded.waiting.push_back(Update::Marks(marks.into()));
        recorded.go(if speed.is_none() { recorded.len().min(1) } else { 0 });
        let torn = report.torn.iter().map(ToString::to_string);
        let damaged = report.damage.iter().map(|damage| format!("damaged: {damage}"));
        recorded.waiting.extend(torn.chain(damaged).map(Update::Notice));
        Ok(recorded)
    }

    /// Enables forks of it.
    pub fn forked_into(mut self, forks: Forks) -> Self {
        self.forks = Some(forks);
        self
    }

    fn len(&self) -> usize {
        self.records.len()
    }

    /// Shows the run as it is at this place.
    fn show(&mut self, state: State, past: Vec<Arc<Envelope>>) {
        let whole = Update::Snapshot(Box::new(state));
        self.waiting.extend([whole, Update::Past(past)]);
        self.queue_position();
    }

    /// Goes to the place after `to` events.
    fn go(&mut self, to: usize) {
        match ReplayPosition::up_to(&self.records, to, self.mark.take()) {
            Ok(shown) => {
                self.at = to;
                self.mark = shown.mark;
                self.show(shown.state, shown.past);
            }
            Err(error) => self.waiting.push_back(Update::Halted(error.to_string())),
        }
    }

    fn queue_position(&mut self) {
        self.waiting.push_back(Update::At(At {
            event: self.at,
            of: self.len(),
            speed: self.playing.then_some(self.speed),
        }));
    }

    fn record(&self, index: usize) -> Result<Option<Envelope>, Error> {
        self.records.get(index)
    }

    /// Shows the next event.
    fn give(&mut self, index: usize) {
        match self.record(index) {
            Ok(Some(envelope)) => self.waiting.push_back(Update::Event(Arc::new(envelope))),
            Ok(None) => self.playing = false,
            Err(error) => {
                self.playing = false;
                self.waiting.push_back(Update::Halted(error.to_string()));
            }
        }
    }

    fn advance(&mut self) {
        if self.at < self.len() {
            self.at += 1;
            self.give(self.at - 1);
        }
        let plays = self.playing;
        self.playing &= self.at < self.len();
        if plays {
            self.queue_position();
        }
    }

    /// Time until the next recorded event.
    fn pause(&self) -> Duration {
        self.pace.before(self.at, self.speed)
    }
}

impl Link for Recorded {
    fn wire(&mut self, turn: TurnId, request: u32) -> Result<Option<Frames>, String> {
        live::frames(&self.wire, turn, request)
    }

    fn sent(&mut self, turn: TurnId, request: u32) {
        let (place, answers) = (self.place.clone(), self.to_answers.clone());
        let wake = Arc::clone(&self.wake);
        tokio::task::spawn_blocking(move || {
            // An error means that the console is gone.
            answers
                .blocking_send(request_text::update(&place, turn, request))
                .unwrap_or_default();
            wake.notify_one();
        });
    }

    fn fork(&mut self, step: Forking) {
        let Some(forks) = self.forks.clone() else { return };
        let (place, answers, at) = (self.place.clone(), self.to_answers.clone(), self.at);
        let wake = Arc::clone(&self.wake);
        tokio::task::spawn_blocking(move || {
            // An error means that the console is gone.
            answers
                .blocking_send(fork::answer(&forks, &place, step, at))
                .unwrap_or_default();
            wake.notify_one();
        });
    }

    fn send(&mut self, command: Command) {
        self.waiting.push_back(Update::Refused {
            command: Box::new(command),
            refusal: Refusal::new(
                RefusalKind::Status,
                "cannot decide in a recording; hint: continue the session with `overrule resume`",
            ),
        });
        self.wake.notify_one();
    }

    fn next(&mut self) -> BoxFuture<'_, Update> {
        Box::pin(async move {
            loop {
                if let Some(update) = self.waiting.pop_front() {
                    return update;
                }
                if let Ok(update) = self.answers.try_recv() {
                    return update;
                }
                let wake = self.wake.clone();
                if self.playing && self.at < self.len() {
                    tokio::select! {
                        () = tokio::time::sleep(self.pause()) => self.advance(),
                        () = wake.notified() => {}
                    }
                } else {
                    wake.notified().await;
                }
            }
        })
    }

    fn replay(&mut self, control: ReplayControl) {
        match control {
            ReplayControl::Play if self.at >= self.len() => {
                self.playing = false;
                self.queue_position();
                let text = "this is the last event: go back first (`previous-event`, `to-start`)";
                self.waiting.push_back(Update::Notice(text.to_owned()));
                self.wake.notify_one();
                return;
            }
            ReplayControl::Play => self.playing = true,
            ReplayControl::Pause => self.playing = false,
            ReplayControl::Step => {
                self.playing = false;
                self.advance();
            }
            ReplayControl::Back => {
                self.playing = false;
                self.go(self.at.saturating_sub(1));
            }
            ReplayControl::Faster => self.speed = (self.speed * 2.0).min(SPEEDS.0),
            ReplayControl::Slower => self.speed = (self.speed / 2.0).max(SPEEDS.1),
            ReplayControl::Seek(seq) => {
                // Records are numbered from 1, without a gap.
                let to = usize::try_from(seq.0).unwrap_or(usize::MAX);
                self.playing = false;
                self.go(to.min(self.len()));
            }
            ReplayControl::End => {
                self.playing = false;
                self.go(self.len());
            }
        }
        self.queue_position();
        self.wake.notify_one();
    }
}

#[cfg(test)]
mod tests;
