//! Finds the calls that wait for something: their repetition is no loop.
//!
//! Must not know: how a loop is found.

use overrule_base::known_tool;

use crate::call::{Call, Status};
use crate::escape::Finding;
use crate::node::Node;
use crate::ready;
use crate::state::State;
use crate::tags;

/// Number of equal results after which the model gets a notice.
pub const NOTICE: u32 = 3;

/// Number of equal results from which the repetition of an awaiting call is a loop.
pub const LOOP: u32 = 10;

/// A call that took longer than this, in milliseconds, has waited itself.
const LONG_MS: u64 = 2_000;

/// Returns true for a call with a result that waits for something: its tool reads a program that runs, only waits, or is
/// marked so in the settings; or it took longer than two seconds.
pub fn awaits(state: &State, call: &Call) -> bool {
    if !matches!(call.status, Status::Succeeded | Status::Exited(_)) {
        return false;
    }
    let took = call.last_attempt().and_then(|attempt| attempt.ms);
    let long = took.is_some_and(|ms| ms > LONG_MS);
    let Some((tool, _)) = state.nodes.get(&call.id).and_then(Node::as_call) else {
        return false;
    };
    let marked = || tags::of(state, tool).iter().any(|tag| tag == tags::WAITS);
    let known = || ready::resolved_args(state, call).is_some_and(|args| known_tool::waits(tool, &args));
    long || marked() || known()
}

/// Returns true if every kind of call in a finding waits for something.
pub fn is_awaiting(state: &State, finding: &Finding) -> bool {
    if finding.detector.is_informational() || finding.fails {
        return false;
    }
    // Of equal calls the newest tells: a first one may have been slow for other reasons.
    let waits = |tool: &str, args: &str| {
        let is_one = |call: &&Call| {
            let own = state.nodes.get(&call.id).and_then(Node::as_call);
            own.is_some_and(|(own, _)| **own == *tool)
                && ready::resolved_args(state, call).is_some_and(|own| *super::args_hash(&own) == *args)
        };
        let calls = finding.nodes.iter().filter_map(|id| state.calls.get(id));
        calls
            .filter(is_one)
            .max_by_key(|call| call.id)
            .is_some_and(|call| awaits(state, call))
    };
    !finding.signatures.is_empty()
        && finding
            .signatures
            .iter()
            .all(|one| one.args.as_deref().is_some_and(|args| waits(&one.tool, args)))
}
