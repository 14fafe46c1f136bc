//! All weights of a run: a fold of executions and of what the operator set. Must not know: what follows from
//! a weight.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::cell::{BLEND, Cell};
use super::settings::Settings;
use super::snapshot::{Priors, Row, Snapshot};
use crate::domain::call::ErrorClass;
use crate::domain::id::{Attempt, NodeId, Seq};
use crate::resilience::execution::Execution;

/// The starting weight of an unknown tool.
pub(super) const START: f64 = 0.5;
/// Number of a tool's latencies with which a new one is compared.
const LATENCIES: usize = 100;

/// What moves weights.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// An execution ended.
    Ran(Execution),
    /// The operator set a weight.
    Set {
        /// The event.
        seq: Seq,
        /// The kind of task.
        kind: Arc<str>,
        /// The tool.
        tool: Arc<str>,
        /// The weight, 0 to 1.
        weight: f64,
    },
    /// The operator reset weights.
    Reset {
        /// The event.
        seq: Seq,
        /// The tool; `None` for all.
        tool: Option<Arc<str>>,
    },
}

/// One change of one weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The event that caused it.
    pub seq: Seq,
    /// The kind of task.
    pub kind: Arc<str>,
    /// The tool.
    pub tool: Arc<str>,
    /// The execution; `None` if the operator changed the weight.
    pub execution: Option<(NodeId, Attempt)>,
    /// The reason.
    pub why: Why,
    /// The weight before.
    pub before: f64,
    /// The weight after.
    pub after: f64,
}

/// Why a weight changed.
#[derive(Debug, Clone, PartialEq)]
pub enum Why {
    /// The execution gave a value.
    Succeeded {
        /// How much it counted.
        gain: f64,
        /// How much was asked of it.
        complexity: f64,
        /// How fast it was among the tool's executions.
        efficiency: f64,
    },
    /// The execution failed.
    Failed {
        /// How much it counted.
        gain: f64,
        /// The class of its failure.
        class: ErrorClass,
    },
    /// The last executions all contradicted the weight: from here on only they count.
    Contradicted,
    /// The operator set the weight.
    Set,
    /// The operator reset the weight.
    Reset,
}

impl Why {
    /// Returns the reason in words.
    pub fn words(&self) -> String {
        match self {
            Self::Succeeded {
                gain,
                complexity,
                efficiency,
            } => format!(
                "succeeded; counts {gain:.2} (complexity {complexity:.2}, efficiency {efficiency:.2})"
            ),
            Self::Failed { gain, class } => format!("failed, {}; counts {gain:.2}", class.word()),
            Self::Contradicted => "the last 5 executions all contradicted it: only they count now".into(),
            Self::Set => "set by the operator".into(),
            Self::Reset => "begun anew by the operator".into(),
        }
    }
}

/// A weight that moved far within few executions.
#[derive(Debug, Clone, PartialEq)]
pub struct Alert {
    /// The event that completed it.
    pub seq: Seq,
    /// The kind of task.
    pub kind: Arc<str>,
    /// The tool.
    pub tool: Arc<str>,
    /// How far it moved.
    pub by: f64,
    /// Where it is now.
    pub now: f64,
}

/// The weights of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Weights {
    pub(super) settings: Settings,
    priors: Priors,
    /// By tool, then kind.
    cells: BTreeMap<Arc<str>, BTreeMap<Arc<str>, Cell>>,
    latencies: BTreeMap<Arc<str>, VecDeque<u64>>,
    changes: Vec<Change>,
    alerts: Vec<Alert>,
    executions: u64,
}

impl Weights {
    /// Creates weights that know only what another run had learned.
    pub fn new(settings: Settings, priors: Priors) -> Self {
        Self {
            settings,
            priors,
            ..Self::default()
        }
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns what another run had learned.
    pub fn priors(&self) -> &Priors {
        &self.priors
    }

    /// Folds facts into weights.
    pub fn fold<'f>(settings: Settings, priors: Priors, facts: impl IntoIterator<Item = &'f Fact>) -> Self {
        let mut weights = Self::new(settings, priors);
        for fact in facts {
            weights.take(fact);
        }
        weights
    }

