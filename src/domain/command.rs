//! Defines the commands of the operator, or of a program instead of the operator.
//!
//! Must not know: keys, flags, how a refusal is shown.
//!
//! Every verb of the product is one command; console, palette and command line build the same
//! values. Each of them may be refused.

mod edit;
mod files;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use edit::{Edit, InsertAfter};
pub use files::FilesCommand;

use super::breaker::Scope;
use super::call::{Digest, Shown};
use super::escape::Detector;
use super::event::run::Limits;
use super::id::{Attempt, Epoch, NodeId, Rev, Seq, TurnId};
use super::rule::RuleRequest;
use super::sandbox::Widening;

/// A command, by family.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "family", content = "command", rename_all = "snake_case")]
pub enum Command {
    /// About the run as a whole.
    Run(RunCommand),
    /// About one call.
    Call(CallCommand),
    /// About the content of the graph.
    Edit(EditCommand),
    /// About loops.
    Escape(EscapeCommand),
    /// About the handling of failed calls.
    Resilience(ResilienceCommand),
    /// About how well tools serve.
    Weight(WeightCommand),
    /// About the sandbox.
    Sandbox(SandboxCommand),
    /// About the files of the workspace.
    Files(FilesCommand),
}

impl Command {
    /// Returns the command without the restore that goes with it.
    pub fn plain(&self) -> &Self {
        match self {
            Self::Files(FilesCommand::With { command, .. }) => command.plain(),
            _ => self,
        }
    }

    /// True for a command that only ends something. It is carried out even if it cannot be
    /// recorded: the next process finds an unknown outcome. Everything else must be recorded first.
    pub const fn only_ends(&self) -> bool {
        matches!(
            self,
            Self::Call(CallCommand::Cancel { .. })
                | Self::Run(RunCommand::Stop { .. } | RunCommand::StopTurn {})
        )
    }
}

/// Commands about the run as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RunCommand {
    /// Start nothing new; running calls finish.
    Pause {
        /// Why, for the log.
        reason: String,
    },
    /// Resume the run.
    Resume {},
    /// Allow one launch or request while paused.
    Step {},
    /// Start only reading calls from here on; running calls finish.
    Restrict {
        /// Why, for the log.
        reason: Arc<str>,
    },
    /// Allow every call to start again.
    LiftRestriction {},
    /// End the open stream; keep what arrived as the turn.
    StopTurn {},
    /// Stop everything, running calls too.
    Stop {
        /// Why.
        reason: String,
    },
    /// Ask the model again for a turn: a broken one continues, a whole one is replaced and later
    /// turns are superseded.
    AskAgain {
        /// The turn.
        turn: TurnId,
        /// Number of its request that was shown. The command is refused if there is a newer one.
        /// None if nothing was shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<u32>,
    },
    /// Use what arrived of a broken turn as the whole turn.
    KeepArrived {
        /// The turn.
        turn: TurnId,
        /// Number of its request that was shown. The command is refused if there is a newer one.
        /// None if nothing was shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<u32>,
    },
    /// Shorten old results for the model: before a request that is too long, or after a server refused one for that.
    Shorten {},
    /// Replace the oldest turns with a summary that the model writes, for the same reasons.
    Summarize {},
    /// Leave out the oldest turns, for the same reasons.
    DropTurns {},
    /// Change the limits.
    SetLimits {
        /// The new ones.
        limits: Limits,
    },
    /// Change the policy preset.
    SetPolicy {
        /// Its name.
        policy: String,
    },
    /// Name the session.
    Title {
        /// The name.
        title: String,
    },
    /// Add a rule for the rest of the session.
    AddRule {
        /// The rule.
        rule: RuleRequest,
        /// Digests of the waiting calls shown with it: it decides about these immediately.
        #[serde(default)]
        seen: Vec<Digest>,
    },
    /// Remove a rule of the session.
    DropRule {
        /// Its number.
        no: u32,
    },
}

/// Commands about one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum CallCommand {
    /// Approve it.
    Approve {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
        /// Hash of what was shown.
        digest: Digest,
        /// Bytes of it that had not been on screen.
        unread: u64,
        /// What was shown of it; none if it was not shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shown: Option<Shown>,
        /// The name of the tool, typed: required if the tool is tagged irreversible.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        word: Option<Arc<str>>,
    },
    /// Reject it.
    Reject {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
        /// The reason that the model sees.
        reason: String,
    },
    /// Give its result by hand; nothing runs.
    Answer {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
        /// JSON text of the value.
        value: Arc<str>,
    },
    /// End its running execution.
    Cancel {
        /// The call.
        call: NodeId,
        /// The execution that was shown. The command is refused if another one runs now. None if
        /// nothing was shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        attempt: Option<Attempt>,
        /// Why.
        reason: String,
    },
    /// Run a finished call again with the same arguments.
    Retry {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
    },
    /// Answer whether an effect may happen again.
    Consent {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
        /// Hash of what was shown.
        digest: Digest,
        /// The choice.
        choice: ConsentChoice,
        /// What was shown of it; none if it was not shown, or does not run again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shown: Option<Shown>,
        /// The name of the tool, typed: required to repeat a call whose tool is tagged
        /// irreversible.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        word: Option<Arc<str>>,
    },
    /// Give the outcome of an execution whose outcome is unknown.
    Resolve {
        /// The call.
        call: NodeId,
        /// The execution that was shown. The command is refused if another one has an unknown
        /// outcome now. None if nothing was shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        attempt: Option<Attempt>,
        /// The outcome.
        what: Resolution,
    },
    /// Unpin the operator's result, so that the call may run again.
    Unpin {
        /// The observation.
        node: NodeId,
        /// The revision that was shown. The command is refused if another one is active now. None
        /// if nothing was shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rev: Option<Rev>,
    },
}

