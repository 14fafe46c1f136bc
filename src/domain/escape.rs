//! Data types for loops: findings, steps against a loop and their outcomes.
//!
//! Must not know: how a loop is found, how the next step is chosen.

pub mod advised;
pub mod awaiting;
pub mod open_step;
pub mod pause;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::id::{NodeId, Seq, ThreadId, TurnId};
use super::reference::rewrite;
use super::weight::StepRecord;
use overrule_base::canon;

/// Kind of detector that finds a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detector {
    /// The newest turns are equal, in their calls and results.
    Sequence,
    /// One tool ends with the same error repeatedly, whatever its arguments.
    SameError,
    /// Turn after turn brings nothing that was not known.
    NoProgress,
    /// One call gives the same result repeatedly, and nothing was changed in between.
    Visits,
    /// Most calls of one tool failed.
    FailingTool,
    /// A call failed and will not succeed by being repeated: its retries are used up, or its error does not pass.
    Exhausted,
}

impl Detector {
    /// All of them, the most exact first.
    pub const ALL: [Self; 6] = [
        Self::Sequence,
        Self::SameError,
        Self::NoProgress,
        Self::Visits,
        Self::FailingTool,
        Self::Exhausted,
    ];

    /// Its name in settings, commands and facts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sequence => "sequence",
            Self::SameError => "same_error",
            Self::NoProgress => "no_progress",
            Self::Visits => "visits",
            Self::FailingTool => "failing_tool",
            Self::Exhausted => "exhausted",
        }
    }

    /// Returns true for a detector that only reports a failing tool. This is no loop, and no step
    /// follows.
    pub const fn is_informational(self) -> bool {
        matches!(self, Self::SameError | Self::FailingTool)
    }

    /// Returns all names as a list, for the operator to choose from.
    pub fn names() -> String {
        let names: Vec<&str> = Self::ALL.iter().map(|one| one.name()).collect();
        names.join(", ")
    }

    /// The detector of a name; `-` may stand for `_`.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim().replace('-', "_");
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

impl fmt::Display for Detector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What makes two calls the same for this purpose. A part that is not named stands for any.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Signature {
    /// The tool.
    pub tool: Arc<str>,
    /// Hash of the arguments, spelt canonically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Arc<str>>,
    /// What its error looks like without numbers and ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Arc<str>>,
}

impl Signature {
    /// Returns true if it matches a call that ended. A call that succeeded has no error.
    pub fn covers(&self, tool: &str, args: &str, error: Option<&str>) -> bool {
        self.covers_before(tool, args) && self.error.as_deref().is_none_or(|one| Some(one) == error)
    }

    /// Returns true if it matches the tool and the arguments of a call that has not ended.
    pub fn covers_before(&self, tool: &str, args: &str) -> bool {
        *self.tool == *tool && self.args.as_deref().is_none_or(|one| one == args)
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tool)?;
        match (&self.args, &self.error) {
            (Some(args), _) => write!(f, " with arguments {}", args.get(..8).unwrap_or(args)),
            (None, Some(error)) => write!(f, " ending with \"{error}\""),
            (None, None) => f.write_str(" with any arguments"),
        }
    }
}

/// Hash of an argument text: the same for two spellings of one value.
pub fn args_hash(args: &str) -> Arc<str> {
    // A name for the result is no part of what is asked for.
    let args = rewrite::resolve(args, |_| None);
    let text = if args.trim().is_empty() { "{}" } else { &*args };
    let canonical = canon::canonical_text(text);
    let bytes = canonical.as_deref().unwrap_or(text).as_bytes();
    let hash = canon::hash("overrule repeated arguments v1", &[bytes]);
    Arc::from(hash.get(..16).unwrap_or(&hash))
}

/// A loop: what detected it, what repeats, and its nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The detector.
    pub detector: Detector,
    /// The thread in the loop.
    #[serde(default)]
    pub thread: ThreadId,
    /// Turns in one repetition.
    #[serde(default)]
    pub period: u32,
    /// Number of repetitions.
    #[serde(default)]
    pub repetitions: u32,
    /// True if every call in it fails.
    #[serde(default)]
    pub fails: bool,
    /// The event of the first turn that belongs to it.
    #[serde(default)]
    pub first: Seq,
    /// The calls that belong to it, oldest first.
    #[serde(default)]
    pub nodes: Vec<NodeId>,
    /// What repeats.
    #[serde(default)]
    pub signatures: Vec<Signature>,
}

