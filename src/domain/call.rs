//! The life of a tool call: effect class, faults, verdict, decision, status, attempts, outcome.
//!
//! Data only; the rules that move a call from one status to the next live in `decide`, `advance`
//! and `apply`. Must not know: how a tool runs, who shows the call, how a policy is written.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::breaker::Scope;
use super::history::History;
use super::id::{Attempt, Epoch, NodeId, Rev, Seq, ThreadId};
use super::ladder::{Delay, Round, Stage};
use super::reference::{OutPath, Reference};

/// What running a tool can do to the world, from harmless to anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// A function of its arguments.
    Pure,
    /// Looks at the world, changes nothing.
    Read,
    /// Changes the world, and doing it twice is the same as doing it once.
    Idempotent,
    /// Changes the world.
    Write,
    /// Not known; treated as `Write`.
    Unknown,
}

impl EffectClass {
    /// The class in one lower-case word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pure => "pure",
            Self::Read => "read",
            Self::Idempotent => "idempotent",
            Self::Write => "write",
            Self::Unknown => "unknown",
        }
    }

    /// True where running again can change something: `Idempotent` and above.
    pub fn has_effect(self) -> bool {
        self >= Self::Idempotent
    }
}

/// One thing wrong with the arguments of a call, found before it ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// JSON pointer into the arguments; empty for the whole.
    pub path: String,
    /// What was violated: a JSON Schema keyword, or `json`, `tool`, `reference`, `label`, `cycle`.
    pub keyword: String,
    /// A sentence for the operator and the model.
    pub message: String,
}

/// What a policy says of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// Runs without asking.
    Allow,
    /// Waits for the operator.
    Ask,
    /// Never runs.
    Deny,
}

/// What happens to a call that nobody decided before its deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Consequence {
    /// The call does not run; the run goes on.
    Deny,
    /// The run halts.
    Halt,
    /// The call goes on waiting, louder.
    Escalate,
}

/// The policy's word on one call, with the rule that decided, word for word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Allow, ask or deny.
    pub gate: Gate,
    /// The deciding rule, as written by its author (`preset guarded: reads go`).
    pub rule: String,
    /// Why, in one sentence.
    pub reason: String,
    /// Milliseconds until an unanswered ask expires; none waits for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// What expiry does.
    pub on_expiry: Consequence,
}

/// Hash of exactly what was shown and would run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(pub Arc<str>);

impl Digest {
    /// The first characters, enough to compare by eye.
    pub fn short(&self) -> &str {
        self.0.get(..12).unwrap_or(&self.0)
    }
}

/// A decision on one revision of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Decision {
    /// A person let it run.
    Approve {
        /// Bytes of its text that had not been on screen.
        #[serde(default)]
        unread: u64,
    },
    /// The policy let it run.
    Auto {
        /// The rule that decided.
        rule: String,
    },
    /// A person's edit was also the approval of what he wrote.
    Edited,
    /// A person refused it.
    Reject {
        /// What the model is told.
        reason: String,
    },
    /// The policy refused it.
    Deny {
        /// The rule that decided.
        rule: String,
        /// What the model is told.
        reason: String,
    },
    /// Nobody answered in time.
    Expire {
        /// What that means by the policy.
        consequence: Consequence,
    },
    /// A person typed the result; nothing runs.
    Answer,
    /// The recorded result of an equal execution stands in.
    Reuse {
        /// The execution whose result is used.
        from: Seq,
    },
    /// A person let an effect run although it may have happened before.
    RunAgain,
}

