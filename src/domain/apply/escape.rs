//! Applies events about loops.
//!
//! Must not know: why they were decided.

use std::sync::Arc;

use super::at::At;
use super::new_node::add_node;
use crate::escape::{Escape, Incident, Step, StepOutcome};
use crate::event::EscapeEvent;
use crate::id::NodeId;
use crate::node::{Channel, Content, Origin, Revision};
use crate::state::State;

pub(super) fn apply(state: &mut State, at: At, event: &EscapeEvent) {
    match event {
        EscapeEvent::Warned { turn, finding } => {
            state
                .learned
                .escape
                .warned
                .insert(finding.thread, (*turn, finding.clone()));
        }
        EscapeEvent::Found { incident, finding } => {
            // Numbers are given in order: any other number is ignored.
            if *incident as usize == state.learned.escape.incidents.len() + 1 {
                state.learned.escape.warned.remove(&finding.thread);
                state.learned.escape.open.insert(finding.thread, *incident);
                state.learned.escape.incidents.push(Incident {
                    no: *incident,
                    finding: finding.clone(),
                    seq: at.seq,
                    steps: Vec::new(),
                    over: false,
                });
            }
        }
        EscapeEvent::Proposed { .. } => proposed(state, at, event),
        EscapeEvent::Applied {
            incident,
            node,
            forbidden,
            notice: message,
        } => {
            if let Some(step) = step_mut(&mut state.learned.escape, *incident, *node) {
                step.forbidden.clone_from(forbidden);
                step.notice.clone_from(message);
            }
        }
        EscapeEvent::StepEnded {
            incident,
            node,
            outcome: result,
        } => end_step(state, at, *incident, *node, *result),
        EscapeEvent::Ended { incident, .. } => {
            state.learned.escape.open.retain(|_, no| no != incident);
            if let Some(incident) = incident_mut(&mut state.learned.escape, *incident) {
                incident.over = true;
            }
        }
        EscapeEvent::Allowed { signatures, allowed } => {
            let known = &mut state.learned.escape.allowed;
            known.retain(|one| !signatures.contains(one));
            if *allowed {
                known.extend(signatures.iter().cloned());
                known.sort();
            }
        }
        EscapeEvent::Muted { detector, muted } => {
            if *muted {
                state.learned.escape.muted.insert(*detector);
            } else {
                state.learned.escape.muted.remove(detector);
            }
        }
    }
}

fn incident_mut(escape: &mut Escape, no: u32) -> Option<&mut Incident> {
    escape.incidents.get_mut((no as usize).checked_sub(1)?)
}

fn step_mut(escape: &mut Escape, incident: u32, node: NodeId) -> Option<&mut Step> {
    let steps = &mut incident_mut(escape, incident)?.steps;
    steps.iter_mut().find(|step| step.node == node)
}

fn proposed(state: &mut State, at: At, event: &EscapeEvent) {
    let EscapeEvent::Proposed {
        incident,
        node,
        step: level,
        why,
        after,
        skipped,
    } = event
    else {
        return;
    };
    let Some(found) = incident_mut(&mut state.learned.escape, *incident) else {
        return;
    };
    found.steps.push(Step {
        node: *node,
        kind: *level,
        why: why.clone(),
        seq: at.seq,
        after: *after,
        forbidden: Vec::new(),
        notice: None,
        outcome: None,
        skipped: skipped.clone(),
    });
    let output = format!("{}: {}", level.describe(), found.finding.describe());
    let content = text(&output);
    add_node(state, at, *after, *node, content, engine());
}

fn end_step(state: &mut State, at: At, incident: u32, node: NodeId, result: StepOutcome) {
    let Some(step) = step_mut(&mut state.learned.escape, incident, node) else {
        return;
    };
    step.outcome = Some(result);
    let epoch = state.epoch;
    if let Some(node) = state.nodes.get_mut(&node) {
        let output = format!("{}; {}", node.text(), result.label());
        let revision = Revision {
            no: node.next_rev(),
            content: text(&output),
            origin: engine(),
            epoch,
            event: at.seq,
        };
        node.revise(epoch, revision);
    }
}

fn text(output: &str) -> Content {
    Content::Text {
        text: Arc::from(output),
        channel: Channel::Spoken,
        opaque: None,
    }
}

fn engine() -> Origin {
    Origin::Engine {
        rule: Arc::from(crate::escape::open_step::GUARD),
    }
}
