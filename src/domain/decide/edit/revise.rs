//! Decides edits that give a node another revision.
//!
//! Must not know: how an edit is typed or shown.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::begin::begin;
use crate::advice::Advice;
use crate::call::{Call, Digest, EffectClass, Outcome, Status};
use crate::decide::checks::{newest_attempt, valid_json};
use crate::draft::Draft;
use crate::effective_status;
use crate::event::{CallEvent, EditEvent, TurnEvent};
use crate::graph;
use crate::id::{Attempt, NodeId, NodeKind, Rev};
use crate::invalidation::{
    cancel_running, invalidate_after_value, lose_corrections, orphan, supersede_after, supersede_turns,
    suspect, suspect_readers, suspect_readers_of_gone,
};
use crate::node::{Channel, Content, Node, Origin};
use crate::ready;
use crate::reference::OutPath;
use crate::refusal::{Refusal, RefusalKind};
use crate::regenerate;
use crate::sandbox::outside;
use crate::state::State;
use crate::tags;
use crate::thread;
use crate::turn::{Activity, Producer, Stream, Turn};

type Reason<'a> = Option<&'a Arc<str>>;

/// The node, if it is active and has the revision that the edit was based on.
pub(super) fn base(state: &State, id: NodeId, rev: Rev) -> Result<&Node, Refusal> {
    let node = state
        .nodes
        .get(&id)
        .ok_or_else(|| Refusal::new(RefusalKind::Unknown, format!("there is no {id}")))?;
    let turn = state.turns.get(&node.turn);
    let activity = turn.map(|turn| thread::activity(state, turn));
    if node.active && matches!(activity, Some(Activity::Suspended(_))) {
        return Err(Refusal::new(
            RefusalKind::Status,
            format!("{id} is suspended until an edit before it takes effect; hint: wait"),
        ));
    }
    if !node.active || matches!(activity, Some(Activity::Superseded(_))) {
        return Err(Refusal::new(
            RefusalKind::Superseded,
            format!(
                "{id} is superseded: {}",
                effective_status::replaced_words(state, id)
            ),
        ));
    }
    if node.rev() != rev {
        return Err(Refusal::new(
            RefusalKind::Changed,
            format!(
                "{id} changed since your edit began (you had revision {}, it is {}); hint: review it",
                rev.0,
                node.rev().0
            ),
        ));
    }
    regenerate::not_pinned_above(state, thread::of(state, id))?;
    Ok(node)
}

fn no_change(id: NodeId) -> Refusal {
    Refusal::new(
        RefusalKind::NoChange,
        format!("no change: {id} already has this text"),
    )
}

fn revised(draft: &mut Draft<'_>, node: NodeId, content: Content, approves: Option<Digest>) {
    let origin = Origin::Operator { user: draft.user() };
    let rev = draft.state.nodes.get(&node).map(Node::next_rev);
    draft.edit(EditEvent::Revised {
        node,
        rev: rev.unwrap_or_default(),
        content,
        origin,
        approves,
    });
}

fn text_content(text: &Arc<str>) -> Content {
    Content::Text {
        text: text.clone(),
        channel: Channel::Spoken,
        opaque: None,
    }
}

fn not_blank(id: NodeId, text: &str) -> Result<(), Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::new(
            RefusalKind::Invalid,
            format!("cannot rewrite {id} to nothing; hint: delete it instead"),
        ));
    }
    Ok(())
}

