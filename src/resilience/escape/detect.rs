//! The four detectors over one thread's turns. Each examines the tail alone: a loop that was left behind is
//! history.
//!
//! - *sequence*: the newest turns are copies of each other, results included;
//! - *same error*: one tool ends with one error turn after turn, whatever its arguments;
//! - *no progress*: turn after turn brings nothing new, or the same observations come back whatever is asked
//!   for;
//! - *failing tool*: most turns that used a tool saw it fail.
//!
//! The cost of a turn depends on its calls and the window, not on the history. Must not know: states, what is
//! done about a finding.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use super::action::{Action, Batch, End};
use super::config::Config;
use super::near::Near;
use super::period::{Limits, Periods, Repeat, Tail};
use crate::domain::escape::{Detector, Signature};

/// A map without a random seed, so that the findings are the same everywhere.
type ByKey<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// A repetition at the tail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sight {
    /// The detector that found it.
    pub detector: Detector,
    /// False if one more repetition would be too many.
    pub is_loop: bool,
    /// Length of the repeated block in turns.
    pub period: usize,
    /// Number of repetitions.
    pub repetitions: usize,
    /// True if all of it fails.
    pub fails: bool,
    /// Number of newest turns that belong to it.
    pub turns: usize,
    /// What repeats.
    pub signatures: Vec<Signature>,
}

/// The use of a tool within the window.
#[derive(Debug, Clone, Copy, Default)]
struct Visits {
    turns: usize,
    failed: usize,
}

/// The last known outcome of one call.
#[derive(Debug, Clone, Copy)]
struct Known {
    mark: u64,
    /// The number of the turn in which it was seen last.
    last: u64,
}

/// The detectors of one thread.
#[derive(Debug, Clone)]
pub struct Detectors {
    config: Config,
    tail: VecDeque<Batch>,
    /// Number of turns taken in.
    taken: u64,
    periods: Periods,
    near: Option<Near>,
    /// Tools that ended with one error only in the newest turn, and for how many turns.
    errors: Vec<(Arc<str>, Arc<str>, usize)>,
    known: ByKey<u64, Known>,
    still: usize,
    echoes: usize,
    visits: ByKey<Arc<str>, Visits>,
}

impl Detectors {
    /// Creates detectors that have seen nothing.
    pub fn new(config: &Config) -> Self {
        let window = config.window as usize;
        let limits = Limits {
            window,
            same: config.same as usize,
            failing: config.failing as usize,
            succeeding: config.succeeding as usize,
        };
        let near =
            (config.mismatches > 0).then(|| Near::new(window, limits.succeeding.max(3), config.mismatches));
        Self {
            config: config.clone(),
            tail: VecDeque::new(),
            taken: 0,
            periods: Periods::new(limits),
            near,
            errors: Vec::new(),
            known: ByKey::default(),
            still: 0,
            echoes: 0,
            visits: ByKey::default(),
        }
    }

    /// Returns the turns of the window, oldest first.
    pub fn tail(&self) -> &VecDeque<Batch> {
        &self.tail
    }

    /// Takes in a turn's outcomes and returns what is seen at the tail now, the most exact first.
    pub fn push(&mut self, batch: Batch) -> Vec<Sight> {
        self.taken += 1;
        let tail = self.periods.push(batch.symbol, batch.fails());
        let near = self.near.as_mut().and_then(|near| near.push(batch.symbol));
        self.note_errors(&batch);
        self.note_news(&batch);
        self.note_visits(&batch);
        self.tail.push_back(batch);
        if self.tail.len() > self.config.window as usize
            && let Some(old) = self.tail.pop_front()
        {
            self.forget(&old);
        }
        let mut seen = Vec::new();
        seen.extend(self.sequence(tail, near));
        seen.extend(self.same_error());
        seen.extend(self.no_progress());
        seen.extend(self.failing_tool());
        seen.retain(|one| self.config.listens(one.detector));
        seen
    }

    /// Iterates over the newest turns, newest first.
    fn newest(&self, turns: usize) -> impl Iterator<Item = &Batch> {
        self.tail.iter().rev().take(turns)
    }

    fn note_errors(&mut self, batch: &Batch) {
        let mut now = Vec::new();
        for (tool, actions) in by_tool(batch) {
            let Some(error) = one_error(&actions) else {
                continue;
            };
            let before = self
                .errors
                .iter()
                .find(|(one, looks, _)| *one == tool && *looks == error);
            now.push((tool, error, before.map_or(1, |(_, _, turns)| turns + 1)));
        }
        self.errors = now;
    }

    fn note_news(&mut self, batch: &Batch) {
        let (mut news, mut changed) = (false, false);
        for action in &batch.actions {
            let known = Known {
                mark: action.mark,
                last: self.taken,
            };
            let before = self.known.insert(action.call, known);
            news |= before.is_none_or(|before| before.mark != action.mark);
            // A new effect is progress, even if its tool always gives the same result.
            changed |= action.acts && before.is_none();
        }
        self.still = if news { 0 } else { self.still + 1 };
        let echo = self
            .tail
            .back()
            .is_some_and(|before| before.observed == batch.observed);
        self.echoes = match (changed, echo) {
            (true, _) => 0,
            (false, true) => self.echoes + 1,
            (false, false) => 1,
        };
    }

    fn note_visits(&mut self, batch: &Batch) {
        for (tool, actions) in by_tool(batch) {
            let failed = usize::from(has_failed(&actions));
            let visits = self.visits.entry(tool).or_default();
            visits.turns += 1;
            visits.failed += failed;
        }
    }

