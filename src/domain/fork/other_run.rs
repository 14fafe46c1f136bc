//! Tells what executions and questions have to do with the run that a session was copied from.
//!
//! Must not know: where the other record is.

use super::Elsewhere;
use crate::call::{Call, Status};
use crate::state::{LedgerEntry, State};

/// Returns true for an execution that the other run started. It may still run there, so a probe now
/// proves nothing.
pub fn is_theirs(state: &State, entry: &LedgerEntry) -> bool {
    state.origin.forks.last().is_some_and(|fork| entry.seq < fork.seq)
}

/// Returns the newest effect of another run that makes a call ask for consent.
pub fn asked_about<'s>(state: &'s State, call: &Call) -> Option<&'s Elsewhere> {
    if !matches!(call.status, Status::Consent(_)) {
        return None;
    }
    let named = call.approval.asked_about.iter().rev();
    let mut found = named.filter_map(|seq| state.origin.elsewhere.get(seq));
    found.next().map(|one| &*one.what)
}