pub(super) fn call(
    draft: &mut Draft<'_>,
    advice: &dyn Advice,
    (id, rev): (NodeId, Rev),
    (tool, args): (&Arc<str>, &Arc<str>),
    shown: bool,
    reason: Reason<'_>,
) -> Result<(), Refusal> {
    let node = base(draft.state, id, rev)?;
    let (Some((old_tool, old_args)), Some(life)) = (node.as_call(), draft.state.calls.get(&id)) else {
        return Err(Refusal::new(RefusalKind::Unknown, format!("{id} is not a call")));
    };
    if old_tool == tool && old_args == args {
        return Err(no_change(id));
    }
    check_args(draft.state, advice, id, tool, args)?;
    let what = if old_tool == tool {
        format!("edit arguments of {id}")
    } else {
        format!("replace {id}: {old_tool} by {tool}")
    };
    begin(draft, Some(id), &what, reason);
    if let Status::Running(attempt) = life.status {
        draft.call(CallEvent::CancelAsked {
            call: id,
            attempt,
            reason: "its arguments were edited".into(),
        });
    }
    let started = newest_attempt(life).0 > 0;
    // A call that has ended, or that the model has seen, has consequences.
    let reported =
        life.status.is_settled() || draft.state.turns.get(&node.turn).is_some_and(|turn| turn.settled);
    orphan(draft, &[id]);
    lose_corrections(draft, &[id]);
    let approves = edit_approves(draft.state, advice, life, (tool, args), shown);
    let content = Content::Call {
        tool: tool.clone(),
        args: args.clone(),
    };
    revised(draft, id, content, approves);
    let mut readers = crate::graph::readers_of(draft.state, id);
    readers.extend(readers_of_new_names(draft.state, id, args));
    suspect(draft, readers);
    if reported || started {
        supersede_after(draft, node.turn);
    }
    Ok(())
}

/// Calls that read a name that only the new arguments have.
fn readers_of_new_names(state: &State, id: NodeId, args: &str) -> BTreeSet<NodeId> {
    let scanned = state.scan(args);
    let label = scanned.label.unwrap_or_else(|| id.to_string());
    let heads = scanned.out.as_ref().map(OutPath::heads).unwrap_or_default();
    crate::graph::readers_of_names(state, id, &label, &heads)
}

/// Refuses arguments that the tool does not accept.
pub(super) fn check_args(
    state: &State,
    advice: &dyn Advice,
    id: NodeId,
    tool: &str,
    args: &str,
) -> Result<(), Refusal> {
    if advice.tool(tool).is_none() {
        let near = advice.near(tool);
        let hint = if near.is_empty() {
            String::new()
        } else {
            format!(" Did you mean {}?", near.join(", "))
        };
        return Err(Refusal::new(
            RefusalKind::Invalid,
            format!("there is no tool `{tool}`.{hint}"),
        ));
    }
    let mut faults = advice.check(tool, args, false);
    faults.extend(state.scan(args).faults);
    if advice.tool(tool).is_some_and(|facts| facts.delegates()) {
        faults.extend(crate::delegate::faults_of(advice, args));
    }
    if faults.is_empty() {
        return Ok(());
    }
    let list: Vec<String> = faults
        .iter()
        .map(|fault| format!("{} {}", fault.path, fault.message).trim().to_owned())
        .collect();
    Err(Refusal {
        kind: RefusalKind::Invalid,
        message: format!("the arguments of {id} do not fit {tool}: {}", list.join("; ")),
        faults,
    })
}

/// Whether the commit of an edit also approves its content. Its inputs must be known, its effect
/// class not higher than before, and its effect reversible. If it can change the world, the
/// difference must have been on screen. A call that would now leave the sandbox asks.
fn edit_approves(
    state: &State,
    advice: &dyn Advice,
    life: &Call,
    (tool, args): (&Arc<str>, &Arc<str>),
    shown: bool,
) -> Option<Digest> {
    let facts = advice.tool(tool)?;
    let before = state.nodes.get(&life.id).and_then(Node::as_call);
    let before = before.map_or(EffectClass::Pure, |(tool, args)| advice.effect(state, tool, args));
    let as_edited = ready::with_args(state, life, args);
    let ready::Readiness::Bound { resolved, .. } = ready::look_with(state, &as_edited, args) else {
        return None;
    };
    let alone = tags::confirmation_of(state, tool).is_some();
    let leaves = outside(args).is_some_and(|reason| {
        let old = state.nodes.get(&life.id).and_then(Node::as_call);
        old.and_then(|(_, args)| outside(args)) != Some(reason)
    });
    let bytes = resolved.as_deref().unwrap_or(args);
    if advice.effect(state, tool, bytes) > before || (facts.must_be_seen() && !shown) || alone || leaves {
        return None;
    }
    let rev = state.nodes.get(&life.id)?.next_rev();
    Some(advice.digest(life.id, rev, (tool, bytes), &advice.operands(tool, bytes)))
}

