//! Executions that a call asking for consent would repeat, and what became of them since.
//!
//! Must not know: how it is shown, what is answered.

use std::collections::BTreeMap;

use crate::call::{Call, Status};
use crate::effective_status;
use crate::fork::Elsewhere;
use crate::id::{NodeId, Rev, Seq};
use crate::ledger;
use crate::node::{Node, Origin};
use crate::state::{LedgerEntry, State};
use crate::thread;

/// An execution that would be repeated.
#[derive(Debug, Clone, Copy)]
pub enum Earlier<'s> {
    /// One of this run.
    Here(&'s LedgerEntry),
    /// One of the run that this one was forked from, with the event that records it here.
    Elsewhere(Seq, &'s Elsewhere),
}

/// What became of an execution since it began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Since {
    /// Nothing replaced it.
    Counts,
    /// Its call is superseded, and this call was given its result.
    ReusedBy(NodeId),
    /// Its call, or a call that its sub-agent worked for, is superseded: by what, without untrusted
    /// text.
    Replaced(String),
    /// This call has another revision since: by what. It is the execution's own call, or one that
    /// its sub-agent worked for.
    Changed(NodeId, String),
    /// Its call has the same revision and another result since.
    Another(NodeId),
    /// Its call has the same revision and is to run again.
    Again(NodeId),
}

impl Since {
    /// Returns true if nothing replaced it.
    pub fn counts(&self) -> bool {
        *self == Self::Counts
    }

    /// Describes it in a few lower-case words, without untrusted text.
    pub fn describe(&self) -> String {
        match self {
            Self::Counts => "still active".to_owned(),
            Self::ReusedBy(call) => format!("its result is used for {call}"),
            Self::Replaced(why) => format!("superseded: {why}"),
            Self::Changed(call, by) => format!("superseded: {by} changed {call} since"),
            Self::Another(call) => format!("superseded: {call} has another result since"),
            Self::Again(call) => format!("superseded: {call} is to run again"),
        }
    }
}

/// What a call that asks for consent would repeat, newest first; nothing for any other call.
pub fn earlier<'s>(state: &'s State, call: &'s Call) -> impl Iterator<Item = Earlier<'s>> {
    let asks = matches!(call.status, Status::Consent(_));
    let entries = call.approval.asked_about.iter().rev().filter(move |_| asks);
    entries.filter_map(|seq| match state.ledger.get(seq) {
        Some(entry) => Some(Earlier::Here(entry)),
        None => Some(Earlier::Elsewhere(*seq, &state.origin.elsewhere.get(seq)?.what)),
    })
}

/// Which of the calls that ask for consent would repeat which executions.
pub fn repeating(state: &State) -> BTreeMap<Seq, Vec<NodeId>> {
    let mut found: BTreeMap<Seq, Vec<NodeId>> = BTreeMap::new();
    for call in state.queue() {
        for one in earlier(state, call) {
            let seq = match one {
                Earlier::Here(entry) => entry.seq,
                Earlier::Elsewhere(seq, _) => seq,
            };
            found.entry(seq).or_default().push(call.id);
        }
    }
    found
}

/// What became of an execution since it began.
pub fn since(state: &State, entry: &LedgerEntry) -> Since {
    if let Some(call) = ledger::reusing_call(state, entry) {
        return Since::ReusedBy(call);
    }
    let above = thread::above(state, thread::of(state, entry.call)).map(|child| (child.call, child.rev));
    let depends_on: Vec<(NodeId, Rev)> = std::iter::once((entry.call, entry.rev)).chain(above).collect();
    let nodes = || {
        let found = depends_on.iter();
        found.filter_map(|(id, rev)| Some((state.nodes.get(id)?, *rev)))
    };
    if let Some((node, _)) = nodes().find(|(node, _)| !node.active) {
        return Since::Replaced(effective_status::describe_replaced(state, node.id));
    }
    if let Some((node, rev)) = nodes().find(|(node, rev)| node.rev() != *rev) {
        return Since::Changed(node.id, changed_by(state, node, rev));
    }
    if !entry.more.orphaned {
        return Since::Counts;
    }
    let over = state
        .calls
        .get(&entry.call)
        .is_some_and(|call| call.status.is_settled());
    if over {
        Since::Another(entry.call)
    } else {
        Since::Again(entry.call)
    }
}

/// Names what changed a call after a revision.
fn changed_by(state: &State, node: &Node, rev: Rev) -> String {
    let repaired = node.rev() > rev && matches!(node.now().origin, Origin::Repair { .. });
    if repaired {
        return "a repair".to_owned();
    }
    effective_status::began_by(state, node.history.since()).unwrap_or_else(|| "an edit".to_owned())
}
