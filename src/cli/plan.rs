//! Formats the plan of an edit as text.
//!
//! Must not know: how a plan is made.

use overrule_base::text::visible;
use overrule_domain::id::{NodeId, TurnId};
use overrule_present::plan::{PlanRequestView, PlanView};

fn list(ids: &[NodeId]) -> String {
    if ids.is_empty() {
        return "none".into();
    }
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn turns(ids: &[TurnId]) -> String {
    ids.iter()
        .map(|id| id.0.to_string())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Formats the plan as text, a line for each kind of consequence.
pub fn describe(view: &PlanView<'_>) -> String {
    let (nodes, calls, request) = (&view.nodes, &view.calls, &view.request);
    let (fates, mut lines) = (&calls.by_fate, Vec::new());
    for insert in &view.insert {
        lines.push(format!(
            "insert             {} {}",
            visible(&insert.tool),
            visible(&insert.args)
        ));
    }
    let mut line = |always: bool, name: &str, ids: &[NodeId]| {
        if always || !ids.is_empty() {
            lines.push(format!("{name:<18} {}", list(ids)));
        }
    };
    line(true, "superseded", nodes.superseded);
    line(false, "may be superseded", nodes.perhaps);
    line(false, "active again", nodes.recalled);
    line(false, "run", &fates.run);
    line(false, "run or ask", &fates.run_or_ask);
    line(false, "may run", &fates.may_run);
    line(true, "run again", &fates.run_again);
    line(true, "may run again", &fates.may_run_again);
    line(true, "keep their results", nodes.unchanged);
    line(true, "are cancelled", calls.cancelled);
    line(true, "finish first", calls.drained);
    for lost in view.lost_inputs() {
        lines.push(format!("loses its input    {lost}"));
    }
    lines.push(format!("already happened   {}", happened(view)));
    lines.push(format!("approved by this   {}", list(calls.approves)));
    lines.push(format!("model asked again  {}", asked(request)));
    if !calls.consents.is_empty() {
        lines.push(format!("ask for consent    {}", list(calls.consents)));
    }
    if !nodes.corrections.is_empty() {
        lines.push(format!("corrections kept   {}", list(nodes.corrections)));
    }
    if !nodes.corrections_may_be_lost.is_empty() {
        lines.push(format!(
            "may be lost        corrections {} (kept where the model makes the same call again)",
            list(nodes.corrections_may_be_lost)
        ));
    }
    if !nodes.corrections_lost.is_empty() {
        lines.push(format!("corrections lost   {}", list(nodes.corrections_lost)));
    }
    if !view.drifted.is_empty() {
        lines.push(format!("stay, drifted      turns {}", turns(view.drifted)));
    }
    lines.join("\n")
}

/// The effects that happened already, with the flag that confirms that they were seen.
fn happened(view: &PlanView<'_>) -> String {
    let names = view
        .effects
        .iter()
        .map(|one| format!("{} {} ({})", one.call, visible(one.tool), one.effect.label()));
    let names: Vec<String> = names.collect();
    match names.len() {
        0 => "nothing".into(),
        count => format!("{} (--effects-seen {count})", names.join(", ")),
    }
}

/// Whether the model is asked again, and what that costs.
fn asked(request: &PlanRequestView) -> String {
    if !request.perhaps() {
        return "no".into();
    }
    let sure = if request.asks {
        "yes"
    } else {
        "only if a result differs"
    };
    let cost = request
        .cost
        .as_ref()
        .map(|cost| format!(", at least about {cost}"));
    format!(
        "{sure}, about {} tokens{}",
        request.tokens,
        cost.unwrap_or_default()
    )
}
