//! Builds the view of the status of a call: whether it is active, and where its result comes from.
//!
//! Must not know: clocks, whether the run is halted.

use serde::Serialize;

use crate::ser;
use overrule_domain::call::{Call, Status};
use overrule_domain::effective_status::EffectiveStatus;
use overrule_domain::result_source::{self, ResultSource};
use overrule_domain::state::State;

/// The status of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CallStatusView<'s> {
    /// The status itself.
    #[serde(serialize_with = "ser::status")]
    pub status: &'s Status,
    /// True if its inputs may have changed.
    pub stale: bool,
    /// The status with whether the call is active, suspended or superseded.
    #[serde(skip)]
    pub effective: EffectiveStatus<'s>,
    /// How the operator gave its result; none if an execution gave it, or there is none.
    #[serde(skip)]
    pub source: Option<ResultSource>,
    /// True if an open edit suspends the call itself.
    #[serde(skip)]
    pub held: bool,
}

impl<'s> CallStatusView<'s> {
    /// Builds the view.
    pub fn of(state: &State, call: &'s Call) -> Self {
        Self {
            status: &call.status,
            stale: call.suspect,
            effective: EffectiveStatus::of_call(state, call),
            source: result_source::now(state, call),
            held: state.operator.held.contains(&call.id),
        }
    }

    /// True for a call that an edit superseded.
    pub const fn is_superseded(&self) -> bool {
        matches!(self.effective, EffectiveStatus::Superseded(_))
    }

    /// True for a call that waits for the outcome of an edit.
    pub const fn is_suspended(&self) -> bool {
        self.held || matches!(self.effective, EffectiveStatus::Suspended(_))
    }
}
