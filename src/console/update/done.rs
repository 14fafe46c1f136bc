//! What is said once a command of this console's was carried out, where what it did is not the first thing that one
//! sees. Must not know: how it is told, what becomes of what was open.

use std::fmt::Write as _;

use super::prompts::limits_line;
use super::stage;
use crate::console::model::Model;
use crate::console::model::overlay::LinePrompt;
use crate::console::rows::many;
use crate::domain::auto_approved;
use crate::domain::call::Status;
use crate::domain::command::{CallCommand, Command, EditCommand, EscapeCommand, RunCommand};
use crate::domain::event::run::Limits;
use crate::text::visible;

/// The words, for what was typed in this line; none where the screen shows it by itself.
pub(super) fn describe(model: &Model, command: &Command, line: Option<&LinePrompt>) -> Option<String> {
    match command {
        Command::Call(CallCommand::Approve { call, unread, .. }) => {
            let waits = stage::waits(model, *call);
            Some(match unread {
                0 => format!("approved {call}{waits}"),
                bytes => format!("approved {call} with {bytes} bytes unread{waits}"),
            })
        }
        Command::Call(CallCommand::Reject { call, .. }) => Some(format!("rejected {call}: it does not run")),
        Command::Edit(EditCommand::Commit { edits, .. }) => {
            Some(format!("committed {}", many(edits.len(), "edit")))
        }
        Command::Run(RunCommand::SetPolicy { policy }) => Some(policy_is(model, policy)),
        Command::Run(RunCommand::SetLimits { limits }) => {
            Some(limits_are(limits, line.map_or("", |line| line.field.original())))
        }
        Command::Escape(EscapeCommand::Mute { detector, muted }) => Some(if *muted {
            format!("the detector {} is muted", detector.name())
        } else {
            format!("the detector {} is listened to again", detector.name())
        }),
        _ => None,
    }
}

/// The limits that are others than those that stood in the line when it was opened.
fn limits_are(limits: &Limits, before: &str) -> String {
    let now = limits_line(limits);
    let changed = now
        .split(' ')
        .filter(|one| before.split(' ').all(|old| old != *one));
    let words: Vec<String> = changed
        .filter_map(|one| one.split_once('='))
        .map(|(name, value)| format!("limit {name} is now {value}"))
        .collect();
    if words.is_empty() {
        return "the limits are what they were".to_owned();
    }
    words.join(", ")
}

/// A policy judges what comes, and what the one before it let run and has not begun. What was asked before goes on
/// waiting, whatever the new one says of it.
fn policy_is(model: &Model, policy: &str) -> String {
    let state = &model.run.state;
    let waits = state
        .queue()
        .filter(|call| call.status == Status::AwaitingApproval);
    let (again, before): (Vec<_>, Vec<_>) = waits.partition(|call| auto_approved::is_taken_back(state, call));
    let mut words = format!("the policy is {} from now on", visible(policy));
    if !before.is_empty() {
        let go = if before.len() == 1 { "goes" } else { "go" };
        let _ = write!(
            words,
            "; {} asked before it and {go} on waiting for you",
            many(before.len(), "call")
        );
    }
    if !again.is_empty() {
        let ask = if again.len() == 1 { "asks" } else { "ask" };
        let _ = write!(
            words,
            "; {} that had been let run {ask} you now",
            many(again.len(), "call")
        );
    }
    words
}
