//! Deadlines: what happens to a question without an answer.
//!
//! Must not know: what time it is.

use overrule_domain::call::{Consequence, Gate, Verdict};

/// How long a question stays open, and what happens then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    /// Milliseconds until it expires.
    pub ms: u64,
    /// What happens when it expires.
    pub on_expiry: Consequence,
}

/// Returns the verdict for a run without an operator. A question without a deadline expires
/// immediately and counts as "no"; one that would escalate halts the run, because no one would
/// notice.
pub fn headless(mut verdict: Verdict) -> Verdict {
    if verdict.gate == Gate::Ask {
        if verdict.deadline_ms.is_none() {
            verdict.deadline_ms = Some(0);
            verdict.on_expiry = Consequence::Deny;
        } else if verdict.on_expiry == Consequence::Escalate {
            verdict.on_expiry = Consequence::Halt;
        }
    }
    verdict
}

/// Parses a duration such as `500ms`, `30s`, `5m`, `2h` or `1d` into milliseconds.
pub fn duration_ms(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim_start() {
        "ms" => 1,
        "s" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}
