//! Computes the changes that make an earlier branch current again.
//!
//! Must not know: who asks.
//!
//! A call that had ended returns as it ended. A call that had not ended continues if the branches
//! share it, and restarts otherwise: approvals never come back.

use std::collections::BTreeMap;
use std::sync::Arc;

use shared::{Shared, state_at};

use super::line;
use crate::call::{Status, Way};
use crate::correction;
use crate::history::{Line, Then};
use crate::id::{Attempt, Epoch, NodeId, NodeKind, Rev, Seq, TurnId};
use crate::node::{Content, Node, NodeState, Origin, Revision};
use crate::node_set::NodeSet;
use crate::server_question;
use crate::state::{EditRecord, LedgerOutcome, State};
use crate::thread::{self, Child};
use crate::turn::{Activity, Stream, StreamFault, StreamFaultKind, Turn, TurnState};

mod shared;

/// The changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Moves {
    /// Nodes that become superseded.
    pub falls: Vec<NodeId>,
    /// Nodes that become active again or get other content.
    pub restored: Vec<(NodeId, NodeState)>,
    /// Turns that become superseded.
    pub turns_fall: Vec<TurnId>,
    /// Turns that become active again or change.
    pub turns_restored: Vec<(TurnId, TurnState)>,
    /// Calls whose status changes.
    pub calls: Vec<(NodeId, CallMove)>,
    /// Executions with effects whose results become superseded.
    pub orphaned: Vec<Seq>,
    /// Executions with effects whose results become active again.
    pub attached: Vec<Seq>,
}

/// What happens to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallMove {
    /// It returns as it ended.
    Ended(Box<Way>),
    /// It had not ended: it restarts.
    Restart,
    /// It continues from its status, after a check that its inputs are the same.
    Resume,
    /// Its sub-agent had not ended on the other branch: the same execution continues.
    WorksOn(Attempt),
}

impl Moves {
    /// True if nothing would change.
    pub fn is_empty(&self) -> bool {
        self.falls.is_empty()
            && self.restored.is_empty()
            && self.turns_fall.is_empty()
            && self.turns_restored.is_empty()
            && self.calls.iter().all(|(_, to)| *to == CallMove::Resume)
    }
}

/// The changes that make the end of an epoch current again.
pub fn recall(state: &State, of: Epoch) -> Moves {
    let line = line(state, of);
    let mut moves = Moves::default();
    let mut shared = Shared {
        now: super::line(state, state.epoch),
        ..Shared::default()
    };
    for turn in state.turns.values().filter(|turn| turn.thread == thread::ROOT) {
        recall_turn(state, turn, &line, &mut moves, &mut shared);
    }
    // Edits that did not touch a sub-agent did not affect its work. Parents come before children.
    for (id, child) in &state.threads.children {
        if went_on(state, child, &line, &shared) {
            let turns: Vec<TurnId> = state.turns_of(*id).map(|turn| turn.id).collect();
            shared.common.extend(&turns);
            shared.turns.extend(turns);
            shared.children.insert(*id);
            continue;
        }
        let turns = state.threads.turns.get(id).into_iter().flatten();
        for turn in turns.filter_map(|id| state.turns.get(id)) {
            recall_turn(state, turn, &line, &mut moves, &mut shared);
        }
    }
    for turn in state.turns.values() {
        if !shared.children.contains(&turn.thread) && !stays(state, turn) {
            recall_nodes(state, turn, &line, &shared, &mut moves);
        }
    }
    moves.restored.sort_unstable_by_key(|(id, _)| *id);
    moves.calls.sort_unstable_by_key(|(id, _)| *id);
    moves.falls.sort_unstable();
    questions(state, &mut moves);
    ledger(state, &mut moves);
    moves
}

/// True for a turn that no choice of a branch changes: the question of an execution under way, which lives as long as
/// that, and words that the agent of another program sends again.
fn stays(state: &State, turn: &Turn) -> bool {
    server_question::is_of_running(state, turn) || turn.is_active() && state.has_words_of_agent(turn)
}

/// What the servers of falling calls asked falls with them.
fn questions(state: &State, moves: &mut Moves) {
    let asking: NodeSet = moves.falls.iter().copied().collect();
    for turn in server_question::asked_by(state, &asking) {
        moves.turns_fall.push(turn.id);
        let is_active = |id: &&NodeId| state.nodes.get(id).is_some_and(|node| node.active);
        moves.falls.extend(turn.nodes.iter().filter(is_active));
    }
}

