//! How fast open streams arrive.
//!
//! Must not know: how it is drawn, clocks.

use std::collections::BTreeMap;

use overrule_domain::id::TurnId;
use overrule_domain::live::Live;

/// Bytes of a stream that are counted as a token.
const TOKEN: u64 = 4;
/// Minimum time of a stream before its speed is shown, in milliseconds.
const MEASURED_MS: u64 = 1_000;

/// How fast the open streams arrive.
#[derive(Debug, Clone, Default)]
pub struct StreamPace(BTreeMap<TurnId, Measured>);

/// A stream since its first data.
#[derive(Debug, Clone, Copy)]
struct Measured {
    first: (u64, u64),
    last: (u64, u64),
}

impl StreamPace {
    /// Records how much of a stream has arrived at a time.
    pub fn note(&mut self, turn: TurnId, bytes: u64, at: u64) {
        let now = (bytes, at);
        let known = self.0.entry(turn).or_insert(Measured {
            first: now,
            last: now,
        });
        // Another request of the turn begins with less.
        if bytes < known.last.0 {
            known.first = now;
        }
        known.last = now;
    }

    /// Forgets the streams that are no longer open.
    pub fn prune(&mut self, live: &BTreeMap<TurnId, Live>) {
        self.0.retain(|turn, _| live.contains_key(turn));
    }

    /// The speed of the open streams, in estimated tokens a second; none if there is no open one.
    pub fn describe(&self, live: &BTreeMap<TurnId, Live>) -> Option<String> {
        let open = self.0.iter().filter(|(turn, _)| live.contains_key(turn));
        let rates = open.filter_map(|(_, one)| {
            let ms = one.last.1.saturating_sub(one.first.1);
            let bytes = one.last.0.saturating_sub(one.first.0);
            (ms >= MEASURED_MS).then(|| bytes * 1000 / ms / TOKEN)
        });
        let rates: Vec<u64> = rates.collect();
        (!rates.is_empty()).then(|| format!("~{} tokens/s", rates.iter().sum::<u64>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speed_of_open_streams_is_estimated() {
        let mut pace = StreamPace::default();
        let live: BTreeMap<TurnId, Live> = [(TurnId(2), Live::default())].into_iter().collect();
        pace.note(TurnId(2), 100, 1_000);
        assert_eq!(pace.describe(&live), None, "too early");
        pace.note(TurnId(2), 900, 3_000);
        assert_eq!(pace.describe(&live).as_deref(), Some("~100 tokens/s"));
        assert_eq!(pace.describe(&BTreeMap::new()), None, "no stream is open");
        pace.note(TurnId(2), 10, 4_000);
        assert_eq!(pace.describe(&live), None, "asked again");
        pace.prune(&live);
        assert_eq!(pace.0.len(), 1);
        pace.prune(&BTreeMap::new());
        assert!(pace.0.is_empty(), "nothing stays of a closed stream");
    }
}
