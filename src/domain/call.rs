//! Defines a tool call: effect class, status, attempts, verdict and outcome.
//!
//! Must not know: how a tool runs, who shows the call, how a policy is written.
//!
//! Data only. The rules that change the status of a call are in `decide`, `advance` and `apply`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::files::ChangeSet;
use super::history::History;
use super::id::{Attempt, Epoch, NodeId, Rev, Seq, ThreadId};
use super::ladder::{Fix, Stage};
use super::output_digest::OutputDigest;
use super::repair::Change;
use super::sandbox::Refused;

mod error_text;
mod operand;
mod outcome;
mod parts;
mod status;
mod verdict;

pub use operand::{FileCheck, Operand, Runs};
pub use outcome::{ErrorClass, Outcome, ToolError};
pub use parts::{ApprovalState, DataRefs, FailureState, LaunchContext, Validation};
pub use status::Status;
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
    /// What the sandbox refused it.
    pub refused: Vec<Refused>,
    /// What it changed in the workspace; none where that was not recorded.
    pub files: Option<Arc<ChangeSet>>,
}

impl Call {
    /// What the sandbox refused its newest execution.
    pub fn refused(&self) -> &[Refused] {
        self.attempts.last().map_or(&[], |attempt| &attempt.refused)
    }
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
