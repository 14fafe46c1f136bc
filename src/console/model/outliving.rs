//! What is known of the processes that may have outlived the program which had started them. Must not know: how it is
//! looked for, how it is told.

use super::run::RunPart;
use crate::console::link::Outliving;
use crate::domain::call::Status;
use crate::domain::id::{Attempt, NodeId};
use crate::domain::survivor::Survivor;

/// What is known of such a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Left {
    /// Nothing yet: nobody has looked.
    #[default]
    NotLooked,
    /// All of it has ended.
    Nothing,
    /// Something of it still runs.
    Runs(Survivor),
}

impl Left {
    /// What still runs, where anything is known to.
    pub fn runs(self) -> Option<Survivor> {
        match self {
            Self::Runs(survivor) => Some(survivor),
            Self::NotLooked | Self::Nothing => None,
        }
    }

    /// Why nobody may say yet that an execution did not happen; none where that may be said.
    pub fn forbids(self, process: Outliving) -> Option<String> {
        let left = self.runs()?;
        let words = left.words(process.call, process.pid);
        Some(format!("{words}: it may happen yet"))
    }
}

impl From<Option<Survivor>> for Left {
    /// What was found by a look.
    fn from(found: Option<Survivor>) -> Self {
        found.map_or(Self::Nothing, Self::Runs)
    }
}

impl RunPart {
    /// What is left of the execution of a call that is in doubt.
    pub fn outlived(&self, call: NodeId) -> Left {
        match self.state.call(call).map(|call| &call.status) {
            Some(Status::InDoubt(attempt)) => self.outlived_of(call, *attempt),
            _ => Left::NotLooked,
        }
    }

    /// What is left of an execution.
    pub fn outlived_of(&self, call: NodeId, attempt: Attempt) -> Left {
        let process = self.process_of(call, attempt);
        let mut known = self.outliving.iter();
        let found = known.find(|(one, _)| Some(*one) == process);
        found.map_or(Left::NotLooked, |(_, left)| *left)
    }

    /// The process of an execution that may have outlived the program that had started it.
    pub fn process_of(&self, call: NodeId, attempt: Attempt) -> Option<Outliving> {
        let call = self.state.call(call)?;
        let mut attempts = call.attempts.iter();
        let record = attempts.find(|one| one.no == attempt && one.outcome.is_none())?;
        let (pid, ticks) = record.under.process?;
        let call = call.id;
        Some(Outliving { call, pid, ticks })
    }
}
