//! Computes how long each event of a recording stays on screen at the normal speed.
//!
//! Must not know: what an event says, who waits.

use std::time::Duration;

/// The longest wait between two events, in milliseconds.
const LONGEST_MS: u64 = 2_000;
/// A recording shorter than this is stretched, in milliseconds.
const SHORT_MS: u64 = 20_000;
/// The longest wait between two events at any speed, in seconds.
const LONGEST_S: f64 = 86_400.0;
/// How long a short recording plays, in milliseconds.
const PLAYS_MS: u64 = 20_000;
/// The shortest and the longest wait in a short recording, in milliseconds.
const STEP_MS: (u64, u64) = (80, 1_000);
/// Steps of the search for the factor of a short recording.
const STEPS: usize = 40;

/// The waits before events.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pace(Vec<u32>);

impl Pace {
    /// The pace of events that were recorded at these times, in milliseconds.
    pub fn of(times: &[i64]) -> Self {
        let gap = |pair: &[i64]| match pair {
            [before, after] => u64::try_from(after.saturating_sub(*before))
                .unwrap_or_default()
                .min(LONGEST_MS),
            _ => 0,
        };
        let gaps: Vec<u64> = times.windows(2).map(gap).collect();
        let is_short = gaps.iter().sum::<u64>() < SHORT_MS;
        let waits = if is_short { stretched(&gaps) } else { gaps };
        // The first event has no wait.
        let waits = std::iter::once(0).chain(waits);
        Self(waits.map(|ms| u32::try_from(ms).unwrap_or(u32::MAX)).collect())
    }

    /// The wait before an event, counted from 0.
    pub fn before(&self, index: usize, speed: f64) -> Duration {
        let ms = self.0.get(index).copied().unwrap_or_default();
        Duration::from_secs_f64((f64::from(ms) / 1000.0 / speed).clamp(0.0, LONGEST_S))
    }
}

/// Stretches or shortens the waits of a short recording, so that it plays for about twenty seconds.
fn stretched(gaps: &[u64]) -> Vec<u64> {
    let count = gaps.len() as u64;
    if count == 0 {
        return Vec::new();
    }
    let (least, most) = STEP_MS;
    // With very many events even the shortest waits would take too long.
    let least = least.min(PLAYS_MS / count);
    // Events of one moment count as a millisecond apart, so that they are spread too.
    let scaled = |factor: f64| -> Vec<u64> {
        let one = |gap: &u64| (((gap + 1) as f64 * factor) as u64).clamp(least, most);
        gaps.iter().map(one).collect()
    };
    let (mut low, mut high) = (0.0, most as f64);
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        if scaled(middle).iter().sum::<u64>() < PLAYS_MS {
            low = middle;
        } else {
            high = middle;
        }
    }
    scaled(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(pace: &Pace) -> u64 {
        pace.0.iter().map(|ms| u64::from(*ms)).sum()
    }

    #[test]
    fn a_short_recording_plays_for_fifteen_to_twenty_five_seconds() {
        let even = |count: i64, gap: i64| (0..count).map(|at| at * gap).collect::<Vec<_>>();
        for times in [
            even(166, 5),
            even(40, 0),
            even(25, 700),
            even(5_000, 3),
            [0, 1, 2, 9_000, 9_001]
                .into_iter()
                .chain((0..60).map(|at| 9_100 + at))
                .collect(),
        ] {
            let pace = Pace::of(&times);
            assert!(
                (15_000..=25_000).contains(&total(&pace)),
                "{}: {}",
                times.len(),
                total(&pace)
            );
        }
        let few = Pace::of(&even(4, 10));
        assert!(few.0[1..].iter().all(|ms| (80..=1_000).contains(ms)), "{few:?}");
    }

    #[test]
    fn a_long_recording_follows_its_own_times_with_long_waits_shortened() {
        let times: Vec<i64> = (0..60).map(|at| at * 500).chain([90_000, 90_400]).collect();
        let pace = Pace::of(&times);
        assert_eq!(pace.0[..3], [0, 500, 500]);
        assert_eq!(pace.0[60..], [2_000, 400]);
        assert_eq!(pace.before(1, 2.0), Duration::from_millis(250));
        assert_eq!(pace.before(99, 1.0), Duration::ZERO);
        assert_eq!(
            pace.before(1, 1e-300),
            Duration::from_secs(86_400),
            "a very slow speed"
        );
        assert_eq!(pace.before(0, 1e-300), Duration::ZERO);
        assert_eq!(Pace::of(&[i64::MAX, i64::MIN]).0, [0, 1_000], "times far apart");
        assert_eq!(Pace::of(&[7, 3]).0, [0, 1_000], "a clock that went back");
        assert_eq!(Pace::of(&[]).0, [0]);
    }
}
