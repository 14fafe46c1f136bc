//! Makes the first check of a call: tool, label, references, schema.
//!
//! Must not know: the values of references.
//!
//! References count as wildcards of the schema.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::advice::Advice;
use crate::call::Fault;
use crate::delegate;
use crate::draft::Draft;
use crate::event::CallEvent;
use crate::id::{NodeId, TurnId};
use crate::sandbox;
use crate::state::State;
use crate::tags;

pub(super) fn check(draft: &mut Draft<'_>, advice: &dyn Advice) {
    let mut taken: BTreeMap<(TurnId, Arc<str>), NodeId> = BTreeMap::new();
    let state = draft.state;
    for id in state.agenda.unchecked.iter().copied() {
        let Some(node) = draft.state.nodes.get(&id) else {
            continue;
        };
        let Some((tool, args)) = node.as_call() else {
            continue;
        };
        let mut scanned = state.scan(args);
        let mut faults = std::mem::take(&mut scanned.faults);
        let facts = advice.tool(tool);
        if facts.is_some() {
            faults.extend(advice.bars(tool, args, false));
        } else {
            faults.push(unknown_tool(tool, &advice.near(tool)));
        }
        if tags::card(state, tool).is_some_and(|card| card.confined) {
            faults.extend(sandbox::outside_fault(args));
        }
        faults.extend(delegate::faults_here(state, advice, node));
        let own: Arc<str> = Arc::from(id.to_string());
        let mut label: Arc<str> = scanned.label.as_deref().map_or_else(|| own.clone(), Arc::from);
        let holder =
            holder(draft.state, node.turn, &label, id).or(taken.get(&(node.turn, label.clone())).copied());
        match holder {
            // The id is generated: a call that uses it as a label keeps it.
            Some(_) if label == own => {}
            Some(other) => {
                faults.push(Fault {
                    path: "/_as".into(),
                    keyword: "label".into(),
                    message: format!(
                        "{other} in the same turn is already called `{label}`: choose another name"
                    ),
                });
                // The first call keeps the name.
                label = own;
            }
            None => {
                taken.insert((node.turn, label.clone()), id);
            }
        }
        draft.call(CallEvent::Checked {
            call: id,
            rev: node.rev(),
            faults,
            references: scanned.references,
            label,
            out: scanned.out,
            delegates: facts
                .as_ref()
                .is_some_and(super::super::advice::ToolFacts::delegates),
            effect: advice.effect(state, tool, args),
        });
    }
}

fn unknown_tool(tool: &str, near: &[String]) -> Fault {
    let hint = if near.is_empty() {
        "use one of the tools that were offered".to_owned()
    } else {
        format!("did you mean {}?", near.join(", "))
    };
    Fault {
        path: String::new(),
        keyword: "tool".into(),
        message: format!("there is no tool `{tool}`: {hint}"),
    }
}

/// Another active call of the turn that has the label.
fn holder(state: &State, turn: TurnId, label: &Arc<str>, own: NodeId) -> Option<NodeId> {
    state.agenda.holders(label).find(|id| {
        *id != own
            && !state.agenda.unchecked.contains(id)
            && state.calls.get(id).is_some_and(|call| call.label == *label)
            && state
                .nodes
                .get(id)
                .is_some_and(|node| node.active && node.turn == turn)
    })
}
