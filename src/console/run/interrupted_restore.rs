//! How far an interrupted restore has come, by what its files are now.
//!
//! Must not know: how it is shown, who decides about it.

use std::hash::{Hash, Hasher};

use super::file_look::PlanNeeds;
use super::part::RunPart;
use super::restore_preview::newest;
use overrule_domain::files::{Looked, Progress, RestoreRecord, Step, StepList};
use overrule_domain::id::NodeId;
use overrule_domain::state::State;

/// An interrupted restore.
#[derive(Debug, Clone)]
pub struct InterruptedRestore<'r> {
    /// The node that stands for it.
    pub restore: NodeId,
    /// Its steps, each with how far it has come; or why that is not known, which is untrusted. None while it is looked up.
    pub steps: Option<Result<Vec<(&'r Step, Progress)>, &'r str>>,
}

impl<'r> InterruptedRestore<'r> {
    /// The restore that waits for the operator, if there is one.
    pub fn of(run: &'r RunPart) -> Option<Self> {
        let started = &record(&run.state)?.started;
        let steps = &started.steps;
        let found = run.files.looked(&needs(steps), newest(&run.state));
        let with_progress = |found: &'r Looked| {
            let steps = steps.0.iter().zip(&found.states);
            steps.map(|(step, now)| (step, step.progress(now))).collect()
        };
        Some(Self {
            restore: started.restore,
            steps: found.map(|found| found.as_ref().map(with_progress).map_err(String::as_str)),
        })
    }

    /// The steps that have come so far; empty while that is not known.
    pub fn that_are(&self, progress: Progress) -> impl Iterator<Item = &'r Step> {
        let known = self.steps.iter().flatten().flatten();
        known.filter_map(move |(step, now)| (*now == progress).then_some(*step))
    }

    /// Hashes what is known of it.
    pub fn hash_into(&self, to: &mut impl Hasher) {
        (self.restore, matches!(self.steps, Some(Ok(_)))).hash(to);
        for progress in [Progress::Open, Progress::Conflict] {
            let paths: Vec<&[u8]> = self.that_are(progress).map(|step| step.path.bytes()).collect();
            paths.hash(to);
        }
    }
}

/// What has to be known of the restore that waits for the operator; nothing if none does.
pub fn needs_of_interrupted(state: &State) -> PlanNeeds {
    record(state).map_or_else(PlanNeeds::default, |record| needs(&record.started.steps))
}

fn record(state: &State) -> Option<&RestoreRecord> {
    state.operator.files.open().filter(|record| record.interrupted)
}

fn needs(steps: &StepList) -> PlanNeeds {
    PlanNeeds {
        paths: steps.0.iter().map(|step| step.path.clone()).collect(),
        contents: Vec::new(),
    }
}
