//! Edits that were collected to be committed together. Nothing of the run changes before that.
//!
//! An edit of the same thing takes the place of the one before it. Must not know: keys, how edits
//! are shown.

use crate::domain::command::{Edit, EditCommand, InsertAfter};
use crate::domain::effective_status;
use crate::domain::id::{NodeId, Rev};
use crate::domain::state::State;
use crate::domain::turn::{Activity, Turn};

/// A collected edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Tells it from every other that was ever collected.
    pub no: u64,
    /// The edit.
    pub edit: Edit,
}

/// The collected edits, in the order in which they are committed.
#[derive(Debug, Clone, Default)]
pub struct StagedEdits {
    items: Vec<Item>,
    /// Why, for the log; empty for no reason.
    pub reason: String,
    /// Later turns stand although what they were asked with changes.
    pub keep_later: bool,
    /// Changes when the list does.
    pub stamp: u64,
    /// The item that is being committed by itself.
    pub sending: Option<u64>,
}

/// What an edit is about: one edit of each is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    Node(NodeId),
    Gone(NodeId),
    Taken(NodeId),
}

fn about(edit: &Edit) -> Option<About> {
    match edit {
        Edit::Call { node, .. } | Edit::Text { node, .. } | Edit::Observation { node, .. } => {
            Some(About::Node(*node))
        }
        Edit::Delete { node, .. } | Edit::RejectAnswer { node, .. } => Some(About::Gone(*node)),
        Edit::Copy { node, .. } => Some(About::Taken(node.observation())),
        Edit::InsertPrompt { .. } | Edit::InsertThought { .. } | Edit::InsertCall { .. } => None,
    }
}

/// The node that an edit changes; none for an insertion.
pub const fn node_of(edit: &Edit) -> Option<NodeId> {
    match edit {
        Edit::Call { node, .. }
        | Edit::Text { node, .. }
        | Edit::Observation { node, .. }
        | Edit::Delete { node, .. }
        | Edit::RejectAnswer { node, .. } => Some(*node),
        // It may not count here at all.
        Edit::Copy { .. }
        | Edit::InsertPrompt { .. }
        | Edit::InsertThought { .. }
        | Edit::InsertCall { .. } => None,
    }
}

/// The revision that an edit is based on.
const fn base_of(edit: &Edit) -> Option<Rev> {
    match edit {
        Edit::Call { base, .. }
        | Edit::Text { base, .. }
        | Edit::Observation { base, .. }
        | Edit::Delete { base, .. } => Some(*base),
        Edit::RejectAnswer { .. }
        | Edit::Copy { .. }
        | Edit::InsertPrompt { .. }
        | Edit::InsertThought { .. }
        | Edit::InsertCall { .. } => None,
    }
}

/// What an insertion stands behind, where that is named.
const fn after_of(edit: &Edit) -> Option<InsertAfter> {
    match edit {
        Edit::InsertPrompt {
            after: Some(turn), ..
        }
        | Edit::InsertCall {
            after: Some(turn), ..
        } => Some(InsertAfter::Turn(*turn)),
        Edit::InsertThought { after, .. } => *after,
        _ => None,
    }
}