impl Finding {
    /// The tools in it, each once.
    pub fn tools(&self) -> Vec<Arc<str>> {
        let mut tools: Vec<Arc<str>> = self.signatures.iter().map(|one| one.tool.clone()).collect();
        tools.sort();
        tools.dedup();
        tools
    }

    /// Describes it in a few words, for a title or a log.
    pub fn describe(&self) -> String {
        let tools = self.tools();
        let named: Vec<&str> = tools.iter().take(3).map(|tool| &**tool).collect();
        let more = if tools.len() > 3 { ", …" } else { "" };
        let tools = format!("{}{more}", named.join(", "));
        let times = self.repetitions;
        match self.detector {
            Detector::Sequence if self.period == 1 => format!("{tools}: the same {times} times in a row"),
            Detector::Sequence => {
                format!("{tools}: the same {} turns {times} times in a row", self.period)
            }
            Detector::SameError => format!("{tools}: the same error {times} times in a row"),
            Detector::Visits => format!("{tools}: the same result {times} times"),
            Detector::NoProgress => format!("{tools}: nothing new for {times} turns"),
            Detector::FailingTool => format!("{tools}: most of {times} turns with it failed"),
            Detector::Exhausted => format!("{tools}: failed for good"),
        }
    }
}

/// A step against a loop, the mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopStep {
    /// The model is told what repeats. In older programs the gate also denied exactly that for one
    /// turn.
    Guidance,
    /// The gate denies exactly what repeats for one turn.
    Refuse,
    /// An equivalent tool makes the failing call.
    Substitute,
    /// The turns since the loop began are superseded; the model is asked again.
    RollBack,
    /// The run pauses for the operator.
    Human,
    /// The run is restricted to reading calls.
    Restrict,
    /// The run, or the sub-agent, is ended.
    Stop,
}

impl LoopStep {
    /// All of them, in order.
    pub const ALL: [Self; 7] = [
        Self::Guidance,
        Self::Refuse,
        Self::Substitute,
        Self::RollBack,
        Self::Human,
        Self::Restrict,
        Self::Stop,
    ];

    /// Its name in settings and facts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Guidance => "guidance",
            Self::Refuse => "refuse",
            Self::Substitute => "substitute",
            Self::RollBack => "roll_back",
            Self::Human => "human",
            Self::Restrict => "restrict",
            Self::Stop => "stop",
        }
    }
}

impl LoopStep {
    /// Returns a short label.
    pub const fn short(self) -> &'static str {
        match self {
            Self::Guidance => "guidance",
            Self::Refuse => "refusal",
            Self::Substitute => "another tool",
            Self::RollBack => "going back",
            Self::Human => "asking the operator",
            Self::Restrict => "restricting to reading calls",
            Self::Stop => "stopping",
        }
    }

    /// Describes the step.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Guidance => "told the model to do something else",
            Self::Refuse => "refuse what repeats for a turn",
            Self::Substitute => "another tool makes the call",
            Self::RollBack => "went back to where it began",
            Self::Human => "paused for the operator",
            Self::Restrict => "restricted the run to reading calls",
            Self::Stop => "stopped",
        }
    }
}

impl fmt::Display for LoopStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Outcome of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepOutcome {
    /// The run made progress.
    Helped,
    /// The run made progress for some turns, then the loop returned.
    Relapsed,
    /// The loop continued.
    Ignored,
    /// The step was not possible.
    Impossible,
    /// The operator intervened before the outcome was known.
    Overtaken,
}

impl StepOutcome {
    /// In a few words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Helped => "it helped",
            Self::Relapsed => "it helped for a while only",
            Self::Ignored => "it changed nothing",
            Self::Impossible => "it could not be done",
            Self::Overtaken => "the operator intervened",
        }
    }

    /// Adds an outcome to the number of times that a step was tried and helped. A step that was not
    /// possible, or was overtaken by the operator, adds nothing.
    fn counted((tried, helped): (u32, u32), step_outcome: Self) -> (u32, u32) {
        match step_outcome {
            Self::Helped => (tried + 1, helped + 1),
            Self::Relapsed | Self::Ignored => (tried + 1, helped),
            Self::Impossible | Self::Overtaken => (tried, helped),
        }
    }
}

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
