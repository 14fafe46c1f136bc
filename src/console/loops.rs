//! Incidents of repetition as text: what repeats, the steps with reasons, and the outcomes.
//!
//! Must not know: how a repetition is found, where the text is shown.

use super::summary;
use crate::domain::decide::escape::waits_for_operator;
use crate::domain::escape::{Incident, Lesson, LoopStep, Proposal, Step, StepOutcome};
use crate::domain::node::Node;
use crate::domain::state::State;
use crate::text::visible;
use std::borrow::Cow;

/// Maximum width of a call's arguments, in columns.
const ARGUMENTS: usize = 240;
/// Maximum number of calls of an incident that are named.
const NAMED: usize = 6;

/// The incidents of a run, newest first, a paragraph each. The last paragraphs list what helped,
/// what is allowed and what is muted.
pub fn paragraphs(state: &State) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = state
        .escape
        .incidents
        .iter()
        .rev()
        .map(|incident| paragraph(state, incident))
        .collect();
    let mut words = Vec::new();
    words.extend(lessons(state));
    for one in &state.escape.allowed {
        words.push(format!("may repeat: {}", visible(&one.to_string())));
    }
    for one in &state.escape.muted {
        words.push(format!("muted: {one}"));
    }
    if !words.is_empty() {
        all.push(words);
    }
    all
}

/// What helped against repetition so far, and what did not; none without data.
pub fn lessons(state: &State) -> Option<String> {
    let of = |one: Lesson| format!("{} {} of {}", one.kind.short(), one.helped, one.tried);
    let list = |lessons: Vec<Lesson>| lessons.into_iter().map(of).collect::<Vec<_>>().join(", ");
    let escape = &state.escape;
    match (list(escape.lessons()), list(escape.earlier_lessons())) {
        (now, earlier) if now.is_empty() && earlier.is_empty() => None,
        (now, earlier) if earlier.is_empty() => Some(format!("what helped so far: {now}")),
        (now, earlier) if now.is_empty() => Some(format!("what helped in earlier sessions: {earlier}")),
        (now, earlier) => Some(format!(
            "what helped so far: {now}; in earlier sessions: {earlier}"
        )),
    }
}

fn paragraph(state: &State, incident: &Incident) -> Vec<String> {
    let finding = &incident.finding;
    let condition = if waits_for_operator(state, incident) {
        "waits for you"
    } else if incident.over {
        "over"
    } else {
        "continues"
    };
    let mut words = vec![format!(
        "loop {} ({}), {condition}: {}",
        incident.no,
        finding.detector,
        visible(&finding.describe())
    )];
    let newest = finding.nodes.iter().rev().take(NAMED).rev();
    for id in newest {
        let call_content = state.nodes.get(id).and_then(Node::as_call);
        let status = state
            .calls
            .get(id)
            .map_or(Cow::Borrowed(""), |call| call.status.label());
        if let Some((tool, args)) = call_content {
            let args = summary::arguments(args).visible(ARGUMENTS);
            words.push(format!("  {id} {} {args}: {status}", visible(tool)));
        }
    }
    if finding.nodes.len() > NAMED {
        words.push(format!("  and {} calls before them", finding.nodes.len() - NAMED));
    }
    words.extend(incident.steps.iter().map(step));
    words.extend(proposals(incident));
    words
}

/// The ordered steps against a loop, each with its outcome; empty before the first step.
pub fn proposals(incident: &Incident) -> Vec<String> {
    if incident.steps.is_empty() {
        return Vec::new();
    }
    let line = |(no, (level, proposal)): (usize, (LoopStep, Proposal<'_>))| {
        let became = match proposal {
            Proposal::Taken(step) => {
                let step_outcome = step.outcome.map_or("no outcome yet", StepOutcome::label);
                format!("taken ({}), {step_outcome}", step.node)
            }
            Proposal::Skipped("") => "skipped".to_owned(),
            Proposal::Skipped(why) => format!("skipped: {}", visible(why)),
            Proposal::Later => "later".to_owned(),
        };
        format!(
            "  step {} of {}, {}: {became}",
            no + 1,
            LoopStep::ALL.len(),
            level.short()
        )
    };
    incident.proposals().enumerate().map(line).collect()
}

/// The same as JSON.
pub fn proposals_json(incident: &Incident) -> Vec<serde_json::Value> {
    let one = |(level, proposal): (LoopStep, Proposal<'_>)| match proposal {
        Proposal::Taken(step) => {
            serde_json::json!({ "step": level, "state": "taken", "node": step.node, "outcome": step.outcome })
        }
        Proposal::Skipped(why) => serde_json::json!({ "step": level, "state": "skipped", "why": why }),
        Proposal::Later => serde_json::json!({ "step": level, "state": "later" }),
    };
    incident.proposals().map(one).collect()
}

fn step(step: &Step) -> String {
    let source = step.outcome.map_or("no outcome yet", StepOutcome::label);
    let why = if step.why.is_empty() {
        String::new()
    } else {
        format!(" [{}]", visible(&step.why))
    };
    format!("  {} {}: {source}{why}", step.node, step.kind.describe())
}