impl StagedEdits {
    /// The items.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The edits, in order.
    pub fn edits(&self) -> Vec<Edit> {
        self.items.iter().map(|item| item.edit.clone()).collect()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// True where there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Adds an edit: in the place of the item of this number, or of one about the same thing, or at
    /// the end. True where it took a place.
    pub fn add(&mut self, edit: Edit, instead: Option<u64>) -> bool {
        self.stamp += 1;
        let place = self
            .items
            .iter()
            .position(|item| Some(item.no) == instead || same_thing(&item.edit, &edit));
        if let Some(item) = place.and_then(|at| self.items.get_mut(at)) {
            item.edit = edit;
            return true;
        }
        let no = self.stamp;
        self.items.push(Item { no, edit });
        false
    }

    /// The item of a number.
    pub fn get(&self, no: u64) -> Option<&Item> {
        self.items.iter().find(|item| item.no == no)
    }

    /// Takes one out.
    pub fn remove(&mut self, no: u64) -> Option<Edit> {
        self.stamp += 1;
        let at = self.items.iter().position(|item| item.no == no)?;
        let item = self.items.remove(at);
        self.tidy();
        Some(item.edit)
    }

    /// Takes all out.
    pub fn clear(&mut self) {
        self.stamp += 1;
        self.items.clear();
        self.tidy();
    }

    fn tidy(&mut self) {
        if self.items.is_empty() {
            self.reason.clear();
            self.keep_later = false;
        }
    }

    /// Takes out what was committed, and what a commit about the same thing has taken the place of.
    pub fn committed(&mut self, edits: &[Edit]) {
        self.stamp += 1;
        let sent = self.sending.take();
        self.items.retain(|item| {
            let done = edits
                .iter()
                .any(|edit| without_shown(edit) == without_shown(&item.edit) || same_thing(edit, &item.edit));
            !done && Some(item.no) != sent
        });
        self.tidy();
    }

    /// The collected edit of what a node says.
    pub fn of(&self, node: NodeId) -> Option<&Item> {
        self.items
            .iter()
            .find(|item| about(&item.edit) == Some(About::Node(node)))
    }

    /// True where an edit of the node, or of its observation, is collected.
    pub fn touches(&self, node: NodeId) -> bool {
        self.items
            .iter()
            .filter_map(|item| node_of(&item.edit))
            .any(|id| id == node || id == node.observation())
    }

    /// The nodes on which everything waits until the edits are committed or dropped.
    pub fn nodes(&self, state: &State) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> = self
            .items
            .iter()
            .filter(|item| moved(state, &item.edit).is_none())
            .filter_map(|item| node_of(&item.edit))
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }
}

fn same_thing(edit: &Edit, other: &Edit) -> bool {
    about(edit).is_some() && about(edit) == about(other)
}

fn without_shown(edit: &Edit) -> Edit {
    let mut edit = edit.clone();
    if let Edit::Call { shown, .. } = &mut edit {
        *shown = true;
    }
    edit
}

/// Why an edit has to be done again: what it was based on is not there any more.
pub fn moved(state: &State, edit: &Edit) -> Option<String> {
    let is_active = |turn: &Turn| !matches!(turn.activity, Activity::Superseded(_));
    if let Some(after) = after_of(edit) {
        let counts = match after {
            InsertAfter::Turn(id) => state.turns.get(&id).is_some_and(is_active),
            InsertAfter::Node(id) => {
                state.node(id).is_some_and(|node| node.active) && state.turn_of(id).is_some_and(is_active)
            }
        };
        return (!counts).then(|| format!("{after} is history: do it again at another place"));
    }
    let id = node_of(edit)?;
    let Some(node) = state.node(id) else {
        return Some(format!("{id} is not there"));
    };
    if !node.active || !state.turn_of(id).is_some_and(is_active) {
        let why = effective_status::replaced_words(state, id);
        return Some(format!("{id} is history: {why}"));
    }
    let base = base_of(edit)?;
    (node.rev() != base).then(|| format!("{id} changed from {base} to {} since: do it again", node.rev()))
}

/// Puts an edit on what its node says now.
pub fn rebased(state: &State, edit: &Edit) -> Edit {
    let mut edit = edit.clone();
    let now = node_of(&edit)
        .and_then(|id| state.node(id))
        .map(crate::domain::node::Node::rev);
    if let (
        Some(now),
        Edit::Call { base, .. }
        | Edit::Text { base, .. }
        | Edit::Observation { base, .. }
        | Edit::Delete { base, .. },
    ) = (now, &mut edit)
    {
        *base = now;
    }
    edit
}

/// The command that commits edits, as it is planned: what was seen of it is filled in when it is sent.
pub fn commit_of(mut edits: Vec<Edit>, keep_later: bool) -> EditCommand {
    for edit in &mut edits {
        if let Edit::Call { shown, .. } = edit {
            *shown = true;
        }
    }
    EditCommand::Commit {
        edits,
        effects_seen: None,
        reason: None,
        keep_later,
    }
}
