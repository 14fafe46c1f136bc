//! What the change that is looked at would do, at once where the run is short, and beside the frames where it is long.
//!
//! Must not know: how it is shown, how a change is committed.

use super::count::{Count, Counted};
use crate::console::work::{Finding, Work};
use crate::domain::advice::Cards;
use crate::domain::branch;
use crate::domain::branch::compare::compare;
use crate::domain::command::{Command, Edit, EditCommand};
use crate::domain::decide;
use crate::domain::id::{NodeId, Rev, Seq};
use crate::domain::lineage::{self, Plan};
use crate::domain::refusal::Refusal;
use crate::domain::state::State;

/// A change of the graph.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// An edit that nobody has made: what any of its node would do.
    Any(Edit),
    /// What may be committed.
    Command(Command),
}

/// What a change would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlook {
    /// Its plan, or why it cannot be made.
    pub plan: Result<Plan, Refusal>,
    /// Nodes that stay and say something else, because another branch stands: what they say then, and what they say now.
    pub says: Vec<(NodeId, Rev, Rev)>,
}

impl Outlook {
    /// What a change of this run would do.
    pub fn of(state: &State, change: &Change) -> Self {
        let (plan, says) = match change {
            Change::Any(edit) => (lineage::plan(state, std::slice::from_ref(edit)), Vec::new()),
            Change::Command(Command::Edit(command)) => {
                (lineage::plan_of(state, command), says_again(state, command))
            }
            Change::Command(command) => {
                let events = decide::command(state, &Cards(state), command);
                (
                    events.map(|events| lineage::of_events(state, &events)),
                    Vec::new(),
                )
            }
        };
        Self { plan, says }
    }
}

/// Nodes that stay and say something else, because another branch stands.
fn says_again(state: &State, command: &EditCommand) -> Vec<(NodeId, Rev, Rev)> {
    let to = match command {
        EditCommand::Undo { .. } => branch::undo_target(state).map(|(to, _)| to),
        EditCommand::Redo { .. } => branch::redo_target(state),
        EditCommand::Switch { to, .. } => Some(*to),
        _ => None,
    };
    let Some(to) = to else { return Vec::new() };
    let rows = compare(state, state.epoch, to).rows;
    let differ = rows.iter().filter(|row| !row.same);
    differ
        .filter_map(|row| Some((row.node, row.b?, row.a?)))
        .collect()
}

/// What is known of the change that is looked at.
#[derive(Debug, Clone, Default)]
pub struct Foresight {
    about: Option<Change>,
    count: Count<Outlook>,
    /// What nobody has begun to work out yet.
    work: Option<Work>,
}

impl Foresight {
    /// Finds out what a change would do, where something has happened since it was found out; `now` is in milliseconds.
    pub fn look(&mut self, change: Option<Change>, state: &State, now: u64) {
        if self.about != change {
            self.about.clone_from(&change);
            self.count.forget();
            self.work = None;
        }
        if let Some(change) = change {
            let of = move |state: &State| Outlook::of(state, &change);
            let found = |outlook| Finding::Outlook(Box::new(outlook));
            let work = self.count.refresh(state, now, of, found);
            self.work = work.or(self.work.take());
        }
    }

    /// Finds it out now, however long that takes: somebody acts on it.
    pub fn renew(&mut self, state: &State) -> Option<&Outlook> {
        if let Some(change) = self.about.as_ref().filter(|_| self.count.at() != Some(state.seq)) {
            self.count.know(state.seq, Outlook::of(state, change));
            self.work = None;
        }
        self.known()
    }

    /// What it would do, once that is known.
    pub fn known(&self) -> Option<&Outlook> {
        self.count.known()
    }

    /// The newest event that is in it; none before it is known.
    pub fn at(&self) -> Option<Seq> {
        self.count.at()
    }

    /// Takes in what was found out.
    pub fn put(&mut self, outlook: Counted<Outlook>) {
        self.count.put(outlook);
    }

    /// When it is to be found out again.
    pub fn wake_at(&self, seq: Seq) -> Option<u64> {
        self.about.as_ref().and_then(|_| self.count.wake_at(seq))
    }

    /// What is to be worked out since this was asked last.
    pub const fn take_work(&mut self) -> Option<Work> {
        self.work.take()
    }
}
