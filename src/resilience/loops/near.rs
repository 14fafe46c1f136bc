//! Detects that the newest symbols are nearly copies of one block.
//!
//! Must not know: the meaning of a symbol.
//!
//! This covers calls that contain something that differs now and then, such as a time of day. For
//! each block length it counts the differing pairs among those that matter, updated as pairs enter
//! and leave.

use super::period::Repeat;

/// One mismatch is allowed per this many pairs.
const AMONG: usize = 8;

/// Counts differing pairs at the tail of a growing list of symbols.
#[derive(Debug, Clone)]
pub struct Near {
    ring: Vec<u64>,
    /// The number of differing pairs for each block length from 1.
    differ: Vec<u32>,
    seen: usize,
    copies: usize,
    most: u32,
}

impl Near {
    /// Looks for `copies` copies within a window, with at most `most` mismatches.
    pub fn new(window: usize, copies: usize, most: u32) -> Self {
        let longest = window / copies.max(2);
        Self {
            ring: vec![0; (copies * longest + 2).next_power_of_two()],
            differ: vec![0; longest],
            seen: 0,
            copies,
            most,
        }
    }

    fn at(&self, index: usize) -> u64 {
        let mask = self.ring.len() - 1;
        self.ring.get(index & mask).copied().unwrap_or_default()
    }

    /// Takes in a symbol and returns the shortest block whose near copies form the tail.
    pub fn push(&mut self, symbol: u64) -> Option<Repeat> {
        let (now, mask) = (self.seen, self.ring.len() - 1);
        if let Some(place) = self.ring.get_mut(now & mask) {
            *place = symbol;
        }
        self.seen += 1;
        let mut found = None;
        for period in 1..=self.differ.len().min(now) {
            let length = (self.copies - 1) * period;
            let comes = u32::from(symbol != self.at(now - period));
            let goes = if now >= length + period {
                u32::from(self.at(now - length) != self.at(now - length - period))
            } else {
                0
            };
            let Some(count) = self.differ.get_mut(period - 1) else {
                break;
            };
            *count = *count + comes - goes;
            let allowed = self.most.min((length / AMONG) as u32);
            if found.is_none() && now + 1 >= length + period && *count <= allowed {
                found = Some(Repeat {
                    period,
                    repetitions: self.copies,
                    fails: false,
                });
            }
        }
        found
    }
}
