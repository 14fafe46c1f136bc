//! Data about running work, for a row: seconds, a spinner, the last printed line, the speed of a stream.
//!
//! Must not know: how it is drawn, clocks.

use std::collections::BTreeMap;

use super::Model;
use super::run::RunPart;
use crate::panes::graph::model::Pick;
use crate::panes::inspector::model::Subject;
use crate::symbols::Charset;
use overrule_domain::agent::held_behind;
use overrule_domain::call::{Call, Status};
use overrule_domain::id::TurnId;
use overrule_domain::live::{Live, LiveOutput};
use overrule_domain::state::WITH_AGENT;

/// Milliseconds of one position of the spinner.
pub const SPIN_MS: u64 = 250;
/// The positions of the spinner.
const SPINNER: [char; 8] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧'];
const SPINNER_ASCII: [char; 4] = ['|', '/', '-', '\\'];
/// Bytes of a stream that are counted as a token.
const TOKEN: u64 = 4;
/// After how many seconds a call with an agent may wait for the agent's user.
const LONG_S: u64 = 60;
/// Minimum time of a stream before its speed is shown, in milliseconds.
const MEASURED_MS: u64 = 1_000;

impl RunPart {
    /// The newest output of a call, if it belongs to its running execution.
    pub fn output_of(&self, call: &Call) -> Option<&LiveOutput> {
        let Status::Running(attempt) = call.status else {
            return None;
        };
        self.outputs
            .get(&call.id)
            .filter(|output| output.attempt == attempt)
    }
}

impl Model {
    /// True while the screen shows how long something has been running.
    pub fn shows_running(&self) -> bool {
        !self.settings.is_recorded() && self.now_of_run().is_some() && self.run.running().next().is_some()
    }

    /// True if the inspector shows a call that runs.
    pub fn is_running_inspected(&self) -> bool {
        let Some(Subject::Pick(Pick::Node(id))) = self.inspector.subject else {
            return false;
        };
        self.run.running().any(|call| call == id.call())
    }

    /// How long a call has been running, with a spinner, or behind which call an agent does not have it; none if it does not run, or in a recorded or halted run.
    pub fn running_words(&self, call: &Call) -> Option<String> {
        let now = self.now_of_run().filter(|_| !self.settings.is_recorded())?;
        let Status::Running(attempt) = call.status else {
            return None;
        };
        if let Some(behind) = held_behind(&self.run.state, call) {
            return Some(format!("held behind {behind}"));
        }
        let record = call.attempts.iter().find(|one| one.no == attempt)?;
        let began = self.run.state.recorded_at(record.intent)?;
        let seconds = u64::try_from(now.saturating_sub(began)).unwrap_or_default() / 1000;
        let words = self.run.state.status_words(call);
        // Whether it runs, or its user is asked about it, the agent does not say.
        let more = if words == WITH_AGENT && seconds >= LONG_S {
            "; it may be asking its user"
        } else {
            ""
        };
        Some(format!("{} {words} {seconds} s{more}", self.spinner()))
    }

    /// The present position of the spinner.
    fn spinner(&self) -> char {
        let signs: &[char] = match self.settings.charset {
            Charset::Unicode => &SPINNER,
            Charset::Ascii => &SPINNER_ASCII,
        };
        let at = (self.arming.now / SPIN_MS) as usize % signs.len();
        signs.get(at).copied().unwrap_or(' ')
    }

    /// The last line that a running call printed. Untrusted text.
    pub fn last_printed(&self, call: &Call) -> Option<&str> {
        let output = self.run.output_of(call)?;
        let mut lines = output.text.lines().rev();
        lines.find(|line| !line.trim().is_empty())
    }
}

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
