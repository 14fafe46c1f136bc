//! Builds the messages of a request from the active nodes of a thread.
//!
//! Must not know: wire formats, when a request is made.
//!
//! A function of the state alone, so that what was sent can always be shown again.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::result::result_text;
use super::{CalledAs, Message, ModelText, NoteKind};
use crate::branch;
use crate::call::Call;
use crate::escape::open_step;
use crate::id::{NodeId, NodeKind, Rev, ThreadId, TurnId};
use crate::ledger;
use crate::node::{Channel, Content, Node, Origin};
use crate::output;
use crate::reduction::{self, left_out};
use crate::state::State;
use crate::thread;
use crate::turn::{Producer, Turn};

/// The messages of a thread before a turn; all of them where no turn is named.
///
/// Suspended turns are left out together with superseded ones: a request never shows them.
pub fn messages(state: &State, thread: ThreadId, before: Option<TurnId>) -> Vec<Message> {
    messages_of(state, thread, before, TurnScope::Active)
}

/// Which turns of a thread count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnScope {
    /// Those that no edit holds.
    Active,
    /// Suspended turns as well: what would be sent if they became active again.
    WithHeld,
}

/// The messages of a thread before a turn, with a choice of the turns that count.
pub fn messages_of(
    state: &State,
    thread: ThreadId,
    before: Option<TurnId>,
    status: TurnScope,
) -> Vec<Message> {
    let shortened = reduction::shortened(state, thread, before);
    outline(state, thread, before, status)
        .into_iter()
        .filter_map(|piece| message(state, piece, &shortened))
        .collect()
}

/// A message whose text was not made yet: a caller that needs only the outline does not pay for the
/// text.
#[derive(Debug, Clone)]
pub enum Piece<'s> {
    /// A prompt.
    User(&'s Node),
    /// What was said and called.
    Assistant(Vec<ModelText>, Vec<&'s Call>),
    /// The result of a call.
    Result(&'s Call),
    /// A note from the console.
    Note(NoteKind, Cow<'static, str>),
}

/// Returns the outline of the messages of a thread before a turn.
pub fn outline(state: &State, thread: ThreadId, before: Option<TurnId>, status: TurnScope) -> Vec<Piece<'_>> {
    let end = before
        .and_then(|turn| state.turns.get(&turn))
        .map_or(u32::MAX, |turn| turn.pos);
    outline_to(state, thread, (before, end), status)
}

/// The same up to a place in the thread, as it is for the request of a turn.
pub fn outline_to(
    state: &State,
    thread: ThreadId,
    (before, end): (Option<TurnId>, u32),
    status: TurnScope,
) -> Vec<Piece<'_>> {
    outline_in(state, thread, (before, 0..end), status)
}

/// The part of that outline which the turns at some places give.
pub(crate) fn outline_in(
    state: &State,
    thread: ThreadId,
    (before, places): (Option<TurnId>, Range<u32>),
    status: TurnScope,
) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let absent = left_out::turns(state, thread, before);
    // A note stands for turns that may lie before these places.
    let first = if absent.is_empty() { places.start } else { 0 };
    let line = state.turns_of(thread).rev();
    let mut turns: Vec<&Turn> = line
        .skip_while(|turn| turn.pos >= places.end)
        .take_while(|turn| turn.pos >= first)
        .filter(|turn| turn.is_active() || status == TurnScope::WithHeld)
        .collect();
    turns.reverse();
    let mut notes = left_out::notes(state, &turns, &absent);
    turns.retain(|turn| turn.pos >= places.start);
    let mut turns = turns.into_iter().peekable();
    while let Some(turn) = turns.next() {
        if absent.contains_key(&turn.id) {
            let note = notes.remove(&turn.id);
            pieces.extend(note.map(|text| Piece::Note(NoteKind::LeftOut, Cow::Owned(text))));
            continue;
        }
        turn_pieces(state, turn, &mut pieces);
        if let Some(unfit) = output::of(state, turn) {
            let reported = output::retry_message(unfit);
            pieces.push(Piece::Note(NoteKind::AnswerRejected, Cow::Owned(reported)));
        }
        // If the operator's own thought comes next, the model continues from that.
        let thought_follows = turns
            .peek()
            .is_some_and(|next| next.split && next.producer == Producer::Operator);
        if thought_follows {
            pieces.pop_if(|piece| matches!(piece, Piece::Note(_, text) if *text == TAKEN_AWAY));
        }
    }
    pieces
}

