//! The operator's choice about a call in repair: one of the repairs, or none.
//!
//! Must not know: how a repair is found.

use super::decide::send;
use super::executions::seen_call;
use super::input::By;
use super::prompts;
use crate::console::model::Model;
use crate::console::model::overlay::LinePurpose;
use crate::console::msg::Out;
use crate::domain::call::Call;
use crate::domain::command::{Command, ResilienceCommand};
use crate::domain::id::{NodeId, Rev};
use crate::text::visible;

/// Opens a line for the number of one of the offered repairs.
pub(super) fn choose(model: &mut Model, by: By, at: u64) -> Result<(), String> {
    let (call, rev) = seen_call(model, by, at)?;
    let life = model.run.state.call(call);
    let offered = life.and_then(Call::offered).unwrap_or_default();
    if offered.is_empty() {
        return Err(format!("{call}: no repair is offered"));
    }
    let options: Vec<String> = offered
        .iter()
        .enumerate()
        .map(|(at, fix)| format!("{}) {}", at + 1, visible(&fix.label)))
        .collect();
    // A single repair is filled in, but the operator must accept it.
    let text = if options.len() == 1 { "1" } else { "" };
    let title = format!("repair of {call}, by number: {}", options.join("  "));
    prompts::line(model, LinePurpose::Repair { call, rev }, &title, text);
    Ok(())
}

/// Sends the repair with the typed number; false if the text is no number from 1.
pub(super) fn chosen(model: &mut Model, (call, rev): (NodeId, Rev), text: &str, out: &mut Vec<Out>) -> bool {
    let number = text.trim().trim_end_matches(')').parse::<usize>().ok();
    let Some(option) = number.and_then(|number| number.checked_sub(1)) else {
        model.complain("Type the number of a repair, from 1");
        return false;
    };
    let command = Command::Resilience(ResilienceCommand::ChooseRepair { call, rev, option });
    send(model, command, Some(call), out);
    true
}

/// Stops repairing and lets the call fail.
pub(super) fn skip(model: &mut Model, by: By, at: u64, out: &mut Vec<Out>) -> Result<(), String> {
    let (call, rev) = seen_call(model, by, at)?;
    if !model.run.state.agenda.repairing.contains(&call) {
        return Err(format!("{call} is not being repaired"));
    }
    let command = Command::Resilience(ResilienceCommand::SkipRepair { call, rev });
    send(model, command, Some(call), out);
    model.set_status(format!("Sent: stop repairing {call}"));
    Ok(())
}
