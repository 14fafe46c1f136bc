//! Makes the status text after a command of this console was carried out.
//!
//! Must not know: how a status text is drawn, what closes after a command.

use std::fmt::Write as _;

use crate::kernel::model::Model;
use crate::kernel::prompt::Prompt;
use crate::surfaces::next_task;
use crate::surfaces::staged_edits::hold;
use crate::verbs::limits;
use overrule_base::text::visible;
use overrule_domain::auto_approved;
use overrule_domain::call::Status;
use overrule_domain::command::{
    CallCommand, Command, Edit, EditCommand, EscapeCommand, FilesCommand, RunCommand, SandboxCommand,
};
use overrule_domain::event::run::Limits;
use overrule_domain::id::NodeKind;
use overrule_domain::sandbox::Widening;
use overrule_present::many;

/// The status text for a command and the line that it was typed in; `None` if the screen shows
/// the result by itself.
pub(crate) fn describe(model: &Model, command: &Command, line: Option<&Prompt>) -> Option<String> {
    match command {
        Command::Call(CallCommand::Approve { call, unread, .. }) => {
            let waits = hold::waits(model, *call);
            Some(match unread {
                0 => format!("Approved {call}{waits}"),
                bytes => format!("Approved {call} with {bytes} bytes unread{waits}"),
            })
        }
        Command::Call(CallCommand::Reject { call, .. }) => Some(format!("Rejected {call}: it does not run")),
        Command::Edit(EditCommand::Commit { edits, .. }) => {
            if let [Edit::InsertPrompt { after: None, .. }] = edits.as_slice() {
                return Some(given(model));
            }
            Some(format!("Committed {}", many(edits.len(), "edit")))
        }
        Command::Run(RunCommand::SetPolicy { policy }) => Some(policy_is(model, policy)),
        Command::Run(RunCommand::SetLimits { limits }) => {
            Some(limits_are(limits, line.map_or("", |line| line.field.original())))
        }
        Command::Escape(EscapeCommand::Mute { detector, muted }) => Some(if *muted {
            format!("Detector {} is muted", detector.name())
        } else {
            format!("Detector {} is unmuted", detector.name())
        }),
        Command::Sandbox(SandboxCommand::Widen { by }) => Some(match by {
            Widening::Host(host) => format!("{} is allowed in this session", visible(host)),
            Widening::Directory(directory) => format!("{} is writable in this session", visible(directory)),
        }),
        Command::Sandbox(SandboxCommand::Keep { path, .. }) => {
            Some(format!("The change of {} stays", visible(path)))
        }
        Command::Files(command) => files(model, command, line),
        _ => None,
    }
}

/// The status text after a command about files. How a restore ends is reported by its event.
fn files(model: &Model, command: &FilesCommand, line: Option<&Prompt>) -> Option<String> {
    let open = model.run.state.operator.files.open();
    let restoring = open.map(|record| {
        let paths = many(record.started.steps.0.len(), "path");
        format!("Restoring {paths} ({})", record.started.restore)
    });
    match command {
        FilesCommand::With { command, .. } => {
            let done = describe(model, command, line);
            match (done, restoring) {
                (Some(done), Some(restoring)) => Some(format!("{done}. {restoring}")),
                (None, Some(restoring)) => Some(restoring),
                (done, None) => done,
            }
        }
        FilesCommand::Continue { restore } => Some(format!("Continuing the restore {restore}")),
        FilesCommand::Leave { restore } => Some(format!("{restore} is left as it is")),
        FilesCommand::Seen { .. } => Some("Marked as seen".to_owned()),
        FilesCommand::Restore { .. }
        | FilesCommand::RestoreBranch { .. }
        | FilesCommand::UndoRestore { .. } => restoring,
    }
}

/// When a task is sent that was given now.
fn given(model: &Model) -> String {
    let prompts = model.run.state.nodes.keys().rev();
    let newest = prompts.copied().find(|id| id.kind == NodeKind::Prompt);
    match (newest, next_task::when(model)) {
        (Some(id), Some(when)) => {
            let edit = model.settings.keymap.first("edit");
            format!("{id} is {when}; until then {edit} on it changes it")
        }
        (Some(id), None) => format!("{id} is sent"),
        (None, _) => "Sent".to_owned(),
    }
}

/// The limits that differ from those in the line when it was opened, as text.
fn limits_are(limits: &Limits, before: &str) -> String {
    let now = limits::line(limits);
    let changed = now
        .split(' ')
        .filter(|one| before.split(' ').all(|old| old != *one));
    let words: Vec<String> = changed
        .filter_map(|one| one.split_once('='))
        .map(|(name, value)| format!("{name} is now {value}"))
        .collect();
    if words.is_empty() {
        return "Limits unchanged".to_owned();
    }
    format!("Limit {}", words.join(", "))
}

/// The status text for a new policy. It decides about new calls, and again about calls that the
/// policy before it approved and that have not started. Calls that asked before keep waiting.
fn policy_is(model: &Model, policy: &str) -> String {
    let state = &model.run.state;
    let waits = state
        .queue()
        .filter(|call| call.status == Status::AwaitingApproval);
    let (again, before): (Vec<_>, Vec<_>) = waits.partition(|call| auto_approved::is_taken_back(state, call));
    let mut words = format!("Policy is now {}", visible(policy));
    if !before.is_empty() {
        let wait = if before.len() == 1 { "waits" } else { "wait" };
        let _ = write!(
            words,
            "; {} asked before and still {wait} for you",
            many(before.len(), "call")
        );
    }
    if !again.is_empty() {
        let ask = if again.len() == 1 { "asks" } else { "ask" };
        let _ = write!(
            words,
            "; {} approved before {ask} you now",
            many(again.len(), "call")
        );
    }
    words
}
