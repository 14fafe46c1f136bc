//! Derives the path of a call through the thirteen phases of repair.
//!
//! Must not know: how an error is understood, who shows it, how many attempts there may be.
//!
//! The path is read off the events of the call and never stored.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::call::{Call, Status};
use super::id::{NodeId, Rev};
use super::ladder::{Fix, Round, Stage};
use super::node::{Content, Node, Origin};
use super::repair::Phase;
use super::state::State;

/// Path of a call since it was proposed, or since anything but a repair rewrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairTrace {
    /// The steps in order; each may follow the one before ([`Phase::next`]), and the first is the start.
    pub steps: Vec<Step>,
    /// Executions with different arguments so far: the attempt that it is at.
    pub attempt: u32,
    /// How it ended outside of these phases; `None` for all calls that run.
    pub left: Option<ExitReason>,
}

/// One step of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Which.
    pub phase: Phase,
    /// The revision that took it.
    pub rev: Rev,
    /// Executions in it: more than one where the same bytes were tried again, none where the call was
    /// stopped before it ran (by its check, by an open breaker). Always none but for the step that executes.
    pub executions: usize,
}

/// How a call ends outside of the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitReason {
    /// Rejected by the operator or denied by the policy.
    Rejected,
    /// It was started, and the operator left its outcome unknown.
    Unknown,
    /// No decision came in time.
    Expired,
    /// Something that it reads has no value.
    Skipped,
    /// It reads what nothing will ever write.
    Unsatisfiable,
    /// The operator gave its result.
    Answered,
    /// The result of an earlier execution was reused.
    Reused,
    /// Its result was taken in with a record from elsewhere.
    Recorded,
    /// Superseded.
    Superseded,
}

impl ExitReason {
    /// In a few lower-case words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Rejected => "rejected",
            Self::Unknown => "outcome left unknown",
            Self::Expired => "not approved in time",
            Self::Skipped => "skipped",
            Self::Unsatisfiable => "unsatisfiable",
            Self::Answered => "answered by the operator",
            Self::Reused => "an earlier result was reused",
            Self::Recorded => "recorded elsewhere",
            Self::Superseded => "superseded",
        }
    }
}

impl RepairTrace {
    /// The step that the call is at.
    pub fn now(&self) -> Phase {
        self.steps.last().map_or(Phase::Start, |step| step.phase)
    }
}

/// Returns the path of a call so far. A call that was not proposed yet is at the start.
pub fn of(state: &State, id: NodeId) -> RepairTrace {
    let mut way = Builder::default();
    let (Some(call), Some(node)) = (state.calls.get(&id), state.nodes.get(&id)) else {
        way.take(Phase::Start);
        return way.trace;
    };
    let revs = repaired_revs(call, node);
    way.rev = *revs.first().unwrap_or(&node.rev());
    way.take(Phase::Start);
    way.take(Phase::PlanToolCall);
    for pair in revs.windows(2) {
        way.execute(call);
        for phase in [
            Phase::ErrorDetected,
            Phase::DiagnoseError,
            Phase::SelectRepairStrategy,
            Phase::ApplyRepairStrategy,
            Phase::ValidateParameters,
        ] {
            way.take(phase);
        }
        way.rev = pair[1];
        // The newest one is not on its way before it was looked at.
        if pair[1] != node.rev() || call.status != Status::Proposed {
            way.take(Phase::RetryToolCall);
        }
    }
    end(&mut way, state, call);
    let ran = call.attempts.iter().filter(|one| revs.contains(&one.rev));
    let different: BTreeSet<&str> = ran.map(|one| &*one.args).collect();
    way.trace.attempt = u32::try_from(different.len()).unwrap_or(u32::MAX);
    if way.trace.left.is_none() && !node.active && way.trace.now() != Phase::End {
        way.trace.left = Some(ExitReason::Superseded);
    }
    way.trace
}

/// The step that a call is at.
pub fn phase(state: &State, id: NodeId) -> Phase {
    of(state, id).now()
}

/// The revisions from the last one that no repair made to the current one, each repaired from the
/// one before.
fn repaired_revs(call: &Call, node: &Node) -> Vec<Rev> {
    let mut revs = vec![node.rev()];
    let mut rev = node.rev();
    while let Some(round) = made(call, node, rev) {
        rev = round.rev;
        revs.push(rev);
    }
    revs.reverse();
    revs
}

/// Returns the tool and the arguments that a repair replaced with another tool. The arguments are
/// the last ones before that, repaired or not. `None` if the tool was not replaced.
pub fn replaced(node: &Node) -> Option<(&Arc<str>, &Arc<str>)> {
    let (now, _) = node.as_call()?;
    let mut later = true;
    let before = node.revisions.iter().rev().skip_while(|one| one.no > node.rev());
    for one in before {
        let Content::Call { tool, args } = &one.content else {
            return None;
        };
        if !later {
            return None;
        }
        if tool != now {
            return Some((tool, args));
        }
        later = matches!(one.origin, Origin::Repair { .. });
    }
    None
}

