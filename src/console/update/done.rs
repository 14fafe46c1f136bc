//! What is said once a command of this console's was carried out, where what it did is not the first thing that one
//! sees. Must not know: how it is told, what becomes of what was open.

use super::collect;
use crate::console::model::Model;
use crate::console::rows::many;
use crate::domain::call::Status;
use crate::domain::command::{CallCommand, Command, EditCommand, EscapeCommand, RunCommand};
use crate::text::visible;

/// The words; none where the screen shows it by itself.
pub(super) fn words(model: &Model, command: &Command) -> Option<String> {
    match command {
        Command::Call(CallCommand::Approve { call, unread, .. }) => {
            let waits = collect::waits(model, *call);
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
        Command::Escape(EscapeCommand::Mute { detector, muted }) => Some(if *muted {
            format!("the detector {} is muted", detector.name())
        } else {
            format!("the detector {} is listened to again", detector.name())
        }),
        _ => None,
    }
}

/// A policy judges what comes: what was asked before goes on waiting, whatever the new one says of it.
fn policy_is(model: &Model, policy: &str) -> String {
    let waits = model.run.state.queue();
    let waits = waits.filter(|call| call.status == Status::Awaiting).count();
    let policy = visible(policy);
    match waits {
        0 => format!("the policy is {policy} from now on"),
        count => format!(
            "the policy is {policy} from now on; {} asked before it and {} on waiting for you",
            many(count, "call"),
            if count == 1 { "goes" } else { "go" }
        ),
    }
}
