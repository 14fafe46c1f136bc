//! Lists as JSON the executions that a waiting call would repeat.
//!
//! Must not know: how they are found, who decides.
//!
//! Each has its call, its outcome and why it is superseded.

use serde_json::{Value, json};

use crate::cli::effects::kind;
use crate::cli::fork::elsewhere_json;
use crate::domain::call::Call;
use crate::domain::ledger;
use crate::domain::repeat::{self, Earlier};
use crate::domain::state::State;
use crate::domain::thread;

/// All of them, newest first; empty if the call repeats nothing.
pub fn json(state: &State, call: &Call) -> Vec<Value> {
    let found = repeat::earlier(state, call).map(|one| match one {
        Earlier::Here(entry) => {
            let since = repeat::since(state, entry);
            json!({
                "entry": entry.seq, "call": entry.call, "path": thread::path(state, entry.call), "rev": entry.rev,
                "outcome": kind(&entry.outcome), "active": since.counts(), "since": since.describe(),
                "reverted": ledger::taken_back(state, entry),
            })
        }
        Earlier::Elsewhere(seq, one) => json!({ "recorded": seq, "elsewhere": elsewhere_json(one) }),
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::testing::{Stage, id};
    use crate::domain::call::ConsentCause;

    const ARGS: &str = r#"{"path":"a","content":"b"}"#;

    #[test]
    fn a_repeat_shows_the_execution_with_call_outcome_and_reason_it_is_superseded() {
        let mut stage = Stage::new(80, 24);
        stage.orphaned();
        let seq = ledger::newest_of(&stage.model.run.state, id("c3")).unwrap();
        stage.repeats("c8", ("write_file", ARGS), ConsentCause::Orphaned, vec![seq]);
        let state = &stage.model.run.state;
        let edit = state.edits[0].intervention;
        let since = format!("superseded: edit {edit} replaced it");
        assert_eq!(
            json(state, &state.calls[&id("c8")]),
            [json!({
                "entry": seq, "call": "c3", "path": [], "rev": 1, "outcome": "ok", "active": false,
                "since": since, "reverted": null,
            })]
        );
        let found = crate::cli::record::SessionSnapshot {
            state: state.clone(),
            held: false,
        };
        let printed = crate::cli::queue::as_words(&found, &found.state.calls[&id("c8")], ("", false));
        assert!(
            printed.contains(&format!("\n  it repeats c3 {seq}, succeeded; {since}\n"))
                || printed.ends_with(&format!("\n  it repeats c3 {seq}, succeeded; {since}")),
            "{printed}"
        );
    }

    #[test]
    fn of_a_call_that_repeats_nothing_there_is_none() {
        let mut stage = Stage::new(80, 24);
        stage.orphaned();
        stage.awaiting("c8", "write_file", ARGS);
        let state = &stage.model.run.state;
        assert_eq!(json(state, &state.calls[&id("c8")]), [Value::Null; 0]);
        let found = crate::cli::record::SessionSnapshot {
            state: state.clone(),
            held: false,
        };
        let printed = crate::cli::queue::as_words(&found, &found.state.calls[&id("c8")], ("", false));
        assert!(!printed.contains("repeats"), "{printed}");
    }
}
