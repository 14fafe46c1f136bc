//! Events about calls.
//!
//! Must not know: how a tool runs.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::breaker::Scope;
use crate::call::{Binding, ConsentCause, Decision, Digest, EffectClass, Fault, Operand, Outcome, Verdict};
use crate::id::{Attempt, NodeId, Rev, Seq, ThreadId};
use crate::output_digest::OutputDigest;
use crate::reference::{OutPath, Reference};

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(is: &bool) -> bool {
    !*is
}

/// Events about calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "body", rename_all = "snake_case")]
pub enum CallEvent {
    /// The first check: structure, schema with references as wildcards, labels.
    Checked {
        /// The call.
        call: NodeId,
        /// The revision.
        #[serde(default)]
        rev: Rev,
        /// Everything wrong with it.
        #[serde(default)]
        faults: Vec<Fault>,
        /// References in its arguments.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        references: Vec<Reference>,
        /// Name for references to its result.
        label: Arc<str>,
        /// Where its result is also written.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        out: Option<OutPath>,
        /// What its tool can do to the world.
        effect: EffectClass,
        /// True where a sub-agent does the work.
        #[serde(default, skip_serializing_if = "is_false")]
        delegates: bool,
    },
    /// Every reference has a value; the second check passed or not.
    Ready {
        /// The call.
        call: NodeId,
        /// The revision.
        #[serde(default)]
        rev: Rev,
        /// What the references were bound to.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        bindings: Vec<Binding>,
        /// The exact bytes that run, where they differ from the argument text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resolved: Option<Arc<str>>,
        /// Hash of what is shown and would run.
        digest: Digest,
        /// The files that it may run, as they are now.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        operands: Vec<Operand>,
        /// The verdict of the policy.
        verdict: Verdict,
    },
    /// The arguments are wrong once the references are filled in.
    #[serde(alias = "unfit")]
    Invalid {
        /// The call.
        call: NodeId,
        /// The revision.
        #[serde(default)]
        rev: Rev,
        /// What is wrong.
        #[serde(default)]
        faults: Vec<Fault>,
    },
    /// The operator was asked.
    Asked {
        /// The call.
        call: NodeId,
        /// The revision.
        #[serde(default)]
        rev: Rev,
        /// Milliseconds until it expires; none waits for ever.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        deadline_ms: Option<u64>,
        /// The approval program that is asked too. The deadline begins when the program leaves the
        /// call to the operator.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approver: Option<Arc<str>>,
    },
    /// Consent was asked for: an equal effect may already have happened.
    ConsentAsked {
        /// The call.
        call: NodeId,
        /// Why.
        cause: ConsentCause,
        /// The executions in question.
        #[serde(default)]
        entries: Vec<Seq>,
    },
    /// The operator or a rule decided.
    Decided {
        /// The call.
        call: NodeId,
        /// The revision decided on.
        #[serde(default)]
        rev: Rev,
        /// Hash of what was shown; none where nothing runs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<Digest>,
        /// What.
        decision: Decision,
    },
    /// The call was approved. It starts after a grace period in which the approval can be
    /// withdrawn.
    Graced {
        /// The call.
        call: NodeId,
        /// The revision that was approved.
        #[serde(default)]
        rev: Rev,
        /// Milliseconds.
        #[serde(default)]
        wait_ms: u64,
    },
    /// The grace period is over.
    #[serde(alias = "grace_over")]
    GraceEnded {
        /// The call.
        call: NodeId,
        /// The revision.
        #[serde(default)]
        rev: Rev,
        /// True if the operator skipped the rest of it.
        #[serde(default, skip_serializing_if = "is_false")]
        skipped: bool,
    },
    /// The intent to run it: on disk before anything happens.
    Started {
        /// The call.
        call: NodeId,
        /// The revision.
        #[serde(default)]
        rev: Rev,
        /// Counts the executions of this call.
        #[serde(default)]
        attempt: Attempt,
        /// Key for tools that can tell a repetition.
        key: Arc<str>,
        /// Hash of the resolved arguments and the tool: equal effects have equal hashes.
        same: Arc<str>,
        /// What it can do to the world.
        effect: EffectClass,
        /// The kind of task that it runs for; none where that is not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<Arc<str>>,
        /// State of the world before it, as JSON text. A probe uses it later to find out whether it
        /// happened.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<Arc<str>>,
        /// The thread of the sub-agent that does the work; none where a tool runs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thread: Option<ThreadId>,
        /// The breakers that let it through.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        guards: Vec<Scope>,
    },
    /// A process was started for it.
    Spawned {
        /// The call.
        call: NodeId,
        /// The execution.
        #[serde(default)]
        attempt: Attempt,
        /// Process id, also the id of its process group.
        #[serde(default)]
        pid: u32,
        /// Start time of the process in clock ticks since boot: tells it from a later one with the same id.
        #[serde(default)]
        ticks: u64,
    },
    /// An execution ended. A late end only goes to the history.
    Finished {
        /// The call.
        call: NodeId,
        /// The revision that ran.
        #[serde(default)]
        rev: Rev,
        /// The execution.
        #[serde(default)]
        attempt: Attempt,
        /// How.
        outcome: Outcome,
        /// Milliseconds it took.
        #[serde(default)]
        ms: u64,
        /// Digest of its output; none where it was cancelled, or an older program recorded it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<OutputDigest>,
    },
    /// The operator asked to end a running execution.
    CancelAsked {
        /// The call.
        call: NodeId,
        /// The execution.
        #[serde(default)]
        attempt: Attempt,
        /// Why.
        reason: String,
    },
    /// A value or error without an execution: written by the operator, reused, or given by the
    /// engine.
    Given {
        /// The call.
        call: NodeId,
        /// The revision that it answers.
        #[serde(default)]
        rev: Rev,
        /// What.
        outcome: Outcome,
        /// Its author.
        origin: crate::node::Origin,
    },
    /// Something it depends on has no value.
    Skipped {
        /// The call.
        call: NodeId,
        /// What.
        because: Arc<str>,
    },
    /// A reference can never be resolved.
    Unsatisfiable {
        /// The call.
        call: NodeId,
        /// The reference, as text.
        because: Arc<str>,
    },
    /// A stale call keeps its result: its inputs are unchanged, or the operator wrote the result.
    #[serde(alias = "kept")]
    Retained {
        /// The call.
        call: NodeId,
        /// What the references are bound to now.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        bindings: Vec<Binding>,
        /// The current argument bytes, if an operator's result is kept although they changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[serde(alias = "stands_on")]
        pinned_args: Option<Arc<str>>,
    },
    /// An input, or a file that it may run, changed: the call is checked and decided again.
    Woken {
        /// The call.
        call: NodeId,
    },
    /// Its sub-agent continues, because something in its thread was edited. The execution is the
    /// same; its result so far is superseded.
    Continued {
        /// The call.
        call: NodeId,
        /// The execution.
        #[serde(default)]
        attempt: Attempt,
    },
    /// A probe could not determine the outcome of an execution.
    Undetermined {
        /// The call.
        call: NodeId,
        /// The execution.
        #[serde(default)]
        attempt: Attempt,
    },
    /// The outcome of an execution became known.
    Resolved {
        /// The call.
        call: NodeId,
        /// The execution.
        #[serde(default)]
        attempt: Attempt,
        /// True if it happened: a `Given` follows if a call waits for it. False if it did not: it
        /// may run.
        #[serde(default)]
        happened: bool,
        /// JSON text of its result, if it happened and no call waits for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<Arc<str>>,
        /// Source of this (`operator`, `probe: file has the intended content`, `effect class
        /// read`).
        evidence: Arc<str>,
    },
}

impl CallEvent {
    /// The call that it is about.
    pub const fn call(&self) -> NodeId {
        match self {
            Self::Checked { call, .. }
            | Self::Ready { call, .. }
            | Self::Invalid { call, .. }
            | Self::Asked { call, .. }
            | Self::ConsentAsked { call, .. }
            | Self::Decided { call, .. }
            | Self::Graced { call, .. }
            | Self::GraceEnded { call, .. }
            | Self::Started { call, .. }
            | Self::Spawned { call, .. }
            | Self::Finished { call, .. }
            | Self::CancelAsked { call, .. }
            | Self::Given { call, .. }
            | Self::Skipped { call, .. }
            | Self::Unsatisfiable { call, .. }
            | Self::Retained { call, .. }
            | Self::Woken { call, .. }
            | Self::Continued { call, .. }
            | Self::Undetermined { call, .. }
            | Self::Resolved { call, .. } => *call,
        }
    }
}
