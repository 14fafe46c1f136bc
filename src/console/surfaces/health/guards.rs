//! Rows of the loop guard below the tools: its detectors, and every step with its outcome.
//!
//! Must not know: how a repetition is found, how a step is chosen.
//!
//! The distinguishing word comes first, or where every width has room for it.

use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::kernel::rows::Row;
use crate::run::edit_result;
use crate::run::part::RunPart;
use crate::run::target::Target;
use overrule_domain::escape::{Detector, Incident, Step, StepOutcome};
use overrule_domain::id::NodeId;
use overrule_domain::node::{Content, Origin};
use overrule_domain::state::State;
use overrule_present::loops::LessonsView;
use overrule_present::many;
use overrule_resilience::policy::Policy;

/// Maximum number of steps that are listed, the newest ones.
const STEPS: usize = 8;
/// Maximum length of a step's target, in characters.
const WORDS: usize = 80;

/// A row for each detector.
pub(crate) fn detectors(run: &RunPart) -> Vec<Row> {
    let state = &run.state;
    let by_settings = state
        .settings
        .resilience
        .as_ref()
        .and_then(|one| Policy::recorded(&one.policy));
    let row = |detector: Detector| {
        let found = |one: &&Incident| one.finding.detector == detector;
        let found = state.learned.escape.incidents.iter().filter(found).count();
        let off = by_settings
            .as_ref()
            .is_some_and(|policy| !policy.loops.listens(detector));
        let (role, word) = if state.learned.escape.muted.contains(&detector) {
            (Role::Warning, "muted by you")
        } else if off {
            (Role::Warning, "muted (settings)")
        } else {
            (Role::Text, "on")
        };
        let words = Styled::new()
            .own(Role::Dim, "detector ")
            .own(Role::Text, format!("{:<12} ", detector.name()))
            .own(role, word)
            .own(
                Role::Dim,
                match found {
                    0 if detector.is_informational() => ", reports only".to_owned(),
                    0 => String::new(),
                    count => format!(", found {}", many(count, "loop")),
                },
            );
        Row::new(Target::Detector(detector), words)
    };
    Detector::ALL.into_iter().map(row).collect()
}

/// What helped against repetition so far.
pub(crate) fn lessons(run: &RunPart) -> Option<Row> {
    let words = LessonsView::of(&run.state)?.describe();
    Some(Row::new(Target::Nothing, Styled::new().own(Role::Text, words)))
}

/// The newest interventions of the guard and of the operator, the newest first.
pub(crate) fn interventions(run: &RunPart) -> Vec<Row> {
    let state = &run.state;
    // The step itself reports its edit.
    let by_hand = state.operator.edits.iter().rev().filter(|one| one.by.is_none());
    let mut rows: Vec<(NodeId, Row)> = by_hand
        .take(STEPS)
        .filter_map(|one| Some((one.intervention, by_operator(state, one.intervention)?)))
        .collect();
    let incidents = state.learned.escape.incidents.iter().rev().take(STEPS);
    let steps = incidents.flat_map(|incident| incident.steps.iter().map(move |step| (incident, step)));
    rows.extend(steps.map(|(incident, step)| (step.node, guard(incident, step))));
    rows.sort_by_key(|(id, _)| std::cmp::Reverse(id.no));
    rows.truncate(STEPS);
    rows.into_iter().map(|(_, row)| row).collect()
}

fn by_operator(state: &State, id: NodeId) -> Option<Row> {
    let node = state.nodes.get(&id)?;
    let Content::Text { text, .. } = &node.now().content else {
        return None;
    };
    let by = match &node.now().origin {
        Origin::Operator { user } => user.to_string(),
        _ => "engine".to_owned(),
    };
    let words = Styled::new()
        .own(Role::Dim, format!("{id} "))
        .untrusted(Role::Operator, &by, WORDS)
        .own(Role::Dim, ": ");
    let words = match edit_result::edit(state, id) {
        Some(edit) => words
            .own(Role::Text, edit_result::describe(state, edit))
            .own(Role::Dim, ": "),
        None => words,
    };
    Some(Row::new(
        Target::Node(id),
        words.untrusted(Role::Text, text, WORDS),
    ))
}

fn guard(incident: &Incident, step: &Step) -> Row {
    let (role, source) = match step.outcome {
        None => (Role::Dim, "no outcome yet"),
        Some(result @ (StepOutcome::Helped | StepOutcome::Overtaken)) => (Role::Ok, result.label()),
        Some(result) => (Role::Failed, result.label()),
    };
    let words = Styled::new()
        .own(Role::Dim, format!("{} ", step.node))
        .own(role, source)
        .own(Role::Dim, format!(": guard, loop {}: ", incident.no))
        .own(Role::Text, step.kind.describe());
    Row::new(Target::Node(step.node), words)
}
