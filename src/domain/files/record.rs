//! What a run knows of the files of the workspace, apart from what each execution changed.
//!
//! Must not know: how a plan is made.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{ChangeList, Execution, FilePath, RestoreRecord};
use crate::id::{NodeId, Seq};
use crate::state::State;

/// What a run knows of the files of the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FilesRecord {
    /// Everything that changed files, by the event that recorded its end.
    pub log: BTreeMap<Seq, FilesChange>,
    /// The restores that ever began.
    pub restores: BTreeMap<NodeId, RestoreRecord>,
    /// The restore that has not ended. Until it has, no call is launched and no model is asked.
    pub open: Option<NodeId>,
    /// When each path was restored last.
    pub restored_at: BTreeMap<FilePath, Seq>,
    /// The newest event whose changes the operator has seen.
    pub seen: Seq,
}

/// Something that changed files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilesChange {
    /// An execution; what it changed is on its record.
    Execution(Execution),
    /// Something else than a call of the run.
    Outside(Arc<ChangeList>),
    /// A restore that has ended.
    Restore(NodeId),
}

impl FilesRecord {
    /// The restore that has not ended.
    pub fn open(&self) -> Option<&RestoreRecord> {
        self.restores.get(&self.open?)
    }
}

/// Returns true while a restore has not ended: launches and requests wait for it.
pub fn is_restoring(state: &State) -> bool {
    state.operator.files.open.is_some()
}
