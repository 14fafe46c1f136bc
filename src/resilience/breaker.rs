//! Decides when a breaker opens and closes, and which breakers a call has to pass.
//!
//! Must not know: how a breaker is stored, who waits for it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::policy::{Bad, Ms};
use overrule_domain::breaker::{Breaker, Phase, Scope, Turn};
use overrule_domain::call::EffectClass;

/// Tools without a remote service that could be down.
const LOCAL: [&str; 9] = [
    "read_file",
    "list_dir",
    "search",
    "write_file",
    "edit_file",
    "set",
    "ask_operator",
    "delegate",
    "final_answer",
];

/// What happens to calls while their breaker is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenOpen {
    /// They stay in the queue until the breaker lets them pass.
    Wait,
    /// They fail immediately, and the model sees the failure.
    #[default]
    Fail,
}

/// When breakers open, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Consecutive failures that open a breaker; 0 for never.
    pub consecutive: u32,
    /// Percentage of failures within the window that opens a breaker; 0 for never.
    pub rate: u32,
    /// Minimum number of executions for the rate to count.
    pub samples: u32,
    /// The time window of the rate.
    pub window: Ms,
    /// How long a breaker stays open.
    pub open: Ms,
    /// How long it stays open after a probe failed.
    pub probe: Ms,
    /// What happens to its calls meanwhile.
    pub when_open: WhenOpen,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            consecutive: 5,
            rate: 60,
            samples: 5,
            window: Ms(60_000),
            open: Ms(30_000),
            probe: Ms(10_000),
            when_open: WhenOpen::Fail,
        }
    }
}

impl Settings {
    /// Refuses values out of bounds.
    pub fn check(&self) -> Result<(), Bad> {
        Bad::unless("breaker.rate", self.rate <= 100, "it is a percentage: 0 to 100")?;
        Bad::unless(
            "breaker.samples",
            (1..=64).contains(&self.samples),
            "write 1 to 64",
        )?;
        Bad::unless("breaker.consecutive", self.consecutive <= 64, "write 0 to 64")?;
        for (key, ms) in [
            ("breaker.window", self.window),
            ("breaker.open", self.open),
            ("breaker.probe", self.probe),
        ] {
            Bad::unless(key, ms.0 <= 24 * 3_600_000, "write at most 24h")?;
        }
        Ok(())
    }
}

/// Returns the change of a breaker that its recent executions call for, if any.
pub fn turn(settings: &Settings, breaker: &Breaker) -> Option<Turn> {
    let Some(last) = breaker.recent.back() else {
        // A probe that was stopped, or whose end is inconclusive, is not immediately followed by
        // the next.
        let waits = breaker.phase == Phase::HalfOpen && breaker.inconclusive;
        return waits.then(|| Turn {
            to: Phase::Open,
            wait_ms: settings.probe.0,
            why: "the probe was inconclusive".into(),
        });
    };
    match (breaker.phase, last.failed) {
        (Phase::HalfOpen, false) => Some(Turn {
            to: Phase::Closed,
            wait_ms: 0,
            why: "the probe succeeded".into(),
        }),
        (Phase::HalfOpen, true) => Some(Turn {
            to: Phase::Open,
            wait_ms: settings.probe.0,
            why: "the probe failed".into(),
        }),
        (Phase::Closed, true) => opens(settings, breaker).map(|why| Turn {
            to: Phase::Open,
            wait_ms: settings.open.0,
            why: why.into(),
        }),
        (Phase::Closed, false) | (Phase::Open, _) => None,
    }
}

fn opens(settings: &Settings, breaker: &Breaker) -> Option<String> {
    let row = breaker.recent.iter().rev().take_while(|one| one.failed).count();
    if settings.consecutive > 0 && row >= settings.consecutive as usize {
        return Some(format!("{row} failures in a row"));
    }
    let now = breaker.recent.back()?.at;
    let since = now.saturating_sub(i64::try_from(settings.window.0).unwrap_or(i64::MAX));
    let window = breaker.recent.iter().filter(|one| one.at >= since);
    let (all, failed) = window.fold((0_usize, 0_usize), |(all, failed), one| {
        (all + 1, failed + usize::from(one.failed))
    });
    let enough = settings.rate > 0 && all >= settings.samples as usize;
    (enough && failed * 100 >= all * settings.rate as usize)
        .then(|| format!("{failed} of {all} failed within {}", settings.window))
}

/// Returns the breakers that a call has to pass: that of the server named in its arguments, otherwise that of
/// its tool.
pub fn guards(tool: &str, effect: EffectClass, args: impl FnOnce() -> Value) -> Vec<Scope> {
    if effect == EffectClass::Pure || LOCAL.contains(&tool) {
        return Vec::new();
    }
    let args = args();
    let host = args.get("url").and_then(Value::as_str).and_then(host);
    vec![host.map_or_else(|| Scope::Tool(tool.into()), |host| Scope::Server(host.into()))]
}

/// Returns the host and port of a URL.
fn host(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    if host.is_empty() {
        return None;
    }
    let host = host.to_ascii_lowercase();
    let bare = host.rsplit(']').next().unwrap_or(&host);
    if bare.contains(':') {
        return Some(host);
    }
    let port = if scheme.eq_ignore_ascii_case("https") {
        443
    } else {
        80
    };
    Some(format!("{host}:{port}"))
}

#[cfg(test)]
mod tests;
