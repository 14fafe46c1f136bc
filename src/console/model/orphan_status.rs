//! What is known of the processes that may have outlived the program which had started them. Must not know: how it is
//! looked for, how it is told.

use super::run::RunPart;
use crate::console::link::OrphanCandidate;
use crate::domain::call::Status;
use crate::domain::id::{Attempt, NodeId};
use crate::domain::orphan_process::OrphanProcess;

/// What is known of such a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OrphanStatus {
    /// Nothing yet: nobody has looked.
    #[default]
    NotLooked,
    /// All of it has ended.
    Nothing,
    /// Something of it still runs.
    Runs(OrphanProcess),
}

impl OrphanStatus {
    /// What still runs, where anything is known to.
    pub fn runs(self) -> Option<OrphanProcess> {
        match self {
            Self::Runs(orphan) => Some(orphan),
            Self::NotLooked | Self::Nothing => None,
        }
    }

    /// Why nobody may say yet that an execution did not happen; none where that may be said.
    pub fn forbids(self, process: OrphanCandidate) -> Option<String> {
        let left = self.runs()?;
        let words = left.describe(process.call, process.pid);
        Some(format!("{words}: it may happen yet"))
    }
}

impl From<Option<OrphanProcess>> for OrphanStatus {
    /// What was found by a look.
    fn from(found: Option<OrphanProcess>) -> Self {
        found.map_or(Self::Nothing, Self::Runs)
    }
}

impl RunPart {
    /// What is left of the execution of a call that is in doubt.
    pub fn outlived(&self, call: NodeId) -> OrphanStatus {
        match self.state.call(call).map(|call| &call.status) {
            Some(Status::OutcomeUnknown(attempt)) => self.outlived_of(call, *attempt),
            _ => OrphanStatus::NotLooked,
        }
    }

    /// What is left of an execution.
    pub fn outlived_of(&self, call: NodeId, attempt: Attempt) -> OrphanStatus {
        let process = self.process_of(call, attempt);
        let mut known = self.orphans.iter();
        let found = known.find(|(one, _)| Some(*one) == process);
        found.map_or(OrphanStatus::NotLooked, |(_, left)| *left)
    }

    /// The process of an execution that may have outlived the program that had started it.
    pub fn process_of(&self, call: NodeId, attempt: Attempt) -> Option<OrphanCandidate> {
        let call = self.state.call(call)?;
        let mut attempts = call.attempts.iter();
        let record = attempts.find(|one| one.no == attempt && one.outcome.is_none())?;
        let (pid, ticks) = record.launch.process?;
        let call = call.id;
        Some(OrphanCandidate { call, pid, ticks })
    }
}
