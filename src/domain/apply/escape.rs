//! Folds facts about repetition. Must not know: why they were decided.

use std::sync::Arc;

use super::{At, add_node};
use crate::domain::escape::{Escape, Incident, Step, Upshot};
use crate::domain::event::EscapeEvent;
use crate::domain::id::NodeId;
use crate::domain::node::{Channel, Content, Origin, Revision};
use crate::domain::state::State;

pub(super) fn apply(state: &mut State, at: At, event: &EscapeEvent) {
    match event {
        EscapeEvent::Warned { turn, finding } => {
            state
                .escape
                .warned
                .insert(finding.thread, (*turn, finding.clone()));
        }
        EscapeEvent::Found { incident, finding } => {
            // Numbers are given out in order: one that is not the next is none.
            if *incident as usize == state.escape.incidents.len() + 1 {
                state.escape.warned.remove(&finding.thread);
                state.escape.open.insert(finding.thread, *incident);
                state.escape.incidents.push(Incident {
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
            told,
        } => {
            if let Some(step) = step_mut(&mut state.escape, *incident, *node) {
                step.forbidden.clone_from(forbidden);
                step.told.clone_from(told);
            }
        }
        EscapeEvent::Came {
            incident,
            node,
            upshot,
        } => came(state, at, *incident, *node, *upshot),
        EscapeEvent::Over { incident, .. } => {
            state.escape.open.retain(|_, no| no != incident);
            if let Some(incident) = incident_mut(&mut state.escape, *incident) {
                incident.over = true;
            }
        }
        EscapeEvent::Allowed { signatures, allowed } => {
            let known = &mut state.escape.allowed;
            known.retain(|one| !signatures.contains(one));
            if *allowed {
                known.extend(signatures.iter().cloned());
                known.sort();
            }
        }
        EscapeEvent::Muted { detector, muted } => {
            if *muted {
                state.escape.muted.insert(*detector);
            } else {
                state.escape.muted.remove(detector);
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
        rung,
        why,
        after,
        skipped,
    } = event
    else {
        return;
    };
    let Some(found) = incident_mut(&mut state.escape, *incident) else {
        return;
    };
    found.steps.push(Step {
        node: *node,
        rung: *rung,
        why: why.clone(),
        seq: at.seq,
        after: *after,
        forbidden: Vec::new(),
        told: None,
        upshot: None,
        skipped: skipped.clone(),
    });
    let said = format!("{}: {}", rung.words(), found.finding.words());
    let content = text(&said);
    add_node(state, at, *after, *node, content, engine());
}

fn came(state: &mut State, at: At, incident: u32, node: NodeId, upshot: Upshot) {
    let Some(step) = step_mut(&mut state.escape, incident, node) else {
        return;
    };
    step.upshot = Some(upshot);
    let epoch = state.epoch;
    if let Some(node) = state.nodes.get_mut(&node) {
        let said = format!("{}; {}", node.text(), upshot.word());
        let revision = Revision {
            no: node.next_rev(),
            content: text(&said),
            origin: engine(),
            epoch,
            event: at.seq,
        };
        node.say(epoch, revision);
    }
}

fn text(said: &str) -> Content {
    Content::Text {
        text: Arc::from(said),
        channel: Channel::Spoken,
        opaque: None,
    }
}

fn engine() -> Origin {
    Origin::Engine {
        rule: Arc::from(crate::domain::escape::standing::GUARD),
    }
}
