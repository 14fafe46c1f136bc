//! Computes how long a broken request waits before its retry, and whether there is one.
//!
//! Must not know: clocks, who sends it, what else it waits for.

use super::id::NodeId;
use super::repair::Passing;
use super::state::State;
use super::turn::{StreamFault, StreamFaultKind, Turn};

/// First delay in milliseconds; doubles with each retry.
const FIRST_DELAY_MS: u64 = 1_000;
/// The longest delay in milliseconds.
const LONGEST_DELAY_MS: u64 = 60_000;
/// The longest wait in milliseconds that a server may ask for, beyond the time for which a model is waited for.
const LONGEST_ASKED_MS: u64 = 3_600_000;
/// Retries of a reply that is cut off each time.
pub(crate) const CUT_RETRIES: u32 = 4;
/// First delay in milliseconds after a reply that was cut off; doubles with each.
const FIRST_CUT_DELAY_MS: u64 = 200;

/// The active complete blocks of a turn.
pub fn blocks<'s>(state: &'s State, turn: &'s Turn) -> impl Iterator<Item = NodeId> + 's {
    let counts = |id: &NodeId| state.nodes.get(id).is_some_and(|node| node.active);
    turn.nodes.iter().copied().filter(counts)
}

/// Milliseconds to wait before the retry of a broken turn; none leaves it to the operator.
pub fn retry_after(state: &State, turn: &Turn, fault: &StreamFault) -> Option<u64> {
    if fault.kind == StreamFaultKind::Crash {
        return Some(0);
    }
    if fault.kind == StreamFaultKind::Empty {
        return (turn.asked < 2).then_some(0);
    }
    let nothing_whole = blocks(state, turn).next().is_none();
    if !fault.kind.is_transient() || !nothing_whole {
        return None;
    }
    // A turn that came back from another branch begins from scratch.
    let outage = turn.more.outage;
    let salt = u64::from(turn.id.0);
    if fault.kind == StreamFaultKind::Truncated {
        return wait_after_cut(outage.map_or(1, |outage| outage.cut), salt);
    }
    let (broke, lasted) = outage.map_or((1, 0), |outage| (outage.broke, outage.lasted(outage.until)));
    // A wait that is scheduled is part of the outage: nothing but its end follows it.
    let is_scheduled = turn.more.held.is_some();
    let lasted = if is_scheduled { 0 } else { lasted };
    let left = state.model_wait_ms().saturating_sub(lasted);
    wait_before(broke, salt, (fault.retry_after_ms, left))
}

/// Retries of a question next to the conversation, and the milliseconds before the `no`-th of them; none after the last.
pub(crate) fn wait_beside(state: &State, no: u32, salt: u64, passing: Passing) -> Option<(u32, u64)> {
    let time = state.model_wait_ms();
    let (of, wait_ms) = if passing.is_cut {
        (CUT_RETRIES, wait_after_cut(no, salt)?)
    } else {
        (
            retries_in(time),
            wait_before(no, salt, (passing.retry_after_ms, time))?,
        )
    };
    (no <= of).then_some((of, wait_ms))
}

/// Retries of a question next to the conversation for which there is time.
fn retries_in(wait_ms: u64) -> u32 {
    let waits = (1..).scan(0_u64, |sum, no| {
        *sum = sum.saturating_add(delay(no));
        (*sum <= wait_ms).then_some(no)
    });
    waits.last().unwrap_or(0)
}

/// Milliseconds before the `no`-th retry, without jitter.
fn delay(no: u32) -> u64 {
    doubled(FIRST_DELAY_MS, no).min(LONGEST_DELAY_MS)
}

fn doubled(first: u64, no: u32) -> u64 {
    first.saturating_mul(1 << (no.saturating_sub(1)).min(16))
}

/// Milliseconds before the `no`-th retry of a reply that was cut off; none after the last. A server that answers is there:
/// it is not waited for.
fn wait_after_cut(no: u32, of: u64) -> Option<u64> {
    (no <= CUT_RETRIES).then(|| jittered(doubled(FIRST_CUT_DELAY_MS, no), no, of))
}

/// Milliseconds before the `no`-th retry of a broken request. `asked` is the wait that the server requests: it may be longer
/// than what is left of the time, up to an hour. None if no time is left, or if the server asks for more.
fn wait_before(no: u32, of: u64, (asked, left): (Option<u64>, u64)) -> Option<u64> {
    if left == 0 {
        return None;
    }
    match asked {
        Some(asked) => (asked <= left.max(LONGEST_ASKED_MS)).then_some(asked.max(FIRST_DELAY_MS.min(left))),
        None => Some(jittered(delay(no), no, of).min(left)),
    }
}

fn jittered(base: u64, no: u32, of: u64) -> u64 {
    // Up to a fifth more or less, so that many runs do not retry together. A function of the
    // request, so that a replay agrees.
    let spread = base / 5;
    let draw = of
        .wrapping_mul(2_654_435_761)
        .wrapping_add(u64::from(no) * 40_503);
    base - spread + draw % (2 * spread + 1)
}
