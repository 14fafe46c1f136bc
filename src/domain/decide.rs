//! Turns a command or an input into events, or refuses it.
//!
//! Must not know: what the world does with the events.
//!
//! It decides only what follows directly. What follows from the new state is found by `advance`.

mod call;
mod checks;
mod consent;
pub mod edit;
mod escape;
mod execution;
mod files;
mod reduce;
mod resilience;
mod rule;
mod run;
mod sandbox;
mod stream;
mod weight;

pub use files::restore_plan;

use super::advice::Advice;
use super::command::{Command, RunCommand};
use super::draft::Draft;
use super::event::Event;
use super::holds::restore_holds;
use super::input::Input;
use super::refusal::Refusal;
use super::server_question;
use super::state::State;

/// Returns the events of a command, or why it is refused. A refused command changes nothing.
pub fn command(state: &State, advice: &dyn Advice, command: &Command) -> Result<Vec<Event>, Refusal> {
    let mut draft = Draft::new(state);
    match command {
        Command::Run(RunCommand::AddRule { rule, seen }) => rule::add(&mut draft, advice, rule, seen)?,
        Command::Run(RunCommand::SetPolicy { policy }) => rule::set_policy(&mut draft, advice, policy)?,
        Command::Run(RunCommand::DropRule { no }) => rule::drop_rule(&mut draft, advice, *no)?,
        Command::Run(command) => run::decide(&mut draft, command)?,
        Command::Call(command) => call::decide(&mut draft, advice, command)?,
        Command::Edit(command) => edit::decide(&mut draft, advice, command)?,
        Command::Escape(command) => escape::decide(&mut draft, command)?,
        Command::Resilience(command) => resilience::decide(&mut draft, advice, command)?,
        Command::Weight(command) => weight::decide(&mut draft, command)?,
        Command::Sandbox(command) => sandbox::decide(&mut draft, advice, command)?,
        Command::Files(command) => files::decide(&mut draft, advice, command)?,
    }
    if matches!(command, Command::Call(_) | Command::Edit(_)) {
        restore_holds(&mut draft, Some(command));
    }
    Ok(draft.events)
}

/// Returns the events of an input. An input that is too late for its turn gives none.
pub fn input(state: &State, input: &Input) -> Vec<Event> {
    let mut draft = Draft::new(state);
    match input {
        Input::Block { turn, request, block } => stream::block(&mut draft, (*turn, *request), block),
        Input::Partial {
            turn,
            request,
            text,
            spoken,
        } => stream::partial(&mut draft, (*turn, *request), text, *spoken),
        Input::QuirkLearned { server, quirk, words } => run::quirk(&mut draft, server, quirk, words),
        Input::Ended {
            turn,
            request,
            stop,
            usage,
        } => {
            stream::ended(&mut draft, (*turn, *request), stop, *usage);
        }
        Input::Broke {
            turn,
            request,
            fault,
            usage,
        } => {
            stream::broke(&mut draft, (*turn, *request), fault, *usage);
        }
        Input::Spawned { .. } | Input::Finished { .. } | Input::Probed { .. } => {
            execution::report(&mut draft, input);
        }
        Input::Confined {
            call,
            attempt,
            refused,
        } => sandbox::confined(&mut draft, *call, *attempt, refused),
        Input::ChangedOutside { changes } => files::changed_outside(&mut draft, changes),
        Input::Restored { restore, skipped } => files::restored(&mut draft, *restore, skipped),
        Input::NotKept {
            call,
            path,
            from,
            why,
        } => sandbox::not_kept(&mut draft, *call, (path, from), why),
        Input::RepairAnswered {
            call,
            rev,
            round,
            reply,
            passing,
            usage,
        } => resilience::answered(&mut draft, (*call, *rev, *round), (reply, *passing), *usage),
        Input::AgentAsked { wait_ms, rewriting } => {
            run::agent_asked(&mut draft, *wait_ms, rewriting.as_ref());
        }
        Input::SideRequest(one) => run::side_request(&mut draft, one),
        Input::Linked(link) => run::linked(&mut draft, link),
        Input::ServerAsked {
            question,
            server,
            args,
        } => server_question::ask(&mut draft, *question, server, args),
        Input::ServerWithdrew { question } => server_question::withdraw(&mut draft, *question),
        Input::SummaryAnswered {
            set,
            reply,
            passing,
            usage,
        } => {
            reduce::summary_answered(&mut draft, *set, (reply, *passing), *usage);
        }
        Input::ApproverAnswered {
            call,
            set,
            answer,
            reason,
        } => call::approver_answered(&mut draft, (*call, *set), *answer, reason),
        Input::Elapsed { timer, set } => resilience::elapsed(&mut draft, timer, *set),
        Input::Worked { ms } => run::worked(&mut draft, *ms),
    }
    draft.events
}
