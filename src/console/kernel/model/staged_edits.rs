//! Edits that are staged to be committed together.
//!
//! Must not know: keys, how edits are shown.
//!
//! The run does not change before the commit. An edit of the same target replaces the earlier one.

use overrule_domain::command::{Edit, EditCommand, InsertAfter};
use overrule_domain::effective_status;
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::state::State;
use overrule_domain::turn::{Activity, Turn};

/// A staged edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Unique number.
    pub no: u64,
    /// The edit.
    pub edit: Edit,
}

/// The staged edits, in the order of the commit.
#[derive(Debug, Clone, Default)]
pub struct StagedEdits {
    items: Vec<Item>,
    /// Why, for the log; empty for no reason.
    pub reason: String,
    /// True to keep later turns active although their context changes.
    pub keep_later: bool,
    /// Changes with the list.
    pub stamp: u64,
    /// The item that is being committed separately.
    pub sending: Option<u64>,
}

/// Target of an edit. At most one edit of each target is staged.
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
        // Its node may not be on this branch.
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

/// The turn or node before an insertion, if one is named.
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

    /// Adds an edit. It replaces the item of this number or of the same target; otherwise it is
    /// appended. Returns true if it replaced one.
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

    /// The item with a number.
    pub fn get(&self, no: u64) -> Option<&Item> {
        self.items.iter().find(|item| item.no == no)
    }

    /// Removes an item.
    pub fn remove(&mut self, no: u64) -> Option<Edit> {
        self.stamp += 1;
        let at = self.items.iter().position(|item| item.no == no)?;
        let item = self.items.remove(at);
        self.tidy();
        Some(item.edit)
    }

    /// Removes all items.
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

    /// Removes committed edits, and edits whose target a commit has changed.
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

    /// The staged edit of a node's text.
    pub fn of(&self, node: NodeId) -> Option<&Item> {
        self.items
            .iter()
            .find(|item| about(&item.edit) == Some(About::Node(node)))
    }

    /// True if an edit of the node, or of its observation, is staged.
    pub fn touches(&self, node: NodeId) -> bool {
        self.items
            .iter()
            .filter_map(|item| node_of(&item.edit))
            .any(|id| id == node || id == node.observation())
    }

    /// The nodes whose dependants stay suspended until the edits are committed or dropped.
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

/// Why an edit must be repeated: its base is no longer there.
pub fn moved(state: &State, edit: &Edit) -> Option<String> {
    let is_active = |turn: &Turn| !matches!(turn.activity, Activity::Superseded(_));
    if let Some(after) = after_of(edit) {
        let counts = match after {
            InsertAfter::Turn(id) => state.turns.get(&id).is_some_and(is_active),
            InsertAfter::Node(id) => {
                state.node(id).is_some_and(|node| node.active) && state.turn_of(id).is_some_and(is_active)
            }
        };
        return (!counts).then(|| format!("{after} is superseded: make the edit at another place"));
    }
    let id = node_of(edit)?;
    let Some(node) = state.node(id) else {
        return Some(format!("{id} is not there"));
    };
    if !node.active || !state.turn_of(id).is_some_and(is_active) {
        let why = effective_status::replaced_words(state, id);
        return Some(format!("{id} is superseded: {why}"));
    }
    let base = base_of(edit)?;
    (node.rev() != base).then(|| {
        format!(
            "{id} changed from revision {} to {} since: repeat the edit",
            base.0,
            node.rev().0
        )
    })
}

/// Bases an edit on the current revision of its node.
pub fn rebased(state: &State, edit: &Edit) -> Edit {
    let mut edit = edit.clone();
    let now = node_of(&edit)
        .and_then(|id| state.node(id))
        .map(overrule_domain::node::Node::rev);
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

/// The command that commits edits. Fields about what was shown are filled in when it is sent.
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

/// The number of staged edits, as text.
pub fn describe(edits: usize) -> String {
    match edits {
        1 => "1 edit staged".to_owned(),
        count => format!("{count} edits staged"),
    }
}