/// Where an execution stands or how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    /// It gave a value.
    Ok {
        /// JSON text of the value, exactly as stored; a text-like tool gives a JSON string.
        value: Arc<str>,
        /// JSON text of what else the tool reported (exit code, counts), reachable under `.meta`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        meta: Option<Arc<str>>,
        /// Bytes that the tool produced but that were not stored.
        #[serde(default, skip_serializing_if = "is_zero")]
        discarded: u64,
    },
    /// It failed.
    Err(ToolError),
    /// It was cancelled; `executed` says whether it may have done something.
    Cancelled {
        /// False only where it is proven that nothing happened.
        executed: bool,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Outcome {
    /// A value without further report.
    pub fn ok(value: impl Into<Arc<str>>) -> Self {
        Self::Ok {
            value: value.into(),
            meta: None,
            discarded: 0,
        }
    }

    /// True for `Ok`.
    pub fn is_ok(&self) -> bool {
        matches!(self, Self::Ok { .. })
    }
}

/// A failed execution, structured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolError {
    /// What kind of failure, by the best evidence there is.
    pub class: ErrorClass,
    /// What failed, on what, why, for the operator and the model.
    pub message: String,
    /// What the class rests on (`errno ENOENT`, `HTTP 429`, `declared by the tool`).
    pub evidence: String,
    /// What to do about it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// JSON text of partial results (a failed command's output), where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<Arc<str>>,
    /// False only where it is proven that the tool had no effect.
    pub executed: bool,
    /// Milliseconds that the other side asks to wait before it is asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// Unknown tool, broken schema, broken reference.
    Structural,
    /// An argument is wrong.
    Param,
    /// May pass by itself: network, time-out, rate limit, server trouble.
    Transient,
    /// Not permitted.
    Auth,
    /// The thing does not exist.
    NotFound,
    /// Something else changed meanwhile.
    Conflict,
    /// The tool worked and says no.
    Business,
    /// A defect of the tool.
    Internal,
    /// Stopped by a person or the engine.
    Cancelled,
    /// Nothing is known.
    Unknown,
}

impl ErrorClass {
    /// The class in one or two lower-case words.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Structural => "structural",
            Self::Param => "parameter",
            Self::Transient => "transient",
            Self::Auth => "not permitted",
            Self::NotFound => "not found",
            Self::Conflict => "conflict",
            Self::Business => "refused by the tool",
            Self::Internal => "internal",
            Self::Cancelled => "cancelled",
            Self::Unknown => "unknown",
        }
    }
}

/// Where a call stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Sealed by the model or typed by a person; not checked yet.
    Proposed,
    /// The check found faults (listed in [`Call::faults`]); a person or a repair can still mend it.
    Invalid,
    /// Waits for references that nobody has written yet.
    Blocked,
    /// Everything that it reads is there; the gate has not spoken yet.
    Ready,
    /// Ready; waits for a person.
    Awaiting,
    /// Ready and asked with force: an equal effect may already have happened.
    Consent(ConsentCause),
    /// Decided to run; waits for a place.
    Queued,
    /// Failed, and is to run again after a wait (in [`Call::delay`]).
    Delayed,
    /// Failed, and its arguments are being repaired.
    Repairing(Stage),
    /// Runs.
    Running(Attempt),
    /// It was running when the program died, or was cut off: nobody knows whether it happened.
    InDoubt(Attempt),
    /// Ended with a value.
    Succeeded,
    /// Ended with an error.
    Failed(ErrorClass),
    /// Refused by a person or the policy.
    Rejected,
    /// Nobody answered in time.
    Expired,
    /// Something that it depends on has no value and never will.
    Skipped,
    /// A reference that nothing will ever write.
    Unsatisfiable,
}