/// The changes that make one superseded turn active again as it was at the end of an epoch.
pub fn recall_reply(state: &State, id: TurnId, of: Epoch) -> Moves {
    let line = line(state, of);
    let mut moves = Moves::default();
    let Some(turn) = state.turns.get(&id) else {
        return moves;
    };
    let condition = match turn.history.at(&line) {
        Then::Was(was) => was.clone(),
        Then::Now | Then::Absent => return moves,
    };
    // Its request is the same as before.
    let condition = TurnState {
        activity: Activity::Active,
        drifted: false,
        ..condition
    };
    moves.turns_restored.push((id, condition));
    let mut open = vec![turn];
    while let Some(turn) = open.pop() {
        recall_nodes(state, turn, &line, &Shared::default(), &mut moves);
        for id in &turn.nodes {
            open.extend(recall_work(state, *id, &line, &mut moves));
        }
    }
    ledger(state, &mut moves);
    moves
}

/// Restores the work of a sub-agent with the result of its call; returns the turns of that work.
fn recall_work<'s>(state: &'s State, call: NodeId, line: &Line, moves: &mut Moves) -> Vec<&'s Turn> {
    let mut back = Vec::new();
    let threads = state.calls.get(&call).into_iter().flat_map(|call| &call.attempts);
    for thread in threads.filter_map(|attempt| attempt.thread) {
        let turns = state.threads.turns.get(&thread).into_iter().flatten();
        for turn in turns.filter_map(|id| state.turns.get(id)) {
            if let Then::Was(was) = turn.history.at(line)
                && was.activity == Activity::Active
            {
                moves.turns_restored.push((turn.id, was.clone()));
                back.push(turn);
            }
        }
    }
    back
}

/// True if a sub-agent works, or ended, for the same execution as at the end of a line, and no edit
/// between the branches changed its work.
fn went_on(state: &State, child: &Child, line: &Line, shared: &Shared) -> bool {
    let id = child.call;
    let found = (state.turn_of(id), state.nodes.get(&id), state.calls.get(&id));
    let (Some(turn), Some(node), Some(call)) = found else {
        return false;
    };
    let same_call = node.active
        && shared.common.contains(&turn.id)
        && state_at((turn, node), line, shared).is_some_and(|then| then.rev == node.rev());
    let ended = matches!(call.history.at(line), Then::Was(way) if way.status.is_settled());
    let distinguishes = |edit: &&EditRecord| line.holds(edit.epoch) != shared.now.holds(edit.epoch);
    let of_its_work = |edit: &EditRecord| {
        edit.thread == child.thread
            || thread::above(state, edit.thread).any(|above| above.parent == child.thread)
    };
    same_call
        && !ended
        && thread::is_active(state, child)
        && !state.operator.edits.iter().filter(distinguishes).any(of_its_work)
}

fn recall_turn(state: &State, turn: &Turn, line: &Line, moves: &mut Moves, shared: &mut Shared) {
    if stays(state, turn) {
        return;
    }
    let is_history = matches!(turn.activity, Activity::Superseded(_));
    let was = match turn.history.at(line) {
        Then::Now => {
            if !is_history {
                shared.common.insert(turn.id);
            }
            if matches!(turn.stream, Stream::Open | Stream::Broken(_)) && !is_history {
                shared.turns.insert(turn.id);
            }
            return;
        }
        Then::Was(was) if !matches!(was.activity, Activity::Superseded(_)) => was,
        Then::Was(_) | Then::Absent => {
            if !is_history {
                moves.turns_fall.push(turn.id);
            }
            return;
        }
    };
    let continues = !is_history && was.request == turn.request && was.split == turn.split;
    let was_cut = !matches!(was.stream, Stream::Closed(_) | Stream::Aborted(_));
    if !continues && was_cut {
        // Parts of the reply that arrived before another branch cut it belong to this branch as
        // well.
        let same = |then: &TurnState| {
            !matches!(then.activity, Activity::Superseded(_))
                && then.request == was.request
                && then.split == was.split
        };
        if let Some((last, _)) = turn.history.spans().find(|(_, then)| same(then)) {
            let line = super::line(state, last);
            shared.arrived.insert(turn.id, (line, was.request.clone()));
        }
    }
    let condition = if continues {
        // Both branches share the reply: edits between them did not affect what arrived since.
        shared.common.insert(turn.id);
        if was_cut {
            shared.turns.insert(turn.id);
        }
        let now = TurnState {
            activity: was.activity,
            drifted: was.drifted,
            // Whether an unfinished turn has ended is computed again.
            settled: was.settled,
            ..turn.state()
        };
        if matches!(
            (&was.stream, &turn.stream),
            (Stream::Broken(_), Stream::Aborted(_))
        ) {
            // The edit continued from the arrived part; without it that is undecided again.
            TurnState {
                stream: was.stream.clone(),
                settled: was.settled,
                ..now
            }
        } else {
            now
        }
    } else {
        TurnState {
            stream: cut(&was.stream),
            ..was.clone()
        }
    };
    if condition != turn.state() {
        moves.turns_restored.push((turn.id, condition));
    }
}

