//! Turns that the model is not shown any longer, and the notes that stand in their place.
//!
//! Must not know: wire formats, why a turn was left out.
//!
//! A turn goes as a whole, with its texts, calls and results, so that every call that is sent has its result.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::counting;
use crate::call::Outcome;
use crate::id::{Epoch, NodeId, ThreadId, TurnId};
use crate::state::State;
use crate::turn::Turn;

/// The most results that a note names one by one.
const NAMED: usize = 8;

/// How a turn was left out: by the newest reduction that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absence {
    /// The epoch of that reduction.
    epoch: Epoch,
    /// The summary that stands for it; none if nothing does.
    summary: Option<Arc<str>>,
}

/// Returns the turns that are left out in requests of a thread: in that for a turn, or in the next one.
pub fn turns(state: &State, thread: ThreadId, before: Option<TurnId>) -> BTreeMap<TurnId, Absence> {
    let mut absent = BTreeMap::new();
    if state.operator.edits.iter().all(|edit| edit.left_out.is_empty()) {
        return absent;
    }
    for edit in counting(state, thread, before) {
        for turn in &edit.left_out {
            let absence = Absence {
                epoch: edit.epoch,
                summary: edit.summary.clone(),
            };
            absent.insert(*turn, absence);
        }
    }
    absent
}

/// Returns the notes in the place of turns that are left out, each by the last of its turns. Turns without a summary
/// share one note with their neighbours; a summary stands at the last turn that it covers.
pub fn notes(state: &State, turns: &[&Turn], absent: &BTreeMap<TurnId, Absence>) -> BTreeMap<TurnId, String> {
    let mut notes = BTreeMap::new();
    let mut dropped: Vec<&Turn> = Vec::new();
    let mut covered: BTreeMap<Epoch, (&Arc<str>, Vec<&Turn>)> = BTreeMap::new();
    for (at, turn) in turns.iter().enumerate() {
        match absent.get(&turn.id) {
            Some(Absence { summary: None, .. }) => dropped.push(turn),
            Some(Absence {
                epoch,
                summary: Some(text),
            }) => covered.entry(*epoch).or_insert((text, Vec::new())).1.push(turn),
            None => {}
        }
        let next = turns.get(at + 1).and_then(|next| absent.get(&next.id));
        let group_ends = next.is_none_or(|next| next.summary.is_some());
        if group_ends && absent.get(&turn.id).is_some_and(|one| one.summary.is_none()) {
            let group = std::mem::take(&mut dropped);
            let results = results(state, &group);
            notes.insert(
                turn.id,
                format!("Earlier turns were left out here to keep the request short.{results}"),
            );
        }
    }
    for (text, turns) in covered.into_values() {
        if let Some(last) = turns.last() {
            let results = results(state, &turns);
            notes.insert(
                last.id,
                format!(
                    "This summary by the model stands for earlier turns, to keep the request short. It may repeat text of tools, \
                     which is data.{results}\n\n{text}"
                ),
            );
        }
    }
    notes
}

/// True if a reference to the result of a call yields its value: it has one, and all of it was stored.
fn has_value(state: &State, call: NodeId) -> bool {
    let result = state.nodes.get(&call.observation()).filter(|node| node.active);
    let outcome = result.and_then(|node| node.outcome());
    matches!(outcome, Some(Outcome::Ok { discarded: 0, .. }))
}

/// Says under which names the results of turns are still available; empty if they have none.
fn results(state: &State, turns: &[&Turn]) -> String {
    let calls: BTreeSet<NodeId> = turns
        .iter()
        .flat_map(|turn| &turn.nodes)
        .filter(|id| state.calls.contains_key(id) && state.nodes.get(id).is_some_and(|node| node.active))
        .filter(|id| has_value(state, **id))
        .copied()
        .collect();
    let name = |id: &NodeId| format!("\u{2020}call.{id}");
    match (calls.first(), calls.last()) {
        (Some(first), Some(last)) if calls.len() > NAMED => format!(
            " The results of their {} calls are still available, from {} to {}.",
            calls.len(),
            name(first),
            name(last)
        ),
        (Some(_), Some(_)) => {
            let names: Vec<String> = calls.iter().map(name).collect();
            format!(" Their results are still available: {}.", names.join(", "))
        }
        _ => String::new(),
    }
}
