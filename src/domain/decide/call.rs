//! Decides commands about one call.
//!
//! Must not know: who asks, how a tool runs.
//!
//! A decision names what was shown; it is refused if that changed since.

use std::sync::Arc;

use super::checks::{find, not_over, same_attempt, same_rev, shown, valid_json, worded, wrong_status};
use super::edit::begin;
use super::{consent, escape};
use crate::advice::Advice;
use crate::approver;
use crate::auto_approved;
use crate::call::{Answer, Call, Decision, Digest, Gate, Outcome, Shown, Status};
use crate::command::CallCommand;
use crate::draft::Draft;
use crate::event::{CallEvent, EditEvent};
use crate::id::{Attempt, NodeId, NodeKind, Rev, Seq};
use crate::invalidation;
use crate::node::{Node, Origin};
use crate::refusal::{Refusal, RefusalKind};
use crate::restrict;
use crate::server_question;
use crate::state::{Mode, State};
use crate::tags::{self};
use crate::thread;

pub(super) fn decide(
    draft: &mut Draft<'_>,
    advice: &dyn Advice,
    command: &CallCommand,
) -> Result<(), Refusal> {
    match command {
        CallCommand::Approve {
            call,
            rev,
            digest,
            unread,
            word,
            shown,
        } => approve(
            draft,
            (*call, *rev),
            digest,
            (*unread, shown.as_ref()),
            word.as_deref(),
        ),
        CallCommand::Reject { call, rev, reason } => reject(draft, (*call, *rev), reason),
        CallCommand::Answer { call, rev, value } => answer(draft, (*call, *rev), value),
        CallCommand::Cancel {
            call,
            attempt,
            reason,
        } => cancel(draft, (*call, *attempt), reason),
        CallCommand::Retry { call, rev } => retry(draft, (*call, *rev)),
        CallCommand::Consent {
            call,
            rev,
            digest,
            choice,
            shown,
            word,
        } => consent::consent(
            draft,
            (*call, *rev),
            digest,
            (choice, shown.as_ref()),
            word.as_deref(),
        ),
        CallCommand::Resolve { call, attempt, what } => {
            consent::resolve(draft, advice, (*call, *attempt), what)
        }
        CallCommand::Unpin { node, rev } => unpin(draft, *node, *rev),
    }
}

/// Records the answer of the operator's program, unless the call was decided already or the
/// question changed.
pub(super) fn approver_answered(
    draft: &mut Draft<'_>,
    (id, set): (NodeId, Seq),
    answer: Answer,
    reason: &str,
) {
    let Some(call) = draft.state.calls.get(&id) else {
        return;
    };
    let Some(by) = call.approval.approver.clone() else {
        return;
    };
    let same = call.approval.due_set == set && !call.suspect && approver::is_asked(draft.state, call);
    let is_over = matches!(draft.state.mode, Mode::Stopped(_) | Mode::Finished(_));
    let Some(rev) = draft.state.nodes.get(&id).map(Node::rev) else {
        return;
    };
    if !same || is_over {
        return;
    }
    let reason = reason.to_owned();
    draft.call(CallEvent::Decided {
        call: id,
        rev,
        digest: call.digest.clone(),
        decision: match answer {
            Answer::Allow => Decision::Allowed { by, reason },
            Answer::Deny => Decision::Deny {
                rule: approver::rule(&by),
                reason,
            },
            Answer::Ask => Decision::LeftToOperator { by, reason },
        },
    });
}

