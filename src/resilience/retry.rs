//! Decides whether the same bytes run again after a failure, and after which wait.
//!
//! Must not know: clocks, how a wait is kept.
//!
//! Only temporary failures are retried, and only if another execution does no harm: a call that
//! changes the world runs again only if it is proven that nothing happened.

use serde::{Deserialize, Serialize};

use super::policy::{Bad, Ms};
use overrule_domain::call::{Call, EffectClass, ErrorClass, Outcome, ToolError};
use overrule_domain::ladder::{Next, Retry, span};
use overrule_domain::node::Node;
use overrule_domain::state::{LedgerEntry, State};

/// Maximum number of executions of a tool that are examined.
const LOOKED_AT: usize = 64;
/// Failures longer ago than this many milliseconds are ignored.
const RECENT_MS: i64 = 600_000;

/// Limits on retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Number of retries of one failure.
    pub retries: u32,
    /// The wait before the first retry; it doubles with each.
    pub first: Ms,
    /// Upper limit of the doubled wait.
    pub longest: Ms,
    /// How much a wait varies in either direction, in percent.
    pub jitter: u64,
    /// The longest wait that a server may ask for; a longer one is not respected.
    pub patience: Ms,
    /// Number of equal errors of a tool in a row, within ten minutes, after which they no longer count as
    /// temporary; 0 for never.
    pub persistent: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            retries: 4,
            first: Ms(200),
            longest: Ms(10_000),
            jitter: 20,
            patience: Ms(60_000),
            persistent: 12,
        }
    }
}

impl Settings {
    /// Refuses values out of bounds.
    pub fn check(&self) -> Result<(), Bad> {
        Bad::unless("retry.retries", self.retries <= 20, "write 0 to 20")?;
        Bad::unless("retry.jitter", self.jitter <= 100, "it is a percentage: 0 to 100")?;
        for (key, ms) in [
            ("retry.first", self.first),
            ("retry.longest", self.longest),
            ("retry.patience", self.patience),
        ] {
            Bad::unless(key, ms.0 <= 24 * 3_600_000, "write at most 24h")?;
        }
        Ok(())
    }
}

/// Returns the step that follows an error, as far as it concerns retries. `seed` varies the waits of runs
/// that fail at the same time.
pub fn after(settings: &Settings, state: &State, call: &Call, error: &ToolError, seed: u64) -> Next {
    if persists(settings, state, call, error) {
        let often = in_a_row(state, call, error);
        let why = format!(
            "it came {often} times in a row ({}): it does not pass by itself",
            error.evidence
        );
        return Next::Leave { why: why.into() };
    }
    match allowed(call, error) {
        Err(why) => Next::Leave { why: why.into() },
        Ok((most, why)) => {
            let of = most.min(settings.retries);
            if call.failure.retries >= of {
                let why = match of {
                    0 => "retries are switched off".to_owned(),
                    1 => format!("it failed again after a retry ({})", error.evidence),
                    _ => format!("it failed again after {of} retries ({})", error.evidence),
                };
                return Next::Leave { why: why.into() };
            }
            scheduled(settings, call, error, of, seed, why)
        }
    }
}

/// Returns true if a temporary error came too often in a row to pass by itself.
pub fn persists(settings: &Settings, state: &State, call: &Call, error: &ToolError) -> bool {
    error.class == ErrorClass::Transient
        && settings.persistent > 0
        && in_a_row(state, call, error) >= settings.persistent
}

fn scheduled(
    settings: &Settings,
    call: &Call,
    error: &ToolError,
    of: u32,
    seed: u64,
    harmless: &str,
) -> Next {
    let no = call.failure.retries + 1;
    let drawn = wait(settings, no, mix(seed, call));
    let asked = error.retry_after_ms.unwrap_or(0);
    if asked > settings.patience.0.max(settings.longest.0) {
        let why = format!("the server asks to wait {}: too long", span(asked));
        return Next::Leave { why: why.into() };
    }
    Next::Retry(Retry {
        no,
        of,
        wait_ms: drawn.max(asked),
        why: format!("{}; {harmless}", error.evidence).into(),
    })
}

