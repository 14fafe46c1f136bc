//! One line for each fact that an operator would want to know of while no screen shows it. Must not
//! know: where it is printed.

use super::print;
use crate::domain::call::{Decision, Outcome};
use crate::domain::event::{CallEvent, Event, RunEvent, TurnEvent};
use crate::domain::id::NodeId;
use crate::domain::state::State;
use crate::text::visible;

/// The line of a fact; the state is the one before it.
pub fn line(state: &State, event: &Event) -> Option<String> {
    let name = |id: &NodeId| {
        let node = state.nodes.get(id)?;
        let (tool, args) = node.as_call()?;
        Some(format!(
            "{id} {} {}",
            visible(tool),
            visible(&args.chars().take(100).collect::<String>())
        ))
    };
    match event {
        Event::Turn(TurnEvent::Requested {
            turn,
            request,
            wait_ms,
            ..
        }) => Some(match (request, wait_ms) {
            (1, _) => format!("{turn}: asking the model"),
            (_, 0) => format!("{turn}: asking the model again"),
            (_, ms) => format!("{turn}: asking the model again in {ms} ms"),
        }),
        Event::Turn(TurnEvent::Broken { turn, fault, .. }) => Some(format!(
            "{turn}: {}: {}",
            fault.kind.word(),
            print::told(&fault.message)
        )),
        Event::Call(CallEvent::Checked { call, faults, .. } | CallEvent::Unfit { call, faults, .. })
            if !faults.is_empty() =>
        {
            let wrong: Vec<String> = faults
                .iter()
                .map(|fault| print::told_line(&fault.message))
                .collect();
            name(call).map(|name| format!("{name}: cannot run: {}", wrong.join("; ")))
        }
        Event::Call(CallEvent::Started { call, .. }) => name(call).map(|name| format!("{name}: running")),
        Event::Call(CallEvent::Finished {
            call, outcome, ms, ..
        }) => Some(format!("{call}: {} ({ms} ms)", ended(outcome))),
        Event::Call(CallEvent::Decided { call, decision, .. }) => match decision {
            Decision::Deny { rule, reason } => Some(format!(
                "{call}: denied by {}: {}",
                print::told_line(rule),
                print::told_line(reason)
            )),
            Decision::Expire { .. } => Some(format!("{call}: not approved: no operator")),
            _ => None,
        },
        Event::Call(CallEvent::Asked {
            call,
            deadline_ms: Some(ms @ 1..),
            ..
        }) => name(call).map(|name| format!("{name}: waits for approval, at most {ms} ms")),
        Event::Run(RunEvent::Refused { command, reason }) => Some(format!(
            "refused: {}: {}",
            print::told_line(command),
            print::told_line(reason)
        )),
        Event::Run(RunEvent::LimitReached { message, .. }) => {
            Some(format!("limit reached: {}", print::told_line(message)))
        }
        _ => None,
    }
}

fn ended(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Ok { .. } => "ok".to_owned(),
        Outcome::Err(error) => format!("{}: {}", error.class.word(), print::told_line(&error.message)),
        Outcome::Cancelled { .. } => "cancelled".to_owned(),
    }
}