fn approve(
    draft: &mut Draft<'_>,
    (id, rev): (NodeId, Rev),
    digest: &Digest,
    (unread, seen): (u64, Option<&Shown>),
    word: Option<&str>,
) -> Result<(), Refusal> {
    not_over(draft)?;
    let call = find(draft.state, id)?;
    same_rev(draft.state, id, rev)?;
    restrict::refuse(draft.state, call, "approve")?;
    match &call.status {
        Status::AwaitingApproval => {}
        Status::Consent(_) => {
            return Err(wrong_status(
                call,
                "approve",
                "hint: reuse the recorded result, run it again, or reject",
            ));
        }
        Status::OutcomeUnknown(_) => {
            return Err(wrong_status(
                call,
                "approve",
                "hint: say first whether it happened",
            ));
        }
        _ => {
            return Err(wrong_status(
                call,
                "approve",
                "only a call awaiting approval can be approved",
            ));
        }
    }
    shown(call, digest)?;
    if call
        .verdict
        .as_ref()
        .is_some_and(|verdict| verdict.gate == Gate::Deny)
    {
        return Err(Refusal::new(
            RefusalKind::Denied,
            format!("the policy forbids {id}"),
        ));
    }
    if tags::asks_operator(draft.state, id) {
        return Err(wrong_status(call, "approve", "hint: answer its question"));
    }
    worded(draft.state, id, word)?;
    draft.call(CallEvent::Decided {
        call: id,
        rev,
        digest: Some(digest.clone()),
        decision: Decision::Approve {
            unread,
            shown: seen.cloned(),
        },
    });
    Ok(())
}

fn reject(draft: &mut Draft<'_>, (id, rev): (NodeId, Rev), reason: &str) -> Result<(), Refusal> {
    not_over(draft)?;
    let call = find(draft.state, id)?;
    same_rev(draft.state, id, rev)?;
    match &call.status {
        Status::Running(_) => return Err(wrong_status(call, "reject", "hint: cancel it instead")),
        Status::OutcomeUnknown(_) => {
            return Err(wrong_status(
                call,
                "reject",
                "hint: say first whether it happened",
            ));
        }
        status if status.is_settled() => {
            return Err(wrong_status(
                call,
                "reject",
                "hint: correct its result, or delete the call",
            ));
        }
        _ if turn_settled(draft.state, id) => {
            return Err(wrong_status(
                call,
                "reject",
                "the model saw that; hint: edit the call, answer for it, or delete it",
            ));
        }
        _ => {}
    }
    let decision = Decision::Reject {
        reason: reason.trim().to_owned(),
    };
    draft.call(CallEvent::Decided {
        call: id,
        rev,
        digest: call.digest.clone(),
        decision,
    });
    Ok(())
}

/// True if the turn of a call has ended: later turns depend on the outcome of the call.
fn turn_settled(state: &State, id: NodeId) -> bool {
    state.turn_of(id).is_some_and(|turn| turn.settled)
}

fn answer(draft: &mut Draft<'_>, (id, rev): (NodeId, Rev), value: &Arc<str>) -> Result<(), Refusal> {
    not_over(draft)?;
    let call = find(draft.state, id)?;
    same_rev(draft.state, id, rev)?;
    valid_json(value)?;
    server_question::refuse_late_answer(draft.state, call)?;
    match &call.status {
        Status::Succeeded | Status::Exited(_) | Status::Failed(_) => {
            return Err(wrong_status(call, "answer for", "hint: correct its result"));
        }
        Status::OutcomeUnknown(_) => {
            return Err(wrong_status(
                call,
                "answer for",
                "hint: say first whether it happened",
            ));
        }
        Status::Running(attempt) => draft.call(CallEvent::CancelAsked {
            call: id,
            attempt: *attempt,
            reason: "the operator answered for the tool".into(),
        }),
        // It ended without a value: its superseded dependents come back with the answer.
        status if status.is_settled() || turn_settled(draft.state, id) => {
            begin(draft, Some(id), &format!("answer for {id}"), None);
            invalidation::invalidate_after_value(draft, id);
        }
        _ => {}
    }
    draft.call(CallEvent::Decided {
        call: id,
        rev,
        digest: None,
        decision: Decision::Answer,
    });
    match thread::child_of(draft.state, call) {
        Some(child) => escape::ended_by_operator(draft, child.thread),
        None => escape::word_given(draft),
    }
    given(draft, (id, rev), value);
    Ok(())
}

/// Records the operator's value as the result of a call.
pub(super) fn given(draft: &mut Draft<'_>, (call, rev): (NodeId, Rev), value: &Arc<str>) {
    let origin = Origin::Operator { user: draft.user() };
    draft.call(CallEvent::Given {
        call,
        rev,
        outcome: Outcome::ok(value.clone()),
        origin,
    });
}

