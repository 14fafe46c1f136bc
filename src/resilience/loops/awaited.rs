//! Fits what was found to calls that wait for something: their repetition is a loop only after ten equal results.
//!
//! Must not know: how repetition is found.

use super::watch::Report;
use overrule_domain::escape::Finding;
use overrule_domain::escape::awaiting::{LOOP, NOTICE, awaits, is_awaiting};
use overrule_domain::id::NodeId;
use overrule_domain::state::State;

/// Leaves out what is repeated on purpose and not often enough for a notice, and turns what is not often enough to be a loop
/// into a warning.
pub(super) fn fit(state: &State, mut reports: Vec<Report>) -> Vec<Report> {
    reports.retain_mut(|report| {
        if !is_awaiting(state, &report.finding) {
            return true;
        }
        report.is_loop &= report.finding.repetitions >= LOOP;
        report.is_loop || report.finding.repetitions >= NOTICE
    });
    reports
}

/// The calls of a loop that are refused: without those that wait for something, where others repeat with them.
pub(super) fn refused<'f>(state: &'f State, finding: &'f Finding) -> impl Iterator<Item = &'f NodeId> {
    let all = is_awaiting(state, finding);
    let waits = |id: &NodeId| state.calls.get(id).is_some_and(|call| awaits(state, call));
    finding.nodes.iter().filter(move |id| all || !waits(id))
}
