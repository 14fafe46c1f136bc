//! When each event was recorded, by its number, in few bytes.
//!
//! Times are for people: nothing is decided by them, and a clock that was set back is kept as it
//! was. Must not know: what the events were, clocks.

use super::id::Seq;
use crate::compact::Series;

/// How far beyond the events so far a number may lie.
const GAP: usize = 1 << 10;

/// The time of each event, in UTC milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Times(Series);

impl Times {
    /// Notes the time of an event. Events come in order; one that is missing has the time of the one
    /// before it, and a number far ahead is not noted.
    pub fn note(&mut self, seq: Seq, utc_ms: i64) {
        let Some(at) = usize::try_from(seq.0).ok().and_then(|no| no.checked_sub(1)) else {
            return;
        };
        if at < self.0.len() || at - self.0.len() > GAP {
            return;
        }
        let before = self.0.last().unwrap_or(utc_ms as u64);
        while self.0.len() < at {
            self.0.push(before);
        }
        self.0.push(utc_ms as u64);
    }

    /// When an event was recorded, in UTC milliseconds; none where that is not known.
    pub fn at(&self, seq: Seq) -> Option<i64> {
        let at = usize::try_from(seq.0).ok()?.checked_sub(1)?;
        self.0.get(at).map(|at| at as i64)
    }

    /// The time of the newest event.
    pub fn last(&self) -> Option<i64> {
        self.0.last().map(|at| at as i64)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_event_has_its_time(steps in prop::collection::vec(prop_oneof![9 => -5_000_i64..50_000, 1 => any::<i64>()], 1..400)) {
            let mut times = Times::default();
            let mut at = 1_700_000_000_000_i64;
            let mut all = Vec::new();
            for (no, step) in steps.iter().enumerate() {
                at = at.wrapping_add(*step);
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
