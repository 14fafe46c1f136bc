//! When each event was recorded, by its number, in few bytes.
//!
//! Times are for people: nothing is decided by them, and a clock that was set back is kept as it
//! was. Must not know: what the events were, clocks.

use super::id::Seq;

/// Events that share a full time; the others are told by how far they lie from it.
const BLOCK: usize = 64;
/// How far beyond the events so far a number may lie.
const GAP: usize = 1 << 10;

/// The time of each event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Times {
    /// UTC milliseconds of the first event of each block.
    blocks: Vec<i64>,
    /// Milliseconds from there.
    offsets: Vec<i32>,
}

impl Times {
    /// Notes the time of an event. Events come in order; one that is missing has the time of the one
    /// before it, and a number far ahead is not noted.
    pub fn note(&mut self, seq: Seq, utc_ms: i64) {
        let Some(at) = usize::try_from(seq.0).ok().and_then(|no| no.checked_sub(1)) else {
            return;
        };
        if at < self.offsets.len() || at - self.offsets.len() > GAP {
            return;
        }
        let before = self.last().unwrap_or(utc_ms);
        while self.offsets.len() < at {
            self.push(before);
        }
        self.push(utc_ms);
    }

    fn push(&mut self, utc_ms: i64) {
        if self.offsets.len().is_multiple_of(BLOCK) {
            self.blocks.push(utc_ms);
        }
        let base = self.blocks.last().copied().unwrap_or(utc_ms);
        let far = utc_ms.saturating_sub(base);
        let far = far.clamp(i64::from(i32::MIN), i64::from(i32::MAX));
        self.offsets.push(far as i32);
    }

    /// When an event was recorded, in UTC milliseconds; none where that is not known.
    pub fn at(&self, seq: Seq) -> Option<i64> {
        let at = usize::try_from(seq.0).ok()?.checked_sub(1)?;
        let offset = self.offsets.get(at)?;
        Some(self.blocks.get(at / BLOCK)?.saturating_add(i64::from(*offset)))
    }

    /// The time of the newest event.
    pub fn last(&self) -> Option<i64> {
        self.at(Seq(self.offsets.len() as u64))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_event_has_its_time(steps in prop::collection::vec(-5_000_i64..50_000, 1..400)) {
            let mut times = Times::default();
            let mut at = 1_700_000_000_000_i64;
            let mut all = Vec::new();
            for (no, step) in steps.iter().enumerate() {
                at += step;
                all.push(at);
                times.note(Seq(no as u64 + 1), at);
            }
            for (no, at) in all.iter().enumerate() {
                prop_assert_eq!(times.at(Seq(no as u64 + 1)), Some(*at));
            }
            prop_assert_eq!(times.last(), all.last().copied());
            prop_assert_eq!(times.at(Seq(0)), None);
            prop_assert_eq!(times.at(Seq(steps.len() as u64 + 1)), None);
        }
    }

    #[test]
    fn a_missing_event_has_the_time_before_it_and_a_number_far_ahead_takes_no_room() {
        let mut times = Times::default();
        times.note(Seq(1), 100);
        times.note(Seq(4), 400);
        assert_eq!(times.at(Seq(3)), Some(100));
        assert_eq!(times.at(Seq(4)), Some(400));
        times.note(Seq(u64::MAX), 500);
        times.note(Seq(2), 600);
        assert_eq!(times.at(Seq(2)), Some(100), "what was noted stays");
        assert_eq!(times.last(), Some(400));
    }
}
