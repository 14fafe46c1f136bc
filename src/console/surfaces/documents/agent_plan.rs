//! The lines of a plan that an agent keeps: a sign, the step, and its status.
//!
//! Must not know: which tool sets a plan, where its lines are shown.

use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::run::maker::Maker;
use overrule_base::agent_plan::{AgentPlan, Progress, Step};

/// Columns before the text of a step.
pub(crate) const LEAD: usize = 4;

/// The line of a step: what is done is dim.
pub(crate) fn line(step: &Step) -> Styled {
    let (role, word) = match step.progress {
        Progress::Done => (Role::Dim, Role::Dim),
        Progress::Current => (Role::Title, Role::Running),
        Progress::Open | Progress::Other(_) => (Role::Text, Role::Warning),
    };
    let line = Styled::new()
        .own(Role::Dim, format!("{} ", step.sign()))
        .untrusted(role, &step.text, step.text.len());
    match step.progress.label() {
        Some(label) => line.own(word, "  ").untrusted(word, label, label.len()),
        None => line,
    }
}

/// The lines of all steps in at most this many columns each; with all that the call says of them, if `whole`.
pub(crate) fn lines(plan: &AgentPlan, columns: usize, whole: bool) -> Vec<Styled> {
    let steps = plan.steps.iter();
    steps
        .flat_map(|step| {
            let mut line = line(step);
            for other in step.others.iter().filter(|_| whole) {
                line = line.own(Role::Dim, "  ").untrusted(Role::Dim, other, other.len());
            }
            line.over(columns, LEAD)
        })
        .collect()
}

/// Adds the lines of a plan.
pub(crate) fn add(maker: &mut Maker<'_>, plan: &AgentPlan) {
    for line in lines(plan, usize::from(maker.width).saturating_sub(2), true) {
        let mut row = Styled::new().own(Role::Dim, "  ");
        row.0.extend(line.0);
        maker.doc.line(row);
    }
    if plan.steps.is_empty() {
        maker.own(Role::Dim, "  no steps");
    }
}
