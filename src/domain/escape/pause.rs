//! Tells which pauses of a run are for a loop.
//!
//! Must not know: how a loop is found, who resumes the run.

use super::{Incident, LoopStep};
use crate::state::{Mode, State};

/// The reason why a run is paused for an incident.
pub fn pause_reason(incident: &Incident) -> String {
    format!("loop {}: {}", incident.no, incident.finding.describe())
}

/// True if the run is paused because of this incident and nothing was done about it since.
pub fn waits_for_operator(state: &State, incident: &Incident) -> bool {
    let asks = incident
        .steps
        .last()
        .is_some_and(|step| step.kind == LoopStep::Human && step.outcome.is_none());
    asks && !incident.over && matches!(&state.mode, Mode::Paused(reason) if *reason == pause_reason(incident))
}
