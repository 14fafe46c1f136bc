//! Reads the threads of a state as they grow and reports which repeat themselves.
//!
//! Must not know: what is done about a finding.
//!
//! It keeps only a cache, rebuilt whenever the state is not a continuation of what was read before.
//! So the same state always gives the same answer.

use std::collections::BTreeMap;

use super::action::Batch;
use super::config::{Config, WIDEST};
use super::detect::{Detectors, Repetition};
use super::read;
use overrule_domain::escape::{Finding, Signature};
use overrule_domain::id::{Seq, ThreadId, TurnId};
use overrule_domain::state::State;
use overrule_domain::turn::Turn;

/// Watches the threads of one run.
#[derive(Debug, Clone, Default)]
pub struct Watch {
    config: Config,
    allowed: Vec<Signature>,
    threads: BTreeMap<ThreadId, Line>,
}

/// One thread, as far as it was read.
#[derive(Debug, Clone)]
struct Line {
    since: Seq,
    /// The settings, with the window that the turns of the time window need.
    config: Config,
    /// The newest turns that were read, oldest first and up to the window, each with the event that
    /// identifies its outcomes.
    read: Vec<(TurnId, Seq)>,
    /// The prefix of the context when they were read: where it began, and its end.
    prefix: Option<(Seq, u32)>,
    detectors: Detectors,
    seen: Vec<Repetition>,
}

/// A repetition in a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What was found.
    pub finding: Finding,
    /// False if one more repetition would be too many, or for a warning that is no loop.
    pub is_loop: bool,
}

impl Watch {
    /// Creates a watch that has read nothing.
    pub fn new(config: Config) -> Self {
        Self {
            config,
            ..Self::default()
        }
    }

    /// Adopts new settings and allowances; if they differ, everything is read again.
    pub fn fit(&mut self, config: &Config, allowed: &[Signature]) {
        if self.config != *config || self.allowed != allowed {
            self.config = config.clone();
            self.allowed = allowed.to_vec();
            self.threads.clear();
        }
    }

    /// Returns what a thread shows now, the most exact first.
    pub fn look(&mut self, state: &State, thread: ThreadId) -> Vec<Report> {
        if !self.config.enabled {
            return Vec::new();
        }
        self.read(state, thread);
        let Some(line) = self.threads.get(&thread) else {
            return Vec::new();
        };
        let tail: Vec<&Batch> = line.detectors.tail().iter().collect();
        line.seen
            .iter()
            .map(|view| Report {
                is_loop: view.is_loop,
                finding: finding(thread, view, &tail),
            })
            .collect()
    }

    fn read(&mut self, state: &State, thread: ThreadId) {
        let config = self.config.holding(lately(state, thread, &self.config));
        let reach = 2 * config.window as usize;
        let since = read::restarted(state, thread);
        let fresh = || Line {
            since,
            config: config.clone(),
            read: Vec::new(),
            prefix: None,
            detectors: Detectors::new(&config),
            seen: Vec::new(),
        };
        let line = self.threads.entry(thread).or_insert_with(fresh);
        // Newest first, up to the last turn read: nothing older is examined again.
        let last = line.read.last().map(|(id, _)| *id);
        let mut met = last.is_none();
        let mut new: Vec<&Turn> = Vec::new();
        for turn in readable(state, thread, &config) {
            met |= Some(turn.id) == last;
            if met && last.is_some() {
                break;
            }
            new.push(turn);
        }
        let prefix = state.threads.context_prefixes.get(&thread);
        let prefix = prefix.map(|prefix| (prefix.begun(), prefix.end()));
        // While the prefix is continued, the turns that were in it are as they were.
        let same = match (line.prefix, prefix) {
            (Some((before, end)), Some((now, _))) if before == now => end,
            _ => 0,
        };
        let turn = |id: &TurnId| state.turns.get(id);
        let mut newest = line
            .read
            .iter()
            .rev()
            .take_while(|(id, _)| turn(id).is_none_or(|turn| turn.pos >= same));
        let text = |(id, stamp): &(TurnId, Seq)| {
            turn(id)
                .is_some_and(|turn| turn.is_active() && turn.settled && read::stamp(state, turn) == *stamp)
        };
        if !met || line.since != since || line.config != config || !newest.all(text) {
            *line = fresh();
            new = readable(state, thread, &config).collect();
        }
        line.prefix = prefix;
        for turn in new.into_iter().rev() {
            line.read.push((turn.id, read::stamp(state, turn)));
            let batch = read::batch(state, turn).and_then(|batch| batch.without(&self.allowed));
            if let Some(batch) = batch {
                line.seen = line.detectors.push(batch);
            }
        }
        let surplus = line.read.len().saturating_sub(reach);
        line.read.drain(..surplus);
    }
}

/// Returns how many turns of a thread belong to the time window.
fn lately(state: &State, thread: ThreadId, config: &Config) -> usize {
    let at = |turn: &Turn| state.recorded_at(turn.asked_at);
    let mut turns = read::evidence(state, thread).take(WIDEST as usize);
    let Some(newest) = turns.next().and_then(at) else {
        return 0;
    };
    let within = |turn: &&Turn| {
        at(turn).is_some_and(|at| newest.saturating_sub(at) <= i64::from(config.time_window_s) * 1_000)
    };
    let before = turns.take_while(within).count();
    if config.time_window_s == 0 { 0 } else { before + 1 }
}

/// Iterates over the turns that are read, newest first. What a turn shows depends on the window
/// before it, so two windows are read. Without recorded digests, only the newest window is read.
fn readable<'s>(state: &'s State, thread: ThreadId, config: &Config) -> impl Iterator<Item = &'s Turn> {
    let window = config.window as usize;
    let turns = read::evidence(state, thread).take(2 * window).enumerate();
    turns
        .take_while(move |(at, turn)| *at < window || read::is_cheap(state, turn))
        .map(|(_, turn)| turn)
}

/// Converts a sight to a finding with its place in the graph.
fn finding(thread: ThreadId, view: &Repetition, tail: &[&Batch]) -> Finding {
    let part = tail
        .get(tail.len().saturating_sub(view.turns)..)
        .unwrap_or_default();
    let belongs = |batch: &&&Batch| {
        batch.actions.iter().any(|one| {
            view.signatures
                .iter()
                .any(|signature| signature.covers(&one.tool, &one.args, one.error.as_deref()))
        })
    };
    let mut nodes = Vec::new();
    for batch in part.iter().filter(belongs) {
        let mut here: Vec<_> = batch
            .actions
            .iter()
            .filter(|one| {
                view.signatures
                    .iter()
                    .any(|signature| signature.covers(&one.tool, &one.args, one.error.as_deref()))
            })
            .map(|one| one.node)
            .collect();
        here.sort_unstable();
        nodes.extend(here);
    }
    Finding {
        detector: view.detector,
        thread,
        period: view.period as u32,
        repetitions: view.repetitions as u32,
        fails: view.fails,
        first: part
            .iter()
            .find(|batch| belongs(batch))
            .map_or(Seq(0), |batch| batch.at),
        nodes,
        signatures: view.signatures.clone(),
    }
}
