//! Executions that could change the world, as they are listed. Must not know: who shows them, how.

use crate::domain::id::Seq;
use crate::domain::ledger;
use crate::domain::state::{LedgerOutcome, State};

/// The executions, each list newest first. What the run that this one left did since is in both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effects {
    /// All of them; what a sub-agent did stands there by its own calls.
    all: Vec<Seq>,
    /// Those that an edit left behind, and those of which nobody knows what came.
    needs: Vec<Seq>,
}

impl Effects {
    /// Goes through all of a run.
    pub fn of(state: &State) -> Self {
        let elsewhere = || state.elsewhere.keys().copied();
        let (mut all, mut needs): (Vec<Seq>, Vec<Seq>) = (elsewhere().collect(), elsewhere().collect());
        for entry in ledger::effects(state).filter(|entry| entry.thread.is_none()) {
            all.push(entry.seq);
            if entry.outcome == LedgerOutcome::Unknown || ledger::is_orphaned(state, entry) {
                needs.push(entry.seq);
            }
        }
        for list in [&mut all, &mut needs] {
            list.sort_unstable_by(|one, other| other.cmp(one));
        }
        Self { all, needs }
    }

    /// All of them, or those that need an eye.
    pub fn list(&self, all: bool) -> &[Seq] {
        if all { &self.all } else { &self.needs }
    }

    /// True where nothing needs an eye.
    pub const fn is_quiet(&self) -> bool {
        self.needs.is_empty()
    }
}
