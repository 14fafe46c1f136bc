//! Permission to run exactly these bytes of exactly this call.
//!
//! Must not know: how a tool runs.
//!
//! An [`Approved`] can only be made from a recorded decision, and only while what would run is what was
//! decided on. It is the only way into the executor.

use std::sync::Arc;

use overrule_domain::advice::{Advice, digest};
use overrule_domain::call::{Gate, Status};
use overrule_domain::id::{Attempt, NodeId, Rev};
use overrule_domain::ready;
use overrule_domain::sandbox::{Profile, ReadOnly, UNDOABLE};
use overrule_domain::state::State;

/// An execution that was decided on.
#[derive(Debug, Clone)]
pub struct Approved {
    call: NodeId,
    rev: Rev,
    attempt: Attempt,
    tool: Arc<str>,
    bytes: Arc<str>,
    profile: Option<Arc<Profile>>,
    is_outside: bool,
    only_reads: bool,
    undoable: Option<ReadOnly>,
}

/// Why a recorded intent must not be carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No recorded decision allows this revision to run.
    #[error("{0} is not approved: nothing runs without a recorded decision")]
    Undecided(NodeId),
    /// The tool, a file that it may run, its directory, its environment or its sandbox changed since the decision.
    #[error(
        "{0} changed after its approval (its tool, a file that it may run, its directory, environment or sandbox): \
         nothing ran"
    )]
    Changed(NodeId),
}

impl Approved {
    /// Returns the permission for the running attempt of a call, from the decision in the state.
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
        let allows = call
            .decisions
            .iter()
            .rev()
            .find(|(one, _, _)| *one == rev)
            .is_some_and(|(_, _, decision)| decision.allows_run());
        if !allows || call.status != Status::Running(attempt) {
            return Err(undecided());
        }
        let bytes = ready::resolved_args(state, call).ok_or_else(undecided)?;
        // Examines the files that it may run one last time, right before it begins.
        let operands = advice.operands(tool, &bytes);
        let verdict = call.verdict.as_deref();
        if call.digest.as_ref() != Some(&digest(advice, (id, rev), (tool, &bytes), &operands, verdict)) {
            return Err(Error::Changed(id));
        }
        let allowed = verdict.filter(|verdict| verdict.gate == Gate::Allow);
        let read_only = allowed.map_or_else(
            || Ok(ReadOnly::default()),
            |verdict| advice.read_only(&verdict.rule, tool, &bytes),
        );
        let read_only = read_only.map_err(|_| Error::Changed(id))?;
        let undoable = allowed.filter(|verdict| &*verdict.rule == UNDOABLE);
        let undoable = undoable.map(|_| read_only.clone());
        let profile = advice.profile(tool, &bytes).map(|profile| {
            if read_only.is_empty() {
                return profile;
            }
            Arc::new(Profile {
                read_only,
                ..(*profile).clone()
            })
        });
        Ok(Self {
            is_outside: profile.is_none() && advice.profile(tool, "{}").is_some(),
            profile,
            only_reads: !call.effect.has_effect(),
            undoable,
            call: id,
            rev,
            attempt,
            tool: tool.clone(),
            bytes,
        })
    }

    /// Returns the call.
    pub fn call(&self) -> NodeId {
        self.call
    }

    /// Returns true if the call changes nothing.
    pub fn only_reads(&self) -> bool {
        self.only_reads
    }

    /// Returns what is read-only for a call that is allowed because its changes can be undone; none for any other call.
    pub const fn undoable(&self) -> Option<&ReadOnly> {
        self.undoable.as_ref()
    }

    /// Returns the revision of the call.
    pub fn rev(&self) -> Rev {
        self.rev
    }

    /// Returns the attempt.
    pub fn attempt(&self) -> Attempt {
        self.attempt
    }

    /// Returns the name of the tool.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns the profile of the sandbox in which it starts; none outside, and for a tool that is not confined.
    pub fn profile(&self) -> Option<&Arc<Profile>> {
        self.profile.as_ref()
    }

    /// Returns true for a call of a confined tool that was approved to run outside of the sandbox.
    pub fn is_outside(&self) -> bool {
        self.is_outside
    }

    /// Returns the exact bytes of the arguments.
    pub fn bytes(&self) -> &Arc<str> {
        &self.bytes
    }
}
