//! Which calls a run that is restricted to reading calls does not start.
//!
//! Must not know: who restricts a run, how it is shown.

use super::advice::Advice;
use super::call::{AttemptRecord, Call, Decision, EffectClass, Outcome, Status};
use super::command::Edit;
use super::event::CallEvent;
use super::node::Node;
use super::ready;
use super::refusal::{Refusal, RefusalKind};
use super::state::State;
use super::tags;

/// The rule by which the calls of a restricted run are denied.
pub const RULE: &str = "restricted mode";

/// True for the rule by which the calls of a restricted run are denied.
pub fn is_restriction(rule: &str) -> bool {
    rule == RULE
}

/// True for a call that the restriction of the run denied.
pub fn denied(call: &Call) -> bool {
    call.status == Status::Rejected && call.validation.denied_by.as_deref().is_some_and(is_restriction)
}

/// The effect class of a call with the arguments that it would run with.
pub fn class(state: &State, call: &Call) -> EffectClass {
    let Some((tool, args)) = state.nodes.get(&call.id).and_then(Node::as_call) else {
        return EffectClass::Unknown;
    };
    let resolved = ready::resolved_args(state, call);
    let card = tags::card(state, tool);
    card.map_or(call.effect, |card| {
        card.effect_of(resolved.as_ref().unwrap_or(args))
    })
}

/// True for a call that the run does not start now: it is restricted, and the call may do more than read. A sub-agent
/// may start: its calls meet the same restriction.
pub fn forbids(state: &State, call: &Call) -> bool {
    state.settings.restricted.is_some() && !call.delegates && class(state, call).has_effect()
}

/// The decision that denies a call, with what the model is told.
pub fn denial(state: &State, call: &Call) -> CallEvent {
    let node = state.nodes.get(&call.id);
    let rev = node.map(Node::rev).unwrap_or_default();
    let tool = node.and_then(Node::as_call).map_or("", |(tool, _)| &**tool);
    let mut reason = format!(
        "the run is restricted to reading calls until the operator lifts the restriction; \
         {tool} may do more than read (effect class {}). Propose only reading calls, or answer with what you have",
        class(state, call).label()
    );
    let ran = |one: &&AttemptRecord| one.rev == rev;
    let last = call.attempts.iter().rev().find(ran);
    if let Some(Outcome::Err(error)) = last.and_then(|one| one.outcome.as_ref()) {
        reason.push_str(". It ran before and failed: ");
        reason.push_str(&error.message);
    }
    CallEvent::Decided {
        call: call.id,
        rev,
        digest: call.digest.clone(),
        decision: Decision::Deny {
            rule: RULE.to_owned(),
            reason,
        },
    }
}

/// Why a failed call is not retried in a restricted run.
pub const NOT_AGAIN: &str = "the run is restricted to reading calls";

/// Refuses what would start a call in a restricted run. `verb` is what was asked for.
pub fn refuse(state: &State, call: &Call, verb: &str) -> Result<(), Refusal> {
    if forbids(state, call) {
        return Err(refusal(verb, &call.id.to_string()));
    }
    Ok(())
}

/// Refuses an edit after which a restricted run would have to start a call that may do more than read.
pub fn refuse_edit(state: &State, advice: &dyn Advice, edit: &Edit) -> Result<(), Refusal> {
    let (verb, tool, args, what) = match edit {
        Edit::Call { node, tool, args, .. } => ("edit", tool, args, node.to_string()),
        Edit::InsertCall { tool, args, .. } => {
            let what = format!("a call of {}", overrule_base::text::visible(tool));
            ("insert", tool, args, what)
        }
        _ => return Ok(()),
    };
    let delegates = advice.tool(tool).is_some_and(|facts| facts.delegates());
    if state.settings.restricted.is_some() && !delegates && tags::effect(state, tool, args).has_effect() {
        return Err(refusal(verb, &what));
    }
    Ok(())
}

fn refusal(verb: &str, what: &str) -> Refusal {
    Refusal::new(
        RefusalKind::Denied,
        format!("cannot {verb} {what}: the run is restricted to reading calls; hint: lift the restriction"),
    )
}
