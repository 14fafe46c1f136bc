//! Incidents of repetition as text: what repeats, the steps with reasons, and the outcomes.
//!
//! Must not know: how a repetition is found, where the text is shown.

use super::summary;
use overrule_base::text::visible;
use overrule_domain::escape::{Incident, LoopStep, StepOutcome};
use overrule_domain::state::State;
use overrule_present::loops::{LessonsView, LoopView, ProposalState, ProposalView, StepView};

/// Maximum width of a call's arguments, in columns.
const ARGUMENTS: usize = 240;
/// Maximum number of calls of an incident that are named.
const NAMED: usize = 6;

/// The incidents of a run, newest first, a paragraph each. The last paragraphs list what helped,
/// what is allowed and what is muted.
pub fn paragraphs(state: &State) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = LoopView::all(state).rev().map(|view| paragraph(&view)).collect();
    let mut words = Vec::new();
    words.extend(LessonsView::of(state).map(|view| view.describe()));
    for one in &state.learned.escape.allowed {
        words.push(format!("may repeat: {}", visible(&one.to_string())));
    }
    for one in &state.learned.escape.muted {
        words.push(format!("muted: {one}"));
    }
    if !words.is_empty() {
        all.push(words);
    }
    all
}

fn paragraph(view: &LoopView<'_>) -> Vec<String> {
    let condition = if view.waits {
        "waits for you"
    } else if view.over {
        "over"
    } else {
        "continues"
    };
    let mut words = vec![format!(
        "loop {} ({}), {condition}: {}",
        view.incident,
        view.finding.detector,
        visible(&view.what)
    )];
    let before = view.calls.len().saturating_sub(NAMED);
    for call in view.calls.iter().skip(before) {
        let args = summary::arguments(call.args).visible(ARGUMENTS);
        let (id, tool) = (call.call, visible(call.tool));
        words.push(format!("  {id} {tool} {args}: {}", call.status));
    }
    if before > 0 {
        words.push(format!("  and {before} calls before them"));
    }
    words.extend(view.steps.iter().map(step));
    words.extend(proposal_lines(&view.proposals));
    words
}

/// The ordered steps against a loop, each with its outcome; empty before the first step.
pub fn proposals(incident: &Incident) -> Vec<String> {
    proposal_lines(&ProposalView::all(incident))
}

fn proposal_lines(all: &[ProposalView<'_>]) -> Vec<String> {
    let is_taken = |one: &ProposalView<'_>| matches!(one.state, ProposalState::Taken { .. });
    if !all.iter().any(is_taken) {
        return Vec::new();
    }
    let line = |(no, one): (usize, &ProposalView<'_>)| {
        let became = match &one.state {
            ProposalState::Taken { node, outcome } => {
                let step_outcome = outcome.map_or("no outcome yet", StepOutcome::label);
                format!("taken ({node}), {step_outcome}")
            }
            ProposalState::Skipped { why: "" } => "skipped".to_owned(),
            ProposalState::Skipped { why } => format!("skipped: {}", visible(why)),
            ProposalState::Later => "later".to_owned(),
        };
        format!(
            "  step {} of {}, {}: {became}",
            no + 1,
            LoopStep::ALL.len(),
            one.step.short()
        )
    };
    all.iter().enumerate().map(line).collect()
}

fn step(step: &StepView<'_>) -> String {
    let source = step.outcome.map_or("no outcome yet", StepOutcome::label);
    let why = if step.why.is_empty() {
        String::new()
    } else {
        format!(" [{}]", visible(step.why))
    };
    format!("  {} {}: {source}{why}", step.node, step.step.describe())
}
