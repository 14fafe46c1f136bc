//! Executions with effects, as lists.
//!
//! Must not know: what shows them, how.

use overrule_domain::id::Seq;
use overrule_domain::ledger;
use overrule_domain::state::{LedgerOutcome, State};

/// The executions, each list newest first. Effects of the origin session after the fork point are in
/// both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effects {
    /// All of them. Those of a sub-agent are listed by its own calls.
    all: Vec<Seq>,
    /// Orphaned effects, and those with an unknown outcome.
    needs: Vec<Seq>,
}

impl Effects {
    /// Lists the effects of a run.
    pub fn of(state: &State) -> Self {
        let elsewhere = || state.origin.elsewhere.keys().copied();
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

    /// All effects, or those that need attention.
    pub fn list(&self, all: bool) -> &[Seq] {
        if all { &self.all } else { &self.needs }
    }

    /// True if no effect needs attention.
    pub const fn is_quiet(&self) -> bool {
        self.needs.is_empty()
    }
}
