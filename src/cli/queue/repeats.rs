//! The executions that a waiting call would repeat, for programs: which call did it, how that ended, why it counts no
//! more. Must not know: how it is found out, who decides.

use serde_json::{Value, json};

use crate::cli::effects::kind;
use crate::cli::fork::elsewhere_json;
use crate::domain::call::Call;
use crate::domain::ledger;
use crate::domain::repeat::{self, Earlier};
use crate::domain::state::State;
use crate::domain::thread;

/// All of them, newest first; none where nothing is repeated.
pub fn json(state: &State, call: &Call) -> Vec<Value> {
    let found = repeat::earlier(state, call).map(|one| match one {
        Earlier::Here(entry) => {
            let since = repeat::since(state, entry);
            json!({
                "entry": entry.seq, "call": entry.call, "path": thread::path(state, entry.call), "rev": entry.rev,
                "outcome": kind(&entry.outcome), "counts": since.counts(), "since": since.words(),
                "taken_back": ledger::taken_back(state, entry),
            })
        }
        Earlier::Elsewhere(seq, one) => json!({ "recorded": seq, "elsewhere": elsewhere_json(one) }),
    });
    found.collect()
}
