//! Holds all weights of a run: a fold of executions and of the operator's changes.
//!
//! Must not know: what follows from a weight.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::cell::{BLEND, Cell};
use super::history::{Change, Fault, History, Verdict};
use super::settings::Settings;
use super::snapshot::{Priors, Row, Snapshot};
use crate::execution::Execution;
use overrule_domain::id::Seq;
use overrule_domain::repair_stats::RepairStats;

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

/// One weight with what moved it.
#[derive(Debug, Clone, PartialEq)]
struct TrackedWeight {
    /// Its value before the first change.
    start: f64,
    cell: Cell,
    history: History,
}

/// The weights of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Weights {
    pub(super) settings: Settings,
    priors: Priors,
    /// By tool, then kind.
    cells: BTreeMap<Arc<str>, BTreeMap<Arc<str>, TrackedWeight>>,
    latencies: BTreeMap<Arc<str>, VecDeque<u64>>,
    alerts: Vec<Alert>,
    executions: u64,
}

impl Weights {
    /// Creates weights with only the learned values of another run.
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
                let known = self.known(kind, tool);
                known.cell.set(weight);
                known.history.set(*seq, weight);
            }
            Fact::Reset { seq, tool } => self.reset(*seq, tool.as_deref()),
        }
    }

    fn ran(&mut self, run: &Execution) {
        self.executions = self.executions.saturating_add(1);
        let Some(verdict) = self.verdict(run) else {
            return;
        };
        let (goal, gain, _) = verdict.score();
        let (decay, alert) = (self.settings.decay, self.settings.alert);
        let known = self.known(&run.kind, &run.tool);
        let moved = known.cell.take(goal, gain, decay, alert);
        known.history.ran(run.seq, (run.call, run.attempt), verdict);
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

    /// Returns the verdict of an execution on its tool; `None` if it has none.
    fn verdict(&mut self, run: &Execution) -> Option<Verdict> {
        match run.error {
            None => Some(Verdict::Succeeded {
                complexity: run.complexity.clamp(0.0, 1.0),
                ms: run.ms,
                p95: self.slow(&run.tool, run.ms),
            }),
            Some(class) => Fault::of(class).map(Verdict::Failed),
        }
    }

    /// Returns within what time nearly all of the last executions of a tool ended, this one included.
    fn slow(&mut self, tool: &Arc<str>, ms: u64) -> u64 {
        let ring = self.latencies.entry(tool.clone()).or_default();
        if ring.len() == LATENCIES {
            ring.pop_front();
        }
        ring.push_back(ms);
        if ms == 0 {
            // Nothing is faster, whatever the others took.
            return 0;
        }
        let mut sorted: Vec<u64> = ring.iter().copied().collect();
        sorted.sort_unstable();
        crate::health::percentile(&sorted, 95).unwrap_or(0)
    }

    /// Resets weights to the value of an unknown tool; what earlier runs had learned no longer counts.
    fn reset(&mut self, seq: Seq, only: Option<&str>) {
        self.priors.remove(only);
        for (tool, row) in &mut self.cells {
            if only.is_some_and(|only| only != &**tool) {
                continue;
            }
            for known in row.values_mut() {
                known.history.reset(seq);
                known.cell = Cell::new(START);
            }
        }
    }

    fn known(&mut self, kind: &Arc<str>, tool: &Arc<str>) -> &mut TrackedWeight {
        let start = self.priors.of(kind, tool).unwrap_or(START);
        let row = self.cells.entry(tool.clone()).or_default();
        row.entry(kind.clone()).or_insert_with(|| TrackedWeight {
            start,
            cell: Cell::new(start),
            history: History::default(),
        })
    }

    /// Returns a weight with its basis, if any execution or the operator set it.
    fn cell(&self, kind: &str, tool: &str) -> Option<&Cell> {
        let known = self.cells.get(tool)?.get(kind)?;
        Some(&known.cell)
    }

    /// Returns the weight of a tool by the executions of one kind alone.
    pub fn raw(&self, kind: &str, tool: &str) -> f64 {
        let cell = self.cell(kind, tool);
        cell.map_or_else(|| self.priors.of(kind, tool).unwrap_or(START), |cell| cell.weight)
    }

    /// Returns the number of executions that a weight is based on.
    pub fn samples(&self, kind: &str, tool: &str) -> u32 {
        let cell = self.cell(kind, tool);
        cell.map_or(0, |cell| cell.samples)
    }

    /// Returns the weight of a tool for a kind of task. If few executions of that kind are known, those of
    /// other kinds count too. A weight set by the operator counts as set.
    pub fn weight(&self, kind: &str, tool: &str) -> f64 {
        let Some(row) = self.cells.get(tool) else {
            return self.raw(kind, tool);
        };
        let cell = self.cell(kind, tool);
        let (raw, samples) =
            cell.map_or_else(|| (self.raw(kind, tool), 0), |cell| (cell.weight, cell.samples));
        if cell.is_some_and(|cell| cell.certain) {
            return raw;
        }
        let known: Vec<f64> = row
            .values()
            .map(|known| &known.cell)
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
    pub fn explain(&self, kind: &str, tool: &str) -> impl DoubleEndedIterator<Item = Change> {
        let found = self.cells.get_key_value(tool).and_then(|(tool, row)| {
            let (kind, TrackedWeight { start, history, .. }) = row.get_key_value(kind)?;
            let with = (self.settings.decay, self.settings.alert);
            Some(history.changes(*start, with, (kind, tool)))
        });
        found.unwrap_or_default().into_iter()
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

    /// Iterates over the learned values of another run that this run has not improved.
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
            started_with: None,
            repairs: RepairStats::default(),
        }
    }
}
