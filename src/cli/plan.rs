//! Formats the plan of an edit as text and as JSON.
//!
//! Must not know: how a plan is made.

use serde_json::{Value, json};

use crate::domain::id::{NodeId, TurnId};
use crate::domain::lineage::{ModelRequest, Plan};
use crate::domain::state::{LedgerEntry, State};
use crate::text::visible;

/// Calls that may run again, but not certainly.
fn may(plan: &Plan) -> Vec<NodeId> {
    let maybe = plan.possible.iter().filter(|id| !plan.is_certain(**id));
    maybe.copied().collect()
}

fn effects<'s>(state: &'s State, plan: &Plan) -> Vec<&'s LedgerEntry> {
    plan.effects
        .iter()
        .filter_map(|seq| state.ledger.get(seq))
        .collect()
}

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
pub fn describe(state: &State, plan: &Plan) -> String {
    let happened: Vec<String> = effects(state, plan)
        .into_iter()
        .map(|entry| {
            format!(
                "{} {} ({})",
                entry.call,
                visible(&entry.tool),
                entry.effect.label()
            )
        })
        .collect();
    let request = if plan.asks.perhaps() {
        let sure = match plan.asks {
            ModelRequest::IfDifferent => "only if a result differs",
            ModelRequest::No | ModelRequest::Yes => "yes",
        };
        let cost = plan.cost.as_ref().map(|cost| format!(", at least about {cost}"));
        format!("{sure}, about {} tokens{}", plan.tokens, cost.unwrap_or_default())
    } else {
        "no".into()
    };
    let mut lines = vec![format!("superseded         {}", list(&plan.superseded))];
    if !plan.perhaps.is_empty() {
        lines.push(format!("may be superseded  {}", list(&plan.perhaps)));
    }
    if !plan.recalled.is_empty() {
        lines.push(format!("active again       {}", list(&plan.recalled)));
    }
    let (first, decided) = plan.first();
    if !first.is_empty() {
        lines.push(format!("run                {}", list(&first)));
    }
    if !decided.is_empty() {
        lines.push(format!("run or ask         {}", list(&decided)));
    }
    let (new, may) = plan.perhaps();
    if !new.is_empty() {
        lines.push(format!("may run            {}", list(&new)));
    }
    lines.extend([
        format!("run again          {}", list(&plan.again())),
        format!("may run again      {}", list(&may)),
        format!("keep their results {}", list(&plan.unchanged)),
        format!("are cancelled      {}", list(&plan.cancelled)),
        format!("finish first       {}", list(&plan.drained)),
        match happened.len() {
            0 => "already happened   nothing".into(),
            count => format!(
                "already happened   {} (--effects-seen {count})",
                happened.join(", ")
            ),
        },
        format!("approved by this   {}", list(&plan.approves)),
        format!("model asked again  {request}"),
    ]);
    if !plan.consents.is_empty() {
        lines.push(format!("ask for consent    {}", list(&plan.consents)));
    }
    if !plan.corrections.is_empty() {
        lines.push(format!(
            "corrections kept   {} (where the model makes the same call again)",
            list(&plan.corrections)
        ));
    }
    if !plan.corrections_lost.is_empty() {
        lines.push(format!("corrections lost   {}", list(&plan.corrections_lost)));
    }
    if !plan.drifted.is_empty() {
        lines.push(format!("stay, drifted      turns {}", turns(&plan.drifted)));
    }
    lines.join("\n")
}

/// The plan as JSON, for scripts.
pub fn json(state: &State, plan: &Plan) -> Value {
    let happened: Vec<Value> = effects(state, plan)
        .into_iter()
        .map(|entry| json!({ "call": entry.call, "tool": entry.tool, "effect": entry.effect }))
        .collect();
    json!({
        "type": "plan",
        "seen": plan.seen,
        "superseded": plan.superseded,
        "perhaps": plan.perhaps,
        "recalled": plan.recalled,
        "certain": plan.certain,
        "may": may(plan),
        "first_runs": plan.first_runs,
        "unchanged": plan.unchanged,
        "cancelled": plan.cancelled,
        "drained": plan.drained,
        "effects": happened,
        "approves": plan.approves,
        "consents": plan.consents,
        "corrections": plan.corrections,
        "corrections_lost": plan.corrections_lost,
        "asks": plan.asks == ModelRequest::Yes,
        "asks_if_different": plan.asks == ModelRequest::IfDifferent,
        "tokens": plan.tokens,
        "cost": plan.cost.as_ref().map(ToString::to_string),
        "drifted": plan.drifted,
        "suspended": plan.held,
    })
}
