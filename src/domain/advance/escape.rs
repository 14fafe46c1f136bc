//! Looks for a loop in a settled thread and takes the advised step.
//!
//! Must not know: how a loop is found, how a step is chosen.

use std::sync::Arc;

use super::delegate;
use crate::advice::Advice;
use crate::budget;
use crate::draft::Draft;
use crate::escape::advised::{Advised, Plan};
use crate::escape::open_step::GUARD;
use crate::escape::pause::pause_reason;
use crate::escape::{Incident, LoopStep, StepOutcome};
use crate::event::{EditEvent, EscapeEvent, RunEvent};
use crate::holds::restore_holds;
use crate::id::{NodeId, NodeKind, ThreadId, TurnId};
use crate::refusal::Refusal;
use crate::regenerate::{acting, regenerate};
use crate::revision;
use crate::stop::stop_for;
use crate::thread;

/// True if it decided something about a loop. Called until it is false.
pub(super) fn look(draft: &mut Draft<'_>, advice: &dyn Advice, thread: ThreadId, answered: bool) -> bool {
    let state = draft.state;
    let incident = state.learned.escape.of(thread);
    if answered {
        if let Some(incident) = incident {
            note(draft, incident, StepOutcome::Helped);
            over(draft, incident, "the thread has its answer");
        }
        return !draft.events.is_empty();
    }
    match (advice.escape(state, thread), incident) {
        (Some(Advised::Warn { turn, finding }), None) => {
            draft.escape(EscapeEvent::Warned { turn, finding });
        }
        (Some(Advised::Find(finding)), None) => draft.escape(EscapeEvent::Found {
            incident: state.learned.escape.incidents.len() as u32 + 1,
            finding,
        }),
        (Some(Advised::Note(result)), Some(incident)) => note(draft, incident, result),
        (Some(Advised::End(why)), Some(incident)) => over(draft, incident, &why),
        // Rolling back includes a request: the limits apply to it.
        (Some(Advised::Take(plan)), Some(_)) if plan.step == LoopStep::RollBack && budget::limited(draft) => {
        }
        (Some(Advised::Take(plan)), Some(incident)) => take(draft, thread, incident, &plan),
        _ => {}
    }
    !draft.events.is_empty()
}

/// Records the outcome of the newest step if it has none yet.
fn note(draft: &mut Draft<'_>, incident: &Incident, result: StepOutcome) {
    if let Some(step) = incident.steps.last().filter(|step| step.outcome.is_none()) {
        draft.escape(EscapeEvent::StepEnded {
            incident: incident.no,
            node: step.node,
            outcome: result,
        });
    }
}

fn over(draft: &mut Draft<'_>, incident: &Incident, why: &str) {
    draft.escape(EscapeEvent::Ended {
        incident: incident.no,
        why: Arc::from(why),
    });
}

/// Takes a step. A step that is not possible is recorded as such, and another one follows.
fn take(draft: &mut Draft<'_>, thread: ThreadId, incident: &Incident, plan: &Plan) {
    let node = draft.node(NodeKind::Intervention);
    draft.escape(EscapeEvent::Proposed {
        incident: incident.no,
        node,
        step: plan.step,
        why: plan.why.clone(),
        after: plan.after,
        skipped: plan.skipped.clone(),
    });
    let before = draft.events.len();
    let applied = EscapeEvent::Applied {
        incident: incident.no,
        node,
        forbidden: plan.forbidden.clone(),
        notice: plan.notice.clone(),
    };
    draft.escape(applied);
    match plan.step {
        LoopStep::Guidance | LoopStep::Refuse => {}
        LoopStep::Substitute => {
            for (call, tool) in &plan.substitutes {
                revision::substituted(draft, *call, tool, GUARD);
            }
        }
        LoopStep::RollBack => {
            let what = format!("go back to where it began: {}", incident.finding.describe());
            let gone = plan
                .back_to
                .is_some_and(|turn| go_back(draft, turn, node, &what).is_ok());
            if !gone {
                draft.events.truncate(before);
                draft.escape(EscapeEvent::StepEnded {
                    incident: incident.no,
                    node,
                    outcome: StepOutcome::Impossible,
                });
            }
        }
        LoopStep::Human => {
            let reason = pause_reason(incident);
            draft.run(RunEvent::Paused { reason });
        }
        LoopStep::Restrict => {
            let reason = Arc::from(pause_reason(incident));
            draft.run(RunEvent::Restricted { reason });
        }
        LoopStep::Stop => stop(draft, thread, incident),
    }
}

/// Ends the sub-agent that is in a loop, or the run.
fn stop(draft: &mut Draft<'_>, thread: ThreadId, incident: &Incident) {
    let words = incident.finding.describe();
    match draft
        .state
        .threads
        .children
        .get(&thread)
        .filter(|_| thread != thread::ROOT)
    {
        Some(child) => {
            delegate::ended_by_guard(draft, child, &words);
            draft.escape(EscapeEvent::Ended {
                incident: incident.no,
                why: Arc::from("the sub-agent was ended"),
            });
        }
        None => stop_for(draft, &format!("loop {}: {words}", incident.no)),
    }
}

/// Rolls back to a turn, under a node that represents the step in the graph.
fn go_back(draft: &mut Draft<'_>, id: TurnId, intervention: NodeId, what: &str) -> Result<(), Refusal> {
    let turn = acting(draft.state, id)?;
    let committed = EditEvent::Committed {
        epoch: draft.epoch,
        intervention,
        target: None,
        after: Some(id),
        what: Arc::from(what),
        reason: None,
        by: Some(Arc::from(GUARD)),
    };
    regenerate(draft, turn, committed)?;
    restore_holds(draft, None);
    Ok(())
}
