//! What of a call few have: what it reads and writes by name, what is in its way, what was asked about it, what was
//! done about its failures.
//!
//! Data only. Must not know: who puts it in.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Binding, Digest, Fault};
use crate::domain::breaker::Scope;
use crate::domain::id::Seq;
use crate::domain::ladder::{Delay, Round};
use crate::domain::reference::{OutPath, Reference};

/// What a call reads of others, and where it writes beside its own name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DataRefs {
    /// Where the result is also written (`_out`).
    pub out: Option<OutPath>,
    /// The references in this revision's arguments.
    pub references: Vec<Reference>,
    /// What they were bound to when it became ready.
    pub bindings: Vec<Binding>,
    /// The current argument bytes of a call that keeps an operator's result although its inputs changed.
    pub pinned_args: Option<Arc<str>>,
}

/// Why a call does not run, or ended without a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Validation {
    /// What the check of this revision found.
    pub faults: Vec<Fault>,
    /// Why it was refused, skipped or is unsatisfiable.
    pub because: Option<Arc<str>>,
    /// The rule of the policy that refused it; none where a person did.
    pub denied_by: Option<Arc<str>>,
}

/// What a person was asked about a call, and what their answers hold for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ApprovalState {
    /// What the newest edit also approved: exactly these bytes.
    pub edit_approves: Option<Digest>,
    /// UTC milliseconds since 1970 at which the question is over, by the clock of the process that counts; none
    /// where nothing counts.
    pub due: Option<i64>,
    /// Event with which the time for it began, or began anew; 0 where none ever did.
    pub due_set: Seq,
    /// The program of the operator's that is asked too and has not answered.
    pub approver: Option<Arc<str>>,
    /// True where nobody answered in time and it goes on waiting.
    pub overdue: bool,
    /// The decision after which the moment to take it back has passed; 0 where none has.
    pub graced: Seq,
    /// Executions that the newest question for consent named.
    pub asked_about: Vec<Seq>,
    /// Executions that a person lets it repeat, for the revision that counts.
    pub consented: BTreeSet<Seq>,
    /// Event with which it last came back from another branch: what was decided before does not count
    /// any more. 0 where it never did.
    pub revived: Seq,
}

/// What is done about the failures of a call, and what it waits for before it runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FailureState {
    /// Retries of the failure that is under way; none after a success, an edit, or a run that a person
    /// asked for.
    pub retries: u32,
    /// What it waits for before it runs.
    pub delay: Option<Delay>,
    /// Rounds of repair, in journal order.
    pub repairs: Vec<Round>,
    /// Why nothing more is done about its failure.
    pub given_up: Option<Arc<str>>,
}

/// What let an execution through, and where it runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LaunchContext {
    /// The breakers that let it through, each in which generation.
    pub guards: Vec<(Scope, u32)>,
    /// Process of the tool, where it is one: pid and start time in clock ticks.
    pub process: Option<(u32, u64)>,
}
