//! Refuses edited calls that could never run: names that are taken or missing, and cycles.
//!
//! Must not know: what values are read, what follows.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::command::Edit;
use crate::id::NodeId;
use crate::reference::{Expr, Reference, Root};
use crate::refusal::{Refusal, RefusalKind};
use crate::state::State;
use crate::turn::Stream;

/// Name and references of an edited call.
struct Sketch {
    label: Option<Arc<str>>,
    reads: Vec<Reference>,
}

/// The calls of a state, some of them with new arguments that are not checked yet.
struct Calls<'s> {
    state: &'s State,
    edited: BTreeMap<NodeId, Sketch>,
}

/// Checks the calls whose arguments are edited, as they are after all edits.
///
/// # Errors
/// Fails if one of them could never run, whatever the results of the others.
pub(super) fn sound(state: &State, edits: &[Edit]) -> Result<(), Refusal> {
    let mut edited = BTreeMap::new();
    for edit in edits {
        if let Edit::Call { node, args, .. } = edit {
            let scanned = state.scan(args);
            let sketch = Sketch {
                label: scanned.label.as_deref().map(Arc::from),
                reads: scanned.references,
            };
            edited.insert(*node, sketch);
        }
    }
    let calls = Calls { state, edited };
    for id in calls.edited.keys().copied().filter(|id| calls.counts(*id)) {
        calls.own_name(id)?;
        calls.names(id)?;
        calls.no_circle(id)?;
    }
    Ok(())
}

impl Calls<'_> {
    fn counts(&self, id: NodeId) -> bool {
        let node = self.state.nodes.get(&id);
        node.is_some_and(|node| node.active && node.as_call().is_some())
    }

    /// True if a call has a name: its label or its id.
    fn is_called(&self, id: NodeId, name: &str) -> bool {
        let given = match self.edited.get(&id) {
            Some(sketch) => sketch.label.as_deref(),
            None => self.state.calls.get(&id).map(|call| &*call.label),
        };
        given.map_or_else(|| id.to_string() == name, |given| given == name)
    }

    /// Calls that may have a name: from the index of names, because a turn can be wide.
    fn candidates(&self, name: &str) -> impl Iterator<Item = NodeId> {
        let holders = self.state.agenda.holders(name);
        holders.chain(self.edited.keys().copied())
    }

    /// Another call of the same turn that has a name.
    fn beside(&self, id: NodeId, name: &str) -> Option<NodeId> {
        let turn = self.state.nodes.get(&id)?.turn;
        self.candidates(name).find(|one| {
            let here = self.state.nodes.get(one).is_some_and(|node| node.turn == turn);
            *one != id && here && self.counts(*one) && self.is_called(*one, name)
        })
    }

    /// The names that a call requires, without those that are one of several choices.
    fn needs(&self, id: NodeId) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let reads = match self.edited.get(&id) {
            Some(sketch) => &sketch.reads,
            None => self
                .state
                .calls
                .get(&id)
                .map_or(const { &Vec::new() }, |call| &call.refs.references),
        };
        for reference in reads {
            needed(&reference.expr, &mut found);
        }
        found
    }

    fn own_name(&self, id: NodeId) -> Result<(), Refusal> {
        let Some(name) = self.edited.get(&id).and_then(|sketch| sketch.label.clone()) else {
            return Ok(());
        };
        match self.beside(id, &name) {
            None => Ok(()),
            Some(other) => Err(refused(format!(
                "{other} in the same turn is already called `{name}`: choose another name for {id}"
            ))),
        }
    }

    /// Refuses a name that no call has, if no later call can have it.
    fn names(&self, id: NodeId) -> Result<(), Refusal> {
        let open = self
            .state
            .turn_of(id)
            .is_some_and(|turn| !matches!(turn.stream, Stream::Closed(_)));
        for name in self.needs(id) {
            if self.beside(id, &name).is_some() || self.is_before(id, &name) {
                continue;
            }
            if self.is_called(id, &name) {
                return Err(refused(format!(
                    "{id} would read its own result, `{name}`: it could never start"
                )));
            }
            if !open {
                return Err(refused(format!(
                    "{id} would read `{name}`, and no call before it or next to it has that name"
                )));
            }
        }
        Ok(())
    }

    /// Whether a call of an earlier turn has a name.
    fn is_before(&self, id: NodeId, name: &str) -> bool {
        let Some(own) = self.state.turn_of(id) else {
            return false;
        };
        self.candidates(name).any(|one| {
            let turn = self.state.turn_of(one);
            self.counts(one)
                && self.is_called(one, name)
                && turn
                    .is_some_and(|turn| turn.is_active() && turn.thread == own.thread && turn.pos < own.pos)
        })
    }

    fn no_circle(&self, id: NodeId) -> Result<(), Refusal> {
        // The reader of each call that was found, on the way from the edited one.
        let mut readers: BTreeMap<NodeId, NodeId> = BTreeMap::new();
        let mut open = vec![id];
        while let Some(last) = open.pop() {
            for next in self.needs(last).iter().filter_map(|name| self.beside(last, name)) {
                if next == id {
                    return Err(circle(id, last, &readers));
                }
                if let Entry::Vacant(place) = readers.entry(next) {
                    place.insert(last);
                    open.push(next);
                }
            }
        }
        Ok(())
    }
}

/// Names the calls of a cycle, from the edited one back to it.
fn circle(id: NodeId, last: NodeId, readers: &BTreeMap<NodeId, NodeId>) -> Refusal {
    let way = std::iter::successors(Some(last), |one| readers.get(one).copied().filter(|_| *one != id));
    let mut names: Vec<String> = way.map(|one| one.to_string()).collect();
    names.reverse();
    names.push(id.to_string());
    refused(format!(
        "they would wait for each other, and none could start: {}",
        names.join(" reads ")
    ))
}

fn needed(expr: &Expr, found: &mut BTreeSet<String>) {
    match expr {
        Expr::Read(target) if target.root == Root::Call => {
            found.insert(target.head.clone());
        }
        Expr::Read(_) | Expr::Fallback(_) => {}
        Expr::All(parts) => parts.iter().for_each(|part| needed(part, found)),
    }
}

fn refused(message: String) -> Refusal {
    Refusal::new(RefusalKind::Invalid, message)
}