/// A stream that an edit ended is requested again, and matched with what had arrived.
fn cut(stream: &Stream) -> Stream {
    match stream {
        Stream::Open => Stream::Broken(StreamFault {
            kind: StreamFaultKind::Crash,
            message: "an edit ended this stream, and the edit is no longer active".into(),
            retry_after_ms: None,
        }),
        other => other.clone(),
    }
}

fn recall_nodes(state: &State, turn: &Turn, line: &Line, shared: &Shared, moves: &mut Moves) {
    for node in turn.nodes.iter().filter_map(|id| state.nodes.get(id)) {
        match node.id.kind {
            // Records of acts stay; a result follows its call.
            NodeKind::Intervention | NodeKind::Repair | NodeKind::Observation => {}
            NodeKind::Call => recall_call(state, (turn, node), line, shared, moves),
            NodeKind::Prompt | NodeKind::Thought | NodeKind::Answer => {
                set(node, state_at((turn, node), line, shared), moves);
            }
        }
    }
}

fn set(node: &Node, then: Option<NodeState>, moves: &mut Moves) {
    match then {
        Some(condition) if condition != node.state() => moves.restored.push((node.id, condition)),
        None if node.active => moves.falls.push(node.id),
        Some(_) | None => {}
    }
}

fn recall_call(state: &State, (turn, node): (&Turn, &Node), line: &Line, shared: &Shared, moves: &mut Moves) {
    let Some(call) = state.calls.get(&node.id) else {
        return;
    };
    let then = state_at((turn, node), line, shared);
    set(node, then, moves);
    let Some(then) = then else { return };
    let continues = node.active && node.rev() == then.rev;
    let observation = state.nodes.get(&node.id.observation());
    let observed = |observation: &Node| match observation.history.at(line) {
        Then::Now => Some(observation.state()).filter(|now| now.active),
        Then::Was(was) => Some(*was).filter(|was| was.active),
        Then::Absent => None,
    };
    let had_ended = |status: &Status| status.is_settled() || *status == Status::Invalid;
    match call.history.at(line) {
        Then::Was(way) if had_ended(&way.status) => {
            if let Some(observation) = observation {
                set(observation, observed(observation), moves);
            }
            moves
                .calls
                .push((node.id, CallMove::Ended(Box::new(way.clone()))));
        }
        Then::Now if continues => {
            // A corrected result leaves the call itself unchanged.
            if let Some(observation) = observation
                && had_ended(&call.status)
            {
                set(observation, observed(observation), moves);
            }
        }
        Then::Now if had_ended(&call.status) => {
            if let Some(observation) = observation {
                set(observation, observed(observation), moves);
            }
            moves.calls.push((node.id, CallMove::Ended(Box::new(call.way()))));
        }
        _ if continues && !was_taken(state, node.id, line) => {
            if let Some((condition, status)) = before_correction(state, node.id, line) {
                if let Some(observation) = observation {
                    set(observation, Some(condition), moves);
                }
                let way = Way {
                    status,
                    // Its inputs are checked, as for any call that continues.
                    suspect: true,
                    ..call.way()
                };
                moves.calls.push((node.id, CallMove::Ended(Box::new(way))));
                return;
            }
            let child =
                thread::child_of(state, call).filter(|child| !shared.children.contains(&child.thread));
            if let Some(child) = child.filter(|_| had_ended(&call.status)) {
                if let Some(observation) = observation {
                    set(observation, None, moves);
                }
                moves.calls.push((node.id, CallMove::WorksOn(child.attempt)));
            } else {
                moves.calls.push((node.id, CallMove::Resume));
            }
        }
        _ => {
            if let Some(observation) = observation {
                set(observation, None, moves);
            }
            moves.calls.push((node.id, CallMove::Restart));
        }
    }
}

/// The end of a call that had not ended here, if edits of another branch corrected its result
/// since.
fn before_correction(state: &State, call: NodeId, line: &Line) -> Option<(NodeState, Status)> {
    let text = uncorrected(state, call, line)?;
    if text.no == state.observation(call)?.rev() {
        return None;
    }
    let Content::Observation { outcome, .. } = &text.content else {
        return None;
    };
    let condition = NodeState {
        rev: text.no,
        active: true,
        pinned: matches!(text.origin, Origin::Operator { .. }),
    };
    Some((condition, Status::of(outcome)))
}

