//! Detects repetition and failing tools in the turns of one thread.
//!
//! Must not know: states, what is done about a finding.
//!
//! A loop is repetition without progress. Each detector examines the tail alone, so a loop that
//! ended is not found again.
//!
//! - *sequence*: the newest turns are copies of each other, results included; or one call fails
//!   turn after turn;
//! - *no progress*: turn after turn brings no call, no result and no state that was not known;
//! - *visits*: one call gives one result again and again, and nothing was changed in between;
//! - *same error* and *failing tool*: a tool fails with one error whatever its arguments, or most
//!   of the time. That is worth telling, but it is no loop.
//!
//! The cost of a turn depends on its calls and the window, not on the history.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use super::action::{Action, Batch, End};
use super::config::Config;
use super::near::Near;
use super::period::{Limits, Periods, Repeat, Tail};
use overrule_domain::escape::{Detector, Signature};

/// A map without a random seed, so that the findings are the same everywhere.
type ByKey<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// A repetition at the tail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repetition {
    /// The detector that found it.
    pub detector: Detector,
    /// False if one more repetition would be too many, or for a warning that is no loop.
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

/// A call with one result, as far as the window knows it.
#[derive(Debug, Clone, Copy, Default)]
struct ResultRecord {
    /// The number of the turn in which it was seen last.
    last: u64,
    /// The number of the turn from which visits are counted.
    since: u64,
    /// Turns with it since then.
    visits: usize,
}

/// A tool that ended with one error only, turn after turn.
#[derive(Debug, Clone)]
struct Errors {
    tool: Arc<str>,
    error: Arc<str>,
    turns: usize,
    /// The call that failed first.
    call: u64,
    /// True once it failed with other arguments.
    differs: bool,
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
    /// Calls that failed in the newest turns in a row, and in how many.
    failing: Vec<(u64, usize)>,
    errors: Vec<Errors>,
    /// The signatures of the window.
    known: ByKey<(u64, u64), ResultRecord>,
    /// What was last written to each state path.
    paths: ByKey<u64, u64>,
    /// The number of the newest turn with an effect that the window did not know.
    changed: u64,
    still: usize,
    tools: ByKey<Arc<str>, Visits>,
}

impl Detectors {
    /// Creates detectors that have seen nothing.
    pub fn new(config: &Config) -> Self {
        let window = config.window as usize;
        let limits = Limits {
            window,
            same: config.copies(config.same),
            failing: config.copies(config.failing),
            succeeding: config.copies(config.succeeding),
        };
        let near =
            (config.mismatches > 0).then(|| Near::new(window, limits.succeeding.max(3), config.mismatches));
        Self {
            config: config.clone(),
            tail: VecDeque::new(),
            taken: 0,
            periods: Periods::new(limits),
            near,
            failing: Vec::new(),
            errors: Vec::new(),
            known: ByKey::default(),
            paths: ByKey::default(),
            changed: 0,
            still: 0,
            tools: ByKey::default(),
        }
    }

    /// Returns the turns of the window, oldest first.
    pub fn tail(&self) -> &VecDeque<Batch> {
        &self.tail
    }

