//! One weight: how well a tool serves one kind of task, moved by each execution. Must not know: other
//! tools, other kinds.

use std::collections::VecDeque;

/// Executions after which a weight that all of them contradict is begun anew.
pub(super) const CONTRADICTION: usize = 5;
/// Executions within which a change is sudden.
pub(super) const WINDOW: usize = 10;
/// Samples at which a weight counts as much as the mean of its tool.
pub(super) const BLEND: f64 = 5.0;

/// A weight with what it rests on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cell {
    /// The weight itself.
    pub weight: f64,
    /// Executions that it rests on.
    pub samples: u32,
    /// Where it begins anew.
    pub start: f64,
    /// True once the operator set it: it stands for itself, however little it rests on.
    pub certain: bool,
    /// What the last executions gave it: goal and gain.
    last: VecDeque<(f64, f64)>,
    /// What it was before each of the last executions.
    before: VecDeque<f64>,
}

/// What an execution did to a weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moved {
    /// The weight before.
    pub before: f64,
    /// The weight by the arithmetic.
    pub after: f64,
    /// The weight that it was begun anew with, where the last executions all contradicted it.
    pub renewed: Option<f64>,
    /// How far it moved within the window, where that is sudden.
    pub sudden: Option<f64>,
}

impl Cell {
    pub(super) fn new(start: f64) -> Self {
        Self {
            weight: start,
            samples: 0,
            start,
            certain: false,
            last: VecDeque::new(),
            before: VecDeque::new(),
        }
    }

    /// Sets it by hand: what the last executions said counts no more.
    pub(super) fn set(&mut self, weight: f64) {
        self.weight = weight;
        self.certain = true;
        self.last.clear();
        self.before.clear();
    }

    /// Moves it towards a goal.
    pub(super) fn take(&mut self, goal: f64, gain: f64, decay: f64, alert: f64) -> Moved {
        let before = self.weight;
        keep(&mut self.before, before, WINDOW);
        keep(&mut self.last, (goal, gain), CONTRADICTION);
        self.weight = step(before, goal, gain, decay);
        self.samples = self.samples.saturating_add(1);
        let after = self.weight;
        let renewed = self.contradicted(goal).then(|| self.renew(decay));
        Moved {
            before,
            after,
            renewed,
            sudden: self.sudden(alert),
        }
    }

    /// True where the last executions all went one way, and the weight still says the other.
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

    /// As if the last executions were all there had been.
    fn renew(&mut self, decay: f64) -> f64 {
        let again = self.last.iter().fold(self.start, |weight, (goal, gain)| {
            step(weight, *goal, *gain, decay)
        });
        self.weight = again;
        self.samples = self.last.len() as u32;
        again
    }

    /// How far it went from where it was within the window; told once, then the window begins anew.
    fn sudden(&mut self, alert: f64) -> Option<f64> {
        let far = self.before.iter().map(|was| self.weight - was);
        let most = far.max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
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

/// The arithmetic of every weight.
fn step(weight: f64, goal: f64, gain: f64, decay: f64) -> f64 {
    (weight + (1.0 - decay) * gain * (goal - weight)).clamp(0.0, 1.0)
}
