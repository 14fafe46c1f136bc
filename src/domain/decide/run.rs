//! Decides commands about the run as a whole.
//!
//! Must not know: details of calls.

use std::sync::Arc;

use super::checks::over;
use super::edit;
use super::reduce::reduce;
use crate::agent::{LinkedSession, Rewriting, SideRequest};
use crate::command::RunCommand;
use crate::draft::Draft;
use crate::event::run::Reduction;
use crate::event::{RunEvent, TurnEvent};
use crate::id::{NodeKind, TurnId};
use crate::node::{Channel, Origin};
use crate::overflow::not_unchanged;
use crate::pending_retry;
use crate::refusal::{Refusal, RefusalKind};
use crate::regenerate;
use crate::request::request_again;
use crate::state::{Mode, TURN_STOPPED};
use crate::stop::{open_turns, stop_for};
use crate::turn::{Stop, Stream, Turn, Usage};

pub(super) fn decide(draft: &mut Draft<'_>, command: &RunCommand) -> Result<(), Refusal> {
    match command {
        RunCommand::Pause { reason } => pause(draft, reason),
        RunCommand::Resume {} => resume(draft),
        RunCommand::Step {} => step(draft),
        RunCommand::Restrict { reason } => restrict(draft, reason),
        RunCommand::LiftRestriction {} => lift_restriction(draft),
        RunCommand::StopTurn {} => stop_turn(draft),
        RunCommand::Stop { reason } => stop(draft, reason),
        RunCommand::AskAgain { turn, request } => {
            same_request(draft, *turn, *request)?;
            ask_again(draft, *turn)
        }
        RunCommand::KeepArrived { turn, request } => {
            same_request(draft, *turn, *request)?;
            keep_arrived(draft, *turn)
        }
        RunCommand::Shorten {} => reduce(draft, Reduction::Shorten),
        RunCommand::Summarize {} => reduce(draft, Reduction::Summarize),
        RunCommand::DropTurns {} => reduce(draft, Reduction::DropTurns),
        RunCommand::SetLimits { limits } => {
            limits
                .check()
                .map_err(|why| Refusal::new(RefusalKind::Invalid, why))?;
            draft.run(RunEvent::LimitsRaised { limits: *limits });
            if draft.state.tally.limit_reached.is_some() {
                draft.run(RunEvent::Resumed {});
            }
            Ok(())
        }
        // These need a policy: decided by `super::rule`.
        RunCommand::AddRule { .. } | RunCommand::DropRule { .. } | RunCommand::SetPolicy { .. } => Ok(()),
        RunCommand::Title { title } => {
            let title = title.trim();
            if title.is_empty() || title.chars().count() > 200 {
                return Err(Refusal::new(
                    RefusalKind::Invalid,
                    "a session's name has 1 to 200 characters",
                ));
            }
            draft.run(RunEvent::Titled {
                title: title.to_owned(),
            });
            Ok(())
        }
    }
}

fn pause(draft: &mut Draft<'_>, reason: &str) -> Result<(), Refusal> {
    match &draft.state.mode {
        Mode::Running => {
            draft.run(RunEvent::Paused {
                reason: reason.to_owned(),
            });
            Ok(())
        }
        Mode::Paused(_) => Err(Refusal::new(RefusalKind::NoChange, "the run is already paused")),
        Mode::Stopped(_) | Mode::Finished(_) => Err(over(&draft.state.mode)),
    }
}

fn resume(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    if let Some((which, message)) = &draft.state.tally.limit_reached {
        return Err(Refusal::new(
            RefusalKind::Status,
            format!("the limit of {which} is reached ({message}); hint: raise it to continue"),
        ));
    }
    match &draft.state.mode {
        Mode::Paused(_) | Mode::Stopped(_) => {
            draft.run(RunEvent::Resumed {});
            Ok(())
        }
        Mode::Running => Err(Refusal::new(RefusalKind::NoChange, "the run is not paused")),
        Mode::Finished(_) => Err(over(&draft.state.mode)),
    }
}

/// Possible in every mode: a stopped or finished run may continue later.
fn restrict(draft: &mut Draft<'_>, reason: &Arc<str>) -> Result<(), Refusal> {
    if draft.state.settings.restricted.is_some() {
        return Err(Refusal::new(
            RefusalKind::NoChange,
            "the run is already restricted to reading calls",
        ));
    }
    draft.run(RunEvent::Restricted {
        reason: reason.clone(),
    });
    Ok(())
}

fn lift_restriction(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    if draft.state.settings.restricted.is_none() {
        return Err(Refusal::new(
            RefusalKind::NoChange,
            "the run is not restricted to reading calls",
        ));
    }
    draft.run(RunEvent::RestrictionLifted {});
    Ok(())
}

fn step(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    match &draft.state.mode {
        Mode::Paused(_) if draft.state.tally.limit_reached.is_none() => {
            draft.run(RunEvent::Stepped {});
            Ok(())
        }
        Mode::Paused(_) => resume(draft),
        Mode::Running => Err(Refusal::new(
            RefusalKind::Status,
            "pause the run first: a step allows one launch or request",
        )),
        Mode::Stopped(_) | Mode::Finished(_) => Err(over(&draft.state.mode)),
    }
}

