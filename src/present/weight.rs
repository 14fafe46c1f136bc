//! Builds the views of tool weights: all of them at one moment, and the changes of one.
//!
//! Must not know: how a weight is computed.

use serde::Serialize;

use overrule_domain::id::{Attempt, NodeId, Seq};
use overrule_domain::state::State;
use overrule_domain::weight::Learned;
use overrule_resilience::routing::{Change, Snapshot};

/// The weights of a run, as a file that another run can start with.
#[derive(Debug, Clone, Serialize)]
pub struct WeightsView<'s> {
    /// The weights and the results of repairs.
    #[serde(flatten)]
    pub snapshot: Snapshot,
    /// What the run started with; none without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_with: Option<LearnedView<'s>>,
}

/// What a run started with.
#[derive(Debug, Clone, Serialize)]
pub struct LearnedView<'s> {
    /// Where it came from.
    pub from: &'s str,
    /// What was learned there, as recorded.
    pub learned: &'s Learned,
}

impl<'s> WeightsView<'s> {
    /// Builds the view from the weights of a run.
    pub fn of(state: &'s State, weights: Snapshot) -> Self {
        let imported = state.learned.weights.imported.as_ref();
        Self {
            snapshot: Snapshot {
                repairs: state.learned.repair_stats.clone(),
                ..weights
            },
            started_with: imported.map(|one| LearnedView {
                from: &one.from,
                learned: &one.learned,
            }),
        }
    }
}

/// One change of one weight.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WeightChangeView<'a> {
    /// The tool.
    pub tool: &'a str,
    /// The kind of task.
    pub kind: &'a str,
    /// The event that caused it.
    pub seq: Seq,
    /// The call; none if the operator changed the weight.
    pub call: Option<NodeId>,
    /// The execution of the call; none if the operator changed the weight.
    pub attempt: Option<Attempt>,
    /// The weight before, from 0 to 1.
    pub before: f64,
    /// The weight after, from 0 to 1.
    pub after: f64,
    /// The reason, as text.
    pub why: String,
}

impl<'a> WeightChangeView<'a> {
    /// Builds the view of a change.
    pub fn of(change: &'a Change) -> Self {
        let (call, attempt) = change.execution.unzip();
        Self {
            tool: &change.tool,
            kind: &change.kind,
            seq: change.seq,
            call,
            attempt,
            before: change.before,
            after: change.after,
            why: change.why.describe(),
        }
    }

    /// Describes it with its cause.
    pub fn describe(&self) -> String {
        let cause = match (self.call, self.attempt) {
            (Some(call), Some(attempt)) => format!("{call} {attempt}"),
            _ => "operator".to_owned(),
        };
        format!(
            "{} {cause}: {:.3} to {:.3}, {}",
            self.seq, self.before, self.after, self.why
        )
    }
}
