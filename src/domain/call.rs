//! Defines a tool call: effect class, status, attempts, verdict and outcome.
//!
//! Must not know: how a tool runs, who shows the call, how a policy is written.
//!
//! Data only. The rules that change the status of a call are in `decide`, `advance` and `apply`.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::history::History;
use super::id::{Attempt, Epoch, NodeId, Rev, Seq, ThreadId};
use super::ladder::{Fix, Stage};
use super::output_digest::OutputDigest;
use super::repair::Change;

mod failure_words;
mod outcome;
mod parts;
mod verdict;

pub use outcome::{ErrorClass, Outcome, ToolError};
pub use parts::{ApprovalState, DataRefs, FailureState, LaunchContext, Validation};
pub use verdict::{
    Answer, Consequence, Decision, Digest, Fault, Gate, Part, Quoted, Shown, ShownForm, Verdict,
};

/// What running a tool can do to the world, from nothing to anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// A function of its arguments.
    Pure,
    /// Looks at the world, changes nothing.
    Read,
    /// Changes the world; repeating it changes nothing more.
    Idempotent,
    /// Changes the world.
    Write,
    /// Not known; treated as `Write`.
    Unknown,
}

impl EffectClass {
    /// Every class, the most harmless first.
    pub const ALL: [Self; 5] = [
        Self::Pure,
        Self::Read,
        Self::Idempotent,
        Self::Write,
        Self::Unknown,
    ];

    /// The class as one lower-case word.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Pure => "pure",
            Self::Read => "read",
            Self::Idempotent => "idempotent",
            Self::Write => "write",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the class of this word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.label() == word)
    }

    /// True if running again can change something: `Idempotent` and above.
    pub fn has_effect(self) -> bool {
        self >= Self::Idempotent
    }
}

/// Status of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Sealed by the model or typed by the operator; not checked yet.
    Proposed,
    /// The check found faults (listed in [`Validation::faults`]); the operator or a repair can
    /// still fix it.
    Invalid,
    /// Waits for references that are not written yet.
    Blocked,
    /// All its inputs are known; the gate has not decided yet.
    Ready,
    /// Ready; waits for the operator.
    AwaitingApproval,
    /// Ready; an equal effect may already have happened, so it needs consent.
    Consent(ConsentCause),
    /// Approved; waits for a slot.
    Queued,
    /// Runs after a wait (in [`FailureState::delay`]): again after a failure, or for the first time
    /// once its approval can no longer be withdrawn.
    Scheduled,
    /// Failed, and its arguments are being repaired.
    Repairing(Stage),
    /// Is being executed.
    Running(Attempt),
    /// It was running when the program ended, or was cut off: its outcome is unknown.
    OutcomeUnknown(Attempt),
    /// Ended with a value.
    Succeeded,
    /// A command that ended with this exit code, which is not one of its success codes: the call
    /// succeeded, but gives no value.
    Exited(i32),
    /// Ended with an error.
    Failed(ErrorClass),
    /// Rejected by the operator, or denied by the policy.
    Rejected,
    /// The operator left the outcome of an execution unknown: it does not run again.
    Abandoned,
    /// The deadline passed without a decision.
    Expired,
    /// Something that it depends on will never have a value.
    Skipped,
    /// A reference that will never be written.
    Unsatisfiable,
}

