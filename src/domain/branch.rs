//! Describes branches: their state at the end of every epoch, undo and redo targets, differences.
//!
//! Must not know: how a branch is shown, why the operator wants it.
//!
//! Nothing is copied: every node, turn and call knows its state at the end of the epochs that
//! changed it.

pub mod compare;
pub mod recall;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::history::{Line, Then};
use super::id::{Epoch, NodeId, NodeKind, TurnId};
use super::price::RunCost;
use super::state::{EpochOrigin, EpochRecord, State};
use super::thread;
use super::turn::{Activity, Usage};

/// One branch, at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The epoch of the edit that began it; its number names the branch.
    pub epoch: Epoch,
    /// The branch that it began from.
    pub base: Epoch,
    /// Describes the edit that began it.
    pub what: Arc<str>,
    /// Name that the operator gave it.
    pub name: Option<Arc<str>>,
    /// True for the current branch.
    pub current: bool,
    /// Its results and costs.
    pub sum: Sum,
}

/// The results and costs of a branch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sum {
    /// Its newest answer, with its revision on the branch.
    pub answer: Option<NodeId>,
    /// The text of that answer.
    pub text: Option<Arc<str>>,
    /// Active calls.
    pub calls: usize,
    /// Executions of those calls.
    pub executions: usize,
    /// Requests whose replies are active.
    pub requests: u32,
    /// Tokens of those requests.
    pub usage: Usage,
    /// Their cost at the prices of their time.
    pub spent: RunCost,
}

/// The record of an epoch; none for the first.
pub fn record(state: &State, epoch: Epoch) -> Option<&EpochRecord> {
    state.operator.epochs.get((epoch.0 as usize).checked_sub(1)?)
}

/// The epochs that led to one, newest first.
fn ancestors(state: &State, epoch: Epoch) -> impl Iterator<Item = Epoch> {
    std::iter::successors(Some(epoch), |one| {
        record(state, *one)
            .map(|record| record.base)
            .filter(|base| base < one)
    })
}

/// The line that led to an epoch.
pub fn line(state: &State, epoch: Epoch) -> Line {
    Line::through(ancestors(state, epoch))
}

/// Returns the branch of an epoch, named by the epoch of the edit that began it; 0 for the run itself.
pub fn of(state: &State, epoch: Epoch) -> Epoch {
    record(state, epoch).map_or(Epoch(0), |record| record.branch)
}

/// Returns the current branch.
pub fn current(state: &State) -> Epoch {
    of(state, state.epoch)
}

/// Returns the branch that the newest edit began.
pub fn newest(state: &State) -> Epoch {
    let mut records = state.operator.epochs.iter().rev();
    let edit = records.find(|record| record.branch == record.epoch);
    edit.map_or(Epoch(0), |record| record.epoch)
}

/// True if a number names a branch. The number of an undo, redo or switch does not.
pub fn is_one(state: &State, epoch: Epoch) -> bool {
    epoch <= state.epoch && of(state, epoch) == epoch
}

/// Describes why a number names no branch.
pub fn unknown(state: &State, epoch: Epoch) -> String {
    let newest = newest(state);
    if epoch > state.epoch {
        return format!("there is no branch {}: the newest is {}", epoch.0, newest.0);
    }
    format!(
        "there is no branch {0}: number {0} is an undo, redo or switch on branch {1}",
        epoch.0,
        of(state, epoch).0
    )
}

/// Returns the newest epoch of the branch of an epoch.
pub fn end(state: &State, epoch: Epoch) -> Epoch {
    let branch = of(state, epoch);
    let mut newest = state.operator.epochs.iter().rev();
    newest
        .find(|record| record.branch == branch)
        .map_or(Epoch(0), |record| record.epoch)
}

/// The target of an undo and the newest active edit: the end of the branch that it began from. Words that the agent of
/// another program sent are no edit of the operator.
pub fn undo_target(state: &State) -> Option<(Epoch, &EpochRecord)> {
    let sent = epochs_of_agent(state);
    ancestors(state, state.epoch)
        .filter_map(|epoch| record(state, epoch))
        .find(|record| record.began == EpochOrigin::Edit && !sent.contains(&record.epoch))
        .map(|record| (end(state, record.base), record))
}

