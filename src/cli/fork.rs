//! Starts a new session from a point in another (`overrule fork`).
//!
//! Must not know: keys, what the events of a fork mean.
//!
//! The command line and the screen of a recording both use it. It only reads the other session and does not
//! lock it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::address::{self, Address};
use super::args::{self, Common};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::operator;
use super::print;
use super::written_here;
use overrule_base::shell_line::quote;
use overrule_base::text::{visible, visible_head};
use overrule_config::Env;
use overrule_console::run::link::{Forking, NewSession, Update};
use overrule_domain::advice::Cards;
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::decide;
use overrule_domain::envelope::{Actor, Envelope, Via, stamp};
use overrule_domain::fork::{Reading, Ready};
use overrule_domain::id::Seq;
use overrule_domain::state::State;
use overrule_engine::{clock::Clock, ids};
use overrule_journal::{Place, Records, Report, Store};
use overrule_present::fork::ForkView;
use overrule_present::json;

/// The most characters of arguments on a line.
const SHOWN: usize = 120;
/// Effects that are listed.
const NAMED: usize = 20;

/// Destination and author of forks.
#[derive(Debug, Clone)]
pub struct Forks {
    /// The sessions.
    pub store: Store,
    /// The environment: where sessions are noted that are own, or begin below a run.
    pub env: Env,
    /// Flags to find them from a command line.
    pub reach: address::Flags,
    /// The directory that the forks are for, if the operator named one.
    pub workspace: Option<PathBuf>,
    /// Author of the forks.
    pub by: Actor,
    /// Forks written from a screen, to print when the operator leaves it.
    pub made: Arc<Mutex<Vec<NewSession>>>,
}

/// A session that was read for a fork.
struct ForkSource {
    records: Records,
    report: Report,
    ready: Ready,
}

/// Writes a fork and prints how to resume it.
pub fn fork(common: &Common, args: &args::Fork) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    let place = context.find(&args.id)?;
    let forks = Forks::of(common, &context, Via::Shell);
    let found = read(&place, args.at.map(Seq))?;
    if let Some(damage) = &found.report.damage {
        print::err(&format!("session {} is damaged: {damage}", visible(&place.id())));
    }
    let made = forks.write(&place, &found, args.name.as_deref())?;
    let id = made.id();
    let view = ForkView::of(Some(&id), &found.ready.preview);
    if common.json {
        print::out(&json(&view));
        return Ok(Code::Ok);
    }
    print::out(&format!(
        "{id}: written, starts with events 1 to {} of {}",
        view.at.0, view.events.0
    ));
    for line in preview_lines(&view) {
        print::err(&line);
    }
    print::err(&format!("to continue: {}", forks.to_continue(&id)));
    Ok(Code::Ok)
}

/// Previews or writes a fork for the screen of a recording that shows the first `shown` events.
pub fn answer(forks: &Forks, place: &Place, step: Forking, shown: usize) -> Update {
    let reported = |failure: Failure| failure.message;
    match step {
        Forking::Foresee => {
            let found = read(place, Some(Seq(shown as u64)));
            let found = found.and_then(|found| forks.check(place, &found).map(|()| found));
            Update::ForkPreview(found.map(|found| Arc::new(found.ready.preview)).map_err(reported))
        }
        Forking::Write { at, resume: resumes } => {
            let made = read(place, Some(at)).and_then(|found| forks.write(place, &found, None));
            Update::Forked {
                session: made.map(|made| forks.written(&made)).map_err(reported),
                resume: resumes,
            }
        }
    }
}

/// Reads a whole session, with a point to fork from; `None` is its end.
fn read(place: &Place, at: Option<Seq>) -> Result<ForkSource, Failure> {
    let mut reading = Reading::up_to(at);
    let (records, report) = Records::read(place, |envelope| reading.take(envelope))?;
    let (id, count) = (visible(&place.id()), records.len());
    if records.is_empty() {
        return Err(Failure::new(
            Code::Session,
            format!("cannot fork session {id}: it has no events"),
        ));
    }
    if at.is_some_and(|at| at.0 > count as u64) {
        return Err(Failure::new(
            Code::Usage,
            format!(
                "cannot fork session {id} there: it has {count} events; hint: use 1 to {count}; `overrule replay {id}` shows them"
            ),
        ));
    }
    let ready = reading.finish(&place.id()).ok_or_else(|| {
        Failure::new(
            Code::Usage,
            format!(
                "cannot fork session {id} there: its first decision is not complete; hint: name a later event"
            ),
        )
    })?;
    Ok(ForkSource {
        records,
        report,
        ready,
    })
}