    /// Folds one fact.
    pub fn take(&mut self, fact: &Fact) {
        match fact {
            Fact::Ran(execution) => self.ran(execution),
            Fact::Set {
                seq,
                kind,
                tool,
                weight,
            } => {
                let weight = if weight.is_nan() {
                    START
                } else {
                    weight.clamp(0.0, 1.0)
                };
                let before = self.raw(kind, tool);
                self.cell(kind, tool).set(weight);
                self.changes.push(Change {
                    seq: *seq,
                    kind: kind.clone(),
                    tool: tool.clone(),
                    execution: None,
                    why: Why::Set,
                    before,
                    after: weight,
                });
            }
            Fact::Reset { seq, tool } => self.reset(*seq, tool.as_deref()),
        }
    }

    fn ran(&mut self, run: &Execution) {
        self.executions = self.executions.saturating_add(1);
        let Some((goal, gain, why)) = self.judged(run) else {
            return;
        };
        let (decay, alert) = (self.settings.decay, self.settings.alert);
        let moved = self.cell(&run.kind, &run.tool).take(goal, gain, decay, alert);
        let (kind, tool) = self.names(run);
        let change = |why: Why, before: f64, after: f64| Change {
            seq: run.seq,
            kind: kind.clone(),
            tool: tool.clone(),
            execution: Some((run.call, run.attempt)),
            why,
            before,
            after,
        };
        self.changes.push(change(why, moved.before, moved.after));
        if let Some(renewed) = moved.renewed {
            self.changes.push(change(Why::Contradicted, moved.after, renewed));
        }
        if let Some(by) = moved.sudden {
            self.alerts.push(Alert {
                seq: run.seq,
                kind: run.kind.clone(),
                tool: run.tool.clone(),
                by,
                now: moved.renewed.unwrap_or(moved.after),
            });
        }
    }

    /// Returns the goal and gain of an execution, with the reason; `None` if it says nothing about the tool.
    fn judged(&mut self, run: &Execution) -> Option<(f64, f64, Why)> {
        let Some(class) = run.error else {
            let efficiency = self.efficiency(&run.tool, run.ms);
            let complexity = run.complexity.clamp(0.0, 1.0);
            let gain = 0.5 + 0.25 * complexity + 0.25 * efficiency;
            let why = Why::Succeeded {
                gain,
                complexity,
                efficiency,
            };
            return Some((1.0, gain, why));
        };
        let gain = gain_of(class)?;
        Some((0.0, gain, Why::Failed { gain, class }))
    }

    /// Returns how fast an execution was among the last ones of its tool, itself included.
    fn efficiency(&mut self, tool: &Arc<str>, ms: u64) -> f64 {
        let ring = self.latencies.entry(tool.clone()).or_default();
        if ring.len() == LATENCIES {
            ring.pop_front();
        }
        ring.push_back(ms);
        if ms == 0 {
            return 1.0;
        }
        let mut sorted: Vec<u64> = ring.iter().copied().collect();
        sorted.sort_unstable();
        let p95 = crate::resilience::health::percentile(&sorted, 95).unwrap_or(0);
        1.0 - (ms as f64 / p95.max(1) as f64).min(1.0)
    }

    fn reset(&mut self, seq: Seq, only: Option<&str>) {
        let mut changes = Vec::new();
        for (tool, row) in &mut self.cells {
            if only.is_some_and(|only| only != &**tool) {
                continue;
            }
            for (kind, cell) in row {
                changes.push(Change {
                    seq,
                    kind: kind.clone(),
                    tool: tool.clone(),
                    execution: None,
                    why: Why::Reset,
                    before: cell.weight,
                    after: cell.start,
                });
                *cell = Cell::new(cell.start);
            }
        }
        self.changes.extend(changes);
    }

    fn cell(&mut self, kind: &Arc<str>, tool: &Arc<str>) -> &mut Cell {
        let start = self.priors.of(kind, tool).unwrap_or(START);
        let row = self.cells.entry(tool.clone()).or_default();
        row.entry(kind.clone()).or_insert_with(|| Cell::new(start))
    }

