//! What hangs on what: the plan of an edit, computed before it happens.
//!
//! A plan is a value that is shown, and later compared with what the edit did. Must not know: how
//! a plan is shown.

use super::command::Edit;
use super::id::{NodeId, Seq, TurnId};
use super::refusal::Refusal;
use super::state::State;

/// What a set of edits would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// The state of the run that the plan was made for.
    pub seen: Seq,
    /// Nodes that become history, because the model made them from what is edited.
    pub superseded: Vec<NodeId>,
    /// Turns that become history.
    pub turns: Vec<TurnId>,
    /// Calls that will run (again) for certain, gate permitting.
    pub certain: Vec<NodeId>,
    /// Calls that may run again, if what they read turns out different; holds `certain`.
    pub possible: Vec<NodeId>,
    /// Finished calls that keep their results.
    pub kept: Vec<NodeId>,
    /// Running calls that are cancelled.
    pub cancelled: Vec<NodeId>,
    /// Calls that finish before the model is asked again.
    pub drained: Vec<NodeId>,
    /// Executions with effects that already happened under what is replaced or runs again.
    pub effects: Vec<Seq>,
    /// Whether the model will be asked again.
    pub asks: bool,
    /// Tokens of the next request, estimated.
    pub tokens: u64,
}

/// The plan of edits, taken as one. Refused where an edit could not be committed.
pub fn plan(_state: &State, _edits: &[Edit]) -> Result<Plan, Refusal> {
    Ok(Plan::default())
}
