//! Holds one weight: how well a tool serves one kind of task, moved by each execution.
//!
//! Must not know: other tools, other kinds.

use std::collections::VecDeque;

/// Number of executions after which a weight that all of them contradict is reset.
pub(super) const CONTRADICTION: usize = 5;
/// Number of executions within which a change counts as sudden.
pub(super) const WINDOW: usize = 10;
/// Number of samples at which a weight counts as much as the mean of its tool.
pub(super) const BLEND: f64 = 5.0;

/// A weight and its basis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cell {
    /// The weight itself.
    pub weight: f64,
    /// Number of executions that it is based on.
    pub samples: u32,
    /// Its starting value.
    pub start: f64,
    /// Number of all executions so far, and of those that failed.
    seen: (u32, u32),
    /// True once the operator set it: it then counts in full, however few executions it is based on.
    pub certain: bool,
    /// Goal and gain of the last executions.
    last: VecDeque<(f64, f64)>,
    /// Its value before each of the last executions.
    before: VecDeque<f64>,
}

/// How an execution moved a weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WeightChange {
    /// The weight before.
    pub before: f64,
    /// The weight after, by the formula.
    pub after: f64,
    /// The weight to which it was reset, if the last executions all contradicted it.
    pub renewed: Option<f64>,
    /// How far it moved within the window, if that is sudden.
    pub sudden: Option<f64>,
}

impl Cell {
    pub(super) fn new(start: f64) -> Self {
        Self {
            weight: start,
            samples: 0,
            start,
            seen: (0, 0),
            certain: false,
            last: VecDeque::new(),
            before: VecDeque::new(),
        }
    }

    /// Sets the weight manually and discards the last executions.
    pub(super) fn set(&mut self, weight: f64) {
        self.weight = weight;
        self.certain = true;
        self.last.clear();
        self.before.clear();
    }

    /// Moves the weight towards a goal.
    pub(super) fn take(&mut self, goal: f64, gain: f64, decay: f64, alert: f64) -> WeightChange {
        let before = self.weight;
        keep(&mut self.before, before, WINDOW);
        keep(&mut self.last, (goal, gain), CONTRADICTION);
        self.weight = step(before, goal, gain, decay);
        self.samples = self.samples.saturating_add(1);
        self.seen.0 = self.seen.0.saturating_add(1);
        self.seen.1 = self.seen.1.saturating_add(u32::from(goal < 0.5));
        let after = self.weight;
        let renewed = self.contradicted(goal).then(|| self.renew(decay));
        WeightChange {
            before,
            after,
            renewed,
            sudden: self.sudden(alert),
        }
    }

    /// Returns true if the last executions all contradict the weight.
    fn contradicted(&self, goal: f64) -> bool {
        let one_way =
            self.last.len() == CONTRADICTION && self.last.iter().all(|(one, _)| (one - goal).abs() < 0.5);
        let other = if goal > 0.5 {
            self.weight < self.start
        } else {
            self.weight > self.start
        };
        one_way && other
    }

    /// Resets the weight as if the last executions were the only ones.
    fn renew(&mut self, decay: f64) -> f64 {
        let again = self.last.iter().fold(self.start, |weight, (goal, gain)| {
            step(weight, *goal, *gain, decay)
        });
        self.weight = again;
        self.samples = self.last.len() as u32;
        again
    }

    /// Returns how far the weight moved within the window if that is sudden, and restarts the
    /// window. A rise is sudden only after a whole window of executions with a failure among them:
    /// a healthy tool that warms up rises, too.
    fn sudden(&mut self, alert: f64) -> Option<f64> {
        let warms_up = (self.seen.0 as usize) <= WINDOW || self.seen.1 == 0;
        let far = self.before.iter().map(|was| self.weight - was);
        let message = far.filter(|by| *by < 0.0 || !warms_up);
        let most = message.max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
        if most.abs() < alert {
            return None;
        }
        self.before.clear();
        Some(most)
    }
}

fn keep<T>(ring: &mut VecDeque<T>, one: T, most: usize) {
    if ring.len() == most {
        ring.pop_front();
    }
    ring.push_back(one);
}

/// The formula for every weight.
fn step(weight: f64, goal: f64, gain: f64, decay: f64) -> f64 {
    (weight + (1.0 - decay) * gain * (goal - weight)).clamp(0.0, 1.0)
}
