//! Decides edits of the graph: what is revised, superseded, or made stale.
//!
//! Must not know: how an edit is typed or shown.
//!
//! What the model made after the edited place is superseded. Results computed from it become stale,
//! and are recomputed only if their inputs differ.

mod begin;
mod copy_node;
mod insert;
pub mod of_agent;
mod recall;
mod revise;
mod structure;

use std::borrow::Cow;
use std::sync::Arc;

use super::checks::seen;
use super::escape;
use crate::advice::Advice;
use crate::affected_nodes;
use crate::command::{Edit, EditCommand};
use crate::draft::Draft;
use crate::effective_status;
use crate::event::{EditEvent, Event, TurnEvent};
use crate::holds;
use crate::id::{NodeId, NodeKind, TurnId};
use crate::node::Node;
use crate::reference::kept;
use crate::refusal::{Refusal, RefusalKind};
use crate::regenerate::{acting, regenerate};
use crate::restrict;
use crate::server_question;
use crate::state::State;
use crate::trial::try_out;

pub(super) use begin::begin;
pub(super) use recall::known as known_branch;

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
            keep_later,
        } => {
            let events = commit(draft.state, advice, edits, (reason.as_ref(), *keep_later))?;
            seen(*effects_seen, || {
                affected_nodes::effects_of(draft.state, &events).len()
            })?;
            draft.events.extend(events);
            escape::word_given(draft);
            Ok(())
        }
        EditCommand::Undo { epoch, effects_seen } => recall::undo(draft, *epoch, *effects_seen),
        EditCommand::Redo { epoch, effects_seen } => recall::redo(draft, *epoch, *effects_seen),
        EditCommand::Switch {
            to,
            epoch,
            effects_seen,
        } => recall::switch(draft, *to, *epoch, *effects_seen),
        EditCommand::Name { epoch, name } => recall::name(draft, *epoch, name),
        EditCommand::Hold { node } => hold(draft, *node),
        EditCommand::Release { node } => {
            let editing = &draft.state.operator.editing;
            if node.map_or(!editing.is_empty(), |node| editing.contains_key(&node)) {
                draft.edit(EditEvent::Released { node: *node });
            }
            Ok(())
        }
    }
}

fn hold(draft: &mut Draft<'_>, node: NodeId) -> Result<(), Refusal> {
    if !draft.state.nodes.get(&node).is_some_and(|found| found.active) {
        return Err(Refusal::new(
            RefusalKind::Unknown,
            format!("cannot edit {node}: it is not active"),
        ));
    }
    let calls = holds::touched(draft.state, node);
    draft.edit(EditEvent::Suspended { node, calls });
    Ok(())
}

/// Returns the events of one commit. A refused commit changes nothing.
pub fn commit(
    state: &State,
    advice: &dyn Advice,
    edits: &[Edit],
    (reason, keep_later): (Option<&Arc<str>>, bool),
) -> Result<Vec<Event>, Refusal> {
    if edits.is_empty() {
        return Err(Refusal::new(RefusalKind::NoChange, "there is nothing to commit"));
    }
    if keep_later {
        edits.iter().try_for_each(may_keep_later)?;
    }
    // One commit is one epoch, and is undone as one.
    let epoch = state.epoch.next();
    let mut events = Vec::new();
    // Each edit is decided on the state after the ones before it; a copy, so that a refusal leaves
    // no trace.
    let mut scratch: Option<State> = None;
    let mut complete = Vec::with_capacity(edits.len());
    for edit in edits {
        let base = scratch.as_ref().unwrap_or(state);
        let edit = &completed(base, edit);
        let mut draft = Draft::new(base);
        draft.keep_later = keep_later;
        draft.epoch = epoch;
        draft.first_turn = TurnId(state.tally.last_turn + 1);
        not_too_long(edit)?;
        restrict::refuse_edit(base, advice, edit)?;
        server_question::refuse_edit(base, edit)?;
        of_agent::refuse(base, edit)?;
        one(&mut draft, advice, edit, reason)?;
        let new = draft.events;
        takes_nothing_away(base, &events, &new)?;
        if edits.len() > 1 {
            let mut next = scratch.take().unwrap_or_else(|| state.clone());
            try_out(&mut next, &new);
            scratch = Some(next);
        }
        events.extend(new);
        complete.push(edit.clone());
    }
    structure::sound(scratch.as_ref().unwrap_or(state), &complete)?;
    Ok(events)
}

/// The edit with all that its arguments keep from the old ones. The agent of another program gives its own arguments no
/// such names.
fn completed(state: &State, edit: &Edit) -> Edit {
    let mut edit = edit.clone();
    if let Edit::Call { node, tool, args, .. } = &mut edit
        && !state.is_of_agent()
        && let Some((old_tool, old)) = state.nodes.get(node).and_then(Node::as_call)
        && let Cow::Owned(whole) = kept::complete(old, args, *old_tool == *tool)
    {
        *args = whole.into();
    }
    edit
}