/// The notes at the end of the messages of a thread before a turn.
pub fn last_notes(state: &State, thread: ThreadId, before: TurnId) -> Vec<Message> {
    let end = state.turns.get(&before).map_or(u32::MAX, |turn| turn.pos);
    let mut pieces = Vec::new();
    let line = state.turns_of(thread).rev();
    for turn in line.filter(|turn| turn.pos < end && turn.is_active()) {
        pieces = outline_in(state, thread, (Some(before), turn.pos..end), TurnScope::Active);
        let last = pieces.iter().rposition(|piece| !matches!(piece, Piece::Note(..)));
        if let Some(last) = last {
            pieces.drain(..=last);
            break;
        }
    }
    let notes = pieces.into_iter();
    notes
        .filter_map(|piece| message(state, piece, &BTreeSet::new()))
        .collect()
}

/// Makes the message of a piece; none for a call without content.
pub fn message(state: &State, piece: Piece<'_>, shortened: &BTreeSet<NodeId>) -> Option<Message> {
    Some(match piece {
        Piece::User(node) => Message::User {
            node: node.id,
            text: Arc::from(node.text()),
        },
        Piece::Assistant(stated, calls) => Message::Assistant {
            texts: stated,
            calls: calls.iter().filter_map(|call| called(state, call)).collect(),
        },
        Piece::Result(call) => return result(state, call, shortened.contains(&call.id)),
        Piece::Note(about, text) => Message::Note {
            about,
            text: Arc::from(&*text),
        },
    })
}

/// The outline of one turn alone.
pub fn pieces_in<'s>(state: &'s State, turn: &Turn) -> Vec<Piece<'s>> {
    let mut pieces = Vec::new();
    turn_pieces(state, turn, &mut pieces);
    pieces
}

/// The messages of one turn alone.
pub fn messages_in(state: &State, turn: &Turn, shortened: &BTreeSet<NodeId>) -> Vec<Message> {
    let messages = pieces_in(state, turn).into_iter();
    messages
        .filter_map(|piece| message(state, piece, shortened))
        .collect()
}

/// Notices of the newest request alone: orphaned effects, a loop, a tool with an open breaker, a
/// limit that is near. Later requests do not repeat them.
pub fn notices(state: &State, turn: &Turn) -> Vec<Message> {
    let mut notices = Vec::new();
    notices.extend(ledger::orphan_notice(state).map(|text| Message::Note {
        about: NoteKind::Notice,
        text,
    }));
    notices.extend(open_step::notice(state, turn).map(|text| Message::Note {
        about: NoteKind::Notice,
        text,
    }));
    notices.extend(turn.more.notices.iter().map(|text| Message::Note {
        about: NoteKind::Notice,
        text: text.clone(),
    }));
    let of_run = state
        .settings
        .limits
        .turns
        .map(|most| most.saturating_sub(state.tally.requests));
    let of_child = state.threads.children.get(&turn.thread);
    let of_child = of_child.map(|child| {
        child
            .max_turns
            .saturating_sub(thread::turns_used(state, turn.thread))
    });
    if turn.last {
        notices.push(notice(
            "This is the last request: no tools are left. Give your answer.".into(),
        ));
    } else if of_run == Some(1) || of_child == Some(1) {
        notices.push(notice(
            "One request is left after this one. Finish your work now.".into(),
        ));
    }
    notices
}

fn notice(text: String) -> Message {
    Message::Note {
        about: NoteKind::Notice,
        text: Arc::from(text),
    }
}

fn turn_pieces<'s>(state: &'s State, turn: &Turn, out: &mut Vec<Piece<'s>>) {
    if turn.producer == Producer::Server {
        return;
    }
    let nodes: Vec<&Node> = turn
        .nodes
        .iter()
        .filter_map(|id| state.nodes.get(id))
        .filter(|node| node.active || is_rejected(state, node))
        .collect();
    if matches!(turn.producer, Producer::Operator | Producer::Delegate) {
        operator_pieces(state, turn, &nodes, out);
        return;
    }
    let calls: Vec<&Call> = nodes
        .iter()
        .filter(|node| node.as_call().is_some())
        .filter_map(|node| state.calls.get(&node.id))
        .collect();
    let mut stated: Vec<ModelText> = nodes.iter().filter_map(|node| model_text(node)).collect();
    // A rewritten thought after calls comes after their results: the model continues from there.
    let tail = match (turn.split, calls.last(), stated.last()) {
        (true, Some(call), Some(last)) if last.node > call.id => stated.pop(),
        _ => None,
    };
    if !stated.is_empty() || !calls.is_empty() {
        out.push(Piece::Assistant(stated, calls.clone()));
    }
    out.extend(calls.into_iter().map(Piece::Result));
    if let Some(tail) = tail {
        out.push(Piece::Assistant(vec![tail], Vec::new()));
    }
    if turn.split {
        let by_operator = nodes
            .iter()
            .rfind(|node| node.id.kind == NodeKind::Thought)
            .is_some_and(|node| matches!(node.now().origin, Origin::Operator { .. }));
        out.push(Piece::Note(
            NoteKind::ThoughtRewritten,
            Cow::Borrowed(if by_operator { REWRITTEN } else { TAKEN_AWAY }),
        ));
    }
}

