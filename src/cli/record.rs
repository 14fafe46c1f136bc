//! Records a command, in this process or in the one that has the session open.
//!
//! Must not know: which verb it came from.

use std::path::Path;

use super::args::Common;
use super::build::{self, AppContext};
use super::exit::{Code, Failure};
use super::operator;
use super::{control, node_change, print, resume, written_here};
use overrule_base::text::visible;
use overrule_control::protocol::Asks;
use overrule_control::{Answer, Error as ControlError};
use overrule_domain::apply::fold;
use overrule_domain::command::Command;
use overrule_domain::envelope::{Actor, Envelope, Via};
use overrule_domain::id::Seq;
use overrule_domain::refusal::Refusal;
use overrule_domain::state::State;
use overrule_engine as engine;
use overrule_engine::Launch;
use overrule_engine::advise::{Adviser, FileTracking};
use overrule_engine::clock::Clock;
use overrule_engine::driver::record_only::Unrecorded;
use overrule_journal::{self as journal, Damage, Loaded, Place, Writer};
use overrule_present::json;
use overrule_present::output::RecordedView;

/// A snapshot of a session, read without its lock.
pub struct SessionSnapshot {
    /// Its state. If no process has it open, executions without an end have an unknown outcome.
    pub state: State,
    /// True if a process has it open.
    pub held: bool,
}

/// Reads a session up to any damage. If its first record is damaged, reads those after it: the run is paused then.
pub fn loaded(place: &Place) -> Result<Loaded, Failure> {
    let mut loaded = journal::read(place)?;
    if let Some(damage) = &loaded.damage
        && let Some(envelopes) = journal::after_lost_first(place, damage)?
    {
        loaded.envelopes = envelopes;
    }
    Ok(loaded)
}

/// Describes damage and what is printed in spite of it.
pub fn describe_damage(place: &Place, damage: &Damage, any: bool) -> String {
    let printed = if damage.line == 1 && any {
        "Events after its first record are printed; the run cannot continue."
    } else {
        "Only events before the damage are printed."
    };
    format!("session {} is damaged: {damage}. {printed}", place.id())
}

/// Reads a session up to any damage, and prints a warning about it. Writes nothing.
pub fn as_found(place: &Place) -> Result<SessionSnapshot, Failure> {
    let (found, damage) = up_to_damage(place)?;
    if let Some(damage) = damage {
        print::err(&describe_damage(place, &damage, found.state.seq > Seq(0)));
    }
    Ok(found)
}

/// Reads a session up to any damage, and returns the damage. Writes and prints nothing.
pub fn up_to_damage(place: &Place) -> Result<(SessionSnapshot, Option<Damage>), Failure> {
    // Checked first: records that are added later do no harm.
    let held = journal::is_held(place);
    let loaded = loaded(place)?;
    let state = fold(&loaded.envelopes);
    let state = if held { state } else { taken_over(state) };
    let found = SessionSnapshot { state, held };
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
            json(&RecordedView {
                seq: self.seq,
                elsewhere: self.elsewhere,
            })
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
    let place = context.find(id)?;
    if let Some(output) = journal::holder(&place)
        && let Some(done) = elsewhere(context, &place, Some(output), command)?
    {
        return Ok(done);
    }
    // A process that has the session open decides that, and records it.
    operator::may_decide(&context.env, &place.id(), "decide")?;
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
    let asks = Asks::Command(Box::new(command.clone()));
    match control::hand_over(context, place, holder, asks) {
        Ok(Answer::Recorded(seq)) => Ok(Some(Recorded { seq, elsewhere: true })),
        Ok(Answer::Refused(refusal)) => {
            let facts = journal::read(place)?.envelopes;
            Err(refused(&facts, &fold(&facts), command, refusal))
        }
        Ok(Answer::Shown(_) | Answer::Done) | Err(ControlError::NoSocket) => Ok(None),
        Err(error) => Err(Failure::new(Code::Session, error)),
    }
}

/// A refusal, with the difference if the node changed.
fn refused(facts: &[Envelope], state: &State, command: &Command, mut refusal: Refusal) -> Failure {
    if let Some(difference) = node_change::since(facts, state, command, &refusal) {
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
    let adviser = adviser(common, context, place, &state)?;
    let note = written_here::note_if_own(&context.env, place);
    let (driver, _) = build::driver(state, (writer, note), adviser, Launch::RecordOnly, Vec::new());
    let actor = Actor::operator(context.user(), Via::Shell);
    match driver.record_one(command, &actor) {
        Ok(seq) => Ok(Recorded {
            seq,
            elsewhere: false,
        }),
        Err(Unrecorded::Refused(refusal)) => Err(refused(facts, &taken_over(fold(facts)), command, refusal)),
        Err(Unrecorded::Halted(halt)) => Err(Failure::new(Code::Session, halt)),
    }
}

/// The state of a session that no process has open.
fn taken_over(state: State) -> State {
    engine::resume::taken_over(state, Clock::start().moment())
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
    let mut context = context.clone().for_run(common, workspace, &setup)?;
    // A verb on a stored session decides about what was recorded.
    context.means.profile = state.sandbox_profile();
    // An operator decides here, so no question expires before they saw it. A headless process that resumes
    // the run sets the deadline that applies there.
    let tools = context.recorded_tools(&setup, workspace, &recorded.tools)?;
    let mut adviser = context.adviser_with(tools, &setup, (workspace, false))?;
    // The policy decides calls that the verb makes ready, as in a run that resumes with these flags.
    if common.policy.is_none() {
        adviser.keep_preset(&state.settings.policy);
    }
    if !state.operator.files.log.is_empty() {
        adviser.files = match context.tracker_of_recorded(workspace) {
            Ok(tracker) => FileTracking::of(Some(tracker)),
            Err(why) => FileTracking::not(&why),
        };
    }
    adviser.watch = adviser.watch.on(state);
    adviser.keep_rules(&state.settings.rules);
    adviser.keep_resilience(state);
    Ok(adviser)
}