impl Status {
    /// The status of a call that ended with an outcome.
    pub const fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Ok { exit: None, .. } => Self::Succeeded,
            Outcome::Ok { exit: Some(code), .. } => Self::Exited(*code),
            Outcome::Err(error) => Self::Failed(error.class),
            Outcome::Cancelled { .. } => Self::Failed(ErrorClass::Cancelled),
        }
    }

    /// True once the call has its result, error or rejection for this revision.
    pub const fn is_settled(&self) -> bool {
        matches!(
            self,
            Self::Succeeded
                | Self::Exited(_)
                | Self::Failed(_)
                | Self::Rejected
                | Self::Abandoned
                | Self::Expired
                | Self::Skipped
                | Self::Unsatisfiable
        )
    }

    /// True for a checked call on its way to a result.
    pub const fn is_under_way(&self) -> bool {
        !self.is_settled() && !matches!(self, Self::Proposed | Self::Invalid)
    }

    /// True while the call waits for the operator.
    pub const fn needs_operator(&self) -> bool {
        matches!(
            self,
            Self::AwaitingApproval
                | Self::Consent(_)
                | Self::OutcomeUnknown(_)
                | Self::Repairing(Stage::Choosing)
        )
    }

    /// The status as a few lower-case words.
    pub const fn base_label(&self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Invalid => "invalid",
            Self::Blocked => "blocked",
            Self::Ready => "ready",
            Self::AwaitingApproval => "awaiting approval",
            Self::Consent(_) => "awaiting consent",
            Self::Queued => "queued",
            Self::Scheduled => "waiting to run",
            Self::Repairing(stage) => stage.label(),
            Self::Running(_) => "running",
            Self::OutcomeUnknown(_) => "outcome unknown",
            Self::Succeeded => "succeeded",
            Self::Exited(_) => "ended with an exit code",
            Self::Failed(_) => "failed",
            Self::Rejected => "rejected",
            Self::Abandoned => "left unknown",
            Self::Expired => "not approved in time",
            Self::Skipped => "skipped",
            Self::Unsatisfiable => "unsatisfiable",
        }
    }

    /// The status as a few lower-case words, with the exit code of a command.
    pub fn label(&self) -> Cow<'static, str> {
        match self {
            Self::Exited(code) => Cow::Owned(format!("exit {code}")),
            other => Cow::Borrowed(other.base_label()),
        }
    }
}

/// Why a repeated effect needs consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsentCause {
    /// An equal effect happened on a branch that an edit replaced.
    Orphaned,
    /// An equal effect has an unknown outcome.
    Unknown,
    /// The session that this one was forked from did the same after the fork.
    Elsewhere,
    /// This call already ran with these arguments.
    SameCall,
}

/// A reference bound to what it read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The reference as written, without the dagger (`call.readme.lines`).
    pub reference: String,
    /// The call whose write was read; none for the session's input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<NodeId>,
    /// Revision of the source's observation that was read.
    #[serde(default)]
    pub rev: Rev,
}

/// A file that an execution runs, as it was when the call became ready. Its content is part of the
/// decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operand {
    /// Its path, relative to the workspace if it is inside.
    pub path: Arc<str>,
    /// Its size in bytes.
    #[serde(default)]
    pub bytes: u64,
    /// How far it was read.
    #[serde(default, skip_serializing_if = "FileCheck::is_whole")]
    pub seen: FileCheck,
    /// Hash of the part that was read.
    pub hash: Arc<str>,
}

/// How far a file was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileCheck {
    /// All of it.
    #[default]
    Whole,
    /// Only its size and dates: it is too long to be read each time.
    Dates,
    /// Not at all: only a shell can say which file the word names.
    Unspecified,
    /// There may be more files: not everything that the call names was read.
    Cut,
}

/// The files that a call may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runs {
    /// As they were when it became ready.
    pub operands: Vec<Operand>,
    /// Paths of those whose content differs from the time it was ready before.
    pub changed: Vec<Arc<str>>,
}

impl FileCheck {
    /// True for a file; false if it only stands for something that was not read.
    pub const fn is_file(self) -> bool {
        matches!(self, Self::Whole | Self::Dates)
    }

