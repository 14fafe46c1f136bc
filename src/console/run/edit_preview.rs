//! Previews the selected change.
//!
//! Must not know: how it is shown, how a change is committed.

use overrule_domain::advice::Cards;
use overrule_domain::branch;
use overrule_domain::branch::compare::compare;
use overrule_domain::command::{Command, Edit, EditCommand};
use overrule_domain::decide;
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::lineage::{self, Plan};
use overrule_domain::refusal::Refusal;
use overrule_domain::state::State;

/// A change of the graph.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A hypothetical edit: what any edit of its node would do.
    Any(Edit),
    /// A command that may be committed.
    Command(Command),
}

/// Preview of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditPreview {
    /// Its plan, or why it is impossible.
    pub plan: Result<Plan, Refusal>,
    /// Nodes that stay and have another revision on the new branch: the new one, and the current
    /// one.
    pub revision_changes: Vec<(NodeId, Rev, Rev)>,
}

impl EditPreview {
    /// Previews a change of this run.
    pub fn of(state: &State, change: &Change) -> Self {
        let (plan, text) = match change {
            Change::Any(edit) => (lineage::plan(state, std::slice::from_ref(edit)), Vec::new()),
            Change::Command(Command::Edit(command)) => {
                (lineage::plan_of(state, command), revision_changes(state, command))
            }
            Change::Command(command) => {
                let events = decide::command(state, &Cards(state), command);
                (
                    events.map(|events| lineage::of_events(state, &events)),
                    Vec::new(),
                )
            }
        };
        Self {
            plan,
            revision_changes: text,
        }
    }
}

/// Nodes that stay and have another revision on the new branch.
fn revision_changes(state: &State, command: &EditCommand) -> Vec<(NodeId, Rev, Rev)> {
    let to = match command {
        EditCommand::Undo { .. } => branch::undo_target(state).map(|(to, _)| to),
        EditCommand::Redo { .. } => branch::redo_target(state),
        EditCommand::Switch { to, .. } => Some(*to),
        _ => None,
    };
    let Some(to) = to else { return Vec::new() };
    let rows = compare(state, state.epoch, to).rows;
    let differ = rows.iter().filter(|row| !row.same);
    differ
        .filter_map(|row| Some((row.node, row.b?, row.a?)))
        .collect()
}
