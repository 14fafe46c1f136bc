//! `overrule replay`: a recorded session on the screen, step by step. Nothing is executed: the
//! recorded facts are folded again. Must not know: keys, panes.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::task::JoinHandle;

use super::args::{self, Common};
use super::build::Ground;
use super::exit::{Code, Failure};
use super::{live, print, run, screen};
use crate::console::link::{Frames, Link, ReplayControl, Update};
use crate::console::model::log::KEPT;
use crate::domain::apply::{apply, fold};
use crate::domain::command::Command;
use crate::domain::envelope::Envelope;
use crate::domain::id::TurnId;
use crate::domain::refusal::{Refusal, RefusalKind};
use crate::domain::state::State;
use crate::journal::{self, Place, wire::Wire};

/// The longest pause between two recorded events while playing; nobody waits for a lunch break.
const LONGEST_PAUSE_MS: i64 = 2_000;

/// Opens the screen on a recorded session.
pub fn replay(common: &Common, args: &args::Replay) -> Result<Code, Failure> {
    let ground = Ground::read(common)?;
    let place = ground.store.find(&args.id)?;
    if !journal::begins(&place)? && journal::read(&place)?.envelopes.is_empty() {
        return Err(Failure::new(
            Code::Session,
            format!("session {} holds no events", place.id()),
        ));
    }
    if let Some(speed) = args.speed
        && !(speed.is_finite() && speed > 0.0)
    {
        return Err(Failure::new(
            Code::Usage,
            "--speed takes a factor above 0, such as 4",
        ));
    }
    if common.headless || common.json {
        return print_steps(common, &journal::read(&place)?.envelopes);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Code::Other, format!("cannot start: {error}")))?;
    // The screen does not wait for a long session: it is read while the console is there already.
    let from = place.clone();
    let reading = runtime.spawn_blocking(move || Read::of(&from));
    let mut link = Recorded::new(reading, args.speed);
    link.wire = Some(run::wire_of(&place));
    let shown = runtime.block_on(screen::show(&ground, Box::new(link), &place.id(), true));
    // Who leaves before it is read does not wait for that either.
    runtime.shutdown_background();
    shown
}

/// A session that was read.
struct Read {
    envelopes: Vec<Arc<Envelope>>,
    /// The fold of all of it.
    state: State,
    /// What is wrong with the file.
    notices: Vec<String>,
}

impl Read {
    fn of(place: &Place) -> Result<Self, journal::Error> {
        let loaded = journal::read(place)?;
        let torn = loaded.torn.iter().map(ToString::to_string);
        let damaged = loaded.damage.iter().map(|damage| format!("damaged: {damage}"));
        Ok(Self {
            notices: torn.chain(damaged).collect(),
            state: fold(&loaded.envelopes),
            envelopes: loaded.envelopes.into_iter().map(Arc::new).collect(),
        })
    }
}

/// Without a screen, one line per recorded event.
fn print_steps(common: &Common, envelopes: &[Envelope]) -> Result<Code, Failure> {
    for envelope in envelopes {
        let line = if common.json {
            serde_json::to_string(&serde_json::json!({
                "seq": envelope.seq, "at": envelope.at, "actor": envelope.actor, "event": envelope.event
            }))
            .map_err(|error| Failure::new(Code::Other, error))?
        } else {
            format!("{} {}", envelope.seq, crate::text::visible(&summary(envelope)))
        };
        if !print::out(&line) {
            break;
        }
    }
    Ok(Code::Ok)
}

fn summary(envelope: &Envelope) -> String {
    let value = serde_json::to_value(&envelope.event).unwrap_or_default();
    let family = value["family"].as_str().unwrap_or("?").to_owned();
    let kind = value["fact"]["type"].as_str().unwrap_or("?").to_owned();
    let body = value["fact"]["body"].to_string();
    format!("{family}.{kind} {}", body.chars().take(160).collect::<String>())
}

/// The console's door to a recording.
struct Recorded {
    /// The session, as long as it is being read.
    reading: Option<JoinHandle<Result<Read, journal::Error>>>,
    envelopes: Vec<Arc<Envelope>>,
    /// Events shown so far.
    at: usize,
    playing: bool,
    speed: f64,
    waiting: std::collections::VecDeque<Update>,
    wake: Arc<tokio::sync::Notify>,
    wire: Option<Wire>,
}

impl Recorded {
    fn new(reading: JoinHandle<Result<Read, journal::Error>>, speed: Option<f64>) -> Self {
        Self {
            reading: Some(reading),
            envelopes: Vec::new(),
            at: 0,
            playing: speed.is_some(),
            speed: speed.unwrap_or(1.0),
            waiting: std::collections::VecDeque::new(),
            wake: Arc::new(tokio::sync::Notify::new()),
            wire: None,
        }
    }