fn stop_turn(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    // A turn that waits for a retry is open as well.
    let mut open = open_turns(draft.state);
    open.extend(pending_retry::all(draft.state).map(|again| again.turn));
    if open.is_empty() {
        return Err(Refusal::new(
            RefusalKind::Status,
            "no turn is streaming or waiting for a retry",
        ));
    }
    for turn in open {
        draft.turn_event(TurnEvent::Aborted {
            turn,
            reason: Arc::from("stopped by the operator"),
        });
    }
    if draft.state.mode == Mode::Running {
        draft.run(RunEvent::Paused {
            reason: TURN_STOPPED.into(),
        });
    }
    Ok(())
}

fn stop(draft: &mut Draft<'_>, reason: &str) -> Result<(), Refusal> {
    if matches!(draft.state.mode, Mode::Stopped(_)) {
        return Err(Refusal::new(RefusalKind::NoChange, "the run is already stopped"));
    }
    if matches!(draft.state.mode, Mode::Finished(_)) {
        return Err(over(&draft.state.mode));
    }
    stop_for(draft, reason);
    Ok(())
}

fn broken(draft: &Draft<'_>, turn: TurnId) -> Result<(), Refusal> {
    match draft.state.turns.get(&turn) {
        Some(found) if !found.is_active() => Err(Refusal::new(
            RefusalKind::Superseded,
            format!("{turn} is superseded"),
        )),
        Some(found) if matches!(found.stream, Stream::Broken(_)) => Ok(()),
        Some(_) => Err(Refusal::new(
            RefusalKind::Status,
            format!("{turn} is neither broken nor whole"),
        )),
        None => Err(Refusal::new(RefusalKind::Unknown, format!("there is no {turn}"))),
    }
}

/// Refuses a command about another request of a turn than the one that was shown.
fn same_request(draft: &Draft<'_>, turn: TurnId, shown: Option<u32>) -> Result<(), Refusal> {
    let now = draft.state.turns.get(&turn).map(|turn| turn.asked);
    match (shown, now) {
        (Some(shown), Some(now)) if shown != now => Err(Refusal::new(
            RefusalKind::Changed,
            format!(
                "{turn} changed since it was shown (you saw request {shown}, it is {now}); hint: review it"
            ),
        )),
        _ => Ok(()),
    }
}

fn ask_again(draft: &mut Draft<'_>, turn: TurnId) -> Result<(), Refusal> {
    if let Mode::Stopped(_) = draft.state.mode {
        return Err(over(&draft.state.mode));
    }
    if draft.state.turns.get(&turn).is_some_and(Turn::is_whole) {
        return edit::regenerate_turn(draft, turn);
    }
    broken(draft, turn)?;
    not_unchanged(draft.state, turn)?;
    regenerate::nothing_open_before(draft.state, turn)?;
    let event = request_again(draft.state, turn);
    draft.events.extend(event);
    Ok(())
}

fn keep_arrived(draft: &mut Draft<'_>, turn: TurnId) -> Result<(), Refusal> {
    broken(draft, turn)?;
    let partial = draft
        .state
        .turns
        .get(&turn)
        .and_then(|turn| turn.more.open.as_ref()?.model_text().map(Arc::from));
    if !pending_retry::has_arrived(draft.state, turn) {
        return Err(Refusal::new(
            RefusalKind::Status,
            format!("{turn} has no complete block; hint: ask again, or add a prompt"),
        ));
    }
    if let Some(text) = partial {
        let node = draft.node(NodeKind::Thought);
        draft.turn_event(TurnEvent::Thought {
            turn,
            node,
            text,
            channel: Channel::Spoken,
            opaque: None,
            origin: Origin::Model,
        });
    }
    draft.turn_event(TurnEvent::Closed {
        turn,
        stop: Stop::Accepted,
        usage: Usage::default(),
    });
    Ok(())
}

/// Records how long an agent waits, and what it rewrote. A request that says neither is no fact.
pub(super) fn agent_asked(draft: &mut Draft<'_>, wait_ms: Option<u64>, rewriting: Option<&Rewriting>) {
    if wait_ms.is_some() || draft.state.origin.agent.wait.is_some() {
        draft.run(RunEvent::AgentAsked { wait_ms });
    }
    if let Some(rewriting) = rewriting {
        draft.run(RunEvent::HistoryRewritten(rewriting.clone()));
    }
}

/// Records a request without tools.
pub(super) fn side_request(draft: &mut Draft<'_>, one: &SideRequest) {
    draft.run(RunEvent::SideRequest(one.clone()));
}

/// Records once which session belongs to this one.
pub(super) fn linked(draft: &mut Draft<'_>, link: &LinkedSession) {
    if !draft.state.origin.agent.links.contains(link) {
        draft.run(RunEvent::Linked(link.clone()));
    }
}

/// Records once which form of requests a server needs.
pub(super) fn quirk(draft: &mut Draft<'_>, server: &Arc<str>, quirk: &Arc<str>, words: &Arc<str>) {
    let known = draft.state.learned.quirks.get(server);
    if known.is_some_and(|known| known.contains(quirk)) {
        return;
    }
    draft.run(RunEvent::QuirkLearned {
        server: server.clone(),
        quirk: quirk.clone(),
        words: words.clone(),
    });
}

/// Checks the limit of working time.
pub(super) fn worked(draft: &mut Draft<'_>, ms: u64) {
    if let Some(limit) = draft.state.settings.limits.wall_ms
        && ms >= limit
        && draft.state.tally.limit_reached.is_none()
        && draft.state.mode == Mode::Running
    {
        let message = format!("{} s of working time, {} s allowed", ms / 1000, limit / 1000);
        draft.run(RunEvent::LimitReached {
            which: "time".into(),
            message,
        });
    }
}
