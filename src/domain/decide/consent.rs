//! Decides commands about repeated effects and about unknown outcomes.
//!
//! Must not know: how the operator was asked.

use std::sync::Arc;

use super::call::given;
use super::checks::{find, not_over, same_attempt, same_rev, shown, valid_json, worded, wrong_status};
use crate::advice::Advice;
use crate::call::{Call, Decision, Digest, Outcome, Shown, Status};
use crate::command::{ConsentChoice, Resolution};
use crate::draft::Draft;
use crate::event::CallEvent;
use crate::id::{Attempt, NodeId, Rev, Seq};
use crate::node::{Node, Origin};
use crate::orphan_process::OrphanProcess;
use crate::refusal::{Refusal, RefusalKind};
use crate::repeat;
use crate::restrict;
use crate::state::{LedgerOutcome, State};

/// Decides whether an effect may be repeated.
pub(super) fn consent(
    draft: &mut Draft<'_>,
    (id, rev): (NodeId, Rev),
    digest: &Digest,
    (choice, seen): (&ConsentChoice, Option<&Shown>),
    word: Option<&str>,
) -> Result<(), Refusal> {
    not_over(draft)?;
    let call = find(draft.state, id)?;
    same_rev(draft.state, id, rev)?;
    if !matches!(call.status, Status::Consent(_)) {
        return Err(wrong_status(call, "consent to", "it does not ask for consent"));
    }
    shown(call, digest)?;
    let decided = |decision| CallEvent::Decided {
        call: id,
        rev,
        digest: Some(digest.clone()),
        decision,
    };
    match choice {
        ConsentChoice::Reuse { entry } => {
            let outcome = reusable(draft.state, call, *entry)?;
            draft.call(decided(Decision::Reuse { from: *entry }));
            draft.call(CallEvent::Given {
                call: id,
                rev,
                outcome,
                origin: Origin::Reused { from: *entry },
            });
        }
        ConsentChoice::RunAgain => {
            restrict::refuse(draft.state, call, "rerun")?;
            worded(draft.state, id, word)?;
            draft.call(decided(Decision::RunAgain { shown: seen.cloned() }));
        }
        ConsentChoice::Reject { reason } => {
            draft.call(decided(Decision::Reject {
                reason: reason.trim().to_owned(),
            }));
        }
    }
    Ok(())
}

/// The recorded result of an execution that the call would repeat.
fn reusable(state: &State, call: &Call, entry: Seq) -> Result<Outcome, Refusal> {
    let refuse = |message: String| Err(Refusal::new(RefusalKind::Status, message));
    let unknown = LedgerOutcome::Unknown;
    let known;
    let found = match (state.ledger.get(&entry), state.origin.elsewhere.get(&entry)) {
        (Some(found), _) => &found.outcome,
        (None, Some(one)) => {
            known = one.what.outcome.clone().map(LedgerOutcome::Known);
            known.as_ref().unwrap_or(&unknown)
        }
        (None, None) => return refuse(format!("there is no execution {entry}")),
    };
    if state
        .origin
        .elsewhere
        .get(&entry)
        .is_some_and(|one| one.what.is_untold())
    {
        return refuse(format!(
            "the arguments of execution {entry} are unknown; hint: run again, or reject"
        ));
    }
    let equal = repeat::equal_entries(state, call).contains(&entry);
    if !equal {
        return refuse(format!("execution {entry} had other arguments"));
    }
    match (found, repeat::reusable_result(state, call)) {
        (LedgerOutcome::Running, _) => refuse(format!("execution {entry} is still running")),
        (LedgerOutcome::Unknown, _) => refuse(format!(
            "the outcome of execution {entry} is unknown; hint: type its result, run again, or reject"
        )),
        (LedgerOutcome::DidNot, _) => refuse(format!("execution {entry} did not happen")),
        (LedgerOutcome::Known(_), Some((active, outcome))) if active == entry => Ok(outcome),
        (LedgerOutcome::Known(_), Some((active, _))) => refuse(format!(
            "execution {entry} is not the one that {} would repeat; hint: reuse the result of {active}, run again, or reject",
            call.id
        )),
        (LedgerOutcome::Known(_), None) => refuse(repeat::no_result(call)),
    }
}

/// The execution of unknown outcome that no call waits for: an edit replaced its call, or the
/// operator answered for it. It is still in the ledger.
fn forgotten(state: &State, id: NodeId) -> Option<Attempt> {
    let attempts = state.calls.get(&id)?.attempts.iter().rev();
    let mut unknown = attempts.filter(|one| {
        let entry = state.ledger.get(&one.intent);
        entry.is_some_and(|entry| entry.outcome == LedgerOutcome::Unknown)
    });
    unknown.next().map(|one| one.no)
}