    /// A warning for the operator; none if the whole file was read.
    pub const fn warning(self) -> Option<&'static str> {
        match self {
            Self::Whole => None,
            Self::Dates => Some("too long to be read: its size and dates count"),
            Self::Unspecified => Some("only a shell can tell which file that is: it is not looked at"),
            Self::Cut => Some("not all files that it may run were looked at"),
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    fn is_whole(&self) -> bool {
        *self == Self::Whole
    }
}

/// One execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRecord {
    /// Number of this execution of the call.
    pub no: Attempt,
    /// The revision that ran.
    pub rev: Rev,
    /// The exact argument bytes that ran.
    pub args: Arc<str>,
    /// Epoch at the launch.
    pub epoch: Epoch,
    /// The event that recorded the intent; the ledger entry has the same number.
    pub intent: Seq,
    /// The thread of the sub-agent that works in it; none where a tool runs.
    pub thread: Option<ThreadId>,
    /// How it ended; none while it runs, or if that is unknown.
    pub outcome: Option<Outcome>,
    /// Digest of its output, if recorded.
    pub digest: Option<OutputDigest>,
    /// Milliseconds that it took.
    pub ms: Option<u64>,
    /// True when the result came too late to count.
    pub fenced: bool,
    /// What admitted it, and where it runs.
    pub launch: LaunchContext,
}

/// A call without its content: tool and arguments are in the revisions of its node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The node.
    pub id: NodeId,
    /// The id that the provider gave, echoed to it.
    pub provider_id: Option<Arc<str>>,
    /// Name for references: `_as`, or the node id.
    pub label: Arc<str>,
    /// Its status.
    pub status: Status,
    /// True for a stale call: an upstream change may have changed its inputs.
    pub suspect: bool,
    /// What it reads from other calls, and where it writes apart from its own name.
    pub refs: DataRefs,
    /// Why it does not run.
    pub validation: Validation,
    /// The exact argument bytes that run, once known.
    pub resolved: Option<Arc<str>>,
    /// Hash of what was shown.
    pub digest: Option<Digest>,
    /// The files that it may run, if any.
    pub runs: Option<Arc<Runs>>,
    /// The policy's verdict.
    pub verdict: Option<Arc<Verdict>>,
    /// What it can do to the world.
    pub effect: EffectClass,
    /// True where a sub-agent does the work: no tool runs.
    pub delegates: bool,
    /// Decisions in journal order, with the revision and the event.
    pub decisions: Vec<(Rev, Seq, Arc<Decision>)>,
    /// Executions in journal order.
    pub attempts: Vec<AttemptRecord>,
    /// Place of its write among the writes of its turn, given at the first completion.
    pub slot: Option<u32>,
    /// The event with which it became ready; orders the queue.
    pub ready: Option<Seq>,
    /// Digest of the bytes that were approved last.
    pub approved: Option<Digest>,
    /// Its open question to the operator.
    pub approval: ApprovalState,
    /// The handling of its failures.
    pub failure: FailureState,
    /// Its state at the end of earlier epochs.
    pub history: History<Way>,
}

/// The progress of a call with its current content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// Its status.
    pub status: Status,
    /// Whether it was stale.
    pub suspect: bool,
    /// Its name for references.
    pub label: Arc<str>,
    /// What it read from other calls, and where its result was also written.
    pub refs: DataRefs,
    /// Why it ended without a value.
    pub validation: Validation,
    /// The argument bytes that ran.
    pub resolved: Option<Arc<str>>,
    /// Hash of what was shown.
    pub digest: Option<Digest>,
    /// The policy's verdict.
    pub verdict: Option<Arc<Verdict>>,
    /// What the tool could do to the world.
    pub effect: EffectClass,
    /// Whether a sub-agent did the work.
    pub delegates: bool,
}

impl Call {
    /// The repairs that the operator may choose from; `None` unless the call waits for that choice,
    /// and empty if no repair is left.
    pub fn offered(&self) -> Option<&[Fix]> {
        let round = self.failure.repairs.last();
        round
            .filter(|_| self.status == Status::Repairing(Stage::Choosing))
            .map(|round| &round.options[..])
    }

    /// The newest change that proposed another call as a repair.
    pub fn proposed(&self) -> Option<&Change> {
        let mut changes = self.failure.repairs.iter().flat_map(|round| &round.changes);
        changes.rfind(|change| change.strategy.proposes())
    }

