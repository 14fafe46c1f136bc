//! The operator verbs on a session, stored or running: their list, and how one is carried out.
//!
//! Must not know: how a command is decided.
//!
//! Each verb builds the same commands as the console, records them and exits. It starts nothing without
//! `--resume`.

pub mod add_rule;
pub mod allow;
pub mod answer;
pub mod approve;
pub mod approve_all;
pub mod ask_again;
pub mod cancel;
pub mod changes;
pub mod classify;
pub mod commit;
pub mod consent;
pub mod copy;
pub mod delete;
pub mod drop_rule;
pub mod edit;
pub mod guide;
pub mod insert_call;
pub mod insert_thought;
pub mod keep;
pub mod loops;
pub mod pause;
pub mod probe;
pub mod reject;
pub mod reject_answer;
pub mod repair;
pub mod replace;
pub mod reset_breaker;
pub mod resolve;
pub mod restore;
pub mod restrict;
pub mod retry;
pub mod run_now;
pub mod sandbox;
pub mod set_limits;
pub mod set_policy;
pub mod set_resilience;
pub mod shorten;
pub mod step;
pub mod stop;
pub mod switch;
pub mod takes;
mod target;
pub mod undo;
pub mod unpin;
pub mod weights;

use std::fmt;

use clap::{ArgMatches, FromArgMatches, Subcommand};

use super::args::Common;
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::{plan, print, record, restoring, resume};
use overrule_base::text::submit_warning;
use overrule_domain::command::{Command, Edit, EditCommand};
use overrule_domain::decide;
use overrule_domain::lineage;
use overrule_domain::state::State;
use overrule_journal::Place;
use overrule_present::json;
use overrule_present::plan::PlanView;
use takes::{CommitArgs, On};

/// A session that a verb acts on.
pub struct Session<'a> {
    /// Flags of every subcommand.
    pub common: &'a Common,
    /// Settings and sessions.
    pub context: &'a AppContext,
    /// Where it is stored.
    pub place: &'a Place,
    /// Its state, as read before the verb.
    pub state: &'a State,
}

/// A verb that acts on a session: its arguments, and the commands that it sends.
pub trait Act: fmt::Debug {
    /// The session arguments.
    fn on(&self) -> &On;

    /// The arguments of a verb that commits a previewed plan.
    fn planned(&self) -> Option<&CommitArgs> {
        None
    }

    /// True if it only shows what it would do.
    fn is_preview(&self) -> bool {
        self.planned().is_some_and(|planned| planned.preview.preview)
    }

    /// Builds the commands, in order. Without a named revision, uses the one of the state.
    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure>;

    /// Prints a preview of its own; `None` for the plan of the commands.
    fn preview(&self, _session: &Session<'_>) -> Option<Result<(), Failure>> {
        None
    }
}

/// A verb that only prints something of a session.
pub trait Look: fmt::Debug {
    /// Prints it.
    fn print(&self, common: &Common) -> Result<Code, Failure>;
}

/// A verb with its arguments, as typed.
#[derive(Debug)]
pub enum Verb {
    /// It acts on the session.
    Act(Box<dyn Act>),
    /// It prints something.
    Look(Box<dyn Look>),
}

/// A line of the list: the name of a verb, its arguments, and how they are read.
struct Entry {
    name: &'static str,
    arguments: fn(clap::Command) -> clap::Command,
    read: fn(&ArgMatches) -> Result<Verb, clap::Error>,
}

const fn act<V: Act + clap::Args + 'static>(name: &'static str) -> Entry {
    Entry {
        name,
        arguments: V::augment_args,
        read: |found| Ok(Verb::Act(Box::new(V::from_arg_matches(found)?))),
    }
}

const fn look<V: Look + clap::Args + 'static>(name: &'static str) -> Entry {
    Entry {
        name,
        arguments: V::augment_args,
        read: |found| Ok(Verb::Look(Box::new(V::from_arg_matches(found)?))),
    }
}

