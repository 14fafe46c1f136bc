//! Finds calls that differ from what was shown, and has them checked and decided again.
//!
//! Must not know: what changed, how a policy is written.

use super::advice::{Advice, RuleUses, decide, digest};
use super::auto_approved;
use super::call::{Status, Verdict};
use super::draft::Draft;
use super::event::{CallEvent, Event};
use super::id::NodeId;
use super::ready;
use super::state::State;
use super::thread;

/// Withdraws the approvals that this advice would not give, and wakes every other call that it would show differently.
/// Events of the draft before these are left as they are.
pub fn all(draft: &mut Draft<'_>, advice: &dyn Advice, reason: &str) {
    let before = draft.events.len();
    auto_approved::recheck(draft, advice, reason);
    let mut woken = changed(draft.state, advice, true);
    for event in draft.events.iter().skip(before) {
        if let Event::Call(CallEvent::Woken { call }) = event {
            woken.retain(|one| one != call);
        }
    }
    for call in woken {
        draft.call(CallEvent::Woken { call });
    }
}

/// Wakes every call that is no longer what was shown: its digest differs. Questions that the policy would not ask stay.
pub fn shown(draft: &mut Draft<'_>, advice: &dyn Advice) {
    for call in changed(draft.state, advice, false) {
        draft.call(CallEvent::Woken { call });
    }
}

/// Returns the decided or waiting calls that differ from what was shown. Their tool, a file that
/// they may run, the directory, the environment or the sandbox differs, or, if questions count, the policy
/// would not ask about them, or not for as long.
fn changed(state: &State, advice: &dyn Advice, questions: bool) -> Vec<NodeId> {
    let agenda = &state.agenda;
    let draft = Draft::new(state);
    let used = RuleUses::by(&draft);
    let changed = |id: &NodeId| {
        let call = state.calls.get(id)?;
        let node = state.nodes.get(id)?;
        let (tool, _) = node.as_call()?;
        let shown = matches!(
            call.status,
            Status::Ready
                | Status::AwaitingApproval
                | Status::Consent(_)
                | Status::Queued
                | Status::Scheduled
        );
        let bytes = ready::resolved_args(state, call)?;
        let operands = advice.operands(tool, &bytes);
        let verdict = call.verdict.as_deref();
        let now = digest(advice, (*id, node.rev()), (tool, &bytes), &operands, verdict);
        let asked = questions && call.status == Status::AwaitingApproval;
        let decided_differently = || {
            let task = thread::task(state, advice, node);
            let now = decide(advice, node, &bytes, task.as_deref(), &used);
            let shown = call.verdict.as_ref().zip(now);
            asked && shown.is_some_and(|(shown, now)| !same_question(shown, &now))
        };
        (shown && (call.digest.as_ref() != Some(&now) || decided_differently())).then_some(*id)
    };
    let waiting = agenda.ungated.iter().chain(agenda.waiting.values());
    let queued = agenda.queued.iter().chain(&agenda.delayed);
    waiting.chain(queued).filter_map(changed).collect()
}

/// Returns true if the question is unchanged. Without an operator, a question that would wait for
/// one expires immediately; with one, a question that would have expired waits.
fn same_question(shown: &Verdict, now: &Verdict) -> bool {
    let of = |verdict: &Verdict| (verdict.gate, verdict.deadline_ms, verdict.on_expiry);
    of(shown) == of(now)
}
