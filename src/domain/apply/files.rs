//! Applies events about the files of the workspace.
//!
//! Must not know: why they were decided.

use std::sync::Arc;

use super::at::At;
use super::index;
use super::new_node::add_node;
use super::outcome::attempt_mut;
use crate::event::FilesEvent;
use crate::files::path_history::Histories;
use crate::files::sources::Sources;
use crate::files::{Execution, FilesChange, RestoreEnd, RestoreRecord, RestoreStarted};
use crate::id::ThreadId;
use crate::node::{Channel, Content, Node, Origin};
use crate::state::State;
use crate::tags;

pub(super) fn apply(state: &mut State, at: At, event: &FilesEvent) {
    match event {
        FilesEvent::Changed { call, attempt, set } => {
            if let Some(record) = attempt_mut(state, *call, *attempt) {
                record.files = Some(Arc::new((**set).clone()));
                let execution = Execution {
                    call: *call,
                    attempt: *attempt,
                };
                let change = FilesChange::Execution(execution);
                state.operator.files.log.insert(at.seq, change);
            }
        }
        FilesEvent::ChangedOutside { changes } => {
            let change = FilesChange::Outside(Arc::new(changes.clone()));
            state.operator.files.log.insert(at.seq, change);
        }
        FilesEvent::RestoreStarted(started) => begun(state, at, started),
        FilesEvent::RestoreContinued { restore } => {
            if let Some(record) = state.operator.files.restores.get_mut(restore) {
                record.interrupted = false;
            }
        }
        FilesEvent::Restored { restore, skipped, .. } => {
            let files = &mut state.operator.files;
            let Some(record) = files.restores.get_mut(restore).filter(|one| one.end.is_none()) else {
                return;
            };
            record.end = Some(RestoreEnd {
                seq: at.seq,
                skipped: skipped.clone(),
            });
            let done: Vec<_> = record.done().map(|step| (step.path.clone(), at.seq)).collect();
            files.restored_at.extend(done);
            files.log.insert(at.seq, FilesChange::Restore(*restore));
            files.open = files.open.filter(|open| open != restore);
            note_reverted(state);
        }
        FilesEvent::Seen { through } => {
            state.operator.files.seen = state.operator.files.seen.max(*through);
        }
    }
}

/// The process that carried out the open restore has ended, or another session may have done so.
pub(super) fn interrupt(state: &mut State) {
    let files = &mut state.operator.files;
    if let Some(record) = files.open.and_then(|open| files.restores.get_mut(&open)) {
        record.interrupted = true;
    }
}

/// Notes the executions of whose changes nothing is left. Calls that repeat them need no consent for it.
fn note_reverted(state: &mut State) {
    let sources = Sources::of(state);
    let reverted = Histories::of(&sources).reverted(&sources);
    let all: Vec<Execution> = sources.sets().map(|(execution, _)| execution).collect();
    for execution in all {
        let by = reverted.get(&execution).copied();
        // It did something else than change files, too.
        let is_final = (state.nodes.get(&execution.call).and_then(Node::as_call))
            .is_some_and(|(tool, _)| tags::is_irreversible(state, tool));
        let by = by.filter(|_| !is_final);
        let intent = attempt_mut(state, execution.call, execution.attempt).map(|record| record.intent);
        if let Some(entry) = intent.and_then(|intent| state.ledger.get_mut(&intent)) {
            entry.more.reverted_by = by;
        }
    }
    index::gate_again(state);
}

fn begun(state: &mut State, at: At, started: &RestoreStarted) {
    let turn = state.turns_of(ThreadId(0)).next_back().map(|turn| turn.id);
    let user = state
        .started
        .as_ref()
        .map_or_else(|| Arc::from("operator"), |started| started.user.clone());
    let content = Content::Text {
        text: started.describe().into(),
        channel: Channel::Spoken,
        opaque: None,
    };
    let origin = Origin::Operator { user };
    add_node(
        state,
        at,
        turn.unwrap_or_default(),
        started.restore,
        content,
        origin,
    );
    let files = &mut state.operator.files;
    let record = RestoreRecord {
        seq: at.seq,
        started: Arc::new(started.clone()),
        interrupted: false,
        end: None,
    };
    files.restores.insert(started.restore, record);
    files.open = Some(started.restore);
}
