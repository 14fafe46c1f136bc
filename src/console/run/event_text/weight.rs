//! Describes the events of weights of tools.
//!
//! Must not know: styles, who caused an event.

use overrule_domain::event::WeightEvent;
use overrule_domain::weight::ToolOffer;
use overrule_resilience::learned;

/// An event of weights, without its number and its author.
pub(crate) fn describe(event: &WeightEvent) -> String {
    match event {
        WeightEvent::Set { kind, tool, weight } => format!(
            "the weight of {tool} for tasks of kind {kind} is set to {:.2}",
            f64::from(*weight) / 1_000.0
        ),
        WeightEvent::Reset { tool: Some(tool) } => format!("the weights of {tool} were reset"),
        WeightEvent::Reset { tool: None } => "all weights were reset".to_owned(),
        WeightEvent::Imported { from, learned } => {
            format!("starts with {}, from {from}", learned::describe(learned))
        }
        WeightEvent::Offered { tools, .. } if tools.is_empty() => {
            "all tools are offered to the model in their order again".to_owned()
        }
        WeightEvent::Offered { tools, .. } => {
            let hidden = |one: &ToolOffer| if one.hidden { " (not at all)" } else { "" };
            let names: Vec<String> = tools
                .iter()
                .map(|one| format!("{}{}", one.tool, hidden(one)))
                .collect();
            format!(
                "offered to the model last, because they keep failing: {}",
                names.join(", ")
            )
        }
        WeightEvent::Noted { executions, weights } => {
            format!("{} weights recorded after {executions} executions", weights.len())
        }
    }
}