/// Returns how many of a tool's last executions in a row ended with this very error.
fn in_a_row(state: &State, call: &Call, error: &ToolError) -> u32 {
    let tool = state
        .nodes
        .get(&call.id)
        .and_then(Node::as_call)
        .map(|(tool, _)| tool);
    let since = call
        .last_attempt()
        .and_then(|last| state.ledger.get(&last.intent))
        .map_or(0, |last| last.at);
    let own = state
        .ledger
        .values()
        .rev()
        .filter(|entry| Some(&entry.tool) == tool);
    let recent = own
        .take(LOOKED_AT)
        .filter(|entry| since.saturating_sub(entry.at) <= RECENT_MS);
    let same = recent.filter_map(|entry| ended(state, entry)).take_while(|outcome| {
        matches!(outcome, Outcome::Err(other) if other.class == error.class && other.evidence == error.evidence)
    });
    u32::try_from(same.count()).unwrap_or(u32::MAX)
}

fn ended<'s>(state: &'s State, entry: &LedgerEntry) -> Option<&'s Outcome> {
    let attempts = &state.calls.get(&entry.call)?.attempts;
    attempts
        .iter()
        .find(|one| one.no == entry.attempt)?
        .outcome
        .as_ref()
}

/// Returns how often the same bytes may run again and why that does no harm, or why they may not.
fn allowed(call: &Call, error: &ToolError) -> Result<(u32, &'static str), &'static str> {
    if call.delegates {
        return Err("the sub-agent's own calls were retried where useful");
    }
    let harmless = match call.effect {
        EffectClass::Pure | EffectClass::Read => Some("it changes nothing"),
        EffectClass::Idempotent => Some("repeating it has no further effect"),
        EffectClass::Write | EffectClass::Unknown if !error.executed => {
            Some("it is proven not to have happened")
        }
        EffectClass::Write | EffectClass::Unknown => None,
    };
    match error.class {
        ErrorClass::Transient => harmless
            .map(|why| (u32::MAX, why))
            .ok_or("it may have happened, and it changes something: it is not run again without you"),
        ErrorClass::Unknown if call.effect <= EffectClass::Read => {
            Ok((1, "nothing is known of the error, and it changes nothing"))
        }
        ErrorClass::Unknown => Err("nothing is known of the error"),
        ErrorClass::Structural | ErrorClass::Param => Err("the same arguments would fail again"),
        ErrorClass::Auth => Err("it is not permitted: trying again changes nothing"),
        ErrorClass::NotFound => Err("it does not exist: trying again changes nothing"),
        ErrorClass::Conflict => Err("something else changed meanwhile: the model must look at it again"),
        ErrorClass::Business => Err("the tool works and refuses"),
        ErrorClass::Internal => Err("the tool has a defect"),
        ErrorClass::Cancelled => Err("it was cancelled"),
        ErrorClass::Lost => {
            Err("it may have happened, and it changes something: it is not run again without you")
        }
    }
}

/// Returns the milliseconds before a retry, counted from 1: doubled with each up to the limit, and varied a
/// little.
pub fn wait(settings: &Settings, no: u32, draw: u64) -> u64 {
    let doubled = settings
        .first
        .0
        .saturating_mul(1_u64.checked_shl(no.saturating_sub(1)).unwrap_or(u64::MAX));
    let base = doubled.min(settings.longest.0);
    let spread = base.saturating_mul(settings.jitter.min(100)) / 100;
    let room = spread.saturating_mul(2).saturating_add(1);
    (base - spread).saturating_add(draw % room)
}

/// Derives a number for each retry of each call (splitmix64).
fn mix(seed: u64, call: &Call) -> u64 {
    let own = u64::from(call.id.no) << 32 | u64::from(call.last_attempt().map_or(0, |last| last.no.0));
    let mut n = seed ^ own.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    n = (n ^ (n >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    n = (n ^ (n >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    n ^ (n >> 31)
}

#[cfg(test)]
mod tests;