    /// Takes the session in, once it is read.
    fn take(&mut self, read: Read) {
        self.envelopes = read.envelopes;
        // Without a wish to watch, the whole is shown at once; stepping back is one key away.
        if self.playing {
            self.snapshot();
        } else {
            self.at = self.envelopes.len();
            self.shows(read.state);
        }
        self.waiting.extend(read.notices.into_iter().map(Update::Notice));
    }

    fn state(&self) -> State {
        let mut state = State::default();
        for envelope in self.envelopes.iter().take(self.at) {
            apply(&mut state, envelope);
        }
        state
    }

    fn snapshot(&mut self) {
        let state = self.state();
        self.shows(state);
    }

    fn shows(&mut self, state: State) {
        self.waiting.push_back(Update::Snapshot(Box::new(state)));
        let past = self.envelopes.get(..self.at).unwrap_or_default();
        let from = past.len().saturating_sub(KEPT);
        let past = past.get(from..).unwrap_or_default().to_vec();
        self.waiting.push_back(Update::Past(past));
        self.tell_place();
    }

    fn tell_place(&mut self) {
        let text = format!(
            "event {} of {}{}",
            self.at,
            self.envelopes.len(),
            if self.playing {
                format!(", playing at {}x", self.speed)
            } else {
                String::new()
            }
        );
        self.waiting.push_back(Update::Notice(text));
    }

    fn advance(&mut self) -> bool {
        let Some(envelope) = self.envelopes.get(self.at) else {
            self.playing = false;
            return false;
        };
        self.waiting.push_back(Update::Event(envelope.clone()));
        self.at += 1;
        true
    }

    /// Time until the next recorded event, as it happened, sped up and bounded.
    fn pause(&self) -> Duration {
        let at = |index: usize| self.envelopes.get(index).map_or(0, |envelope| envelope.at);
        let gap = (at(self.at) - at(self.at.saturating_sub(1))).clamp(0, LONGEST_PAUSE_MS);
        Duration::from_secs_f64(gap as f64 / 1000.0 / self.speed)
    }
}

impl Link for Recorded {
    fn wire(&mut self, turn: TurnId, request: u32) -> Result<Option<Frames>, String> {
        self.wire
            .as_ref()
            .map_or(Ok(None), |wire| live::frames(wire, turn, request))
    }

    fn send(&mut self, command: Command) {
        self.waiting.push_back(Update::Refused {
            command: Box::new(command),
            refusal: Refusal::new(
                RefusalKind::Status,
                "this is a recording: nothing is decided here; `overrule resume` goes on with a session",
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
                if let Some(reading) = &mut self.reading {
                    let read = reading.await;
                    self.reading = None;
                    match read {
                        Ok(Ok(read)) => self.take(read),
                        Ok(Err(error)) => return Update::Halted(error.to_string()),
                        Err(error) => return Update::Halted(format!("the session was not read: {error}")),
                    }
                    continue;
                }
                let wake = self.wake.clone();
                if self.playing && self.at < self.envelopes.len() {
                    tokio::select! {
                        () = tokio::time::sleep(self.pause()) => {
                            self.advance();
                        }
                        () = wake.notified() => {}
                    }
                } else {
                    wake.notified().await;
                }
            }
        })
    }

    fn replay(&mut self, control: ReplayControl) {
        if self.reading.is_some() {
            // There is nothing to drive yet.
            return;
        }
        match control {
            ReplayControl::Play => self.playing = self.at < self.envelopes.len(),
            ReplayControl::Pause => self.playing = false,
            ReplayControl::Step => {
                self.playing = false;
                self.advance();
            }
            ReplayControl::Back => {
                self.playing = false;
                self.at = self.at.saturating_sub(1);
                self.snapshot();
            }
            ReplayControl::Faster => self.speed = (self.speed * 2.0).min(1024.0),
            ReplayControl::Slower => self.speed = (self.speed / 2.0).max(1.0 / 64.0),
            ReplayControl::Seek(seq) => {
                self.at = self
                    .envelopes
                    .iter()
                    .take_while(|envelope| envelope.seq <= seq)
                    .count();
                self.snapshot();
            }
            ReplayControl::End => {
                self.at = self.envelopes.len();
                self.snapshot();
            }
        }
        if !matches!(
            control,
            ReplayControl::Back | ReplayControl::Seek(_) | ReplayControl::End
        ) {
            self.tell_place();
        }
        self.wake.notify_one();
    }
}
