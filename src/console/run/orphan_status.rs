//! What is known of processes that may still run after a crash of the program that started them.
//!
//! Must not know: how they are found, how they are shown.

use crate::run::link::OrphanCandidate;
use crate::run::part::RunPart;
use crate::run::refusal::Refusal;
use overrule_domain::call::Status;
use overrule_domain::id::{Attempt, NodeId};
use overrule_domain::orphan_process::OrphanProcess;

/// Status of such a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OrphanStatus {
    /// Not checked yet.
    #[default]
    NotLooked,
    /// All of it has ended.
    Nothing,
    /// A part of it still runs.
    Runs(OrphanProcess),
}

impl OrphanStatus {
    /// The orphan process, if it is known to run.
    pub fn runs(self) -> Option<OrphanProcess> {
        match self {
            Self::Runs(orphan) => Some(orphan),
            Self::NotLooked | Self::Nothing => None,
        }
    }

    /// Why an execution cannot be reported as not happened yet; none if it can.
    pub fn forbids(self, process: OrphanCandidate) -> Option<Refusal> {
        let left = self.runs()?;
        let left = left.describe(process.call, process.pid);
        Some(Refusal::new(format!("{left}: it may happen yet")))
    }
}

impl From<Option<OrphanProcess>> for OrphanStatus {
    /// The result of a check.
    fn from(found: Option<OrphanProcess>) -> Self {
        found.map_or(Self::Nothing, Self::Runs)
    }
}

impl RunPart {
    /// Status of the process of a call whose outcome is unknown.
    pub fn outlived(&self, call: NodeId) -> OrphanStatus {
        match self.state.call(call).map(|call| &call.status) {
            Some(Status::OutcomeUnknown(attempt)) => self.outlived_of(call, *attempt),
            _ => OrphanStatus::NotLooked,
        }
    }

    /// Status of the process of an execution.
    pub fn outlived_of(&self, call: NodeId, attempt: Attempt) -> OrphanStatus {
        let process = self.process_of(call, attempt);
        let mut known = self.orphans.iter();
        let found = known.find(|(one, _)| Some(*one) == process);
        found.map_or(OrphanStatus::NotLooked, |(_, left)| *left)
    }

    /// The process of an execution that may be an orphan.
    pub fn process_of(&self, call: NodeId, attempt: Attempt) -> Option<OrphanCandidate> {
        let call = self.state.call(call)?;
        let mut attempts = call.attempts.iter();
        let record = attempts.find(|one| one.no == attempt && one.outcome.is_none())?;
        let (pid, ticks) = record.launch.process?;
        let call = call.id;
        Some(OrphanCandidate { call, pid, ticks })
    }
}