    /// Takes in a turn's outcomes and returns the findings at the tail, the most exact first.
    pub fn push(&mut self, batch: Batch) -> Vec<Repetition> {
        self.taken += 1;
        let tail = self.periods.push(batch.symbol, batch.fails());
        let near = self.near.as_mut().and_then(|near| near.push(batch.symbol));
        self.note_errors(&batch);
        self.note_failing(&batch);
        self.note_news(&batch);
        self.note_tools(&batch);
        self.tail.push_back(batch);
        if self.tail.len() > self.config.window as usize
            && let Some(old) = self.tail.pop_front()
        {
            self.forget(&old);
        }
        let mut seen = Vec::new();
        seen.extend(self.sequence(tail, near));
        seen.extend(self.same_failure());
        seen.extend(self.no_progress());
        seen.extend(self.visits());
        seen.extend(self.same_error());
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
            let (Some(error), Some(first)) = (one_error(&actions), actions.first()) else {
                continue;
            };
            let before = self
                .errors
                .iter()
                .find(|one| one.tool == tool && one.error == error);
            let call = before.map_or(first.call, |before| before.call);
            now.push(Errors {
                turns: before.map_or(1, |before| before.turns + 1),
                differs: before.is_some_and(|before| before.differs)
                    || actions.iter().any(|one| one.call != call),
                tool,
                error,
                call,
            });
        }
        self.errors = now;
    }

    /// Counts calls that fail again in a turn that brings nothing else that is new.
    fn note_failing(&mut self, batch: &Batch) {
        let mut now: Vec<(u64, usize)> = Vec::new();
        for action in batch.actions.iter().filter(|one| one.end == End::Failure) {
            let progress =
                |one: &Action| one.call != action.call && !self.known.contains_key(&one.signature());
            if now.iter().any(|(call, _)| *call == action.call) || batch.actions.iter().any(progress) {
                continue;
            }
            let before = self.failing.iter().find(|(call, _)| *call == action.call);
            now.push((action.call, before.map_or(1, |(_, turns)| turns + 1)));
        }
        self.failing = now;
    }

    fn note_news(&mut self, batch: &Batch) {
        let (mut news, mut changed) = (false, false);
        for action in &batch.actions {
            let is_new = !self.known.contains_key(&action.signature());
            news |= is_new;
            changed |= is_new && action.acts && action.end == End::Value;
            for path in &action.paths {
                news |= self.paths.insert(*path, action.mark) != Some(action.mark);
            }
        }
        self.still = if news { 0 } else { self.still + 1 };
        if changed {
            self.changed = self.taken;
        }
        for signature in signatures(batch) {
            let known = self.known.entry(signature).or_default();
            if known.since != self.changed {
                *known = ResultRecord {
                    since: self.changed,
                    ..ResultRecord::default()
                };
            }
            known.visits += 1;
            known.last = self.taken;
        }
    }

    fn note_tools(&mut self, batch: &Batch) {
        for (tool, actions) in by_tool(batch) {
            let failed = usize::from(has_failed(&actions));
            let visits = self.tools.entry(tool).or_default();
            visits.turns += 1;
            visits.failed += failed;
        }
    }

    /// Removes a turn that leaves the window.
    fn forget(&mut self, old: &Batch) {
        let no = self.taken - self.tail.len() as u64;
        for signature in signatures(old) {
            let Some(known) = self.known.get_mut(&signature) else {
                continue;
            };
            if known.last <= no {
                self.known.remove(&signature);
            } else if known.since <= no {
                known.visits = known.visits.saturating_sub(1);
            }
        }
        for (tool, actions) in by_tool(old) {
            if let Some(visits) = self.tools.get_mut(&tool) {
                visits.turns -= 1;
                visits.failed -= usize::from(has_failed(&actions));
                if visits.turns == 0 {
                    self.tools.remove(&tool);
                }
            }
        }
    }

    fn sequence(&self, tail: Tail, near: Option<Repeat>) -> Option<Repetition> {
        let (repeat, is_loop) = match (tail, near) {
            (Tail::Round(repeat), _) | (_, Some(repeat)) => (repeat, true),
            (Tail::Near(repeat), None) => (repeat, false),
            (Tail::Open, None) => return None,
        };
        if repeat.period < self.config.min_loop_length as usize {
            return None;
        }
        Some(Repetition {
            detector: Detector::Sequence,
            is_loop,
            period: repeat.period,
            repetitions: repeat.repetitions,
            fails: repeat.fails,
            turns: repeat.period * repeat.repetitions,
            signatures: exact(self.newest(repeat.period)),
        })
    }

    /// One call that fails turn after turn, whatever its error says.
    fn same_failure(&self) -> Option<Repetition> {
        if self.config.min_loop_length > 1 {
            return None;
        }
        let most = self.config.copies(self.config.same);
        let (call, turns) = self
            .failing
            .iter()
            .copied()
            .max_by_key(|(call, turns)| (*turns, *call))?;
        let turns = turns.min(self.config.window as usize);
        if turns < 2 || turns + 1 < most {
            return None;
        }
        let newest = self.tail.back()?;
        let action = newest.actions.iter().find(|one| one.call == call)?;
        Some(Repetition {
            detector: Detector::Sequence,
            is_loop: turns >= most,
            period: 1,
            repetitions: turns,
            fails: true,
            turns,
            signatures: vec![action.exact()],
        })
    }

    fn same_error(&self) -> Option<Repetition> {
        let most = self.config.errors as usize;
        let longest = self
            .errors
            .iter()
            .filter(|one| one.differs && one.turns >= most)
            .max_by(|a, b| a.turns.cmp(&b.turns).then(b.tool.cmp(&a.tool)))?;
        let turns = longest.turns.min(self.config.window as usize);
        Some(Repetition {
            detector: Detector::SameError,
            is_loop: false,
            period: 1,
            repetitions: turns,
            fails: true,
            turns,
            signatures: vec![Signature {
                tool: longest.tool.clone(),
                args: None,
                error: Some(longest.error.clone()),
            }],
        })
    }

    fn no_progress(&self) -> Option<Repetition> {
        let most = self.config.still as usize;
        let turns = self.still.min(self.config.window as usize);
        if turns < 2 || turns + 1 < most {
            return None;
        }
        Some(Repetition {
            detector: Detector::NoProgress,
            is_loop: turns >= most,
            period: 1,
            repetitions: turns,
            fails: self.newest(turns).all(Batch::fails),
            turns,
            signatures: exact(self.newest(turns)),
        })
    }

    /// One call that gives one result again and again, with other calls in between that changed nothing.
    fn visits(&self) -> Option<Repetition> {
        let most = self.config.visits as usize;
        let newest = self.tail.back()?;
        let visits = |one: &Action| self.known.get(&one.signature()).map_or(0, |known| known.visits);
        let action = newest
            .actions
            .iter()
            .max_by_key(|one| (visits(one), one.signature()))?;
        let visits = visits(action);
        if visits < 2 || visits + 1 < most {
            return None;
        }
        let has = |batch: &&Batch| {
            batch
                .actions
                .iter()
                .any(|one| one.signature() == action.signature())
        };
        let mut with = self.tail.iter().rev().enumerate().filter(|(_, batch)| has(batch));
        let turns = with
            .nth(visits - 1)
            .map_or(self.tail.len(), |(before, _)| before + 1);
        Some(Repetition {
            detector: Detector::Visits,
            is_loop: visits >= most,
            period: 1,
            repetitions: visits,
            fails: action.end == End::Failure,
            turns,
            signatures: vec![action.exact()],
        })
    }

    fn failing_tool(&self) -> Option<Repetition> {
        let most = self.config.visits as usize;
        let newest = self.tail.back()?;
        let enough = |visits: &Visits| visits.failed * 100 >= visits.turns * self.config.failures as usize;
        let mut worst: Option<(Arc<str>, Visits)> = None;
        for (tool, actions) in by_tool(newest) {
            let Some(visits) = self.tools.get(&tool).filter(|_| has_failed(&actions)) else {
                continue;
            };
            let worse = worst.as_ref().is_none_or(|(_, one)| one.failed < visits.failed);
            if worse && enough(visits) {
                worst = Some((tool, *visits));
            }
        }
        let (tool, visits) = worst?;
        if visits.turns < most {
            return None;
        }
        let uses = |batch: &Batch| batch.actions.iter().any(|one| one.tool == tool);
        let first = self.tail.iter().position(uses).unwrap_or_default();
        Some(Repetition {
            detector: Detector::FailingTool,
            is_loop: false,
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

/// Iterates over the signatures of a turn, each once.
fn signatures(batch: &Batch) -> impl Iterator<Item = (u64, u64)> + '_ {
    let mut last = None;
    // The actions are sorted by them.
    batch
        .actions
        .iter()
        .map(Action::signature)
        .filter(move |one| last.replace(*one) != Some(*one))
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
