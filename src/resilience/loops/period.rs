//! Detects that the newest symbols are exact copies of one block.
//!
//! Must not know: the meaning of a symbol.
//!
//! It checks all block lengths together, in time that does not depend on the history. The tail
//! consists of `k` copies of a block of length `p` exactly if at least `(k-1)·p` newest symbols in
//! a row equal the symbol `p` places before them. So one counter per length suffices: it grows if
//! the new symbol equals the one `p` before, and otherwise becomes 0. No symbol is examined twice.

/// How many copies are too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Number of symbols that are examined.
    pub window: usize,
    /// Maximum copies of a single symbol.
    pub same: usize,
    /// Maximum copies of a longer block that failed throughout.
    pub failing: usize,
    /// Maximum copies of a longer block that did not fail throughout.
    pub succeeding: usize,
}

/// A block at the tail and the number of its copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeat {
    /// Length of the block; no shorter one fits.
    pub period: usize,
    /// Number of whole copies within the window.
    pub repetitions: usize,
    /// True if all of them failed.
    pub fails: bool,
}

/// What the tail shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    /// No repetition worth reporting.
    Open,
    /// One more copy would be too many.
    Near(Repeat),
    /// Too many copies.
    Round(Repeat),
}

/// Counts copies at the tail of a growing list of symbols.
#[derive(Debug, Clone)]
pub struct Periods {
    limits: Limits,
    /// Length of the longest block.
    longest: usize,
    /// The halves of the newest symbols, each half stored twice so that the newest are contiguous:
    /// comparisons of 32 bits vectorise on every machine.
    low: Vec<u32>,
    high: Vec<u32>,
    at: usize,
    /// Number of symbols so far, up to the window.
    len: usize,
    /// The length of the run of equal pairs, for each place.
    runs: Vec<u32>,
    /// The distance of each place from the newest.
    distance: Vec<u32>,
    /// Number of failed symbols at the tail.
    failing: usize,
}

impl Periods {
    /// Starts without any symbols.
    pub fn new(limits: Limits) -> Self {
        let longest = (limits.window / limits.failing.min(limits.succeeding).max(2)).max(1);
        Self {
            limits,
            longest,
            low: vec![0; 2 * longest],
            high: vec![0; 2 * longest],
            at: 0,
            len: 0,
            runs: vec![0; longest],
            distance: (1..=longest as u32).rev().collect(),
            failing: 0,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::new(self.limits);
    }

    /// Takes in a symbol and returns what the tail shows now.
    pub fn push(&mut self, symbol: u64, fails: bool) -> Tail {
        let (low, high) = (symbol as u32, (symbol >> 32) as u32);
        let held = self.len.min(self.longest);
        let piece = self.at..self.at + self.longest;
        let old_low = self.low.get(piece.clone()).unwrap_or_default();
        let old_high = self.high.get(piece).unwrap_or_default();
        let mut some = 0_u32;
        let cells = self.runs.iter_mut().zip(&self.distance);
        for ((run, distance), (old_low, old_high)) in cells.zip(old_low.iter().zip(old_high)) {
            let equal = u32::from(*old_low == low) & u32::from(*old_high == high);
            *run = (*run + 1) * equal;
            some |= u32::from(*run >= *distance);
        }
        // Places that were never written hold zeros, which are not symbols.
        for run in self.runs.iter_mut().take(self.longest - held) {
            *run = 0;
        }
        for (ring, half) in [(&mut self.low, low), (&mut self.high, high)] {
            for at in [self.at, self.at + self.longest] {
                if let Some(place) = ring.get_mut(at) {
                    *place = half;
                }
            }
        }
        self.at = (self.at + 1) % self.longest;
        self.len = (self.len + 1).min(self.limits.window);
        self.failing = if fails { self.failing + 1 } else { 0 };
        if some == 0 { Tail::Open } else { self.look() }
    }

    /// Returns the shortest block with too many copies, or else with nearly too many.
    fn look(&self) -> Tail {
        let mut near = Tail::Open;
        for period in 1..=self.longest {
            let run = self.runs.get(self.longest - period).copied().unwrap_or_default() as usize;
            if run < period {
                continue;
            }
            let repetitions = (run / period + 1).min(self.len / period);
            let fails = self.failing >= repetitions * period;
            let repeat = Repeat {
                period,
                repetitions,
                fails,
            };
            if repetitions >= self.most(period, fails) {
                return Tail::Round(repeat);
            }
            let most = self.most(period, fails);
            let fits = most * period <= self.limits.window;
            // No warning about a block that cannot reach its limit within the window.
            if near == Tail::Open && fits && repetitions >= 2 && repetitions + 1 >= most {
                near = Tail::Near(repeat);
            }
        }
        near
    }

    const fn most(&self, period: usize, fails: bool) -> usize {
        match (period, fails) {
            (1, _) => self.limits.same,
            (_, true) => self.limits.failing,
            (_, false) => self.limits.succeeding,
        }
    }
}