/// The round of repair that led to a revision.
pub(super) fn made<'c>(call: &'c Call, node: &Node, rev: Rev) -> Option<&'c Round> {
    let revision = node.revision(rev)?;
    let Origin::Repair { attempt } = revision.origin else {
        return None;
    };
    let led = |one: &&Round| {
        one.no == attempt && one.rev < rev && one.seq < revision.event && !one.changes.is_empty()
    };
    call.failure.repairs.iter().rfind(led)
}

/// Adds what became of the current revision.
fn end(way: &mut Builder, state: &State, call: &Call) {
    let message = state.turn_of(call.id).is_some_and(|turn| turn.settled);
    match &call.status {
        Status::Proposed
        | Status::Blocked
        | Status::Ready
        | Status::AwaitingApproval
        | Status::Consent(_) => {}
        Status::Queued => {
            // Between two executions of the same bytes.
            if call.failure.retries > 0 {
                way.execute(call);
            }
        }
        Status::Scheduled | Status::Running(_) | Status::OutcomeUnknown(_) => way.execute(call),
        Status::Rejected => way.leave(call, ExitReason::Rejected),
        Status::Abandoned => way.leave(call, ExitReason::Unknown),
        Status::Expired => way.leave(call, ExitReason::Expired),
        Status::Skipped => way.leave(call, ExitReason::Skipped),
        Status::Unsatisfiable => way.leave(call, ExitReason::Unsatisfiable),
        Status::Succeeded | Status::Exited(_) | Status::Failed(_) if given(state, call.id).is_some() => {
            way.leave(call, given(state, call.id).unwrap_or(ExitReason::Answered));
        }
        Status::Succeeded | Status::Exited(_) => {
            way.execute(call);
            way.take(Phase::ToolCallSuccess);
            if message {
                way.take(Phase::End);
            }
        }
        Status::Repairing(stage) => {
            let round = way.fail(call);
            if call.offered().is_some_and(<[Fix]>::is_empty) {
                way.stop_repair(round, false);
                return;
            }
            way.take(Phase::DiagnoseError);
            // A reply of the model that is being checked is part of the repair that asked for it.
            let asked = round.is_some_and(|one| one.asked.is_some());
            if *stage != Stage::Diagnosing {
                way.take(Phase::SelectRepairStrategy);
                if *stage != Stage::Selecting || asked {
                    way.take(Phase::ApplyRepairStrategy);
                }
            }
        }
        Status::Failed(_) | Status::Invalid => {
            let round = way.fail(call);
            if message || call.failure.given_up.is_some() {
                way.stop_repair(round, message);
            }
        }
    }
}

/// Who gave a result that no execution gave.
fn given(state: &State, id: NodeId) -> Option<ExitReason> {
    match state.observation(id)?.now().origin {
        Origin::Operator { .. } => Some(ExitReason::Answered),
        Origin::Reused { .. } => Some(ExitReason::Reused),
        Origin::Import => Some(ExitReason::Recorded),
        Origin::Model | Origin::Execution | Origin::Repair { .. } | Origin::Engine { .. } => None,
    }
}

/// A trace that is being built.
struct Builder {
    trace: RepairTrace,
    rev: Rev,
}

impl Default for Builder {
    fn default() -> Self {
        let repair_trace = RepairTrace {
            steps: Vec::new(),
            attempt: 0,
            left: None,
        };
        Self {
            trace: repair_trace,
            rev: Rev(1),
        }
    }
}

impl Builder {
    fn take(&mut self, phase: Phase) {
        self.trace.steps.push(Step {
            phase,
            rev: self.rev,
            executions: 0,
        });
    }

    fn execute(&mut self, call: &Call) {
        let rev = self.rev;
        self.trace.steps.push(Step {
            phase: Phase::ExecuteTool,
            rev,
            executions: call.attempts.iter().filter(|one| one.rev == rev).count(),
        });
    }

    /// It failed, or its check did; gives the round of repair of this revision.
    fn fail<'c>(&mut self, call: &'c Call) -> Option<&'c Round> {
        self.execute(call);
        self.take(Phase::ErrorDetected);
        call.failure.repairs.iter().rfind(|one| one.rev == self.rev)
    }

    fn stop_repair(&mut self, round: Option<&Round>, message: bool) {
        self.take(Phase::DiagnoseError);
        self.take(Phase::SelectRepairStrategy);
        // A repair was begun and changed nothing.
        if round.is_some_and(|one| one.asked.is_some() || !one.options.is_empty()) {
            self.take(Phase::ApplyRepairStrategy);
            self.take(Phase::ValidateParameters);
        }
        self.take(Phase::NoFurtherRepairPossible);
        if message {
            self.take(Phase::ReportFailure);
            self.take(Phase::End);
        }
    }

    /// Ends the path outside of the phases, from where it is.
    fn leave(&mut self, call: &Call, left: ExitReason) {
        let mut ran = call.attempts.iter().filter(|one| one.rev == self.rev);
        if let Some(last) = ran.next_back() {
            self.execute(call);
            if last.outcome.as_ref().is_some_and(|outcome| !outcome.is_ok()) {
                self.take(Phase::ErrorDetected);
            }
        }
        self.trace.left = Some(left);
    }
}
