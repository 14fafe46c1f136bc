//! The newest plan of the agent above the transcript: its steps, and how many are done.
//!
//! Must not know: how rows come to be, which arguments a plan has.

use ratatui::layout::Rect;

use super::after_margin;
use crate::ground::columns::Columns as _;
use crate::ground::doc::Styled;
use crate::ground::paint::{Canvas, row_of};
use crate::ground::symbols::Charset;
use crate::ground::theme::Role;
use crate::kernel::graph::transcript::KeptPlan;
use crate::kernel::model::Model;
use crate::surfaces::documents::agent_plan;
use overrule_base::agent_plan::{self as plans, AgentPlan, Progress};
use overrule_domain::call::Status;
use overrule_domain::state::State;
use overrule_domain::thread::ROOT;

/// Fewest rows of a pane with the plan above its text, and the share of them that it takes at most.
const LOWEST: usize = 12;
const SHARE: usize = 3;

/// The newest plan on the branch.
pub(crate) fn newest(state: &State) -> Option<KeptPlan> {
    state.nodes.values().rev().find_map(|node| {
        let (tool, args) = node.as_call().filter(|_| node.active)?;
        if !plans::is_tool(tool) {
            return None;
        }
        let status = &state.calls.get(&node.id)?.status;
        let is_root = state.turn_of(node.id).is_some_and(|turn| turn.thread == ROOT);
        let is_set = matches!(status, Status::Succeeded | Status::Running(_)) && is_root;
        let plan = plans::of(tool, args).filter(|plan| is_set && !plan.steps.is_empty())?;
        Some(KeptPlan { call: node.id, plan })
    })
}

/// Rows of the plan and the line below it, in a pane of this height.
pub(crate) fn rows(plan: Option<&KeptPlan>, height: usize) -> usize {
    match plan {
        Some(plan) if height >= LOWEST => (plan.plan.steps.len() + 1).min(height / SHARE),
        _ => 0,
    }
}

/// Draws the steps. Where not all fit, those that are not done come first.
pub(crate) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect, plan: &AgentPlan) {
    let Some(room) = usize::from(area.height).checked_sub(1) else {
        return;
    };
    let is_open = |(_, step): &(usize, &plans::Step)| step.progress != Progress::Done;
    let first = plan
        .steps
        .iter()
        .enumerate()
        .find(is_open)
        .map_or(0, |(at, _)| at);
    let first = first.min(plan.steps.len().saturating_sub(room));
    for (at, step) in plan.steps.iter().skip(first).take(room).enumerate() {
        let mut line = Styled::new().own(Role::Text, "  ");
        line.0.extend(agent_plan::line(step).0);
        let place = row_of(area, u16::try_from(at).unwrap_or(u16::MAX));
        canvas.row(after_margin(place), &line, model.more());
    }
    let rule = match model.settings.charset {
        Charset::Unicode => "─",
        Charset::Ascii => "-",
    };
    let place = row_of(area, area.height - 1);
    let rule = rule.repeat(usize::from(place.width));
    canvas.put(place.x, place.y, place.width, &rule, Role::Border);
    let words = format!(" plan: {} ", plan.describe());
    let width = u16::try_from(words.columns()).unwrap_or(u16::MAX);
    canvas.put(
        place.x + 1.min(place.width),
        place.y,
        width.min(place.width.saturating_sub(1)),
        &words,
        Role::Dim,
    );
}