impl Status {
    /// Where a call stands that ended with a result.
    pub const fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Ok { .. } => Self::Succeeded,
            Outcome::Err(error) => Self::Failed(error.class),
            Outcome::Cancelled { .. } => Self::Failed(ErrorClass::Cancelled),
        }
    }

    /// True once the call has its result, error or refusal for this revision.
    pub const fn is_settled(&self) -> bool {
        matches!(
            self,
            Self::Succeeded
                | Self::Failed(_)
                | Self::Rejected
                | Self::Expired
                | Self::Skipped
                | Self::Unsatisfiable
        )
    }

    /// True for a checked call on its way to a result.
    pub const fn is_under_way(&self) -> bool {
        !self.is_settled() && !matches!(self, Self::Proposed | Self::Invalid)
    }

    /// True while the call waits for a person.
    pub const fn needs_operator(&self) -> bool {
        matches!(
            self,
            Self::Awaiting | Self::Consent(_) | Self::InDoubt(_) | Self::Repairing(Stage::Choosing)
        )
    }

    /// The status in a few lower-case words.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Invalid => "invalid",
            Self::Blocked => "blocked",
            Self::Ready => "ready",
            Self::Awaiting => "awaiting approval",
            Self::Consent(_) => "awaiting consent",
            Self::Queued => "queued",
            Self::Delayed => "queued to try again",
            Self::Repairing(stage) => stage.word(),
            Self::Running(_) => "running",
            Self::InDoubt(_) => "outcome unknown",
            Self::Succeeded => "succeeded",
            Self::Failed(_) => "failed",
            Self::Rejected => "rejected",
            Self::Expired => "not approved in time",
            Self::Skipped => "skipped",
            Self::Unsatisfiable => "unsatisfiable",
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
    /// This very call already ran with these arguments.
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
    /// Counts executions of this call.
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
    /// The breakers that let it through, each in which generation.
    pub guards: Vec<(Scope, u32)>,
    /// Process of the tool, where it is one: pid and start time in clock ticks.
    pub process: Option<(u32, u64)>,
    /// How it ended; none while it runs or when nobody knows.
    pub outcome: Option<Outcome>,
    /// Milliseconds that it ran.
    pub ms: Option<u64>,
    /// True when the result came too late to count.
    pub fenced: bool,
}

/// A call's life beyond its content: the content (tool and arguments) stands in its node's revisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The node.
    pub id: NodeId,
    /// The id that the provider gave, echoed to it.
    pub provider_id: Option<Arc<str>>,
    /// Name for references: `_as`, or the node id.
    pub label: Arc<str>,
    /// Where the result is also written (`_out`).
    pub out: Option<OutPath>,
    /// Where it stands.
    pub status: Status,
    /// True when an upstream change may have changed its inputs: kept until proven otherwise.
    pub suspect: bool,
    /// What the check of this revision found.
    pub faults: Vec<Fault>,
    /// The references in this revision's arguments.
    pub references: Vec<Reference>,
    /// What they were bound to when it became ready.
    pub bindings: Vec<Binding>,
    /// The exact argument bytes that run, once known.
    pub resolved: Option<Arc<str>>,
    /// Hash of what was shown.
    pub digest: Option<Digest>,
    /// The policy's word.
    pub verdict: Option<Verdict>,
    /// What it can do to the world.
    pub effect: EffectClass,
    /// True where a sub-agent does the work: no tool runs.
    pub delegates: bool,
    /// Decisions in journal order, with the revision and the event.
    pub decisions: Vec<(Rev, Seq, Decision)>,
    /// Executions in journal order.
    pub attempts: Vec<AttemptRecord>,
    /// Place of its write among the writes of its turn; given at the first completion.
    pub slot: Option<u32>,
    /// The event with which it became ready; orders the queue.
    pub ready: Option<Seq>,
    /// What the newest edit also approved: exactly these bytes.
    pub edit_approves: Option<Digest>,
    /// What was last decided to run: exactly these bytes.
    pub approved: Option<Digest>,
    /// Why it was refused, skipped or is unsatisfiable.
    pub because: Option<Arc<str>>,
    /// The rule of the policy that refused it; none where a person did.
    pub denied_by: Option<Arc<str>>,
    /// Retries of the failure that is under way; none after a success, an edit, or a run that a person
    /// asked for.
    pub retries: u32,
    /// What it waits for before it runs again.
    pub delay: Option<Delay>,
    /// Rounds of repair, in journal order.
    pub repairs: Vec<Round>,
    /// Why nothing more is done about its failure.
    pub given_up: Option<Arc<str>>,
    /// Executions that the newest question for consent named.
    pub asked_about: Vec<Seq>,
    /// Executions that a person lets it repeat, for the revision that counts.
    pub consented: BTreeSet<Seq>,
    /// Event with which it last came back from another branch: what was decided before does not count
    /// any more. 0 where it never did.
    pub revived: Seq,
    /// Where it stood at the end of earlier epochs.
    pub history: History<Way>,
}

