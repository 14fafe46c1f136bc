//! Data types for loops: findings, steps against a loop and their outcomes.
//!
//! Must not know: how a loop is found, how the next step is chosen.

pub mod advised;
pub mod awaiting;
mod finding;
mod loop_step;
pub mod open_step;
pub mod pause;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::id::{NodeId, Seq, ThreadId, TurnId};
use super::weight::StepRecord;

pub use finding::{Detector, Finding, Signature, args_hash};
pub use loop_step::{LoopStep, StepOutcome};

/// A step that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The node of the step in the graph.
    pub node: NodeId,
    /// Kind of step.
    pub kind: LoopStep,
    /// Why this step was chosen.
    pub why: Arc<str>,
    /// The event.
    pub seq: Seq,
    /// The newest turn of the thread when it was taken.
    pub after: TurnId,
    /// Calls that the gate denies in the next turn.
    pub forbidden: Vec<Signature>,
    /// Notice to the model, sent with the next request.
    pub notice: Option<Arc<str>>,
    /// Outcome of the step, once it is known.
    pub outcome: Option<StepOutcome>,
    /// The milder steps that were skipped for it.
    pub skipped: Vec<Skipped>,
}

/// A step that was skipped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// Which.
    #[serde(alias = "rung")]
    pub step: LoopStep,
    /// Why.
    pub why: Arc<str>,
}

/// What became of one kind of step in an incident.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proposal<'i> {
    /// It was taken; the newest time.
    Taken(&'i Step),
    /// It was skipped, with the reason; an empty one where an older program recorded none.
    Skipped(&'i str),
    /// It comes after the steps taken so far.
    Later,
}

/// A loop and the steps taken against it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incident {
    /// Counts the incidents of a run, from 1.
    pub no: u32,
    /// The finding that opened it.
    pub finding: Finding,
    /// The event.
    pub seq: Seq,
    /// The steps taken, oldest first.
    pub steps: Vec<Step>,
    /// True once no further step is taken.
    pub over: bool,
}

impl Incident {
    /// What became of every kind of step, from mild to strong.
    pub fn proposals(&self) -> impl Iterator<Item = (LoopStep, Proposal<'_>)> {
        let strongest = self.steps.iter().map(|step| step.kind).max();
        LoopStep::ALL.into_iter().map(move |level| {
            let taken = self.steps.iter().rfind(|step| step.kind == level);
            let mut skipped = self.steps.iter().rev().flat_map(|step| &step.skipped);
            let proposal = match (taken, skipped.find(|one| one.step == level)) {
                (Some(step), _) => Proposal::Taken(step),
                (None, Some(skipped)) => Proposal::Skipped(&skipped.why),
                (None, None) if strongest.is_some_and(|strongest| level < strongest) => Proposal::Skipped(""),
                (None, None) => Proposal::Later,
            };
            (level, proposal)
        })
    }

    /// How often a step was taken.
    pub fn taken(&self, level: LoopStep) -> u32 {
        self.steps.iter().filter(|step| step.kind == level).count() as u32
    }
}

/// Everything that a run recorded about loops.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Escape {
    /// Every incident, oldest first.
    pub incidents: Vec<Incident>,
    /// The incident that each thread is in, by its number.
    pub open: BTreeMap<ThreadId, u32>,
    /// The newest warning of each thread, with the turn that it was given after.
    pub warned: BTreeMap<ThreadId, (TurnId, Finding)>,
    /// Repetition that the operator allows.
    pub allowed: Vec<Signature>,
    /// Detectors that the operator muted.
    pub muted: BTreeSet<Detector>,
    /// How the steps did in earlier sessions.
    pub earlier: Vec<StepRecord>,
}

impl Escape {
    /// The incident that a thread is in.
    pub fn of(&self, thread: ThreadId) -> Option<&Incident> {
        self.open.get(&thread).and_then(|no| self.incident(*no))
    }

    /// An incident by its number.
    pub fn incident(&self, no: u32) -> Option<&Incident> {
        self.incidents.get((no as usize).checked_sub(1)?)
    }

    /// Returns the incident and the step of a node.
    pub fn step(&self, node: NodeId) -> Option<(&Incident, &Step)> {
        self.incidents.iter().rev().find_map(|incident| {
            let step = incident.steps.iter().find(|step| step.node == node)?;
            Some((incident, step))
        })
    }

    /// Returns the outcomes of the steps of each kind so far, from mild to strong; only kinds with
    /// a known outcome.
    pub fn lessons(&self) -> Vec<Lesson> {
        let of = |level: LoopStep| {
            let steps = self.incidents.iter().flat_map(|one| &one.steps);
            let upshots = steps
                .filter(|step| step.kind == level)
                .filter_map(|step| step.outcome);
            let (tried, helped) = upshots.fold((0, 0), StepOutcome::counted);
            Lesson {
                kind: level,
                tried,
                helped,
            }
        };
        let all = LoopStep::ALL.into_iter().map(of);
        all.filter(|one| one.tried > 0).collect()
    }

    /// Returns how the steps of each kind did in earlier sessions, from mild to strong.
    pub fn earlier_lessons(&self) -> Vec<Lesson> {
        let of = |level: LoopStep| {
            let records = self.earlier.iter().filter(|one| one.step == level);
            let (tried, helped) = records.fold((0_u32, 0_u32), |(tried, helped), one| {
                (tried.saturating_add(one.tried), helped.saturating_add(one.helped))
            });
            Lesson {
                kind: level,
                tried,
                helped,
            }
        };
        let all = LoopStep::ALL.into_iter().map(of);
        all.filter(|one| one.tried > 0).collect()
    }

    /// Returns how the steps that ended did in this session, by detector, tools and step.
    pub fn records(&self) -> Vec<StepRecord> {
        let mut all = BTreeMap::<(Detector, Vec<Arc<str>>, LoopStep), (u32, u32)>::new();
        for incident in &self.incidents {
            let tools = incident.finding.tools();
            for step in &incident.steps {
                if let Some(step_outcome) = step.outcome {
                    let key = (incident.finding.detector, tools.clone(), step.kind);
                    let counts = all.entry(key).or_default();
                    *counts = StepOutcome::counted(*counts, step_outcome);
                }
            }
        }
        let record = |((detector, tools, level), (tried, helped))| StepRecord {
            detector,
            tools,
            step: level,
            tried,
            helped,
        };
        all.into_iter().map(record).collect()
    }

    /// Returns how often a step was tried against loops like a finding, and how often it helped: in
    /// this session, and in earlier ones.
    pub fn learnt(&self, finding: &Finding, level: LoopStep) -> [(u32, u32); 2] {
        let tools = finding.tools();
        let of = |records: &[StepRecord]| {
            let like = records
                .iter()
                .find(|one| (one.detector, one.step) == (finding.detector, level) && one.tools == tools);
            like.map_or((0, 0), |one| (one.tried, one.helped))
        };
        [of(&self.records()), of(&self.earlier)]
    }
}

/// How a kind of step did in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lesson {
    /// The kind.
    pub kind: LoopStep,
    /// Steps of this kind with a known outcome.
    pub tried: u32,
    /// Steps after which the run made progress.
    pub helped: u32,
}
