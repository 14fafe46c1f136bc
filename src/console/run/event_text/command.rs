//! Describes a command in a few words, for the reply to it.
//!
//! Must not know: keys, what a command does.

use overrule_base::text::visible;
use overrule_domain::command::{
    CallCommand, Command, Edit, EditCommand, EscapeCommand, FilesCommand, ResilienceCommand, RunCommand,
    SandboxCommand, WeightCommand,
};
use overrule_domain::sandbox::Widening;

/// Describes a command, such as `approve c5`.
pub fn command(command: &Command) -> String {
    match command {
        Command::Run(command) => run(command),
        Command::Call(command) => call(command),
        Command::Edit(command) => edit(command),
        Command::Escape(command) => escape(command),
        Command::Resilience(command) => resilience(command),
        Command::Weight(command) => weight(command),
        Command::Sandbox(command) => sandbox(command),
        Command::Files(command) => files(command),
    }
}

fn run(command: &RunCommand) -> String {
    match command {
        RunCommand::Pause { .. } => "pause".to_owned(),
        RunCommand::Resume {} => "resume".to_owned(),
        RunCommand::Step {} => "step".to_owned(),
        RunCommand::Restrict { .. } => "restrict to reading calls".to_owned(),
        RunCommand::LiftRestriction {} => "lift the restriction".to_owned(),
        RunCommand::StopTurn {} => "stop the turn".to_owned(),
        RunCommand::Stop { .. } => "stop everything".to_owned(),
        RunCommand::AskAgain { turn, .. } => format!("ask again for {turn}"),
        RunCommand::KeepArrived { turn, .. } => format!("keep what arrived of {turn}"),
        RunCommand::Shorten {} => "shorten old results for the model".to_owned(),
        RunCommand::Summarize {} => "replace old turns with a summary".to_owned(),
        RunCommand::DropTurns {} => "leave out old turns for the model".to_owned(),
        RunCommand::SetLimits { .. } => "set limits".to_owned(),
        RunCommand::SetPolicy { policy } => format!("policy {}", visible(policy)),
        RunCommand::Title { .. } => "name the session".to_owned(),
        RunCommand::AddRule { .. } => "accept the rule".to_owned(),
        RunCommand::DropRule { no } => format!("drop rule {no}"),
    }
}

fn call(command: &CallCommand) -> String {
    match command {
        CallCommand::Approve { call, rev, .. } => {
            format!("approve {}", overrule_present::revised(*call, *rev))
        }
        CallCommand::Reject { call, .. } => format!("reject {call}"),
        CallCommand::Answer { call, .. } => format!("answer for {call}"),
        CallCommand::Cancel { call, .. } => format!("cancel {call}"),
        CallCommand::Retry { call, .. } => format!("run {call} again"),
        CallCommand::Consent { call, .. } => format!("decide the repeated effect of {call}"),
        CallCommand::Resolve { call, .. } => format!("resolve {call}"),
        CallCommand::Unpin { node, .. } => format!("unpin {node}"),
    }
}

fn edit(command: &EditCommand) -> String {
    match command {
        EditCommand::Commit { edits, .. } => match edits.as_slice() {
            [Edit::Call { node, .. } | Edit::Text { node, .. } | Edit::Observation { node, .. }] => {
                format!("edit {node}")
            }
            [Edit::RejectAnswer { node, .. }] => format!("reject {node}"),
            [Edit::Copy { node, from, .. }] => format!("copy {node} from branch {}", from.0),
            [Edit::Delete { node, .. }] => format!("delete {node}"),
            [Edit::InsertPrompt { .. }] => "insert a prompt".to_owned(),
            [Edit::InsertThought { .. }] => "insert a thought".to_owned(),
            [Edit::InsertCall { .. }] => "insert a call".to_owned(),
            edits => format!("commit {} edits", edits.len()),
        },
        EditCommand::Undo { .. } => "undo".to_owned(),
        EditCommand::Redo { .. } => "redo".to_owned(),
        EditCommand::Switch { to, .. } => format!("switch to branch {}", to.0),
        EditCommand::Name { epoch, .. } => format!("name branch {}", epoch.0),
        EditCommand::Hold { node } => format!("suspend the calls that wait for {node}"),
        EditCommand::Release { .. } => "release suspended calls".to_owned(),
    }
}

fn escape(command: &EscapeCommand) -> String {
    match command {
        EscapeCommand::AllowIncident {
            incident,
            allowed: true,
        } => format!("allow loop {incident}"),
        EscapeCommand::AllowIncident { incident, .. } => format!("withdraw the allowance of loop {incident}"),
        EscapeCommand::Mute { muted: true, .. } => "mute a detector".to_owned(),
        EscapeCommand::Mute { muted: false, .. } => "unmute a detector".to_owned(),
    }
}

fn resilience(command: &ResilienceCommand) -> String {
    match command {
        ResilienceCommand::RunNow { call, .. } => format!("run {call} now"),
        ResilienceCommand::ResetBreaker { .. } => "reset the breaker".to_owned(),
        ResilienceCommand::Configure { key, .. } => format!("set {}", visible(key)),
        ResilienceCommand::ChooseRepair { call, .. } => format!("choose a repair for {call}"),
        ResilienceCommand::SkipRepair { call, .. } => format!("stop repairing {call}"),
    }
}

fn sandbox(command: &SandboxCommand) -> String {
    match command {
        SandboxCommand::Widen {
            by: Widening::Host(host),
        } => format!("allow the host {}", visible(host)),
        SandboxCommand::Widen {
            by: Widening::Directory(directory),
        } => format!("make {} writable", visible(directory)),
        SandboxCommand::Keep { call, path } => format!("keep the change of {} by {call}", visible(path)),
    }
}

fn files(command: &FilesCommand) -> String {
    match command {
        FilesCommand::Restore { calls, .. } => match calls.as_slice() {
            [call] => format!("restore the files of {call}"),
            calls => format!("restore the files of {} calls", calls.len()),
        },
        FilesCommand::RestoreBranch { to, .. } => format!("restore the files of branch {}", to.0),
        FilesCommand::UndoRestore { restore, .. } => format!("undo the restore {restore}"),
        FilesCommand::Continue { restore } => format!("continue the restore {restore}"),
        FilesCommand::Leave { restore } => format!("leave the restore {restore}"),
        FilesCommand::Seen { .. } => "mark changes as seen".to_owned(),
        FilesCommand::With { command, .. } => format!("{} and restore files", self::command(command)),
    }
}

fn weight(command: &WeightCommand) -> String {
    match command {
        WeightCommand::Set { tool, .. } => format!("set the weight of {}", visible(tool)),
        WeightCommand::Reset { tool: Some(tool) } => format!("reset the weights of {}", visible(tool)),
        WeightCommand::Reset { tool: None } => "reset all weights".to_owned(),
    }
}
