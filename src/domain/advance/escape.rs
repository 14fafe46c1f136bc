//! Looks for a loop in a settled thread and takes the advised step.
//!
//! Must not know: how a loop is found, how a step is chosen.

use std::sync::Arc;

use crate::advice::Advice;
use crate::budget;
use crate::decide::escape::take;
use crate::draft::Draft;
use crate::escape::advised::Advised;
use crate::escape::{Incident, LoopStep, StepOutcome};
use crate::event::EscapeEvent;
use crate::id::ThreadId;

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
