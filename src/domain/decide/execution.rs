//! Decides what follows from reports on executions.
//!
//! Must not know: how a tool runs.

use crate::call::{Consequence, Decision, Outcome, Status};
use crate::draft::Draft;
use crate::event::{CallEvent, FilesEvent, RunEvent};
use crate::id::Seq;
use crate::input::{Finding, Input};
use crate::node::Origin;
use crate::output_digest::OutputDigest;
use crate::state::{LedgerOutcome, Mode, State};
use crate::thread;

pub(super) fn report(draft: &mut Draft<'_>, input: &Input) {
    match input {
        Input::Spawned {
            call,
            attempt,
            pid,
            ticks,
        }
            if is_open(draft, *call, *attempt) => {
                draft.call(CallEvent::Spawned {
                    call: *call,
                    attempt: *attempt,
                    pid: *pid,
                    ticks: *ticks,
                });
            }
        Input::Finished {
            call,
            rev,
            attempt,
            outcome,
            ms,
            files,
        }
            // Even a late report says what an execution did; applying the event decides whether its
            // result is used.
            if is_open(draft, *call, *attempt) => {
                draft.call(CallEvent::Finished {
                    call: *call,
                    rev: *rev,
                    attempt: *attempt,
                    outcome: outcome.clone(),
                    ms: *ms,
                    digest: OutputDigest::of(outcome),
                });
                if let Some(set) = files {
                    draft.files(FilesEvent::Changed {
                        call: *call,
                        attempt: *attempt,
                        set: set.clone(),
                    });
                }
            }
        Input::Probed {
            call,
            attempt,
            finding: Some(finding),
        } => probed(draft, *call, *attempt, finding),
        Input::Probed {
            call,
            attempt,
            finding: None,
        } if draft
            .state
            .calls
            .get(call)
            .is_some_and(|life| life.status == Status::OutcomeUnknown(*attempt))
            || unknown_after_edit(draft.state, *call, *attempt) =>
        {
            draft.call(CallEvent::Undetermined {
                call: *call,
                attempt: *attempt,
            });
        }
        _ => {}
    }
}

/// True if the execution exists and has not ended yet.
pub(super) fn is_open(draft: &Draft<'_>, call: crate::id::NodeId, attempt: crate::id::Attempt) -> bool {
    draft
        .state
        .calls
        .get(&call)
        .and_then(|life| life.attempts.iter().find(|one| one.no == attempt))
        .is_some_and(|one| one.outcome.is_none())
}

/// True for an execution of unknown outcome whose call is superseded or has another revision.
fn unknown_after_edit(state: &State, call: crate::id::NodeId, attempt: crate::id::Attempt) -> bool {
    let attempts = state.calls.get(&call).map(|life| life.attempts.iter());
    let mut of_it = attempts.into_iter().flatten().filter(|one| one.no == attempt);
    of_it.any(|one| {
        let entry = state.ledger.get(&one.intent);
        entry.is_some_and(|entry| entry.more.orphaned && entry.outcome == LedgerOutcome::Unknown)
    })
}

fn probed(draft: &mut Draft<'_>, call: crate::id::NodeId, attempt: crate::id::Attempt, finding: &Finding) {
    let Some(life) = draft.state.calls.get(&call) else {
        return;
    };
    if life.status != Status::OutcomeUnknown(attempt) {
        if unknown_after_edit(draft.state, call, attempt) {
            draft.call(CallEvent::Resolved {
                call,
                attempt,
                happened: finding.happened,
                value: finding.value.clone().filter(|_| finding.happened),
                evidence: finding.evidence.clone(),
            });
        }
        return;
    }
    let Some(rev) = draft.state.nodes.get(&call).map(crate::node::Node::rev) else {
        return;
    };
    let counts = draft.state.nodes.get(&call).is_some_and(|node| node.active);
    draft.call(CallEvent::Resolved {
        call,
        attempt,
        happened: finding.happened,
        value: finding.value.clone().filter(|_| finding.happened && !counts),
        evidence: finding.evidence.clone(),
    });
    if finding.happened && counts {
        let value = finding.value.clone().unwrap_or_else(|| "null".into());
        let origin = Origin::Engine {
            rule: finding.evidence.clone(),
        };
        draft.call(CallEvent::Given {
            call,
            rev,
            outcome: Outcome::ok(value),
            origin,
        });
    }
}

/// Decides what follows when the time that started with an event is over.
pub(super) fn due(draft: &mut Draft<'_>, call: crate::id::NodeId, set: Seq) {
    let (Some(life), Some(node)) = (draft.state.calls.get(&call), draft.state.nodes.get(&call)) else {
        return;
    };
    let same = node.active && life.approval.due.is_some() && life.approval.due_set == set;
    let rev = node.rev();
    // Deadlines are stopped while decisions are not possible; they restart when the run resumes.
    let counts = draft
        .state
        .turn_of(call)
        .is_some_and(|turn| thread::acts(draft.state, turn))
        && draft.state.mode == Mode::Running;
    if !same || !counts || life.status != Status::AwaitingApproval {
        return;
    }
    let consequence = life
        .verdict
        .as_ref()
        .map_or(Consequence::Deny, |verdict| verdict.on_expiry);
    draft.call(CallEvent::Decided {
        call,
        rev,
        digest: None,
        decision: Decision::Expire { consequence },
    });
    if consequence == Consequence::Halt {
        draft.run(RunEvent::Stopped {
            reason: format!("{call} was not decided in time"),
        });
    }
}
