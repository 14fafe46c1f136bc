//! Intents: what an operator (or a program in their place) wants. Each may be refused.
//!
//! Every verb of the product is one command; the console, the palette and the command line build
//! the same values. Must not know: keys, flags, how a refusal is shown.

mod edit;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use edit::{Edit, InsertAfter};

use super::breaker::Scope;
use super::call::Digest;
use super::escape::Detector;
use super::event::run::Limits;
use super::id::{Attempt, Epoch, NodeId, Rev, Seq, TurnId};
use super::rule::RuleRequest;

/// An intent, by family.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "family", content = "command", rename_all = "snake_case")]
pub enum Command {
    /// About the run as a whole.
    Run(RunCommand),
    /// About one call.
    Call(CallCommand),
    /// About what the graph says.
    Edit(EditCommand),
    /// About repetition.
    Escape(EscapeCommand),
    /// About what is done when calls fail.
    Resilience(ResilienceCommand),
    /// About how well tools serve.
    Weight(WeightCommand),
}

impl Command {
    /// True for what only ends something that is under way. It is carried out although it cannot be recorded: who
    /// resumes finds in doubt what was under way. Everything else has to be recorded before it counts.
    pub const fn only_ends(&self) -> bool {
        matches!(
            self,
            Self::Call(CallCommand::Cancel { .. })
                | Self::Run(RunCommand::Stop { .. } | RunCommand::StopTurn {})
        )
    }
}

/// Intents about the run as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RunCommand {
    /// Start nothing new; let what runs finish.
    Pause {
        /// Why, for the log.
        reason: String,
    },
    /// Go on.
    Resume {},
    /// Let one launch or request through while paused.
    Step {},
    /// Start only reading calls from here on; let what runs finish.
    Restrict {
        /// Why, for the log.
        reason: Arc<str>,
    },
    /// Let every call start again.
    LiftRestriction {},
    /// End the open stream; keep what arrived as the turn.
    StopTurn {},
    /// Stop everything, running calls too.
    Stop {
        /// Why.
        reason: String,
    },
    /// Ask the model again for a turn: a broken one goes on, a whole one is replaced, and what came
    /// after it falls.
    AskAgain {
        /// The turn.
        turn: TurnId,
        /// Number of its request that was shown; where another was made by now it is refused. None where nothing was
        /// shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<u32>,
    },
    /// Take what arrived of a broken turn as the whole turn.
    KeepArrived {
        /// The turn.
        turn: TurnId,
        /// Number of its request that was shown; where another was made by now it is refused. None where nothing was
        /// shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<u32>,
    },
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
    /// Let a rule judge calls for the rest of the session.
    AddRule {
        /// The rule.
        rule: RuleRequest,
        /// Digests of the calls that wait and were shown with it: it decides about these at once.
        #[serde(default)]
        seen: Vec<Digest>,
    },
    /// Let a rule of the session judge no more.
    DropRule {
        /// Its number.
        no: u32,
    },
}

/// Intents about one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum CallCommand {
    /// Let it run.
    Approve {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
        /// Hash of what was shown.
        digest: Digest,
        /// Bytes of it that had not been on screen.
        unread: u64,
        /// The name of the tool, typed: asked for where the tool is tagged irreversible.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        word: Option<Arc<str>>,
    },
    /// Refuse it.
    Reject {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
        /// What the model is told.
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
        /// The execution that was shown; where another runs by now it is refused. None where nothing was shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        attempt: Option<Attempt>,
        /// Why.
        reason: String,
    },
    /// Run a finished call once more with the same arguments.
    Retry {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
    },
    /// Answer the question whether an effect may happen again.
    Consent {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
        /// Hash of what was shown.
        digest: Digest,
        /// The choice.
        choice: ConsentChoice,
        /// The name of the tool, typed: asked for where it is to run again and is tagged irreversible.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        word: Option<Arc<str>>,
    },
    /// Say what came of an execution whose outcome is not known.
    Resolve {
        /// The call.
        call: NodeId,
        /// The execution that was shown; where another is in doubt by now it is refused. None where nothing was shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        attempt: Option<Attempt>,
        /// What.
        what: Resolution,
    },
    /// Undo the pin of an operator's observation, so that the call may run again.
    Unpin {
        /// The observation.
        node: NodeId,
        /// The revision that was shown; where another counts by now it is refused. None where nothing was shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rev: Option<Rev>,
    },
}