fn cancel(
    draft: &mut Draft<'_>,
    (id, shown): (NodeId, Option<Attempt>),
    reason: &str,
) -> Result<(), Refusal> {
    let call = draft
        .state
        .calls
        .get(&id)
        .ok_or_else(|| Refusal::new(RefusalKind::Unknown, format!("there is no call {id}")))?;
    let Status::Running(attempt) = call.status else {
        return withdraw(draft, call, shown, reason);
    };
    same_attempt(id, shown, attempt)?;
    draft.call(CallEvent::CancelAsked {
        call: id,
        attempt,
        reason: reason.to_owned(),
    });
    if let Some(child) = thread::child_of(draft.state, call) {
        invalidation::end_child(draft, child);
        escape::ended_by_operator(draft, child.thread);
        draft.call(CallEvent::Finished {
            call: id,
            rev: child.rev,
            attempt,
            outcome: Outcome::Cancelled {
                executed: call.effect.has_effect(),
            },
            ms: 0,
            digest: None,
        });
    }
    Ok(())
}

/// Withdraws the approval of a call that has not started.
fn withdraw(draft: &mut Draft<'_>, call: &Call, shown: Option<Attempt>, reason: &str) -> Result<(), Refusal> {
    if !matches!(call.status, Status::Queued | Status::Scheduled) {
        return Err(wrong_status(
            call,
            "cancel",
            "only a running or approved call can be cancelled",
        ));
    }
    not_over(draft)?;
    find(draft.state, call.id)?;
    if let Some(shown) = shown {
        return Err(Refusal::new(
            RefusalKind::Changed,
            format!("{shown} of {} has ended; hint: review it", call.id),
        ));
    }
    draft.call(auto_approved::withdrawal(draft.state, call, reason));
    Ok(())
}

fn retry(draft: &mut Draft<'_>, (id, rev): (NodeId, Rev)) -> Result<(), Refusal> {
    not_over(draft)?;
    let call = find(draft.state, id)?;
    same_rev(draft.state, id, rev)?;
    server_question::refuse(draft.state, id, "run", "again")?;
    if !call.status.is_settled() {
        return Err(wrong_status(
            call,
            "run again",
            "only a finished call can be run again",
        ));
    }
    restrict::refuse(draft.state, call, "rerun")?;
    begin(draft, Some(id), &format!("run {id} again"), None);
    if draft.state.observation(id).is_some_and(|node| node.pinned) {
        draft.edit(EditEvent::Unpinned {
            node: id.observation(),
        });
    }
    draft.call(CallEvent::Woken { call: id });
    invalidation::suspect_readers(draft, id);
    invalidation::suspend_later(draft, id);
    Ok(())
}

fn unpin(draft: &mut Draft<'_>, node: NodeId, shown: Option<Rev>) -> Result<(), Refusal> {
    if node.kind != NodeKind::Observation {
        return Err(Refusal::new(
            RefusalKind::Unknown,
            format!("{node} is not an observation"),
        ));
    }
    match draft.state.nodes.get(&node) {
        Some(found) if found.pinned && found.active => {}
        Some(_) => return Err(Refusal::new(RefusalKind::Status, format!("{node} is not pinned"))),
        None => return Err(Refusal::new(RefusalKind::Unknown, format!("there is no {node}"))),
    }
    shown.map_or(Ok(()), |rev| same_rev(draft.state, node, rev))?;
    let call = node.call();
    server_question::refuse(draft.state, call, "unpin the result of", "")?;
    restrict::refuse(draft.state, find(draft.state, call)?, "unpin the result of")?;
    // The operator's result stays active until it is known whether the inputs of the call differ.
    begin(draft, Some(node), &format!("unpin {node}"), None);
    draft.edit(EditEvent::Unpinned { node });
    let mut calls = crate::graph::readers_of(draft.state, call);
    calls.insert(call);
    invalidation::suspect(draft, calls);
    invalidation::suspend_later(draft, call);
    Ok(())
}
