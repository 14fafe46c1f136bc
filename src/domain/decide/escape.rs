//! Decides commands about loops, and takes the steps against them.
//!
//! Must not know: how a step is chosen, who asks.

use std::sync::Arc;

use super::{edit, run};
use crate::advance::delegate;
use crate::command::EscapeCommand;
use crate::draft::Draft;
use crate::escape::advised::Plan;
use crate::escape::open_step::GUARD;
use crate::escape::{Incident, LoopStep, StepOutcome};
use crate::event::{EditEvent, EscapeEvent, RunEvent};
use crate::id::{NodeId, NodeKind, ThreadId};
use crate::invalidation;
use crate::node::{Content, Origin};
use crate::refusal::{Refusal, RefusalKind};
use crate::state::{Mode, State};
use crate::thread;

pub(super) fn decide(draft: &mut Draft<'_>, command: &EscapeCommand) -> Result<(), Refusal> {
    match command {
        EscapeCommand::AllowIncident { incident, allowed } => allow_incident(draft, *incident, *allowed),
        EscapeCommand::Mute { detector, muted } => {
            if draft.state.learned.escape.muted.contains(detector) == *muted {
                let word = if *muted { "muted" } else { "active" };
                return Err(Refusal::new(
                    RefusalKind::NoChange,
                    format!("the detector {detector} is already {word}"),
                ));
            }
            draft.escape(EscapeEvent::Muted {
                detector: *detector,
                muted: *muted,
            });
            Ok(())
        }
    }
}

fn allow_incident(draft: &mut Draft<'_>, no: u32, allowed: bool) -> Result<(), Refusal> {
    let state = draft.state;
    let Some(incident) = state.learned.escape.incident(no) else {
        return Err(Refusal::new(
            RefusalKind::Unknown,
            format!(
                "there is no incident {no}: {} were found",
                state.learned.escape.incidents.len()
            ),
        ));
    };
    let signatures = incident.finding.signatures.clone();
    if signatures
        .iter()
        .all(|one| state.learned.escape.allowed.contains(one) == allowed)
    {
        let word = if allowed { "allowed" } else { "not allowed" };
        return Err(Refusal::new(
            RefusalKind::NoChange,
            format!("the loop of incident {no} is already {word}"),
        ));
    }
    draft.escape(EscapeEvent::Allowed { signatures, allowed });
    if allowed && waits_for_operator(state, incident) {
        draft.run(RunEvent::Resumed {});
    }
    Ok(())
}

/// True if the run is paused because of this incident and nothing was done about it since.
pub fn waits_for_operator(state: &State, incident: &Incident) -> bool {
    let asks = incident
        .steps
        .last()
        .is_some_and(|step| step.kind == LoopStep::Human && step.outcome.is_none());
    asks && !incident.over && matches!(&state.mode, Mode::Paused(reason) if *reason == pause_reason(incident))
}

/// Resumes a run that was paused for a loop once the operator has acted on it.
pub(super) fn word_given(draft: &mut Draft<'_>) {
    let state = draft.state;
    if state
        .learned
        .escape
        .incidents
        .iter()
        .any(|one| waits_for_operator(state, one))
    {
        draft.run(RunEvent::Resumed {});
    }
}

/// Closes the incidents of a sub-agent that the operator ended, and of those below it. A run that
/// was paused for one of them resumes.
pub(super) fn ended_by_operator(draft: &mut Draft<'_>, thread: ThreadId) {
    let state = draft.state;
    let inside = |one: &&Incident| {
        let at = one.finding.thread;
        at == thread || thread::above(state, at).any(|child| child.parent == thread)
    };
    let open = state.learned.escape.incidents.iter().filter(|one| !one.over);
    let mut asked = false;
    for incident in open.filter(inside) {
        asked |= waits_for_operator(state, incident);
        draft.escape(EscapeEvent::Ended {
            incident: incident.no,
            why: Arc::from("the operator ended the sub-agent"),
        });
    }
    if asked {
        draft.run(RunEvent::Resumed {});
    }
}

/// The reason why a run is paused for an incident.
pub fn pause_reason(incident: &Incident) -> String {
    format!("loop {}: {}", incident.no, incident.finding.describe())
}

/// Takes a step. A step that is not possible is recorded as such, and another one follows.
pub fn take(draft: &mut Draft<'_>, thread: ThreadId, incident: &Incident, plan: &Plan) {
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
                substitute(draft, *call, tool);
            }
        }
        LoopStep::RollBack => {
            let what = format!("go back to where it began: {}", incident.finding.describe());
            let gone = plan
                .back_to
                .is_some_and(|turn| edit::go_back(draft, turn, node, (&what, GUARD)).is_ok());
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

/// Gives a call another tool: a new revision, which goes through the gate like any other.
fn substitute(draft: &mut Draft<'_>, call: NodeId, tool: &Arc<str>) {
    let Some((rev, args)) = draft
        .state
        .nodes
        .get(&call)
        .and_then(|node| Some((node.next_rev(), node.as_call()?.1.clone())))
    else {
        return;
    };
    draft.edit(EditEvent::Revised {
        node: call,
        rev,
        content: Content::Call {
            tool: tool.clone(),
            args,
        },
        origin: Origin::Engine {
            rule: Arc::from(GUARD),
        },
        approves: None,
    });
    invalidation::suspect_readers(draft, call);
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
        None => run::stop_for(draft, &format!("loop {}: {words}", incident.no)),
    }
}
