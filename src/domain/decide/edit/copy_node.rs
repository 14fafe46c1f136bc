//! Copies the content of a node from another branch.
//!
//! Must not know: how branches are shown.

use std::sync::Arc;

use super::begin::begin;
use super::{insert, recall, revise};
use crate::branch;
use crate::call::{AttemptRecord, Call, Decision, Outcome, Status};
use crate::draft::Draft;
use crate::event::{CallEvent, TurnEvent};
use crate::history::{Line, Then};
use crate::id::{Attempt, Epoch, NodeId, NodeKind, Rev};
use crate::invalidation::{cancel_running, invalidate_after_value, orphan};
use crate::node::{Content, Node, Origin};
use crate::refusal::{Refusal, RefusalKind};
use crate::state::State;
use crate::thread;

type Reason<'a> = Option<&'a Arc<str>>;

/// Copies the text, the answer or the result of a node, as it was at the end of an epoch.
pub(super) fn take(
    draft: &mut Draft<'_>,
    (node, shown): (NodeId, Option<Rev>),
    from: Epoch,
    reason: Reason<'_>,
) -> Result<(), Refusal> {
    recall::known(draft.state, from)?;
    let id = node.observation();
    let counts = draft.state.nodes.get(&id).is_some_and(|node| node.active);
    if let Some(shown) = shown.filter(|_| counts) {
        revise::base(draft.state, id, shown)?;
    }
    let line = branch::line(draft.state, branch::end(draft.state, from));
    let output = branch::counted(draft.state, id, &line)
        .and_then(|rev| draft.state.nodes.get(&id)?.revision(rev))
        .map(|revision| (revision.content.clone(), revision.origin.clone()));
    let Some((content, origin)) = output else {
        return Err(Refusal::new(
            RefusalKind::Unknown,
            format!("cannot copy {id}: not active on branch {}", from.0),
        ));
    };
    match content {
        Content::Text { text, .. } => copy_text(draft, id, &text, reason),
        Content::Observation {
            outcome,
            call_rev,
            attempt,
        } => {
            in_question(draft.state, id, from, &line)?;
            let given = CopiedResult {
                branch: from,
                rev: call_rev,
                attempt,
                outcome,
                origin,
            };
            result(draft, id, &given, reason)
        }
        Content::Call { .. } | Content::Deleted => Err(Refusal::new(
            RefusalKind::Unknown,
            format!("cannot copy {id}: it has no text and no result"),
        )),
    }
}

/// Refuses a result that was stale on that branch.
fn in_question(state: &State, id: NodeId, from: Epoch, line: &Line) -> Result<(), Refusal> {
    let call = state.calls.get(&id.call());
    let suspect = call.is_some_and(|call| match call.history.at(line) {
        Then::Now => call.suspect,
        Then::Was(way) => way.suspect,
        Then::Absent => false,
    });
    if !suspect {
        return Ok(());
    }
    Err(Refusal::new(
        RefusalKind::Status,
        format!(
            "cannot copy {id}: it is stale on branch {}; hint: copy it from a branch where it is current, or \
             type the result",
            from.0
        ),
    ))
}

fn copy_text(draft: &mut Draft<'_>, id: NodeId, text: &Arc<str>, reason: Reason<'_>) -> Result<(), Refusal> {
    // The answer of the other branch replaces the active answer here.
    let own = thread::of(draft.state, id);
    let target = match draft.state.nodes.get(&id) {
        Some(node) if node.active => Some(id),
        _ if id.kind == NodeKind::Answer => draft
            .state
            .nodes
            .values()
            .filter(|node| node.active && node.id.kind == NodeKind::Answer)
            .filter(|node| thread::of(draft.state, node.id) == own)
            .map(|node| node.id)
            .next_back(),
        _ => None,
    };
    let Some(target) = target else {
        return Err(Refusal::new(
            RefusalKind::Superseded,
            format!("cannot copy {id}: no matching node on this branch; hint: insert the text instead"),
        ));
    };
    let base = draft.state.nodes.get(&target).map(Node::rev).unwrap_or_default();
    match target.kind {
        NodeKind::Thought => revise::thought(draft, (target, base), text, reason),
        NodeKind::Prompt | NodeKind::Answer => revise::revise_text(draft, (target, base), text, reason),
        NodeKind::Call | NodeKind::Observation | NodeKind::Repair | NodeKind::Intervention => Err(
            Refusal::new(RefusalKind::Unknown, format!("cannot copy {id}: it is a record")),
        ),
    }
}

/// The result of a call on another branch.
struct CopiedResult {
    branch: Epoch,
    /// The revision of the call that gave it.
    rev: Rev,
    /// The execution that gave it; 0 without one.
    attempt: Attempt,
    outcome: Outcome,
    origin: Origin,
}

