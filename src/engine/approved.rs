//! The permission to run: exactly these bytes of exactly this call. Must not know: how a tool runs.
//!
//! [`Approved`] can only be made from a recorded decision, and only while what would run is what was
//! decided on. It is the executor's only way in.

use std::sync::Arc;

use crate::domain::advice::Advice;
use crate::domain::call::{Decision, Status};
use crate::domain::id::{Attempt, NodeId, Rev};
use crate::domain::ready;
use crate::domain::state::State;

/// A decided execution.
#[derive(Debug, Clone)]
pub struct Approved {
    call: NodeId,
    rev: Rev,
    attempt: Attempt,
    tool: Arc<str>,
    bytes: Arc<str>,
    key: Arc<str>,
}

/// Why a recorded intent may not be carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No decision for this revision lets it run.
    #[error("{0} was not decided: nothing runs without a recorded decision")]
    Undecided(NodeId),
    /// The tool, a file that it runs or the surroundings changed since the decision.
    #[error(
        "{0} is not what was approved any more (its tool, a file that it runs, its directory or environment \
         changed): nothing ran"
    )]
    Changed(NodeId),
}

impl Approved {
    /// The permission for the running attempt of a call, from the decision in the state.
    pub fn from_decision(
        state: &State,
        advice: &dyn Advice,
        (id, rev, attempt): (NodeId, Rev, Attempt),
    ) -> Result<Self, Error> {
        let undecided = || Error::Undecided(id);
        let call = state.calls.get(&id).ok_or_else(undecided)?;
        let node = state
            .nodes
            .get(&id)
            .filter(|node| node.rev() == rev)
            .ok_or_else(undecided)?;
        let (tool, _) = node.as_call().ok_or_else(undecided)?;
        let lets_run = call
            .decisions
            .iter()
            .rev()
            .find(|(one, _, _)| *one == rev)
            .is_some_and(|(_, _, decision)| {
                matches!(
                    **decision,
                    Decision::Approve { .. } | Decision::Auto { .. } | Decision::Edited | Decision::RunAgain
                )
            });
        if !lets_run || call.status != Status::Running(attempt) {
            return Err(undecided());
        }
        let bytes = ready::resolved_args(state, call).ok_or_else(undecided)?;
        // The files that it runs are looked at once more: this is the last look before it begins.
        let operands = advice.operands(tool, &bytes);
        if call.digest.as_ref() != Some(&advice.digest(id, rev, (tool, &bytes), &operands)) {
            return Err(Error::Changed(id));
        }
        let key = call
            .last_attempt()
            .and_then(|last| state.ledger.get(&last.intent))
            .map_or_else(|| Arc::from(""), |entry| entry.key.clone());
        Ok(Self {
            call: id,
            rev,
            attempt,
            tool: tool.clone(),
            bytes,
            key,
        })
    }

    /// The call.
    pub fn call(&self) -> NodeId {
        self.call
    }

    /// The revision.
    pub fn rev(&self) -> Rev {
        self.rev
    }

    /// The execution.
    pub fn attempt(&self) -> Attempt {
        self.attempt
    }

    /// The tool.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The exact argument bytes.
    pub fn bytes(&self) -> &Arc<str> {
        &self.bytes
    }

    /// Key for services that can tell a repetition.
    pub fn key(&self) -> &Arc<str> {
        &self.key
    }
}