/// Returns true for an answer that the operator rejected on this branch, and for a call that gave it. They stay in the
/// history, so that the model sees what was rejected.
fn is_rejected(state: &State, node: &Node) -> bool {
    let is_settled = |id: &NodeId| {
        let call = state.calls.get(id);
        call.is_none_or(|call| call.status.is_settled())
    };
    let mut edits = state
        .operator
        .edits
        .iter()
        .filter(|edit| edit.rejected.contains(&node.id));
    let Some(first) = edits.next().filter(|_| is_settled(&node.id)) else {
        return false;
    };
    let line = branch::line(state, state.epoch);
    std::iter::once(first)
        .chain(edits)
        .any(|edit| line.holds(edit.epoch))
}

const REWRITTEN: &str = "The operator rewrote your last thought above. Continue from it as it stands now; \
     what you had planned after the old one no longer holds.";

const TAKEN_AWAY: &str = "The operator took away what you thought next, and all that followed from it. \
     Continue from what stands above.";

/// Note on a call that the operator inserted; part of every later request.
pub const INSERTED: &str = "The operator made the last call and shows you its result.";

fn operator_pieces<'s>(state: &'s State, turn: &Turn, nodes: &[&'s Node], out: &mut Vec<Piece<'s>>) {
    for node in nodes {
        match node.id.kind {
            NodeKind::Prompt => out.push(Piece::User(node)),
            NodeKind::Thought => {
                if let Some(stated) = model_text(node) {
                    out.push(Piece::Assistant(vec![stated], Vec::new()));
                }
                if turn.split {
                    out.push(Piece::Note(NoteKind::ThoughtRewritten, Cow::Borrowed(REWRITTEN)));
                }
            }
            NodeKind::Call => {
                let Some(call) = state.calls.get(&node.id).filter(|_| node.as_call().is_some()) else {
                    continue;
                };
                out.push(Piece::Assistant(Vec::new(), vec![call]));
                out.push(Piece::Result(call));
                out.push(Piece::Note(NoteKind::Notice, Cow::Borrowed(INSERTED)));
            }
            NodeKind::Observation | NodeKind::Answer | NodeKind::Repair | NodeKind::Intervention => {}
        }
    }
}

fn model_text(node: &Node) -> Option<ModelText> {
    if !matches!(node.id.kind, NodeKind::Thought | NodeKind::Answer) {
        return None;
    }
    let Content::Text {
        text,
        channel,
        opaque,
    } = &node.now().content
    else {
        return None;
    };
    if text.is_empty() && opaque.is_none() {
        return None;
    }
    let by_operator = matches!(node.now().origin, Origin::Operator { .. });
    Some(ModelText {
        node: node.id,
        text: text.clone(),
        reasoning: *channel == Channel::Reasoning && !by_operator,
        // A provider's block belongs to the words that it was made with.
        opaque: if by_operator { None } else { opaque.clone() },
        by_operator,
    })
}

fn called(state: &State, call: &Call) -> Option<CalledAs> {
    let (tool, args) = state.nodes.get(&call.id)?.as_call()?;
    Some(CalledAs {
        node: call.id,
        wire_id: wire_id(call),
        tool: tool.clone(),
        args: args.clone(),
        opaque: opaque(state, call).cloned(),
    })
}

/// Members that the provider added to a call. They belong to the revision that they came with.
pub fn opaque<'s>(state: &'s State, call: &Call) -> Option<&'s Arc<str>> {
    let node = state.nodes.get(&call.id)?;
    if node.current != Rev(1) || node.now().origin != Origin::Model {
        return None;
    }
    let added = &state.turns.get(&node.turn)?.more.opaque;
    added
        .iter()
        .find(|(id, _)| *id == call.id)
        .map(|(_, opaque)| opaque)
}

fn result(state: &State, call: &Call, is_short: bool) -> Option<Message> {
    let (tool, _) = state.nodes.get(&call.id)?.as_call()?;
    let (text, is_error) = result_text(state, call);
    let text = if is_short {
        reduction::short_form(&text, call.id)
    } else {
        text
    };
    Some(Message::Result {
        call: call.id,
        wire_id: wire_id(call),
        tool: tool.clone(),
        text: Arc::from(text),
        is_error,
    })
}

/// The id by which requests name a call: unique in a session, whatever the provider sent.
fn wire_id(call: &Call) -> Arc<str> {
    match &call.provider_id {
        Some(id) if !id.is_empty() => Arc::from(format!("{id}_{}", call.id)),
        _ => Arc::from(format!("call_{}", call.id)),
    }
}
