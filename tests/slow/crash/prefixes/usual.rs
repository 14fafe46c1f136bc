//! What a usual run of these tests waits for and commits.
//!
//! Must not know: where it is cut.

use overrule::domain::call::{Call, Status};
use overrule::domain::command::{CallCommand, Command, ConsentChoice, EditCommand};
use overrule::domain::state::{LedgerOutcome, Mode, State};

/// What the operator says where a run has no wishes of its own.
pub(super) fn usual(state: &State, call: &Call) -> CallCommand {
    let (id, rev) = (call.id, state.nodes[&call.id].rev());
    let digest = call.digest.clone().unwrap();
    if matches!(call.status, Status::AwaitingApproval) {
        return CallCommand::Approve {
            call: id,
            rev,
            digest,
            unread: 0,
            shown: None,
            word: None,
        };
    }
    let entries = overrule::domain::repeat::equal_entries(state, call);
    let well = |seq: &&overrule::domain::id::Seq| matches!(&state.ledger[*seq].outcome, LedgerOutcome::Known(outcome) if outcome.is_ok());
    let choice = match entries.iter().rev().find(well) {
        Some(entry) => ConsentChoice::Reuse { entry: *entry },
        None => ConsentChoice::RunAgain,
    };
    CallCommand::Consent {
        call: id,
        rev,
        digest,
        choice,
        shown: None,
        word: None,
    }
}

/// Edits committed as one.
pub fn commit(edits: Vec<overrule::domain::command::Edit>) -> Command {
    Command::Edit(EditCommand::Commit {
        edits,
        effects_seen: None,
        keep_later: false,
        reason: None,
    })
}

/// True once there is an answer.
pub fn finished(state: &State) -> bool {
    matches!(state.mode, Mode::Finished(_))
}

/// True where the call of a label waits for approval.
pub fn waits(state: &State, label: &str) -> bool {
    let awaits = |call: &Call| *call.label == *label && call.status == Status::AwaitingApproval;
    state.queue().any(awaits)
}