/// Every verb, in the order of help.
static VERBS: &[Entry] = &[
    act::<approve::Approve>("approve"),
    act::<approve_all::ApproveAll>("approve-all"),
    act::<allow::Allow>("allow"),
    act::<add_rule::AddRule>("add-rule"),
    act::<drop_rule::DropRule>("drop-rule"),
    act::<reject::Reject>("reject"),
    act::<edit::Edit>("edit"),
    act::<replace::Replace>("replace"),
    act::<answer::Answer>("answer"),
    act::<retry::Retry>("retry"),
    act::<unpin::Unpin>("unpin"),
    act::<cancel::Cancel>("cancel"),
    act::<guide::Guide>("guide"),
    act::<insert_thought::InsertThought>("insert-thought"),
    act::<insert_call::InsertCall>("insert-call"),
    act::<delete::Delete>("delete"),
    act::<reject_answer::RejectAnswer>("reject-answer"),
    act::<commit::Commit>("commit"),
    act::<undo::Undo>("undo"),
    act::<undo::Redo>("redo"),
    act::<switch::Switch>("switch"),
    act::<copy::Copy>("copy"),
    act::<consent::Consent>("consent"),
    act::<restore::Restore>("restore"),
    act::<resolve::Resolve>("resolve"),
    act::<probe::Probe>("probe"),
    act::<probe::Compensate>("compensate"),
    act::<ask_again::AskAgain>("ask-again"),
    act::<keep::Keep>("keep"),
    act::<pause::Pause>("pause"),
    act::<pause::Unpause>("unpause"),
    act::<restrict::Restrict>("restrict"),
    act::<step::Step>("step"),
    act::<loops::AllowLoop>("allow-loop"),
    act::<loops::MuteLoops>("mute-loops"),
    act::<stop::StopTurn>("stop-turn"),
    act::<stop::Stop>("stop"),
    act::<shorten::Shorten>("shorten"),
    act::<shorten::Summarize>("summarize"),
    act::<shorten::DropTurns>("drop-turns"),
    act::<set_limits::SetLimits>("set-limits"),
    act::<run_now::RunNow>("run-now"),
    act::<repair::ChooseRepair>("choose-repair"),
    act::<repair::SkipRepair>("skip-repair"),
    act::<reset_breaker::ResetBreaker>("reset-breaker"),
    act::<classify::Classify>("classify"),
    act::<set_resilience::SetResilience>("set-resilience"),
    act::<set_policy::SetPolicy>("set-policy"),
    act::<weights::SetWeight>("set-weight"),
    act::<weights::ResetWeights>("reset-weights"),
    look::<changes::Changes>("changes"),
    Entry {
        name: "sandbox",
        arguments: <sandbox::Sandbox as clap::Args>::augment_args,
        read: sandbox::read,
    },
];

impl FromArgMatches for Verb {
    fn from_arg_matches(found: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, arguments) = found.subcommand().ok_or_else(missing)?;
        let entry = VERBS
            .iter()
            .find(|entry| entry.name == name)
            .ok_or_else(missing)?;
        (entry.read)(arguments)
    }

    fn update_from_arg_matches(&mut self, found: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(found)?;
        Ok(())
    }
}

impl Subcommand for Verb {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        let verb = |entry: &Entry| (entry.arguments)(clap::Command::new(entry.name));
        command.subcommands(VERBS.iter().map(verb))
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        VERBS.iter().any(|entry| entry.name == name)
    }
}

/// Runs a verb.
pub fn verb(common: &Common, verb: &Verb) -> Result<Code, Failure> {
    match verb {
        Verb::Act(verb) => carry_out(common, &**verb),
        Verb::Look(verb) => verb.print(common),
    }
}

fn carry_out(common: &Common, verb: &dyn Act) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    let on = verb.on();
    let place = context.find(&on.session)?;
    let found = record::as_found(&place)?;
    let (state, held) = (found.state, found.held);
    let session = Session {
        common,
        context: &context,
        place: &place,
        state: &state,
    };
    let commands = restoring::with_files(&session, verb.planned(), verb.commands(&session)?)?;
    if verb.is_preview()
        && let Some(printed) = verb.preview(&session)
    {
        return printed.map(|()| Code::Ok);
    }
    for words in commands.iter().flat_map(heeded) {
        print::err(&words);
    }
    // Report orphan processes before a verb replaces their calls; a resume reports them anyway.
    if !held && (!on.resume || verb.is_preview()) && commands.iter().any(about_nodes) {
        for words in resume::orphan_processes(&state) {
            print::err(&words);
        }
    }
    if verb.is_preview() {
        for command in &commands {
            preview(&session, command)?;
        }
        return Ok(Code::Ok);
    }
    if commands.iter().any(restoring::writes) {
        restoring::check_writer(&session)?;
    }
    if on.resume && !held {
        resume::check(common, &state, &place.id())?;
    }
    let (mut elsewhere, mut last) = (false, state.seq);
    for command in &commands {
        // Use the id: `last` may change meanwhile.
        let recorded = record::decide(common, &context, &place.id(), command)?;
        elsewhere = recorded.elsewhere;
        if matches!(command, Command::Files(_)) && !elsewhere {
            restoring::print_end(&place, last)?;
        }
        last = recorded.seq;
        // With --resume, standard output is for the answer.
        if on.resume && !elsewhere {
            print::err(&recorded.line(common));
        } else {
            print::out(&recorded.line(common));
        }
    }
    // In the process that has it open, the run continues anyway.
    if on.resume && !elsewhere {
        return resume::resume_session(common, context, &place.id(), false);
    }
    Ok(Code::Ok)
}

/// True for commands on calls and edits.
fn about_nodes(command: &Command) -> bool {
    matches!(command.plain(), Command::Edit(_) | Command::Call(_))
}

/// Warnings about the texts of an edit.
fn heeded(command: &Command) -> Vec<String> {
    let Command::Edit(EditCommand::Commit { edits, .. }) = command.plain() else {
        return Vec::new();
    };
    let words = edits.iter().filter_map(Edit::text);
    words.filter_map(|words| submit_warning(words)).collect()
}

/// Prints what a command would do; returns the refusal of the command, if any.
fn preview(session: &Session<'_>, command: &Command) -> Result<(), Failure> {
    let state = session.state;
    let adviser = record::adviser(session.common, session.context, session.place, state)?;
    let events = decide::command(state, &adviser, command)?;
    let foreseen = lineage::of_events(state, &events);
    let view = PlanView::of(state, &foreseen, Some(command.plain()));
    print::out(&if session.common.json {
        json(&view)
    } else {
        plan::describe(&view)
    });
    restoring::print_with(session, command)
}
