//! Records a command, in this process or in the one that has the session open.
//!
//! Must not know: which verb it came from.

use std::path::Path;

use super::args::Common;
use super::build::{AppContext, JournalLog};
use super::exit::{Code, Failure};
use super::{control, difference, print, resume};
use crate::control::{Answer, Error as ControlError};
use crate::domain::advance;
use crate::domain::apply::{apply, fold};
use crate::domain::command::{Command, RunCommand};
use crate::domain::decide;
use crate::domain::envelope::{Actor, Envelope, Via};
use crate::domain::event::{Event, RunEvent, TurnEvent};
use crate::domain::id::Seq;
use crate::domain::refusal::Refusal;
use crate::domain::state::{LedgerOutcome, State};
use crate::domain::turn::{Producer, Stream, StreamFault, StreamFaultKind, Usage};
use crate::engine;
use crate::engine::advise::Adviser;
use crate::engine::clock::Clock;
use crate::engine::log::Log as _;
use crate::journal::{self, Damage, Place, Writer};
use crate::text::visible;

/// A snapshot of a session, read without its lock.
pub struct SessionSnapshot {
    /// Its state. If no process has it open, executions without an end have an unknown outcome.
    pub state: State,
    /// True if a process has it open.
    pub held: bool,
}

/// Reads a session up to any damage, and prints a warning about it. Writes nothing.
pub fn as_found(place: &Place) -> Result<SessionSnapshot, Failure> {
    let (found, damage) = up_to_damage(place)?;
    if let Some(damage) = damage {
        print::err(&format!(
            "session {} is damaged: {damage}. Only events before the damage are printed.",
            place.id()
        ));
    }
    Ok(found)
}

/// Reads a session up to any damage, and returns the damage. Writes and prints nothing.
pub fn up_to_damage(place: &Place) -> Result<(SessionSnapshot, Option<Damage>), Failure> {
    // Checked first: records that are added later do no harm.
    let held = journal::is_held(place);
    let loaded = journal::read(place)?;
    let mut draft = Draft::new(fold(&loaded.envelopes));
    if !held {
        draft.take_over();
    }
    let found = SessionSnapshot {
        state: draft.state,
        held,
    };
    Ok((found, loaded.damage))
}

/// A recorded command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded {
    /// The last event that it caused.
    pub seq: Seq,
    /// True if another process runs the session and recorded it.
    pub elsewhere: bool,
}

impl Recorded {
    /// Formats the result, as text or JSON.
    pub fn line(self, common: &Common) -> String {
        if common.json {
            let (seq, elsewhere) = (self.seq, self.elsewhere);
            serde_json::json!({ "type": "recorded", "seq": seq, "elsewhere": elsewhere }).to_string()
        } else if self.elsewhere {
            format!("recorded as {} by the process that runs it", self.seq)
        } else {
            format!("recorded as {}", self.seq)
        }
    }
}

/// Records a command and the events that follow from it.
pub fn decide(
    common: &Common,
    context: &AppContext,
    id: &str,
    command: &Command,
) -> Result<Recorded, Failure> {
    let place = context.store.find(id)?;
    if let Some(output) = journal::holder(&place)
        && let Some(done) = elsewhere(context, &place, Some(output), command)?
    {
        return Ok(done);
    }
    match Writer::open(&place) {
        Ok((writer, loaded)) => {
            if let Some(torn) = &loaded.torn {
                print::err(&torn.to_string());
            }
            here(common, context, &place, (writer, &loaded.envelopes), command)
        }
        Err(journal::Error::Locked { path, pid }) => {
            // The process may have just started, and opened its socket since.
            if let Some(done) = elsewhere(context, &place, pid, command)? {
                return Ok(done);
            }
            Err(unheard(context, &place, &journal::Error::Locked { path, pid }))
        }
        Err(error) => Err(error.into()),
    }
}

/// The error for a session that is open in a process without a control socket.
pub fn locked(context: &AppContext, place: &Place, pid: Option<u32>) -> Failure {
    let path = visible(
        &place
            .journal()
            .parent()
            .unwrap_or(Path::new(""))
            .to_string_lossy(),
    );
    unheard(context, place, &journal::Error::Locked { path, pid })
}

fn unheard(context: &AppContext, place: &Place, locked: &journal::Error) -> Failure {
    Failure::new(
        Code::Session,
        format!(
            "{locked}. It accepts no commands from other processes; hint: start the run with --control, or use \
             `overrule resume {} --control`",
            context.address(&place.id())
        ),
    )
}

/// Sends the command to the process that has the session open; `None` if there is no such
/// process, or it accepts no commands.
fn elsewhere(
    context: &AppContext,
    place: &Place,
    holder: Option<u32>,
    command: &Command,
) -> Result<Option<Recorded>, Failure> {
    match control::hand_over(context, place, holder, command) {
        Ok(Answer::Recorded(seq)) => Ok(Some(Recorded { seq, elsewhere: true })),
        Ok(Answer::Refused(refusal)) => {
            let facts = journal::read(place)?.envelopes;
            Err(refused(&facts, &fold(&facts), command, refusal))
        }
        Err(ControlError::NoSocket) => Ok(None),
        Err(error) => Err(Failure::new(Code::Session, error)),
    }
}