    /// Returns the kind and tool of an execution, sharing the names in the cells among all changes.
    fn names(&self, run: &Execution) -> (Arc<str>, Arc<str>) {
        let row = self.cells.get_key_value(&run.tool);
        let kind = row.and_then(|(_, row)| row.get_key_value(&run.kind));
        let tool = row.map_or(&run.tool, |(tool, _)| tool);
        let kind = kind.map_or(&run.kind, |(kind, _)| kind);
        (Arc::clone(kind), Arc::clone(tool))
    }

    /// Returns the weight of a tool by the executions of one kind alone.
    pub fn raw(&self, kind: &str, tool: &str) -> f64 {
        let cell = self.cells.get(tool).and_then(|row| row.get(kind));
        cell.map_or_else(|| self.priors.of(kind, tool).unwrap_or(START), |cell| cell.weight)
    }

    /// Returns the number of executions that a weight is based on.
    pub fn samples(&self, kind: &str, tool: &str) -> u32 {
        let cell = self.cells.get(tool).and_then(|row| row.get(kind));
        cell.map_or(0, |cell| cell.samples)
    }

    /// Returns the weight of a tool for a kind of task. If few executions of that kind are known, those of
    /// other kinds count too. A weight set by the operator counts as set.
    pub fn weight(&self, kind: &str, tool: &str) -> f64 {
        let Some(row) = self.cells.get(tool) else {
            return self.raw(kind, tool);
        };
        let cell = row.get(kind);
        let (raw, samples) =
            cell.map_or_else(|| (self.raw(kind, tool), 0), |cell| (cell.weight, cell.samples));
        if cell.is_some_and(|cell| cell.certain) {
            return raw;
        }
        let known: Vec<f64> = row
            .values()
            .filter(|cell| cell.samples > 0)
            .map(|cell| cell.weight)
            .collect();
        if known.is_empty() {
            return raw;
        }
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        let share = f64::from(samples) / (f64::from(samples) + BLEND);
        (share * raw + (1.0 - share) * mean).clamp(0.0, 1.0)
    }

    /// Iterates over everything that moved a weight, oldest first.
    pub fn explain<'w>(
        &'w self,
        kind: &'w str,
        tool: &'w str,
    ) -> impl DoubleEndedIterator<Item = &'w Change> {
        let here = move |change: &&Change| &*change.tool == tool && &*change.kind == kind;
        self.changes.iter().filter(here)
    }

    /// Returns every sudden change, oldest first.
    pub fn alerts(&self) -> &[Alert] {
        &self.alerts
    }

    /// Returns the number of executions folded so far, including those that say nothing about a tool.
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// Iterates over every known weight, by tool and kind.
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        let cells = self
            .cells
            .iter()
            .flat_map(|(tool, row)| row.keys().map(move |kind| (tool, kind)));
        cells.map(|(tool, kind)| Row {
            kind: kind.to_string(),
            tool: tool.to_string(),
            weight: self.weight(kind, tool),
            samples: self.samples(kind, tool),
        })
    }

    /// Iterates over what another run had learned, as far as this one knows nothing better.
    pub fn learnt_before(&self) -> impl Iterator<Item = &Row> {
        let is_known = |row: &Row| {
            let cells = self.cells.get(&*row.tool);
            cells.is_some_and(|cells| cells.contains_key(&*row.kind))
        };
        self.priors.learnt().filter(move |row| !is_known(row))
    }

    /// Returns the weights to record, so that another run can start with them.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            version: Snapshot::VERSION,
            executions: self.executions,
            weights: self.rows().chain(self.learnt_before().cloned()).collect(),
        }
    }
}

/// Returns how much a failure counts, or `None` if it is the caller's fault.
fn gain_of(class: ErrorClass) -> Option<f64> {
    match class {
        ErrorClass::Auth | ErrorClass::NotFound | ErrorClass::Business | ErrorClass::Internal => Some(1.0),
        // A conflict may be as temporary as a transient error; from an unknown cause little should follow.
        ErrorClass::Transient | ErrorClass::Conflict | ErrorClass::Unknown => Some(0.3),
        ErrorClass::Structural | ErrorClass::Param | ErrorClass::Cancelled => None,
    }
}