impl Forks {
    /// The forks of this process, with a person who speaks there.
    pub fn of(common: &Common, context: &AppContext, via: Via) -> Self {
        Self {
            store: context.store.clone(),
            env: context.env.clone(),
            reach: context.reach.clone(),
            workspace: common.workspace.is_some().then(|| context.workspace.clone()),
            by: Actor::operator(context.user(), via),
            made: Arc::default(),
        }
    }

    /// Refuses a fork that could not continue: its workspace does not exist, and no other one is named.
    fn check(&self, of: &Place, found: &ForkSource) -> Result<(), Failure> {
        let recorded = found.ready.point.started.as_ref();
        let Some(workspace) = recorded.map(|started| started.workspace.as_str()) else {
            return Ok(());
        };
        if self.workspace.is_some() || Path::new(workspace).is_dir() {
            return Ok(());
        }
        let id = of.id();
        Err(Failure::new(
            Code::Session,
            format!(
                "cannot fork session {}: its workspace {} does not exist; hint: `overrule fork {} --at {} --workspace DIR` \
                 makes a fork for another directory",
                visible(&id),
                visible(workspace),
                Address::new(&id, &self.reach),
                found.ready.preview.at.0
            ),
        ))
    }

    /// The command that continues a fork, in the directory that it is for.
    fn to_continue(&self, id: &str) -> String {
        let workspace = self.workspace.as_ref().map(|dir| quote(&dir.to_string_lossy()));
        let flag = workspace.map_or_else(String::new, |dir| format!("--workspace {}", visible(&dir)));
        Address::new(id, &self.reach).to_continue_with(&flag)
    }

    /// Registers a new fork, and returns how to resume it.
    fn written(&self, made: &Place) -> NewSession {
        let id = made.id();
        let resume = self.to_continue(&id);
        let session = NewSession { id, resume };
        let mut all = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(session.clone());
        session
    }

    /// Prints the forks that were written from a screen, except the one that is resumed.
    pub fn print_written(&self, but: Option<&str>) {
        let all = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        for session in all.iter().filter(|session| Some(session.id.as_str()) != but) {
            print::err(&format!(
                "fork {}; to continue: {}",
                visible(&session.id),
                session.resume
            ));
        }
    }

    /// Writes a fork, or nothing on an error.
    fn write(&self, of: &Place, found: &ForkSource, name: Option<&str>) -> Result<Place, Failure> {
        self.check(of, found)?;
        let predicted = &found.ready.preview;
        let at = Clock::start().utc_ms();
        let mut facts = predicted.facts(&self.by, at);
        if let Some(name) = name {
            facts.extend(titled(&found.ready.point, name, &self.by, &facts)?);
        }
        let id = ids::session();
        operator::note_beginning(&self.env, &id.to_string())?;
        let made = self.store.create_whole(id, |writer| {
            let mut stored = Ok(());
            let count = usize::try_from(predicted.at.0).unwrap_or(usize::MAX);
            found.records.range(0, count, |envelope| {
                if stored.is_ok() {
                    stored = writer.append(&envelope);
                }
            })?;
            stored?;
            facts.iter().try_for_each(|fact| writer.append(fact))
        })?;
        // A fork of a session from elsewhere is from elsewhere as well.
        if written_here::writer(&self.env, of) != written_here::Writer::Elsewhere {
            written_here::copied(&self.env, &made);
        }
        Ok(made)
    }
}

/// The events that name the fork.
fn titled(point: &State, name: &str, by: &Actor, facts: &[Envelope]) -> Result<Vec<Envelope>, Failure> {
    let command = Command::Run(RunCommand::Title {
        title: name.to_owned(),
    });
    let events = decide::command(point, &Cards(point), &command)?;
    let Some(last) = facts.last() else {
        return Ok(Vec::new());
    };
    let events = events.into_iter().map(|event| (by.clone(), event));
    Ok(stamp(last.seq, last.moment(), Seq(0), events))
}

fn preview_lines(view: &ForkView<'_>) -> Vec<String> {
    let mut lines: Vec<String> = view.consequences().into_iter().map(|line| line.text).collect();
    let effects = view.effects.iter().take(NAMED);
    lines.extend(effects.map(|one| {
        let args = visible_head(one.args, SHOWN);
        format!("  {} {} {} {args}", one.entry, one.call, visible(one.tool))
    }));
    if let Some(more) = view.effects.len().checked_sub(NAMED).filter(|more| *more > 0) {
        lines.push(format!("  and {more} more; `overrule effects` lists them all"));
    }
    lines
}