/// What to do with an effect that may already have happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsentChoice {
    /// Use the recorded result of that execution.
    Reuse {
        /// The execution.
        entry: Seq,
    },
    /// Run it anyway.
    RunAgain,
    /// Do not run it.
    Reject {
        /// The reason that the model sees.
        reason: String,
    },
}

/// The outcome of an execution whose outcome was unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// It happened, with this value as JSON text.
    Happened {
        /// The value.
        value: Arc<str>,
    },
    /// It did not happen; it may run, after the gate.
    DidNot,
    /// It was cancelled and did not finish: the call ends as cancelled and does not run again. The
    /// ledger keeps the unknown outcome: part of it may have happened.
    DidNotFinish,
    /// The outcome stays unknown: the call ends without a result and does not run again. The ledger
    /// keeps the unknown outcome, and a later report is accepted.
    #[serde(alias = "leave")]
    Abandon {
        /// What the model sees in addition; may be empty.
        #[serde(default)]
        reason: String,
    },
}

/// Commands about the content of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EditCommand {
    /// Commit edits together.
    Commit {
        /// The edits, in order.
        edits: Vec<Edit>,
        /// Executed effects that the shown preview named. The commit is refused with a new preview
        /// if there are more now. None if no preview was shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effects_seen: Option<usize>,
        /// Why, for the log.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
        /// Later turns stay active although their context changes; they are marked as drifted.
        #[serde(default)]
        keep_later: bool,
    },
    /// Undo the newest active edit, and go back to the state before it.
    Undo {
        /// The current epoch when this was shown. The command is refused if another one is current
        /// now. None if nothing was shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        epoch: Option<Epoch>,
        /// Executed effects that the shown preview named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effects_seen: Option<usize>,
    },
    /// Redo the last undone edit.
    Redo {
        /// The current epoch when this was shown. The command is refused if another one is current
        /// now. None if nothing was shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        epoch: Option<Epoch>,
        /// Executed effects that the shown preview named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effects_seen: Option<usize>,
    },
    /// Make the end of another epoch current again.
    Switch {
        /// The epoch.
        to: Epoch,
        /// The current epoch when this was shown. The command is refused if another one is current
        /// now. None if nothing was shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        epoch: Option<Epoch>,
        /// Executed effects that the shown preview named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effects_seen: Option<usize>,
    },
    /// Name an epoch, so that its branch can be found again.
    Name {
        /// The epoch.
        epoch: Epoch,
        /// The name; an empty one removes it.
        name: Arc<str>,
    },
    /// An editor opened on this node, in addition to others: nothing that depends on the node
    /// starts.
    Hold {
        /// The node.
        node: NodeId,
    },
    /// Editors closed without a commit.
    Release {
        /// The node whose editor closed; none for all of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node: Option<NodeId>,
    },
}

/// Commands about loops.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EscapeCommand {
    /// Say whether the loop of an incident is allowed. If it is, a run that was paused for it
    /// resumes.
    AllowIncident {
        /// The incident.
        incident: u32,
        /// False withdraws an earlier permission.
        allowed: bool,
    },
    /// Mute or unmute a detector.
    Mute {
        /// Which.
        detector: Detector,
        /// False withdraws an earlier mute.
        muted: bool,
    },
}

/// Commands about the handling of failed calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ResilienceCommand {
    /// Run a scheduled call immediately.
    RunNow {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
    },
    /// Reset a breaker.
    ResetBreaker {
        /// The target of the breaker.
        scope: Scope,
    },
    /// Change the handling of failures.
    Configure {
        /// The key of the settings, such as `retry.retries`.
        key: Arc<str>,
        /// The value: JSON text, or plain text.
        value: Arc<str>,
    },
    /// Apply one of the offered repairs.
    ChooseRepair {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
        /// Its number, from 0.
        option: usize,
    },
    /// Stop repairing: the failure is final.
    SkipRepair {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
    },
}

/// Commands about how well tools serve.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum WeightCommand {
    /// Set the weight of a tool for a kind of task.
    Set {
        /// The kind of task.
        kind: Arc<str>,
        /// The tool.
        tool: Arc<str>,
        /// Thousandths.
        weight: u16,
    },
    /// Reset weights.
    Reset {
        /// The tool; none for all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<Arc<str>>,
    },
}

/// Commands about the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SandboxCommand {
    /// Allow the children of the run more, for the rest of the session.
    Widen {
        /// What.
        by: Widening,
    },
    /// Keep a change of a protected path that was undone.
    Keep {
        /// The call that made it.
        call: NodeId,
        /// The path, as it was told.
        path: String,
    },
}
