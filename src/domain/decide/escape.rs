//! Decides commands about loops, and which incidents they close.
//!
//! Must not know: how a step is chosen, who asks.

use std::sync::Arc;

use crate::command::EscapeCommand;
use crate::draft::Draft;
use crate::escape::Incident;
use crate::escape::pause::waits_for_operator;
use crate::event::{EscapeEvent, RunEvent};
use crate::id::ThreadId;
use crate::refusal::{Refusal, RefusalKind};
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
