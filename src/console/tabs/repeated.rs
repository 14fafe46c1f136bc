//! Describes the effects that a call awaiting consent would repeat.
//!
//! Must not know: keys, what is answered, how it is framed.

use super::attempts::ledger_word;
use super::fork;
use crate::domain::call::Call;
use crate::domain::ledger;
use crate::domain::repeat::{self, Earlier};
use crate::domain::state::{LedgerEntry, State};
use crate::domain::thread;

/// The most executions that are described one by one.
const MAX_EXECUTIONS: usize = 3;

/// A sentence for each execution that a call would repeat, newest first, and one that counts the others. Empty if
/// it repeats nothing. Untrusted parts are in their visible form.
pub fn lines(state: &State, call: &Call) -> Vec<String> {
    let mut all = repeat::earlier(state, call);
    let mut lines: Vec<String> = all
        .by_ref()
        .take(MAX_EXECUTIONS)
        .map(|one| match one {
            Earlier::Here(entry) => here(state, entry),
            Earlier::Elsewhere(_, one) => fork::happened(one),
        })
        .collect();
    let more = all.count();
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}

/// The sentence for an execution of this run.
fn here(state: &State, entry: &LedgerEntry) -> String {
    let words = format!(
        "it repeats {} {}, {}; {}",
        thread::named(state, entry.call),
        entry.seq,
        ledger_word(&entry.outcome),
        repeat::since(state, entry).describe()
    );
    match ledger::taken_back(state, entry) {
        Some(by) => format!("{words}; reverted by {by}"),
        None => words,
    }
}