/// Refuses an edit that supersedes the content of an earlier edit of the same commit: that content
/// would be shown in the preview, and be lost.
fn takes_nothing_away(state: &State, before: &[Event], new: &[Event]) -> Result<(), Refusal> {
    let output =
        |node: NodeId, turn: Option<TurnId>| (node, turn.or_else(|| Some(state.nodes.get(&node)?.turn)));
    let put_in = before.iter().filter_map(|event| match event {
        Event::Edit(EditEvent::Revised { node, .. }) => Some(output(*node, None)),
        Event::Turn(
            TurnEvent::Prompted { node, turn, .. }
            | TurnEvent::Thought { node, turn, .. }
            | TurnEvent::Proposed { node, turn, .. },
        ) => Some(output(*node, Some(*turn))),
        _ => None,
    });
    let put_in: Vec<(NodeId, Option<TurnId>)> = put_in.collect();
    for event in new {
        let lost = put_in.iter().find(|(node, turn)| match event {
            Event::Edit(EditEvent::Superseded { nodes }) => nodes.contains(node),
            Event::Turn(TurnEvent::Superseded { turns }) => turn.is_some_and(|turn| turns.contains(&turn)),
            _ => false,
        });
        if let Some((node, _)) = lost {
            return Err(Refusal::new(
                RefusalKind::Status,
                format!(
                    "cannot commit these edits together: one of them supersedes what another writes at {node}; \
                     hint: leave one out, or commit them one after the other"
                ),
            ));
        }
    }
    Ok(())
}

/// Maximum bytes of one edit: more than any model reads, and not too much for a journal.
pub const MOST_WORDS: usize = 4 << 20;

fn not_too_long(edit: &Edit) -> Result<(), Refusal> {
    let bytes = edit.text().map_or(0, |words| words.len());
    if bytes <= MOST_WORDS {
        return Ok(());
    }
    Err(Refusal::new(
        RefusalKind::Invalid,
        format!(
            "cannot edit: it has {bytes} bytes, and an edit may have {MOST_WORDS}; hint: name a file instead"
        ),
    ))
}

/// Later turns can stay active only if they continue from the edited content, not from its
/// replacement.
pub fn may_keep_later(edit: &Edit) -> Result<(), Refusal> {
    let value = match edit {
        Edit::Call { .. } | Edit::Observation { .. } | Edit::Copy { .. } => true,
        Edit::Text { node, .. } => matches!(node.kind, NodeKind::Prompt | NodeKind::Answer),
        Edit::Delete { node, .. } => node.kind != NodeKind::Thought,
        Edit::InsertPrompt { .. }
        | Edit::InsertThought { .. }
        | Edit::InsertCall { .. }
        | Edit::RejectAnswer { .. } => false,
    };
    if value {
        return Ok(());
    }
    Err(Refusal::new(
        RefusalKind::Status,
        "cannot keep later turns here: the model continues from this edit",
    ))
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
            NodeKind::Prompt | NodeKind::Answer => revise::revise_text(draft, (*node, *base), text, reason),
            NodeKind::Call | NodeKind::Observation | NodeKind::Repair | NodeKind::Intervention => {
                Err(Refusal::new(
                    RefusalKind::Unknown,
                    format!("cannot rewrite {node}: it is not a prompt, thought or answer"),
                ))
            }
        },
        Edit::Observation { node, base, value } => revise::observation(draft, (*node, *base), value, reason),
        Edit::InsertPrompt { after, text } => insert::prompt(draft, *after, text, reason),
        Edit::InsertThought { after, text } => insert::thought(draft, *after, text, reason),
        Edit::InsertCall { after, tool, args } => insert::call(draft, advice, *after, (tool, args), reason),
        Edit::Copy { node, base, from } => copy_node::take(draft, (*node, *base), *from, reason),
        Edit::RejectAnswer {
            node,
            base,
            reason: why,
        } => revise::reject_answer(draft, advice, (*node, *base), why),
        Edit::Delete { node, base } => revise::delete(draft, (*node, *base), reason),
    }
}

/// Asks the model again for a whole turn. The turn and all later ones are superseded, and the
/// request is made although its reply is recorded.
pub(super) fn regenerate_turn(draft: &mut Draft<'_>, id: TurnId) -> Result<(), Refusal> {
    let turn = acting(draft.state, id)?;
    if turn.asked == 0 {
        return Err(Refusal::new(
            RefusalKind::Status,
            format!("{id} is the operator's own: the model was not asked for it"),
        ));
    }
    let committed = EditEvent::Committed {
        epoch: draft.epoch,
        intervention: draft.node(NodeKind::Intervention),
        target: None,
        after: Some(id),
        what: Arc::from(format!("{} {id}", effective_status::ASKS_AGAIN)),
        reason: None,
        by: None,
    };
    regenerate(draft, turn, committed)
}
