//! The status of a call.
//!
//! Must not know: which rule changes it.

use std::borrow::Cow;

use super::{ConsentCause, ErrorClass, Outcome};
use crate::id::Attempt;
use crate::ladder::Stage;

/// Status of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Sealed by the model or typed by the operator; not checked yet.
    Proposed,
    /// The check found faults (listed in [`Validation::faults`](super::Validation::faults)); the operator or a repair can
    /// still fix it.
    Invalid,
    /// Waits for references that are not written yet.
    Blocked,
    /// All its inputs are known; the gate has not decided yet.
    Ready,
    /// Ready; waits for the operator.
    AwaitingApproval,
    /// Ready; an equal effect may already have happened, so it needs consent.
    Consent(ConsentCause),
    /// Approved; waits for a slot.
    Queued,
    /// Runs after a wait (in [`FailureState::delay`](super::FailureState::delay)): again after a failure, or for the first time
    /// once its approval can no longer be withdrawn.
    Scheduled,
    /// Failed, and its arguments are being repaired.
    Repairing(Stage),
    /// Is being executed.
    Running(Attempt),
    /// It was running when the program ended, or was cut off: its outcome is unknown.
    OutcomeUnknown(Attempt),
    /// Ended with a value.
    Succeeded,
    /// A command that ended with this exit code, which is not one of its success codes: the call
    /// succeeded, but gives no value.
    Exited(i32),
    /// Ended with an error.
    Failed(ErrorClass),
    /// Rejected by the operator, or denied by the policy.
    Rejected,
    /// The operator left the outcome of an execution unknown: it does not run again.
    Abandoned,
    /// The deadline passed without a decision.
    Expired,
    /// Something that it depends on will never have a value.
    Skipped,
    /// A reference that will never be written.
    Unsatisfiable,
}

impl Status {
    /// The status of a call that ended with an outcome.
    pub const fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Ok { exit: None, .. } => Self::Succeeded,
            Outcome::Ok { exit: Some(code), .. } => Self::Exited(*code),
            Outcome::Err(error) => Self::Failed(error.class),
            Outcome::Cancelled { .. } => Self::Failed(ErrorClass::Cancelled),
        }
    }

    /// True once the call has its result, error or rejection for this revision.
    pub const fn is_settled(&self) -> bool {
        matches!(
            self,
            Self::Succeeded
                | Self::Exited(_)
                | Self::Failed(_)
                | Self::Rejected
                | Self::Abandoned
                | Self::Expired
                | Self::Skipped
                | Self::Unsatisfiable
        )
    }

    /// True for a checked call on its way to a result.
    pub const fn is_under_way(&self) -> bool {
        !self.is_settled() && !matches!(self, Self::Proposed | Self::Invalid)
    }

    /// True while the call waits for the operator.
    pub const fn needs_operator(&self) -> bool {
        matches!(
            self,
            Self::AwaitingApproval
                | Self::Consent(_)
                | Self::OutcomeUnknown(_)
                | Self::Repairing(Stage::Choosing)
        )
    }

    /// The status as a few lower-case words.
    pub const fn base_label(&self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Invalid => "invalid",
            Self::Blocked => "blocked",
            Self::Ready => "ready",
            Self::AwaitingApproval => "awaiting approval",
            Self::Consent(_) => "would repeat an effect",
            Self::Queued => "queued",
            Self::Scheduled => "waiting to run",
            Self::Repairing(stage) => stage.label(),
            Self::Running(_) => "running",
            Self::OutcomeUnknown(_) => "outcome unknown",
            Self::Succeeded => "succeeded",
            Self::Exited(_) => "ended with an exit code",
            Self::Failed(_) => "failed",
            Self::Rejected => "rejected",
            Self::Abandoned => "left unknown",
            Self::Expired => "not approved in time",
            Self::Skipped => "skipped",
            Self::Unsatisfiable => "unsatisfiable",
        }
    }

    /// The status as a few lower-case words, with the exit code of a command.
    pub fn label(&self) -> Cow<'static, str> {
        match self {
            Self::Exited(code) => Cow::Owned(format!("exit {code}")),
            other => Cow::Borrowed(other.base_label()),
        }
    }
}
