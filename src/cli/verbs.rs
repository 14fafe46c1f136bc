//! Operator verbs on a recorded session: each builds the same command as the console, records it
//! and leaves. Nothing runs unless --resume is given. Must not know: how a command is decided.

use super::args::{Common, Verb};
use super::build::Ground;
use super::exit::{Code, Failure};
use super::{effects, intent, print, record, run};
use crate::domain::apply::fold;
use crate::domain::command::{Command, EditCommand};
use crate::domain::decide;
use crate::domain::id::NodeId;
use crate::domain::lineage::{self, Plan};
use crate::domain::state::State;
use crate::journal;
use crate::text::visible;

/// Carries out a verb.
pub fn verb(common: &Common, verb: &Verb) -> Result<Code, Failure> {
    let ground = Ground::read(common)?;
    let on = intent::on(verb);
    let place = ground.store.find(&on.session)?;
    let state = fold(&journal::read(&place)?.envelopes);
    let command = intent::command(&state, verb)?;
    if intent::is_preview(verb) {
        let Command::Edit(EditCommand::Commit { edits, .. }) = command else {
            return Err(Failure::new(Code::Usage, "only edits have a preview"));
        };
        let adviser = record::adviser(common, &ground, &place, &state)?;
        let events = decide::edit::commit(&state, &adviser, &edits, (None, false))?;
        let plan = lineage::of_events(&state, &events);
        for line in edits.iter().filter_map(effects::shown) {
            print::out(&line);
        }
        print::out(&describe(&state, &plan));
        return Ok(Code::Ok);
    }
    // `last` must mean the same session all along.
    let recorded = record::decide(common, &ground, &place.id(), &command)?;
    if on.resume && !recorded.elsewhere {
        // Standard output is for the answer.
        print::err(&recorded.line());
        return run::go_on(common, ground, &place.id());
    }
    // In the process that has it open the run goes on anyway.
    print::out(&recorded.line());
    Ok(Code::Ok)
}

/// The plan of an edit in words.
pub fn describe(state: &State, plan: &Plan) -> String {
    let list = |ids: &[NodeId]| -> String {
        if ids.is_empty() {
            return "none".into();
        }
        ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    let may: Vec<NodeId> = plan
        .possible
        .iter()
        .filter(|id| !plan.certain.contains(id))
        .copied()
        .collect();
    let effects: Vec<String> = plan
        .effects
        .iter()
        .filter_map(|seq| state.ledger.get(seq))
        .map(|entry| {
            format!(
                "{} {} ({})",
                entry.call,
                visible(&entry.tool),
                entry.effect.word()
            )
        })
        .collect();
    let request = if plan.asks {
        let cost = plan.cost.as_ref().map(|cost| format!(", at least about {cost}"));
        format!("yes, about {} tokens{}", plan.tokens, cost.unwrap_or_default())
    } else {
        "no".into()
    };
    [
        format!("become history     {}", list(&plan.superseded)),
        format!("run again          {}", list(&plan.certain)),
        format!("may run again      {}", list(&may)),
        format!("keep their results {}", list(&plan.kept)),
        format!("are cancelled      {}", list(&plan.cancelled)),
        format!("finish first       {}", list(&plan.drained)),
        format!(
            "already happened   {}",
            if effects.is_empty() {
                "nothing".into()
            } else {
                effects.join(", ")
            }
        ),
        format!("approved by this   {}", list(&plan.approves)),
        format!("model asked again  {request}"),
    ]
    .join("\n")
}