/// How far a call came with what it says, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// Where it stood.
    pub status: Status,
    /// Whether its inputs were in question.
    pub suspect: bool,
    /// Its name for references.
    pub label: Arc<str>,
    /// Where the result was also written.
    pub out: Option<OutPath>,
    /// What the check found.
    pub faults: Vec<Fault>,
    /// The references in the arguments.
    pub references: Vec<Reference>,
    /// What they were bound to.
    pub bindings: Vec<Binding>,
    /// The argument bytes that ran.
    pub resolved: Option<Arc<str>>,
    /// Hash of what was shown.
    pub digest: Option<Digest>,
    /// The policy's word.
    pub verdict: Option<Verdict>,
    /// What the tool could do to the world.
    pub effect: EffectClass,
    /// Whether a sub-agent did the work.
    pub delegates: bool,
    /// Why it ended without a value.
    pub because: Option<Arc<str>>,
    /// The rule of the policy that refused it.
    pub denied_by: Option<Arc<str>>,
}

impl Call {
    /// A call that nobody has checked.
    pub fn new(id: NodeId) -> Self {
        Self {
            id,
            provider_id: None,
            label: Arc::from(id.to_string()),
            out: None,
            status: Status::Proposed,
            suspect: false,
            faults: Vec::new(),
            references: Vec::new(),
            bindings: Vec::new(),
            resolved: None,
            digest: None,
            verdict: None,
            effect: EffectClass::Unknown,
            delegates: false,
            decisions: Vec::new(),
            attempts: Vec::new(),
            slot: None,
            ready: None,
            edit_approves: None,
            approved: None,
            because: None,
            denied_by: None,
            retries: 0,
            delay: None,
            repairs: Vec::new(),
            given_up: None,
            asked_about: Vec::new(),
            consented: BTreeSet::new(),
            revived: Seq(0),
            history: History::begun(Epoch(0)),
        }
    }

    /// How far it came.
    pub fn way(&self) -> Way {
        Way {
            status: self.status.clone(),
            suspect: self.suspect,
            label: self.label.clone(),
            out: self.out.clone(),
            faults: self.faults.clone(),
            references: self.references.clone(),
            bindings: self.bindings.clone(),
            resolved: self.resolved.clone(),
            digest: self.digest.clone(),
            verdict: self.verdict.clone(),
            effect: self.effect,
            delegates: self.delegates,
            because: self.because.clone(),
            denied_by: self.denied_by.clone(),
        }
    }

    /// Keeps how far it came, before it is changed in an epoch.
    pub fn remember(&mut self, epoch: Epoch) {
        if self.history.is_due(epoch) {
            let was = self.way();
            self.history.keep(epoch, was);
        }
    }

    /// Makes it stand where it stood on another branch, its status apart. Approvals are not revived.
    pub fn take(&mut self, epoch: Epoch, way: &Way) {
        self.remember(epoch);
        self.label = way.label.clone();
        self.out.clone_from(&way.out);
        self.faults.clone_from(&way.faults);
        self.references.clone_from(&way.references);
        self.bindings.clone_from(&way.bindings);
        self.resolved.clone_from(&way.resolved);
        self.digest.clone_from(&way.digest);
        self.verdict.clone_from(&way.verdict);
        self.effect = way.effect;
        self.delegates = way.delegates;
        self.because.clone_from(&way.because);
        self.denied_by.clone_from(&way.denied_by);
    }

    /// The newest execution.
    pub fn last_attempt(&self) -> Option<&AttemptRecord> {
        self.attempts.last()
    }

    /// True while an execution is under way.
    pub fn is_running(&self) -> bool {
        matches!(self.status, Status::Running(_))
    }
}
