//! Makes a verdict stricter than the policy, for reasons that no rule knows.
//!
//! Must not know: rules, tools.

use overrule_domain::call::{Fault, Gate, Verdict};

/// Name of the rule by which a call waits whose tool is not the accepted one.
const PARKED: &str = "changed definitions";

/// Name of the rule by which a call waits whose arguments cannot be checked.
pub(super) const NOT_CHECKABLE: &str = "not checkable";

/// Lets nothing but a denial hold of a call whose tool is not the accepted one: it asks, with the difference.
pub(super) fn parked(verdict: Verdict, difference: &str) -> Verdict {
    let reason = format!("the server's tools changed since they were accepted: {difference}");
    asks(verdict, PARKED, reason)
}

/// Lets nothing but a denial hold of a call: it asks the operator, for the reason of a rule that nobody wrote.
pub(super) fn asks(verdict: Verdict, rule: &str, reason: String) -> Verdict {
    if verdict.gate == Gate::Deny {
        return verdict;
    }
    Verdict {
        gate: Gate::Ask,
        rule: rule.to_owned(),
        reason,
        alone: true,
        operator_only: true,
        ..verdict
    }
}

/// Name of the rule by which a call of an agent waits whose arguments do not fit.
const MISFIT: &str = "schema of the agent's tool";

/// Lets nothing but a denial hold of a call of an agent whose arguments do not fit its tool: rules may not find in them what
/// they are about. It asks, with the first fault.
pub(super) fn warned(verdict: Verdict, misfits: &[Fault]) -> Verdict {
    let Some(first) = misfits.first().filter(|_| verdict.gate != Gate::Deny) else {
        return verdict;
    };
    let fault = format!("{} {}", first.path, first.message);
    Verdict {
        gate: Gate::Ask,
        rule: MISFIT.to_owned(),
        reason: format!("the arguments do not fit the agent's tool: {}", fault.trim()),
        alone: true,
        ..verdict
    }
}
