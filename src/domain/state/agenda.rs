//! Indices over the statuses of a run.
//!
//! Must not know: how events are decided.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use crate::call::{Decision, Verdict};
use crate::id::{Attempt, NodeId, Seq, ThreadId, TurnId};

/// An index that is only ever asked for one name. No random seed: a fold is the same everywhere.
pub type ByName<V> = HashMap<Arc<str>, V, BuildHasherDefault<DefaultHasher>>;

/// Indices with which a step costs what it touches. Kept by `apply`, never decided.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Agenda {
    /// Active calls that were not checked yet.
    pub unchecked: BTreeSet<NodeId>,
    /// Blocked or suspect calls with a reason to look at them again.
    pub woken: BTreeSet<NodeId>,
    /// Blocked or suspect calls that wait, each with the place of a reference that it waits for.
    pub stalled: BTreeMap<NodeId, u32>,
    /// Blocked calls.
    pub blocked: BTreeSet<NodeId>,
    /// Invalid calls that can still be fixed.
    pub invalid: BTreeSet<NodeId>,
    /// Calls that wait for a person, by the event with which they became ready.
    pub waiting: BTreeMap<Seq, NodeId>,
    /// Of the waiting calls those of unknown outcome.
    pub unknown: BTreeSet<NodeId>,
    /// Ready calls for which nothing was decided or asked yet.
    pub ungated: BTreeSet<NodeId>,
    /// Decided calls that wait for a place.
    pub queued: BTreeSet<NodeId>,
    /// Calls that run again after a wait.
    pub delayed: BTreeSet<NodeId>,
    /// Calls whose arguments are being repaired.
    pub repairing: BTreeSet<NodeId>,
    /// Calls that failed, or that cannot run, and about which nothing was decided yet.
    pub failures: BTreeSet<NodeId>,
    /// Executions under way.
    pub running: BTreeSet<NodeId>,
    /// Of the decided calls those whose work a sub-agent does.
    pub delegating: BTreeSet<NodeId>,
    /// Calls whose sub-agents are at work.
    pub delegates: BTreeSet<NodeId>,
    /// Threads of sub-agents with active or suspended turns.
    pub children: BTreeSet<ThreadId>,
    /// Executions that are being cancelled, or whose result is superseded, and that have not ended.
    pub ending: BTreeSet<(NodeId, Attempt)>,
    /// Active calls that have ended.
    pub settled: BTreeSet<NodeId>,
    /// Calls whose result was ever written by a person.
    pub pinned: BTreeSet<NodeId>,
    /// Calls whose corrections were reported as lost.
    pub lost: BTreeSet<NodeId>,
    /// Superseded calls.
    pub retired: BTreeSet<NodeId>,
    /// Stale calls.
    pub suspects: BTreeSet<NodeId>,
    /// Active turns that are not settled.
    pub open: BTreeSet<TurnId>,
    /// Calls by every label that they ever had, in the order in which they were first called so.
    pub names: ByName<Vec<NodeId>>,
    /// Calls that read what a call (by label) writes.
    pub readers: ByName<BTreeSet<NodeId>>,
    /// Calls that write a state path (by its first key), in journal order.
    pub writers: ByName<Vec<NodeId>>,
    /// Calls that read a state path (by its first key).
    pub state_readers: ByName<BTreeSet<NodeId>>,
    /// Executions that may have changed the world, each with the first of them that was running, or
    /// had an unknown outcome, when it began; itself if there was none.
    pub effects: BTreeMap<Seq, Seq>,
    /// Executions by the sameness of tool and arguments.
    pub same: ByName<Vec<Seq>>,
    /// The newest verdicts of the policy, each once: most calls share one.
    pub verdicts: Vec<Arc<Verdict>>,
    /// The newest decisions, each once.
    pub decisions: Vec<Arc<Decision>>,
    /// Turns by the hash of the request that they were asked with.
    pub replies: ByName<BTreeSet<TurnId>>,
}

impl Agenda {
    /// The calls that ever had a name, in the order in which they were first called so.
    pub fn holders(&self, name: &str) -> impl DoubleEndedIterator<Item = NodeId> + use<'_> {
        self.names.get(name).into_iter().flatten().copied()
    }
}
