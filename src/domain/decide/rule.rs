//! Decides commands about the policy and the rules of the session.
//!
//! Must not know: the language of rules.
//!
//! They decide about calls that become ready later, and about approved calls that have not started
//! if they became stricter. A rule also decides about the waiting calls that were shown with it.

use std::sync::Arc;

use super::checks::{find, same_rev, shown};
use crate::advice::{Advice, RuleUses};
use crate::auto_approved;
use crate::bulk;
use crate::call::{Call, Decision, Digest, Gate, Status};
use crate::draft::Draft;
use crate::event::{CallEvent, RunEvent};
use crate::id::{NodeId, Rev};
use crate::ready;
use crate::refusal::{Refusal, RefusalKind};
use crate::rule::{self, RuleRequest, RuleSpec, SessionRule};
use crate::tags;
use crate::thread;

pub(super) fn add(
    draft: &mut Draft<'_>,
    advice: &dyn Advice,
    requested: &RuleRequest,
    seen: &[Digest],
) -> Result<(), Refusal> {
    let state = draft.state;
    let no = state
        .settings
        .rules
        .last()
        .map_or(1, |rule| rule.no.saturating_add(1));
    let written = match requested {
        RuleRequest::Exact { call, rev, digest } => exact(draft, advice, (*call, *rev), digest)?,
        RuleRequest::Text { text } => RuleSpec::Text {
            text: Arc::from(text.trim()),
        },
    };
    if state
        .settings
        .rules
        .iter()
        .any(|rule| !rule.dropped && same_rule(&rule.written, &written))
    {
        return Err(Refusal::new(
            RefusalKind::NoChange,
            "the session already has this rule",
        ));
    }
    let evaluated = advice
        .with_rule(no, &written)
        .map_err(|why| Refusal::new(RefusalKind::Invalid, why))?;
    draft.run(RunEvent::RuleAdded { no, rule: written });
    let waiting = state.queue().filter(|call| {
        call.status == Status::AwaitingApproval
            && !call.suspect
            && call.digest.as_ref().is_some_and(|digest| seen.contains(digest))
            && thread::call_acts(state, call.id)
            && !tags::asks_operator(state, call.id)
    });
    for call in waiting {
        if let Some(decided) = decide_waiting(draft, &*evaluated, call, no) {
            draft.call(decided);
        }
    }
    auto_approved::recheck(draft, &*evaluated, &format!("{} decides it now", rule::name(no)));
    Ok(())
}

/// Checks again what the earlier policy approved and has not started; approvals by the operator
/// stay.
pub(super) fn set_policy(draft: &mut Draft<'_>, advice: &dyn Advice, policy: &str) -> Result<(), Refusal> {
    let evaluated = advice
        .with_policy(policy)
        .map_err(|why| Refusal::new(RefusalKind::Invalid, why))?;
    draft.run(RunEvent::PolicyChanged {
        policy: policy.to_owned(),
    });
    auto_approved::recheck(draft, &*evaluated, &format!("the policy is {policy} now"));
    Ok(())
}

pub(super) fn drop_rule(draft: &mut Draft<'_>, advice: &dyn Advice, no: u32) -> Result<(), Refusal> {
    match draft.state.settings.rules.iter().find(|rule| rule.no == no) {
        Some(rule) if rule.dropped => Err(Refusal::new(
            RefusalKind::NoChange,
            format!("{} is already removed", rule::name(no)),
        )),
        Some(_) => {
            draft.run(RunEvent::RuleDropped { no });
            let left: Vec<SessionRule> = draft
                .state
                .settings
                .rules
                .iter()
                .filter(|rule| rule.no != no)
                .cloned()
                .collect();
            let evaluated = advice.with_rules(&left);
            auto_approved::recheck(draft, &*evaluated, &format!("{} was removed", rule::name(no)));
            Ok(())
        }
        None => Err(Refusal::new(
            RefusalKind::Unknown,
            format!("there is no {}", rule::name(no)),
        )),
    }
}

/// The rule that always allows exactly the call that waits.
fn exact(
    draft: &Draft<'_>,
    advice: &dyn Advice,
    (id, rev): (NodeId, Rev),
    digest: &Digest,
) -> Result<RuleSpec, Refusal> {
    let state = draft.state;
    let call = find(state, id)?;
    same_rev(state, id, rev)?;
    shown(call, digest)?;
    let refused = |why: String| Refusal::new(RefusalKind::Status, why);
    if call.status != Status::AwaitingApproval {
        return Err(refused(format!(
            "{id} is not awaiting approval: it is {}",
            call.status.base_label()
        )));
    }
    let node = state.nodes.get(&id);
    let (Some(node), Some(args)) = (node, ready::resolved_args(state, call)) else {
        return Err(refused(format!("{id} is not ready yet")));
    };
    let Some((tool, _)) = node.as_call().filter(|_| bulk::plain(state, node)) else {
        return Err(refused(bulk::no_always(id)));
    };
    let key = advice
        .exact(tool, &args)
        .map_err(|why| Refusal::new(RefusalKind::Invalid, why))?;
    Ok(RuleSpec::Exact {
        call: id,
        rev,
        tool: tool.clone(),
        key,
        bytes: args.len() as u64,
    })
}

/// True for the same text, or the same bytes of the same tool, from any call.
fn same_rule(one: &RuleSpec, other: &RuleSpec) -> bool {
    match (one, other) {
        (RuleSpec::Exact { key: a, .. }, RuleSpec::Exact { key: b, .. })
        | (RuleSpec::Text { text: a }, RuleSpec::Text { text: b }) => a == b,
        _ => false,
    }
}

/// What the new rule decides about a waiting call; none if another rule decides.
fn decide_waiting(draft: &Draft<'_>, evaluated: &dyn Advice, call: &Call, no: u32) -> Option<CallEvent> {
    let state = draft.state;
    let node = state.nodes.get(&call.id)?;
    let (tool, _) = node.as_call()?;
    let args = ready::resolved_args(state, call)?;
    let verdict = evaluated.verdict(tool, &args, &RuleUses::by(draft));
    if !rule::is_of(&verdict.rule, no) {
        return None;
    }
    let decision = match verdict.gate {
        Gate::Allow => Decision::Auto { rule: verdict.rule },
        Gate::Deny => Decision::Deny {
            rule: verdict.rule,
            reason: verdict.reason,
        },
        Gate::Ask => return None,
    };
    Some(CallEvent::Decided {
        call: call.id,
        rev: node.rev(),
        digest: call.digest.clone(),
        decision,
    })
}
