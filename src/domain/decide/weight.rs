//! Decides commands about how well tools serve.
//!
//! Must not know: how a weight is computed, who asks.

use std::sync::Arc;

use super::checks::not_over;
use crate::command::WeightCommand;
use crate::draft::Draft;
use crate::event::{Event, WeightEvent};
use crate::refusal::{Refusal, RefusalKind};
use crate::weight::MOST;
use overrule_base::text::visible;

/// Maximum characters of the name of a kind of task.
const LONGEST: usize = 64;

pub(super) fn decide(draft: &mut Draft<'_>, command: &WeightCommand) -> Result<(), Refusal> {
    not_over(draft)?;
    let event = match command {
        WeightCommand::Set { kind, tool, weight } => {
            known(draft, tool)?;
            if kind.trim().is_empty() || kind.chars().count() > LONGEST {
                return Err(Refusal::new(
                    RefusalKind::Invalid,
                    format!("a kind of task has a name of 1 to {LONGEST} characters"),
                ));
            }
            if *weight > MOST {
                return Err(Refusal::new(RefusalKind::Invalid, "a weight is 0 to 1"));
            }
            WeightEvent::Set {
                kind: kind.clone(),
                tool: tool.clone(),
                weight: *weight,
            }
        }
        WeightCommand::Reset { tool } => {
            if let Some(tool) = tool {
                known(draft, tool)?;
            }
            WeightEvent::Reset { tool: tool.clone() }
        }
    };
    draft.events.push(Event::Weight(event));
    Ok(())
}

/// Refuses the name of a tool that the run does not have and never had.
fn known(draft: &Draft<'_>, tool: &Arc<str>) -> Result<(), Refusal> {
    let cards = draft
        .state
        .started
        .as_ref()
        .map_or(&[][..], |started| &started.tools);
    let ran = || draft.state.ledger.values().any(|entry| entry.tool == *tool);
    if cards.iter().any(|card| card.name == *tool) || ran() {
        return Ok(());
    }
    Err(Refusal::new(
        RefusalKind::Unknown,
        format!("the run has no tool `{}`", visible(tool)),
    ))
}
