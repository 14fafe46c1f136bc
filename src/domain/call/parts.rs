//! Defines the parts that few calls have: data references, faults, approval, failures.
//!
//! Must not know: who sets them.
//!
//! Data only.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Binding, Digest, Fault};
use crate::breaker::Scope;
use crate::id::Seq;
use crate::ladder::{Delay, Round};
use crate::reference::{OutPath, Reference};

/// What a call reads from other calls, and where it writes apart from its own name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DataRefs {
    /// Where the result is also written (`_out`).
    pub out: Option<OutPath>,
    /// The references in this revision's arguments.
    pub references: Vec<Reference>,
    /// What they were bound to when it became ready.
    pub bindings: Vec<Binding>,
    /// The current argument bytes of a call that keeps the operator's result although its inputs
    /// changed.
    pub pinned_args: Option<Arc<str>>,
}

/// Why a call does not run, or ended without a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Validation {
    /// What the check of this revision found.
    pub faults: Vec<Fault>,
    /// Why it was rejected, denied, skipped or is unsatisfiable.
    pub because: Option<Arc<str>>,
    /// The rule of the policy that denied it; none if the operator rejected it.
    pub denied_by: Option<Arc<str>>,
}

/// The questions to the operator about a call, and the scope of the answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ApprovalState {
    /// Digest of the bytes that the newest edit also approved.
    pub edit_approves: Option<Digest>,
    /// UTC milliseconds since 1970 at which the question expires, by the clock of the process that
    /// counts; none if no process counts.
    pub due: Option<i64>,
    /// Event with which its time started, or restarted; 0 if it never did.
    pub due_set: Seq,
    /// The operator's program that was asked too and has not answered.
    pub approver: Option<Arc<str>>,
    /// True if the deadline passed and it continues to wait.
    pub overdue: bool,
    /// The decision whose time for a withdrawal has passed; 0 if none has.
    pub graced: Seq,
    /// Executions that the newest question for consent named.
    pub asked_about: Vec<Seq>,
    /// Executions that the operator allowed it to repeat, for the active revision.
    pub consented: BTreeSet<Seq>,
    /// Event with which it last came back from another branch: earlier decisions are no longer
    /// valid. 0 if it never did.
    pub revived: Seq,
}

/// The handling of the failures of a call, and its wait before it runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FailureState {
    /// Retries of the current failure; none after a success, an edit, or a run that the operator
    /// requested.
    pub retries: u32,
    /// Its wait before it runs.
    pub delay: Option<Delay>,
    /// Rounds of repair, in journal order.
    pub repairs: Vec<Round>,
    /// Why its failure is final.
    pub given_up: Option<Arc<str>>,
}

/// What admitted an execution, and where it runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LaunchContext {
    /// The breakers that admitted it, each with its generation.
    pub guards: Vec<(Scope, u32)>,
    /// Process of the tool, if it is one: pid and start time in clock ticks.
    pub process: Option<(u32, u64)>,
}
