//! Decides edits of the graph: what is revised, what falls with it, what comes into question.
//!
//! What the model made after the edited place falls; what tools computed from it comes into
//! question and is recomputed only if its inputs really differ. Must not know: how an edit is typed
//! or shown.

mod insert;
mod revise;
mod wave;

use std::sync::Arc;

use crate::domain::advice::Advice;
use crate::domain::apply;
use crate::domain::command::{Edit, EditCommand};
use crate::domain::draft::Draft;
use crate::domain::envelope::{Actor, Envelope, FORMAT};
use crate::domain::event::{EditEvent, Event};
use crate::domain::graph;
use crate::domain::id::{NodeId, NodeKind, Seq, ThreadId, TurnId};
use crate::domain::lineage;
use crate::domain::refusal::{Refusal, RefusalKind};
use crate::domain::state::State;
use crate::domain::thread;

pub(crate) use wave::supersede_turns;
pub(crate) use wave::{cancel_running, effects_of, orphan};
pub(super) use wave::{
    end_child, invalidate_after_value, suspect, suspect_readers, suspect_readers_of_gone, suspend_later,
};

pub(super) fn decide(
    draft: &mut Draft<'_>,
    advice: &dyn Advice,
    command: &EditCommand,
) -> Result<(), Refusal> {
    match command {
        EditCommand::Commit {
            edits,
            effects_seen,
            reason,
        } => {
            let events = commit(draft.state, advice, edits, reason.as_ref())?;
            if let Some(seen) = effects_seen {
                let now = lineage::effects_of(draft.state, &events).len();
                if now > *seen {
                    return Err(Refusal::new(
                        RefusalKind::Effects,
                        format!(
                            "{} effects happened since the preview ({seen} then, {now} now): look at the new preview",
                            now - seen,
                        ),
                    ));
                }
            }
            draft.events.extend(events);
            Ok(())
        }
        EditCommand::Hold { node } => hold(draft, *node),
        EditCommand::Release {} => {
            if draft.state.editing.is_some() || !draft.state.held.is_empty() {
                draft.edit(EditEvent::Released {});
            }
            Ok(())
        }
    }
}

fn hold(draft: &mut Draft<'_>, node: NodeId) -> Result<(), Refusal> {
    if !draft.state.nodes.get(&node).is_some_and(|found| found.active) {
        return Err(Refusal::new(
            RefusalKind::Unknown,
            format!("there is no {node} that could be edited"),
        ));
    }
    let mut calls: Vec<NodeId> = graph::descendants(draft.state, node)
        .into_iter()
        .filter(|id| id.kind == NodeKind::Call)
        .collect();
    if node.kind == NodeKind::Call {
        calls.push(node);
    }
    draft.edit(EditEvent::Held { node, calls });
    Ok(())
}

/// The facts of edits taken as one. Nothing is changed by a refused one.
pub fn commit(
    state: &State,
    advice: &dyn Advice,
    edits: &[Edit],
    reason: Option<&Arc<str>>,
) -> Result<Vec<Event>, Refusal> {
    if edits.is_empty() {
        return Err(Refusal::new(RefusalKind::NoChange, "there is nothing to commit"));
    }
    let mut events = Vec::new();
    // Each edit is decided on what the ones before it leave; a copy, so that a refusal leaves no trace.
    let mut scratch: Option<State> = None;
    for (index, edit) in edits.iter().enumerate() {
        let base = scratch.as_ref().unwrap_or(state);
        let mut draft = Draft::new(base);
        one(&mut draft, advice, edit, reason)?;
        let new = draft.events;
        if index + 1 < edits.len() {
            let mut next = scratch.take().unwrap_or_else(|| state.clone());
            for event in &new {
                let seq = Seq(next.seq.0 + 1);
                let envelope = Envelope {
                    v: FORMAT,
                    seq,
                    at: 0,
                    mono: 0,
                    actor: Actor::Engine,
                    cause: Seq(0),
                    more: false,
                    event: event.clone(),
                };
                apply::apply(&mut next, &envelope);
            }
            scratch = Some(next);
        }
        events.extend(new);
    }
    Ok(events)
}

fn one(
    draft: &mut Draft<'_>,
    advice: &dyn Advice,
    edit: &Edit,
    reason: Option<&Arc<str>>,
) -> Result<(), Refusal> {
    match edit {
        Edit::Call {
            node,
            base,
            tool,
            args,
            shown,
        } => revise::call(draft, advice, (*node, *base), (tool, args), *shown, reason),
        Edit::Text { node, base, text } => match node.kind {
            NodeKind::Thought => revise::thought(draft, (*node, *base), text, reason),
            NodeKind::Prompt => revise::prompt(draft, (*node, *base), text, reason),
            NodeKind::Answer => revise::answer(draft, (*node, *base), text, reason),
            NodeKind::Call | NodeKind::Observation | NodeKind::Repair | NodeKind::Intervention => {
                Err(Refusal::new(
                    RefusalKind::Unknown,
                    format!("{node} is not a prompt, thought or answer: its text cannot be rewritten"),
                ))
            }
        },
        Edit::Observation { node, base, value } => revise::observation(draft, (*node, *base), value, reason),
        Edit::InsertPrompt { after, text } => insert::prompt(draft, *after, text, reason),
        Edit::InsertThought { after, text } => insert::thought(draft, *after, text, reason),
        Edit::InsertCall { after, tool, args } => insert::call(draft, advice, *after, (tool, args), reason),
        Edit::RejectAnswer { node, reason: why } => revise::reject_answer(draft, advice, *node, why),
        Edit::Delete { node, base } => revise::delete(draft, (*node, *base), reason),
    }
}

/// Begins an edit: a new epoch and the node that stands for it.
pub(super) fn begin(draft: &mut Draft<'_>, target: Option<NodeId>, what: &str, reason: Option<&Arc<str>>) {
    let intervention = draft.node(NodeKind::Intervention);
    let epoch = draft.state.epoch.next();
    draft.edit(EditEvent::Committed {
        epoch,
        intervention,
        target,
        what: Arc::from(what),
        reason: reason.cloned(),
    });
    if let Some(turn) = target.and_then(|target| draft.state.turn_of(target)) {
        wave::go_on_above(draft, turn.thread);
    }
}

/// Begins an edit that puts something new after a turn.
fn begin_after(draft: &mut Draft<'_>, turn: TurnId, what: &str, reason: Option<&Arc<str>>) {
    begin(draft, None, what, reason);
    if let Some(turn) = draft.state.turns.get(&turn) {
        wave::go_on_above(draft, turn.thread);
    }
}

/// Refuses edits of a sub-agent's work where a person wrote what came of it.
pub(super) fn not_pinned_above(state: &State, thread: ThreadId) -> Result<(), Refusal> {
    match thread::pinned_above(state, thread) {
        None => Ok(()),
        Some(id) => Err(Refusal::new(
            RefusalKind::Status,
            format!("the operator wrote {id}, which is what came of this sub-agent: unpin {id} first"),
        )),
    }
}