pub(super) fn thought(
    draft: &mut Draft<'_>,
    (id, rev): (NodeId, Rev),
    text: &Arc<str>,
    reason: Reason<'_>,
) -> Result<(), Refusal> {
    let node = base(draft.state, id, rev)?;
    if node.text() == &**text {
        return Err(no_change(id));
    }
    not_blank(id, text)?;
    begin(draft, Some(id), &format!("rewrite {id}"), reason);
    revised(draft, id, text_content(text), None);
    split_at(draft, id);
    Ok(())
}

/// Supersedes what the model streamed after a thought; the turn is closed there and continued.
fn split_at(draft: &mut Draft<'_>, id: NodeId) {
    close_after(draft, id, "a thought before it was rewritten");
}

/// Supersedes what the model streamed after a node; the turn is closed there, and the thread
/// continues from it.
pub(super) fn close_after(draft: &mut Draft<'_>, id: NodeId, why: &str) {
    let Some(turn) = draft.state.turn_of(id) else {
        return;
    };
    let after = graph::after_in_turn(draft.state, id);
    if !matches!(turn.stream, Stream::Closed(_)) {
        draft.turn_event(TurnEvent::Aborted {
            turn: turn.id,
            reason: Arc::from(why),
        });
    }
    cancel_running(draft, &after, why);
    orphan(draft, &after);
    suspect_readers_of_gone(draft, &after);
    if !after.is_empty() {
        draft.edit(EditEvent::Superseded { nodes: after });
    }
    if !turn.split {
        draft.turn_event(TurnEvent::Split { turn: turn.id });
    }
    supersede_after(draft, turn.id);
}

/// Revises a prompt or an answer: everything after its turn depended on the old text.
pub(super) fn revise_text(
    draft: &mut Draft<'_>,
    (id, rev): (NodeId, Rev),
    text: &Arc<str>,
    reason: Reason<'_>,
) -> Result<(), Refusal> {
    let node = base(draft.state, id, rev)?;
    if node.text() == &**text {
        return Err(no_change(id));
    }
    not_blank(id, text)?;
    begin(draft, Some(id), &format!("edit {id}"), reason);
    revised(draft, id, text_content(text), None);
    supersede_after(draft, node.turn);
    Ok(())
}

pub(super) fn reject_answer(
    draft: &mut Draft<'_>,
    advice: &dyn Advice,
    (id, shown): (NodeId, Option<Rev>),
    why: &Arc<str>,
) -> Result<(), Refusal> {
    let node = draft
        .state
        .nodes
        .get(&id)
        .filter(|node| node.id.kind == NodeKind::Answer)
        .ok_or_else(|| Refusal::new(RefusalKind::Unknown, format!("there is no answer {id}")))?;
    base(draft.state, id, shown.unwrap_or_else(|| node.rev()))?;
    if why.trim().is_empty() {
        return Err(Refusal::new(
            RefusalKind::Invalid,
            "say what is wrong with the answer: the model sees it",
        ));
    }
    let turn = node.turn;
    begin(draft, Some(id), &format!("reject {id}"), Some(why));
    // A structured answer is superseded with the call that gave it.
    let mut nodes = vec![id];
    if let Some(turn) = draft.state.turns.get(&turn) {
        nodes.extend(turn.nodes.iter().filter(|one| {
            draft.state.nodes.get(one).is_some_and(|node| {
                node.active
                    && node
                        .as_call()
                        .and_then(|(tool, _)| advice.tool(tool))
                        .is_some_and(|facts| facts.is_answer())
            })
        }));
    }
    let streams = |turn: &Turn| turn.stream == Stream::Open;
    if draft.state.turns.get(&turn).is_some_and(streams) {
        // Asked again after a cut, the model would only repeat itself.
        draft.turn_event(TurnEvent::Aborted {
            turn,
            reason: Arc::from("the operator rejected the answer"),
        });
    }
    suspect_readers_of_gone(draft, &nodes);
    draft.edit(EditEvent::Superseded { nodes });
    supersede_after(draft, turn);
    super::insert::operator_prompt(
        draft,
        Some(turn),
        &Arc::from(format!("The operator rejected your answer: {why}")),
    );
    Ok(())
}