fn result(
    draft: &mut Draft<'_>,
    id: NodeId,
    given: &CopiedResult,
    reason: Reason<'_>,
) -> Result<(), Refusal> {
    let Outcome::Ok { value, .. } = &given.outcome else {
        return Err(Refusal::new(
            RefusalKind::Status,
            format!("cannot copy {id}: it has no value on branch {}", given.branch.0),
        ));
    };
    let call = id.call();
    let node = draft.state.nodes.get(&call).filter(|node| node.active);
    let Some(node) = node else {
        return insert_with_result(draft, call, given, reason);
    };
    let life = draft.state.calls.get(&call);
    if life.is_some_and(|life| life.status.is_settled()) && draft.state.observation(call).is_some() {
        let base = draft.state.nodes.get(&id).map(Node::rev).unwrap_or_default();
        return revise::observation(draft, (id, base), value, reason);
    }
    // It has no result here: the one of the other branch becomes its result.
    let rev = node.rev();
    revise::base(draft.state, call, rev)?;
    if life.is_some_and(|life| matches!(life.status, Status::OutcomeUnknown(_))) {
        return Err(Refusal::new(
            RefusalKind::Status,
            format!(
                "cannot copy {id}: the outcome of {call} is unknown here; hint: say first whether it happened"
            ),
        ));
    }
    begin(
        draft,
        Some(call),
        &format!("copy {id} from branch {}", given.branch.0),
        reason,
    );
    cancel_running(draft, &[call], "its result was copied from another branch");
    orphan(draft, &[call]);
    let origin = Origin::Operator { user: draft.user() };
    decided(draft, call, rev, &given.outcome, origin);
    invalidate_after_value(draft, call);
    Ok(())
}

fn decided(draft: &mut Draft<'_>, call: NodeId, rev: Rev, outcome: &Outcome, origin: Origin) {
    draft.call(CallEvent::Decided {
        call,
        rev,
        digest: None,
        decision: Decision::Answer,
    });
    draft.call(CallEvent::Given {
        call,
        rev,
        outcome: outcome.clone(),
        origin,
    });
}

/// The execution that gave a result.
fn executed_as<'c>(call: Option<&'c Call>, given: &CopiedResult) -> Option<&'c AttemptRecord> {
    let mut attempts = call?.attempts.iter();
    attempts.find(|one| one.no == given.attempt && one.rev == given.rev)
}

/// Inserts a call that only the other branch made, with its result there; it does not run.
fn insert_with_result(
    draft: &mut Draft<'_>,
    call: NodeId,
    given: &CopiedResult,
    reason: Reason<'_>,
) -> Result<(), Refusal> {
    let node = draft.state.nodes.get(&call);
    let revision = node.and_then(|node| node.revision(given.rev));
    let Some((tool, written)) = revision.and_then(|revision| match &revision.content {
        Content::Call { tool, args } => Some((tool.clone(), args.clone())),
        _ => None,
    }) else {
        return Err(Refusal::new(
            RefusalKind::Unknown,
            format!("cannot copy {call}: its arguments are not recorded"),
        ));
    };
    let life = draft.state.calls.get(&call);
    let entry = match given.origin {
        Origin::Reused { from } => Some(from),
        Origin::Execution => executed_as(life, given).map(|record| record.intent),
        _ => None,
    };
    // Its references may mean something else here: it is shown with the arguments that it ran with.
    let source = entry
        .and_then(|seq| draft.state.ledger.get(&seq))
        .map(|entry| entry.call);
    let source = source.and_then(|id| draft.state.calls.get(&id)).or(life);
    let attempts = source.map_or(&[][..], |call| &call.attempts);
    let gave = attempts.iter().find(|one| Some(one.intent) == entry);
    let of_rev = || attempts.iter().rev().find(|one| one.rev == given.rev);
    let shown = gave.or_else(|| of_rev().filter(|_| entry.is_none()));
    let ran = shown.is_some();
    let args = shown.map_or(written, |record| record.args.clone());
    let effect = life.map_or(crate::call::EffectClass::Unknown, |life| life.effect);
    let delegates = life.is_some_and(|life| life.delegates);
    let after = insert::place(draft, None)?;
    begin(
        draft,
        None,
        &format!("copy {} from branch {}", call.observation(), given.branch.0),
        reason,
    );
    let turn = insert::open(draft, after);
    let node = draft.node(NodeKind::Call);
    // Other calls read it by the name and the path in its arguments, as if they had been typed
    // here.
    let scanned = draft.state.scan(&args);
    let label = scanned
        .label
        .map_or_else(|| Arc::from(node.to_string()), Arc::from);
    let user = draft.user();
    draft.turn_event(TurnEvent::Proposed {
        turn,
        node,
        provider_id: None,
        opaque: None,
        tool,
        args,
        origin: Origin::Operator { user: user.clone() },
    });
    draft.call(CallEvent::Checked {
        call: node,
        rev: Rev(1),
        faults: Vec::new(),
        // A call that never ran keeps its written references: if it is run again, it reads them.
        references: if ran { Vec::new() } else { scanned.references },
        label,
        out: scanned.out,
        effect,
        delegates,
    });
    let origin = entry.map_or(Origin::Operator { user }, |from| Origin::Reused { from });
    decided(draft, node, Rev(1), &given.outcome, origin);
    Ok(())
}