/// Records the operator's report of an unknown outcome.
pub(super) fn resolve(
    draft: &mut Draft<'_>,
    advice: &dyn Advice,
    (id, shown): (NodeId, Option<Attempt>),
    what: &Resolution,
) -> Result<(), Refusal> {
    match what {
        Resolution::Abandon { reason } => return leave(draft, (id, shown), reason),
        Resolution::DidNotFinish => return did_not_finish(draft, advice, (id, shown)),
        Resolution::Happened { .. } | Resolution::DidNot => {}
    }
    let found = find(draft.state, id);
    let waits_no_more = match &found {
        Ok(call) => !matches!(call.status, Status::OutcomeUnknown(_)),
        Err(refusal) => refusal.kind == RefusalKind::Superseded,
    };
    let value = match what {
        Resolution::Happened { value } => Some(value),
        Resolution::DidNot | Resolution::DidNotFinish | Resolution::Abandon { .. } => None,
    };
    let resolved = |attempt, stored: Option<&Arc<str>>| CallEvent::Resolved {
        call: id,
        attempt,
        happened: value.is_some(),
        value: stored.cloned(),
        evidence: Arc::from("the operator says so"),
    };
    if waits_no_more && let Some(attempt) = forgotten(draft.state, id) {
        same_attempt(id, shown, attempt)?;
        value.map_or_else(
            || has_ended(draft.state, advice, (id, attempt)),
            |value| valid_json(value),
        )?;
        draft.call(resolved(attempt, value));
        return Ok(());
    }
    let call = found?;
    let Status::OutcomeUnknown(attempt) = call.status else {
        return Err(wrong_status(call, "resolve", "its outcome is known"));
    };
    same_attempt(id, shown, attempt)?;
    let rev = draft.state.nodes.get(&id).map(Node::rev).unwrap_or_default();
    value.map_or_else(
        || has_ended(draft.state, advice, (id, attempt)),
        |value| valid_json(value),
    )?;
    draft.call(resolved(attempt, None));
    if let Some(value) = value {
        given(draft, (id, rev), value);
    }
    Ok(())
}

/// Leaves the outcome of an execution unknown: its call ends without a result and does not run
/// again.
fn leave(draft: &mut Draft<'_>, (id, shown): (NodeId, Option<Attempt>), reason: &str) -> Result<(), Refusal> {
    let call = find(draft.state, id)?;
    let Status::OutcomeUnknown(attempt) = call.status else {
        return Err(wrong_status(call, "leave", "its outcome is known"));
    };
    same_attempt(id, shown, attempt)?;
    draft.call(CallEvent::Decided {
        call: id,
        rev: draft.state.nodes.get(&id).map(Node::rev).unwrap_or_default(),
        digest: call.digest.clone(),
        decision: Decision::Abandon {
            reason: reason.trim().to_owned(),
        },
    });
    Ok(())
}

/// Records that a cancelled execution did not finish: its call ends as cancelled, and the run
/// continues.
fn did_not_finish(
    draft: &mut Draft<'_>,
    advice: &dyn Advice,
    (id, shown): (NodeId, Option<Attempt>),
) -> Result<(), Refusal> {
    let call = find(draft.state, id)?;
    let Status::OutcomeUnknown(attempt) = call.status else {
        return Err(wrong_status(call, "resolve", "its outcome is known"));
    };
    same_attempt(id, shown, attempt)?;
    if !call.has_ended(attempt) {
        return Err(wrong_status(
            call,
            "resolve",
            "it was not cancelled; hint: say whether it happened, or leave it unknown",
        ));
    }
    let process = call.attempts.iter().find(|one| one.no == attempt);
    let process = process.and_then(|one| one.launch.process);
    if let Some((pid, ticks)) = process
        && let Some(left) = advice.still_runs(pid, ticks)
    {
        return Err(runs_on(id, left, pid));
    }
    draft.call(CallEvent::Decided {
        call: id,
        rev: draft.state.nodes.get(&id).map(Node::rev).unwrap_or_default(),
        digest: call.digest.clone(),
        decision: Decision::DidNotFinish,
    });
    Ok(())
}

/// Refuses the report that an execution did not happen while its process still runs: a new run
/// would overlap with it.
fn has_ended(state: &State, advice: &dyn Advice, (id, attempt): (NodeId, Attempt)) -> Result<(), Refusal> {
    let attempts = state.calls.get(&id).map(|call| call.attempts.iter());
    let mut of_it = attempts.into_iter().flatten().filter(|one| one.no == attempt);
    let running = of_it.find_map(|one| {
        let (pid, ticks) = one.launch.process.filter(|_| one.outcome.is_none())?;
        advice.still_runs(pid, ticks).map(|left| (left, pid))
    });
    match running {
        Some((left, pid)) => Err(runs_on(id, left, pid)),
        None => Ok(()),
    }
}

fn runs_on(id: NodeId, left: OrphanProcess, pid: u32) -> Refusal {
    Refusal::new(
        RefusalKind::Status,
        format!(
            "{}: it may happen yet; hint: wait for its end, or {}, then say that it did not happen",
            left.describe(id, pid),
            left.ending(pid)
        ),
    )
}