pub(super) fn observation(
    draft: &mut Draft<'_>,
    (id, rev): (NodeId, Rev),
    value: &Arc<str>,
    reason: Reason<'_>,
) -> Result<(), Refusal> {
    let node = base(draft.state, id, rev)?;
    let call = id.call();
    let Some(life) = draft
        .state
        .calls
        .get(&call)
        .filter(|_| id.kind == NodeKind::Observation)
    else {
        return Err(Refusal::new(
            RefusalKind::Unknown,
            format!("{id} is not an observation"),
        ));
    };
    valid_json(value)?;
    if !life.status.is_settled() {
        return Err(Refusal::new(
            RefusalKind::Status,
            format!("{call} is {}; hint: answer for it instead", life.status.label()),
        ));
    }
    if matches!(node.outcome(), Some(Outcome::Ok { value: old, .. }) if old == value) {
        return Err(no_change(id));
    }
    let call_rev = draft.state.nodes.get(&call).map(Node::rev).unwrap_or_default();
    // The execution that gave the corrected result; after an undo not always the newest.
    let attempt = match &node.now().content {
        Content::Observation { attempt, .. } => *attempt,
        _ => Attempt(0),
    };
    begin(draft, Some(id), &format!("correct {id}"), reason);
    let content = Content::Observation {
        call_rev,
        attempt,
        outcome: Outcome::ok(value.clone()),
    };
    revised(draft, id, content, None);
    draft.edit(EditEvent::Pinned { node: id });
    invalidate_after_value(draft, call);
    Ok(())
}

pub(super) fn delete(
    draft: &mut Draft<'_>,
    (id, rev): (NodeId, Rev),
    reason: Reason<'_>,
) -> Result<(), Refusal> {
    let node = base(draft.state, id, rev)?;
    match id.kind {
        NodeKind::Prompt => {
            let own = thread::of(draft.state, id);
            let is_prompt = |one: &NodeId| {
                one.kind == NodeKind::Prompt && draft.state.nodes.get(one).is_some_and(|node| node.active)
            };
            let mut prompts = draft.state.turns_of(own).flat_map(|turn| &turn.nodes);
            if prompts.find(|one| is_prompt(one)) == Some(&id) {
                let what = if own == thread::ROOT { "run" } else { "sub-agent" };
                return Err(Refusal::new(
                    RefusalKind::Status,
                    format!("cannot delete {id}: it is the task of the {what}; hint: edit it instead"),
                ));
            }
            begin(draft, Some(id), &format!("delete {id}"), reason);
            revised(draft, id, Content::Deleted, None);
            supersede_after(draft, node.turn);
        }
        NodeKind::Thought => {
            begin(draft, Some(id), &format!("delete {id}"), reason);
            split_at(draft, id);
            revised(draft, id, Content::Deleted, None);
        }
        NodeKind::Call => {
            begin(draft, Some(id), &format!("delete {id}"), reason);
            cancel_running(draft, &[id], "it was deleted");
            orphan(draft, &[id]);
            suspect_readers(draft, id);
            supersede_after(draft, node.turn);
            revised(draft, id, Content::Deleted, None);
        }
        NodeKind::Observation => {
            return Err(Refusal::new(
                RefusalKind::Status,
                format!(
                    "cannot delete {id}: it is the result of {}; hint: correct it, or delete the call",
                    id.call()
                ),
            ));
        }
        NodeKind::Answer => {
            return Err(Refusal::new(
                RefusalKind::Status,
                format!("cannot delete {id}: it is an answer; hint: reject it, and say why"),
            ));
        }
        NodeKind::Repair | NodeKind::Intervention => {
            return Err(Refusal::new(
                RefusalKind::Status,
                format!("cannot delete {id}: it is a record"),
            ));
        }
    }
    // An operator turn without anything left in it is superseded itself.
    let empty = draft.state.turns.get(&node.turn).is_some_and(|turn| {
        turn.producer == Producer::Operator
            && !turn
                .nodes
                .iter()
                .any(|one| *one != id && draft.state.nodes.get(one).is_some_and(|n| n.active))
    });
    if empty {
        supersede_turns(draft, vec![node.turn]);
    }
    Ok(())
}