/// The epochs that began with words which the agent of another program sent.
fn epochs_of_agent(state: &State) -> BTreeSet<Epoch> {
    if !state.is_of_agent() {
        return BTreeSet::new();
    }
    let sent = state.nodes.values().filter(|node| node.is_from_agent());
    sent.filter_map(|node| Some(node.revisions.first()?.epoch))
        .collect()
}

/// The target of a redo: the end of what the newest undo left, if no edit followed it.
pub fn redo_target(state: &State) -> Option<Epoch> {
    let sent = epochs_of_agent(state);
    for epoch in ancestors(state, state.epoch) {
        let record = record(state, epoch)?;
        match record.began {
            EpochOrigin::Edit if sent.contains(&epoch) => {}
            EpochOrigin::Undo => return Some(end(state, record.left)),
            EpochOrigin::Redo | EpochOrigin::Switch => {}
            EpochOrigin::Edit => return None,
        }
    }
    None
}

/// The branches of a run, oldest first. An edit begins one; an undo, a redo or a switch continues
/// one.
pub fn branches(state: &State) -> Vec<Branch> {
    let now = current(state);
    let branch = |epoch: Epoch, base: Epoch, what: Arc<str>, name: Option<Arc<str>>| Branch {
        epoch,
        base,
        what,
        name,
        current: epoch == now,
        sum: sum(state, &line(state, end(state, epoch))),
    };
    let first = branch(Epoch(0), Epoch(0), Arc::from("as the run began"), None);
    let edits = state
        .operator
        .epochs
        .iter()
        .filter(|record| record.branch == record.epoch);
    let later = edits.map(|record| {
        let base = of(state, record.base);
        branch(record.epoch, base, record.what.clone(), record.name.clone())
    });
    std::iter::once(first).chain(later).collect()
}

/// The active revision of a node at the end of a line; none if it was not active.
pub fn counted(state: &State, id: NodeId, line: &Line) -> Option<super::id::Rev> {
    let node = state.nodes.get(&id)?;
    if !turn_counted(state, node.turn, line) {
        return None;
    }
    let condition = match node.history.at(line) {
        Then::Absent => return None,
        Then::Now => node.state(),
        Then::Was(was) => *was,
    };
    let stale = id.kind == NodeKind::Observation && !had_ended(state, id.call(), line);
    (condition.active && !stale).then_some(condition.rev)
}

/// True if a call had ended; one that has to run again has no result.
fn had_ended(state: &State, call: NodeId, line: &Line) -> bool {
    state
        .calls
        .get(&call)
        .is_some_and(|call| match call.history.at(line) {
            Then::Absent => false,
            Then::Now => call.status.is_settled(),
            Then::Was(way) => way.status.is_settled(),
        })
}

fn turn_counted(state: &State, id: TurnId, line: &Line) -> bool {
    let Some(turn) = state.turns.get(&id) else {
        return false;
    };
    let activity = match turn.history.at(line) {
        Then::Absent => return false,
        Then::Now => turn.activity,
        Then::Was(was) => was.activity,
    };
    !matches!(activity, Activity::Superseded(_))
}

/// The results and costs of a line.
pub fn sum(state: &State, line: &Line) -> Sum {
    let mut sum = Sum::default();
    for turn in state.turns.values() {
        if turn_counted(state, turn.id, line) {
            sum.requests = sum.requests.saturating_add(turn.asked);
            sum.usage = sum.usage.plus(turn.usage);
            sum.spent = sum.spent.plus(&turn.spent);
        }
    }
    for node in state.nodes.values() {
        let Some(rev) = counted(state, node.id, line) else {
            continue;
        };
        match node.id.kind {
            NodeKind::Call => {
                sum.calls += 1;
                let runs = state.calls.get(&node.id).map_or(0, |call| {
                    call.attempts.iter().filter(|one| line.holds(one.epoch)).count()
                });
                sum.executions += runs;
            }
            // The answer of a sub-agent is the result of its call.
            NodeKind::Answer if thread::of(state, node.id) != thread::ROOT => {}
            NodeKind::Answer => {
                sum.answer = Some(node.id);
                sum.text = node.revision(rev).and_then(|revision| match &revision.content {
                    super::node::Content::Text { text, .. } => Some(text.clone()),
                    _ => None,
                });
            }
            NodeKind::Prompt
            | NodeKind::Thought
            | NodeKind::Observation
            | NodeKind::Repair
            | NodeKind::Intervention => {}
        }
    }
    sum
}