/// A refusal, with the difference if the node changed.
fn refused(facts: &[Envelope], state: &State, command: &Command, mut refusal: Refusal) -> Failure {
    if let Some(difference) = difference::since(facts, state, command, &refusal) {
        refusal.message = format!("{}\n{difference}", refusal.message);
    }
    refusal.into()
}

/// Records a command on a session that no other process has open.
fn here(
    common: &Common,
    context: &AppContext,
    place: &Place,
    (writer, facts): (Writer, &[Envelope]),
    command: &Command,
) -> Result<Recorded, Failure> {
    let state = fold(facts);
    let mut adviser = adviser(common, context, place, &state)?;
    let mut draft = Draft::new(state);
    draft.take_over();
    let events = decide::command(&draft.state, &adviser, command)
        .map_err(|refusal| refused(facts, &draft.state, command, refusal))?;
    draft.add(unsent(events), &Actor::operator(context.user(), Via::Shell));
    adviser.keep_rules(&draft.state.rules);
    if let Command::Run(RunCommand::SetPolicy { policy }) = command {
        adviser.keep_preset(policy);
    }
    // Checks and gates follow immediately, so that the queue is correct. Launches and requests do
    // not: the process that runs the session does them.
    loop {
        let events = advance::quiet(&draft.state, &adviser);
        if events.is_empty() {
            break;
        }
        draft.add(events, &Actor::Engine);
    }
    let seq = draft.write(JournalLog(writer))?;
    Ok(Recorded {
        seq,
        elsewhere: false,
    })
}

/// This process sends no requests. It records a repeated turn as interrupted by a crash. The process
/// that resumes the run asks again, and counts the request then.
fn unsent(events: Vec<Event>) -> Vec<Event> {
    let mut left = Vec::new();
    for event in events {
        let Event::Turn(TurnEvent::Requested {
            turn,
            thread,
            after,
            request,
            ..
        }) = event
        else {
            left.push(event);
            continue;
        };
        if request == 1 {
            let producer = Producer::Model;
            left.push(Event::Turn(TurnEvent::Opened {
                turn,
                thread,
                after,
                producer,
            }));
        }
        left.push(Event::Turn(TurnEvent::Broken {
            turn,
            fault: StreamFault {
                kind: StreamFaultKind::Crash,
                message: "to be asked again, by the operator".into(),
                retry_after_ms: None,
            },
            usage: Usage::default(),
        }));
    }
    left
}

/// Builds the adviser of a recorded run: its own tools, directory and policy.
pub fn adviser(
    common: &Common,
    context: &AppContext,
    place: &Place,
    state: &State,
) -> Result<Adviser, Failure> {
    let recorded = state
        .started
        .as_deref()
        .ok_or_else(|| resume::unbegun(&place.id()))?;
    let setup = resume::setup_of(recorded, &place.id())?;
    let workspace = Path::new(&recorded.workspace);
    let context = context.clone().for_run(common, workspace, &setup)?;
    // An operator decides here, so no question expires before they saw it. A headless process that resumes
    // the run sets the deadline that applies there.
    let mut adviser = context.adviser(&setup, workspace, false)?;
    // The policy decides calls that the verb makes ready, as in a run that resumes with these flags.
    if common.policy.is_none() {
        adviser.keep_preset(&state.policy);
    }
    adviser.watch = adviser.watch.on(state);
    adviser.keep_rules(&state.rules);
    adviser.keep_resilience(state);
    Ok(adviser)
}

/// Events that are written together if the command is not refused.
struct Draft {
    state: State,
    envelopes: Vec<Envelope>,
    clock: Clock,
}

impl Draft {
    fn new(state: State) -> Self {
        Self {
            state,
            envelopes: Vec::new(),
            clock: Clock::start(),
        }
    }

    /// No other process has the session open: recorded executions without an end are interrupted.
    fn take_over(&mut self) {
        let streams = self.state.turns.values().any(|turn| turn.stream == Stream::Open);
        // Also if the run ended or was edited before an execution ended.
        let unended = self
            .state
            .ledger
            .values()
            .any(|entry| entry.outcome == LedgerOutcome::Running && entry.thread.is_none());
        if streams || unended || !self.state.agenda.running.is_empty() {
            let reopened = RunEvent::Reopened {
                interrupted: engine::resume::interrupted(&self.state),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            };
            self.add(vec![Event::Run(reopened)], &Actor::Engine);
        }
    }

    fn add(&mut self, events: Vec<Event>, actor: &Actor) {
        let last = events.len().saturating_sub(1);
        for (index, event) in events.into_iter().enumerate() {
            let envelope = Envelope {
                seq: self.state.seq.next(),
                at: self.clock.utc_ms(),
                mono: self.clock.mono_ms(),
                actor: actor.clone(),
                cause: Seq(0),
                more: index < last,
                event,
            };
            apply(&mut self.state, &envelope);
            self.envelopes.push(envelope);
        }
    }

    fn write(self, mut log: JournalLog) -> Result<Seq, Failure> {
        let fail = |error| Failure::new(Code::Session, error);
        for envelope in &self.envelopes {
            log.append(envelope).map_err(fail)?;
        }
        log.sync().map_err(fail)?;
        Ok(self.state.seq)
    }
}