    /// A call without a check.
    pub fn new(id: NodeId) -> Self {
        Self {
            id,
            provider_id: None,
            label: Arc::from(id.to_string()),
            status: Status::Proposed,
            suspect: false,
            refs: DataRefs::default(),
            validation: Validation::default(),
            resolved: None,
            digest: None,
            runs: None,
            verdict: None,
            effect: EffectClass::Unknown,
            delegates: false,
            decisions: Vec::new(),
            attempts: Vec::new(),
            slot: None,
            ready: None,
            approved: None,
            approval: ApprovalState::default(),
            failure: FailureState::default(),
            history: History::begun(Epoch(0)),
        }
    }

    /// True for an execution that was cancelled and has ended.
    pub fn was_cancelled(&self, attempt: Attempt) -> bool {
        let mut attempts = self.attempts.iter();
        attempts.any(|one| one.no == attempt && matches!(one.outcome, Some(Outcome::Cancelled { .. })))
    }

    /// True for an execution whose end was reported, whatever it tells.
    pub fn has_ended(&self, attempt: Attempt) -> bool {
        let mut attempts = self.attempts.iter();
        attempts.any(|one| one.no == attempt && one.outcome.is_some())
    }

    /// Why the end of an execution was not seen, where its server reported that.
    pub fn why_unseen(&self, attempt: Attempt) -> Option<&str> {
        let record = self.attempts.iter().find(|one| one.no == attempt)?;
        match record.outcome.as_ref()? {
            Outcome::Err(error) if error.class == ErrorClass::Lost => Some(&error.message),
            _ => None,
        }
    }

    /// Its progress.
    pub fn way(&self) -> Way {
        Way {
            status: self.status.clone(),
            suspect: self.suspect,
            label: self.label.clone(),
            refs: self.refs.clone(),
            validation: self.validation.clone(),
            resolved: self.resolved.clone(),
            digest: self.digest.clone(),
            verdict: self.verdict.clone(),
            effect: self.effect,
            delegates: self.delegates,
        }
    }

    /// Stores its progress before the first change in an epoch.
    pub fn remember(&mut self, epoch: Epoch) {
        if self.history.is_due(epoch) {
            let was = self.way();
            self.history.keep(epoch, was);
        }
    }

    /// Restores its progress on another branch, without the status. Approvals are not restored.
    pub fn take(&mut self, epoch: Epoch, way: &Way) {
        self.remember(epoch);
        self.label = way.label.clone();
        self.refs.clone_from(&way.refs);
        self.validation.clone_from(&way.validation);
        self.resolved.clone_from(&way.resolved);
        self.digest.clone_from(&way.digest);
        self.verdict.clone_from(&way.verdict);
        self.effect = way.effect;
        self.delegates = way.delegates;
    }

    /// The files that it may run, as they were when it became ready.
    pub fn operands(&self) -> &[Operand] {
        self.runs.as_ref().map_or(&[], |runs| &runs.operands)
    }

    /// Records the files that it may run, and which of them changed. If the same arguments were
    /// asked about `again`, new files count as changed.
    pub fn take_operands(&mut self, operands: &[Operand], again: bool) {
        let before = self.operands();
        let is_another = |one: &&Operand| match before.iter().find(|old| old.path == one.path) {
            Some(old) => old.hash != one.hash,
            // It did not exist, or was not run, when the same was asked before.
            None => again,
        };
        let modified = operands
            .iter()
            .filter(is_another)
            .map(|one| one.path.clone())
            .collect();
        self.runs = (!operands.is_empty()).then(|| {
            Arc::new(Runs {
                operands: operands.to_vec(),
                changed: modified,
            })
        });
    }

    /// The newest execution.
    pub fn last_attempt(&self) -> Option<&AttemptRecord> {
        self.attempts.last()
    }

    /// True while an execution is running.
    pub fn is_running(&self) -> bool {
        matches!(self.status, Status::Running(_))
    }
}
