//! What tells two branches apart, node by node. Must not know: how it is shown.

use super::{Sum, counted, end, line, of, sum};
use crate::domain::call::Status;
use crate::domain::history::{Line, Then};
use crate::domain::id::{Epoch, NodeId, NodeKind, Rev};
use crate::domain::node::{Content, Node};
use crate::domain::state::State;

/// Two branches side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The one.
    pub a: Epoch,
    /// The other.
    pub b: Epoch,
    /// What the one came to.
    pub sum_a: Sum,
    /// What the other came to.
    pub sum_b: Sum,
    /// Every node that counts on one of them, in journal order.
    pub rows: Vec<Row>,
}

impl Comparison {
    /// Nodes that say the same on both.
    pub fn same(&self) -> usize {
        self.rows.iter().filter(|row| row.same).count()
    }

    /// True where nothing tells the two apart, whatever they took.
    pub fn is_equal(&self) -> bool {
        self.same() == self.rows.len()
    }
}

/// A node on two branches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The node.
    pub node: NodeId,
    /// The revision that counts on the one; none where it does not count there.
    pub a: Option<Rev>,
    /// The same on the other.
    pub b: Option<Rev>,
    /// Whether it says the same on both, and came to the same.
    pub same: bool,
    /// Why a call has no result on the one, in a word; none where it has one, and for what is no call.
    pub left_a: Option<&'static str>,
    /// The same on the other.
    pub left_b: Option<&'static str>,
}

/// Compares the branches of two epochs at their ends.
pub fn compare(state: &State, a: Epoch, b: Epoch) -> Comparison {
    let (line_a, line_b) = (line(state, end(state, a)), line(state, end(state, b)));
    let rows = state
        .nodes
        .values()
        .filter(|node| node.id.kind != NodeKind::Intervention)
        .filter_map(|node| {
            let on_a = counted(state, node.id, &line_a);
            let on_b = counted(state, node.id, &line_b);
            let left_a = on_a.and_then(|_| left(state, node.id, &line_a));
            let left_b = on_b.and_then(|_| left(state, node.id, &line_b));
            let text = |one| on_b.is_some_and(|other| same_content(node, one, other));
            (on_a.is_some() || on_b.is_some()).then(|| Row {
                node: node.id,
                a: on_a,
                b: on_b,
                same: on_a.is_some_and(text) && left_a == left_b,
                left_a,
                left_b,
            })
        })
        .collect();
    Comparison {
        a: of(state, a),
        b: of(state, b),
        sum_a: sum(state, &line_a),
        sum_b: sum(state, &line_b),
        rows,
    }
}

/// How a call ended at the end of a line that gave no result there.
fn left(state: &State, id: NodeId, line: &Line) -> Option<&'static str> {
    let call = state.calls.get(&id)?;
    let status = match call.history.at(line) {
        Then::Absent => return None,
        Then::Now => &call.status,
        Then::Was(way) => &way.status,
    };
    let gave = matches!(status, Status::Succeeded | Status::Exited(_) | Status::Failed(_));
    (status.is_settled() && !gave).then(|| status.base_label())
}

fn same_content(node: &Node, one: Rev, other: Rev) -> bool {
    if one == other {
        return true;
    }
    match (node.revision(one), node.revision(other)) {
        (Some(one), Some(other)) => match (&one.content, &other.content) {
            // Which execution gave a value does not matter.
            (Content::Observation { outcome: one, .. }, Content::Observation { outcome: other, .. }) => {
                one == other
            }
            (one, other) => one == other,
        },
        _ => false,
    }
}