    /// Removes a turn that leaves the window.
    fn forget(&mut self, old: &Batch) {
        let no = self.taken - self.tail.len() as u64;
        for action in &old.actions {
            if self.known.get(&action.call).is_some_and(|known| known.last <= no) {
                self.known.remove(&action.call);
            }
        }
        for (tool, actions) in by_tool(old) {
            if let Some(visits) = self.visits.get_mut(&tool) {
                visits.turns -= 1;
                visits.failed -= usize::from(has_failed(&actions));
                if visits.turns == 0 {
                    self.visits.remove(&tool);
                }
            }
        }
    }

    fn sequence(&self, tail: Tail, near: Option<Repeat>) -> Option<Sight> {
        let (repeat, is_loop) = match (tail, near) {
            (Tail::Round(repeat), _) | (_, Some(repeat)) => (repeat, true),
            (Tail::Near(repeat), None) => (repeat, false),
            (Tail::Open, None) => return None,
        };
        Some(Sight {
            detector: Detector::Sequence,
            is_loop,
            period: repeat.period,
            repetitions: repeat.repetitions,
            fails: repeat.fails,
            turns: repeat.period * repeat.repetitions,
            signatures: exact(self.newest(repeat.period)),
        })
    }

    fn same_error(&self) -> Option<Sight> {
        let most = self.config.errors as usize;
        let longest = self
            .errors
            .iter()
            .max_by(|a, b| a.2.cmp(&b.2).then(b.0.cmp(&a.0)));
        let (tool, error, turns) = longest?;
        let turns = &(*turns).min(self.config.window as usize);
        (*turns >= 2 && *turns + 1 >= most).then(|| Sight {
            detector: Detector::SameError,
            is_loop: *turns >= most,
            period: 1,
            repetitions: *turns,
            fails: true,
            turns: *turns,
            signatures: vec![Signature {
                tool: tool.clone(),
                args: None,
                error: Some(error.clone()),
            }],
        })
    }

    fn no_progress(&self) -> Option<Sight> {
        let (most_still, most_echoes) = (self.config.still as usize, self.config.echoes as usize);
        let by_echo =
            self.echoes >= most_echoes || (self.still < most_still && self.echoes + 1 >= most_echoes);
        let (turns, most) = if by_echo {
            (self.echoes, most_echoes)
        } else {
            (self.still, most_still)
        };
        let turns = turns.min(self.config.window as usize);
        // A turn that fails throughout is left to the other detectors as long as it asks for something new
        // each time.
        let fails = self.newest(turns).all(Batch::fails);
        if turns < 2 || turns + 1 < most || (by_echo && fails) {
            return None;
        }
        Some(Sight {
            detector: Detector::NoProgress,
            is_loop: turns >= most,
            period: 1,
            repetitions: turns,
            fails,
            turns,
            signatures: exact(self.newest(turns)),
        })
    }

    fn failing_tool(&self) -> Option<Sight> {
        let most = self.config.visits as usize;
        let newest = self.tail.back()?;
        let enough = |visits: &Visits| visits.failed * 100 >= visits.turns * self.config.failures as usize;
        let mut worst: Option<(Arc<str>, Visits)> = None;
        for (tool, actions) in by_tool(newest) {
            let Some(visits) = self.visits.get(&tool).filter(|_| has_failed(&actions)) else {
                continue;
            };
            let worse = worst.as_ref().is_none_or(|(_, one)| one.failed < visits.failed);
            if worse && enough(visits) {
                worst = Some((tool, *visits));
            }
        }
        let (tool, visits) = worst?;
        if visits.turns + 1 < most || visits.turns < 2 {
            return None;
        }
        let uses = |batch: &Batch| batch.actions.iter().any(|one| one.tool == tool);
        let first = self.tail.iter().position(uses).unwrap_or_default();
        Some(Sight {
            detector: Detector::FailingTool,
            is_loop: visits.turns >= most,
            period: 1,
            repetitions: visits.turns,
            fails: true,
            turns: self.tail.len() - first,
            signatures: vec![Signature {
                tool,
                args: None,
                error: None,
            }],
        })
    }
}

/// Groups the actions of a turn by tool, ordered by name.
fn by_tool(batch: &Batch) -> Vec<(Arc<str>, Vec<&Action>)> {
    let mut sorted: Vec<&Action> = batch.actions.iter().collect();
    sorted.sort_by(|a, b| a.tool.cmp(&b.tool));
    let groups = sorted.chunk_by(|a, b| a.tool == b.tool);
    groups
        .filter_map(|group| Some((group.first()?.tool.clone(), group.to_vec())))
        .collect()
}

/// Returns the one error that all actions ended with.
fn one_error(actions: &[&Action]) -> Option<Arc<str>> {
    let error = actions.first()?.error.as_ref()?;
    let all = actions
        .iter()
        .all(|one| one.end == End::Failure && one.error.as_ref() == Some(error));
    all.then(|| error.clone())
}

/// Returns true if a tool failed in a turn: something failed, and nothing gave a value.
fn has_failed(actions: &[&Action]) -> bool {
    let failed = actions.iter().any(|one| one.end == End::Failure);
    failed && actions.iter().all(|one| one.end != End::Value)
}

/// Returns the exact signatures of the calls of some turns, without duplicates.
fn exact<'b>(batches: impl Iterator<Item = &'b Batch>) -> Vec<Signature> {
    let mut all: Vec<Signature> = batches
        .flat_map(|batch| batch.actions.iter().map(Action::exact))
        .collect();
    all.sort();
    all.dedup();
    all
}