/// The current result of a call without corrections by other branches.
fn uncorrected<'s>(state: &'s State, call: NodeId, line: &Line) -> Option<&'s Revision> {
    let node = state.observation(call)?;
    let rev = state.nodes.get(&call)?.rev();
    let mut until = node.revisions.iter().take(node.current.0 as usize).rev();
    until.find(|text| {
        let of_this = matches!(&text.content, Content::Observation { call_rev, .. } if *call_rev == rev);
        of_this && !by_edit_of(state, text, node.id, line)
    })
}

/// True if the operator wrote a revision by an edit of another node on another branch.
fn by_edit_of(state: &State, text: &Revision, target: NodeId, line: &Line) -> bool {
    let mut edits = state
        .operator
        .edits
        .iter()
        .filter(|edit| edit.epoch == text.epoch);
    matches!(text.origin, Origin::Operator { .. })
        && !line.holds(text.epoch)
        && edits.any(|edit| edit.target == Some(target))
}

/// True if an edit of another branch gave an unfinished call its result, corrected since or not.
fn was_taken(state: &State, call: NodeId, line: &Line) -> bool {
    uncorrected(state, call, line).is_some_and(|text| by_edit_of(state, text, call, line))
}

/// Finds the effects whose results become active again or superseded.
fn ledger(state: &State, moves: &mut Moves) {
    let mut touched: NodeSet = moves.falls.iter().map(|id| id.call()).collect();
    touched.extend(moves.restored.iter().map(|(id, _)| id.call()));
    touched.extend(
        moves
            .calls
            .iter()
            .filter(|(_, to)| *to != CallMove::Resume)
            .map(|(id, _)| *id),
    );
    for (id, to) in &moves.calls {
        if matches!(to, CallMove::WorksOn(_)) {
            touched.remove(*id);
        }
    }
    let falls: NodeSet = moves.falls.iter().copied().collect();
    let remaining: BTreeMap<NodeId, NodeState> = moves.restored.iter().copied().collect();
    let after = |id: NodeId| {
        if falls.contains(id) {
            return None;
        }
        let condition = match remaining.get(&id) {
            Some(condition) => *condition,
            None => state.nodes.get(&id)?.state(),
        };
        condition.active.then_some(condition.rev)
    };
    let effects = state
        .agenda
        .effects
        .keys()
        .filter_map(|seq| state.ledger.get(seq));
    for entry in effects.filter(|entry| touched.contains(entry.call)) {
        let counts = result_after(state, entry.call, after) == Some((entry.rev, entry.attempt));
        if counts && entry.more.orphaned {
            moves.attached.push(entry.seq);
        } else if !counts && !entry.more.orphaned && entry.outcome != LedgerOutcome::DidNot {
            moves.orphaned.push(entry.seq);
        }
    }
}

/// Revision and execution of the active result of a call; `after` says which revisions are active.
fn result_after(
    state: &State,
    call: NodeId,
    after: impl Fn(NodeId) -> Option<Rev>,
) -> Option<(Rev, Attempt)> {
    let rev = after(call)?;
    let result = after(call.observation())?;
    let revision = state.nodes.get(&call.observation())?.revision(result)?;
    match &revision.content {
        Content::Observation {
            call_rev, attempt, ..
        } if *call_rev == rev => Some((rev, *attempt)),
        _ => None,
    }
}

/// Finds a recorded reply to an equal request: a superseded whole turn after the same turn. Returns
/// it with the newest epoch at whose end it was active with the corrections that are active here.
pub fn recorded_reply(state: &State, after: &Turn, request: &Arc<str>) -> Option<(TurnId, Epoch)> {
    let asked = state.agenda.replies.get(request)?;
    asked.iter().rev().find_map(|id| {
        let turn = state.turns.get(id)?;
        let following = turn.thread == after.thread && turn.pos > after.pos;
        if !following || !matches!(turn.activity, Activity::Superseded(_)) {
            return None;
        }
        let (epoch, _) = turn.history.spans().find(|(epoch, was)| {
            was.activity == Activity::Active
                && was.settled
                && !was.split
                && was.request.as_ref() == Some(request)
                && matches!(&was.stream, Stream::Closed(stop) if stop.is_whole())
                && correction::comes_back_as_here(state, turn, &super::line(state, *epoch))
        })?;
        Some((*id, epoch))
    })
}