/// What to do with an effect that may already have happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsentChoice {
    /// Take the recorded result of that execution.
    Reuse {
        /// The execution.
        entry: Seq,
    },
    /// Run it all the same.
    RunAgain,
    /// Do not run it.
    Reject {
        /// What the model is told.
        reason: String,
    },
}

/// What came of an execution in doubt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// It happened, with this value as JSON text.
    Happened {
        /// The value.
        value: Arc<str>,
    },
    /// It did not happen; it may run (through the gate again).
    DidNot,
    /// It was cancelled and did not finish: the call ends as cancelled and does not run again. The ledger keeps its
    /// execution as of unknown outcome: part of it may have happened.
    DidNotFinish,
    /// Nobody finds out: the call ends without a result and does not run again. The ledger keeps its execution as of
    /// unknown outcome, and a later word on that is taken all the same.
    Abandon {
        /// What the model is told beside that; may be empty.
        #[serde(default)]
        reason: String,
    },
}

/// Intents about what the graph says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EditCommand {
    /// Commit edits as one.
    Commit {
        /// The edits, in order.
        edits: Vec<Edit>,
        /// Executed effects that the shown plan named; more of them by now is a refusal with a new plan.
        /// None where no plan was shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effects_seen: Option<usize>,
        /// Why, for the log.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
        /// Later turns stand although what they were asked with changes; they are marked as drifted.
        #[serde(default)]
        keep_later: bool,
    },
    /// Let the newest edit that stands count no more: what stood before it stands again.
    Undo {
        /// The epoch that stood when this was shown; where another stands by now it is refused. None where nothing
        /// was shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        epoch: Option<Epoch>,
        /// Executed effects that the shown plan named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effects_seen: Option<usize>,
    },
    /// Let what was undone last stand again.
    Redo {
        /// The epoch that stood when this was shown; where another stands by now it is refused. None where nothing
        /// was shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        epoch: Option<Epoch>,
        /// Executed effects that the shown plan named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effects_seen: Option<usize>,
    },
    /// Let what stood at the end of another epoch stand again.
    Switch {
        /// The epoch.
        to: Epoch,
        /// The epoch that stood when this was shown; where another stands by now it is refused. None where nothing
        /// was shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        epoch: Option<Epoch>,
        /// Executed effects that the shown plan named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effects_seen: Option<usize>,
    },
    /// Name an epoch, so that its branch is found again.
    Name {
        /// The epoch.
        epoch: Epoch,
        /// The name; empty takes it away.
        name: Arc<str>,
    },
    /// An editor opened on this node, beside those that are open: nothing that depends on it starts.
    Hold {
        /// The node.
        node: NodeId,
    },
    /// Editors closed without a commit.
    Release {
        /// The node whose editor closed; all of them where none is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node: Option<NodeId>,
    },
}

/// Intents about repetition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EscapeCommand {
    /// Say whether what repeats in an incident may repeat. Allowed, a run that was paused for it goes on.
    AllowIncident {
        /// The incident.
        incident: u32,
        /// False takes an earlier word back.
        allowed: bool,
    },
    /// Say whether a detector is listened to.
    Mute {
        /// Which.
        detector: Detector,
        /// False takes an earlier word back.
        muted: bool,
    },
}

/// Intents about what is done when calls fail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ResilienceCommand {
    /// Let a call that waits to be tried again run at once.
    RunNow {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
    },
    /// Let everything through a breaker again.
    ResetBreaker {
        /// Of what.
        scope: Scope,
    },
    /// Change how failures are met.
    Configure {
        /// The key of the settings, such as `retry.retries`.
        key: Arc<str>,
        /// The value: JSON text, or words.
        value: Arc<str>,
    },
    /// Take one of the offered repairs.
    ChooseRepair {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
        /// Which, from 0.
        option: usize,
    },
    /// Repair no more: let the failure stand.
    SkipRepair {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
    },
}

/// Intents about how well tools serve.
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
    /// Begin weights anew.
    Reset {
        /// The tool; none for all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<Arc<str>>,
    },
}
